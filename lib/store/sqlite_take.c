#include "store/sqlite_lease.h"

#include "base/buf.h"
#include "base/clock.h"
#include "store/release.h"

enum { KEEP_MARGIN_MILLIS = 60 * 60 * 1000 }; /* lengthened by this more, so as to do it rarely */

/* ---- take ---- */

/* Fill G with what ENTRY holds now. */
static int describe(struct db *db, const struct entry *entry, struct span counter,
                    struct store_grant *g, struct err *e)
{
    struct db_value number = db_number(entry->number);
    int got;
    g->found = true;
    g->done = entry->done;
    g->total = entry->total;
    g->target = entry->has_target ? entry->target : STORE_NO_TARGET;
    g->count = counter.len > 0 ? 0 : entry->total;
    struct sqlite3_stmt *q = db_ask(db, DB_COUNTERS, &number);
    while ((got = db_next(db, q, e)) > 0) {
        struct span name = db_column_bytes(q, 0);
        store_grant_counter(g, name, db_column(q, 1));
        if (span_equal(name, counter)) {
            g->count = db_column(q, 1);
        }
    }
    if (got < 0) {
        return -1;
    }
    q = db_ask(db, DB_ATTRIBUTES, &number);
    while ((got = db_next(db, q, e)) > 0) {
        store_grant_attribute(g, db_column_bytes(q, 0), db_column_bytes(q, 1));
    }
    return got;
}

/*
 * What the counter of RULE can give: no more than waiters for the total have left of all signals.
 */
static int64_t available(const struct entry *entry, const struct rule *rule,
                         const struct store_grant *g)
{
    int64_t left = entry->total;
    if (rule->counter.len == 0 || !entry->spent) {
        return g->count;
    }
    for (size_t i = 0; i < g->counter_count; i++) {
        int64_t value = g->counters[i].value;
        if (value < 0 && !entry_add(left, -value, &left)) {
            return g->count;
        }
    }
    return g->count > 0 && left < g->count ? left : g->count;
}

/* Take what the waiters of ASK need from ENTRY, which G describes, and lease it. */
static int consume(struct db *db, struct entry *entry, const struct store_ask *ask,
                   const struct rule *rule, int64_t now, struct store_grant *g, struct err *e)
{
    const struct span anybody = {0};
    int64_t tickets, loose;
    bool fits = true;
    if (entry_tickets(db, entry, rule->counter, rule->target, &tickets, e) < 0 ||
        entry_tickets(db, entry, anybody, ENTRY_LOOSE, &loose, e) < 0) {
        return -1;
    }
    int64_t used = loose < 0 ? 0 : loose < ask->wanted ? loose : ask->wanted;
    struct release r = release_reckon(available(entry, rule, g), rule->target, rule->releasable,
                                      tickets, ask->wanted - used);
    if (r.granted + used == 0) {
        return 0;
    }
    /* passes * target is at most the count, so nothing overflows */
    if (r.passes > 0 &&
        lease_move_signals(db, entry, rule, -(r.passes * rule->target), &fits, e) < 0) {
        return -1;
    }
    if (!fits) {
        return 0; /* the total, which other counters have made small, cannot go lower */
    }
    if (entry_set_tickets(db, entry, rule->counter, rule->target, r.tickets, e) < 0 ||
        (used > 0 && entry_set_tickets(db, entry, anybody, ENTRY_LOOSE, loose - used, e) < 0)) {
        return -1;
    }
    g->granted = r.granted + used;
    g->leased = true;
    struct lease lease = {
        .name = ask->lease,
        .rule = *rule,
        .ends = clock_after(now, ask->lease_time / CLOCK_MILLI),
        .granted = g->granted,
        .loose = used,
        .once = ask->once,
    };
    return lease_add(db, entry, &lease, e);
}

/* Is an id that is released only once released, or just being so? 1, 0 or -1 with E filled. */
static int once_taken(struct db *db, const struct entry *entry, const struct store_ask *ask,
                      struct err *e)
{
    if (!ask->once || entry->done || !entry->leased) {
        return ask->once && entry->done;
    }
    struct db_value number = db_number(entry->number);
    struct sqlite3_stmt *q = db_ask(db, DB_LEASE_ONCE, &number);
    int got = db_next(db, q, e);
    if (got > 0) {
        db_stop(q);
    }
    return got;
}

