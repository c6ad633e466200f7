#include "store/redis_store.h"

#include "base/clock.h"
#include "store/announce.h"

#define PAUSE_FIRST   (100 * CLOCK_MILLI)
#define PAUSE_LONGEST (5 * CLOCK_SECOND)

/* After a failure: not again before some time has passed. */
static void pause_longer(struct redis_store *s)
{
    int64_t longer = s->pause * 2;
    s->pause = s->pause == 0 ? PAUSE_FIRST : longer < PAUSE_LONGEST ? longer : PAUSE_LONGEST;
    s->retry_at = clock_after(clock_now(), s->pause);
}

/* The subscription has failed. */
static int deaf(struct redis_store *s)
{
    link_close(s->ears);
    s->ears = NULL;
    pause_longer(s);
    return -1;
}

static int subscribe(struct redis_store *s, struct err *e)
{
    struct command c = {0};
    if (server_connect(s->server, (struct span){0}, &s->ears, e) < 0) {
        return deaf(s);
    }
    command_start(&c, "SUBSCRIBE");
    command_add_text(&c, s->channel);
    bool heard = link_demand(s->ears, &c, e) != NULL;
    command_release(&c);
    if (!heard) {
        return deaf(s);
    }
    s->pause = 0;
    return 0;
}

int redis_watch(struct store *base, struct err *e)
{
    struct redis_store *s = (struct redis_store *)base;
    s->listening = true;
    return s->ears ? 0 : subscribe(s, e);
}

struct store_wake redis_wake(struct store *base)
{
    const struct redis_store *s = (struct redis_store *)base;
    if (s->ears) {
        return (struct store_wake){.fd = link_fd(s->ears), .at = CLOCK_NEVER};
    }
    return (struct store_wake){.fd = -1, .at = s->listening ? s->retry_at : CLOCK_NEVER};
}

/* A message is "message", channel, payload. */
static bool is_message(const struct reply *r)
{
    return r->kind == REPLY_LIST && r->count == 3 &&
           span_equal(r->items[0].text, SPAN_LIT("message"));
}

int redis_changed(struct store *base, void (*tell)(void *context, struct span id), void *context,
                  struct err *e)
{
    struct redis_store *s = (struct redis_store *)base;
    if (!s->ears) {
        if (clock_now() < s->retry_at) {
            return 0;
        }
        return subscribe(s, e) < 0 ? -1 : 1; /* what was said meanwhile is not known */
    }
    const struct reply *r;
    int got, missed = 0;
    while ((got = link_heard(s->ears, &r, e)) > 0) {
        if (is_message(r)) {
            struct span rest;
            bool fine = announce_read(r->items[2].text, tell, context, &rest);
            missed |= !fine || rest.len > 0;
        }
    }
    return got < 0 ? deaf(s) : missed;
}
