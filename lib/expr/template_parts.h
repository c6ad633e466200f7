/*
 * template_parts.h: what a template is compiled to.
 *
 * Inside the room expr only: template_compile.c makes it, template.c uses it.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_TEMPLATE_PARTS_H
#define FANLINE_EXPR_TEMPLATE_PARTS_H

#include "base/arena.h"
#include "expr/expr.h"
#include "expr/template.h"

/* Where the value of an expression comes from. */
enum origin {
    FROM_INPUT,
    FROM_ITEM,
    FROM_CONTEXT,
    FROM_OUTPUT,
    FROM_GLOBAL,
    FROM_CONTEXT_ITEM, /* of $Context what is about the item at hand; in no scene */
    ORIGINS
};

/* The origin of each root that has a name: by enum path_root. */
extern const enum origin template_origins[TEMPLATE_ROOTS];

/* Where a path's value is found: values[origin][slot]. */
struct source {
    enum origin origin;
    size_t slot;
};

/* Literal text, and behind it the value of an expression. */
struct piece {
    size_t literal; /* offset and length in template.literals */
    size_t literal_len;
    struct expr *expr;      /* NULL in the last piece */
    bool bare;              /* it is a path and nothing else */
    struct source *sources; /* one for each path of the expression */
};

struct template
{
    struct buf literals;
    size_t pending; /* where the literal text that belongs to no piece yet begins */
    struct piece *pieces;
    size_t count;
    size_t cap;
    bool sort_keys;
    unsigned scene; /* the roots of a template for scenes, as bits; 0: it is none */
    struct select selects[ORIGINS];
    struct span *values[ORIGINS]; /* a slot each; of FROM_INPUT, but for scenes, template_bind's */
    struct buf scratch;
    struct arena arena; /* for what is computed for one item */
};

#endif
