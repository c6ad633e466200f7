#include "run/worker.h"

#include "base/mem.h"
#include "base/uuid.h"
#include "run/judge.h"
#include "run/rescue.h"
#include "run/talk.h"
#include "run/task.h"

#include <stdlib.h>

#define START_AGAIN (20 * CLOCK_MILLI)
#define LOOK_AGAIN  (10 * CLOCK_MILLI)
#define KILL_AGAIN  CLOCK_SECOND

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* ---- deadlines ---- */

/* When the next answer is late; *WHY says how it is called then. */
static int64_t late_at(const struct worker *w, enum worker_end *why)
{
    const struct task *t = talk_next(w);
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

void worker_set_deadline(struct worker *w)
{
    enum worker_end why;
    int64_t at = sooner(late_at(w, &why), w->again_at);
    if (w->state == WORKER_UP && timeout_learns(&w->shared->timeout) && w->sent_count > 0) {
        at = sooner(at, clock_now() + TIMEOUT_FLOOR);
    }
    at = w->state == WORKER_ENDING ? sooner(at, w->kill_at) : at;
    for (size_t i = 0; w->shared->rules->retry && w->used > 0 && i < w->task_count; i++) {
        at = w->tasks[i].state == TASK_WAITING ? sooner(at, w->tasks[i].retry_at) : at;
    }
    w->shared->deadlines[w->place] = rescue_is_due(w) ? 0 : at;
}

/* ---- the end of a task ---- */

static void free_task(struct worker *w, struct task *t)
{
    bool failed = t->outcome.status != OUTCOME_SUCCEEDED && t->outcome.status != OUTCOME_PENDING;
    t->outcome.code = failed ? buf_span(&t->code) : (struct span){0};
    t->outcome.cause = failed ? buf_span(&t->cause) : (struct span){0};
    const struct task *before = w->leaving;
    t->state = TASK_FREE;
    w->used--;
    w->leaving = t;
    w->shared->done(w->shared->owner, &t->outcome, &w->why, w->place);
    w->leaving = before;
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
    if (delay >= 0) {
        t->state = TASK_WAITING;
        t->retry_at = clock_after(clock_now(), delay);
    } else if (!rescue_take(w, t)) {
        free_task(w, t);
    }
}

/* ---- ending a worker ---- */

static void signal_group(struct worker *w, int64_t now)
{
    proc_signal(&w->child, w->signalled ? SIGKILL : SIGTERM);
    w->kill_at = clock_after(now, w->signalled ? KILL_AGAIN : w->shared->rules->kill_after);
    w->signalled = true;
}

void worker_end(struct worker *w, enum worker_end why)
{
    if (w->state == WORKER_UP) {
        w->state = WORKER_ENDING;
        w->end = why;
        talk_close_input(w);
    }
    signal_group(w, clock_now());
}

/* It has ended: what became of the items that were with it? */
static void settle_tasks(struct worker *w)
{
    size_t count = w->sent_count;
    for (size_t i = 0; i < count; i++) {
        struct task *t = talk_take(w);
        if (w->shared->aborting) {
            w->end = WORKER_ABORTED;
        }
        if (w->end == WORKER_ABORTED || (i == 0 && w->end != WORKER_OUT_OF_STEP)) {
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
        settle_tasks(w); /* what is given meanwhile is queued */
        w->state = WORKER_DOWN;
        w->again_at = CLOCK_NEVER;
        tail_reset(&w->errors);
        if (w->used > w->caught) {
            start(w);
        }
        return;
    }
    if (!w->signalled || now >= w->kill_at) {
        signal_group(w, now);
    }
    w->again_at = now + LOOK_AGAIN;
}

/* ---- events ---- */

void worker_hear(struct worker *w, struct span line)
{
    if (w->asked == 0 || w->sent_count == 0) {
        worker_end(w, WORKER_OUT_OF_STEP); /* no answer of it can be trusted any more */
        return;
    }
    w->asked--;
    struct task *t = talk_take(w);
    task_judge_answer(t, line, w->shared, &w->errors);
    conclude(w, t, line.len);
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
    talk_finish(w);
    leave(w, clock_now());
    worker_set_deadline(w);
}

/* ---- starting ---- */

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
    for (size_t i = 0; i < w->task_count; i++) {
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
    w->outgoing_done = w->outgoing_count = 0;
    w->full = w->signalled = false;
    w->kill_at = w->again_at = CLOCK_NEVER;
    w->why = (struct err){0};
    if (start_child(w, &w->why) == 0) {
        w->state = WORKER_UP;
        w->end = WORKER_BY_ITSELF;
        w->beat_at = clock_now();
        if (talk_open(w, &w->why) < 0) {
            worker_end(w, WORKER_GARBAGE);
        }
        talk_put_queued(w);
        worker_flush(w);
    } else if (w->why.code == ERR_LATER && proc_is_stuck(w->shared->proc)) {
        worker_drop(w);
    } else if (w->why.code == ERR_LATER) {
        w->why = (struct err){0};
        w->again_at = clock_now() + START_AGAIN;
    } else {
        give_up(w);
    }
    worker_set_deadline(w);
}

void worker_begin(struct worker *w, const struct outcome *fresh)
{
    size_t i = w->next; /* most likely free, for answers come in order */
    while (w->tasks[i].state != TASK_FREE || &w->tasks[i] == w->leaving) {
        i = (i + 1) % w->task_count;
    }
    w->next = (i + 1) % w->task_count;
    task_begin(&w->tasks[i], fresh, w->shared->rules->retry);
    w->used++;
    if (w->state == WORKER_UP) {
        bool idle = w->sent_count == 0;
        talk_put(w, i);
        if (w->outgoing.len >= TALK_PIECE) {
            worker_flush(w);
        } else {
            worker_flush_due(w);
        }
        if (idle) {
            worker_set_deadline(w);
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
    for (size_t i = 0; i < w->task_count; i++) {
        if (w->tasks[i].state == TASK_WAITING && w->tasks[i].retry_at <= now) {
            w->tasks[i].state = TASK_QUEUED;
            some = true;
        }
    }
    if (some && w->state == WORKER_UP) {
        talk_put_queued(w);
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
    rescue_tick(w, now);
    if (w->state == WORKER_UP && late_at(w, &why) <= now) {
        worker_end(w, why);
    } else if (w->state == WORKER_ENDING && w->child.ended) {
        leave(w, now);
    } else if (w->state == WORKER_ENDING && now >= w->kill_at) {
        signal_group(w, now);
    } else if (w->state == WORKER_DOWN && now >= w->again_at) {
        start(w);
    }
    worker_set_deadline(w);
}

void worker_drop(struct worker *w)
{
    for (size_t i = 0; i < w->task_count; i++) {
        struct task *t = &w->tasks[i];
        if (t->state == TASK_QUEUED || t->state == TASK_WAITING) {
            task_judge_stopped(t);
            free_task(w, t);
        }
    }
    for (struct task *t = rescue_drop(w); t; t = rescue_drop(w)) {
        free_task(w, t);
    }
    if (w->rescue) {
        job_drop(w->rescue);
    }
    w->again_at = w->state == WORKER_DOWN ? CLOCK_NEVER : w->again_at;
    worker_set_deadline(w);
}

void worker_abort(struct worker *w, bool now)
{
    worker_drop(w);
    if (w->rescue) {
        job_abort(w->rescue, now);
    }
    w->signalled = w->signalled || now;
    if (w->state == WORKER_UP || (now && w->state == WORKER_ENDING)) {
        worker_end(w, w->sent_count > 0 ? WORKER_ABORTED : WORKER_DONE);
    }
    worker_set_deadline(w);
}

void worker_pause(struct worker *w, bool stop, int64_t lost)
{
    if (w->rescue) {
        job_pause(w->rescue, stop, lost);
    }
    if (w->state == WORKER_DOWN) {
        return;
    }
    proc_pause(&w->child, stop);
    w->beat_at += lost;
    if (talk_next(w)) {
        talk_next(w)->began += lost;
    }
    worker_set_deadline(w);
}

void worker_finish(struct worker *w)
{
    if (w->state == WORKER_UP) {
        w->state = WORKER_ENDING;
        w->end = WORKER_DONE;
        w->kill_at = clock_after(clock_now(), w->shared->rules->kill_after);
        talk_close_input(w);
        worker_set_deadline(w);
    }
}

/* ---- life ---- */

void worker_init(struct worker *w, struct job_shared *s, size_t place, size_t window)
{
    *w = (struct worker){.shared = s, .place = place, .window = window};
    w->child = (struct child){.exit_fd = -1, .in = -1, .out = -1, .err = -1, .beat = -1};
    w->exit = (struct loop_source){.fd = -1, .ready = on_exit_of_child, .owner = w};
    talk_init(w);
    w->task_count = window + 1;
    w->tasks = mem_new(w->task_count, sizeof *w->tasks);
    w->sent = mem_new(window, sizeof *w->sent);
    for (size_t i = 0; i < w->task_count; i++) {
        w->tasks[i].retries =
            s->rules->retry ? mem_new(s->rules->retry->count + 1, sizeof(uint32_t)) : NULL;
    }
    w->kill_at = w->again_at = CLOCK_NEVER;
    worker_set_deadline(w);
}

void worker_release(struct worker *w)
{
    for (size_t i = 0; w->tasks && i < w->task_count; i++) {
        task_release(&w->tasks[i]);
    }
    free(w->tasks);
    free(w->sent);
    buf_release(&w->outgoing);
    buf_release(&w->incoming);
    tail_release(&w->errors);
    rescue_release(w);
}
