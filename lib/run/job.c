#include "run/job.h"

#include "base/mem.h"
#include "base/uuid.h"
#include "run/judge.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define START_AGAIN (20 * CLOCK_MILLI) /* when the system had no room for a child */
#define LOOK_AGAIN  (10 * CLOCK_MILLI) /* whether what was left behind is gone */
#define KILL_AGAIN  CLOCK_SECOND

enum { READS_MAX = 64 }; /* at the end of a command: more than its pipes can hold */

static void set_deadline(struct job *j, int64_t at)
{
    j->shared->deadlines[j->place] = at;
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Hand the outcome on; the place is free then. */
static void finish(struct job *j)
{
    struct outcome *o = &j->outcome;
    bool failed = o->status != OUTCOME_SUCCEEDED && o->status != OUTCOME_PENDING;
    o->code = failed ? buf_span(&j->code) : (struct span){0};
    o->cause = failed ? buf_span(&j->cause) : (struct span){0};
    j->state = JOB_IDLE;
    set_deadline(j, CLOCK_NEVER);
    j->shared->done(j->shared->owner, j);
    capture_reset(&j->output);
    tail_reset(&j->errors);
}

/* Nanoseconds until the next try of what has failed, or -1 if there is none. */
static int64_t next_try(struct job *j)
{
    const struct retry_policy *policy = j->shared->rules->retry;
    enum outcome_status status = j->outcome.status;
    if (!policy || j->shared->no_more ||
        (status != OUTCOME_FAILED && status != OUTCOME_TIMED_OUT)) {
        return -1;
    }
    struct span code = span_of(j->code.at + 1, j->code.len - 2); /* without its quotes */
    size_t owner = retry_owner(policy, code);
    if (owner == RETRY_NONE || j->retries[owner] >= policy->rules[owner].max_retries) {
        return -1;
    }
    uint64_t chance;
    uuid_random(&chance, sizeof chance);
    return retry_delay(&policy->rules[owner], ++j->retries[owner], chance);
}

/* An attempt is over and judged. */
static void conclude(struct job *j)
{
    int64_t delay = next_try(j);
    if (delay < 0) {
        finish(j);
        return;
    }
    capture_reset(&j->output);
    tail_reset(&j->errors);
    j->state = JOB_WAITING;
    set_deadline(j, clock_after(clock_now(), delay));
}

/* ---- ending a command ---- */

static void close_stream(struct job *j, struct loop_source *s, int *fd)
{
    loop_remove(j->shared->loop, s);
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

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
    close_stream(j, &j->in, &j->child.in);
    close_stream(j, &j->out, &j->child.out);
    close_stream(j, &j->err, &j->child.err);
    tail_finish(&j->errors, j->shared->messages);
    judge_end(j);
    leave(j, clock_now());
}

static void close_up_if_quiet(struct job *j)
{
    if (j->state == JOB_CLOSING && j->child.out < 0 && j->child.err < 0) {
        close_up(j);
    }
}

/* ---- events ---- */

/* Keep what is there of the output, in at most so many reads. */
static void read_output(struct job *j, int reads)
{
    const struct run_rules *r = j->shared->rules;
    enum capture_read got = CAPTURE_MORE;
    while (reads-- > 0 && got == CAPTURE_MORE && j->child.out >= 0) {
        got = capture_read(&j->output, j->child.out, r->folder, &j->broken);
        if (got == CAPTURE_MORE && j->output.size > r->max_output) {
            err_set(&j->broken, ERR_DATA, "the output is larger than %llu bytes",
                    (unsigned long long)r->max_output);
            got = CAPTURE_FAILED;
        }
    }
    if (got == CAPTURE_END || got == CAPTURE_FAILED) {
        close_stream(j, &j->out, &j->child.out);
    }
    if (got == CAPTURE_FAILED) {
        end_child(j, JOB_OUTPUT_LOST);
    }
}

static void read_errors(struct job *j, int reads)
{
    bool more = true;
    bool open = j->child.err >= 0;
    while (reads-- > 0 && more && open) {
        open = tail_read(&j->errors, j->child.err, j->shared->messages, &more);
    }
    if (!open) {
        close_stream(j, &j->err, &j->child.err);
    }
}

static void on_output(void *owner, uint32_t events)
{
    struct job *j = owner;
    (void)events;
    read_output(j, 1);
    close_up_if_quiet(j);
}

static void on_errors(void *owner, uint32_t events)
{
    struct job *j = owner;
    (void)events;
    read_errors(j, 1);
    close_up_if_quiet(j);
}

static void on_input(void *owner, uint32_t events)
{
    struct job *j = owner;
    (void)events;
    proc_feed(&j->child, buf_span(&j->line));
    if (j->child.in < 0) {
        j->in.fd = -1; /* closed, and so out of the loop */
    }
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
    read_output(j, READS_MAX);
    read_errors(j, READS_MAX);
    close_up_if_quiet(j);
}

/* ---- starting ---- */

static int watch(struct job *j, struct err *e)
{
    struct loop *l = j->shared->loop;
    struct child *c = &j->child;
    if (loop_add(l, &j->exit, c->exit_fd, EPOLLIN, e) < 0 ||
        loop_add(l, &j->err, c->err, EPOLLIN, e) < 0 ||
        (c->out >= 0 && loop_add(l, &j->out, c->out, EPOLLIN, e) < 0) ||
        (c->in >= 0 && loop_add(l, &j->in, c->in, EPOLLOUT, e) < 0)) {
        return -1;
    }
    return 0;
}

/* The command runs. */
static void enter(struct job *j)
{
    j->state = JOB_RUNNING;
    j->end = JOB_BY_ITSELF;
    j->signalled = false;
    j->kill_at = CLOCK_NEVER;
    j->timeout_at = clock_after(clock_now(), j->shared->rules->timeout);
    set_deadline(j, j->timeout_at);
    if (watch(j, &j->broken) < 0) {
        end_child(j, JOB_OUTPUT_LOST);
    }
}

static int start_child(struct job *j, struct err *e)
{
    struct job_shared *s = j->shared;
    variables_set(&s->variables, s->rules->name, j->outcome.index, j->outcome.attempts,
                  j->place + 1);
    struct proc_command command = {
        .argv = s->argv.at,
        .envp = s->variables.at,
        .input = buf_span(&j->line),
        .discard = s->rules->format == RUN_NONE,
    };
    return proc_start(s->proc, &j->child, j->place, &command, e);
}

static void start(struct job *j)
{
    struct err e = {0};
    struct outcome *o = &j->outcome;
    struct argv_values values = {.item = o->input, .index = o->index, .slot = j->place + 1};
    if (o->attempts == 0) {
        o->started = o->stopped = clock_real();
    }
    o->attempts++;
    if (argv_render(j->shared->rules->command, &values, &j->shared->argv, &e) < 0) {
        judge_bad_item(j, &e);
        finish(j);
    } else if (start_child(j, &e) == 0) {
        enter(j);
    } else if (e.code == ERR_LATER) {
        o->attempts--;
        j->state = JOB_WAITING;
        set_deadline(j, clock_now() + START_AGAIN);
    } else {
        judge_no_start(j, &e);
        finish(j);
    }
}

void job_begin(struct job *j, uint64_t index, struct span item, uint64_t item_count)
{
    buf_reset(&j->line);
    buf_add_span(&j->line, item);
    buf_add_byte(&j->line, '\n');
    j->broken = (struct err){0};
    j->outcome = (struct outcome){.index = index,
                                  .item_count = item_count,
                                  .input = span_of(j->line.at, item.len),
                                  .exit_code = -1};
    const struct retry_policy *policy = j->shared->rules->retry;
    if (policy) {
        memset(j->retries, 0, policy->count * sizeof *j->retries);
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
        start(j);
        break;
    case JOB_RUNNING:
        on_exit_of_child(j, 0);
        if (j->state == JOB_RUNNING) {
            end_child(j, JOB_TIMED_OUT);
        }
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

void job_abort(struct job *j, bool now)
{
    if (j->state == JOB_WAITING) {
        judge_stopped(j);
        finish(j);
    } else if (j->state == JOB_RUNNING && !proc_is_over(&j->child)) {
        j->signalled = j->signalled || now;
        end_child(j, JOB_ABORTED);
    } else if (now && (j->state == JOB_CLOSING || j->state == JOB_LEAVING)) {
        j->signalled = true;
        signal_group(j, clock_now());
    }
}

/* ---- life ---- */

void job_init(struct job *j, struct job_shared *s, size_t place)
{
    *j = (struct job){.shared = s, .place = place};
    j->child = (struct child){.exit_fd = -1, .in = -1, .out = -1, .err = -1};
    j->exit = (struct loop_source){.fd = -1, .ready = on_exit_of_child, .owner = j};
    j->in = (struct loop_source){.fd = -1, .ready = on_input, .owner = j};
    j->out = (struct loop_source){.fd = -1, .ready = on_output, .owner = j};
    j->err = (struct loop_source){.fd = -1, .ready = on_errors, .owner = j};
    j->retries = s->rules->retry ? mem_new(s->rules->retry->count + 1, sizeof *j->retries) : NULL;
    set_deadline(j, CLOCK_NEVER);
}

void job_release(struct job *j)
{
    buf_release(&j->line);
    buf_release(&j->code);
    buf_release(&j->cause);
    capture_release(&j->output);
    tail_release(&j->errors);
    free(j->retries);
}
