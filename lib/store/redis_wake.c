#include "store/redis_store.h"

#include "base/clock.h"

#include <string.h>

#define PAUSE_FIRST   (100 * CLOCK_MILLI)
#define PAUSE_LONGEST (5 * CLOCK_SECOND)

/* After a failure: not again before some time has passed. */
static void pause_longer(struct redis_store *s)
{
    int64_t longer = s->pause * 2;
    s->pause = s->pause == 0 ? PAUSE_FIRST : longer < PAUSE_LONGEST ? longer : PAUSE_LONGEST;
    s->retry_at = clock_after(clock_now(), s->pause);
}

/* Wait for the server's word that the subscription stands. */
static int await_subscription(struct redis_store *s, struct err *e)
{
    redisReply *r = link_reply(&s->ears, e);
    if (!r) {
        return -1;
    }
    int rc = 0;
    if (r->type == REDIS_REPLY_ERROR) {
        rc = link_refused(&s->ears, r, e);
        link_close(&s->ears);
    }
    freeReplyObject(r);
    return rc;
}

static int subscribe(struct redis_store *s, struct err *e)
{
    int rc = link_open(&s->ears, &s->url, e);
    if (rc == 0) {
        struct redis_command c = {0};
        command_start(&c, "SUBSCRIBE");
        command_add_text(&c, s->channel);
        link_put(&s->ears, &c);
        command_release(&c);
        rc = await_subscription(s, e);
    }
    if (rc < 0) {
        pause_longer(s);
    } else {
        s->pause = 0;
    }
    return rc;
}

int redis_watch(struct store *base, struct err *e)
{
    struct redis_store *s = (struct redis_store *)base;
    s->listening = true;
    return s->ears.context ? 0 : subscribe(s, e);
}

struct store_wake redis_wake(struct store *base)
{
    const struct redis_store *s = (struct redis_store *)base;
    if (s->ears.context) {
        return (struct store_wake){.fd = s->ears.context->fd, .at = CLOCK_NEVER};
    }
    return (struct store_wake){.fd = -1, .at = s->listening ? s->retry_at : CLOCK_NEVER};
}

/* A message is "message", channel, payload; the payload is the id. */
static bool is_message(const redisReply *r)
{
    return r->type == REDIS_REPLY_ARRAY && r->elements == 3 &&
           r->element[0]->type == REDIS_REPLY_STRING &&
           strcmp(r->element[0]->str, "message") == 0 && r->element[2]->type == REDIS_REPLY_STRING;
}

int redis_changed(struct store *base, void (*tell)(void *context, struct span id), void *context,
                  struct err *e)
{
    struct redis_store *s = (struct redis_store *)base;
    if (!s->ears.context) {
        if (clock_now() < s->retry_at) {
            return 0;
        }
        return subscribe(s, e) < 0 ? -1 : 1; /* what was said meanwhile is not known */
    }
    redisReply *r;
    int got;
    while ((got = link_heard(&s->ears, &r, e)) > 0) {
        if (is_message(r)) {
            tell(context, span_of(r->element[2]->str, r->element[2]->len));
        }
        freeReplyObject(r);
    }
    if (got < 0) {
        pause_longer(s);
    }
    return got;
}
