/*
 * node.h: the inside of an expression: a tree of operations.
 *
 * For parse.c, eval.c and the function tables only.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_NODE_H
#define FANLINE_EXPR_NODE_H

#include "expr/expr.h"
#include "expr/value.h"

enum node_kind {
    NODE_CONSTANT, /* value */
    NODE_PATH,     /* path */
    NODE_CALL,     /* function, children */
    NODE_ARRAY,    /* children */
    NODE_OBJECT,   /* children: name, value, name, value … */
    NODE_NOT,
    NODE_MINUS,
    NODE_OR,
    NODE_AND,
    NODE_EQUAL,
    NODE_UNEQUAL,
    NODE_LESS,
    NODE_LESS_EQUAL,
    NODE_GREATER,
    NODE_GREATER_EQUAL,
    NODE_IN
};

struct call;

/* Compute RESULT from the values in CALL; 0, or -1 after call_fail. */
typedef int function_fn(struct call *call, struct span *result);

struct function {
    const char *name;
    int min;
    int max; /* arguments; -1: any number */
    function_fn *fn;
};

struct node {
    enum node_kind kind;
    size_t at; /* of its first character in the expression */
    struct span value;
    size_t path;
    const struct function *function;
    struct node *child; /* the first one */
    struct node *next;  /* its next sibling */
    size_t count;       /* children */
};

struct expr {
    struct arena arena; /* of nodes and constants */
    char *text;
    struct node *root;
    struct path *paths;
    size_t path_count;
    size_t path_cap;
};

/* A function at work. */
struct call {
    const struct node *node;
    const struct expr *expr;
    const struct span *args;
    size_t count;
    struct arena *arena;
    struct err *err;
};

/* The function NAME, or NULL.  Those that code, hash and match are in coding.c. */
const struct function *function_find(struct span name);
const struct function *function_find_coding(struct span name);

/* Fill E for the node at hand: "expression 'TEXT': NAME at character N: …". Returns -1. */
int call_fail(const struct call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
