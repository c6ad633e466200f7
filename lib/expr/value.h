/*
 * value.h: what expressions compute with: JSON values as text.
 *
 * A value is the span of its JSON text, so that one which is only moved keeps its
 * bytes and a number keeps its digits.  It is decoded only where an operator or a
 * function looks into it.  Numbers are compared exactly, whatever their length.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_VALUE_H
#define FANLINE_EXPR_VALUE_H

#include "base/arena.h"
#include "base/span.h"
#include "json/walk.h"

#include <stdbool.h>
#include <stdint.h>

#define VALUE_DEPTH_MAX 1000 /* value_equal looks no deeper */

/* JSON texts of the constants. */
struct span value_bool(bool truth);
struct span value_null(void);

/* The JSON text of an integer, in A. */
struct span value_integer(struct arena *a, int64_t n);

/* The JSON string for TEXT (UTF-8), in A. */
struct span value_string(struct arena *a, struct span text);

/* The text that the JSON string V stands for, in A or in V itself. */
struct span value_text(struct arena *a, struct span v);

static inline bool value_is(struct span v, enum scan_kind kind)
{
    return walk_kind(v) == kind;
}

/* The 64-bit integer that the number V is; false if it is no integer (1.0 and 1e2 are) or too
 * large. */
bool value_to_integer(struct span v, int64_t *out);

/* -1, 0 or 1 as the JSON number A is less than, equal to or greater than B: exact. */
int value_compare_numbers(struct span a, struct span b);

/*
 * Are A and B the same value?  Numbers by value (1 is 1.0), strings by text, arrays element by
 * element, objects member by member in any order.  Values of different kinds never are.  0 or 1, or
 * -1 if they nest deeper than VALUE_DEPTH_MAX.
 */
int value_equal(struct arena *a, struct span x, struct span y);

/* What kind V is, for messages: "a number", "an array". */
const char *value_kind_name(struct span v);

#endif
