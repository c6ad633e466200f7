#include "tunnel/client.h"

#include "base/clock.h"

#include <string.h>

#define PATIENCE_LEAST CLOCK_SECOND /* for an answer, before the connection counts as dead */

void beat_drop(struct client *c)
{
    loop_remove(&c->loop, &c->on_heart);
    link_close(c->heart);
    c->heart = NULL;
    c->beat_sent = 0;
}

static void on_heart(void *owner, uint32_t events)
{
    (void)owner; /* it is heard in every turn */
    (void)events;
}

static int connect_heart(struct client *c, struct err *e)
{
    if (client_dial(c, &c->heart, e) < 0) {
        return -1;
    }
    c->on_heart = (struct loop_source){.fd = -1, .ready = on_heart, .owner = c};
    uint32_t events = EPOLLIN | EPOLLOUT | EPOLLET;
    return loop_add(&c->loop, &c->on_heart, link_fd(c->heart), events, e);
}

static void add_reports(struct client *c)
{
    if (c->stopping) {
        command_add_text(&c->command, "");
        command_add_number(&c->command, 0);
        command_add_text(&c->command, "LEAVING");
        command_add_text(&c->command, "");
    }
    for (size_t i = 0; i < c->count; i++) {
        const struct channel *ch = c->channels[i];
        if (ch->phase == PHASE_REPORTING && !ch->silent) {
            command_add_text(&c->command, ch->id);
            command_add_number(&c->command, ch->version + 1);
            command_add_text(&c->command, ch->saved_last ? "TERMINATED" : "CLOSE");
            command_add_text(&c->command, ch->why);
        }
    }
}

void beat_send(struct client *c)
{
    struct err e = {0};
    int64_t now = clock_now();
    if (!c->heart && connect_heart(c, &e) < 0) {
        c->beat_at = now + c->rules->interval / 4;
        return;
    }
    service_start(c->service, &c->command, "beat", buf_span(&c->root));
    command_add_text(&c->command, c->rules->name);
    command_add_text(&c->command, c->id);
    command_add_number(&c->command, ++c->beat_number);
    add_reports(c);
    link_put(c->heart, &c->command);
    c->beat_sent = now;
    c->beat_at = now + c->rules->interval;
}

/* What the service did not speak of is ours no longer. */
static void drop_unseen(struct client *c)
{
    for (size_t i = 0; i < c->count; i++) {
        struct channel *ch = c->channels[i];
        if (ch->silent || ch->seen == c->beat_number) {
            continue;
        }
        if (ch->phase == PHASE_REPORTING) {
            ch->phase = PHASE_GONE; /* it has understood */
        } else {
            channel_drop(ch);
        }
    }
}

static void take(struct client *c, const struct reply *r)
{
    struct span stage = r->items[1].text;
    const struct reply *list = &r->items[2];
    c->answered++;
    c->lease_until = c->beat_sent + c->rules->timeout - c->rules->timeout / 10;
    c->pause = 0;
    c->told_down = false;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].kind == REPLY_LIST && list->items[i].count == 14) {
            channel_told(c, &list->items[i]);
        }
    }
    drop_unseen(c);
    c->done = span_equal(stage, SPAN_LIT("done"));
}

/* The service did not serve the heartbeat: another one is made soon. */
static void take_refusal(struct client *c, const struct reply *r)
{
    struct err e = {0};
    bool unknown = reply_is_error(r, "ERR Function not found");
    bool moved = reply_is_error(r, "MOVED ") || reply_is_error(r, "ASK ");
    if (unknown) {
        (void)service_load(c->service, &e);
    } else if (r->kind == REPLY_ERROR && !moved) { /* who has the slot is asked anyway */
        link_refused(c->heart, r, &e);
    } else if (!moved) {
        reply_strange(&e);
    }
    beat_drop(c);
    c->beat_at = clock_now() + (unknown ? 0 : c->rules->interval / 4);
    if (e.code == ERR_USAGE) {
        client_fail(c, &e);
    } else if (e.code != ERR_NONE) {
        client_tell_down(c, &e);
    }
}

static void answer(struct client *c, const struct reply *r)
{
    struct span word = service_word(r);
    struct err e = {0};
    if (span_equal(word, SPAN_LIT("OK")) && r->count == 3) {
        take(c, r);
    } else if (span_equal(word, SPAN_LIT("GONE"))) {
        client_lost(c, "the service does not know this client any more");
    } else if (span_equal(word, SPAN_LIT("MISSING"))) {
        err_set(&e, ERR_USAGE, "tunnel %s is gone", c->rules->name);
        client_fail(c, &e);
    } else {
        take_refusal(c, r);
    }
    c->beat_sent = 0;
}

bool beat_hear(struct client *c)
{
    struct err e = {0};
    const struct reply *r;
    int got = 0;
    bool heard = false;
    while (c->heart && (got = link_heard(c->heart, &r, &e)) > 0) {
        heard = true;
        answer(c, r);
    }
    int64_t patience = 2 * c->rules->interval;
    patience = patience > PATIENCE_LEAST ? patience : PATIENCE_LEAST;
    if (got < 0 || (c->beat_sent && clock_now() - c->beat_sent > patience)) {
        beat_drop(c);
        c->beat_at = clock_now() + c->rules->interval / 4;
    }
    return heard;
}
