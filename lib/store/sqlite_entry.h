/*
 * sqlite_entry.h: what notify, take and settle share: the entry of one signal id.
 *
 * Inside the room store only. All functions run within a step of the db.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_SQLITE_ENTRY_H
#define FANLINE_STORE_SQLITE_ENTRY_H

#include "store/backend.h"
#include "store/sqlite_db.h"

struct sqlite_store {
    struct store base;
    struct db *db;
    bool listening;
    int64_t version; /* of the file, when it was last looked at */
    int64_t idle;    /* pause before the next look */
    int64_t look_at;
};

struct entry {
    int64_t number;
    int64_t total;
    bool has_target;
    int64_t target; /* as stated */
};

/* Find the entry of ID that is alive at NOW (ms since 1970). 1, 0 if there is none, -1 with E. */
int entry_find(struct db *db, struct span id, int64_t now, struct entry *out, struct err *e);

/* Let ENTRY live at least until NEEDED, if it does not, by setting its end to UNTIL; < 0: for ever.
 */
int entry_extend(struct db *db, const struct entry *entry, int64_t needed, int64_t until,
                 struct err *e);

/* Write total and target as they are now; SPENT: signals have been taken from the total alone. */
int entry_write(struct db *db, const struct entry *entry, bool spent, struct err *e);

/* The value of a counter, 0 if there is none. */
int entry_counter(struct db *db, const struct entry *entry, struct span name, int64_t *out,
                  struct err *e);
int entry_set_counter(struct db *db, const struct entry *entry, struct span name, int64_t value,
                      struct err *e);

/*
 * A + B in *OUT, within what a counter may be (STORE_COUNT_MAX). False if it is beyond.
 */
bool entry_add(int64_t a, int64_t b, int64_t *out);

/* take and settle of the backend table, in sqlite_take.c. */
int sqlite_take(struct store *s, const struct store_ask *asks, struct store_grant *grants,
                size_t count, struct err *e);
int sqlite_settle(struct store *s, struct store_settlement *settlements, size_t count,
                  struct err *e);

#endif
