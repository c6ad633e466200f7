/*
 * notify.h: signal for lines, and pass them on when the store has it.
 *
 * A line is evaluated when it is added, sent with the others of its batch, and written to the
 * output only after the store has answered; so what leaves has been signalled.  How
 * lines fall into batches makes no difference to the counts: deltas are applied one by one, in
 * order (reference/wait-notify.md 2.2 and D26 to D28 tell what NiFi does instead).
 *
 * A line whose id is blank, whose delta or target is no whole number, or whose delta would
 * overflow its counter, goes to the failure output, byte for byte, and signals nothing.
 *
 * Floor: engines. Templates, writers and the store are borrowed.
 */
#ifndef FANLINE_SIGNAL_NOTIFY_H
#define FANLINE_SIGNAL_NOTIFY_H

#include "expr/attr.h"
#include "io/writer.h"
#include "pattern/regex.h"
#include "signal/ids.h"
#include "store/store.h"
#include "json/lines.h"

#include <stdbool.h>
#include <stdint.h>

struct notify_rules {
    const struct attr_template *id; /* NULL: `literal` */
    struct span literal;
    const struct attr_template *counter; /* empty text: "default" */
    const struct attr_template *delta;   /* NULL: 1 */
    const struct attr_template *once;    /* NULL: no idempotency key; empty text: none */
    const struct attr_template *target;  /* states the target; NULL: states none */
    bool clear;                          /* set the counter to 0 instead of adding */
    bool no_signal;                      /* only state the target and the attributes */
    const struct regex *cached;          /* names of attributes of the line; NULL: none */
    const struct store_attribute *set;   /* stated outright; after those of the line */
    size_t set_count;
    int64_t ttl;         /* as in store_batch */
    size_t buffer;       /* lines of one store call, from 1 on */
    int64_t patience;    /* how long a store that is not reachable is tried (ns); < 0: for ever */
    bool fail_in_outage; /* then the lines fail, instead of the run */
    bool remember_ids;   /* for notify_finish */
    struct writer *out;  /* lines passed on; NULL: none */
    struct writer *failure;                             /* NULL: none */
    void (*report)(void *context, const struct err *e); /* what does not end the run; may be NULL */
    void (*passed)(void *context,
                   uint64_t lines); /* how many lines have been passed on; may be NULL */
    void *context;
};

struct notify {
    struct notify_rules rules;
    struct store *store;
    struct notify_line *lines; /* of the batch; more are kept for reuse */
    size_t pending;
    size_t made; /* of lines */
    uint64_t batches;
    struct ids seen;
    struct buf value;
    const struct lines_in *in; /* gives positions to messages; NULL: none */
    uint64_t passed;           /* lines written to out */
    uint64_t failed;           /* lines that went to failure */
};

void notify_init(struct notify *n, struct store *store, const struct notify_rules *rules);

/*
 * Add ITEM, valid compact JSON; RAW is the line as it came.  Sends the batch when it is full.  What
 * is wrong with the line itself is reported and makes it fail.  Returns 0, or -1 with E filled when
 * the store cannot be used.
 */
int notify_add(struct notify *n, struct span item, struct span raw, struct err *e);

/* Send what was added since the last time. Returns 0, or -1 with E filled. */
int notify_send(struct notify *n, struct err *e);

/*
 * Add the lines of IN up to its end.  Before it waits for the next line it sends what it has.  With
 * remember_ids it ends with notify_finish.  Returns 0, or -1 with E filled; if the input was at
 * fault, what came before has been sent.
 */
int notify_run(struct notify *n, struct lines_in *in, struct err *e);

/*
 * Tell all ids that were seen how their stream ended: REJECTED items are signalled on the counter
 * "rejected", and one on "broken" if it was cut short.  Returns 0, or -1 with E filled.
 */
int notify_finish(struct notify *n, uint64_t rejected, bool broken, struct err *e);

void notify_release(struct notify *n);

#endif
