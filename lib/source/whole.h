/*
 * whole.h: small documents, held whole, and their members.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_WHOLE_H
#define FANLINE_SOURCE_WHOLE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "io/reader.h"

#include <stdbool.h>
#include <stdint.h>

#define WHOLE_MAX ((size_t)256 << 20) /* bytes */

/* Read R to its end into B: a JSON object. 0, or -1 with E filled. */
int whole_read(struct buf *b, struct reader *r, uint64_t max_depth, struct err *e);

/* The text of the member NAME of OBJECT, to be freed; NULL: it is not there, or no string. */
char *whole_text(struct span object, const char *name);

/* The whole number that is the member NAME of OBJECT. False: it is not there, or no such number. */
bool whole_number(struct span object, const char *name, uint64_t *number);

#endif
