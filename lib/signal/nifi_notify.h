/*
 * nifi_notify.h: a Notify as NiFi runs it, trigger by trigger (reference/wait-notify.md 2.2).
 *
 * A trigger takes up to `buffer` lines, sums their deltas by id and counter (a delta of 0 sets the
 * sum to 0, and a sum of 0 clears the counter), and changes one entry after the other; lines leave
 * with the attribute "notified".  If an entry cannot be changed all lines of the trigger go back to
 * the input, though entries before it stay changed.
 *
 * Floor: engines.  Templates, writers and the store are borrowed.
 */
#ifndef FANLINE_SIGNAL_NIFI_NOTIFY_H
#define FANLINE_SIGNAL_NIFI_NOTIFY_H

#include "expr/attr.h"
#include "io/writer.h"
#include "pattern/regex.h"
#include "signal/nifi_entry.h"
#include "json/lines.h"

#include <stdbool.h>
#include <stdint.h>

struct nifi_notify_rules {
    const struct attr_template *id; /* NULL: `literal` */
    struct span literal;
    const struct attr_template *counter;
    const struct attr_template *delta; /* NULL: 1 */
    const struct regex *cached;        /* NULL: none */
    const struct store_attribute *set;
    size_t set_count;
    int64_t ttl;
    size_t buffer;          /* lines of a trigger, from 1 on */
    uint64_t triggers;      /* so many and no more; 0: no limit */
    int64_t patience;       /* how long an undone trigger is repeated (ns) */
    struct writer *out;     /* NULL: not written */
    struct writer *failure; /* NULL: not written */
    struct writer *left;    /* lines that no trigger took; NULL: not written */
    void (*report)(void *context, const struct err *e);
    void (*passed)(void *context, uint64_t lines);
    void *context;
};

struct nifi_notify {
    struct nifi_notify_rules rules;
    struct store *store;
    struct buf *queue; /* lines of the trigger */
    size_t count;
    uint64_t triggers;
    struct err failed; /* of the last trigger, if it was undone */
    uint64_t passed_lines, failed_lines;
};

void nifi_notify_init(struct nifi_notify *n, struct store *store,
                      const struct nifi_notify_rules *rules);

/* Add a line to the trigger; there must be room for it. */
void nifi_notify_add(struct nifi_notify *n, struct span item);

/* Run a trigger over the lines that were added, until it is done or patience ends. 0, or -1 with E.
 */
int nifi_notify_send(struct nifi_notify *n, struct err *e);

/*
 * Notify for the lines of IN, up to its end.  Returns 0, or -1 with E filled; lines of a trigger
 * that was undone, and those behind it, have gone to `left`.
 */
int nifi_notify_run(struct nifi_notify *n, struct lines_in *in, struct err *e);

void nifi_notify_release(struct nifi_notify *n);

#endif
