/*
 * count.h: how many items there are, before any leaves.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_COUNT_H
#define FANLINE_SOURCE_COUNT_H

#include "base/err.h"
#include "source/split.h"

#include <stddef.h>

/*
 * Read all PLACES, regular files or "-" for a standard input that is one, to their end without
 * letting anything leave.  Then s->total is known, each item will state it where fragment members
 * are added, and the file of --original is there.  What would be refused ends the count, or with a
 * rejects file is passed over.  To be called once, before the first source.  0, or -1 with E
 * filled: ERR_USAGE where a place cannot be read twice.
 */
int split_count(struct split *s, const char *const *places, size_t count, struct err *e);

#endif
