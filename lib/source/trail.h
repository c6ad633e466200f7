/*
 * trail.h: how the steps of an items path fit the document, and what to say where they don't.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_TRAIL_H
#define FANLINE_SOURCE_TRAIL_H

#include "base/err.h"
#include "expr/path.h"
#include "json/scan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is a value of kind KIND one that step S can lead into? Tokens of a JSON Pointer fit both. */
bool trail_enters(const struct path *p, const struct path_step *s, enum scan_kind kind);

/* Does step S lead to element INDEX of an array? */
bool trail_element(const struct path *p, const struct path_step *s, uint64_t index);

/*
 * The first errors of E (ERR_DATA, no position) name the place in the document: "$Input.a[0]" for
 * COUNT steps. Each returns -1.  ARRAY_ONLY: an object will not do either.
 */
int trail_not_items(const struct path *p, size_t count, enum scan_kind kind, bool array_only,
                    struct err *e);
int trail_no_entry(const struct path *p, size_t count, enum scan_kind kind, struct err *e);
int trail_twice(const struct path *p, size_t count, struct err *e);
int trail_missing(const struct path *p, size_t count, struct err *e);

/* "an array", "null": a kind of value, for messages. */
const char *trail_kind(enum scan_kind kind);

#endif
