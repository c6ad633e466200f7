/*
 * sqlite_db.h: the file of a store on one machine, and the statements that are run on it.
 *
 * One SQLite file in WAL mode with synchronous=NORMAL: a crash of any process loses nothing, a
 * power cut at most the last steps, and never the file (reference/limits.md 5).  Any number of
 * processes work on it at once; writers wait for each other.  Not for network file systems.
 *
 * Inside the room store only; sqlite3.h is seen by sqlite_db.c alone.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_SQLITE_DB_H
#define FANLINE_STORE_SQLITE_DB_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

/* What can be asked; sqlite_db.c has the text of each, with its parameters. */
enum db_query {
    DB_SIGNAL_FIND,
    DB_SIGNAL_ADD,
    DB_SIGNAL_CHANGE,
    DB_SIGNAL_NOTIFY,
    DB_SIGNAL_EXTEND,
    DB_SIGNAL_NUMBER,
    DB_SIGNAL_EXPIRED,
    DB_SIGNAL_DELETE,
    DB_SIGNAL_IS_DONE,
    DB_SIGNAL_USED_UP,
    DB_COUNTER_GET,
    DB_COUNTER_SET,
    DB_COUNTERS,
    DB_COUNTERS_REMOVE,
    DB_ATTRIBUTE_SET,
    DB_ATTRIBUTES,
    DB_ATTRIBUTES_REMOVE,
    DB_TICKETS_GET,
    DB_TICKETS_SET,
    DB_TICKETS_REMOVE,
    DB_TICKETS_ALL,
    DB_TICKETS_CLEAR,
    DB_LEASE_GET,
    DB_LEASE_ADD,
    DB_LEASE_REMOVE,
    DB_LEASE_RENEW,
    DB_LEASE_EXPIRED,
    DB_LEASE_FIRST,
    DB_LEASE_ONCE,
    DB_LEASES_CLEAR,
    DB_ONCE_KNOWN,
    DB_ONCE_ADD,
    DB_ONCE_EXPIRE,
    DB_ONCE_COUNT,
    DB_ONCE_REMOVE,
    DB_WAITER_SET,
    DB_WAITER_REMOVE,
    DB_WAITERS,
    DB_WAITERS_REMOVE,
    DB_WAITERS_EXPIRE,
    DB_IDS,
    DB_SIGNAL_FACTS,
    DB_VERSION,
    DB_QUERIES
};

struct db;
struct sqlite3_stmt;

/*
 * Open PATH, making the file (mode 0600) and its tables where there are none.  Returns 0, or -1
 * with E filled: ERR_USAGE for a file that is not ours, which is left as it is.
 */
int db_open(struct db **out, const char *path, struct err *e);

/* The name of the file, with links resolved; borrowed, good until the next step. */
const char *db_file(const struct db *db);

/*
 * If the file does not have its name any more, open the one that has, or make one.  0, or -1 with
 * E filled (ERR_LATER).  Each step begins with this.
 */
int db_refresh(struct db *db, struct err *e);

/* How often that was necessary. */
uint64_t db_renewals(const struct db *db);

/* Legal on NULL. */
void db_close(struct db *db);

/* From now on waiting for other writers ends when the descriptor STOP is readable. */
void db_stop_at(struct db *db, int stop);

/* A step that changes: waits until other writers have finished theirs. 0, or -1 with E filled. */
int db_begin(struct db *db, struct err *e);

/* A step that only reads. */
int db_begin_reading(struct db *db, struct err *e);

/* End the step: with RC 0 it is kept, else undone. Returns RC, or -1 with E filled. */
int db_end(struct db *db, int rc, struct err *e);

/* The value of a parameter; bytes are borrowed until the statement has run. */
struct db_value {
    enum { DB_IS_NULL, DB_IS_NUMBER, DB_IS_BYTES } kind;
    int64_t number;
    struct span bytes;
};

static inline struct db_value db_number(int64_t n)
{
    return (struct db_value){.kind = DB_IS_NUMBER, .number = n};
}

static inline struct db_value db_bytes(struct span s)
{
    return (struct db_value){.kind = DB_IS_BYTES, .bytes = s};
}

/* Run a statement that gives no rows; VALUES has as many as it has parameters. 0, or -1 with E. */
int db_run(struct db *db, enum db_query query, const struct db_value *values, struct err *e);

/* The row number of what was added last. */
int64_t db_row_added(struct db *db);

/* Rows that the statement that ran last has changed. */
int64_t db_changed(struct db *db);

/*
 * Ask for rows:  q = db_ask(…); while ((got = db_next(db, q, e)) > 0) …  Whoever stops before the
 * last row says db_stop.  After a failed db_ask, db_next fails with E filled.
 */
struct sqlite3_stmt *db_ask(struct db *db, enum db_query query, const struct db_value *values);
int db_next(struct db *db, struct sqlite3_stmt *q, struct err *e);
void db_stop(struct sqlite3_stmt *q);

/* Columns of the row at hand, from 0; bytes are valid until the next call with Q. */
int64_t db_column(struct sqlite3_stmt *q, int column);
bool db_column_is_null(struct sqlite3_stmt *q, int column);
struct span db_column_bytes(struct sqlite3_stmt *q, int column);

#endif
