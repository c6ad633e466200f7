/*
 * redis_store.h: what the parts of the Redis backend share.
 *
 * An entry is one hash, PREFIX:{ENC(id)}, so that it has one slot, one time to live and one
 * removal (reference/wait-notify.md 6.3; its fields: entry.lua).  Beside it, under the
 * same hash tag: the set of once-keys, and for a minute the last batch of each notifier.
 *
 * Inside the room store only.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_REDIS_STORE_H
#define FANLINE_STORE_REDIS_STORE_H

#include "base/uuid.h"
#include "store/backend.h"
#include "store/redis_link.h"

#include <stdbool.h>

enum redis_script { SCRIPT_NOTIFY, SCRIPT_TAKE, SCRIPT_SETTLE, SCRIPTS };

#define SCRIPT_HASH_MAX 41 /* hex digits of SHA-1, with the NUL */

struct redis_store {
    struct store base;
    struct store_url url;
    struct redis_link link;
    char hashes[SCRIPTS][SCRIPT_HASH_MAX]; /* as the server named the scripts */
    char memory[UUID_TEXT_MAX + 8];        /* end of the key for the last batch of this process */
    char channel[64];
    struct redis_link ears; /* the subscription */
    bool listening;
    int64_t pause; /* before the next attempt to subscribe */
    int64_t retry_at;
};

/* One of several calls of a script. */
struct redis_calls {
    enum redis_script script;
    size_t count;
    /* Add the number of keys, the keys and the arguments of call I to C. */
    void (*ask)(void *context, size_t i, struct redis_command *c);
    /* The reply to call I, which is no error. 0, or -1 with E filled. */
    int (*answer)(void *context, size_t i, const redisReply *r, struct err *e);
    void *context;
};

/*
 * Make all the calls in one round trip, connecting first where need be.  0, or -1 with E filled:
 * some of them may have been made.
 */
int redis_run(struct redis_store *s, const struct redis_calls *calls, struct err *e);

/* Add the name of the key of ID to C; TAIL follows the hash tag. */
void redis_add_key(struct redis_command *c, struct span id, const char *tail);

/* A reply that no script of ours gives. Returns -1. */
int redis_strange(struct err *e);

/* watch, wake and changed of the backend table, in redis_wake.c. */
int redis_watch(struct store *s, struct err *e);
struct store_wake redis_wake(struct store *s);
int redis_changed(struct store *s, void (*tell)(void *context, struct span id), void *context,
                  struct err *e);

#endif
