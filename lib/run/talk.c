#include "run/talk.h"

#include <errno.h>
#include <unistd.h>

enum { READS_MAX = 64 }; /* at the end of a worker: more than its pipes can hold */

/* ---- the order of answers ---- */

struct task *talk_next(const struct worker *w)
{
    return w->sent_count > 0 ? &w->tasks[w->sent[w->sent_first]] : NULL;
}

/* The answer to T is the next from now on, which matters where its time is limited. */
static void begin(const struct worker *w, struct task *t)
{
    const struct job_shared *s = w->shared;
    bool timed =
        timeout_limit(&s->timeout) >= 0 || timeout_learns(&s->timeout) || s->rules->heartbeat >= 0;
    t->began = timed ? clock_now() : 0;
}

/* The answer that was next has come, or will not; its task, which is no longer with the worker. */
struct task *talk_take(struct worker *w)
{
    struct task *t = talk_next(w);
    w->sent_first = (w->sent_first + 1) % w->window;
    w->sent_count--;
    if (w->sent_count > 0) {
        begin(w, talk_next(w));
    }
    return t;
}

/* ---- sending ---- */

void talk_put(struct worker *w, size_t i)
{
    struct task *t = &w->tasks[i];
    buf_add_span(&w->outgoing, buf_span(&t->line));
    w->outgoing_count++;
    t->state = TASK_SENT;
    t->outcome.attempts++;
    t->started = clock_real();
    if (t->outcome.attempts == 1) {
        t->outcome.started = t->started;
    }
    if (w->sent_count == 0) {
        begin(w, t);
    }
    w->sent[(w->sent_first + w->sent_count++) % w->window] = i;
}

/* Put what waits in line; the oldest first. */
void talk_put_queued(struct worker *w)
{
    while (w->sent_count < w->window) {
        size_t best = w->task_count;
        for (size_t i = 0; i < w->task_count; i++) {
            if (w->tasks[i].state == TASK_QUEUED &&
                (best == w->task_count ||
                 w->tasks[i].outcome.index < w->tasks[best].outcome.index)) {
                best = i;
            }
        }
        if (best == w->task_count) {
            return;
        }
        talk_put(w, best);
    }
}

void worker_flush(struct worker *w)
{
    while (w->child.in >= 0 && w->outgoing_done < w->outgoing.len) {
        ssize_t n = write(w->child.in, w->outgoing.at + w->outgoing_done,
                          w->outgoing.len - w->outgoing_done);
        if (n > 0) {
            w->outgoing_done += (size_t)n;
        } else if (n < 0 && errno == EAGAIN) {
            if (!w->full) {
                w->full = true;
                loop_change(w->shared->loop, &w->in, EPOLLOUT);
            }
            return;
        } else if (n < 0 && errno != EINTR) {
            break; /* it reads no more, and will end */
        }
    }
    buf_reset(&w->outgoing);
    w->outgoing_done = w->outgoing_count = 0;
    if (w->full) {
        w->full = false;
        loop_change(w->shared->loop, &w->in, 0);
    }
}

void worker_flush_due(struct worker *w)
{
    if (!w->full && w->outgoing_count > 0 && 2 * w->outgoing_count >= w->sent_count) {
        worker_flush(w);
    }
}

static void on_input(void *owner, uint32_t events)
{
    (void)events;
    worker_flush(owner);
}

/* ---- answers ---- */

static void take_answers(struct worker *w)
{
    struct span rest = buf_span(&w->incoming);
    const char *lf;
    while (rest.len > 0 && (lf = memchr(rest.at, '\n', rest.len)) != NULL) {
        size_t len = (size_t)(lf - rest.at);
        if (w->state != WORKER_ENDING || w->end == WORKER_BY_ITSELF) {
            worker_hear(w, span_of(rest.at, len));
        }
        rest = span_of(lf + 1, rest.len - len - 1);
    }
    memmove(w->incoming.at, rest.at, rest.len);
    w->incoming.len = rest.len;
    if (rest.len > w->shared->rules->max_output && w->state == WORKER_UP) {
        err_set(&w->why, ERR_DATA, "the answer is larger than %llu bytes",
                (unsigned long long)w->shared->rules->max_output);
        worker_end(w, WORKER_GARBAGE);
    }
}

static void read_answers(struct worker *w, int reads)
{
    ssize_t n = 1;
    while (reads-- > 0 && n > 0 && w->child.out >= 0) {
        n = read(w->child.out, buf_room(&w->incoming, TALK_PIECE), TALK_PIECE);
        if (n > 0) {
            w->incoming.len += (size_t)n;
            w->asked = w->sent_count;
            take_answers(w);
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            loop_drop(w->shared->loop, &w->out, &w->child.out);
        }
    }
}

static void read_errors(struct worker *w, int reads)
{
    bool more = true;
    bool open = w->child.err >= 0;
    while (reads-- > 0 && more && open) {
        open = tail_read(&w->errors, w->child.err, w->shared->messages, &more);
    }
    if (!open) {
        loop_drop(w->shared->loop, &w->err, &w->child.err);
    }
}

static void on_answers(void *owner, uint32_t events)
{
    struct worker *w = owner;
    (void)events;
    read_answers(w, 1);
    if (w->child.out < 0 && w->state == WORKER_UP && !proc_is_over(&w->child)) {
        worker_end(w, WORKER_BY_ITSELF); /* it cannot answer any more */
    }
    worker_set_deadline(w);
}

static void on_errors(void *owner, uint32_t events)
{
    (void)events;
    read_errors(owner, 1);
}

static void on_beat(void *owner, uint32_t events)
{
    struct worker *w = owner;
    bool heard;
    (void)events;
    if (!proc_beat(&w->child, &heard)) {
        loop_drop(w->shared->loop, &w->beat, &w->child.beat);
    } else if (heard) {
        w->beat_at = clock_now();
    }
}

/* ---- life ---- */

void talk_init(struct worker *w)
{
    w->in = (struct loop_source){.fd = -1, .ready = on_input, .owner = w};
    w->out = (struct loop_source){.fd = -1, .ready = on_answers, .owner = w};
    w->err = (struct loop_source){.fd = -1, .ready = on_errors, .owner = w};
    w->beat = (struct loop_source){.fd = -1, .ready = on_beat, .owner = w};
}

int talk_open(struct worker *w, struct err *e)
{
    struct loop *l = w->shared->loop;
    struct child *c = &w->child;
    if (loop_add(l, &w->exit, c->exit_fd, EPOLLIN, e) < 0 ||
        loop_add(l, &w->err, c->err, EPOLLIN, e) < 0 ||
        loop_add(l, &w->out, c->out, EPOLLIN, e) < 0 || loop_add(l, &w->in, c->in, 0, e) < 0 ||
        (c->beat >= 0 && loop_add(l, &w->beat, c->beat, EPOLLIN, e) < 0)) {
        return -1;
    }
    return 0;
}

void talk_close_input(struct worker *w)
{
    loop_drop(w->shared->loop, &w->in, &w->child.in);
}

void talk_finish(struct worker *w)
{
    read_answers(w, READS_MAX);
    read_errors(w, READS_MAX);
    tail_finish(&w->errors, w->shared->messages);
    loop_drop(w->shared->loop, &w->in, &w->child.in);
    loop_drop(w->shared->loop, &w->out, &w->child.out);
    loop_drop(w->shared->loop, &w->err, &w->child.err);
    loop_drop(w->shared->loop, &w->beat, &w->child.beat);
}
