#include "tunnel/client.h"

#include "base/clock.h"
#include "base/mem.h"
#include "json/scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define BACKLOG_MAX                                                                                \
    ((size_t)256 << 10)                /* bytes not yet written: then nothing more is handed on    \
                                        */
#define MESSAGES_MAX ((size_t)1 << 20) /* bytes that nobody takes: then they are forgotten */
#define LOOK_AGAIN   (10 * CLOCK_MILLI)

enum {
    HOOK_SLOTS = 2,     /* that batches do not take */
    COMPLAINT_MAX = 160 /* bytes of what a command complained that go into messages */
};

/* ---- pipes of a command ---- */

/* Read what there is. False: it has ended. */
static bool drain(int fd, struct buf *out)
{
    for (;;) {
        char *at = buf_room(out, 65536);
        ssize_t n = read(fd, at, 65536);
        if (n <= 0) {
            return n < 0 && (errno == EAGAIN || errno == EINTR);
        }
        out->len += (size_t)n;
    }
}

static void on_out(void *owner, uint32_t events)
{
    struct slot *s = owner;
    (void)events;
    if (s->child.out >= 0 && !drain(s->child.out, &s->out)) {
        loop_drop(&s->client->loop, &s->on_out, &s->child.out);
    }
    if (s->is_worker) {
        worker_heard(s);
    }
}

static void pass_on(struct slot *s, struct span text)
{
    struct writer *m = s->client->rules->messages;
    if (writer_backlog(m) < MESSAGES_MAX) {
        writer_put_span(m, text);
        writer_commit(m);
    }
    buf_add_span(&s->complaint, text);
    if (s->complaint.len > COMPLAINT_MAX) {
        size_t over = s->complaint.len - COMPLAINT_MAX;
        memmove(s->complaint.at, s->complaint.at + over, COMPLAINT_MAX);
        s->complaint.len = COMPLAINT_MAX;
    }
}

static void on_err(void *owner, uint32_t events)
{
    struct slot *s = owner;
    struct buf text = {0};
    (void)events;
    if (s->child.err >= 0 && !drain(s->child.err, &text)) {
        loop_drop(&s->client->loop, &s->on_err, &s->child.err);
    }
    pass_on(s, buf_span(&text));
    buf_release(&text);
}

static void on_in(void *owner, uint32_t events)
{
    struct slot *s = owner;
    (void)events;
    if (s->is_worker) {
        worker_feed(s);
        return;
    }
    if (s->child.in >= 0) {
        proc_feed(&s->child, buf_span(&s->input));
    }
    if (s->child.in < 0) {
        s->on_in.fd = -1; /* closed, and so out of the loop */
    }
}

static void on_exit_of_child(void *owner, uint32_t events)
{
    struct slot *s = owner;
    (void)events;
    if (proc_ended(&s->child)) {
        s->on_exit.fd = -1;
        s->status = s->child.status;
        proc_signal(&s->child, SIGKILL); /* what it left behind */
    }
}

static int watch(struct slot *s, struct err *e)
{
    struct loop *l = &s->client->loop;
    s->on_exit = (struct loop_source){.fd = -1, .ready = on_exit_of_child, .owner = s};
    s->on_in = (struct loop_source){.fd = -1, .ready = on_in, .owner = s};
    s->on_out = (struct loop_source){.fd = -1, .ready = on_out, .owner = s};
    s->on_err = (struct loop_source){.fd = -1, .ready = on_err, .owner = s};
    if (loop_add(l, &s->on_exit, s->child.exit_fd, EPOLLIN, e) < 0 ||
        (s->child.out >= 0 && loop_add(l, &s->on_out, s->child.out, EPOLLIN, e) < 0) ||
        loop_add(l, &s->on_err, s->child.err, EPOLLIN, e) < 0) {
        return -1;
    }
    return s->child.in >= 0 ? loop_add(l, &s->on_in, s->child.in, EPOLLOUT, e) : 0;
}

/* ---- starting ---- */

