#include "tunnel/client.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTEN_TIME   "5000"              /* ms that a blocking read lasts */
#define ANSWER_TIME   (10 * CLOCK_SECOND) /* longer than a blocking read */
#define ANSWER_LEAST  CLOCK_SECOND
#define PAUSE_LONGEST (2 * CLOCK_SECOND)

enum { EVENTS = EPOLLIN | EPOLLOUT | EPOLLET };

static void on_news(void *owner, uint32_t events)
{
    (void)owner; /* it is heard in every turn */
    (void)events;
}

/* ---- connections ---- */

void wire_close(struct client *c)
{
    loop_remove(&c->loop, &c->on_data);
    loop_remove(&c->loop, &c->on_ears);
    link_close(c->data);
    link_close(c->ears);
    c->data = c->ears = NULL;
    c->due_count = c->due_first = 0;
    c->listening = c->wake = false;
    for (size_t i = 0; i < c->count; i++) {
        read_forget(c->channels[i]);
    }
}

/* Under what number Redis knows the connection that blocks: to wake it. */
static int ask_id(struct client *c, struct err *e)
{
    int64_t id = 0;
    command_start(&c->command, "CLIENT");
    command_add_text(&c->command, "ID");
    const struct reply *r = link_demand(c->ears, &c->command, e);
    if (!r || reply_integer(r, &id, e) < 0) {
        return -1;
    }
    snprintf(c->ears_id, sizeof c->ears_id, "%lld", (long long)id);
    return 0;
}

static int open_both(struct client *c, struct err *e)
{
    if (client_dial(c, &c->data, e) < 0 || client_dial(c, &c->ears, e) < 0 || ask_id(c, e) < 0) {
        return -1;
    }
    c->on_data = (struct loop_source){.fd = -1, .ready = on_news, .owner = c};
    c->on_ears = (struct loop_source){.fd = -1, .ready = on_news, .owner = c};
    if (loop_add(&c->loop, &c->on_data, link_fd(c->data), EVENTS, e) < 0) {
        return -1;
    }
    return loop_add(&c->loop, &c->on_ears, link_fd(c->ears), EVENTS, e);
}

static void failed(struct client *c, const struct err *e)
{
    wire_close(c);
    if (e->code == ERR_USAGE) {
        client_fail(c, e);
    }
    if (!c->told_wire) {
        char text[ERR_TEXT_MAX];
        c->told_wire = true;
        client_tell(c, "%s; trying again", err_message(e, text, sizeof text));
    }
    c->wire_pause = c->wire_pause ? c->wire_pause * 2 : 20 * CLOCK_MILLI;
    c->wire_pause = c->wire_pause < PAUSE_LONGEST ? c->wire_pause : PAUSE_LONGEST;
    unsigned char chance;
    uuid_random(&chance, 1);
    c->wire_retry_at = clock_now() + c->wire_pause / 2 + c->wire_pause / 2 * chance / 255;
}

void wire_open(struct client *c)
{
    struct err e = {0};
    if (open_both(c, &e) < 0) {
        failed(c, &e);
        return;
    }
    for (size_t i = 0; i < c->count; i++) { /* what was not answered is sent again */
        struct channel *ch = c->channels[i];
        if (ch->flight.under_way && !ch->silent) {
            wire_checkpoint(ch);
        }
    }
}

void wire_put(struct client *c, enum due_what what, uint64_t serial)
{
    if (c->due_first + c->due_count == c->due_cap && c->due_first > 0) {
        memmove(c->dues, c->dues + c->due_first, c->due_count * sizeof *c->dues);
        c->due_first = 0;
    }
    size_t end = c->due_first + c->due_count;
    c->dues = mem_grow(c->dues, &c->due_cap, end, sizeof *c->dues);
    if (c->due_count == 0) {
        c->data_since = clock_now();
    }
    c->dues[end] = (struct due){what, serial};
    c->due_count++;
    link_put(c->data, &c->command);
}

