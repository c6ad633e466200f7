#include "store/announce.h"
#include "store/redis_store.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/entry.lua.h"
#include "store/notify.lua.h"
#include "store/replace.lua.h"
#include "store/settle.lua.h"
#include "store/swap.lua.h"
#include "store/take.lua.h"

static const char *const script_texts[SCRIPTS] = {
    [SCRIPT_NOTIFY] = lua_notify,   [SCRIPT_TAKE] = lua_take, [SCRIPT_SETTLE] = lua_settle,
    [SCRIPT_REPLACE] = lua_replace, [SCRIPT_SWAP] = lua_swap,
};

int redis_open(struct store **out, struct store_url *url, struct err *e)
{
    (void)e;
    struct redis_store *s = mem_new(1, sizeof *s);
    char run[UUID_TEXT_MAX];
    snprintf(s->channel, sizeof s->channel, REDIS_PREFIX "%lld:wake",
             (long long)url->redis.database);
    s->scattered = url->redis.kind == ADDRESS_CLUSTER;
    s->server = server_new(&url->redis);
    for (int i = 0; i < SCRIPTS; i++) { /* what all of them share stands before each */
        const char *const parts[] = {lua_entry, script_texts[i], NULL};
        script_init(&s->scripts[i], parts);
    }
    snprintf(s->memory, sizeof s->memory, ":run:%s", uuid_make(run));
    *out = &s->base;
    return 0;
}

void redis_close(struct store *base)
{
    struct redis_store *s = redis_mine(base);
    link_close(s->ears);
    server_free(s->server);
    for (int i = 0; i < SCRIPTS; i++) {
        script_release(&s->scripts[i]);
    }
    free(s);
}

void redis_add_key(struct command *c, struct span id, const char *tail)
{
    struct buf key = {0};
    buf_add_text(&key, REDIS_PREFIX "{");
    for (size_t i = 0; i < id.len; i++) {
        unsigned char b = (unsigned char)id.at[i];
        if (b < 0x20 || b == 0x7f || b == '{' || b == '}' || b == '%') {
            buf_printf(&key, "%%%02X", b);
        } else {
            buf_add_byte(&key, (char)b);
        }
    }
    buf_add_byte(&key, '}');
    buf_add_text(&key, tail);
    command_key(c, buf_span(&key));
    buf_release(&key);
}

void redis_stop_at(struct store *base, int stop)
{
    struct redis_store *s = redis_mine(base);
    server_stop_at(s->server, stop);
}

void redis_concerns(struct store *base, void (*tell)(void *context, const char *text),
                    void *context)
{
    server_concerns(redis_mine(base)->server, tell, context);
}

int64_t redis_millis(int64_t duration)
{
    return duration / CLOCK_MILLI + (duration % CLOCK_MILLI != 0);
}

/* ---- notify ---- */

#define REPEAT_DEFAULT (60 * CLOCK_SECOND)

enum {
    CALL_NOTICES = 100,     /* then a call gets no more ids: one holds others up for about a ms */
    CALL_IDS = 50,          /* of take and settle, for the same reason */
    CALL_BYTES = 256 * 1024 /* of ids: they are announced in one message */
};

/* The notices of one batch, those of one id together, and several ids in one call of the script. */
struct notify_call {
    struct redis_store *store;
    const struct store_batch *batch;
    enum store_verdict *verdicts;
    size_t *order;  /* indexes of notices, by id and then as they came */
    size_t *starts; /* of each call in `order`, and the end of the last */
    size_t calls;
};

static const struct store_notice *notice_at(const struct notify_call *n, size_t i)
{
    return &n->batch->notices[n->order[i]];
}

static int by_id(const void *a, const void *b, void *context)
{
    const struct store_notice *notices = context;
    size_t i = *(const size_t *)a;
    size_t j = *(const size_t *)b;
    int rc = span_compare(notices[i].id, notices[j].id);
    return rc ? rc : (i > j) - (i < j);
}

