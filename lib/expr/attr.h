/*
 * attr.h: texts with the attributes of a line in them: "run-${id}".
 *
 * The attributes of a line are the members of its object: strings as they are, numbers and
 * booleans as their text, null as missing, objects and arrays as compact JSON (a line
 * that is no object has none).  A name that is no attribute is asked for outside, which
 * is the environment in the programs.  The notation is that of NiFi's Expression
 * Language (reference/wait-notify.md 5): any number of ${name} or ${'any name'} in
 * literal text; "$$" before "{" is one literal "$".
 *
 * Floor: engines (expr is used by the engines beside it).
 */
#ifndef FANLINE_EXPR_ATTR_H
#define FANLINE_EXPR_ATTR_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>

struct attr_template;

/* The value of NAME outside the line, NUL-terminated and borrowed; NULL if there is none. */
typedef const char *attr_outside_fn(void *context, const char *name);

/* Compile TEXT. 0 and *OUT, which attr_free frees; -1 with E filled (ERR_USAGE). */
int attr_compile(struct attr_template **out, const char *text, struct err *e);

/* Where names are asked for that are no attributes. */
void attr_outside(struct attr_template *t, attr_outside_fn *fn, void *context);

/* Is there no ${…} in it: does it give the same text for every line? */
bool attr_is_constant(const struct attr_template *t);

/*
 * Replace OUT's bytes by the text for LINE, which is valid JSON.  *MISSING (may be NULL) tells whether
 * a name had no value; it counts as empty text.  Returns 0, or -1 with E filled (ERR_DATA).
 */
int attr_eval(const struct attr_template *t, struct span line, struct buf *out, bool *missing,
              struct err *e);

/* Add the text of the JSON value VALUE as an attribute to OUT; false if it is null: missing. */
bool attr_value(struct span value, struct buf *out);

void attr_free(struct attr_template *t);

#endif
