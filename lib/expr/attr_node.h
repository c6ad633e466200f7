/*
 * attr_node.h: the inside of an attribute template: pieces, chains, steps.
 *
 * A template is a row of pieces, each a constant text or an expression.  An expression is a head
 * (an attribute, a constant) and steps, the functions that are applied to it one after the other;
 * arguments are nodes again.  It is walked step by step, so that a long chain needs no deep stack;
 * how deep expressions lie in each other is limited when they are parsed.
 *
 * For the files attr*.c only.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_ATTR_NODE_H
#define FANLINE_EXPR_ATTR_NODE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "expr/attr.h"
#include "expr/attr_date.h"
#include "expr/attr_datum.h"
#include "pattern/regex.h"

#include <stdbool.h>

#define ATTR_NESTING_MAX  100                /* expressions in expressions */
#define ATTR_EVALUATE_MAX 10                 /* evaluateELString in evaluateELString */
#define ATTR_TEXT_MAX     ((size_t)64 << 20) /* bytes that repeat or padLeft may make of a few */

enum attr_kind {
    ATTR_CONSTANT, /* value */
    ATTR_NAME,     /* the attribute `name` */
    ATTR_NAMED_BY, /* the attribute whose name `child` gives */
    ATTR_JOIN,     /* the texts of the children in one: '…${a}…' */
    ATTR_CHAIN,    /* `child`, perhaps NULL, and then the steps */
    ATTR_OVER      /* steps for each of several values: the first one says which */
};

struct attr_node {
    enum attr_kind kind;
    size_t at; /* offset in the template's text */
    struct datum value;
    struct span name;             /* with a NUL behind it */
    struct regex *regex;          /* of a constant that is a pattern; owned by the template */
    const struct date_zone *zone; /* of a constant that is a time zone */
    struct attr_node *child;
    struct attr_step *steps;
    struct attr_node *next; /* sibling */
};

struct attr_function;

/* A function, applied to the value so far. */
struct attr_step {
    const struct attr_function *function;
    size_t at;
    struct attr_node *args;
    size_t count;
    bool begins; /* it begins an expression, for no value */
    struct attr_step *next;
};

struct attr_template {
    char *text;
    size_t len;
    struct attr_rules rules;
    struct arena nodes; /* nodes, steps, and the constants in them */
    struct attr_node *pieces;
    struct regex **regexes;
    size_t regex_count;
    size_t regex_cap;
    attr_outside_fn *outside;
    void *context;
    struct attr_scratch *scratch;
};

/* What is used while a line is evaluated, and again for the next one. */
struct attr_scratch {
    struct arena arena;
    struct buf buf;
};

/* Values that one expression is applied to. */
struct attr_list {
    struct datum *items; /* in the arena of the run */
    size_t count;
    size_t cap;
};

/* An evaluation under way. */
struct attr_run {
    const struct attr_template *t;
    struct span line;
    struct arena *arena; /* of values */
    struct buf *buf;     /* for a function to build its result in, between evaluating arguments */
    struct attr_list
        *list; /* for the functions at both ends of ATTR_OVER, for them to take; or NULL */
    int depth; /* of evaluateELString */
    struct err *err;
};

/* A function at work. */
struct attr_call {
    struct attr_run *run;
    const struct attr_step *step;
};

/* *V is the subject (null where there is none) and becomes the result. 0, or -1 after attr_fail. */
typedef int attr_fn(struct attr_call *c, struct datum *v);

/*
 * What functions take and give: 's' any value, as text; 'n' a number or date; 'b' a truth value;
 * 'a' any value as it is.  A number is never taken for a truth value, nor the other way round.  For
 * arguments also: 'w' a pattern for a whole text, 'p' one for a part, 'r' one to be replaced, 'h'
 * the name of a digest, 'j' a path into JSON, 'z' a time zone.
 */
struct attr_function {
    const char *name;
    int min;
    int max;          /* arguments; -1: any number */
    char subject;     /* 0: has none and begins an expression; '?': with or without */
    const char *args; /* what each must be; the last letter holds for those behind it */
    char gives;
    unsigned flags;
    attr_fn *fn; /* NULL: a name that NiFi reserves and fanline does not offer */
};

enum {
    ATTR_IMPURE = 1, /* not the same every time, or not of its arguments alone */
    ATTR_ANY = 2,    /* the steps that follow are asked of several values: is one true? */
    ATTR_ALL = 4,    /* … are all? */
    ATTR_REDUCES = 8 /* makes one value of those: count, join */
};

/* The function NAME, or NULL. */
const struct attr_function *attr_function_find(struct span name);

