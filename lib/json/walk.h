/*
 * walk.h: find values in JSON text that is known to be valid.
 *
 * Works on spans that scan has checked: it does not check again and may read
 * nonsense, but never outside the span, where the text is not valid.  Nothing is
 * copied; every span lies in the text it was found in.
 *
 * Floor: services.
 */
#ifndef FANLINE_JSON_WALK_H
#define FANLINE_JSON_WALK_H

#include "base/span.h"
#include "json/scan.h"
#include "json/seams.h"

#include <stdbool.h>
#include <stdint.h>

/* The kind of the value that begins at the first byte that is no white space. */
enum scan_kind walk_kind(struct span value);

static inline bool walk_is_space(char c)
{
    return c <= ' ' && (c == ' ' || c == '\n' || c == '\r' || c == '\t');
}

/* VALUE without white space around it. */
static inline struct span walk_trim(struct span value)
{
    while (value.len > 0 && walk_is_space(value.at[0])) {
        value.at++;
        value.len--;
    }
    while (value.len > 0 && walk_is_space(value.at[value.len - 1])) {
        value.len--;
    }
    return value;
}

/* One after the other the members of an object or the elements of an array. */
struct walk {
    const char *at;
    const char *end;
    struct span key;         /* with its quotes; empty in an array */
    struct span value;       /* no white space around it */
    struct seams_view seams; /* of the container; none: the ends of its members are looked for */
    const char *limit;       /* END or behind it: so far a look ahead may go */
};

/* Begin with CONTAINER, an object or an array; any other kind has no members. */
struct walk walk_into(struct span container);

/*
 * Begin with VALUE, around which there is no white space and which lies in OUTER: quicker than
 * walk_into where it is short.
 */
static inline struct walk walk_within(struct span value, struct span outer)
{
    if (value.len < 2 || (value.at[0] != '{' && value.at[0] != '[')) {
        return (struct walk){0};
    }
    return (struct walk){
        .at = value.at, .end = value.at + value.len - 1, .limit = outer.at + outer.len};
}

/*
 * Begin with CONTAINER, of which all of SEAMS is known (none may be: then as walk_into).
 */
struct walk walk_along(struct span container, struct seams_view seams);

/* The same as walk_next where W has a container and its seams: nothing has to be looked for. */
__attribute__((always_inline)) static inline bool walk_next_sewn(struct walk *w)
{
    struct seams_view *s = &w->seams;
    const size_t each = *w->end == '}' ? 2 : 1;
    const char *at = w->at + 1;
    if (s->count < each) {
        w->at = w->end;
        return false;
    }
    s->count -= each;
    w->key = (struct span){0};
    if (each == 2) {
        const char *colon = s->text + *s->at++;
        w->key = span_of(at, (size_t)(colon - at));
        at = colon + 1;
    }
    w->at = s->text + *s->at++;
    w->value = span_of(at, (size_t)(w->at - at));
    return true;
}

/* The next member or element in w->key, w->value; false after the last. */
bool walk_next(struct walk *w);

/* Is the JSON string KEY, with its quotes, NAME? Escapes in KEY are decoded. */
bool walk_key_is(struct span key, struct span name);

/*
 * The member NAME of OBJECT.  Of several with that name the last counts (the rule of fanline
 * wherever a name is looked up).  False if there is none or OBJECT is no object.
 */
bool walk_member(struct span object, struct span name, struct span *value);

/* Element INDEX, from 0, of ARRAY. */
bool walk_element(struct span array, uint64_t index, struct span *value);

#endif
