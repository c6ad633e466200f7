#include "run/worker.h"

#include "base/mem.h"
#include "base/uuid.h"
#include "run/judge.h"
#include "run/task.h"
#include "json/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define START_AGAIN (20 * CLOCK_MILLI)
#define LOOK_AGAIN  (10 * CLOCK_MILLI)
#define KILL_AGAIN  CLOCK_SECOND

enum { PIECE = 64 * 1024, READS_MAX = 64 };

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void close_stream(struct worker *w, struct loop_source *s, int *fd)
{
    loop_remove(w->shared->loop, s);
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

/* ---- deadlines ---- */

static struct task *next_answer(const struct worker *w)
{
    return w->sent_count > 0 ? &w->tasks[w->sent[w->sent_first]] : NULL;
}

/* When the next answer is late; *WHY says how it is called then. */
static int64_t late_at(const struct worker *w, enum worker_end *why)
{
    const struct task *t = next_answer(w);
    *why = WORKER_LATE;
    if (!t || w->state != WORKER_UP) {
        return CLOCK_NEVER;
    }
    int64_t at = clock_after(t->began, timeout_limit(&w->shared->timeout));
    int64_t last = w->beat_at > t->began ? w->beat_at : t->began;
    int64_t silent = clock_after(last, w->shared->rules->heartbeat);
    *why = silent < at ? WORKER_SILENT : WORKER_LATE;
    return sooner(at, silent);
}

static void set_deadline(struct worker *w)
{
    enum worker_end why;
    int64_t at = sooner(late_at(w, &why), w->again_at);
    if (w->state == WORKER_UP && timeout_learns(&w->shared->timeout) && w->sent_count > 0) {
        at = sooner(at, clock_now() + TIMEOUT_FLOOR);
    }
    at = w->state == WORKER_ENDING ? sooner(at, w->kill_at) : at;
    for (size_t i = 0; w->shared->rules->retry && w->used > 0 && i < w->window; i++) {
        at = w->tasks[i].state == TASK_WAITING ? sooner(at, w->tasks[i].retry_at) : at;
    }
    w->shared->deadlines[w->place] = at;
}

/* ---- the end of a task ---- */

static void free_task(struct worker *w, struct task *t)
{
    bool failed = t->outcome.status != OUTCOME_SUCCEEDED && t->outcome.status != OUTCOME_PENDING;
    t->outcome.code = failed ? buf_span(&t->code) : (struct span){0};
    t->outcome.cause = failed ? buf_span(&t->cause) : (struct span){0};
    t->state = TASK_FREE;
    w->used--;
    w->shared->done(w->shared->owner, &t->outcome, &w->why, w->place);
}

/* The attempt of T is over and judged. */
static void conclude(struct worker *w, struct task *t, size_t bytes)
{
    int64_t delay = -1;
    bool failed = t->outcome.status == OUTCOME_FAILED || t->outcome.status == OUTCOME_TIMED_OUT;
    t->outcome.stopped = clock_real();
    if (failed && w->shared->rules->retry && !w->shared->no_more && !w->broken) {
        uint64_t chance;
        uuid_random(&chance, sizeof chance);
        delay = retry_again(w->shared->rules->retry, buf_span(&t->code), t->retries, chance);
    }
    if (!failed && timeout_learns(&w->shared->timeout)) {
        timeout_learn(&w->shared->timeout, clock_now() - t->began);
    }
    task_log(t, w->shared, w->place + 1, bytes, delay);
    if (delay < 0) {
        free_task(w, t);
        return;
    }
    t->state = TASK_WAITING;
    t->retry_at = clock_after(clock_now(), delay);
}

/* The answer that was next has come, or will not; its task, which is no longer with the worker. */
static struct task *take_next(struct worker *w)
{
    struct task *t = next_answer(w);
    w->sent_first = (w->sent_first + 1) % w->window;
    w->sent_count--;
    if (w->sent_count > 0) {
        next_answer(w)->began = clock_now();
    }
    return t;
}

/* ---- ending a worker ---- */

static void signal_group(struct worker *w, int64_t now)
{
    proc_signal(&w->child, w->signalled ? SIGKILL : SIGTERM);
    w->kill_at = clock_after(now, w->signalled ? KILL_AGAIN : w->shared->rules->kill_after);
    w->signalled = true;
}

static void end(struct worker *w, enum worker_end why)
{
    if (w->state == WORKER_UP) {
        w->state = WORKER_ENDING;
        w->end = why;
        close_stream(w, &w->in, &w->child.in);
    }
    signal_group(w, clock_now());
}

/* It has ended: what became of the items that were with it? */
static void settle_tasks(struct worker *w)
{
    size_t count = w->sent_count;
    for (size_t i = 0; i < count; i++) {
        struct task *t = take_next(w);
        if (w->shared->aborting) {
            w->end = WORKER_ABORTED;
        }
        if (w->end == WORKER_ABORTED || i == 0) {
            task_judge_end(t, w->end, w->status, tail_kept(&w->errors), w->why.text);
            conclude(w, t, 0);
        } else {
            t->state = TASK_QUEUED; /* its successor gets it */
            t->outcome.attempts--;
        }
    }
    w->why = (struct err){0};
}

static void start(struct worker *w);

/* Is all of it gone? Then its successor may come. */
static void leave(struct worker *w, int64_t now)
{
    if (proc_gone(w->shared->proc, &w->child)) {
        w->state = WORKER_DOWN;
        w->again_at = CLOCK_NEVER;
        settle_tasks(w);
        tail_reset(&w->errors);
        if (w->used > 0) {
            start(w);
        }
        return;
    }
    if (!w->signalled || now >= w->kill_at) {
        signal_group(w, now);
    }
    w->again_at = now + LOOK_AGAIN;
}

/* ---- answers ---- */

static void take_answer(struct worker *w, struct span line)
{
    if (w->sent_count == 0) {
        w->why = (struct err){0};
        end(w, WORKER_GARBAGE);
        return;
    }
    struct task *t = take_next(w);
    task_judge_answer(t, line, w->shared, &w->errors);
    conclude(w, t, line.len);
}

static void take_answers(struct worker *w)
{
    struct span rest = buf_span(&w->incoming);
    const char *lf;
    while (rest.len > 0 && (lf = memchr(rest.at, '\n', rest.len)) != NULL) {
        size_t len = (size_t)(lf - rest.at);
        if (w->state != WORKER_ENDING || w->end == WORKER_BY_ITSELF) {
            take_answer(w, span_of(rest.at, len));
        }
        rest = span_of(lf + 1, rest.len - len - 1);
    }
    memmove(w->incoming.at, rest.at, rest.len);
    w->incoming.len = rest.len;
    if (rest.len > w->shared->rules->max_output && w->state == WORKER_UP) {
        err_set(&w->why, ERR_DATA, "the answer is larger than %llu bytes",
                (unsigned long long)w->shared->rules->max_output);
        end(w, WORKER_GARBAGE);
    }
}

static void read_answers(struct worker *w, int reads)
{
    ssize_t n = 1;
    while (reads-- > 0 && n > 0 && w->child.out >= 0) {
        n = read(w->child.out, buf_room(&w->incoming, PIECE), PIECE);
        if (n > 0) {
            w->incoming.len += (size_t)n;
            take_answers(w);
        } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
            close_stream(w, &w->out, &w->child.out);
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
        close_stream(w, &w->err, &w->child.err);
    }
}

static void on_answers(void *owner, uint32_t events)
{
    struct worker *w = owner;
    (void)events;
    read_answers(w, 1);
    if (w->child.out < 0 && w->state == WORKER_UP && !proc_is_over(&w->child)) {
        end(w, WORKER_BY_ITSELF); /* it cannot answer any more */
    }
    set_deadline(w);
}

static void on_errors(void *owner, uint32_t events)
{
    (void)events;
    read_errors(owner, 1);
}

static void on_beat(void *owner, uint32_t events)
{
    struct worker *w = owner;
    char bytes[256];
    (void)events;
    if (read(w->child.beat, bytes, sizeof bytes) > 0) {
        w->beat_at = clock_now();
    } else {
        close_stream(w, &w->beat, &w->child.beat);
    }
}

static void on_exit_of_child(void *owner, uint32_t events)
{
    struct worker *w = owner;
    (void)events;
    if (w->state == WORKER_DOWN || !proc_ended(&w->child)) {
        return;
    }
    w->exit.fd = -1; /* closed, and so out of the loop */
    w->status = w->child.status;
    if (w->state == WORKER_UP) {
        w->state = WORKER_ENDING;
        w->end = WORKER_BY_ITSELF;
    }
    read_answers(w, READS_MAX);
    read_errors(w, READS_MAX);
    tail_finish(&w->errors, w->shared->messages);
    close_stream(w, &w->in, &w->child.in);
    close_stream(w, &w->out, &w->child.out);
    close_stream(w, &w->err, &w->child.err);
    close_stream(w, &w->beat, &w->child.beat);
    leave(w, clock_now());
    set_deadline(w);
}

/* ---- sending ---- */

static void put_task(struct worker *w, size_t i)
{
    struct task *t = &w->tasks[i];
    buf_add_span(&w->outgoing, buf_span(&t->line));
    t->state = TASK_SENT;
    t->outcome.attempts++;
    t->started = clock_real();
    if (t->outcome.attempts == 1) {
        t->outcome.started = t->started;
    }
    if (w->sent_count == 0) {
        t->began = clock_now();
    }
    w->sent[(w->sent_first + w->sent_count++) % w->window] = i;
}

/* Put what waits in line; the oldest first. */
static void put_tasks(struct worker *w)
{
    while (w->sent_count < w->window) {
        size_t best = w->window;
        for (size_t i = 0; i < w->window; i++) {
            if (w->tasks[i].state == TASK_QUEUED &&
                (best == w->window || w->tasks[i].outcome.index < w->tasks[best].outcome.index)) {
                best = i;
            }
        }
        if (best == w->window) {
            return;
        }
        put_task(w, best);
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
    w->outgoing_done = 0;
    if (w->full) {
        w->full = false;
        loop_change(w->shared->loop, &w->in, 0);
    }
}

static void on_input(void *owner, uint32_t events)
{
    (void)events;
    worker_flush(owner);
}

/* ---- starting ---- */

static int watch(struct worker *w, struct err *e)
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

static int start_child(struct worker *w, struct err *e)
{
    struct job_shared *s = w->shared;
    struct argv_values values = {.item = SPAN_LIT("null"), .slot = w->place + 1};
    variables_set_worker(&s->variables, s->rules->name, w->place + 1);
    if (argv_render(s->rules->command, &values, &s->argv, e) < 0) {
        return -1;
    }
    struct proc_command command = {.argv = s->argv.at,
                                   .envp = s->variables.at,
                                   .stays = true,
                                   .beats = s->rules->heartbeat >= 0};
    return proc_start(s->proc, &w->child, w->place, &command, e);
}

/* It cannot be started, now or ever: no item that is with it can be run. */
static void give_up(struct worker *w)
{
    w->broken = true;
    for (size_t i = 0; i < w->window; i++) {
        struct task *t = &w->tasks[i];
        if (t->state == TASK_QUEUED || t->state == TASK_WAITING) {
            t->outcome.attempts++;
            t->started = t->outcome.started = clock_real();
            task_judge_no_start(t, &w->why);
            conclude(w, t, 0);
        }
    }
}

static void start(struct worker *w)
{
    buf_reset(&w->incoming);
    buf_reset(&w->outgoing);
    w->outgoing_done = 0;
    w->full = w->signalled = false;
    w->kill_at = w->again_at = CLOCK_NEVER;
    w->why = (struct err){0};
    if (start_child(w, &w->why) == 0) {
        w->state = WORKER_UP;
        w->end = WORKER_BY_ITSELF;
        w->beat_at = clock_now();
        if (watch(w, &w->why) < 0) {
            end(w, WORKER_GARBAGE);
        }
        put_tasks(w);
        worker_flush(w);
    } else if (w->why.code == ERR_LATER) {
        w->why = (struct err){0};
        w->again_at = clock_now() + START_AGAIN;
    } else {
        give_up(w);
    }
    set_deadline(w);
}

void worker_begin(struct worker *w, const struct outcome *fresh)
{
    size_t i = 0;
    while (w->tasks[i].state != TASK_FREE) {
        i++;
    }
    task_begin(&w->tasks[i], fresh, w->shared->rules->retry);
    w->used++;
    if (w->state == WORKER_UP) {
        bool idle = w->sent_count == 0;
        put_task(w, i);
        if (w->window == 1 || w->outgoing.len >= PIECE) {
            worker_flush(w);
        }
        if (idle) {
            set_deadline(w);
        }
    } else if (w->state == WORKER_DOWN && w->again_at == CLOCK_NEVER) {
        start(w);
    }
}

/* ---- time and orders ---- */

/* Items whose time for the next try has come. */
static void try_again(struct worker *w, int64_t now)
{
    bool some = false;
    for (size_t i = 0; i < w->window; i++) {
        if (w->tasks[i].state == TASK_WAITING && w->tasks[i].retry_at <= now) {
            w->tasks[i].state = TASK_QUEUED;
            some = true;
        }
    }
    if (some && w->state == WORKER_UP) {
        put_tasks(w);
        worker_flush(w);
    } else if (some && w->state == WORKER_DOWN) {
        start(w);
    }
}

void worker_tick(struct worker *w, int64_t now)
{
    enum worker_end why;
    on_exit_of_child(w, 0);
    try_again(w, now);
    if (w->state == WORKER_UP && late_at(w, &why) <= now) {
        end(w, why);
    } else if (w->state == WORKER_ENDING && w->child.ended) {
        leave(w, now);
    } else if (w->state == WORKER_ENDING && now >= w->kill_at) {
        signal_group(w, now);
    } else if (w->state == WORKER_DOWN && now >= w->again_at) {
        start(w);
    }
    set_deadline(w);
}

void worker_drop(struct worker *w)
{
    for (size_t i = 0; i < w->window; i++) {
        struct task *t = &w->tasks[i];
        if (t->state == TASK_QUEUED || t->state == TASK_WAITING) {
            task_judge_stopped(t);
            free_task(w, t);
        }
    }
    w->again_at = w->state == WORKER_DOWN ? CLOCK_NEVER : w->again_at;
    set_deadline(w);
}

void worker_abort(struct worker *w, bool now)
{
    worker_drop(w);
    w->signalled = w->signalled || now;
    if (w->state == WORKER_UP || (now && w->state == WORKER_ENDING)) {
        end(w, w->sent_count > 0 ? WORKER_ABORTED : WORKER_DONE);
    }
    set_deadline(w);
}

void worker_pause(struct worker *w, bool stop, int64_t lost)
{
    if (w->state == WORKER_DOWN) {
        return;
    }
    proc_pause(&w->child, stop);
    w->beat_at += lost;
    if (next_answer(w)) {
        next_answer(w)->began += lost;
    }
    set_deadline(w);
}

void worker_finish(struct worker *w)
{
    if (w->state == WORKER_UP) {
        w->state = WORKER_ENDING;
        w->end = WORKER_DONE;
        w->kill_at = clock_after(clock_now(), w->shared->rules->kill_after);
        close_stream(w, &w->in, &w->child.in);
        set_deadline(w);
    }
}

/* ---- life ---- */

void worker_init(struct worker *w, struct job_shared *s, size_t place, size_t window)
{
    *w = (struct worker){.shared = s, .place = place, .window = window};
    w->child = (struct child){.exit_fd = -1, .in = -1, .out = -1, .err = -1, .beat = -1};
    w->exit = (struct loop_source){.fd = -1, .ready = on_exit_of_child, .owner = w};
    w->in = (struct loop_source){.fd = -1, .ready = on_input, .owner = w};
    w->out = (struct loop_source){.fd = -1, .ready = on_answers, .owner = w};
    w->err = (struct loop_source){.fd = -1, .ready = on_errors, .owner = w};
    w->beat = (struct loop_source){.fd = -1, .ready = on_beat, .owner = w};
    w->tasks = mem_new(window, sizeof *w->tasks);
    w->sent = mem_new(window, sizeof *w->sent);
    for (size_t i = 0; i < window; i++) {
        w->tasks[i].retries =
            s->rules->retry ? mem_new(s->rules->retry->count + 1, sizeof(uint32_t)) : NULL;
    }
    w->kill_at = w->again_at = CLOCK_NEVER;
    set_deadline(w);
}

void worker_release(struct worker *w)
{
    for (size_t i = 0; w->tasks && i < w->window; i++) {
        task_release(&w->tasks[i]);
    }
    free(w->tasks);
    free(w->sent);
    buf_release(&w->outgoing);
    buf_release(&w->incoming);
    tail_release(&w->errors);
}
