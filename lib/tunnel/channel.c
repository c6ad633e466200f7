#include "tunnel/client.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_AGAIN (20 * CLOCK_MILLI) /* for room that others hold */

enum {
    BASE_BYTES = 1 << 20, /* read from a file at a time */
    HELPERS_MAX = 16      /* objects that are read at a time; the others wait for their turn */
};

/* ---- made and freed ---- */

struct channel *channel_of(struct client *c, uint64_t serial)
{
    for (size_t i = 0; i < c->count; i++) {
        if (c->channels[i]->serial == serial) {
            return c->channels[i];
        }
    }
    return NULL;
}

static struct channel *find(struct client *c, struct span id)
{
    for (size_t i = 0; i < c->count; i++) {
        struct channel *ch = c->channels[i];
        if (!ch->silent && ch->phase != PHASE_GONE && span_equal(span_text(ch->id), id)) {
            return ch;
        }
    }
    return NULL;
}

static char *copy(const struct reply *r)
{
    return mem_copy(r->text.at ? r->text.at : "", r->text.len);
}

/* A channel as the service tells of it, with where it was left: no token has to be asked for. */
static struct channel *make(struct client *c, const struct reply *told)
{
    struct channel *ch = mem_new(1, sizeof *ch);
    ch->client = c;
    ch->on_base.fd = -1;
    ch->serial = ++c->serials;
    ch->id = copy(&told->items[0]);
    ch->is_stream = span_equal(told->items[3].text, SPAN_LIT("stream"));
    buf_add_span(&ch->key, buf_span(&c->root));
    buf_printf(&ch->key, "p:%lld", (long long)told->items[4].number);
    ch->read_all = span_equal(told->items[5].text, SPAN_LIT("finished"));
    ch->saved_last = ch->read_all;
    token_parse(told->items[5].text, &ch->read);
    ch->done = ch->saved = ch->read;
    ch->seq = told->items[6].number;
    ch->read_count = ch->done_count = ch->saved_count = (uint64_t)told->items[7].number;
    ch->path = copy(&told->items[8]);
    ch->from = told->items[9].number;
    ch->to = told->items[10].number;
    ch->mark = copy(&told->items[11]);
    ch->ends = token_parse(told->items[12].text, &ch->stop);
    ch->saved_at = clock_now();
    c->channels = mem_grow(c->channels, &c->cap, c->count, sizeof *c->channels);
    c->channels[c->count++] = ch;
    return ch;
}

static void release_outputs(struct outputs *o)
{
    buf_release(&o->text);
}

static void close_base(struct channel *ch)
{
    ch->client->helpers -= base_fd(&ch->base) >= 0;
    ch->queues = false;
    loop_remove(&ch->client->loop, &ch->on_base);
    base_close(&ch->base);
}

void channel_free(struct channel *ch)
{
    deliver_stop(ch);
    close_base(ch);
    for (int i = 0; i < 2; i++) {
        parcel_release(&ch->batches[i]);
    }
    parcel_release(&ch->fresh);
    release_outputs(&ch->outputs);
    release_outputs(&ch->dead);
    release_outputs(&ch->flight.outputs);
    release_outputs(&ch->flight.dead);
    buf_release(&ch->key);
    free(ch->id);
    free(ch->path);
    free(ch->mark);
    free(ch);
}

/* ---- what it is told ---- */

/* Stop reading for good: what is in hand is not delivered any more. */
static void end(struct channel *ch)
{
    deliver_stop(ch);
    close_base(ch);
    ch->connect = CONNECT_CLOSED;
    ch->phase = PHASE_ENDING;
}

void channel_drop(struct channel *ch)
{
    bool ending = ch->phase == PHASE_ENDING;
    ch->silent = true;
    ch->flight.under_way = false;
    if (ch->phase == PHASE_REPORTING) {
        ch->phase = PHASE_GONE;
    } else if (!ending && ch->phase != PHASE_GONE) {
        end(ch);
    }
}

void channel_fail(struct channel *ch, const char *why)
{
    struct client *c = ch->client;
    if (ch->why[0] == '\0') {
        snprintf(ch->why, sizeof ch->why, "%s", why);
        if (!c->told_stuck) {
            c->told_stuck = true;
            client_tell(c, "channel %s is stuck: %s", ch->id, why);
        }
    }
    ch->connect = CONNECT_CLOSING; /* what was delivered before is saved first */
}

