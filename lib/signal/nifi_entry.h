/*
 * nifi_entry.h: what NiFi does to an entry (reference/wait-notify.md 2).
 *
 * Everything is as NiFi has it, its mistakes included: sums wrap around, all whole multiples of the
 * target are converted at once, and an entry is changed only if nobody else has done so since it
 * was read.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_NIFI_ENTRY_H
#define FANLINE_SIGNAL_NIFI_ENTRY_H

#include "base/err.h"
#include "store/store.h"

#include <stdbool.h>
#include <stdint.h>

/* How an attempt ended. */
enum nifi_end {
    NIFI_DONE = 0,
    NIFI_LOST = 1,   /* somebody else has changed the entry; E is filled (ERR_LATER) */
    NIFI_FAILED = -1 /* E is filled */
};

int64_t nifi_count(const struct store_entry *entry, struct span counter);
int64_t nifi_total(const struct store_entry *entry);

/* What a Wait asks of an entry. */
struct nifi_demand {
    struct span counter; /* empty: the total */
    int64_t target;
    int64_t releasable; /* 0 or less: a gate */
};

/*
 * How many of CANDIDATES waiters ENTRY releases, into *RELEASED; ENTRY changes accordingly, if it
 * is no gate.  Returns 0, or -1 with E filled (ERR_DATA) where NiFi divides by zero or has a
 * negative number of tickets.
 */
int nifi_release(struct store_entry *entry, const struct nifi_demand *demand, int64_t candidates,
                 int64_t *released, struct err *e);

/* Is there nothing left in ENTRY? */
bool nifi_is_complete(const struct store_entry *entry);

/* Remove the entry, unless it has changed since it was fetched as ENTRY. */
enum nifi_end nifi_complete(struct store *s, struct span id, const struct store_entry *entry,
                            struct err *e);

/* Write ENTRY, unless the one in the store has changed since it was fetched. TTL as store_replace.
 */
enum nifi_end nifi_write(struct store *s, struct span id, const struct store_entry *entry,
                         int64_t ttl, struct err *e);

/* What a Notify does to one id: sums of deltas by counter, and attributes. */
struct nifi_notice {
    struct span id;
    const struct store_counter *deltas; /* 0 clears */
    size_t delta_count;
    const struct store_attribute *attributes;
    size_t attribute_count;
    int64_t ttl;
};

/* Apply it; up to five attempts. */
enum nifi_end nifi_notify_entry(struct store *s, const struct nifi_notice *n, struct err *e);

#endif
