#include "tunnel/client.h"

#include "base/clock.h"
#include "base/mem.h"
#include "io/fd.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define DIAL_TIME     CLOCK_SECOND /* a connection is waited for so long, at most */
#define PAUSE_FIRST   (50 * CLOCK_MILLI)
#define PAUSE_LONGEST (10 * CLOCK_SECOND)
#define LOST_PAUSE    (400 * CLOCK_MILLI) /* before connecting anew, at most */
#define TURN_LONGEST  CLOCK_SECOND

static const int caught[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1};

/* ---- telling ---- */

void client_tell(struct client *c, const char *format, ...)
{
    char text[ERR_TEXT_MAX];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (c->rules->tell) {
        c->rules->tell(c->rules->context, text);
    }
}

void client_tell_down(struct client *c, const struct err *e)
{
    char text[ERR_TEXT_MAX];
    if (!c->told_down) {
        c->told_down = true;
        client_tell(c, "%s; trying again", err_message(e, text, sizeof text));
    }
}

static void tell_status(struct client *c)
{
    size_t working = 0;
    for (size_t i = 0; i < c->count; i++) {
        working += c->channels[i]->phase == PHASE_WORKING;
    }
    client_tell(c, "%s: %zu channels, %llu records delivered, %llu set aside",
                c->status == CLIENT_STARTED ? "connected" : "not connected", working,
                (unsigned long long)c->report->records, (unsigned long long)c->report->set_aside);
}

/* ---- ending ---- */

static void drop_all(struct client *c)
{
    for (size_t i = 0; i < c->count; i++) {
        channel_drop(c->channels[i]);
    }
}

void client_fail(struct client *c, const struct err *e)
{
    if (c->failure.code == ERR_NONE) {
        c->failure = *e;
    }
    if (e->code == ERR_PIPE || e->code == ERR_IO) {
        drop_all(c); /* what is in hand has nowhere to go */
    }
    c->stopping = true;
}

static void step_status(struct client *c, enum client_event event)
{
    int next = client_after(c->status, event);
    c->status = next < 0 ? c->status : (enum client_status)next;
}

static int64_t random_up_to(int64_t most)
{
    uint32_t chance;
    uuid_random(&chance, sizeof chance);
    return most / 1000 * (chance % 1001);
}

/* Whatever was given to the id that we had, or perhaps had, is not served by us any more. */
static void forget_id(struct client *c)
{
    if (c->former_count == FORMER_MAX) { /* not the oldest: that is the one that had channels */
        c->former_count--;
        memmove(c->former[1], c->former[2], (c->former_count - 1) * sizeof *c->former);
    }
    memcpy(c->former[c->former_count++], c->id, sizeof c->id);
}

void client_lost(struct client *c, const char *why)
{
    if (c->status != CLIENT_STARTED) {
        return;
    }
    client_tell(c, "%s; connecting anew", why);
    step_status(c, CLIENT_LOST);
    forget_id(c);
    beat_drop(c);
    drop_all(c);
    wire_close(c); /* what it may yet say is for another */
    step_status(c, CLIENT_AGAIN);
    c->done = false;
    c->retry_at = clock_now() + random_up_to(LOST_PAUSE);
}

bool client_has_lease(const struct client *c)
{
    return c->status == CLIENT_STARTED && clock_now() < c->lease_until;
}

/* ---- connecting ---- */

static void set_alarm(struct client *c, int64_t duration)
{
    struct itimerspec when = {.it_value = {duration / CLOCK_SECOND, duration % CLOCK_SECOND}};
    timerfd_settime(c->alarm, 0, &when, NULL);
}

static int hear_nothing(void *context, const struct reply *r, struct err *e)
{
    (void)context;
    (void)r;
    (void)e;
    return 0;
}

int client_dial(struct client *c, struct link **out, struct err *e)
{
    struct buf key = {0};
    set_alarm(c, DIAL_TIME);
    buf_add_span(&key, buf_span(&c->root));
    buf_add_text(&key, "src");
    command_start(&c->command, "EXISTS"); /* who has the slot by now? */
    command_key(&c->command, buf_span(&key));
    int rc = service_ask(c->service, &c->command, hear_nothing, NULL, e);
    rc = rc < 0 ? rc : server_connect(c->service->server, buf_span(&key), out, e);
    set_alarm(c, 0);
    buf_release(&key);
    return rc;
}

