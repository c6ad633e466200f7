/* What people ask of signals in Redis. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "store/redis_store.h"

#include <stdlib.h>
#include <string.h>

/* ---- list ---- */

/* Ids, collected and then told. */
struct ids_found {
    struct arena texts;
    struct span *list;
    size_t count, cap;
};

static int hex(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* The id in the name of a key, undoing redis_add_key. False: it is no key of an entry or of
 * waiters. */
static bool read_key(struct span key, struct buf *id)
{
    const struct span head = SPAN_LIT(REDIS_PREFIX "{"), waiters = SPAN_LIT(":waiters");
    const char *close = key.len ? memchr(key.at, '}', key.len) : NULL;
    if (!span_starts(key, head) || !close) {
        return false;
    }
    struct span tail = span_of(close + 1, (size_t)(key.at + key.len - close - 1));
    if (tail.len > 0 && !span_equal(tail, waiters)) {
        return false;
    }
    buf_reset(id);
    for (const char *at = key.at + head.len; at < close; at++) {
        if (*at == '%' && at + 2 < close && hex(at[1]) >= 0 && hex(at[2]) >= 0) {
            buf_add_byte(id, (char)(hex(at[1]) * 16 + hex(at[2])));
            at += 2;
        } else {
            buf_add_byte(id, *at);
        }
    }
    return true;
}

static void find_id(struct ids_found *f, struct span id)
{
    f->list = mem_grow(f->list, &f->cap, f->count, sizeof *f->list);
    f->list[f->count++] = arena_copy(&f->texts, id);
}

/* Take the keys of one answer to SCAN in. 0, or -1 with E filled. */
static int take_keys(struct ids_found *f, const struct reply *r, bool foreign, struct err *e)
{
    struct buf id = {0};
    if (r->kind != REPLY_LIST || r->count != 2 || r->items[1].kind != REPLY_LIST) {
        return reply_strange(e);
    }
    for (size_t i = 0; i < r->items[1].count; i++) {
        struct span key = r->items[1].items[i].text;
        if (foreign) {
            find_id(f, key);
        } else if (read_key(key, &id)) {
            find_id(f, buf_span(&id));
        }
    }
    buf_release(&id);
    return 0;
}

struct scanning {
    struct ids_found found;
    bool foreign;
};

static int scan_server(void *context, struct link *l, struct err *e)
{
    struct scanning *s = context;
    struct command c = {0};
    struct buf cursor = {0};
    int rc = 0;
    buf_add_byte(&cursor, '0');
    do {
        command_start(&c, "SCAN");
        command_add(&c, buf_span(&cursor));
        command_add_text(&c, s->foreign ? "TYPE" : "MATCH");
        command_add_text(&c, s->foreign ? "string" : REDIS_PREFIX "{*");
        command_add_text(&c, "COUNT");
        command_add_text(&c, "1000");
        const struct reply *r = link_demand(l, &c, e);
        rc = r ? take_keys(&s->found, r, s->foreign, e) : -1;
        if (rc == 0) {
            buf_reset(&cursor);
            buf_add_span(&cursor, r->items[0].text);
        }
    } while (rc == 0 && !span_equal(buf_span(&cursor), SPAN_LIT("0")));
    command_release(&c);
    buf_release(&cursor);
    return rc;
}

static int by_bytes(const void *a, const void *b)
{
    const struct span *x = a;
    const struct span *y = b;
    return span_compare(*x, *y);
}

int redis_list(struct store *s, void (*tell)(void *context, struct span id), void *context,
               struct err *e)
{
    struct scanning scan = {.foreign = store_is_foreign(s)};
    struct ids_found *f = &scan.found;
    int rc = server_each(redis_mine(s)->server, scan_server, &scan, e);
    if (rc == 0 && f->count > 1) {
        qsort(f->list, f->count, sizeof *f->list, by_bytes);
    }
    for (size_t i = 0; i < f->count && rc == 0; i++) {
        if (i == 0 || !span_equal(f->list[i], f->list[i - 1])) {
            tell(context, f->list[i]);
        }
    }
    free(f->list);
    arena_release(&f->texts);
    return rc;
}

/* ---- describe ---- */

enum { ASK_ENTRY, ASK_LIFE, ASK_WAITERS, ASK_ONCE, ASKS };

struct describing {
    struct span id;
    struct store_facts *out;
    int64_t now;
};

static void ask_facts(void *context, size_t i, struct command *c)
{
    static const char *const commands[] = {[ASK_ENTRY] = "HGETALL",
                                           [ASK_LIFE] = "PTTL",
                                           [ASK_WAITERS] = "HGETALL",
                                           [ASK_ONCE] = "SCARD"};
    static const char *const tails[] = {
        [ASK_ENTRY] = "", [ASK_LIFE] = "", [ASK_WAITERS] = ":waiters", [ASK_ONCE] = ":once"};
    command_start(c, commands[i]);
    redis_add_key(c, ((const struct describing *)context)->id, tails[i]);
}

/* The next word of *REST as a number; 0 where it is none. */
static int64_t next_number(struct span *rest)
{
    const char *space = rest->len ? memchr(rest->at, ' ', rest->len) : NULL;
    size_t len = space ? (size_t)(space - rest->at) : rest->len;
    struct err ignored;
    int64_t n = 0;
    (void)units_integer(span_of(rest->at, len), INT64_MIN, INT64_MAX, &n, &ignored);
    size_t skip = space ? len + 1 : len;
    *rest = span_of(rest->at + skip, rest->len - skip);
    return n;
}

static void read_fact(struct store_facts *f, struct span name, const struct reply *value)
{
    struct span rest = span_of(name.at + 2, name.len > 2 ? name.len - 2 : 0);
    struct span text = value->text;
    struct err ignored;
    int64_t number = 0;
    (void)reply_integer(value, &number, &ignored);
    if (span_starts(name, SPAN_LIT("a:"))) {
        store_entry_attribute(&f->entry, rest, text);
    } else if (span_starts(name, SPAN_LIT("c:"))) {
        store_entry_counter(&f->entry, rest, number);
    } else if (span_starts(name, SPAN_LIT("l:"))) {
        (void)next_number(&text);
        f->leased += next_number(&text);
    } else if (span_equal(name, SPAN_LIT("t")) || span_starts(name, SPAN_LIT("t:"))) {
        f->tickets += number;
    } else if (span_equal(name, SPAN_LIT("s"))) {
        f->total = number;
    } else if (span_equal(name, SPAN_LIT("n"))) {
        f->target = number;
    } else if (span_equal(name, SPAN_LIT("b"))) {
        f->made = number;
    } else if (span_equal(name, SPAN_LIT("at"))) {
        f->changed = number;
    } else if (span_equal(name, SPAN_LIT("d"))) {
        f->released = number;
    } else if (span_equal(name, SPAN_LIT("by"))) {
        f->notifier = arena_copy(&f->texts, text);
    }
}

/* A holder's note: "UNTIL LINES SINCE TARGET WHO COUNTER". */
static void read_waiting(struct describing *d, struct span text)
{
    struct store_facts *f = d->out;
    text = arena_copy(&f->texts, text);
    int64_t until = next_number(&text);
    struct store_waiting w = {.lines = next_number(&text)};
    w.since = next_number(&text);
    w.target = next_number(&text);
    const char *space = text.len ? memchr(text.at, ' ', text.len) : NULL;
    if (until <= d->now || !space) {
        return;
    }
    w.who = span_of(text.at, (size_t)(space - text.at));
    w.counter = span_of(space + 1, (size_t)(text.at + text.len - space - 1));
    f->waiting = mem_grow(f->waiting, &f->waiting_cap, f->waiting_count, sizeof *f->waiting);
    f->waiting[f->waiting_count++] = w;
}

static int answer_facts(void *context, size_t i, const struct reply *r, struct err *e)
{
    struct describing *d = context;
    int64_t number = 0;
    if (i == ASK_ENTRY || i == ASK_WAITERS) {
        if (r->kind != REPLY_LIST) {
            return reply_strange(e);
        }
        d->out->found = d->out->found || (i == ASK_ENTRY && r->count > 0);
        for (size_t k = 0; k + 1 < r->count; k += 2) {
            if (i == ASK_ENTRY) {
                read_fact(d->out, r->items[k].text, &r->items[k + 1]);
            } else {
                read_waiting(d, r->items[k + 1].text);
            }
        }
        return 0;
    }
    if (reply_integer(r, &number, e) < 0) {
        return -1;
    }
    if (i == ASK_ONCE) {
        d->out->once = number;
    } else {
        d->out->expires = number > 0 ? d->now + number : 0;
    }
    return 0;
}

int redis_describe(struct store *s, struct span id, struct store_facts *out, struct err *e)
{
    struct describing d = {id, out, clock_real() / CLOCK_MILLI};
    struct calls calls = {NULL, ASKS, ask_facts, answer_facts, &d};
    int rc = redis_look(redis_mine(s), &calls, e);
    store_entry_sort(&out->entry);
    return rc;
}

/* ---- waiting ---- */

struct telling {
    struct redis_store *store;
    const struct store_note *notes;
    int64_t now;
};

/* Each note is two commands: one for the note, one for its time. */
static void ask_tell(void *context, size_t i, struct command *c)
{
    const struct telling *t = context;
    const struct store_note *n = &t->notes[i / 2];
    int64_t valid = redis_millis(n->valid);
    command_start(c, i % 2 ? "PEXPIRE" : n->lines ? "HSET" : "HDEL");
    redis_add_key(c, n->id, ":waiters");
    if (i % 2) {
        command_add_number(c, valid);
        return;
    }
    command_add(c, n->run);
    if (n->lines > 0) {
        struct buf text = {0};
        buf_printf(&text, "%lld %lld %lld %lld %s ", (long long)(t->now + valid),
                   (long long)n->lines, (long long)n->since, (long long)n->target,
                   t->store->base.me);
        buf_add_span(&text, n->counter);
        command_add(c, buf_span(&text));
        buf_release(&text);
    }
}

static int answer_tell(void *context, size_t i, const struct reply *r, struct err *e)
{
    (void)context;
    (void)i;
    return r->kind == REPLY_NUMBER ? 0 : reply_strange(e);
}

int redis_tell_waiting(struct store *s, const struct store_note *notes, size_t count, struct err *e)
{
    struct telling t = {redis_mine(s), notes, clock_real() / CLOCK_MILLI};
    struct calls calls = {NULL, 2 * count, ask_tell, answer_tell, &t};
    return server_run(t.store->server, &calls, e);
}

/* ---- purge ---- */

static void ask_purge(void *context, size_t i, struct command *c)
{
    static const char *const tails[] = {"", ":waiters", ":once"};
    command_start(c, "DEL");
    redis_add_key(c, *(const struct span *)context, tails[i]);
}

int redis_purge(struct store *s, struct span id, struct err *e)
{
    struct calls calls = {NULL, 3, ask_purge, answer_tell, &id};
    return server_run(redis_mine(s)->server, &calls, e);
}
