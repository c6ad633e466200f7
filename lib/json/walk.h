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

/* VALUE without white space around it. */
struct span walk_trim(struct span value);

/* One after the other the members of an object or the elements of an array. */
struct walk {
    const char *at;
    const char *end;
    struct span key;         /* with its quotes; empty in an array */
    struct span value;       /* no white space around it */
    struct seams_view seams; /* of the containers that come; none: their ends are looked for */
};

/* Begin with CONTAINER, an object or an array; any other kind has no members. */
struct walk walk_into(struct span container);

/*
 * Begin with CONTAINER, of which all of SEAMS is known (none may be: then as walk_into).
 */
struct walk walk_along(struct span container, struct seams_view seams);

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
