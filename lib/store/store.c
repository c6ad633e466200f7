#include "store/backend.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

int store_open(struct store **out, const char *url, struct err *e)
{
    struct store_url where;
    if (store_url_parse(&where, url, e) < 0) {
        return -1;
    }
    const struct store_backend *b = where.scheme == STORE_SQLITE ? &store_sqlite : &store_redis;
    struct store *s = NULL;
    char *shown = mem_text(where.shown);
    int rc = b->open(&s, &where, e);
    if (rc == 0) {
        s->backend = b;
        s->shown = shown;
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

void store_close(struct store *s)
{
    if (s) {
        free(s->shown);
        s->backend->close(s);
    }
}

int store_notify(struct store *s, const struct store_batch *batch, enum store_verdict *verdicts,
                 struct err *e)
{
    return batch->count ? s->backend->notify(s, batch, verdicts, e) : 0;
}

int store_take(struct store *s, const struct store_ask *asks, struct store_grant *grants,
               size_t count, struct err *e)
{
    return count ? s->backend->take(s, asks, grants, count, e) : 0;
}

int store_settle(struct store *s, struct store_settlement *settlements, size_t count, struct err *e)
{
    return count ? s->backend->settle(s, settlements, count, e) : 0;
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

/* NAME and VALUE copied into one allocation, which NAME's span owns. */
static struct store_attribute copy_pair(struct span name, struct span value)
{
    char *at = mem_resize(NULL, name.len + value.len + 1, 1);
    if (name.len > 0) {
        memcpy(at, name.at, name.len);
    }
    if (value.len > 0) {
        memcpy(at + name.len, value.at, value.len);
    }
    return (struct store_attribute){span_of(at, name.len), span_of(at + name.len, value.len)};
}

void store_grant_counter(struct store_grant *g, struct span name, int64_t value)
{
    g->counters = mem_grow(g->counters, &g->counter_cap, g->counter_count, sizeof *g->counters);
    struct span copy = copy_pair(name, (struct span){0}).name;
    g->counters[g->counter_count++] = (struct store_counter){copy, value};
}

void store_grant_attribute(struct store_grant *g, struct span name, struct span value)
{
    g->attributes =
        mem_grow(g->attributes, &g->attribute_cap, g->attribute_count, sizeof *g->attributes);
    g->attributes[g->attribute_count++] = copy_pair(name, value);
}

void store_grant_release(struct store_grant *g)
{
    for (size_t i = 0; i < g->counter_count; i++) {
        free((char *)g->counters[i].name.at);
    }
    for (size_t i = 0; i < g->attribute_count; i++) {
        free((char *)g->attributes[i].name.at);
    }
    free(g->counters);
    free(g->attributes);
    *g = (struct store_grant){0};
}
