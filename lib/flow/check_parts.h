/*
 * check_parts.h: the parts of the check, and what they share.
 *
 * Inside the room flow only.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_CHECK_PARTS_H
#define FANLINE_FLOW_CHECK_PARTS_H

#include "flow/schema.h"
#include "flow/scope.h"
#include "flow/tell.h"

/* Where the check stands. */
struct check {
    enum dialect dialect;
    struct faults *faults;
    struct scope *scope;  /* of the states at hand; NULL: none */
    size_t faults_before; /* how many there were before the map at hand */
};

/* A map against its table: check.c. */
void check_map(struct check *c, const struct node *map, const struct table *t);

/* A map with StartAt and States, and the states in it: check_scope.c. */
void check_scope(struct check *c, const struct node *map, const struct table *t);

/* The States of the scope at hand. */
void check_states(struct check *c, const struct node *states);

/* N, a string, must name a state of the scope at hand; there is a way to it from now on. */
void check_target(struct check *c, const struct node *n);

/* The value N of the field F: check_value.c. */
void check_value(struct check *c, const struct node *n, const struct field *f);

/* N must be a number within the bounds of F, and a whole one if F is an integer. */
void check_number(struct check *c, const struct node *n, const struct field *f);

/* Is N of the KIND?  If not, that is told as a fault. */
bool check_kind(struct check *c, const struct node *n, enum node_kind kind);

/* Texts that are compiled: check_text.c.  ROOTS as in schema.h. */
void check_expression(struct check *c, const struct node *n, unsigned roots);
void check_template(struct check *c, const struct node *n, unsigned roots);
void check_path(struct check *c, const struct node *n);
void check_place(struct check *c, const struct node *n);
void check_pointer(struct check *c, const struct node *n);
void check_label(struct check *c, const struct node *n);
void check_time(struct check *c, const struct node *n);

/* Rules of Retry and Catch, in their order: check_also.c. */
void check_order(struct check *c, const struct node *list);

#endif
