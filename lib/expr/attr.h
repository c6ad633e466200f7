/*
 * attr.h: texts with the attributes of a line in them: "run-${id:toUpper()}".
 *
 * The attributes of a line are the members of its object: strings as they are, numbers and
 * booleans as their text, null as missing, objects and arrays as compact JSON (a line
 * that is no object has none).  A name that is no attribute is asked for outside, which
 * is the environment in the programs.  The notation is that of NiFi's Expression
 * Language (reference/wait-notify.md 5): any number of ${name}, ${'any name'},
 * ${name:function(arguments):…} in literal text; "$$" before "{" is one literal "$".  What the
 * functions do is said in the manual page fanline-expressions(7), and where fanline differs from
 * NiFi.
 *
 * A template is parsed once; what in it does not depend on the line is computed then.  It may be
 * used by one thread at a time.
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

/* All zero: fanline's own rules. */
struct attr_rules {
    /*
     * As NiFi has it, where fanline is friendlier otherwise: names of functions are reserved,
     * arithmetic wraps around, bad patterns are found late, its scanner's quirks.
     */
    bool nifi;
};

/*
 * Compile TEXT under RULES. 0 and *OUT, which attr_free frees; -1 with E filled (ERR_USAGE): the
 * message quotes TEXT and names the character.
 */
int attr_compile_with(struct attr_template **out, struct span text, const struct attr_rules *rules,
                      struct err *e);

/* The same for a C string, by fanline's own rules. */
int attr_compile(struct attr_template **out, const char *text, struct err *e);

/* Where names are asked for that are no attributes. */
void attr_outside(struct attr_template *t, attr_outside_fn *fn, void *context);

/* Does it give the same text for every line, without looking at it? */
bool attr_is_constant(const struct attr_template *t);

/*
 * Replace OUT's bytes by the text for LINE, which is valid JSON.  *MISSING (may be NULL) tells
 * whether an expression had no value (a name without one, or a function of it); it counts as empty
 * text. Returns 0, or -1 with E filled (ERR_DATA): the message quotes the template's text.
 */
int attr_eval(const struct attr_template *t, struct span line, struct buf *out, bool *missing,
              struct err *e);

/* Add the text of the JSON value VALUE as an attribute to OUT; false if it is null: missing. */
bool attr_value(struct span value, struct buf *out);

void attr_free(struct attr_template *t);

#endif
