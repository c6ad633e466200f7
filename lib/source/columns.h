/*
 * columns.h: the names of a table's columns, as the members they become.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_COLUMNS_H
#define FANLINE_SOURCE_COLUMNS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "io/writer.h"

#include <stddef.h>

/* Owns its memory. */
struct columns {
    size_t count;
    struct buf text; /* {"a": ,"b": ,"c": one behind the other */
    size_t *ends;    /* of each in `text` */
    size_t cap;
};

/*
 * Take NAMES, replacing what was there. A name that is empty, comes twice or is no UTF-8 is an
 * error (ERR_DATA, no position) that says in which columns.  0, or -1 with E filled.
 */
int columns_set(struct columns *c, const struct span *names, size_t count, struct err *e);

/* Take names from TEXT, one CSV record with commas. 0, or -1 with E filled (ERR_USAGE). */
int columns_parse(struct columns *c, struct span text, struct err *e);

/* What stands before value INDEX of an object: its name and the punctuation around it. */
static inline struct span columns_head(const struct columns *c, size_t index)
{
    size_t from = index ? c->ends[index - 1] : 0;
    return span_of(c->text.at + from, c->ends[index] - from);
}

void columns_release(struct columns *c);

#endif
