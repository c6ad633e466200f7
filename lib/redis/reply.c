#include "redis/reply.h"

#include "base/mem.h"
#include "base/units.h"

#include <hiredis/read.h>
#include <string.h>

/* ---- building; the reader calls these, with the struct replies as the task's private data ---- */

static struct replies *owner(const redisReadTask *t)
{
    return t->privdata;
}

/* Where the reply of task T goes: into its parent, or to the front. */
static struct reply *place(const redisReadTask *t, enum reply_kind kind)
{
    struct reply *parent = t->parent ? t->parent->obj : NULL;
    struct reply *r = parent ? &parent->items[t->idx] : &owner(t)->first;
    *r = (struct reply){.kind = kind};
    return r;
}

static void *make_text(const redisReadTask *t, char *at, size_t len)
{
    enum reply_kind kind = t->type == REDIS_REPLY_ERROR    ? REPLY_ERROR
                           : t->type == REDIS_REPLY_STATUS ? REPLY_STATUS
                                                           : REPLY_TEXT;
    struct reply *r = place(t, kind);
    r->text = arena_copy(&owner(t)->memory, span_of(at, len));
    return r;
}

static void *make_list(const redisReadTask *t, int count)
{
    struct reply *r = place(t, REPLY_LIST);
    r->count = count > 0 ? (size_t)count : 0;
    r->items = arena_take(&owner(t)->memory, (r->count + 1) * sizeof *r->items);
    memset(r->items, 0, (r->count + 1) * sizeof *r->items);
    return r;
}

static void *make_number(const redisReadTask *t, long long number)
{
    struct reply *r = place(t, REPLY_NUMBER);
    r->number = number;
    return r;
}

static void *make_nothing(const redisReadTask *t)
{
    return place(t, REPLY_NOTHING);
}

/* The memory is the arena's. */
static void drop(void *reply)
{
    (void)reply;
}

static const redisReplyObjectFunctions builders = {make_text, make_list, make_number, make_nothing,
                                                   drop};

/* ---- the stream ---- */

void replies_init(struct replies *r)
{
    redisReplyObjectFunctions *unchanged =
        (void *)(uintptr_t)&builders; /* its type lacks a const */
    *r = (struct replies){.reader = redisReaderCreateWithFunctions(unchanged)};
    if (!r->reader) {
        (void)mem_resize(NULL, SIZE_MAX, 1); /* no memory: ends the process */
    }
}

void replies_feed(struct replies *r, struct span bytes)
{
    if (bytes.len > 0) {
        (void)redisReaderFeed(r->reader, bytes.at,
                              bytes.len); /* its error shows at the next reply */
    }
}

int replies_next(struct replies *r, const struct reply **out, const char **why)
{
    void *reply = NULL;
    r->reader->privdata = r;
    if (r->reader->ridx < 0) { /* not in the middle of one */
        arena_reset(&r->memory);
    }
    if (redisReaderGetReply(r->reader, &reply) != 0) {
        *why = r->reader->errstr;
        return -1;
    }
    *out = reply;
    return reply != NULL;
}

void replies_release(struct replies *r)
{
    if (r->reader) {
        redisReaderFree(r->reader);
    }
    arena_release(&r->memory);
    *r = (struct replies){0};
}

/* ---- reading ---- */

bool reply_is_error(const struct reply *r, const char *word)
{
    return r->kind == REPLY_ERROR && span_starts(r->text, span_text(word));
}

int reply_strange(struct err *e)
{
    return err_set(e, ERR_IO, "the store gave an answer that is none of ours");
}

int reply_integer(const struct reply *r, int64_t *out, struct err *e)
{
    struct err ignored;
    if (r->kind == REPLY_NUMBER) {
        *out = r->number;
        return 0;
    }
    if (r->kind != REPLY_TEXT || units_integer(r->text, INT64_MIN, INT64_MAX, out, &ignored) < 0) {
        return reply_strange(e);
    }
    return 0;
}