/* The end of those that are for the same id as the notice at I. */
static size_t same_id(const struct notify_call *n, size_t i)
{
    struct span id = notice_at(n, i)->id;
    while (++i < n->batch->count && span_equal(notice_at(n, i)->id, id)) {
    }
    return i;
}

/* The end of those that go into one call from I on. In a cluster each id may be somewhere else. */
static size_t one_call(const struct notify_call *n, size_t i)
{
    size_t start = i;
    size_t bytes = 0;
    do {
        bytes += notice_at(n, i)->id.len;
        i = same_id(n, i);
    } while (!n->store->scattered && i < n->batch->count && i - start < CALL_NOTICES &&
             bytes < CALL_BYTES);
    return i;
}

/* A batch is divided in the same way each time, so that the script knows its calls again. */
static void divide(struct notify_call *n)
{
    size_t count = n->batch->count;
    n->order = mem_new(count, sizeof *n->order);
    n->starts = mem_new(count + 1, sizeof *n->starts);
    for (size_t i = 0; i < count; i++) {
        n->order[i] = i;
    }
    qsort_r(n->order, count, sizeof *n->order, by_id, (void *)(uintptr_t)n->batch->notices);
    for (size_t i = 0; i < count; i = one_call(n, i)) {
        n->starts[n->calls++] = i;
    }
    n->starts[n->calls] = count;
}

static void add_notice(struct command *c, const struct store_notice *n)
{
    command_add_text(c, n->clear ? "0" : "+");
    command_add(c, n->counter);
    command_add_number(c, n->delta);
    if (n->target == STORE_NO_TARGET) {
        command_add_text(c, "");
    } else {
        command_add_number(c, n->target);
    }
    command_add(c, n->once);
    command_add_number(c, (int64_t)n->attribute_count);
    for (size_t i = 0; i < n->attribute_count; i++) {
        command_add(c, n->attributes[i].name);
        command_add(c, n->attributes[i].value);
    }
}

/* The keys of call I. */
static void add_keys(const struct notify_call *n, size_t i, struct command *c)
{
    int64_t keys = 1;
    for (size_t k = n->starts[i]; k < n->starts[i + 1]; k = same_id(n, k)) {
        keys += 2;
    }
    command_add_number(c, keys);
    redis_add_key(c, notice_at(n, n->starts[i])->id, n->store->memory);
    for (size_t k = n->starts[i]; k < n->starts[i + 1]; k = same_id(n, k)) {
        redis_add_key(c, notice_at(n, k)->id, "");
        redis_add_key(c, notice_at(n, k)->id, ":once");
    }
}

/* The announcement of the entries of call I. */
static void add_announcement(const struct notify_call *n, size_t i, struct command *c)
{
    struct buf text = {0};
    for (size_t k = n->starts[i]; k < n->starts[i + 1]; k = same_id(n, k)) {
        announce_add(&text, notice_at(n, k)->id);
    }
    command_add(c, buf_span(&text));
    buf_release(&text);
}

static void ask_notify(void *context, size_t i, struct command *c)
{
    const struct notify_call *n = context;
    add_keys(n, i, c);
    command_add_number(c, (int64_t)n->batch->number);
    command_add_number(c, redis_millis(n->batch->ttl));
    command_add_text(c, n->store->channel);
    command_add_text(c, n->store->base.me);
    command_add_number(c, redis_millis(n->batch->repeat ? n->batch->repeat : REPEAT_DEFAULT));
    add_announcement(n, i, c);
    for (size_t k = n->starts[i], end; k < n->starts[i + 1]; k = end) {
        end = same_id(n, k);
        command_add_number(c, (int64_t)(end - k));
        for (size_t at = k; at < end; at++) {
            add_notice(c, notice_at(n, at));
        }
    }
}

