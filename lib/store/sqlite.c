#include "store/sqlite_entry.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>

enum {
    LOOK_SOON_MILLIS = 5, /* the pause between looks for changes grows from this to that */
    LOOK_LATE_MILLIS = 50
};

static struct sqlite_store *mine(struct store *s)
{
    return (struct sqlite_store *)s;
}

static int open_file(struct store **out, struct store_url *url, struct err *e)
{
    struct db *db;
    if (db_open(&db, url->path, e) < 0) {
        return -1;
    }
    struct sqlite_store *s = mem_new(1, sizeof *s);
    s->db = db;
    wake_log_init(&s->log, db_file(db));
    s->idle = LOOK_SOON_MILLIS * CLOCK_MILLI;
    *out = &s->base;
    return 0;
}

static void stop_at(struct store *s, int stop)
{
    db_stop_at(mine(s)->db, stop);
}

/* A file on this machine endangers nothing. */
static void concerns(struct store *s, void (*tell)(void *context, const char *text), void *context)
{
    (void)s;
    (void)tell;
    (void)context;
}

static void close_file(struct store *s)
{
    wake_log_release(&mine(s)->log);
    db_close(mine(s)->db);
    free(s);
}

/* ---- notify ---- */

/* What one step of notify works with. */
struct step {
    struct db *db;
    const char *me;
    int64_t now;   /* ms since 1970 */
    int64_t until; /* the end of what is touched; -1: never */
};

/* The end of what a step touches, as a column. */
static struct db_value until_of(const struct step *st)
{
    struct db_value never = {.kind = DB_IS_NULL};
    return st->until < 0 ? never : db_number(st->until);
}

static int once_known(const struct step *st, const struct store_notice *n, struct err *e)
{
    struct db_value values[] = {db_bytes(n->id), db_bytes(n->once), db_number(st->now)};
    struct sqlite3_stmt *q = db_ask(st->db, DB_ONCE_KNOWN, values);
    int got = db_next(st->db, q, e);
    if (got > 0) {
        db_stop(q);
    }
    return got;
}

static int once_add(const struct step *st, const struct store_notice *n, struct err *e)
{
    struct db_value values[] = {db_bytes(n->id), db_bytes(n->once), until_of(st)};
    return db_run(st->db, DB_ONCE_ADD, values, e);
}

/* Does N change anything in the entry? */
static bool has_effect(const struct store_notice *n)
{
    return n->clear || n->delta != 0 || n->attribute_count > 0 || n->target != STORE_NO_TARGET;
}

/* Add the entry of ID as it is now, or write what a notice has changed of it; and who that was. */
static int write_entry(const struct step *st, struct span id, struct entry *entry, struct err *e)
{
    bool is_new = entry->number == 0;
    struct db_value none = {.kind = DB_IS_NULL};
    struct db_value values[] = {
        is_new ? db_bytes(id) : db_number(entry->number),
        db_number(entry->total),
        entry->has_target ? db_number(entry->target) : none,
        db_number(st->now),
        db_bytes(span_text(st->me)),
        until_of(st),
    };
    if (db_run(st->db, is_new ? DB_SIGNAL_ADD : DB_SIGNAL_NOTIFY, values, e) < 0) {
        return -1;
    }
    if (is_new) {
        entry->number = db_row_added(st->db);
    }
    return 0;
}

/* What becomes of the counter of a notice. */
struct change {
    bool needed;
    bool fits;
    int64_t value;
};

/* Reckon what N makes of its counter and of the total of ENTRY. Nothing is written. */
static int reckon(const struct step *st, const struct store_notice *n, struct entry *entry,
                  struct change *c, struct err *e)
{
    int64_t before = 0;
    *c = (struct change){.needed = n->clear || n->delta != 0, .fits = true};
    if (!c->needed) {
        return 0;
    }
    if (entry->number != 0 && entry_counter(st->db, entry, n->counter, &before, e) < 0) {
        return -1;
    }
    int64_t delta = n->clear ? -before : n->delta;
    int64_t total;
    c->fits = entry_add(before, delta, &c->value) && entry_add(entry->total, delta, &total);
    if (c->fits) {
        entry->total = total;
    }
    return 0;
}

static int merge_attributes(const struct step *st, const struct store_notice *n,
                            const struct entry *entry, struct err *e)
{
    for (size_t i = 0; i < n->attribute_count; i++) {
        struct db_value values[] = {db_number(entry->number), db_bytes(n->attributes[i].name),
                                    db_bytes(n->attributes[i].value)};
        if (db_run(st->db, DB_ATTRIBUTE_SET, values, e) < 0) {
            return -1;
        }
    }
    return 0;
}

static int change_entry(const struct step *st, const struct store_notice *n, bool *fits,
                        struct err *e)
{
    struct entry entry = {.number = 0};
    struct change counter;
    if (entry_find(st->db, n->id, st->now, &entry, e) < 0 ||
        reckon(st, n, &entry, &counter, e) < 0) {
        return -1;
    }
    *fits = counter.fits;
    if (!counter.fits) {
        return 0;
    }
    if (n->target != STORE_NO_TARGET) {
        entry.has_target = true;
        entry.target = n->target;
    }
    if (write_entry(st, n->id, &entry, e) < 0 ||
        (counter.needed && entry_set_counter(st->db, &entry, n->counter, counter.value, e) < 0)) {
        return -1;
    }
    return merge_attributes(st, n, &entry, e);
}

