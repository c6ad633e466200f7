/*
 * announce.h: ids of entries that have changed, on their way to those who wait.
 *
 * An announcement is one or several of LENGTH:ID LF, one behind the other; what is cut off, or
 * stands in the middle of something else, is noticed.  entry.lua makes the same.
 *
 * Inside the room store only.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_ANNOUNCE_H
#define FANLINE_STORE_ANNOUNCE_H

#include "base/buf.h"
#include "base/span.h"

#include <stdbool.h>

void announce_add(struct buf *out, struct span id);

/*
 * Call TELL for each id at the front of TEXT that is there as a whole, and leave in *REST what
 * follows.  False: what follows is no announcement, nor the beginning of one.
 */
bool announce_read(struct span text, void (*tell)(void *context, struct span id), void *context,
                   struct span *rest);

#endif
