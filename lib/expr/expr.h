/*
 * expr.h: expressions over JSON values, in CloudFlow's notation.
 *
 *     $Input.Key > 4 && !("x" in $Item.tags)      format("{}-{}", $Item.a, length($Item.b))
 *
 * Operators, from the weakest: ||  &&  == != > >= < <= in  and the prefixes ! and -.
 * Constants: "text" (JSON escapes), `text` (as it is), 'text' (\' and \\), numbers, true, false,
 * null, and arrays and objects of expressions.  Functions: the table in functions.c; those of the
 * Amazon States Language are taken where they mean the same
 * (reference/distributed-map.md 1.9, 2.12).
 *
 * An expression is parsed once and evaluated for each item.  It does not look values up
 * itself: it lists the paths it wants, and is given their values.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_EXPR_H
#define FANLINE_EXPR_EXPR_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"
#include "expr/path.h"

#include <stddef.h>

#define EXPR_CALLS_MAX     10   /* functions within functions: CloudFlow's limit */
#define EXPR_NESTING_MAX   200  /* parentheses and literals within each other */
#define EXPR_OPERATORS_MAX 1000 /* in all: evaluation recurses along them */

struct expr;

/*
 * Parse TEXT.  Returns 0 and *OUT, which expr_free frees, or -1 with E filled (ERR_USAGE): the
 * message quotes the expression and names the character.
 */
int expr_compile(struct expr **out, struct span text, struct err *e);

/* The paths whose values the expression wants, in the order in which they stand in it. */
size_t expr_path_count(const struct expr *x);
const struct path *expr_path(const struct expr *x, size_t i);

/* The text that was compiled, as a C string; owned by X. */
const char *expr_text(const struct expr *x);

/* If the expression is nothing but one path, which is then only moved: true. */
bool expr_is_path(const struct expr *x);

/*
 * The value of X.  VALUES has a JSON value for each path, with a NULL pointer where it leads
 * nowhere: null if the path is optional, else an error when it is needed.  *RESULT lies in VALUES'
 * texts, in X or in A.  Returns 0, or -1 with E filled (ERR_DATA; the message quotes the
 * expression).
 */
int expr_eval(const struct expr *x, const struct span *values, struct arena *a, struct span *result,
              struct err *e);

void expr_free(struct expr *x);

#endif
