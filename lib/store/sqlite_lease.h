/*
 * sqlite_lease.h: what was granted, until it is confirmed, given back, or its time is over.
 *
 * Inside the room store only. All functions run within a step of the db.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_SQLITE_LEASE_H
#define FANLINE_STORE_SQLITE_LEASE_H

#include "store/sqlite_entry.h"

/* What a ticket is good for: waiters of this counter and target. */
struct rule {
    struct span counter; /* empty: the total */
    int64_t target;
    int64_t releasable;
};

struct lease {
    struct span name;
    struct rule rule;
    int64_t ends;
    int64_t granted;
    int64_t loose; /* of these came from tickets that are for anybody */
    bool once;
};

int lease_add(struct db *db, const struct entry *entry, const struct lease *lease, struct err *e);

/*
 * Find the lease NAME; its texts are copied to TEXTS, which the caller releases.  1, 0 if there is
 * none, -1 with E filled.
 */
int lease_find(struct db *db, const struct entry *entry, struct span name, struct lease *out,
               struct buf *texts, struct err *e);

/* Let the lease NAME, and ENTRY with it, last until ENDS (ms since 1970) at least. */
int lease_renew(struct db *db, const struct entry *entry, struct span name, int64_t ends,
                struct err *e);

/* Give back what leases hold whose time is over at NOW. */
int lease_reclaim(struct db *db, struct entry *entry, int64_t now, struct err *e);

/*
 * Add SIGNALS, perhaps less than 0, to what RULE counts.  *FITS is false, and nothing done, at
 * overflow.
 */
int lease_move_signals(struct db *db, struct entry *entry, const struct rule *rule, int64_t signals,
                       bool *fits, struct err *e);

#endif