static void obey(struct channel *ch, struct connect_step step)
{
    switch (step.act) {
    case CONNECT_END:
    case CONNECT_FINISH:
        channel_drop(ch);
        return;
    case CONNECT_REPORT:
        if (ch->connect == CONNECT_WAIT) {
            ch->phase = PHASE_REPORTING; /* it never began */
        }
        break;
    case CONNECT_START:
    case CONNECT_DRAIN:
    case CONNECT_NOTHING:
        break;
    }
    if (ch->connect != CONNECT_CLOSED && ch->why[0] == '\0') {
        ch->connect = step.next;
    }
}

void channel_told(struct client *c, const struct reply *told)
{
    int status = channel_status_of(told->items[2].text);
    int64_t version = told->items[1].number;
    struct channel *ch = find(c, told->items[0].text);
    if (status < 0 || (!ch && c->stopping)) {
        return;
    }
    if (ch && !channel_takes_told(ch->version, version)) {
        ch->seen = c->beat_number;
        return;
    }
    if (ch && status == CHANNEL_OPEN && version > ch->version) {
        channel_drop(ch); /* taken away, and given to us again: it begins anew */
        ch = NULL;
    }
    if (!ch && c->stopping) {
        return;
    }
    ch = ch ? ch : make(c, told);
    ch->version = version;
    ch->seen = c->beat_number;
    ch->last = told->items[13].number;
    obey(ch, connect_told(ch->connect, (enum channel_status)status, false));
}

/* ---- hooks ---- */

void channel_hooked(struct channel *ch, bool fine)
{
    if (ch->phase == PHASE_OPENING) {
        ch->opened = true;
        ch->phase = PHASE_WORKING;
        if (!fine) {
            channel_fail(ch, "the opening hook failed");
        }
    } else if (ch->phase == PHASE_ENDING) {
        ch->opened = false;
        if (!fine) {
            client_tell(ch->client, "channel %s: the closing hook failed", ch->id);
        }
    }
}

/* ---- checkpoints ---- */

static bool is_empty(const struct channel *ch)
{
    return !ch->delivering && ch->batches[0].count == ch->batches[0].done &&
           ch->batches[1].count == 0;
}

static void swap_outputs(struct outputs *a, struct outputs *b)
{
    struct outputs kept = *a;
    *a = *b;
    *b = kept;
}

static bool is_unsaved(const struct channel *ch)
{
    return ch->done_count != ch->saved_count || ch->outputs.count > 0 || ch->dead.count > 0;
}

/* Save what has been delivered, if it is time to. Returns when it will be. */
static int64_t save(struct channel *ch, bool draining, int64_t now)
{
    struct flight *f = &ch->flight;
    bool last = ch->read_all && is_empty(ch) && !ch->saved_last;
    if (f->under_way || (!is_unsaved(ch) && !last)) {
        return CLOCK_NEVER;
    }
    int64_t due = ch->saved_at + ch->client->rules->checkpoint_interval;
    if (!draining && !last && ch->outputs.count == 0 && ch->dead.count == 0 && now < due) {
        return due;
    }
    f->under_way = true;
    f->is_last = last;
    f->seq = ch->seq + 1;
    f->token = ch->done;
    f->records = ch->done_count - ch->saved_count;
    swap_outputs(&f->outputs, &ch->outputs);
    swap_outputs(&f->dead, &ch->dead);
    if (ch->client->data) {
        wire_checkpoint(ch);
    }
    return CLOCK_NEVER;
}

/* ---- reading ---- */

/* More has come: that the loop turns is all. */
static void base_is_ready(void *owner, uint32_t events)
{
    (void)owner;
    (void)events;
}

static int open_base(struct channel *ch, struct err *e)
{
    struct client *c = ch->client;
    struct base_part part = {ch->path, ch->from, ch->to, ch->mark};
    if (base_open(&ch->base, &part, (int64_t)ch->read.at, c->rules->objects, e) < 0) {
        return -1;
    }
    ch->on_base = (struct loop_source){.fd = -1, .ready = base_is_ready, .owner = ch};
    int fd = base_fd(&ch->base);
    c->helpers += fd >= 0;
    return fd < 0 ? 0 : loop_add(&c->loop, &ch->on_base, fd, EPOLLIN | EPOLLET, e);
}

/* An object is read by a process: there are only so many at a time. */
static bool must_queue(const struct channel *ch)
{
    return !ch->base.is_open && object_is_url(ch->path) && ch->client->helpers >= HELPERS_MAX;
}

