#include "store/sqlite_db.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "io/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DB_SCHEMA = 2,          /* user_version of the tables below */
    DB_BUSY_MILLIS = 10000, /* how long to wait for other writers */
    DB_PAUSE_MILLIS = 10,   /* longest pause between attempts; they grow up to it */
    DB_APPLICATION = 0x66616e6c
};

struct db {
    sqlite3 *handle; /* NULL: the file was taken away, and could not be opened anew */
    char *path;
    uint64_t renewals;               /* how often that has happened */
    int stop;                        /* readable when nobody cares any more; -1: none */
    int64_t patience;                /* with other processes, at most until then */
    sqlite3_stmt *ready[DB_QUERIES]; /* prepared when first needed */
};

/*
 * A counter column that is empty stands for the total: no counter has that name; there the target
 * -1 stands for tickets that are for anybody.  Times are milliseconds since 1970; NULL is never.
 * What belongs to a signal is removed by sqlite_remove.c, since the cascade is slow.
 */
static const char schema[] =
    "CREATE TABLE signal (number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE,"
    " total INTEGER NOT NULL DEFAULT 0, spent INTEGER NOT NULL DEFAULT 0,"
    " target INTEGER, expires INTEGER, done INTEGER, created INTEGER, changed INTEGER,"
    " notifier TEXT);"
    "CREATE INDEX signal_expires ON signal (expires) WHERE expires IS NOT NULL;"
    "CREATE TABLE counter (signal INTEGER NOT NULL REFERENCES signal ON DELETE CASCADE,"
    " name BLOB NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (signal, name)) WITHOUT ROWID;"
    "CREATE TABLE attribute (signal INTEGER NOT NULL REFERENCES signal ON DELETE CASCADE,"
    " name BLOB NOT NULL, value BLOB NOT NULL, PRIMARY KEY (signal, name)) WITHOUT ROWID;"
    "CREATE TABLE ticket (signal INTEGER NOT NULL REFERENCES signal ON DELETE CASCADE,"
    " counter BLOB NOT NULL, target INTEGER NOT NULL, count INTEGER NOT NULL,"
    " PRIMARY KEY (signal, counter, target)) WITHOUT ROWID;"
    "CREATE TABLE lease (signal INTEGER NOT NULL REFERENCES signal ON DELETE CASCADE,"
    " name BLOB NOT NULL, ends INTEGER NOT NULL, counter BLOB NOT NULL, target INTEGER NOT NULL,"
    " releasable INTEGER NOT NULL, granted INTEGER NOT NULL, loose INTEGER NOT NULL,"
    " once INTEGER NOT NULL, PRIMARY KEY (signal, name)) WITHOUT ROWID;"
    "CREATE TABLE once (id BLOB NOT NULL, key BLOB NOT NULL, expires INTEGER,"
    " PRIMARY KEY (id, key)) WITHOUT ROWID;"
    "CREATE INDEX once_expires ON once (expires) WHERE expires IS NOT NULL;"
    "CREATE TABLE waiter (id BLOB NOT NULL, run BLOB NOT NULL, who TEXT NOT NULL,"
    " lines INTEGER NOT NULL, counter BLOB NOT NULL, target INTEGER NOT NULL,"
    " since INTEGER NOT NULL, expires INTEGER NOT NULL, PRIMARY KEY (id, run)) WITHOUT ROWID;";