/* The environment with what a command may want to know; the texts are in TEXTS. */
static const char **make_environment(const struct channel *ch, struct buf texts[4])
{
    const char *const *given = ch->client->rules->envp;
    size_t n = 0;
    while (given[n]) {
        n++;
    }
    const char **all = mem_new(n + 5, sizeof *all);
    memcpy(all, given, n * sizeof *all);
    buf_printf(&texts[0], "FANLINE_TUNNEL=%s", ch->client->rules->name);
    buf_printf(&texts[1], "FANLINE_CHANNEL=%s", ch->id);
    buf_printf(&texts[2], "FANLINE_VERSION=%lld", (long long)ch->version);
    buf_add_text(&texts[3], "FANLINE_TOKEN=");
    token_put(&texts[3], ch->done, ch->is_stream);
    for (size_t i = 0; i < 4; i++) {
        all[n + i] = buf_text(&texts[i]);
    }
    return all;
}

int deliver_start_in(struct slot *s, const struct proc_command *command, struct err *e)
{
    buf_reset(&s->out);
    buf_reset(&s->complaint);
    s->is_worker = command->stays;
    if (proc_start(&s->client->proc, &s->child, (size_t)(s - s->client->slots), command, e) < 0) {
        return -1;
    }
    if (watch(s, e) < 0) {
        proc_signal(&s->child, SIGKILL);
    }
    return 0;
}

static int start(struct slot *s, struct channel *ch, const char *const *argv, struct span input,
                 struct err *e)
{
    struct buf texts[4] = {{0}};
    const char **envp = make_environment(ch, texts);
    buf_reset(&s->input);
    buf_add_span(&s->input, input);
    struct proc_command command = {.argv = argv, .envp = envp, .input = buf_span(&s->input)};
    int rc = deliver_start_in(s, &command, e);
    for (size_t i = 0; i < 4; i++) {
        buf_release(&texts[i]);
    }
    free(envp);
    return rc;
}

static struct slot *find_slot(struct client *c, enum slot_use use, size_t end)
{
    for (size_t i = 0; i < end; i++) {
        if (c->slots[i].use == use) {
            return &c->slots[i];
        }
    }
    return NULL;
}

struct slot *deliver_place(struct client *c, enum slot_use use)
{
    return find_slot(c, use, c->slot_count - HOOK_SLOTS);
}

/* Run ARGV for CH. False: not now. */
static bool run(struct channel *ch, enum slot_use use, const char *const *argv, struct span input)
{
    struct client *c = ch->client;
    struct slot *s =
        use == SLOT_HOOK ? find_slot(c, SLOT_FREE, c->slot_count) : deliver_place(c, SLOT_FREE);
    struct err e = {0};
    if (!s) {
        return false;
    }
    if (start(s, ch, argv, input, &e) < 0) {
        if (e.code != ERR_LATER || proc_is_stuck(&c->proc)) {
            client_fail(c, &e);
        }
        return false;
    }
    s->use = use;
    s->channel = ch;
    ch->slot = s;
    return true;
}

bool deliver_hook(struct channel *ch, const char *text)
{
    const char *const argv[] = {"sh", "-c", text, NULL};
    return run(ch, SLOT_HOOK, argv, span_of("", 0));
}

/* Write to standard output; delivered when it is through. */
static bool write_out(struct channel *ch, struct span lines)
{
    struct writer *out = ch->client->rules->out;
    writer_put_span(out, lines);
    if (lines.len > 0 && lines.at[lines.len - 1] != '\n') {
        writer_put_byte(out, '\n');
    }
    writer_commit(out);
    ch->written_at = writer_total(out);
    ch->delivering = true;
    return true;
}

bool deliver_start(struct channel *ch)
{
    const struct tunnel_rules *rules = ch->client->rules;
    struct parcel *b = &ch->batches[0];
    size_t n = ch->alone > 0 ? 1 : b->count - b->done;
    struct span lines = parcel_lines(b, b->done, n);
    if (!rules->to && writer_backlog(rules->out) > BACKLOG_MAX) {
        return false;
    }
    b->given = n;
    if (rules->workers) {
        ch->delivering = worker_give(ch, lines, n);
        return ch->delivering;
    }
    if (rules->command) {
        ch->delivering = run(ch, SLOT_BATCH, rules->command, lines);
        return ch->delivering;
    }
    if (rules->to) {
        channel_delivered(ch, lines);
        return true;
    }
    return write_out(ch, lines);
}

void deliver_look(struct channel *ch)
{
    const struct writer *out = ch->client->rules->out;
    if (ch->delivering && !ch->slot && out->written >= ch->written_at) {
        channel_delivered(ch, span_of("", 0));
    }
}

