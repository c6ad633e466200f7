#include "store/sqlite_entry.h"

/*
 * The rows of an entry go one table after the other.  The cascade of foreign keys would do the same
 * in five times the time: for each entry it makes a table of its own of what is to go.
 */
static int remove_rows(struct db *db, int64_t entry, const enum db_query *queries, size_t count,
                       struct err *e)
{
    struct db_value number = db_number(entry);
    int rc = 0;
    for (size_t i = 0; i < count && rc == 0; i++) {
        rc = db_run(db, queries[i], &number, e);
    }
    return rc;
}

static int remove_all(struct db *db, int64_t entry, struct err *e)
{
    static const enum db_query queries[] = {DB_SIGNAL_DELETE, DB_COUNTERS_REMOVE,
                                            DB_ATTRIBUTES_REMOVE, DB_TICKETS_CLEAR,
                                            DB_LEASES_CLEAR};
    return remove_rows(db, entry, queries, sizeof queries / sizeof *queries, e);
}

/* Remove the entries whose numbers QUERY gives, each time another one, until there is none. */
static int remove_found(struct db *db, enum db_query query, const struct db_value *value,
                        struct err *e)
{
    int got;
    do {
        struct sqlite3_stmt *q = db_ask(db, query, value);
        got = db_next(db, q, e);
        if (got > 0) {
            int64_t number = db_column(q, 0);
            db_stop(q);
            got = remove_all(db, number, e) < 0 ? -1 : 1;
        }
    } while (got > 0);
    return got;
}

int entry_remove(struct db *db, struct span id, struct err *e)
{
    struct db_value value = db_bytes(id);
    return remove_found(db, DB_SIGNAL_NUMBER, &value, e);
}

int entry_expire_all(struct db *db, int64_t now, struct err *e)
{
    struct db_value value = db_number(now);
    return remove_found(db, DB_SIGNAL_EXPIRED, &value, e);
}

int entry_remove_used_up(struct db *db, const struct entry *entry, struct err *e)
{
    static const enum db_query rest[] = {DB_COUNTERS_REMOVE, DB_ATTRIBUTES_REMOVE};
    struct db_value number = db_number(entry->number);
    if (db_run(db, DB_SIGNAL_USED_UP, &number, e) < 0) {
        return -1;
    }
    return db_changed(db) ? remove_rows(db, entry->number, rest, sizeof rest / sizeof *rest, e) : 0;
}