static const char *const queries[DB_QUERIES] = {
    [DB_SIGNAL_FIND] = "SELECT number, total, target, spent, done, expires,"
                       " EXISTS (SELECT 1 FROM ticket WHERE signal = number),"
                       " EXISTS (SELECT 1 FROM lease WHERE signal = number) FROM signal"
                       " WHERE id = ?1 AND (expires IS NULL OR expires > ?2)",
    [DB_SIGNAL_ADD] = "INSERT INTO signal (id, total, target, changed, notifier, expires, created)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?4)",
    [DB_SIGNAL_CHANGE] = "UPDATE signal SET total = ?2, spent = ?3 WHERE number = ?1",
    [DB_SIGNAL_NOTIFY] = "UPDATE signal SET total = ?2, target = ?3, changed = ?4, notifier = ?5,"
                         " expires = CASE WHEN expires < ?6 THEN ?6"
                         " WHEN ?6 IS NULL THEN NULL ELSE expires END WHERE number = ?1",
    [DB_SIGNAL_EXTEND] = "UPDATE signal SET expires = ?2 WHERE number = ?1 AND expires < ?3",
    [DB_SIGNAL_NUMBER] = "SELECT number FROM signal WHERE id = ?1",
    [DB_SIGNAL_EXPIRED] = "SELECT number FROM signal WHERE expires <= ?1 LIMIT 1",
    [DB_SIGNAL_DELETE] = "DELETE FROM signal WHERE number = ?1",
    [DB_SIGNAL_IS_DONE] = "UPDATE signal SET done = ?2 WHERE number = ?1",
    [DB_SIGNAL_USED_UP] = "DELETE FROM signal WHERE number = ?1 AND done IS NULL"
                          " AND NOT EXISTS (SELECT 1 FROM ticket WHERE signal = ?1)"
                          " AND NOT EXISTS (SELECT 1 FROM lease WHERE signal = ?1)"
                          " AND (spent AND total = 0 OR"
                          " NOT EXISTS (SELECT 1 FROM counter WHERE signal = ?1 AND value <> 0))",
    [DB_COUNTER_GET] = "SELECT value FROM counter WHERE signal = ?1 AND name = ?2",
    [DB_COUNTER_SET] = "INSERT INTO counter VALUES (?1, ?2, ?3)"
                       " ON CONFLICT DO UPDATE SET value = excluded.value",
    [DB_COUNTERS] = "SELECT name, value FROM counter WHERE signal = ?1 ORDER BY name",
    [DB_COUNTERS_REMOVE] = "DELETE FROM counter WHERE signal = ?1",
    [DB_ATTRIBUTE_SET] = "INSERT INTO attribute VALUES (?1, ?2, ?3)"
                         " ON CONFLICT DO UPDATE SET value = excluded.value",
    [DB_ATTRIBUTES] = "SELECT name, value FROM attribute WHERE signal = ?1 ORDER BY name",
    [DB_ATTRIBUTES_REMOVE] = "DELETE FROM attribute WHERE signal = ?1",
    [DB_TICKETS_GET] = "SELECT count FROM ticket"
                       " WHERE signal = ?1 AND counter = ?2 AND target = ?3",
    [DB_TICKETS_SET] = "INSERT INTO ticket VALUES (?1, ?2, ?3, ?4)"
                       " ON CONFLICT DO UPDATE SET count = excluded.count",
    [DB_TICKETS_REMOVE] = "DELETE FROM ticket WHERE signal = ?1 AND counter = ?2 AND target = ?3",
    [DB_TICKETS_ALL] = "SELECT count FROM ticket WHERE signal = ?1",
    [DB_TICKETS_CLEAR] = "DELETE FROM ticket WHERE signal = ?1",
    [DB_LEASE_GET] = "SELECT counter, target, releasable, granted, loose, once FROM lease"
                     " WHERE signal = ?1 AND name = ?2",
    [DB_LEASE_ADD] = "INSERT INTO lease VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [DB_LEASE_REMOVE] = "DELETE FROM lease WHERE signal = ?1 AND name = ?2",
    [DB_LEASE_RENEW] = "UPDATE lease SET ends = ?3 WHERE signal = ?1 AND name = ?2 AND ends < ?3",
    [DB_LEASE_EXPIRED] = "SELECT name FROM lease WHERE signal = ?1 AND ends <= ?2 LIMIT 1",
    [DB_LEASE_FIRST] = "SELECT min(ends) FROM lease WHERE signal = ?1 AND name <> ?2",
    [DB_LEASE_ONCE] = "SELECT 1 FROM lease WHERE signal = ?1 AND once LIMIT 1",
    [DB_LEASES_CLEAR] = "DELETE FROM lease WHERE signal = ?1",
    [DB_ONCE_KNOWN] = "SELECT 1 FROM once WHERE id = ?1 AND key = ?2"
                      " AND (expires IS NULL OR expires > ?3)",
    [DB_ONCE_ADD] = "INSERT OR REPLACE INTO once VALUES (?1, ?2, ?3)",
    [DB_ONCE_EXPIRE] = "DELETE FROM once WHERE expires <= ?1",
    [DB_ONCE_COUNT] = "SELECT count(*) FROM once WHERE id = ?1",
    [DB_ONCE_REMOVE] = "DELETE FROM once WHERE id = ?1",
    [DB_WAITER_SET] = "INSERT OR REPLACE INTO waiter VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
    [DB_WAITER_REMOVE] = "DELETE FROM waiter WHERE id = ?1 AND run = ?2",
    [DB_WAITERS] = "SELECT who, lines, counter, target, since FROM waiter"
                   " WHERE id = ?1 AND expires > ?2 ORDER BY since",
    [DB_WAITERS_REMOVE] = "DELETE FROM waiter WHERE id = ?1",
    [DB_WAITERS_EXPIRE] = "DELETE FROM waiter WHERE expires <= ?1",
    [DB_IDS] = "SELECT id FROM signal WHERE expires IS NULL OR expires > ?1"
               " UNION SELECT id FROM waiter WHERE expires > ?1 ORDER BY id",
    [DB_SIGNAL_FACTS] = "SELECT created, changed, expires, done, notifier,"
                        " (SELECT total(granted) FROM lease WHERE signal = number)"
                        " FROM signal WHERE number = ?1",
    [DB_VERSION] = "PRAGMA data_version",
};