static int answer_notify(void *context, size_t i, const struct reply *r, struct err *e)
{
    const struct notify_call *n = context;
    size_t start = n->starts[i];
    if (r->kind != REPLY_TEXT || r->text.len != n->starts[i + 1] - start) {
        return reply_strange(e);
    }
    for (size_t k = 0; k < r->text.len; k++) {
        n->verdicts[n->order[start + k]] = (enum store_verdict)r->text.at[k];
    }
    return 0;
}

static int notify(struct store *s, const struct store_batch *batch, enum store_verdict *verdicts,
                  struct err *e)
{
    struct notify_call n = {.store = redis_mine(s), .batch = batch, .verdicts = verdicts};
    divide(&n);
    struct calls calls = {&n.store->scripts[SCRIPT_NOTIFY], n.calls, ask_notify, answer_notify, &n};
    int rc = server_run(n.store->server, &calls, e);
    free(n.order);
    free(n.starts);
    return rc;
}

/* ---- take ---- */

enum { HEAD = 9 }; /* texts of an answer before the lists */

/* Several asks, or settlements, go into one call of their script: each of those costs a lot. */
struct share {
    size_t count; /* of all */
    size_t most;  /* of one call */
};

/* In a cluster each id may be somewhere else. */
static struct share share_of(const struct redis_store *s, size_t count)
{
    return (struct share){count, s->scattered ? 1 : CALL_IDS};
}

static size_t share_calls(const struct share *s)
{
    return (s->count + s->most - 1) / s->most;
}

/* Where call I ends. */
static size_t share_end(const struct share *s, size_t i)
{
    size_t end = (i + 1) * s->most;
    return end < s->count ? end : s->count;
}

struct take_call {
    struct share share;
    const struct store_ask *asks;
    struct store_grant *grants;
};

static void add_ask(struct command *c, const struct store_ask *a)
{
    command_add(c, a->counter);
    if (a->target == STORE_STATED_TARGET) {
        command_add_text(c, "");
    } else {
        command_add_number(c, a->target);
    }
    command_add_number(c, a->releasable);
    command_add_number(c, a->wanted);
    command_add(c, a->lease);
    command_add_number(c, redis_millis(a->lease_time));
    command_add_number(c, redis_millis(a->keep));
    command_add_text(c, a->once ? "1" : "0");
}

static void ask_take(void *context, size_t i, struct command *c)
{
    const struct take_call *t = context;
    size_t start = i * t->share.most;
    size_t end = share_end(&t->share, i);
    command_add_number(c, (int64_t)(end - start));
    for (size_t k = start; k < end; k++) {
        redis_add_key(c, t->asks[k].id, "");
    }
    for (size_t k = start; k < end; k++) {
        add_ask(c, &t->asks[k]);
    }
}

/* The counters and attributes at the end of a reply; a hash has no order, so they get one. */
static int read_lists(const struct reply *r, size_t counters, struct store_grant *g, struct err *e)
{
    for (size_t i = HEAD; i + 1 < r->count; i += 2) {
        struct span name = r->items[i].text;
        int64_t value = 0;
        if (i >= HEAD + 2 * counters) {
            store_grant_attribute(g, name, r->items[i + 1].text);
        } else if (reply_integer(&r->items[i + 1], &value, e) == 0) {
            store_grant_counter(g, name, value);
        } else {
            return -1;
        }
    }
    store_grant_sort(g);
    return 0;
}

static int read_grant(struct store_grant *g, const struct reply *r, struct err *e)
{
    int64_t found = 0, leased = 0, done = 0, counters = 0, frees = 0;
    store_grant_release(g);
    g->target = STORE_NO_TARGET;
    if (r->kind != REPLY_LIST || r->count < HEAD) {
        return reply_strange(e);
    }
    if (reply_integer(&r->items[0], &found, e) < 0 ||
        reply_integer(&r->items[1], &g->granted, e) < 0 ||
        reply_integer(&r->items[2], &leased, e) < 0 || reply_integer(&r->items[3], &done, e) < 0 ||
        reply_integer(&r->items[4], &g->count, e) < 0 ||
        reply_integer(&r->items[5], &g->total, e) < 0 ||
        (r->items[6].text.len > 0 && reply_integer(&r->items[6], &g->target, e) < 0) ||
        reply_integer(&r->items[7], &frees, e) < 0 ||
        reply_integer(&r->items[8], &counters, e) < 0) {
        return -1;
    }
    g->found = found == 1;
    g->leased = leased == 1;
    g->done = done == 1;
    g->frees = frees > INT64_MAX / CLOCK_MILLI ? INT64_MAX : frees * CLOCK_MILLI;
    return read_lists(r, (size_t)counters, g, e);
}