static int hear_number(void *context, const struct reply *r, struct err *e)
{
    return r->count < 2 ? reply_strange(e) : reply_integer(&r->items[1], context, e);
}

/* The number of partitions of the source at ROOT, made with WANTED if it is not there. */
static int partitions_of(struct client *c, const struct buf *root, int64_t wanted, int64_t *out,
                         struct err *e)
{
    service_start(c->service, &c->command, "source", buf_span(root));
    command_add_number(&c->command, wanted);
    return service_call(c->service, &c->command, hear_number, out, e);
}

/* The stream of outputs: it has as many partitions as the source, if it is made here. */
static int find_sink(struct client *c, struct err *e)
{
    struct err ignored = {0};
    int64_t wanted = 1;
    service_root(&c->to_root, span_text(c->rules->to));
    if (c->service->is_cluster && slot_of(buf_span(&c->to_root)) != slot_of(buf_span(&c->root))) {
        return err_set(e, ERR_USAGE, "--to: %s is in another slot of the cluster than what is read",
                       c->rules->to);
    }
    if (partitions_of(c, &c->to_root, 0, &c->to_count, &ignored) == 0) {
        return 0;
    }
    if (ignored.code != ERR_USAGE) {
        *e = ignored;
        return -1;
    }
    if (partitions_of(c, &c->root, 0, &wanted, &ignored) < 0 && ignored.code != ERR_USAGE) {
        *e = ignored;
        return -1;
    }
    return partitions_of(c, &c->to_root, wanted, &c->to_count, e);
}

static int find_tunnel(struct client *c, struct err *e)
{
    struct buf source = {0};
    int rc = service_find(c->service, span_text(c->rules->name), &source, e);
    if (rc == 0) {
        service_root(&c->root, buf_span(&source));
    }
    buf_release(&source);
    return rc == 0 && c->rules->to && c->to_count == 0 ? find_sink(c, e) : rc;
}

static int call_connect(struct client *c, struct err *e)
{
    const struct tunnel_rules *r = c->rules;
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    service_start(c->service, &c->command, "connect", buf_span(&c->root));
    command_add_text(&c->command, r->name);
    command_add_text(&c->command, c->id);
    command_add_number(&c->command, r->timeout / CLOCK_MILLI);
    command_add_number(&c->command, r->close_limit / CLOCK_MILLI);
    command_add_number(&c->command, r->max_channels);
    command_add_text(&c->command, r->tag);
    command_add_text(&c->command, host);
    for (size_t i = 0; i < c->former_count; i++) {
        command_add_text(&c->command, c->former[i]);
    }
    return service_call(c->service, &c->command, NULL, NULL, e);
}

static void connect_later(struct client *c, const struct err *e)
{
    client_tell_down(c, e);
    c->pause = c->pause ? c->pause * 2 : PAUSE_FIRST;
    c->pause = c->pause < PAUSE_LONGEST ? c->pause : PAUSE_LONGEST;
    c->retry_at = clock_now() + random_up_to(c->pause);
}

static void connect_client(struct client *c)
{
    struct err e = {0};
    int64_t sent = clock_now();
    uuid_make(c->id);
    set_alarm(c, DIAL_TIME);
    int rc = find_tunnel(c, &e);
    rc = rc < 0 ? rc : call_connect(c, &e);
    set_alarm(c, 0);
    if (rc < 0 && e.code == ERR_USAGE) {
        client_fail(c, &e);
    } else if (rc < 0) {
        forget_id(c); /* the answer may be all that was lost */
        connect_later(c, &e);
    } else {
        c->former_count = 0;
        step_status(c, CLIENT_CONNECTED);
        c->lease_until = sent + c->rules->timeout - c->rules->timeout / 10;
        c->beat_number = 0;
        c->answered = 0;
        c->beat_at = sent;
    }
}