/* Put what SQLite says went wrong into E. */
static int fail(struct db *db, struct err *e)
{
    enum err_code code = ERR_IO;
    switch (sqlite3_errcode(db->handle)) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_FULL: /* room may come back */
        code = ERR_LATER;
        break;
    case SQLITE_CANTOPEN:
        if (sqlite3_system_errno(db->handle) == EMFILE) {
            return err_set(e, ERR_IO, "store %s: %s", db->path, strerror(EMFILE));
        }
        code = ERR_USAGE;
        break;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_NOTADB:
        code = ERR_USAGE;
        break;
    default:
        break;
    }
    const char *damaged =
        sqlite3_errcode(db->handle) == SQLITE_CORRUPT ? "the file is damaged: " : "";
    return err_set(e, code, "store %s: %s%s", db->path, damaged, sqlite3_errmsg(db->handle));
}

static int execute(struct db *db, const char *sql, struct err *e)
{
    return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : fail(db, e);
}

/* The number that SQL gives, or -1 with E filled. */
static int64_t ask_number(struct db *db, const char *sql, struct err *e)
{
    sqlite3_stmt *q = NULL;
    int64_t n = -1;
    if (sqlite3_prepare_v2(db->handle, sql, -1, &q, NULL) == SQLITE_OK &&
        sqlite3_step(q) == SQLITE_ROW) {
        n = sqlite3_column_int64(q, 0);
    } else {
        fail(db, e);
    }
    sqlite3_finalize(q);
    return n;
}

enum kind { KIND_OURS, KIND_EMPTY, KIND_FOREIGN };

/* What the file is. -1 with E filled. */
static int kind_of(struct db *db, struct err *e)
{
    int64_t application = ask_number(db, "PRAGMA application_id", e);
    int64_t version = application < 0 ? -1 : ask_number(db, "PRAGMA user_version", e);
    int64_t tables = version < 0 ? -1 : ask_number(db, "SELECT count(*) FROM sqlite_schema", e);
    if (tables < 0) {
        return -1;
    }
    if (application == DB_APPLICATION && version == DB_SCHEMA) {
        return KIND_OURS;
    }
    return application == 0 && version == 0 && tables == 0 ? KIND_EMPTY : KIND_FOREIGN;
}

static int refuse(const struct db *db, struct err *e)
{
    return err_set(e, ERR_USAGE,
                   "store %s: this file is no store of fanline, or one of another version",
                   db->path);
}

