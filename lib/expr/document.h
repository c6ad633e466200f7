/*
 * document.h: the few values that are needed of a large document.
 *
 * The document of -i may be far larger than what an expression asks of it.  It is read
 * once, checked from end to end, and only the values that the selection leads to are
 * kept, compact and with their exact bytes.
 *
 * Floor: engines (expr). A document owns its bytes and values.
 */
#ifndef FANLINE_EXPR_DOCUMENT_H
#define FANLINE_EXPR_DOCUMENT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "expr/select.h"
#include "io/reader.h"

#include <stdint.h>

struct document {
    struct buf bytes;
    struct span *values; /* one a slot of the selection; a NULL pointer where there is nothing */
};

/*
 * Read R to its end as one JSON document and keep what S leads to.  Returns 0, or -1 with E filled
 * (with position) and D empty.
 */
int document_read(struct document *d, const struct select *s, struct reader *r, uint64_t max_depth,
                  struct err *e);

void document_release(struct document *d);

#endif