static void leave(struct client *c)
{
    struct err ignored = {0};
    if (c->status == CLIENT_STARTED) {
        set_alarm(c, DIAL_TIME);
        service_start(c->service, &c->command, "leave", buf_span(&c->root));
        command_add_text(&c->command, c->rules->name);
        command_add_text(&c->command, c->id);
        (void)service_call(c->service, &c->command, NULL, NULL, &ignored); /* else it expires */
        set_alarm(c, 0);
    }
    step_status(c, CLIENT_STOP);
    c->over = true;
}

/* ---- a turn ---- */

static void on_signal(void *owner, uint32_t events)
{
    struct client *c = owner;
    int number;
    (void)events;
    while ((number = signals_next(&c->signals)) != 0) {
        if (number == SIGUSR1) {
            tell_status(c);
        } else if (!c->stopping) {
            c->stopping = true;
            c->asked_at = clock_now();
            c->stop_by = c->asked_at + c->rules->close_limit;
        } else if (clock_now() - c->asked_at > SIGNALS_ECHO) {
            c->report->signal = number;
            c->leave_now = true;
        }
    }
}

static void on_output(void *owner, uint32_t events)
{
    struct client *c = owner;
    struct err e = {0};
    if (events & (EPOLLERR | EPOLLHUP)) {
        err_set(&e, ERR_PIPE, "standard output was closed by its reader");
        loop_remove(&c->loop, &c->on_output);
        client_fail(c, &e);
    }
}

static void flush(struct client *c)
{
    struct err e = {0};
    (void)writer_try(c->rules->messages, NULL);
    if (c->failure.code == ERR_PIPE || c->failure.code == ERR_IO) {
        return;
    }
    int left = writer_try(c->rules->out, &e);
    if (left < 0) {
        client_fail(c, &e);
    } else if ((left > 0) != c->output_blocked) {
        c->output_blocked = left > 0;
        loop_change(&c->loop, &c->on_output, left > 0 ? EPOLLOUT : 0);
    }
}

/* Keep the lease, and the connections. Returns when there is something to do. */
static int64_t keep(struct client *c, int64_t now)
{
    if (c->status == CLIENT_READY && !c->stopping) {
        if (now < c->retry_at) {
            return c->retry_at;
        }
        connect_client(c);
        return now;
    }
    if (c->status != CLIENT_STARTED) {
        return CLOCK_NEVER;
    }
    if (now >= c->lease_until) {
        client_lost(c, "the lease is over: Redis did not answer in time");
        return now;
    }
    if (now >= c->beat_at && c->beat_sent == 0) {
        beat_send(c);
    }
    if (!c->data && now >= c->wire_retry_at && !c->over) {
        wire_open(c);
    }
    int64_t next = c->beat_sent ? now + c->rules->interval : c->beat_at;
    next = next < c->lease_until ? next : c->lease_until;
    return c->data || c->wire_retry_at > next ? next : c->wire_retry_at;
}

