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
#include "source/header.h"
#include "source/types.h"

#include <stdbool.h>
#include <stddef.h>

/* Owns its memory. */
struct columns {
    size_t count;
    struct buf heads; /* {"a":" ,"b":" ,"c":" one behind the other */
    size_t *ends;     /* of each in `heads` */
    struct type *types;
    size_t cap;
    bool typed; /* some are no TYPE_TEXT */
};

/*
 * Take NAMES, replacing what was there, and the types that TYPES gives them.  A name that is empty
 * or comes twice, unless RULES know what to do, or that is no UTF-8 is an error (ERR_DATA, no
 * position) that says in which columns; a type for a name that is not there too.  0, or -1 with E
 * filled.
 */
int columns_set(struct columns *c, const struct span *names, size_t count,
                const struct header_rules *rules, const struct types *types, struct err *e);

/* Take names from TEXT, one CSV record with commas. 0, or -1 with E filled (ERR_USAGE). */
int columns_parse(struct columns *c, struct span text, const struct header_rules *rules,
                  const struct types *types, struct err *e);

/*
 * What stands before value INDEX, a string, of an object: the punctuation, the name and the opening
 * quote.
 */
static inline struct span columns_head(const struct columns *c, size_t index)
{
    size_t from = index ? c->ends[index - 1] : 0;
    return span_of(c->heads.at + from, c->ends[index] - from);
}

/* Let column INDEX have TYPE. */
void columns_type(struct columns *c, size_t index, struct type type);

/* Has a column the name that the JSON string NAME is? */
bool columns_have(const struct columns *c, struct span name);

void columns_release(struct columns *c);

#endif
