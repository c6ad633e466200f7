/*
 * stamp.h: times of objects as listings state them.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_STAMP_H
#define FANLINE_OBJECT_STAMP_H

#include "base/buf.h"
#include "base/span.h"

#include <time.h>

/*
 * Add TEXT, RFC 3339 in UTC, without the zeros at the end of its fraction: "…05.120Z" becomes
 * "…05.12Z", "…05.000Z" becomes "…05Z".  Anything else stays as it is.
 */
void stamp_normalise(struct span text, struct buf *out);

/* Add T, of the real clock, as such a text with up to nine decimals. */
void stamp_put(struct timespec t, struct buf *out);

#endif
