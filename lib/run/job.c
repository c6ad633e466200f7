#include "run/job.h"

#include "base/mem.h"
#include "base/uuid.h"
#include "run/attempts.h"
#include "run/judge.h"
#include "run/streams.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdlib.h>
#include <string.h>

#define START_AGAIN (20 * CLOCK_MILLI) /* when the system had no room for a child */
#define LOOK_AGAIN  (10 * CLOCK_MILLI) /* whether what was left behind is gone */
#define KILL_AGAIN  CLOCK_SECOND

static void set_deadline(struct job *j, int64_t at)
{
    j->shared->deadlines[j->place] = at;
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool has_failed(const struct job *j)
{
    return j->outcome.status == OUTCOME_FAILED || j->outcome.status == OUTCOME_TIMED_OUT;
}

/* ---- after an attempt ---- */

/* Hand the outcome on; the place is free then. */
static void finish(struct job *j)
{
    struct outcome *o = &j->outcome;
    bool failed = o->status != OUTCOME_SUCCEEDED && o->status != OUTCOME_PENDING;
    o->code = failed ? buf_span(&j->code) : (struct span){0};
    o->cause = failed ? buf_span(&j->cause) : (struct span){0};
    o->caught = j->fallback && !failed ? buf_span(&j->caught) : (struct span){0};
    j->state = JOB_IDLE;
    set_deadline(j, CLOCK_NEVER);
    j->shared->done(j->shared->owner, o, &j->broken, j->place);
    streams_reset(j);
}

/* Nanoseconds until the next try of what has failed, or -1 if there is none. */
static int64_t next_try(struct job *j)
{
    const struct retry_policy *policy = j->shared->rules->retry;
    if (!policy || j->shared->no_more || j->fallback || !has_failed(j)) {
        return -1;
    }
    uint64_t chance;
    uuid_random(&chance, sizeof chance);
    return retry_again(policy, buf_span(&j->code), j->retries, chance);
}

static void start(struct job *j);

/* It has failed for good: a fallback may answer for it. False: there is none. */
static bool fall_back(struct job *j)
{
    bool stopped = j->shared->no_more || !has_failed(j);
    bool never_ran = j->broken.code == ERR_NO_FILE || j->broken.code == ERR_NO_EXEC;
    if (stopped || never_ran || j->fallback) {
        return false;
    }
    struct span code = span_of(j->code.at + 1, j->code.len - 2);
    j->fallback = fallback_find(j->shared->rules->fallbacks, code);
    if (!j->fallback) {
        return false;
    }
    fallback_tell(&j->told, buf_span(&j->code), buf_span(&j->cause), j->outcome.input);
    buf_reset(&j->caught);
    buf_add_span(&j->caught, buf_span(&j->code));
    return true;
}

/* It will not be tried again. */
static void settle(struct job *j)
{
    if (fall_back(j)) {
        streams_reset(j);
        start(j);
    } else {
        finish(j);
    }
}

static void log_attempt(struct job *j, int64_t retry)
{
    const struct outcome *o = &j->outcome;
    if (!j->shared->rules->log) {
        return;
    }
    struct attempt a = {
        .index = o->index,
        .number = o->attempts,
        .slot = j->slot,
        .status = o->status,
        .code = o->status == OUTCOME_SUCCEEDED ? (struct span){0} : buf_span(&j->code),
        .exit_code = o->exit_code,
        .signal = o->signal,
        .started = j->started,
        .stopped = o->stopped,
        .output = j->output.size + j->lines.size,
        .retry = retry,
        .fallback = j->fallback != NULL,
    };
    attempts_put(j->shared->rules->log, &a);
}

/* An attempt is over and judged. */
static void conclude(struct job *j)
{
    int64_t delay = next_try(j);
    log_attempt(j, delay);
    if (j->outcome.status == OUTCOME_SUCCEEDED && !j->fallback) {
        timeout_learn(&j->shared->timeout, clock_now() - j->began);
    }
    if (delay < 0) {
        settle(j);
        return;
    }
    streams_reset(j);
    j->state = JOB_WAITING;
    set_deadline(j, clock_after(clock_now(), delay));
}

/* ---- ending a command ---- */

/* TERM first, KILL from then on. */
static void signal_group(struct job *j, int64_t now)
{
    proc_signal(&j->child, j->signalled ? SIGKILL : SIGTERM);
    j->kill_at = clock_after(now, j->signalled ? KILL_AGAIN : j->shared->rules->kill_after);
    j->signalled = true;
}

static void end_child(struct job *j, enum job_end why)
{
    if (j->end == JOB_BY_ITSELF) {
        j->end = why;
    }
    signal_group(j, clock_now());
    set_deadline(j, j->state == JOB_CLOSING ? sooner(j->linger_until, j->kill_at) : j->kill_at);
}

/* The attempt is judged: see that nothing of it is left. */
static void leave(struct job *j, int64_t now)
{
    j->state = JOB_LEAVING;
    if (proc_gone(j->shared->proc, &j->child)) {
        conclude(j);
        return;
    }
    if (!j->signalled || now >= j->kill_at) {
        signal_group(j, now);
    }
    set_deadline(j, now + LOOK_AGAIN);
}

static void close_up(struct job *j)
{
    streams_close(j);
    judge_end(j);
    leave(j, clock_now());
}

/* ---- events ---- */

struct span job_input(const struct job *j)
{
    return buf_span(j->fallback ? &j->told : &j->line);
}

void job_hear(struct job *j)
{
    if (j->state == JOB_CLOSING && streams_are_quiet(j)) {
        close_up(j);
    }
}

void job_beat(struct job *j)
{
    j->beat_at = clock_now();
}

void job_lose(struct job *j)
{
    end_child(j, JOB_OUTPUT_LOST);
}

static void on_exit_of_child(void *owner, uint32_t events)
{
    struct job *j = owner;
    (void)events;
    if (j->state != JOB_RUNNING || !proc_ended(&j->child)) {
        return;
    }
    j->exit.fd = -1; /* closed, and so out of the loop */
    j->outcome.stopped = clock_real();
    j->state = JOB_CLOSING;
    j->linger_until = clock_now() + JOB_LINGER;
    set_deadline(j, sooner(j->linger_until, j->kill_at));
    streams_drain(j);
    job_hear(j);
}

/* ---- time ---- */

/* When the attempt has taken too long; *WHY says what it is then. */
static int64_t times_out_at(const struct job *j, enum job_end *why)
{
    int64_t at = clock_after(j->began, timeout_limit(&j->shared->timeout));
    int64_t silent = clock_after(j->beat_at, j->shared->rules->heartbeat);
    *why = silent < at ? JOB_SILENT : JOB_TIMED_OUT;
    return sooner(at, silent);
}

static void watch_time(struct job *j, int64_t now)
{
    enum job_end why;
    int64_t at = times_out_at(j, &why);
    if (timeout_learns(&j->shared->timeout)) {
        at = sooner(at, now + TIMEOUT_FLOOR);
    }
    set_deadline(j, at);
}

static void tick_running(struct job *j, int64_t now)
{
    enum job_end why;
    on_exit_of_child(j, 0);
    if (j->state != JOB_RUNNING) {
        return;
    }
    if (j->signalled) {
        end_child(j, j->end);
    } else if (times_out_at(j, &why) <= now) {
        end_child(j, why);
    } else {
        watch_time(j, now);
    }
}

/* ---- starting ---- */

/* The command runs. */
static void enter(struct job *j)
{
    j->state = JOB_RUNNING;
    j->end = JOB_BY_ITSELF;
    j->signalled = false;
    j->kill_at = CLOCK_NEVER;
    j->began = j->beat_at = clock_now();
    watch_time(j, j->began);
    if (loop_add(j->shared->loop, &j->exit, j->child.exit_fd, EPOLLIN, &j->broken) < 0 ||
        streams_open(j, &j->broken) < 0) {
        end_child(j, JOB_OUTPUT_LOST);
    }
}

static int start_child(struct job *j, struct err *e)
{
    struct job_shared *s = j->shared;
    const char *const shell[] = {"/bin/sh", "-c", j->fallback ? j->fallback->command : "", NULL};
    variables_set(&s->variables, s->rules->name, j->outcome.index, j->outcome.attempts, j->slot);
    struct proc_command command = {
        .argv = j->fallback ? shell : s->argv.at,
        .envp = s->variables.at,
        .input = job_input(j),
        .discard = s->rules->format == RUN_NONE,
        .beats = s->rules->heartbeat >= 0,
    };
    return proc_start(s->proc, &j->child, j->place, &command, e);
}

static int render(struct job *j, struct err *e)
{
    const struct outcome *o = &j->outcome;
    struct argv_values values = {.item = o->input, .index = o->index, .slot = j->slot};
    return j->fallback ? 0 : argv_render(j->shared->rules->command, &values, &j->shared->argv, e);
}

/* Wait with the start of an attempt that does not count yet. */
static void postpone(struct job *j, int64_t until)
{
    j->outcome.attempts -= !j->fallback;
    j->state = JOB_WAITING;
    set_deadline(j, until);
}

/* It cannot be started for now, for the reason in E; if that will not change, it is stopped. */
static void give_way(struct job *j, const struct err *e)
{
    if (proc_is_stuck(j->shared->proc)) {
        j->broken = *e;
        job_drop(j);
    }
}

static void start(struct job *j)
{
    struct err e = {0};
    struct outcome *o = &j->outcome;
    j->started = clock_real();
    if (o->attempts == 0) {
        o->started = o->stopped = j->started;
    }
    o->attempts += !j->fallback;
    if (render(j, &e) < 0) {
        judge_bad_item(j, &e);
        log_attempt(j, -1);
        settle(j);
    } else if (start_child(j, &e) == 0) {
        enter(j);
    } else if (e.code == ERR_LATER) {
        postpone(j, clock_now() + START_AGAIN);
        give_way(j, &e);
    } else {
        judge_no_start(j, &e);
        log_attempt(j, -1);
        settle(j);
    }
}

/* A next try keeps to the pace of all starts. */
static void start_again(struct job *j, int64_t now)
{
    int64_t at = j->shared->throttle ? throttle_take(j->shared->throttle, now) : 0;
    if (at > 0) {
        set_deadline(j, at);
    } else {
        start(j);
    }
}

/* What stands before each line of the item with --tag: its text, or its JSON, and a TAB. */
static void make_tag(struct job *j)
{
    struct span item = j->outcome.input;
    buf_reset(&j->tag);
    if (walk_kind(item) == SCAN_STRING) {
        text_decode(&j->tag, item);
    } else {
        buf_add_span(&j->tag, item);
    }
    for (size_t i = 0; i < j->tag.len; i++) {
        j->tag.at[i] = j->tag.at[i] == '\n' ? ' ' : j->tag.at[i];
    }
    buf_add_byte(&j->tag, '\t');
    j->lines.tag = j->errors.tag = buf_span(&j->tag);
}

/* J is for O from now on. */
static void take(struct job *j, const struct outcome *o)
{
    buf_reset(&j->line);
    buf_add_span(&j->line, o->input);
    buf_add_byte(&j->line, '\n');
    j->broken = (struct err){0};
    j->fallback = NULL;
    j->outcome = *o;
    j->outcome.input.at = j->line.at;
}

void job_take_over(struct job *j, const struct outcome *failed, struct span code, struct span cause)
{
    take(j, failed);
    buf_reset(&j->code);
    buf_add_span(&j->code, code);
    buf_reset(&j->cause);
    buf_add_span(&j->cause, cause);
    settle(j);
}

void job_begin(struct job *j, const struct outcome *fresh)
{
    take(j, fresh);
    const struct retry_policy *policy = j->shared->rules->retry;
    if (policy) {
        memset(j->retries, 0, policy->count * sizeof *j->retries);
    }
    if (j->shared->rules->tag) {
        make_tag(j);
    }
    start(j);
}

/* ---- time and orders ---- */

void job_tick(struct job *j, int64_t now)
{
    set_deadline(j, CLOCK_NEVER);
    switch (j->state) {
    case JOB_IDLE:
        break;
    case JOB_WAITING:
        start_again(j, now);
        break;
    case JOB_RUNNING:
        tick_running(j, now);
        break;
    case JOB_CLOSING:
        if (now < j->linger_until) {
            end_child(j, j->end);
        } else {
            close_up(j);
        }
        break;
    case JOB_LEAVING:
        leave(j, now);
        break;
    }
}

void job_drop(struct job *j)
{
    if (j->state == JOB_WAITING) {
        judge_stopped(j);
        finish(j);
    }
}

void job_abort(struct job *j, bool now)
{
    job_drop(j);
    if (j->state == JOB_RUNNING && !proc_is_over(&j->child)) {
        j->signalled = j->signalled || now;
        end_child(j, JOB_ABORTED);
    } else if (now && (j->state == JOB_CLOSING || j->state == JOB_LEAVING)) {
        j->signalled = true;
        signal_group(j, clock_now());
    }
}

void job_pause(struct job *j, bool stop, int64_t lost)
{
    if (j->state == JOB_IDLE || j->state == JOB_WAITING) {
        return;
    }
    proc_pause(&j->child, stop);
    j->began += lost;
    j->beat_at += lost;
    if (j->state == JOB_RUNNING && !j->signalled) {
        watch_time(j, clock_now());
    }
}

/* ---- life ---- */

void job_init(struct job *j, struct job_shared *s, size_t place)
{
    *j = (struct job){.shared = s, .place = place, .slot = place + 1};
    j->child = (struct child){.exit_fd = -1, .in = -1, .out = -1, .err = -1, .beat = -1};
    j->exit = (struct loop_source){.fd = -1, .ready = on_exit_of_child, .owner = j};
    streams_init(j);
    j->retries = s->rules->retry ? mem_new(s->rules->retry->count + 1, sizeof *j->retries) : NULL;
    set_deadline(j, CLOCK_NEVER);
}

void job_release(struct job *j)
{
    buf_release(&j->line);
    buf_release(&j->code);
    buf_release(&j->cause);
    buf_release(&j->told);
    buf_release(&j->caught);
    buf_release(&j->tag);
    streams_release(j);
    free(j->retries);
}