/* ---- checkpoints ---- */

static void add_lines(struct command *c, const struct outputs *o)
{
    const char *at = buf_span(&o->text).at, *end = at + o->text.len;
    while (at < end) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        command_add(c, span_of(at, (size_t)(lf - at)));
        at = lf + 1;
    }
}

void wire_checkpoint(struct channel *ch)
{
    struct client *c = ch->client;
    const struct flight *f = &ch->flight;
    struct buf text = {0};
    service_start(c->service, &c->command, f->outputs.count > 0 ? "deliver" : "checkpoint",
                  buf_span(&c->root));
    command_add_text(&c->command, c->rules->name);
    command_add_text(&c->command, c->id);
    command_add_text(&c->command, ch->id);
    command_add_number(&c->command, ch->version);
    command_add_number(&c->command, f->seq);
    if (f->is_last) {
        buf_add_text(&text, "finished");
    } else {
        token_put(&text, f->token, ch->is_stream);
    }
    command_add(&c->command, buf_span(&text));
    command_add_number(&c->command, (int64_t)f->records);
    buf_reset(&text);
    if (f->outputs.count > 0) {
        buf_add_span(&text, buf_span(&c->to_root));
        buf_printf(&text, "p:%lld",
                   (long long)(strtoll(strrchr(ch->id, '-') + 1, NULL, 10) % c->to_count));
    }
    command_add(&c->command, buf_span(&text));
    command_add_number(&c->command, (int64_t)f->outputs.count);
    add_lines(&c->command, &f->outputs);
    command_add_number(&c->command, (int64_t)f->dead.count / 3);
    add_lines(&c->command, &f->dead);
    wire_put(c, DUE_CHECKPOINT, ch->serial);
    buf_release(&text);
}

static void saved(struct channel *ch)
{
    struct flight *f = &ch->flight;
    ch->saved = f->token;
    ch->saved_count += f->records;
    ch->saved_last = f->is_last;
    ch->seq = f->seq;
    ch->saved_at = clock_now();
    f->under_way = false;
    ch->client->wire_pause = 0;
    ch->client->told_wire = false;
    buf_reset(&f->outputs.text);
    buf_reset(&f->dead.text);
    f->outputs.count = f->dead.count = 0;
}

/* The answer to a checkpoint. An error of the server: -1 with E filled. */
static int take_checkpoint(struct channel *ch, const struct reply *r, struct err *e)
{
    struct client *c = ch->client;
    struct span word = service_word(r);
    if (span_equal(word, SPAN_LIT("OK"))) {
        saved(ch);
    } else if (span_equal(word, SPAN_LIT("FENCED"))) {
        client_tell(c, "channel %s was given to another client", ch->id);
        channel_drop(ch);
    } else if (span_equal(word, SPAN_LIT("GONE"))) {
        client_lost(c, "the service does not know this client any more");
    } else if (r->kind == REPLY_ERROR) {
        if (reply_is_error(r, "ERR Function not found")) {
            return service_load(c->service, e) < 0 ? -1 : err_set(e, ERR_LATER, "not known yet");
        }
        return link_refused(c->data, r, e);
    } else {
        return reply_strange(e);
    }
    return 0;
}

/* ---- listening ---- */

/* May CH get more, if there were more? */
static bool waits(const struct channel *ch)
{
    return ch->phase == PHASE_WORKING && ch->connect == CONNECT_RUNNING && !ch->silent &&
           ch->is_stream && ch->at_tail;
}

static void wake_up(struct client *c)
{
    c->wake = false;
    command_start(&c->command, "CLIENT");
    command_add_text(&c->command, "UNBLOCK");
    command_add_text(&c->command, c->ears_id);
    wire_put(c, DUE_WAKE, 0);
}

