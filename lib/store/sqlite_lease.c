#include "store/sqlite_lease.h"

#include "base/buf.h"
#include "base/clock.h"

enum { LEASE_MARGIN_MILLIS = 60 * 1000 }; /* an entry is kept alive beyond a lease by so much */

int lease_move_signals(struct db *db, struct entry *entry, const struct rule *rule, int64_t signals,
                       bool *fits, struct err *e)
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
    entry->spent = entry->spent || !named;
    if (named && entry_set_counter(db, entry, rule->counter, value, e) < 0) {
        return -1;
    }
    return entry_write(db, entry, e);
}

int lease_add(struct db *db, const struct entry *entry, const struct lease *lease, struct err *e)
{
    struct db_value values[] = {
        db_number(entry->number),      db_bytes(lease->name),
        db_number(lease->ends),        db_bytes(lease->rule.counter),
        db_number(lease->rule.target), db_number(lease->rule.releasable),
        db_number(lease->granted),     db_number(lease->loose),
        db_number(lease->once),
    };
    return db_run(db, DB_LEASE_ADD, values, e);
}

int lease_find(struct db *db, const struct entry *entry, struct span name, struct lease *out,
               struct buf *texts, struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_bytes(name)};
    struct sqlite3_stmt *q = db_ask(db, DB_LEASE_GET, values);
    int got = db_next(db, q, e);
    if (got <= 0) {
        return got;
    }
    buf_reset(texts);
    buf_add_span(texts, name);
    buf_add_span(texts, db_column_bytes(q, 0));
    *out = (struct lease){
        .name = span_of(texts->at, name.len),
        .rule = {span_of(texts->at + name.len, texts->len - name.len), db_column(q, 1),
                 db_column(q, 2)},
        .granted = db_column(q, 3),
        .loose = db_column(q, 4),
        .once = db_column(q, 5) != 0,
    };
    db_stop(q);
    return 1;
}

int lease_renew(struct db *db, const struct entry *entry, struct span name, int64_t ends,
                struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_bytes(name), db_number(ends)};
    if (db_run(db, DB_LEASE_RENEW, values, e) < 0) {
        return -1;
    }
    return entry_extend(db, entry, ends, clock_after(ends, LEASE_MARGIN_MILLIS), e);
}

static int add_tickets(struct db *db, struct entry *entry, struct span counter, int64_t target,
                       int64_t more, struct err *e)
{
    int64_t tickets;
    if (more == 0) {
        return 0;
    }
    if (entry_tickets(db, entry, counter, target, &tickets, e) < 0) {
        return -1;
    }
    return entry_set_tickets(db, entry, counter, target, tickets + more, e);
}

/*
 * Put TICKETS back, and as many whole passes as there are then become signals again, as if nothing
 * had been taken.
 */
static int give_back(struct db *db, struct entry *entry, const struct rule *rule, int64_t tickets,
                     struct err *e)
{
    int64_t there, signals;
    if (tickets == 0) {
        return 0;
    }
    if (entry_tickets(db, entry, rule->counter, rule->target, &there, e) < 0) {
        return -1;
    }
    tickets += there;
    int64_t passes = tickets / rule->releasable;
    bool fits = !__builtin_mul_overflow(passes, rule->target, &signals);
    if (fits && passes > 0 && lease_move_signals(db, entry, rule, signals, &fits, e) < 0) {
        return -1;
    }
    if (fits) { /* else they stay tickets */
        tickets -= passes * rule->releasable;
    }
    return entry_set_tickets(db, entry, rule->counter, rule->target, tickets, e);
}

/* End LEASE; the last BACK of its waiters have not gone. */
static int end_lease(struct db *db, struct entry *entry, const struct lease *lease, int64_t back,
                     struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_bytes(lease->name)};
    int64_t gone = lease->granted - back;
    int64_t loose = lease->loose > gone ? lease->loose - gone : 0;
    if (add_tickets(db, entry, (struct span){0}, ENTRY_LOOSE, loose, e) < 0 ||
        give_back(db, entry, &lease->rule, back - loose, e) < 0) {
        return -1;
    }
    return db_run(db, DB_LEASE_REMOVE, values, e);
}

int lease_reclaim(struct db *db, struct entry *entry, int64_t now, struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_number(now)};
    struct buf name = {0}, texts = {0};
    struct lease lease;
    int rc = 0;
    while (rc == 0 && entry->leased) {
        struct sqlite3_stmt *q = db_ask(db, DB_LEASE_EXPIRED, values);
        int got = db_next(db, q, e);
        if (got <= 0) {
            rc = got;
            break;
        }
        buf_reset(&name);
        buf_add_span(&name, db_column_bytes(q, 0));
        db_stop(q);
        rc = lease_find(db, entry, buf_span(&name), &lease, &texts, e);
        rc = rc <= 0 ? -1 : end_lease(db, entry, &lease, lease.granted, e);
    }
    buf_release(&name);
    buf_release(&texts);
    return rc;
}

/* ---- settle ---- */

/* Some waiters have gone: is there nothing left to take? Then the entry goes. */
static int close_entry(struct db *db, const struct entry *entry, bool once, int64_t now,
                       struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_number(now)};
    if (once) { /* whoever comes later learns of it */
        return db_run(db, DB_SIGNAL_IS_DONE, values, e);
    }
    return entry_remove_used_up(db, entry, e);
}

/* Settle T. Returns 1 if others may find something to take, or to learn, 0 if not, -1 with E
 * filled. */
static int settle_lease(struct db *db, struct entry *entry, const struct lease *lease,
                        const struct store_settlement *t, int64_t now, struct err *e)
{
    if (t->verb == STORE_RENEW) {
        return lease_renew(db, entry, t->lease, clock_after(now, t->lease_time / CLOCK_MILLI), e);
    }
    int64_t back =
        t->verb == STORE_GIVE_BACK || t->back > lease->granted ? lease->granted : t->back;
    if (end_lease(db, entry, lease, back, e) < 0 ||
        (back < lease->granted && close_entry(db, entry, lease->once, now, e) < 0)) {
        return -1;
    }
    return back > 0 || lease->once;
}

static int settle_one(struct db *db, struct store_settlement *t, int64_t now, struct err *e)
{
    struct entry entry;
    struct lease lease;
    struct buf texts = {0};
    t->known = false;
    int rc = entry_find(db, t->id, now, &entry, e);
    if (rc > 0) {
        rc = entry.leased ? lease_find(db, &entry, t->lease, &lease, &texts, e) : 0;
    }
    if (rc > 0) {
        t->known = true;
        rc = settle_lease(db, &entry, &lease, t, now, e);
    }
    buf_release(&texts);
    return rc;
}

int sqlite_settle(struct store *s, struct store_settlement *settlements, size_t count,
                  struct err *e)
{
    struct sqlite_store *store = (struct sqlite_store *)s;
    struct db *db = store->db;
    int64_t now = clock_real() / CLOCK_MILLI;
    int rc = db_begin(db, e);
    if (rc < 0) {
        return -1;
    }
    for (size_t i = 0; i < count && rc >= 0; i++) {
        rc = settle_one(db, &settlements[i], now, e);
        if (rc > 0) {
            wake_log_say(&store->log, settlements[i].id);
        }
    }
    rc = db_end(db, rc < 0 ? -1 : 0, e);
    wake_log_send(&store->log);
    return rc;
}
