/*
 * comparison.h: the comparisons of Choice rules.
 *
 * Inside the room flow only.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_COMPARISON_H
#define FANLINE_FLOW_COMPARISON_H

#include "base/arena.h"
#include "base/near.h"
#include "base/span.h"
#include "flow/tree.h"

#include <stdbool.h>

/* What a comparison wants its variable to be. */
enum operand {
    OPERAND_STRING,
    OPERAND_NUMBER,
    OPERAND_BOOL,
    OPERAND_TIME,
    OPERAND_NULL,
    OPERAND_ANY
};

enum relation {
    RELATION_EQUAL,
    RELATION_LESS,
    RELATION_GREATER,
    RELATION_LESS_EQUAL,
    RELATION_GREATER_EQUAL,
    RELATION_MATCHES,
    RELATION_IS
};

struct comparison {
    const char *name;
    enum operand operand;
    enum relation relation;
    bool has_path; /* NAMEPath takes the other side from the input */
};

/* The comparison NAME; *BY_PATH says that it is one of those that end in Path. NULL: none. */
const struct comparison *comparison_find(struct span name, bool *by_path);

/* Offer all their names to N. */
void comparison_offer(struct near *n);

/* What the constant that O is given must be: "a number", … NULL if the constant N is that. */
const char *comparison_refuses(const struct comparison *c, const struct node *n);

/* Does the variable with VALUE (JSON; a NULL pointer if it leads nowhere) compare so with OTHER? */
bool comparison_holds(const struct comparison *c, struct span value, struct span other,
                      struct arena *a);

#endif