void wire_listen(struct client *c)
{
    size_t waiting = 0;
    for (size_t i = 0; i < c->count; i++) {
        waiting += waits(c->channels[i]);
    }
    if (!c->data || (c->listening && !c->wake) || (!c->listening && waiting == 0)) {
        return;
    }
    if (c->listening) {
        wake_up(c);
        return;
    }
    command_start(&c->command, "XREAD");
    command_add_text(&c->command, "COUNT");
    command_add_text(&c->command, "1");
    command_add_text(&c->command, "BLOCK");
    command_add_text(&c->command, LISTEN_TIME);
    command_add_text(&c->command, "STREAMS");
    for (size_t i = 0; i < c->count; i++) {
        if (waits(c->channels[i])) {
            command_key(&c->command, buf_span(&c->channels[i]->key));
        }
    }
    struct buf text = {0};
    for (size_t i = 0; i < c->count; i++) {
        if (waits(c->channels[i])) {
            buf_reset(&text);
            token_put(&text, c->channels[i]->read, true);
            command_add(&c->command, buf_span(&text));
        }
    }
    buf_release(&text);
    link_put(c->ears, &c->command);
    c->listening = true;
    c->ears_since = clock_now();
    c->wake = false;
}

/* Lists of a key and its first new entry; nothing: the time is over, or we were woken. */
static int take_news(struct client *c, const struct reply *r, struct err *e)
{
    c->listening = false;
    if (r->kind == REPLY_ERROR && !reply_is_error(r, "UNBLOCKED")) {
        return link_refused(c->ears, r, e);
    }
    for (size_t n = 0; r->kind == REPLY_LIST && n < r->count; n++) {
        const struct reply *one = &r->items[n];
        for (size_t i = 0; one->count == 2 && i < c->count; i++) {
            if (span_equal(one->items[0].text, buf_span(&c->channels[i]->key))) {
                c->channels[i]->at_tail = false;
            }
        }
    }
    return 0;
}

/* ---- hearing ---- */

static int take_answer(struct client *c, const struct reply *r, struct err *e)
{
    if (c->due_count == 0) {
        return reply_strange(e);
    }
    struct due due = c->dues[c->due_first++];
    c->due_count--;
    struct channel *ch = channel_of(c, due.serial);
    if (due.what == DUE_WAKE) {
        if (r->kind == REPLY_ERROR) {
            return link_refused(c->data, r, e);
        }
        c->wake = r->number == 0 ? c->listening : c->wake; /* it did not block yet */
        return 0;
    }
    if (due.what == DUE_CHECKPOINT) {
        return ch && !ch->silent ? take_checkpoint(ch, r, e) : 0;
    }
    return ch ? read_take(ch, due.what, r, e) : 0;
}

/* How long what does not block may take: there is to be time for another try within the lease. */
static int64_t patience(const struct client *c)
{
    int64_t half = c->rules->timeout / 2;
    return half < ANSWER_LEAST ? ANSWER_LEAST : half > ANSWER_TIME ? ANSWER_TIME : half;
}

/* Has an answer been due for too long? */
static bool is_silent(const struct client *c)
{
    int64_t now = clock_now();
    return (c->data && c->due_count > 0 && now - c->data_since > patience(c)) ||
           (c->ears && c->listening && now - c->ears_since > ANSWER_TIME);
}

bool wire_hear(struct client *c)
{
    struct err e = {0};
    const struct reply *r;
    int got = 0;
    bool heard = false;
    while (c->data && (got = link_heard(c->data, &r, &e)) > 0) {
        heard = true;
        c->data_since = clock_now();
        if (take_answer(c, r, &e) < 0) {
            got = -1;
            break;
        }
    }
    while (got >= 0 && c->ears && (got = link_heard(c->ears, &r, &e)) > 0) {
        heard = true;
        if (take_news(c, r, &e) < 0) {
            got = -1;
            break;
        }
    }
    if (got >= 0 && is_silent(c)) {
        got = err_set(&e, ERR_LATER, "store %s does not answer", server_shown(c->service->server));
    }
    if (got < 0) {
        failed(c, &e);
    }
    return heard;
}
