/*
 * compile.h: the parts of compiling a definition, and what they share.
 *
 * Inside the room flow only.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_COMPILE_H
#define FANLINE_FLOW_COMPILE_H

#include "flow/machine.h"

/* The roots that expressions may begin with, by where they stand. */
#define ROOTS_IN  (1U << PATH_INPUT | 1U << PATH_CONTEXT | 1U << PATH_GLOBAL)
#define ROOTS_OUT (ROOTS_IN | 1U << PATH_OUTPUT)
#define ROOTS_MAP (1U << PATH_INPUT | 1U << PATH_CONTEXT | 1U << PATH_ITEM)

struct compile {
    struct machine *machine;
    const char *source;
    struct err *err;
};

/* Fill the error, with the place of N. Returns -1. */
int compile_fail(const struct compile *c, const struct node *n, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The error is filled already: add the place of N, where the text that was compiled stands. -1. */
int compile_place(const struct compile *c, const struct node *n);

static inline bool compile_is_cloudflow(const struct compile *c)
{
    return c->machine->dialect == DIALECT_CLOUDFLOW;
}

/* The JSON text of N, kept by the machine. */
struct span compile_json(const struct compile *c, const struct node *n);

/* The template that N is, or the expression in the string N; NULL for an N that is NULL. */
int compile_template(const struct compile *c, const struct node *n, unsigned roots,
                     struct template **out);
int compile_expression(const struct compile *c, const struct node *n, unsigned roots,
                       struct template **out);

/*
 * What the map MAP says of NAME: NAME itself, "NAME.$" or "NAMEPath".  *OUT is NULL where it says
 * nothing.  Returns 0, or -1: also where it says it twice.
 */
int compile_setting(const struct compile *c, const struct node *map, const char *name,
                    setting *out);

/* ResultPath of N: into *DISCARDS and *OUT (NULL: all). */
int compile_result_path(const struct compile *c, const struct node *n, bool *discards,
                        struct path **out);

/* Do as the state S says, whose name, type and scope are known. */
int compile_state(const struct compile *c, struct state *s);

/* The Map S. */
int compile_map(const struct compile *c, struct state *s);

/* The scope that N, a map with StartAt and States, is; of OWNER. */
int compile_scope(const struct compile *c, struct scope *scope, const struct node *n,
                  const struct state *owner);

/* The state of SCOPE that the string N names, in *OUT. */
int compile_target(const struct compile *c, const struct scope *scope, const struct node *n,
                   const struct state **out);

/* Free what a state or a choice hangs on; in the file that makes it. */
void state_release(struct state *s);
void map_release(struct map *m);

/* Free the lists of SCOPE; its states are released one by one. */
void compile_release_scope(struct scope *scope);

#endif
