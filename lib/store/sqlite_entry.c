#include "store/sqlite_entry.h"

int entry_find(struct db *db, struct span id, int64_t now, struct entry *out, struct err *e)
{
    struct db_value values[] = {db_bytes(id), db_number(now)};
    struct sqlite3_stmt *q = db_ask(db, DB_SIGNAL_FIND, values);
    int got = db_next(db, q, e);
    if (got <= 0) {
        return got;
    }
    *out = (struct entry){
        .number = db_column(q, 0),
        .total = db_column(q, 1),
        .has_target = !db_column_is_null(q, 2),
        .target = db_column(q, 2),
        .spent = db_column(q, 3) != 0,
        .done = !db_column_is_null(q, 4),
        .ends = db_column_is_null(q, 5) ? INT64_MAX : db_column(q, 5),
        .ticketed = db_column(q, 6) != 0,
        .leased = db_column(q, 7) != 0,
    };
    db_stop(q);
    return 1;
}

int entry_extend(struct db *db, const struct entry *entry, int64_t needed, int64_t until,
                 struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_number(until), db_number(needed)};
    return entry->ends < needed ? db_run(db, DB_SIGNAL_EXTEND, values, e) : 0;
}

int entry_write(struct db *db, const struct entry *entry, struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_number(entry->total),
                                db_number(entry->spent)};
    return db_run(db, DB_SIGNAL_CHANGE, values, e);
}

/* The number that QUERY finds; 0 if it finds none. */
static int find_number(struct db *db, enum db_query query, const struct db_value *values,
                       int64_t *out, struct err *e)
{
    struct sqlite3_stmt *q = db_ask(db, query, values);
    int got = db_next(db, q, e);
    if (got >= 0) {
        *out = got ? db_column(q, 0) : 0;
        db_stop(q);
    }
    return got < 0 ? -1 : 0;
}

int entry_tickets(struct db *db, const struct entry *entry, struct span counter, int64_t target,
                  int64_t *out, struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_bytes(counter), db_number(target)};
    *out = 0;
    return entry->ticketed ? find_number(db, DB_TICKETS_GET, values, out, e) : 0;
}

int entry_set_tickets(struct db *db, struct entry *entry, struct span counter, int64_t target,
                      int64_t count, struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_bytes(counter), db_number(target),
                                db_number(count)};
    if (count == 0 && !entry->ticketed) {
        return 0;
    }
    entry->ticketed = true;
    return db_run(db, count ? DB_TICKETS_SET : DB_TICKETS_REMOVE, values, e);
}

int entry_counter(struct db *db, const struct entry *entry, struct span name, int64_t *out,
                  struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_bytes(name)};
    return find_number(db, DB_COUNTER_GET, values, out, e);
}

int entry_set_counter(struct db *db, const struct entry *entry, struct span name, int64_t value,
                      struct err *e)
{
    struct db_value values[] = {db_number(entry->number), db_bytes(name), db_number(value)};
    return db_run(db, DB_COUNTER_SET, values, e);
}

bool entry_add(int64_t a, int64_t b, int64_t *out)
{
    int64_t sum;
    if (__builtin_add_overflow(a, b, &sum) || sum < -STORE_COUNT_MAX) {
        return false;
    }
    *out = sum;
    return true;
}
