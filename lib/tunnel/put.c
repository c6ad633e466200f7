#include "tunnel/put.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define PAUSE_FIRST   (50 * CLOCK_MILLI)
#define PAUSE_LONGEST (2 * CLOCK_SECOND)

enum { CALLS = 8 }; /* in one go */

int64_t put_partition(struct span key, int64_t count)
{
    uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */
    for (size_t i = 0; i < key.len; i++) {
        h = (h ^ (unsigned char)key.at[i]) * UINT64_C(1099511628211);
    }
    return (int64_t)((h ^ h >> 32) % (uint64_t)count);
}

static int hear_partitions(void *context, const struct reply *r, struct err *e)
{
    return r->count < 2 ? reply_strange(e) : reply_integer(&r->items[1], context, e);
}

/* Waiting for a server that is down, or full. */
struct trying {
    int64_t deadline, pause;
    bool told;
};

static struct trying trying_of(const struct put *p)
{
    return (struct trying){clock_after(clock_now(), p->rules.patience), PAUSE_FIRST, false};
}

/* A server that is full is waited for: that holds back whoever fills it. */
static bool is_full_server(const struct err *e)
{
    return strstr(e->text, "OOM ") != NULL;
}

/* WHY has gone wrong: wait before it is tried again, and return true; or not at all. */
static bool wait_after(struct trying *t, const struct put *p, const struct err *why)
{
    if (why->code != ERR_LATER || (clock_now() >= t->deadline && !is_full_server(why))) {
        return false;
    }
    if (!t->told && p->rules.report) {
        p->rules.report(p->rules.context, why);
        t->told = true;
    }
    clock_sleep(clock_after(clock_now(), t->pause));
    t->pause = t->pause * 2 < PAUSE_LONGEST ? t->pause * 2 : PAUSE_LONGEST;
    return true;
}

int put_open(struct put *p, struct service *s, const char *stream, int64_t partitions,
             const struct put_rules *rules, struct err *e)
{
    struct command c = {0};
    *p = (struct put){.service = s, .rules = *rules};
    uuid_make(p->producer);
    service_root(&p->root, span_text(stream));
    service_start(s, &c, "source", buf_span(&p->root));
    command_add_number(&c, partitions);
    struct trying t = trying_of(p);
    int rc;
    do {
        rc = service_call(s, &c, hear_partitions, &p->partitions, e);
    } while (rc < 0 && wait_after(&t, p, e));
    if (rc < 0) {
        err_prefix(e, "stream %s", stream);
    }
    command_release(&c);
    return rc;
}

void put_close(struct put *p)
{
    buf_release(&p->root);
    buf_release(&p->key);
    buf_release(&p->text);
    free(p->lines);
    *p = (struct put){0};
}

int put_line(struct put *p, struct span line, struct err *e)
{
    int64_t partition;
    bool missing = false;
    if (!p->rules.key) {
        partition = (int64_t)(p->turn++ % (uint64_t)p->partitions);
    } else if (attr_eval(p->rules.key, line, &p->key, &missing, e) < 0) {
        return -1;
    } else if (missing) {
        return err_set(e, ERR_DATA, "the line has no key");
    } else {
        partition = put_partition(buf_span(&p->key), p->partitions);
    }
    buf_add_span(&p->text, line);
    p->lines = mem_grow(p->lines, &p->cap, p->count, sizeof *p->lines);
    p->lines[p->count++] = (struct put_line){p->text.len, partition};
    return 0;
}

bool put_is_full(const struct put *p)
{
    enum { BYTES_MAX = 1 << 20 };
    return p->count >= p->rules.buffer * CALLS || p->text.len >= BYTES_MAX;
}

static size_t calls_of(const struct put *p)
{
    return (p->count + p->rules.buffer - 1) / p->rules.buffer;
}

/* Call I appends the lines from I * buffer on. */
static void ask(void *context, size_t i, struct command *c)
{
    const struct put *p = context;
    size_t from = i * p->rules.buffer;
    size_t to = from + p->rules.buffer < p->count ? from + p->rules.buffer : p->count;
    service_start(p->service, c, "append", buf_span(&p->root));
    command_add_text(c, p->producer);
    command_add_number(c, (int64_t)(p->number + i + 1));
    for (; from < to; from++) {
        size_t at = from ? p->lines[from - 1].end : 0;
        command_add_number(c, p->lines[from].partition);
        command_add(c, span_of(p->text.at + at, p->lines[from].end - at));
    }
}

static int answer(void *context, size_t i, const struct reply *r, struct err *e)
{
    (void)context;
    (void)i;
    return span_equal(service_word(r), SPAN_LIT("OK")) ? 0 : reply_strange(e);
}

int put_send(struct put *p, struct err *e)
{
    struct calls calls = {.count = calls_of(p), .ask = ask, .answer = answer, .context = p};
    struct trying t = trying_of(p);
    struct err why = {0};
    while (p->count > 0 && server_run(p->service->server, &calls, &why) < 0) {
        bool unknown = service_is_unknown(&why); /* the server has come back empty, or is another */
        if (unknown && service_load(p->service, e) < 0) {
            return -1;
        }
        if (!unknown && !wait_after(&t, p, &why)) {
            *e = why;
            return -1;
        }
    }
    p->number += calls.count;
    p->appended += p->count;
    p->count = 0;
    buf_reset(&p->text);
    return 0;
}
