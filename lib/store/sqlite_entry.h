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
#include "store/wake_log.h"

struct sqlite_store {
    struct store base;
    struct db *db;
    struct wake_log log;
    bool listening;
    uint64_t renewals; /* of the file, that were noticed */
    /* Where the log cannot be listened to: */
    int64_t version; /* of the file, when it was last looked at */
    int64_t idle;    /* pause before the next look */
    int64_t look_at;
};

struct entry {
    int64_t number; /* from 1 on */
    int64_t total;
    bool has_target;
    int64_t target; /* as stated */
    bool spent;     /* signals have been taken from the total alone */
    bool done;      /* released once before */
    int64_t ends;   /* of its life, in ms since 1970; INT64_MAX: never */
    bool ticketed;  /* there may be tickets left over */
    bool leased;    /* there were leases when it was found */
};

/* Find the entry of ID that is alive at NOW (ms since 1970). 1, 0 if there is none, -1 with E. */
int entry_find(struct db *db, struct span id, int64_t now, struct entry *out, struct err *e);

/* Let ENTRY live at least until NEEDED, if it does not, by setting its end to UNTIL. */
int entry_extend(struct db *db, const struct entry *entry, int64_t needed, int64_t until,
                 struct err *e);

/* Write the total, and whether it was taken from, as they are now. */
int entry_write(struct db *db, const struct entry *entry, struct err *e);

/* Remove the entry of ID, if there is one, with all that belongs to it. 0, or -1 with E filled. */
int entry_remove(struct db *db, struct span id, struct err *e);

/* The same for all entries whose end is NOW (ms since 1970) or before. */
int entry_expire_all(struct db *db, int64_t now, struct err *e);

/* The same for ENTRY if there is nothing left to take from it. */
int entry_remove_used_up(struct db *db, const struct entry *entry, struct err *e);

#define ENTRY_LOOSE (-1) /* as a target: tickets that are for anybody */

/* Tickets left over for waiters of COUNTER (empty: the total) and TARGET. */
int entry_tickets(struct db *db, const struct entry *entry, struct span counter, int64_t target,
                  int64_t *out, struct err *e);
int entry_set_tickets(struct db *db, struct entry *entry, struct span counter, int64_t target,
                      int64_t count, struct err *e);

/* The value of a counter, 0 if there is none. */
int entry_counter(struct db *db, const struct entry *entry, struct span name, int64_t *out,
                  struct err *e);
int entry_set_counter(struct db *db, const struct entry *entry, struct span name, int64_t value,
                      struct err *e);

/*
 * A + B in *OUT, within what a counter may be (STORE_COUNT_MAX). False if it is beyond.
 */
bool entry_add(int64_t a, int64_t b, int64_t *out);

/* take of the backend table, in sqlite_take.c. */
int sqlite_take(struct store *s, const struct store_ask *asks, struct store_grant *grants,
                size_t count, struct err *e);

/* fetch, replace and remove of the backend table, in sqlite_nifi.c. */
int sqlite_fetch(struct store *s, struct span id, struct store_entry *out, struct err *e);
int sqlite_replace(struct store *s, struct span id, const struct store_entry *entry,
                   struct span expected, int64_t ttl, struct err *e);
int sqlite_remove(struct store *s, struct span id, struct err *e);

/* Those of facts.h in the backend table, in sqlite_facts.c. */
int sqlite_list(struct store *s, void (*tell)(void *context, struct span id), void *context,
                struct err *e);
int sqlite_describe(struct store *s, struct span id, struct store_facts *out, struct err *e);
int sqlite_tell_waiting(struct store *s, const struct store_note *notes, size_t count,
                        struct err *e);
int sqlite_purge(struct store *s, struct span id, struct err *e);
int sqlite_sweep(struct store *s, struct err *e);

/* settle of the backend table, in sqlite_lease.c. */
int sqlite_settle(struct store *s, struct store_settlement *settlements, size_t count,
                  struct err *e);

#endif
