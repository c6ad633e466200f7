/*
 * scope.h: which state leads to which.
 *
 * A scope is a set of states with a first one: a definition, a branch of a Parallel, a Processor.
 * Names are looked up, and ways from state to state noted; then it is known what cannot be reached
 * and what leads to no end.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_SCOPE_H
#define FANLINE_FLOW_SCOPE_H

#include "flow/tree.h"

#include <stdbool.h>
#include <stddef.h>

#define SCOPE_NONE ((size_t)-1)

struct scope_state {
    struct span name;
    const struct node *node;
    size_t order;      /* in the definition, from 0 */
    bool ends;         /* its scope may end with it */
    bool is_reached;   /* from the first state */
    bool leads_to_end; /* it ends, or leads to one that does */
};

struct scope_way {
    size_t from;
    size_t to;
};

struct scope {
    struct scope_state *states; /* in the order of their names; of one name, as they stand */
    size_t count;
    size_t cap;
    struct scope_way *ways;
    size_t way_count;
    size_t way_cap;
    size_t start;   /* SCOPE_NONE: not known */
    size_t current; /* the one that is looked at; SCOPE_NONE: the scope itself */
    bool doubted;   /* there may be ways that are not known: scope_doubt */
    struct scope *outer;
};

/* Add the state NODE with its NAME; all are added before any is looked up. */
void scope_add(struct scope *s, struct span name, const struct node *node);

/* All are added: put them in order. */
void scope_sort(struct scope *s);

/* The first state NAME, or SCOPE_NONE. */
size_t scope_find(const struct scope *s, struct span name);

/* A way leads from the current state to TO; from the scope itself it leads to the first one. */
void scope_lead(struct scope *s, size_t to);

/* Where the current state leads is not known for sure: take it for an end. */
void scope_excuse(struct scope *s);

/* A way that is not known leads somewhere: whether all states can be reached cannot be told. */
void scope_doubt(struct scope *s);

/* All ways are known: set is_reached and leads_to_end. */
void scope_walk(struct scope *s);

void scope_release(struct scope *s);

#endif
