#include "base/mem.h"
#include "store/nifi_view.h"
#include "store/redis_store.h"

#include <stdlib.h>
#include <string.h>

/* ---- fetch ---- */

/* What a hash has of an entry, besides counters and attributes. */
struct fields {
    int64_t total;
    bool spent;
};

/* Take the field NAME in. 0, or -1 with E filled. */
static int read_field(struct store_entry *out, struct fields *f, struct span name,
                      const struct reply *value, struct err *e)
{
    struct span rest = span_of(name.at + 2, name.len > 2 ? name.len - 2 : 0);
    int64_t number;
    if (span_starts(name, SPAN_LIT("a:"))) {
        store_entry_attribute(out, rest, value->text);
        return 0;
    }
    if (span_starts(name, SPAN_LIT("c:"))) {
        if (reply_integer(value, &number, e) < 0) {
            return -1;
        }
        store_entry_counter(out, rest, number);
        return 0;
    }
    if (span_equal(name, SPAN_LIT("u"))) {
        f->spent = true;
        return 0;
    }
    if (span_equal(name, SPAN_LIT("s"))) {
        return reply_integer(value, &f->total, e);
    }
    if (span_equal(name, SPAN_LIT("t")) || span_starts(name, SPAN_LIT("t:"))) {
        if (reply_integer(value, &number, e) < 0) {
            return -1;
        }
        out->tickets = (int64_t)((uint64_t)out->tickets + (uint64_t)number);
    }
    return 0;
}

static int by_name(const void *a, const void *b)
{
    const struct reply *const *x = a;
    const struct reply *const *y = b;
    return span_compare((*x)->text, (*y)->text);
}

static void add_counted(struct buf *b, struct span s)
{
    buf_add(b, (const char *)&s.len, sizeof s.len);
    buf_add_span(b, s);
}

static struct span take_counted(struct span *rest)
{
    size_t len;
    memcpy(&len, rest->at, sizeof len);
    struct span s = span_of(rest->at + sizeof len, len);
    *rest = span_of(s.at + len, rest->len - sizeof len - len);
    return s;
}

/* All fields of the hash R, in order, are its revision. */
static void make_revision(struct buf *out, const struct reply *r)
{
    size_t count = r->count / 2;
    const struct reply **names = mem_new(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = &r->items[2 * i];
    }
    qsort(names, count, sizeof *names, by_name);
    for (size_t i = 0; i < count; i++) {
        add_counted(out, names[i]->text);
        add_counted(out, (names[i] + 1)->text);
    }
    free(names);
}

struct fetch_call {
    struct span id;
    struct store_entry *out;
    bool found;
};

static void ask_fetch(void *context, size_t i, struct command *c)
{
    const struct fetch_call *f = context;
    (void)i;
    command_start(c, "HGETALL");
    redis_add_key(c, f->id, "");
}

static int answer_fetch(void *context, size_t i, const struct reply *r, struct err *e)
{
    struct fetch_call *f = context;
    struct fields fields = {0};
    (void)i;
    if (r->kind != REPLY_LIST || r->count % 2 != 0) {
        return reply_strange(e);
    }
    store_entry_release(f->out);
    f->found = r->count > 0;
    for (size_t k = 0; k < r->count; k += 2) {
        if (read_field(f->out, &fields, r->items[k].text, &r->items[k + 1], e) < 0) {
            return -1;
        }
    }
    nifi_view_show(f->out, fields.total, fields.spent);
    store_entry_sort(f->out);
    make_revision(&f->out->revision, r);
    return 0;
}

int redis_look(struct redis_store *s, const struct calls *calls, struct err *e)
{
    struct err why = {0};
    if (server_run(s->server, calls, &why) == 0) {
        return 0;
    }
    if (strstr(why.text, "WRONGTYPE")) {
        why.code = ERR_DATA;
    }
    *e = why;
    return -1;
}

int redis_fetch(struct store *s, struct span id, struct store_entry *out, struct err *e)
{
    struct fetch_call f = {id, out, false};
    struct calls calls = {NULL, 1, ask_fetch, answer_fetch, &f};
    return redis_look(redis_mine(s), &calls, e) < 0 ? -1 : f.found;
}

/* ---- replace ---- */

int64_t redis_replace_ttl(const struct store_entry *entry, int64_t ttl)
{
    return !entry ? REPLACE_REMOVES : ttl < 0 ? ttl : redis_millis(ttl);
}

struct replace_call {
    struct redis_store *store;
    struct span id, expected;
    const struct store_entry *entry;
    int64_t ttl;
    bool done;
};

static size_t count_fields(struct span revision)
{
    size_t count = 0;
    while (revision.len > 0) {
        take_counted(&revision);
        take_counted(&revision);
        count++;
    }
    return count;
}

static void add_field(struct command *c, const char *kind, struct span name)
{
    struct buf b = {0};
    buf_add_text(&b, kind);
    buf_add_span(&b, name);
    command_add(c, buf_span(&b));
    buf_release(&b);
}

static void add_entry(struct command *c, const struct store_entry *entry)
{
    bool spent;
    command_add_number(c, nifi_view_total(entry, &spent));
    command_add_text(c, spent ? "1" : "0");
    command_add_number(c, entry->tickets);
    for (size_t i = 0; i < entry->counter_count; i++) {
        if (!nifi_view_is_mark(&entry->counters[i])) {
            add_field(c, "c:", entry->counters[i].name);
            command_add_number(c, entry->counters[i].value);
        }
    }
    for (size_t i = 0; i < entry->attribute_count; i++) {
        add_field(c, "a:", entry->attributes[i].name);
        command_add(c, entry->attributes[i].value);
    }
}

static void ask_replace(void *context, size_t i, struct command *c)
{
    const struct replace_call *r = context;
    struct span rest = r->expected;
    (void)i;
    command_add_text(c, "1");
    redis_add_key(c, r->id, "");
    command_add_number(c, redis_replace_ttl(r->entry, r->ttl));
    command_add_text(c, r->store->base.me);
    command_add_text(c, r->store->channel);
    command_add(c, r->id);
    command_add_number(c, (int64_t)count_fields(rest));
    while (rest.len > 0) {
        command_add(c, take_counted(&rest));
    }
    if (r->entry) {
        add_entry(c, r->entry);
    }
}

static int answer_replace(void *context, size_t i, const struct reply *r, struct err *e)
{
    struct replace_call *call = context;
    (void)i;
    if (r->kind != REPLY_NUMBER) {
        return reply_strange(e);
    }
    call->done = r->number == 1;
    return 0;
}

int redis_replace(struct store *s, struct span id, const struct store_entry *entry,
                  struct span expected, int64_t ttl, struct err *e)
{
    struct replace_call r = {redis_mine(s), id, expected, entry, ttl, false};
    struct calls calls = {&r.store->scripts[SCRIPT_REPLACE], 1, ask_replace, answer_replace, &r};
    return server_run(r.store->server, &calls, e) < 0 ? -1 : r.done;
}

/* ---- remove ---- */

static void ask_remove(void *context, size_t i, struct command *c)
{
    (void)i;
    command_start(c, "DEL");
    redis_add_key(c, *(const struct span *)context, "");
}

static int answer_remove(void *context, size_t i, const struct reply *r, struct err *e)
{
    (void)context;
    (void)i;
    return r->kind == REPLY_NUMBER ? 0 : reply_strange(e);
}

int redis_remove(struct store *s, struct span id, struct err *e)
{
    struct calls calls = {NULL, 1, ask_remove, answer_remove, &id};
    return server_run(redis_mine(s)->server, &calls, e);
}
