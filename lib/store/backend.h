/*
 * backend.h: what a kind of store provides.
 *
 * A backend embeds `struct store` as the first member of its own struct.  Each function
 * keeps the contract of its namesake in store.h.  Inside the room store only.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_BACKEND_H
#define FANLINE_STORE_BACKEND_H

#include "store/facts.h"
#include "store/store.h"
#include "store/url.h"

struct store_backend {
    /* NULL stands for what such a store cannot do, where store.c says so. */

    /* May keep what URL owns, leaving it empty. */
    int (*open)(struct store **out, struct store_url *url, struct err *e);
    int (*notify)(struct store *s, const struct store_batch *batch, enum store_verdict *verdicts,
                  struct err *e);
    int (*take)(struct store *s, const struct store_ask *asks, struct store_grant *grants,
                size_t count, struct err *e);
    int (*settle)(struct store *s, struct store_settlement *settlements, size_t count,
                  struct err *e);
    int (*fetch)(struct store *s, struct span id, struct store_entry *out, struct err *e);
    int (*replace)(struct store *s, struct span id, const struct store_entry *entry,
                   struct span expected, int64_t ttl, struct err *e);
    int (*remove)(struct store *s, struct span id, struct err *e);
    int (*watch)(struct store *s, struct err *e);
    struct store_wake (*wake)(struct store *s);
    int (*changed)(struct store *s, void (*tell)(void *context, struct span id), void *context,
                   struct err *e);
    int (*list)(struct store *s, void (*tell)(void *context, struct span id), void *context,
                struct err *e);
    int (*describe)(struct store *s, struct span id, struct store_facts *out, struct err *e);
    int (*tell_waiting)(struct store *s, const struct store_note *notes, size_t count,
                        struct err *e); /* NULL: nothing to tell */
    int (*purge)(struct store *s, struct span id, struct err *e);
    int (*sweep)(struct store *s, struct err *e); /* NULL: it does that by itself */
    void (*stop_at)(struct store *s, int stop);
    void (*concerns)(struct store *s, void (*tell)(void *context, const char *text), void *context);
    void (*close)(struct store *s);
};

#define STORE_ME_MAX 96

struct store {
    const struct store_backend *backend;
    char *shown;           /* owned; freed by store_close */
    char me[STORE_ME_MAX]; /* who we are: HOST:PID */
};

extern const struct store_backend store_redis;
extern const struct store_backend store_redis_nifi;
extern const struct store_backend store_sqlite;

/* Add a counter or an attribute to G; the texts are copied. */
void store_grant_counter(struct store_grant *g, struct span name, int64_t value);
void store_grant_attribute(struct store_grant *g, struct span name, struct span value);

/* Put them in the order of their names. */
void store_grant_sort(struct store_grant *g);

#endif
