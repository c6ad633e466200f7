#include "store/backend.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct store_backend *backend_of(const struct store_url *where)
{
    switch (where->scheme) {
    case STORE_SQLITE:
        return &store_sqlite;
    case STORE_REDIS_NIFI:
        return &store_redis_nifi;
    default:
        return &store_redis;
    }
}

/* HOST:PID, for people who look for a notifier. */
static void name_me(struct store *s)
{
    char host[64] = "";
    if (gethostname(host, sizeof host - 1) < 0) {
        host[0] = '\0';
    }
    snprintf(s->me, sizeof s->me, "%s:%ld", host, (long)getpid());
}

int store_open(struct store **out, const char *url, struct err *e)
{
    struct store_url where;
    if (store_url_parse(&where, url, e) < 0) {
        return -1;
    }
    const struct store_backend *b = backend_of(&where);
    struct store *s = NULL;
    char *shown = mem_text(where.shown);
    int rc = b->open(&s, &where, e);
    if (rc == 0) {
        s->backend = b;
        s->shown = shown;
        name_me(s);
        *out = s;
    } else {
        free(shown);
    }
    store_url_release(&where);
    return rc;
}

const char *store_shown(const struct store *s)
{
    return s->shown;
}

bool store_is_foreign(const struct store *s)
{
    return s->backend == &store_redis_nifi;
}

void store_stop_at(struct store *s, int stop)
{
    s->backend->stop_at(s, stop);
}

void store_concerns(struct store *s, void (*tell)(void *context, const char *text), void *context)
{
    s->backend->concerns(s, tell, context);
}

void store_close(struct store *s)
{
    if (s) {
        free(s->shown);
        s->backend->close(s);
    }
}

/* Only fetch, replace and remove are possible. */
static int refuse_foreign(const struct store *s, struct err *e)
{
    return err_set(e, ERR_USAGE, "store %s: entries in NiFi's form can only be used with --nifi",
                   s->shown);
}

int store_notify(struct store *s, const struct store_batch *batch, enum store_verdict *verdicts,
                 struct err *e)
{
    if (!s->backend->notify) {
        return refuse_foreign(s, e);
    }
    return batch->count ? s->backend->notify(s, batch, verdicts, e) : 0;
}

int store_take(struct store *s, const struct store_ask *asks, struct store_grant *grants,
               size_t count, struct err *e)
{
    if (!s->backend->take) {
        return refuse_foreign(s, e);
    }
    return count ? s->backend->take(s, asks, grants, count, e) : 0;
}

int store_settle(struct store *s, struct store_settlement *settlements, size_t count, struct err *e)
{
    return count ? s->backend->settle(s, settlements, count, e) : 0;
}

int store_fetch(struct store *s, struct span id, struct store_entry *out, struct err *e)
{
    store_entry_release(out);
    return s->backend->fetch(s, id, out, e);
}

int store_replace(struct store *s, struct span id, const struct store_entry *entry,
                  struct span expected, int64_t ttl, struct err *e)
{
    return s->backend->replace(s, id, entry, expected, ttl, e);
}

int store_remove(struct store *s, struct span id, struct err *e)
{
    return s->backend->remove(s, id, e);
}

int store_watch(struct store *s, struct err *e)
{
    return s->backend->watch(s, e);
}

struct store_wake store_wake(struct store *s)
{
    return s->backend->wake(s);
}

int store_changed(struct store *s, void (*tell)(void *context, struct span id), void *context,
                  struct err *e)
{
    return s->backend->changed(s, tell, context, e);
}