static void read_base(struct channel *ch)
{
    struct err e = {0};
    struct parcel *b = &ch->batches[0];
    if (b->count > 0 || ch->delivering) {
        return;
    }
    if (ch->bad[0]) {
        channel_fail(ch, ch->bad);
        return;
    }
    ch->queues = must_queue(ch);
    if (ch->queues) {
        return;
    }
    int got = ch->base.is_open ? 0 : open_base(ch, &e);
    got = got < 0 ? got : base_read(&ch->base, b, ch->client->rules->batch, BASE_BYTES, &e);
    if (b->count > 0) {
        ch->read = b->records[b->count - 1].token;
        ch->read_count += b->count;
    }
    if (got < 0) { /* after what came before it, if anything did */
        char text[ERR_TEXT_MAX];
        snprintf(ch->bad, sizeof ch->bad, "%s", err_message(&e, text, sizeof text));
    }
    ch->read_all = got == 0;
    if (ch->bad[0] && b->count == 0) {
        channel_fail(ch, ch->bad);
    }
}

static void fill(struct channel *ch, int64_t now)
{
    if (ch->read_all) {
        return;
    }
    if (ch->look_at && now >= ch->look_at) {
        ch->at_tail = false;
        ch->look_at = 0;
    }
    if (!ch->is_stream) {
        read_base(ch);
    } else if (!ch->reading && !ch->at_tail && ch->batches[1].count == 0 && ch->client->data) {
        read_ask(ch);
    }
}

/* The batch in hand is through: the next one. */
static void turn_over(struct channel *ch)
{
    struct parcel *b = ch->batches;
    if (!ch->delivering && b[0].count > 0 && b[0].done == b[0].count) {
        struct parcel empty = b[0];
        parcel_reset(&empty);
        b[0] = b[1];
        b[1] = empty;
    }
}

/* ---- a step ---- */

static int64_t hand_on(struct channel *ch, int64_t now)
{
    const struct parcel *b = &ch->batches[0];
    if (ch->delivering || b->done == b->count) {
        return CLOCK_NEVER;
    }
    if (now < ch->retry_at) {
        return ch->retry_at;
    }
    if (!client_has_lease(ch->client)) {
        return CLOCK_NEVER;
    }
    return deliver_start(ch) ? now : now + LOOK_AGAIN;
}

static int64_t work(struct channel *ch, int64_t now)
{
    bool draining = ch->connect != CONNECT_RUNNING || ch->client->stopping;
    int64_t next = CLOCK_NEVER;
    deliver_look(ch);
    turn_over(ch);
    if (!draining) {
        fill(ch, now);
        draining = ch->connect != CONNECT_RUNNING; /* it may have failed */
    }
    if (!draining) {
        next = hand_on(ch, now);
        next = ch->queues && now + LOOK_AGAIN < next ? now + LOOK_AGAIN : next;
        next = ch->look_at && ch->look_at < next ? ch->look_at : next;
    }
    int64_t due = save(ch, draining, now);
    bool quiet = !ch->delivering && !ch->flight.under_way;
    if (quiet && (ch->saved_last || (draining && !is_unsaved(ch)))) {
        end(ch);
        return now;
    }
    return due < next ? due : next;
}

/* The opening hook, or at the end the closing one. Returns when to look again. */
static int64_t run_hook(struct channel *ch, const char *hook, int64_t now)
{
    if (ch->slot) {
        return CLOCK_NEVER;
    }
    return deliver_hook(ch, hook) ? CLOCK_NEVER : now + LOOK_AGAIN;
}

int64_t channel_step(struct channel *ch, int64_t now)
{
    const struct tunnel_rules *rules = ch->client->rules;
    switch (ch->phase) {
    case PHASE_OPENING:
        if (!ch->slot && (ch->connect != CONNECT_RUNNING || ch->client->stopping)) {
            ch->phase = PHASE_ENDING;
            return now;
        }
        if (rules->on_open) {
            return run_hook(ch, rules->on_open, now);
        }
        ch->opened = true;
        ch->phase = PHASE_WORKING;
        return now;
    case PHASE_WORKING:
        return work(ch, now);
    case PHASE_ENDING:
        if (ch->opened && rules->on_shutdown) {
            return run_hook(ch, rules->on_shutdown, now);
        }
        ch->connect = CONNECT_CLOSED;
        ch->phase = ch->silent || ch->client->stopping ? PHASE_GONE : PHASE_REPORTING;
        ch->client->beat_at = ch->phase == PHASE_REPORTING ? now : ch->client->beat_at;
        return now;
    case PHASE_REPORTING:
    case PHASE_GONE:
        break;
    }
    return CLOCK_NEVER;
}
