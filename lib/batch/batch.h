/*
 * batch.h: group items, in order, as many as the limits allow.
 *
 * A batch leaves as one line, {"BatchInput":X,"Items":[…]}, or {"Items":[…]} where no
 * BatchInput is configured.  The items are copied once, into the writer; a batch is
 * committed when it is closed.
 *
 * The byte rule (reference/distributed-map.md 1.5) is CloudFlow's unless BATCH_EXACT is
 * asked for: the compact JSON of the batch with both members always counted,
 * {"BatchInput":X,"Items":[…]}, X being null where none is configured, may have at
 * most max_bytes bytes.  BATCH_EXACT counts the line that leaves, without its LF.
 *
 * Floor: engines. Owns its memory; the writer is borrowed.
 */
#ifndef FANLINE_BATCH_BATCH_H
#define FANLINE_BATCH_BATCH_H

#include "base/err.h"
#include "base/span.h"
#include "io/writer.h"

#include <stdbool.h>
#include <stdint.h>

#define BATCH_LEVELS 2 /* how much deeper an item lies in a batch */

enum batch_count { BATCH_CLOUDFLOW, BATCH_EXACT };

/* What becomes of an item that fits in no batch. */
enum batch_oversize {
    BATCH_FAIL,  /* batch_add fails */
    BATCH_ALONE, /* it leaves in a batch of its own, which is over the limit */
};

struct batch_rules {
    uint64_t max_items; /* 0: no limit */
    uint64_t max_bytes; /* 0: no limit; at least one of the two is needed */
    enum batch_count count;
    enum batch_oversize oversize;
    struct span input; /* the JSON text of BatchInput; len 0: none. Borrowed. */
};

struct batch {
    struct batch_rules rules;
    struct writer *out;
    uint64_t fixed;   /* bytes of a batch without items, by the rule */
    uint64_t items;   /* in the open batch */
    uint64_t bytes;   /* of the open batch, by the rule */
    uint64_t batches; /* closed so far */
};

void batch_init(struct batch *b, const struct batch_rules *rules, struct writer *out);

/*
 * Add ITEM, compact JSON; closes the open batch first if it would get too large, and afterwards if
 * it has room for nothing more.  Returns 0, or -1 with E filled (ERR_DATA) when ITEM cannot fit
 * alone; the open batch is then as it was.
 */
int batch_add(struct batch *b, struct span item, struct err *e);

/* Close the open batch, if it holds anything: it may leave. */
void batch_close(struct batch *b);

#endif
