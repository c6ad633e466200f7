#include "store/sqlite_entry.h"

#include "base/buf.h"
#include "base/clock.h"
#include "store/release.h"

enum { KEEP_MARGIN_MILLIS = 60 * 60 * 1000 }; /* lengthened by this more, so as to do it rarely */

/* What a ticket is good for: waiters of this counter and target. */
struct rule {
    struct span counter; /* empty: the total */
    int64_t target;
    int64_t releasable;
};

/* ---- tickets and signals ---- */

static int get_tickets(struct db *db, const struct entry *entry, const struct rule *rule,
                       int64_t *out, struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_bytes(rule->counter),
                                db_number(rule->target)};
    struct sqlite3_stmt *q = db_ask(db, DB_TICKETS_GET, values);
    int got = db_next(db, q, e);
    if (got >= 0) {
        *out = got ? db_column(q, 0) : 0;
        db_stop(q);
    }
    return got < 0 ? -1 : 0;
}

static int set_tickets(struct db *db, const struct entry *entry, const struct rule *rule,
                       int64_t count, struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_bytes(rule->counter),
                                db_number(rule->target), db_number(count)};
    return db_run(db, count ? DB_TICKETS_SET : DB_TICKETS_REMOVE, values, e);
}

/* Add SIGNALS, perhaps less than 0, to what RULE counts. *FITS is false, and nothing done, at
 * overflow. */
static int move_signals(struct db *db, struct entry *entry, const struct rule *rule,
                        int64_t signals, bool *fits, struct err *e)
{
    bool named = rule->counter.len > 0;
    int64_t total, value = 0;
    if (named && entry_counter(db, entry, rule->counter, &value, e) < 0) {
        return -1;
    }
    *fits =
        entry_add(entry->total, signals, &total) && entry_add(value, named ? signals : 0, &value);
    if (!*fits) {
        return 0;
    }
    entry->total = total;
    if (named && entry_set_counter(db, entry, rule->counter, value, e) < 0) {
        return -1;
    }
    return entry_write(db, entry, !named, e);
}

/* ---- leases ---- */

static int add_lease(struct db *db, const struct entry *entry, const struct store_ask *ask,
                     const struct rule *rule, int64_t ends, int64_t granted, struct err *e)
{
    struct db_value values[] = {
        db_number(entry->number), db_bytes(ask->lease),    db_number(ends),
        db_bytes(rule->counter),  db_number(rule->target), db_number(rule->releasable),
        db_number(granted),
    };
    return db_run(db, DB_LEASE_ADD, values, e);
}

static int remove_lease(struct db *db, const struct entry *entry, struct span lease, struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_bytes(lease)};
    return db_run(db, DB_LEASE_REMOVE, values, e);
}

/* Find LEASE: its rule, the counter's name copied to NAME, and what it granted. 1, 0 or -1. */
static int find_lease(struct db *db, const struct entry *entry, struct span lease,
                      struct rule *rule, struct buf *name, int64_t *granted, struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_bytes(lease)};
    struct sqlite3_stmt *q = db_ask(db, DB_LEASE_GET, values);
    int got = db_next(db, q, e);
    if (got <= 0) {
        return got;
    }
    buf_reset(name);
    buf_add_span(name, db_column_bytes(q, 0));
    *rule = (struct rule){buf_span(name), db_column(q, 1), db_column(q, 2)};
    *granted = db_column(q, 3);
    db_stop(q);
    return 1;
}

/*
 * Put what LEASE granted back: its tickets, and as many whole passes as these then make become
 * signals again, as if nothing had been taken.
 */
static int give_back(struct db *db, struct entry *entry, struct span lease, const struct rule *rule,
                     int64_t granted, struct err *e)
{
    int64_t tickets, signals;
    if (get_tickets(db, entry, rule, &tickets, e) < 0) {
        return -1;
    }
    tickets += granted;
    int64_t passes = tickets / rule->releasable;
    bool fits = !__builtin_mul_overflow(passes, rule->target, &signals);
    if (fits && passes > 0 && move_signals(db, entry, rule, signals, &fits, e) < 0) {
        return -1;
    }
    if (fits) { /* else they stay tickets */
        tickets -= passes * rule->releasable;
    }
    if (set_tickets(db, entry, rule, tickets, e) < 0) {
        return -1;
    }
    return remove_lease(db, entry, lease, e);
}

