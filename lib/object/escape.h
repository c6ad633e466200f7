/*
 * escape.h: percent escapes in the one spelling that signatures are computed over.
 *
 * RFC 3986: A-Z a-z 0-9 - . _ ~ stay, every other byte becomes %XX with upper-case digits.  Both S3
 * and OSS sign what is sent in this spelling (reference/distributed-map.md 5.1), so a request
 * is written in it from the start.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_ESCAPE_H
#define FANLINE_OBJECT_ESCAPE_H

#include "base/buf.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

/* Add S, escaped; "/" stays if SLASHES. */
void escape_put(struct buf *out, struct span s, bool slashes);

/*
 * Add what S stands for; "+" is a space (listings with encoding-type=url).  False: an escape is
 * broken.
 */
bool escape_undo(struct buf *out, struct span s);

/* A part of a query. */
struct escape_pair {
    const char *name;
    struct span value;
};

/*
 * Add PAIRS as a query without its "?", in the order of their names, which are unreserved
 * characters.  A pair without a value is "name=", or "name" if BARE.  Sorts PAIRS.
 */
void escape_query(struct buf *out, struct escape_pair *pairs, size_t count, bool bare);

#endif
