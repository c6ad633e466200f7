/* What people ask of signals in SQLite. */
#include "base/clock.h"
#include "base/mem.h"
#include "store/sqlite_entry.h"

static struct db *db_of(struct store *s)
{
    return ((struct sqlite_store *)s)->db;
}

int sqlite_list(struct store *s, void (*tell)(void *context, struct span id), void *context,
                struct err *e)
{
    struct db *db = db_of(s);
    struct db_value now = db_number(clock_real() / CLOCK_MILLI);
    struct buf ids = {0}; /* collected first, for TELL may use the store */
    if (db_refresh(db, e) < 0) {
        return -1;
    }
    struct sqlite3_stmt *q = db_ask(db, DB_IDS, &now);
    int got;
    while ((got = db_next(db, q, e)) > 0) {
        struct span id = db_column_bytes(q, 0);
        buf_add(&ids, (const char *)&id.len, sizeof id.len);
        buf_add_span(&ids, id);
    }
    for (size_t at = 0; got == 0 && at < ids.len;) {
        size_t len;
        memcpy(&len, ids.at + at, sizeof len);
        at += sizeof len;
        tell(context, span_of(ids.at + at, len));
        at += len;
    }
    buf_release(&ids);
    return got;
}

/* ---- describe ---- */

static int read_lists(struct db *db, const struct entry *entry, struct store_facts *f,
                      struct err *e)
{
    struct db_value number = db_number(entry->number);
    struct sqlite3_stmt *q = db_ask(db, DB_COUNTERS, &number);
    int got;
    while ((got = db_next(db, q, e)) > 0) {
        store_entry_counter(&f->entry, db_column_bytes(q, 0), db_column(q, 1));
    }
    q = got < 0 ? NULL : db_ask(db, DB_ATTRIBUTES, &number);
    while (got >= 0 && (got = db_next(db, q, e)) > 0) {
        store_entry_attribute(&f->entry, db_column_bytes(q, 0), db_column_bytes(q, 1));
    }
    q = got < 0 ? NULL : db_ask(db, DB_TICKETS_ALL, &number);
    while (got >= 0 && (got = db_next(db, q, e)) > 0) {
        f->tickets += db_column(q, 0);
    }
    return got;
}

static int read_entry(struct db *db, const struct entry *entry, struct store_facts *f,
                      struct err *e)
{
    struct db_value number = db_number(entry->number);
    struct sqlite3_stmt *q = db_ask(db, DB_SIGNAL_FACTS, &number);
    int got = db_next(db, q, e);
    if (got <= 0) {
        return got;
    }
    f->found = true;
    f->total = entry->total;
    f->target = entry->has_target ? entry->target : STORE_NO_TARGET;
    f->made = db_column(q, 0);
    f->changed = db_column(q, 1);
    f->expires = db_column(q, 2);
    f->released = db_column(q, 3);
    f->notifier = arena_copy(&f->texts, db_column_bytes(q, 4));
    f->leased = db_column(q, 5);
    db_stop(q);
    return read_lists(db, entry, f, e);
}

static int read_waiting(struct db *db, struct span id, int64_t now, struct store_facts *f,
                        struct err *e)
{
    struct db_value values[] = {db_bytes(id), db_number(now)};
    struct sqlite3_stmt *q = db_ask(db, DB_WAITERS, values);
    int got;
    while ((got = db_next(db, q, e)) > 0) {
        f->waiting = mem_grow(f->waiting, &f->waiting_cap, f->waiting_count, sizeof *f->waiting);
        f->waiting[f->waiting_count++] = (struct store_waiting){
            .who = arena_copy(&f->texts, db_column_bytes(q, 0)),
            .lines = db_column(q, 1),
            .counter = arena_copy(&f->texts, db_column_bytes(q, 2)),
            .target = db_column(q, 3),
            .since = db_column(q, 4),
        };
    }
    return got;
}

int sqlite_describe(struct store *s, struct span id, struct store_facts *out, struct err *e)
{
    struct db *db = db_of(s);
    int64_t now = clock_real() / CLOCK_MILLI;
    struct entry entry;
    struct db_value key = db_bytes(id);
    if (db_begin_reading(db, e) < 0) {
        return -1;
    }
    int got = entry_find(db, id, now, &entry, e);
    int rc = got > 0 ? read_entry(db, &entry, out, e) : got;
    if (rc >= 0) {
        rc = read_waiting(db, id, now, out, e);
    }
    struct sqlite3_stmt *q = rc < 0 ? NULL : db_ask(db, DB_ONCE_COUNT, &key);
    if (rc >= 0 && (rc = db_next(db, q, e)) > 0) {
        out->once = db_column(q, 0);
        db_stop(q);
    }
    return db_end(db, rc < 0 ? -1 : 0, e);
}

/* ---- waiting ---- */

static int note_one(struct store *s, const struct store_note *n, int64_t now, struct err *e)
{
    struct db_value values[] = {
        db_bytes(n->id),
        db_bytes(n->run),
        db_bytes(span_text(s->me)),
        db_number(n->lines),
        db_bytes(n->counter),
        db_number(n->target),
        db_number(n->since),
        db_number(clock_after(now, n->valid / CLOCK_MILLI)),
    };
    return db_run(db_of(s), n->lines ? DB_WAITER_SET : DB_WAITER_REMOVE, values, e);
}

int sqlite_tell_waiting(struct store *s, const struct store_note *notes, size_t count,
                        struct err *e)
{
    struct db *db = db_of(s);
    int64_t now = clock_real() / CLOCK_MILLI;
    struct db_value moment = db_number(now);
    if (db_begin(db, e) < 0) {
        return -1;
    }
    int rc = db_run(db, DB_WAITERS_EXPIRE, &moment, e);
    for (size_t i = 0; i < count && rc == 0; i++) {
        rc = note_one(s, &notes[i], now, e);
    }
    return db_end(db, rc, e);
}

/* ---- removal ---- */

int sqlite_purge(struct store *s, struct span id, struct err *e)
{
    struct db *db = db_of(s);
    struct db_value key = db_bytes(id);
    if (db_begin(db, e) < 0) {
        return -1;
    }
    int rc = entry_remove(db, id, e);
    rc = rc < 0 ? rc : db_run(db, DB_ONCE_REMOVE, &key, e);
    rc = rc < 0 ? rc : db_run(db, DB_WAITERS_REMOVE, &key, e);
    return db_end(db, rc, e);
}

int sqlite_sweep(struct store *s, struct err *e)
{
    struct db *db = db_of(s);
    int64_t time = clock_real() / CLOCK_MILLI;
    struct db_value now = db_number(time);
    if (db_begin(db, e) < 0) {
        return -1;
    }
    int rc = entry_expire_all(db, time, e);
    rc = rc < 0 ? rc : db_run(db, DB_ONCE_EXPIRE, &now, e);
    rc = rc < 0 ? rc : db_run(db, DB_WAITERS_EXPIRE, &now, e);
    return db_end(db, rc, e);
}