/* ---- ending ---- */

void deliver_stop(struct channel *ch)
{
    struct slot *s = ch->slot;
    if (s) {
        s->channel = NULL;
        s->use = SLOT_LEFT;
        proc_signal(&s->child, SIGKILL);
        ch->slot = NULL;
    }
    ch->delivering = false;
    ch->batches[0].given = 0;
}

/* Are all lines of TEXT JSON? */
static bool is_json(struct span text)
{
    struct scan scan;
    bool fine = true;
    const char *at = text.at, *end = at + text.len;
    scan_init(&scan, SCAN_DEPTH_DEFAULT);
    while (fine && at < end) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        const char *stop = lf ? lf : end;
        fine = stop == at || scan_check(&scan, at, (size_t)(stop - at)) == 0;
        at = stop + 1;
    }
    scan_release(&scan);
    return fine;
}

static void explain(struct slot *s, char *out, size_t size)
{
    int status = s->status;
    struct span last = buf_span(&s->complaint);
    while (last.len > 0 && last.at[last.len - 1] == '\n') {
        last.len--;
    }
    snprintf(out, size, "%s %d%s%.*s", WIFSIGNALED(status) ? "signal" : "exit status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), last.len ? ": " : "",
             (int)last.len, last.at);
}

void deliver_output(struct channel *ch, struct span output)
{
    if (!client_has_lease(ch->client)) {
        channel_refused(ch, "the lease is over");
    } else if (!ch->client->rules->to) {
        write_out(ch, output);
    } else if (!is_json(output)) {
        channel_refused(ch, "its output is not JSON lines");
    } else {
        channel_delivered(ch, output);
    }
}

static void judge_batch(struct slot *s, struct channel *ch)
{
    char why[COMPLAINT_MAX + 40];
    if (s->is_worker || !WIFEXITED(s->status) || WEXITSTATUS(s->status) != 0) {
        explain(s, why, sizeof why);
        channel_refused(ch, why);
    } else {
        deliver_output(ch, buf_span(&s->out));
    }
}

static void finish(struct slot *s)
{
    enum slot_use use = s->use;
    struct channel *ch = s->channel;
    s->use = SLOT_FREE;
    s->channel = NULL;
    loop_remove(&s->client->loop, &s->on_in);
    proc_close_pipes(&s->child);
    if (ch) {
        ch->slot = NULL;
    }
    if (use == SLOT_BATCH) {
        judge_batch(s, ch);
    } else if (use == SLOT_HOOK) {
        pass_on(s, buf_span(&s->out)); /* a hook's output is for people */
        channel_hooked(ch, WIFEXITED(s->status) && WEXITSTATUS(s->status) == 0);
    }
}

int64_t deliver_sweep(struct client *c)
{
    int64_t next = CLOCK_NEVER, now = clock_now();
    for (size_t i = 0; i < c->slot_count; i++) {
        struct slot *s = &c->slots[i];
        if (s->use == SLOT_FREE || !s->child.ended) {
            continue;
        }
        on_out(s, 0);
        on_err(s, 0);
        if (s->child.out < 0 && s->child.err < 0 && proc_gone(&c->proc, &s->child)) {
            finish(s);
            next = now;
        } else {
            next = next < now + LOOK_AGAIN ? next : now + LOOK_AGAIN;
        }
    }
    return next;
}

int deliver_open(struct client *c, struct err *e)
{
    const struct tunnel_rules *rules = c->rules;
    c->slot_count = (rules->command ? rules->jobs : 0) + HOOK_SLOTS;
    c->slots = mem_new(c->slot_count, sizeof *c->slots);
    for (size_t i = 0; i < c->slot_count; i++) {
        c->slots[i].client = c;
    }
    return proc_open(&c->proc, c->slot_count, e);
}

void deliver_close(struct client *c)
{
    for (size_t i = 0; i < c->slot_count; i++) {
        struct slot *s = &c->slots[i];
        if (s->use != SLOT_FREE) {
            proc_signal(&s->child, SIGKILL);
            proc_close_pipes(&s->child);
        }
        buf_release(&s->input);
        buf_release(&s->out);
        buf_release(&s->complaint);
    }
    proc_close(&c->proc);
    free(c->slots);
}