static int64_t step_all(struct client *c, int64_t now)
{
    int64_t next = CLOCK_NEVER;
    size_t first = c->turn;
    for (size_t i = 0; i < c->count; i++) {
        size_t at = (first + i) % c->count;
        bool waited = !c->channels[at]->delivering;
        int64_t t = channel_step(c->channels[at], now);
        next = t < next ? t : next;
        if (waited && c->channels[at]->delivering) {
            c->turn = at + 1; /* the others have theirs before it has another one */
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < c->count; i++) {
        if (c->channels[i]->phase == PHASE_GONE) {
            channel_free(c->channels[i]);
        } else {
            c->channels[kept++] = c->channels[i];
        }
    }
    c->count = kept;
    return next;
}

/* Is there nothing left to read for us? */
static bool is_drained(const struct client *c)
{
    if (!c->rules->drain || c->answered < 2 || c->count == 0) {
        return false;
    }
    for (size_t i = 0; i < c->count; i++) {
        const struct channel *ch = c->channels[i];
        bool idle = ch->phase == PHASE_WORKING && ch->is_stream && ch->at_tail && !ch->delivering &&
                    ch->batches[0].count == ch->batches[0].done;
        if (!idle) {
            return false;
        }
    }
    return true;
}

/* Has everything been done, or was it asked for to stop? Then go, once nothing is in hand. */
static void end_if_due(struct client *c, int64_t now)
{
    if ((c->done && c->count == 0) || is_drained(c)) {
        c->stop_by = c->stopping ? c->stop_by : now + c->rules->close_limit;
        c->stopping = true;
    }
    if (!c->stopping) {
        return;
    }
    if (c->leave_now || (c->stop_by && now > c->stop_by)) {
        drop_all(c);
    }
    if (c->count == 0 || c->leave_now) {
        leave(c);
    }
}

static void turn(struct client *c)
{
    int64_t now = clock_now();
    int64_t next = keep(c, now);
    int64_t swept = deliver_sweep(c);
    int64_t stepped = step_all(c, now);
    if (c->status == CLIENT_STARTED && now >= c->beat_at && c->beat_sent == 0) {
        beat_send(c); /* a channel was closed: that is told at once */
    }
    wire_listen(c);
    flush(c);
    bool heard = beat_hear(c);
    heard = wire_hear(c) || heard;
    end_if_due(c, now);
    next = swept < next ? swept : next;
    next = stepped < next ? stepped : next;
    next = next < now + TURN_LONGEST ? next : now + TURN_LONGEST;
    if (!c->over) {
        loop_turn(&c->loop, heard ? 0 : next);
    }
    if (now >= c->sweep_at) {
        struct err e = {0};
        c->sweep_at = now + TURN_LONGEST;
        if (proc_sweep(&c->proc, &e) < 0) {
            client_fail(c, &e);
        }
    }
}

/* ---- all of it ---- */

static int open_client(struct client *c, struct err *e)
{
    c->on_signal = (struct loop_source){.fd = -1, .ready = on_signal, .owner = c};
    c->on_output = (struct loop_source){.fd = -1, .ready = on_output, .owner = c};
    c->on_heart.fd = c->on_data.fd = c->on_ears.fd = -1;
    c->alarm = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (c->alarm < 0) {
        return err_system(e, errno, "cannot make a timer");
    }
    server_stop_at(c->service->server, c->alarm);
    if (deliver_open(c, e) < 0 || loop_open(&c->loop, e) < 0 ||
        signals_open(&c->signals, caught, sizeof caught / sizeof *caught, e) < 0 ||
        loop_add(&c->loop, &c->on_signal, c->signals.fd, EPOLLIN, e) < 0) {
        return -1;
    }
    return loop_add(&c->loop, &c->on_output, c->rules->out->fd, 0, e);
}

static void close_client(struct client *c)
{
    for (size_t i = 0; i < c->count; i++) {
        channel_free(c->channels[i]);
    }
    c->count = 0;
    deliver_close(c);
    beat_drop(c);
    wire_close(c);
    server_stop_at(c->service->server, -1);
    loop_close(&c->loop);
    if (c->asked_at && !c->report->signal) {
        signals_close_deaf(&c->signals);
    } else {
        signals_close(&c->signals);
    }
    fd_close(&c->alarm);
    command_release(&c->command);
    buf_release(&c->root);
    buf_release(&c->to_root);
    free(c->channels);
    free(c->dues);
    free(c);
}

int tunnel_serve(struct service *s, const struct tunnel_rules *rules, struct tunnel_report *report,
                 struct err *e)
{
    struct client *c = mem_new(1, sizeof *c);
    *report = (struct tunnel_report){0};
    c->service = s;
    c->rules = rules;
    c->report = report;
    c->alarm = c->loop.fd = c->signals.fd = -1;
    rules->out->held = rules->messages->held = true;
    int rc = open_client(c, e);
    while (rc == 0 && !c->over) {
        turn(c);
    }
    if (rc == 0 && c->failure.code != ERR_NONE) {
        *e = c->failure;
        rc = -1;
    }
    close_client(c);
    return rc;
}