/* Make the tables, unless they are there. Runs within a step, so that one process does it. */
static int make_tables(struct db *db, struct err *e)
{
    int kind = kind_of(db, e);
    if (kind != KIND_EMPTY) {
        return kind == KIND_FOREIGN ? refuse(db, e) : kind == KIND_OURS ? 0 : -1;
    }
    char mark[96];
    sqlite3_snprintf(sizeof mark, mark, "PRAGMA application_id=%d; PRAGMA user_version=%d",
                     DB_APPLICATION, DB_SCHEMA);
    return execute(db, schema, e) < 0 ? -1 : execute(db, mark, e);
}

/* Another process works on the file: wait a little, the ROUND-th time. 0: long enough. */
static int wait_for_others(void *context, int round)
{
    struct db *db = context;
    int64_t now = clock_now();
    if (round == 0) {
        db->patience = clock_after(now, DB_BUSY_MILLIS * CLOCK_MILLI);
    }
    int pause = round < DB_PAUSE_MILLIS ? 1 + round : DB_PAUSE_MILLIS;
    struct pollfd stop = {.fd = db->stop, .events = POLLIN};
    return now < db->patience && poll(&stop, 1, pause) == 0;
}

void db_stop_at(struct db *db, int stop)
{
    db->stop = stop;
}

/* The same as one step, for others may be making the tables. */
static int find_kind(struct db *db, struct err *e)
{
    if (execute(db, "BEGIN", e) < 0) {
        return -1;
    }
    int kind = kind_of(db, e);
    return db_end(db, kind < 0 ? -1 : 0, e) < 0 ? -1 : kind;
}

/* Several processes may do this to a new file at once; each but one finds it done. */
static int set_up(struct db *db, struct err *e)
{
    sqlite3_busy_handler(db->handle, wait_for_others, db);
    if (execute(db, "PRAGMA foreign_keys=OFF; PRAGMA synchronous=NORMAL", e) < 0) {
        return -1;
    }
    int kind = find_kind(db, e);
    if (kind < 0 || kind == KIND_FOREIGN) { /* which is left as it is */
        return kind < 0 ? -1 : refuse(db, e);
    }
    if (execute(db, "PRAGMA journal_mode=WAL", e) < 0) {
        return -1;
    }
    if (kind == KIND_OURS) {
        return 0;
    }
    if (execute(db, "BEGIN IMMEDIATE", e) < 0) {
        return -1;
    }
    return db_end(db, make_tables(db, e), e);
}

/* Make the file if there is none, so that it belongs to its owner alone. */
static int make_file(const char *path, struct err *e)
{
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd >= 0) {
        close(fd);
        (void)folder_sync_entry(path); /* SQLite does so for the files that it makes itself */
    } else if (errno != EEXIST) {
        int number = errno;
        err_system(e, number, "store %s", path);
        if (e && number != ENOSPC && number != EIO) {
            e->code = ERR_USAGE;
        }
        return -1;
    }
    return 0;
}

/* Open the file that has the name, making it if there is none. */
static int attach(struct db *db, struct err *e)
{
    if (make_file(db->path, e) < 0) {
        return -1;
    }
    /* "./" keeps SQLite from finding a meaning in names such as ":memory:" */
    struct buf name = {0};
    buf_printf(&name, "%s%s", db->path[0] == '/' ? "" : "./", db->path);
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX;
    bool opened = sqlite3_open_v2(buf_text(&name), &db->handle, flags, NULL) == SQLITE_OK;
    buf_release(&name);
    return opened ? set_up(db, e) : fail(db, e);
}

/* A file that another one has taken the place of is let alone: SQLite checks that. */
static void detach(struct db *db)
{
    for (int i = 0; i < DB_QUERIES; i++) {
        sqlite3_finalize(db->ready[i]);
        db->ready[i] = NULL;
    }
    sqlite3_close(db->handle);
    db->handle = NULL;
}

