/* Entries as NiFi sees them: fetch, replace, remove. */
#include "store/nifi_json.h"
#include "store/nifi_view.h"
#include "store/sqlite_entry.h"

#include "base/clock.h"

static struct db *db_of(struct store *s)
{
    return ((struct sqlite_store *)s)->db;
}

static int read_lists(struct db *db, const struct entry *entry, struct store_entry *out,
                      struct err *e)
{
    struct db_value number = db_number(entry->number);
    struct sqlite3_stmt *q = db_ask(db, DB_COUNTERS, &number);
    int got;
    while ((got = db_next(db, q, e)) > 0) {
        store_entry_counter(out, db_column_bytes(q, 0), db_column(q, 1));
    }
    if (got < 0) {
        return -1;
    }
    q = db_ask(db, DB_ATTRIBUTES, &number);
    while ((got = db_next(db, q, e)) > 0) {
        store_entry_attribute(out, db_column_bytes(q, 0), db_column_bytes(q, 1));
    }
    if (got < 0) {
        return -1;
    }
    q = db_ask(db, DB_TICKETS_ALL, &number);
    while ((got = db_next(db, q, e)) > 0) {
        out->tickets = (int64_t)((uint64_t)out->tickets + (uint64_t)db_column(q, 0));
    }
    return got;
}

/* The entry of ID into OUT, within a step. 1, 0 or -1 with E filled. */
static int read_entry(struct db *db, struct span id, int64_t now, struct entry *entry,
                      struct store_entry *out, struct err *e)
{
    int got = entry_find(db, id, now, entry, e);
    if (got <= 0) {
        return got;
    }
    if (read_lists(db, entry, out, e) < 0) {
        return -1;
    }
    nifi_view_show(out, entry->total, entry->spent);
    store_entry_sort(out);
    buf_add_i64(&out->revision, entry->number);
    buf_add_byte(&out->revision, ' ');
    nifi_json_write(out, &out->revision);
    return 1;
}

int sqlite_fetch(struct store *s, struct span id, struct store_entry *out, struct err *e)
{
    struct db *db = db_of(s);
    struct entry entry;
    if (db_begin_reading(db, e) < 0) {
        return -1;
    }
    int got = read_entry(db, id, clock_real() / CLOCK_MILLI, &entry, out, e);
    return db_end(db, got < 0 ? -1 : 0, e) < 0 ? -1 : got;
}

/* ---- replace ---- */

/* Make the entry, or empty the one that is there. */
static int clear(struct db *db, struct span id, int64_t now, bool found, struct entry *entry,
                 struct err *e)
{
    struct db_value never = {.kind = DB_IS_NULL};
    if (!found) {
        struct db_value values[] = {db_bytes(id),   db_number(0), never,
                                    db_number(now), never,        never};
        if (db_run(db, DB_SIGNAL_ADD, values, e) < 0) {
            return -1;
        }
        *entry = (struct entry){.number = db_row_added(db)};
        return 0;
    }
    struct db_value number = db_number(entry->number);
    return db_run(db, DB_COUNTERS_REMOVE, &number, e) < 0 ||
                   db_run(db, DB_ATTRIBUTES_REMOVE, &number, e) < 0 ||
                   db_run(db, DB_TICKETS_CLEAR, &number, e) < 0
               ? -1
               : 0;
}

static int write_lists(struct db *db, struct entry *entry, const struct store_entry *from,
                       struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < from->counter_count && rc == 0; i++) {
        const struct store_counter *c = &from->counters[i];
        rc = nifi_view_is_mark(c) ? 0 : entry_set_counter(db, entry, c->name, c->value, e);
    }
    for (size_t i = 0; i < from->attribute_count && rc == 0; i++) {
        struct db_value values[] = {db_number(entry->number), db_bytes(from->attributes[i].name),
                                    db_bytes(from->attributes[i].value)};
        rc = db_run(db, DB_ATTRIBUTE_SET, values, e);
    }
    return rc < 0 ? -1
                  : entry_set_tickets(db, entry, (struct span){0}, ENTRY_LOOSE, from->tickets, e);
}

/* Note who wrote it and how long it lives. */
static int touch(struct store *s, const struct entry *entry, bool found, int64_t ttl, int64_t now,
                 struct err *e)
{
    struct db *db = db_of(s);
    struct db_value none = {.kind = DB_IS_NULL};
    struct db_value until = none;
    if (ttl > 0) {
        until = db_number(clock_after(now, ttl / CLOCK_MILLI + 1));
    } else if (ttl < 0 && found) {
        until = db_number(0); /* earlier than any end, so that it stays */
    }
    struct db_value values[] = {
        db_number(entry->number),
        db_number(entry->total),
        entry->has_target ? db_number(entry->target) : none,
        db_number(now),
        db_bytes(span_text(s->me)),
        until,
    };
    return db_run(db, DB_SIGNAL_NOTIFY, values, e);
}

static int write_entry(struct store *s, struct span id, struct entry *entry, bool found,
                       const struct store_entry *from, int64_t ttl, int64_t now, struct err *e)
{
    struct db *db = db_of(s);
    if (!from) {
        return entry_remove(db, id, e);
    }
    if (clear(db, id, now, found, entry, e) < 0) {
        return -1;
    }
    entry->total = nifi_view_total(from, &entry->spent);
    return write_lists(db, entry, from, e) < 0 || entry_write(db, entry, e) < 0
               ? -1
               : touch(s, entry, found, ttl, now, e);
}

int sqlite_replace(struct store *s, struct span id, const struct store_entry *from,
                   struct span expected, int64_t ttl, struct err *e)
{
    struct db *db = db_of(s);
    int64_t now = clock_real() / CLOCK_MILLI;
    struct store_entry there = {0};
    struct entry entry = {0};
    bool same = false;
    if (db_begin(db, e) < 0) {
        return -1;
    }
    int rc = entry_expire_all(db, now, e);
    int found = rc < 0 ? -1 : read_entry(db, id, now, &entry, &there, e);
    if (found >= 0) {
        same = span_equal(buf_span(&there.revision), expected);
        rc = same ? write_entry(s, id, &entry, found == 1, from, ttl, now, e) : 0;
    }
    store_entry_release(&there);
    if (db_end(db, found < 0 || rc < 0 ? -1 : 0, e) < 0) {
        return -1;
    }
    if (same) {
        struct wake_log *log = &((struct sqlite_store *)s)->log;
        wake_log_say(log, id);
        wake_log_send(log);
    }
    return same;
}

int sqlite_remove(struct store *s, struct span id, struct err *e)
{
    struct db *db = db_of(s);
    if (db_begin(db, e) < 0) {
        return -1;
    }
    return db_end(db, entry_remove(db, id, e), e);
}