/* Give back every lease of ENTRY whose time has run out. */
static int reclaim(struct db *db, struct entry *entry, int64_t now, struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_number(now)};
    struct buf lease = {0}, name = {0};
    struct rule rule;
    int64_t granted;
    int rc = 0;
    while (rc == 0) {
        struct sqlite3_stmt *q = db_ask(db, DB_LEASE_EXPIRED, values);
        int got = db_next(db, q, e);
        if (got <= 0) {
            rc = got;
            break;
        }
        buf_reset(&lease);
        buf_add_span(&lease, db_column_bytes(q, 0));
        db_stop(q);
        rc = find_lease(db, entry, buf_span(&lease), &rule, &name, &granted, e);
        rc = rc <= 0 ? -1 : give_back(db, entry, buf_span(&lease), &rule, granted, e);
    }
    buf_release(&lease);
    buf_release(&name);
    return rc;
}

/* ---- take ---- */

/* Fill G with what ENTRY holds now. */
static int describe(struct db *db, const struct entry *entry, struct span counter,
                    struct store_grant *g, struct err *e)
{
    struct db_value number = db_number(entry->number);
    int got;
    g->found = true;
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

/* Take what the waiters of ASK need from ENTRY, which G describes, and lease it. */
static int consume(struct db *db, struct entry *entry, const struct store_ask *ask,
                   const struct rule *rule, int64_t now, struct store_grant *g, struct err *e)
{
    int64_t tickets;
    bool fits = true;
    if (get_tickets(db, entry, rule, &tickets, e) < 0) {
        return -1;
    }
    struct release r =
        release_reckon(g->count, rule->target, rule->releasable, tickets, ask->wanted);
    if (r.granted == 0) {
        return 0;
    }
    /* passes * target is at most the count, so nothing overflows */
    if (r.passes > 0 && move_signals(db, entry, rule, -(r.passes * rule->target), &fits, e) < 0) {
        return -1;
    }
    if (!fits) {
        return 0; /* the total, which other counters have made small, cannot go lower */
    }
    if (set_tickets(db, entry, rule, r.tickets, e) < 0) {
        return -1;
    }
    g->granted = r.granted;
    g->leased = true;
    int64_t ends = clock_after(now, ask->lease_time / CLOCK_MILLI);
    return add_lease(db, entry, ask, rule, ends, r.granted, e);
}

/* Decide how many of the waiters of ASK may go. */
static int decide(struct db *db, struct entry *entry, const struct store_ask *ask, int64_t now,
                  struct store_grant *g, struct err *e)
{
    struct rule rule = {ask->counter, ask->target, ask->releasable};
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
                    struct store_grant *g, struct err *e)
{
    struct rule rule;
    struct buf name = {0};
    int got = find_lease(db, entry, ask->lease, &rule, &name, &g->granted, e);
    g->leased = got > 0;
    buf_release(&name);
    return got;
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
    if (ask->wanted > 0 && reclaim(db, &entry, now, e) < 0) {
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
    got = answered(db, &entry, ask, g, e);
    return got != 0 ? got : decide(db, &entry, ask, now, g, e);
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

/* ---- settle ---- */

/* Remove the entry if there is nothing left to take. */
static int remove_if_done(struct db *db, const struct entry *entry, struct err *e)
{
    struct db_value number = db_number(entry->number);
    return db_run(db, DB_SIGNAL_DONE, &number, e);
}

static int settle_one(struct db *db, struct store_settlement *t, int64_t now, struct err *e)
{
    struct entry entry;
    struct rule rule;
    struct buf name = {0};
    int64_t granted;
    t->known = false;
    int rc = entry_find(db, t->id, now, &entry, e);
    if (rc > 0) {
        rc = find_lease(db, &entry, t->lease, &rule, &name, &granted, e);
    }
    if (rc > 0) {
        t->known = true;
        if (t->verb == STORE_GIVE_BACK) {
            rc = give_back(db, &entry, t->lease, &rule, granted, e);
        } else {
            rc = remove_lease(db, &entry, t->lease, e);
            rc = rc < 0 ? -1 : remove_if_done(db, &entry, e);
        }
    }
    buf_release(&name);
    return rc < 0 ? -1 : 0;
}

int sqlite_settle(struct store *s, struct store_settlement *settlements, size_t count,
                  struct err *e)
{
    struct db *db = ((struct sqlite_store *)s)->db;
    int64_t now = clock_real() / CLOCK_MILLI;
    int rc = db_begin(db, e);
    if (rc < 0) {
        return -1;
    }
    for (size_t i = 0; i < count && rc == 0; i++) {
        rc = settle_one(db, &settlements[i], now, e);
    }
    return db_end(db, rc, e);
}
