/* Entries as NiFi's Redis service keeps them: a string under the id itself
 * (reference/wait-notify.md 6.1). */
#include "base/mem.h"
#include "store/nifi_json.h"
#include "store/redis_store.h"

#include <string.h>

/* ---- fetch ---- */

struct fetch_call {
    struct span id;
    struct store_entry *out;
    bool found;
};

static void ask_fetch(void *context, size_t i, struct command *c)
{
    const struct fetch_call *f = context;
    (void)i;
    command_start(c, "GET");
    command_key(c, f->id);
}

static int answer_fetch(void *context, size_t i, const struct reply *r, struct err *e)
{
    struct fetch_call *f = context;
    (void)i;
    f->found = r->kind == REPLY_TEXT;
    if (!f->found) {
        return r->kind == REPLY_NOTHING ? 0 : reply_strange(e);
    }
    store_entry_release(f->out);
    if (nifi_json_read(r->text, f->out, e) < 0) {
        return -1;
    }
    buf_add_span(&f->out->revision, r->text);
    return 0;
}

static int fetch(struct store *s, struct span id, struct store_entry *out, struct err *e)
{
    struct fetch_call f = {id, out, false};
    struct calls calls = {NULL, 1, ask_fetch, answer_fetch, &f};
    return redis_look(redis_mine(s), &calls, e) < 0 ? -1 : f.found;
}

/* ---- replace ---- */

struct replace_call {
    struct redis_store *store;
    struct span id, expected, text;
    int64_t ttl;
    bool done;
};

static void ask_replace(void *context, size_t i, struct command *c)
{
    const struct replace_call *r = context;
    (void)i;
    command_add_text(c, "1");
    command_key(c, r->id);
    command_add_text(c, r->expected.len ? "1" : "0");
    command_add(c, r->expected);
    command_add(c, r->text);
    command_add_number(c, r->ttl);
    command_add_text(c, r->store->channel);
    command_add(c, r->id);
}

static int answer_replace(void *context, size_t i, const struct reply *r, struct err *e)
{
    (void)i;
    if (r->kind != REPLY_NUMBER) {
        return reply_strange(e);
    }
    ((struct replace_call *)context)->done = r->number == 1;
    return 0;
}

static int replace(struct store *s, struct span id, const struct store_entry *entry,
                   struct span expected, int64_t ttl, struct err *e)
{
    struct buf text = {0};
    if (entry) {
        nifi_json_write(entry, &text);
    }
    struct replace_call r = {
        redis_mine(s), id, expected, buf_span(&text), redis_replace_ttl(entry, ttl), false};
    struct calls calls = {&r.store->scripts[SCRIPT_SWAP], 1, ask_replace, answer_replace, &r};
    int rc = server_run(r.store->server, &calls, e);
    buf_release(&text);
    return rc < 0 ? -1 : r.done;
}

/* ---- remove ---- */

static void ask_remove(void *context, size_t i, struct command *c)
{
    (void)i;
    command_start(c, "DEL");
    command_key(c, *(const struct span *)context);
}

static int answer_remove(void *context, size_t i, const struct reply *r, struct err *e)
{
    (void)context;
    (void)i;
    return r->kind == REPLY_NUMBER ? 0 : reply_strange(e);
}

static int remove_entry(struct store *s, struct span id, struct err *e)
{
    struct calls calls = {NULL, 1, ask_remove, answer_remove, &id};
    return server_run(redis_mine(s)->server, &calls, e);
}

/* ---- for people ---- */

static int describe(struct store *s, struct span id, struct store_facts *out, struct err *e)
{
    int got = fetch(s, id, &out->entry, e);
    out->found = got == 1;
    out->tickets = out->entry.tickets;
    for (size_t i = 0; i < out->entry.counter_count; i++) {
        out->total = (int64_t)((uint64_t)out->total + (uint64_t)out->entry.counters[i].value);
    }
    return got < 0 ? -1 : 0;
}

const struct store_backend store_redis_nifi = {
    .open = redis_open,
    .fetch = fetch,
    .replace = replace,
    .remove = remove_entry,
    .watch = redis_watch,
    .wake = redis_wake,
    .changed = redis_changed,
    .list = redis_list,
    .describe = describe,
    .purge = remove_entry,
    .stop_at = redis_stop_at,
    .concerns = redis_concerns,
    .close = redis_close,
};
