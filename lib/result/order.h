/*
 * order.h: texts that arrive in any order leave in the order of their numbers.
 *
 * Records come nearly in order: what is early by a few places waits in memory, up to
 * a limit; what does not fit there waits on disk (spill.h).  So memory is bounded whatever
 * the order, and nothing is lost or sorted twice.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_ORDER_H
#define FANLINE_RESULT_ORDER_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "result/spill.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER_WINDOW 4096                /* places ahead that may wait in memory */
#define ORDER_MEMORY (UINT64_C(8) << 20) /* bytes that may wait in memory */

/* Where texts go when it is their turn. Returns 0, or -1 with E filled: stop. */
typedef int order_emit(void *context, struct span text, struct err *e);

struct order {
    order_emit *emit;
    void *context;
    bool withheld;      /* nothing leaves before order_finish */
    uint64_t next;      /* whose turn it is */
    struct buf *early;  /* ORDER_WINDOW places, by index; NULL until needed */
    uint64_t in_memory; /* bytes there */
    struct spill spill;
    struct buf taken; /* a text back from disk */
};

/* Start with index 0; temporary files go into FOLDER, which is borrowed. */
void order_init(struct order *o, order_emit *emit, void *context, const char *folder);

/*
 * TEXT, which is not empty, has the place INDEX; no place may be given twice.  Lets out what has
 * its turn now.  Returns 0, or -1 with E filled.
 */
int order_put(struct order *o, uint64_t index, struct span text, struct err *e);

/* There will be no more: let the rest out, in order; places never given are passed over. */
int order_finish(struct order *o, struct err *e);

void order_release(struct order *o);

#endif
