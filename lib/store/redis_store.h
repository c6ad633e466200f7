/*
 * redis_store.h: what the parts of the Redis backend share.
 *
 * An entry is one hash, PREFIX:{ENC(id)}, so that it has one slot, one time to live and one
 * removal (reference/wait-notify.md 6.3; its fields: entry.lua).  Beside it, under the
 * same hash tag: the set of once-keys, those who wait, and for a minute the last batch of each
 * notifier.  A channel announces the entries that change (announce.h).
 *
 * Inside the room store only.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_REDIS_STORE_H
#define FANLINE_STORE_REDIS_STORE_H

#include "base/uuid.h"
#include "redis/server.h"
#include "store/backend.h"

#include <stdbool.h>

#define REDIS_PREFIX "fanline:" /* of all keys */

enum redis_script {
    SCRIPT_NOTIFY,
    SCRIPT_TAKE,
    SCRIPT_SETTLE,
    SCRIPT_REPLACE,
    SCRIPT_SWAP,
    SCRIPTS
};

struct redis_store {
    struct store base;
    struct server *server;
    bool scattered; /* a cluster: a call concerns one id */
    struct script scripts[SCRIPTS];
    char memory[UUID_TEXT_MAX + 8]; /* end of the key for the last batch of this process */
    char channel[64];
    struct link *ears; /* the subscription */
    bool listening;
    int64_t pause; /* before the next attempt to subscribe */
    int64_t retry_at;
};

static inline struct redis_store *redis_mine(struct store *s)
{
    return (struct redis_store *)s;
}

/* Nanoseconds as whole milliseconds, rounded up. */
int64_t redis_millis(int64_t duration);

/* Add the name of the key of ID to C; TAIL follows the hash tag. */
void redis_add_key(struct command *c, struct span id, const char *tail);

/* What both kinds of entries have in common of the backend table, in redis.c. */
int redis_open(struct store **out, struct store_url *url, struct err *e);
void redis_stop_at(struct store *s, int stop);
void redis_concerns(struct store *s, void (*tell)(void *context, const char *text), void *context);
void redis_close(struct store *s);

/* Make CALLS, which only look.  0, or -1 with E filled: ERR_DATA where a key is no entry. */
int redis_look(struct redis_store *s, const struct calls *calls, struct err *e);

#define REPLACE_REMOVES INT64_C(-2) /* for the scripts: no other entry takes its place */

/* The time to live that the scripts of replace get. */
int64_t redis_replace_ttl(const struct store_entry *entry, int64_t ttl);

/* fetch, replace and remove of the backend table, in redis_entry.c. */
int redis_fetch(struct store *s, struct span id, struct store_entry *out, struct err *e);
int redis_replace(struct store *s, struct span id, const struct store_entry *entry,
                  struct span expected, int64_t ttl, struct err *e);
int redis_remove(struct store *s, struct span id, struct err *e);

/* Those of facts.h in the backend table, in redis_facts.c. */
int redis_list(struct store *s, void (*tell)(void *context, struct span id), void *context,
               struct err *e);
int redis_describe(struct store *s, struct span id, struct store_facts *out, struct err *e);
int redis_tell_waiting(struct store *s, const struct store_note *notes, size_t count,
                       struct err *e);
int redis_purge(struct store *s, struct span id, struct err *e);

/* watch, wake and changed of the backend table, in redis_wake.c. */
int redis_watch(struct store *s, struct err *e);
struct store_wake redis_wake(struct store *s);
int redis_changed(struct store *s, void (*tell)(void *context, struct span id), void *context,
                  struct err *e);

#endif
