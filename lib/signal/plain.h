/*
 * plain.h: texts of others, made fit for a terminal.
 *
 * Inside the room signal only.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_PLAIN_H
#define FANLINE_SIGNAL_PLAIN_H

#include "base/buf.h"
#include "base/span.h"

#include <stddef.h>

/*
 * Add TEXT to B.  What would move the cursor, change colours or the order of characters, or not be
 * seen at all, is spelled out: \n, \t, \r, \x1b, \u202e; so are bytes that are not UTF-8: \xff.
 */
void plain_add(struct buf *b, struct span text);

/* The columns that TEXT, made by plain_add, takes on a terminal. */
size_t plain_width(struct span text);

#endif