/* Decide how many of the waiters of ASK may go. */
static int decide(struct db *db, struct entry *entry, const struct store_ask *ask, int64_t now,
                  struct store_grant *g, struct err *e)
{
    struct rule rule = {ask->counter, ask->target, ask->releasable};
    int taken = once_taken(db, entry, ask, e);
    if (taken != 0) {
        return taken < 0 ? -1 : 0;
    }
    if (ask->target == STORE_STATED_TARGET) {
        if (!entry->has_target) {
            return 0;
        }
        rule.target = entry->target;
    }
    if (rule.releasable == STORE_GATE) {
        g->granted = g->count >= rule.target ? ask->wanted : 0;
        return 0;
    }
    if (rule.target == 0) {
        g->granted = ask->wanted;
        return 0;
    }
    return consume(db, entry, ask, &rule, now, g, e);
}

/* Was this ask answered before, and the answer lost? Then give the same one. */
static int answered(struct db *db, const struct entry *entry, const struct store_ask *ask,
                    int64_t now, struct store_grant *g, struct err *e)
{
    struct lease lease;
    struct buf texts = {0};
    if (!entry->leased) {
        return 0;
    }
    int got = lease_find(db, entry, ask->lease, &lease, &texts, e);
    if (got > 0) {
        int64_t ends = clock_after(now, ask->lease_time / CLOCK_MILLI);
        g->granted = lease.granted;
        g->leased = true;
        got = lease_renew(db, entry, ask->lease, ends, e) < 0 ? -1 : 1;
    }
    buf_release(&texts);
    return got;
}

/* Note when the first of the other leases ends. */
static int others_end(struct db *db, const struct entry *entry, const struct store_ask *ask,
                      int64_t now, struct store_grant *g, struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_bytes(ask->lease)};
    if (!entry->leased) {
        return 0;
    }
    struct sqlite3_stmt *q = db_ask(db, DB_LEASE_FIRST, values);
    int got = db_next(db, q, e);
    if (got > 0) {
        int64_t left = db_column_is_null(q, 0) ? 0 : db_column(q, 0) - now;
        g->frees = left > INT64_MAX / CLOCK_MILLI ? INT64_MAX : left * CLOCK_MILLI;
        db_stop(q);
    }
    return got < 0 ? -1 : 0;
}

static int take_one(struct db *db, const struct store_ask *ask, int64_t now, struct store_grant *g,
                    struct err *e)
{
    struct entry entry;
    int got = entry_find(db, ask->id, now, &entry, e);
    if (got <= 0) {
        bool free_pass = ask->target == 0 && ask->releasable != STORE_GATE;
        g->target = STORE_NO_TARGET;
        g->granted = free_pass ? ask->wanted : 0;
        return got;
    }
    if (ask->wanted > 0 && lease_reclaim(db, &entry, now, e) < 0) {
        return -1;
    }
    if (describe(db, &entry, ask->counter, g, e) < 0) {
        return -1;
    }
    if (ask->wanted == 0) {
        return 0;
    }
    int64_t needed = clock_after(now, ask->keep / CLOCK_MILLI);
    if (entry_extend(db, &entry, needed, clock_after(needed, KEEP_MARGIN_MILLIS), e) < 0) {
        return -1;
    }
    got = answered(db, &entry, ask, now, g, e);
    got = got != 0 ? got : decide(db, &entry, ask, now, g, e);
    return got < 0 || g->granted == ask->wanted ? got : others_end(db, &entry, ask, now, g, e);
}

int sqlite_take(struct store *s, const struct store_ask *asks, struct store_grant *grants,
                size_t count, struct err *e)
{
    struct db *db = ((struct sqlite_store *)s)->db;
    int64_t now = clock_real() / CLOCK_MILLI;
    bool changes = false;
    for (size_t i = 0; i < count; i++) {
        changes = changes || asks[i].wanted > 0;
    }
    if ((changes ? db_begin(db, e) : db_begin_reading(db, e)) < 0) {
        return -1;
    }
    int rc = 0;
    for (size_t i = 0; i < count && rc >= 0; i++) {
        store_grant_release(&grants[i]);
        rc = take_one(db, &asks[i], now, &grants[i], e);
    }
    return db_end(db, rc < 0 ? -1 : 0, e);
}