int db_open(struct db **out, const char *path, struct err *e)
{
    struct db *db = mem_new(1, sizeof *db);
    db->path = mem_text(path);
    db->stop = -1;
    if (attach(db, e) < 0) {
        db_close(db);
        return -1;
    }
    *out = db;
    return 0;
}

const char *db_file(const struct db *db)
{
    return sqlite3_db_filename(db->handle, "main");
}

int db_refresh(struct db *db, struct err *e)
{
    int moved = 0;
    if (db->handle) {
        (void)sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
        if (!moved) {
            return 0;
        }
        detach(db);
        db->renewals++;
    }
    struct err why = {0};
    if (attach(db, &why) == 0) {
        return 0;
    }
    detach(db);
    err_set(e, ERR_LATER, "%s", why.text); /* it was there before, and may be put back */
    return -1;
}

uint64_t db_renewals(const struct db *db)
{
    return db->renewals;
}

void db_close(struct db *db)
{
    if (db) {
        detach(db);
        free(db->path);
        free(db);
    }
}

int db_begin(struct db *db, struct err *e)
{
    return db_refresh(db, e) < 0 ? -1 : execute(db, "BEGIN IMMEDIATE", e);
}

int db_begin_reading(struct db *db, struct err *e)
{
    return db_refresh(db, e) < 0 ? -1 : execute(db, "BEGIN", e);
}

int db_end(struct db *db, int rc, struct err *e)
{
    if (rc == 0) {
        rc = execute(db, "COMMIT", e);
    }
    if (rc < 0) {
        (void)sqlite3_exec(db->handle, "ROLLBACK", NULL, NULL, NULL);
    }
    return rc;
}

static int bind(sqlite3_stmt *q, int i, const struct db_value *v)
{
    switch (v->kind) {
    case DB_IS_NUMBER:
        return sqlite3_bind_int64(q, i, v->number);
    case DB_IS_BYTES: /* an empty blob, not NULL, also where there is no address */
        return sqlite3_bind_blob64(q, i, v->bytes.at ? v->bytes.at : "", v->bytes.len,
                                   SQLITE_STATIC);
    default:
        return sqlite3_bind_null(q, i);
    }
}

struct sqlite3_stmt *db_ask(struct db *db, enum db_query query, const struct db_value *values)
{
    sqlite3_stmt **q = &db->ready[query];
    if (!*q && sqlite3_prepare_v3(db->handle, queries[query], -1, SQLITE_PREPARE_PERSISTENT, q,
                                  NULL) != SQLITE_OK) {
        return NULL;
    }
    int count = sqlite3_bind_parameter_count(*q);
    for (int i = 0; i < count; i++) {
        if (bind(*q, i + 1, &values[i]) != SQLITE_OK) {
            return NULL;
        }
    }
    return *q;
}

int db_next(struct db *db, struct sqlite3_stmt *q, struct err *e)
{
    int rc = q ? sqlite3_step(q) : SQLITE_ERROR;
    if (rc == SQLITE_ROW) {
        return 1;
    }
    int result = rc == SQLITE_DONE ? 0 : fail(db, e);
    db_stop(q);
    return result;
}

void db_stop(struct sqlite3_stmt *q)
{
    if (q) {
        (void)sqlite3_reset(q); /* repeats the error of the last step */
    }
}

int db_run(struct db *db, enum db_query query, const struct db_value *values, struct err *e)
{
    return db_next(db, db_ask(db, query, values), e);
}

int64_t db_row_added(struct db *db)
{
    return sqlite3_last_insert_rowid(db->handle);
}

int64_t db_changed(struct db *db)
{
    return sqlite3_changes64(db->handle);
}

int64_t db_column(struct sqlite3_stmt *q, int column)
{
    return sqlite3_column_int64(q, column);
}

bool db_column_is_null(struct sqlite3_stmt *q, int column)
{
    return sqlite3_column_type(q, column) == SQLITE_NULL;
}

struct span db_column_bytes(struct sqlite3_stmt *q, int column)
{
    const void *at = sqlite3_column_blob(q, column);
    return span_of(at, (size_t)sqlite3_column_bytes(q, column));
}