static int notify_one(const struct step *st, const struct store_notice *n,
                      enum store_verdict *verdict, struct err *e)
{
    if (n->once.len > 0) {
        int known = once_known(st, n, e);
        if (known != 0) {
            *verdict = STORE_REPEATED;
            return known < 0 ? -1 : 0;
        }
    }
    bool fits = true;
    if (has_effect(n) && change_entry(st, n, &fits, e) < 0) {
        return -1;
    }
    *verdict = fits ? STORE_COUNTED : STORE_OVERFLOW;
    return fits && n->once.len > 0 ? once_add(st, n, e) : 0;
}

/* Remove what has outlived its time. */
static int sweep(const struct step *st, struct err *e)
{
    struct db_value now = db_number(st->now);
    return entry_expire_all(st->db, st->now, e) < 0 ? -1 : db_run(st->db, DB_ONCE_EXPIRE, &now, e);
}

/* Tell those who wait which ids have changed. */
static void say(struct sqlite_store *s, const struct store_batch *batch)
{
    for (size_t i = 0; i < batch->count; i++) {
        struct span id = batch->notices[i].id;
        if (i == 0 || !span_equal(id, batch->notices[i - 1].id)) {
            wake_log_say(&s->log, id);
        }
    }
    wake_log_send(&s->log);
}

/* The whole batch is one transaction: after a failure nothing of it is done. */
static int notify(struct store *s, const struct store_batch *batch, enum store_verdict *verdicts,
                  struct err *e)
{
    int64_t now = clock_real() / CLOCK_MILLI;
    struct step st = {.db = mine(s)->db, .me = s->me, .now = now, .until = -1};
    if (batch->ttl > 0) {
        st.until = clock_after(now, batch->ttl / CLOCK_MILLI + 1);
    }
    if (db_begin(st.db, e) < 0) {
        return -1;
    }
    int rc = sweep(&st, e);
    for (size_t i = 0; i < batch->count && rc == 0; i++) {
        rc = notify_one(&st, &batch->notices[i], &verdicts[i], e);
    }
    rc = db_end(st.db, rc, e);
    if (rc == 0) {
        say(mine(s), batch);
    }
    return rc;
}

/* ---- wake-up ---- */

/* The file's version as others' changes have made it; our own do not count. */
static int file_version(struct sqlite_store *s, int64_t *out, struct err *e)
{
    if (db_refresh(s->db, e) < 0) {
        return -1;
    }
    struct sqlite3_stmt *q = db_ask(s->db, DB_VERSION, NULL);
    if (db_next(s->db, q, e) <= 0) {
        return -1;
    }
    *out = db_column(q, 0);
    db_stop(q);
    return 0;
}

static void look_after(struct sqlite_store *s, int64_t pause)
{
    s->idle = pause;
    s->look_at = clock_after(clock_now(), pause);
}

static int watch(struct store *base, struct err *e)
{
    struct sqlite_store *s = mine(base);
    s->listening = true;
    if (wake_log_listen(&s->log)) {
        return 0;
    }
    look_after(s, LOOK_SOON_MILLIS * CLOCK_MILLI);
    return file_version(s, &s->version, e);
}

static struct store_wake wake(struct store *base)
{
    struct sqlite_store *s = mine(base);
    int fd = wake_log_fd(&s->log);
    return (struct store_wake){.fd = fd, .at = fd < 0 && s->listening ? s->look_at : CLOCK_NEVER};
}

/* Look whether the file has changed: that tells not what has. */
static int look(struct sqlite_store *s, struct err *e)
{
    int64_t version;
    if (clock_now() < s->look_at) {
        return 0;
    }
    if (file_version(s, &version, e) < 0) {
        return -1;
    }
    bool same = version == s->version;
    int64_t longer = s->idle * 2;
    int64_t longest = LOOK_LATE_MILLIS * CLOCK_MILLI;
    s->version = version;
    if (!same) {
        (void)wake_log_listen(&s->log); /* perhaps it is possible again */
    }
    look_after(s, !same ? LOOK_SOON_MILLIS * CLOCK_MILLI : longer < longest ? longer : longest);
    return !same;
}

static int changed(struct store *base, void (*tell)(void *context, struct span id), void *context,
                   struct err *e)
{
    struct sqlite_store *s = mine(base);
    if (!s->listening) {
        return 0;
    }
    int rc = wake_log_fd(&s->log) >= 0 ? wake_log_hear(&s->log, tell, context) : look(s, e);
    uint64_t renewals = db_renewals(s->db);
    if (rc == 0 && renewals != s->renewals) {
        rc = 1; /* another file, where nothing is known */
    }
    s->renewals = renewals;
    return rc;
}

const struct store_backend store_sqlite = {
    .open = open_file,
    .notify = notify,
    .take = sqlite_take,
    .settle = sqlite_settle,
    .fetch = sqlite_fetch,
    .replace = sqlite_replace,
    .remove = sqlite_remove,
    .watch = watch,
    .wake = wake,
    .changed = changed,
    .list = sqlite_list,
    .describe = sqlite_describe,
    .tell_waiting = sqlite_tell_waiting,
    .purge = sqlite_purge,
    .sweep = sqlite_sweep,
    .stop_at = stop_at,
    .concerns = concerns,
    .close = close_file,
};