/* ---- attr_parse.c ---- */

/* Parse T's text into its pieces. 0, or -1 with E filled (ERR_USAGE). */
int attr_parse(struct attr_template *t, struct err *e);

/* ---- attr_scan.c ---- */

/*
 * TEXT begins with the '{' of an expression.  Returns the offset of the '}' that ends it, or 0 if
 * there is none.  *OPEN_QUOTE tells if that is because a quote is not closed.
 */
size_t attr_find_end(struct span text, bool *open_quote);

/*
 * The quoted string that TEXT begins with: its length with both quotes, or 0 if it is not closed.
 * Its text is added to OUT, with each backslash that stays doubled: attr_single halves them.  Under
 * NIFI only those of "\\" are doubled; what that does to '\${…}' is in attr_single.
 */
size_t attr_unquote(struct span text, bool nifi, struct buf *out);

/* Halve the backslashes of TEXT in place, where one at the end is lost; returns the new length. */
size_t attr_single(char *text, size_t len);

/* The bare word that TEXT begins with: its length. */
size_t attr_word_length(struct span text);

/* Is WORD a number (1) as an expression writes it, into *OUT; does it only begin like one (-1)? */
int attr_word_number(struct span word, struct datum *out);

/* ---- attr_eval.c ---- */

int attr_node_eval(struct attr_run *r, const struct attr_node *n, struct datum *out);

/* Apply one step to *V. */
int attr_step_eval(struct attr_run *r, const struct attr_step *s, struct datum *v);

/*
 * The attribute NAME (with a NUL behind it) of the line, or what there is outside; null if neither.
 * 0, or -1 with the error set: what is outside is not UTF-8.
 */
int attr_lookup(struct attr_run *r, struct span name, struct datum *out);

/* Add the text of all pieces to OUT; *MISSING: one of them was null. */
int attr_pieces_eval(struct attr_run *r, struct buf *out, bool *missing);

/* ---- attr_over.c ---- */

/* The value of an ATTR_OVER. */
int attr_over_eval(struct attr_run *r, const struct attr_node *n, struct datum *out);

/* ---- for functions: what they ask of their arguments (attr_eval.c) ---- */

/* Is argument I there? */
bool attr_has_arg(const struct attr_call *c, size_t i);

/* Argument I, counted from 0, as it is. An argument that is not there is null. */
int attr_arg(struct attr_call *c, size_t i, struct datum *d);

/* Argument I as text; at is NULL where it is null. */
int attr_arg_text(struct attr_call *c, size_t i, struct span *text);

/* D or argument I as a whole number, decimals cut: 1, or 0 if it is none, or -1 with the error set.
 */
int attr_whole(struct attr_call *c, const struct datum *d, int64_t *n);
int attr_arg_whole(struct attr_call *c, size_t i, int64_t *n);

/*
 * D as a number.  One beyond 64 bits is an error under nifi; else it is handed on where
 * BIG is true.
 */
int attr_number(struct attr_call *c, const struct datum *d, bool big, struct number *n);

/* Is this evaluated as NiFi does it? */
bool attr_is_nifi(const struct attr_call *c);

/*
 * An argument that is null, where THERE says so, is an error for NiFi (it crashes), though a value
 * otherwise. 0, or -1 with the error set.
 */
int attr_no_null(struct attr_call *c, size_t i, bool there);

/* The text of subject V, NULL where it is null. */
struct span attr_subject(struct attr_call *c, const struct datum *v);

/* An empty buf to build a result in; arguments must have been asked for before. */
struct buf *attr_buf(struct attr_call *c);

/* The text in attr_buf becomes the result. */
int attr_give(struct attr_call *c, struct datum *v);

/* The same for bytes that may be no text: those are an error, and U+FFFD for NiFi. */
int attr_give_bytes(struct attr_call *c, struct datum *v);

/*
 * The pattern that argument I is, for USE.  NULL where it is null.  One that is no constant is
 * compiled here, and *OWN is then the same and for the caller to free; else *OWN is NULL.
 */
int attr_arg_regex(struct attr_call *c, size_t i, enum regex_use use, const struct regex **regex,
                   struct regex **own);

/* The time zone that argument I is, if it is constant; else NULL. */
const struct date_zone *attr_arg_zone(const struct attr_call *c, size_t i);

/* As regex_matches; the error names the expression too. */
int attr_matches(struct attr_call *c, const struct regex *regex, struct span text);

/* Fill the error: "expression 'TEXT': NAME: … at character N". Returns -1. */
int attr_fail(struct attr_call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