static int answer_take(void *context, size_t i, const struct reply *r, struct err *e)
{
    const struct take_call *t = context;
    size_t start = i * t->share.most;
    size_t end = share_end(&t->share, i);
    if (r->kind != REPLY_LIST || r->count != end - start) {
        return reply_strange(e);
    }
    for (size_t k = start; k < end; k++) {
        if (read_grant(&t->grants[k], &r->items[k - start], e) < 0) {
            return -1;
        }
    }
    return 0;
}

static int take(struct store *s, const struct store_ask *asks, struct store_grant *grants,
                size_t count, struct err *e)
{
    struct redis_store *store = redis_mine(s);
    struct take_call t = {share_of(store, count), asks, grants};
    struct calls calls = {&store->scripts[SCRIPT_TAKE], share_calls(&t.share), ask_take,
                          answer_take, &t};
    return server_run(store->server, &calls, e);
}

/* ---- settle ---- */

struct settle_call {
    struct share share;
    struct redis_store *store;
    struct store_settlement *settlements;
};

static void add_settlement(struct command *c, const struct store_settlement *one)
{
    command_add_text(c, one->verb == STORE_RENEW ? "renew" : "end");
    command_add(c, one->lease);
    command_add(c, one->id);
    command_add_number(c, one->verb == STORE_RENEW       ? redis_millis(one->lease_time)
                          : one->verb == STORE_GIVE_BACK ? STORE_WAITERS_MAX
                                                         : one->back);
}

static void ask_settle(void *context, size_t i, struct command *c)
{
    const struct settle_call *t = context;
    size_t start = i * t->share.most;
    size_t end = share_end(&t->share, i);
    command_add_number(c, (int64_t)(end - start));
    for (size_t k = start; k < end; k++) {
        redis_add_key(c, t->settlements[k].id, "");
    }
    command_add_text(c, t->store->channel);
    for (size_t k = start; k < end; k++) {
        add_settlement(c, &t->settlements[k]);
    }
}

static int answer_settle(void *context, size_t i, const struct reply *r, struct err *e)
{
    const struct settle_call *t = context;
    size_t start = i * t->share.most;
    if (r->kind != REPLY_TEXT || r->text.len != share_end(&t->share, i) - start) {
        return reply_strange(e);
    }
    for (size_t k = 0; k < r->text.len; k++) {
        t->settlements[start + k].known = r->text.at[k] == '1';
    }
    return 0;
}

static int settle(struct store *s, struct store_settlement *settlements, size_t count,
                  struct err *e)
{
    struct redis_store *store = redis_mine(s);
    struct settle_call t = {share_of(store, count), store, settlements};
    struct calls calls = {&store->scripts[SCRIPT_SETTLE], share_calls(&t.share), ask_settle,
                          answer_settle, &t};
    return server_run(store->server, &calls, e);
}

const struct store_backend store_redis = {
    .open = redis_open,
    .notify = notify,
    .take = take,
    .settle = settle,
    .fetch = redis_fetch,
    .replace = redis_replace,
    .remove = redis_remove,
    .watch = redis_watch,
    .wake = redis_wake,
    .changed = redis_changed,
    .list = redis_list,
    .describe = redis_describe,
    .tell_waiting = redis_tell_waiting,
    .purge = redis_purge,
    .stop_at = redis_stop_at,
    .concerns = redis_concerns,
    .close = redis_close,
};
