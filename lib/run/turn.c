#include "run/state.h"

#include "base/clock.h"

#define SWEEP_EVERY  CLOCK_SECOND       /* look for orphans that died */
#define STUCK_AGAIN  (50 * CLOCK_MILLI) /* try again to write to standard error */
#define BACKLOG_MAX  ((size_t)4 << 20)  /* bytes not yet written: then nothing new is started */
#define FLUSH_AT     ((size_t)128 << 10) /* bytes that are worth writing though there is more to do */
#define HOLD         (5 * CLOCK_MILLI)   /* that records of fast workers wait for each other */
#define MESSAGES_MAX ((size_t)1 << 20)   /* bytes for standard error: then it is waited for */

static const int caught[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR2, SIGTSTP};

/* ---- events ---- */

static void look(struct run *r)
{
    r->look_at =
        r->rules->look ? r->rules->look(r->rules->context, &r->report->counts) : CLOCK_NEVER;
}

static void on_watch(void *owner, uint32_t events)
{
    (void)events;
    look(owner);
}

static void on_input(void *owner, uint32_t events)
{
    struct run *r = owner;
    (void)events;
    r->input_ready = true;
}

static void on_output(void *owner, uint32_t events)
{
    struct run *r = owner;
    if (events & (EPOLLERR | EPOLLHUP)) { /* nobody will read it: why go on working? */
        struct err e = {0};
        err_set(&e, ERR_PIPE, "standard output was closed by its reader");
        loop_remove(&r->loop, &r->output);
        orders_quit(r, &e);
    }
}

/* What is durable may leave; what has ended since is begun to be made durable. */
static void pump_journal(struct run *r)
{
    struct err e = {0};
    if (r->rules->journal && journal_pump(r->rules->journal, r->out, &e) < 0) {
        r->rules->journal->waiting.ready = r->rules->journal->waiting.len = 0;
        orders_quit(r, &e);
    }
}

static void on_synced(void *owner, uint32_t events)
{
    (void)events;
    pump_journal(owner);
}

/* Pass on what commands complain about. Returns when to try again. */
static int64_t flush_messages(struct run *r)
{
    struct writer *m = &r->messages;
    if (writer_backlog(m) == 0) {
        return CLOCK_NEVER;
    }
    if (r->rules->speak) {
        r->rules->speak(r->rules->context);
    }
    int left = writer_backlog(m) > MESSAGES_MAX ? writer_flush(m, NULL) : writer_try(m, NULL);
    if (left < 0 || m->number != 0) {
        m->len = m->ready = m->sent = 0; /* nobody can hear it */
        return CLOCK_NEVER;
    }
    return left > 0 ? clock_now() + STUCK_AGAIN : CLOCK_NEVER;
}

/* Write what can be written now. Returns when to try again at the latest. */
static int64_t flush(struct run *r)
{
    struct err e = {0};
    crew_flush(&r->crew);
    r->held_until = clock_now() + HOLD;
    pump_journal(r);
    bool in_vain = r->quit && r->failure.code != ERR_FAILED;
    int left = in_vain ? 0 : writer_try(r->out, &e);
    if (left < 0) {
        orders_quit(r, &e);
    }
    if ((left > 0) != r->waits_for_output) {
        r->waits_for_output = left > 0;
        loop_change(&r->loop, &r->output, left > 0 ? EPOLLOUT : 0);
    }
    crew_resume(&r->crew);
    return flush_messages(r);
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t next_deadline(const struct run *r)
{
    int64_t next = sooner(crew_deadline(&r->crew), sooner(r->look_at, r->control_at));
    next = r->crew.made > 0 ? sooner(next, r->sweep_at) : next;
    return r->start_at > 0 ? sooner(next, r->start_at) : next;
}

static void tick(struct run *r, int64_t now)
{
    crew_tick(&r->crew, now);
    if (now >= r->look_at) {
        look(r);
    }
    if (now >= r->control_at) {
        r->control_at = now + CONTROL_LOOK;
        orders_look(r, false);
    }
    if (now >= r->sweep_at) {
        struct err e = {0};
        r->sweep_at = now + SWEEP_EVERY;
        if (proc_sweep(&r->proc, &e) < 0) {
            orders_quit(r, &e);
        }
    }
}

static size_t backlog(const struct run *r)
{
    return writer_backlog(r->out) + (r->rules->journal ? journal_backlog(r->rules->journal) : 0);
}

static bool has_much_to_write(const struct run *r)
{
    return backlog(r) >= FLUSH_AT || writer_backlog(&r->messages) >= FLUSH_AT;
}

bool turn_is_clogged(const struct run *r)
{
    return backlog(r) > BACKLOG_MAX || inorder_is_full(&r->inorder);
}

/*
 * Workers that answer within microseconds should not cost a write for each record: nothing is
 * written for HOLD after the last time, unless they pause (pace.h).  Returns whether nothing
 * happened.
 */
static bool wait_for_company(struct run *r, int64_t now)
{
    if (r->crew.window == 0 || now >= r->held_until) {
        return loop_turn_for(&r->loop, 0) == 0;
    }
    crew_flush_due(&r->crew);
    return pace_turn(&r->pace, &r->loop, next_deadline(r));
}

void turn(struct run *r, bool may_wait)
{
    int64_t now = pace_now(&r->pace);
    bool idle = may_wait ? wait_for_company(r, now) : loop_turn_for(&r->loop, 0) == 0;
    bool clogged = turn_is_clogged(r);
    bool quitting = r->quit;
    bool at_work = !may_wait && r->crew.window > 0; /* more will be given to it at once */
    int64_t again = (idle && !at_work) || has_much_to_write(r) ? flush(r) : CLOCK_NEVER;
    bool news =
        turn_is_clogged(r) != clogged || r->quit != quitting; /* what our caller may wait for */
    if (idle && may_wait && !news) {
        loop_turn(&r->loop, sooner(again, next_deadline(r)));
    }
    tick(r, idle ? clock_now() : now);
}

int turn_until_input(void *owner, struct err *e)
{
    struct run *r = owner;
    r->input_ready = false;
    if (loop_add(&r->loop, &r->input, r->in->reader->fd, EPOLLIN, e) < 0) {
        return -1;
    }
    while (!r->input_ready && !r->input.steady && !orders_are_final(r)) {
        turn(r, true);
    }
    loop_remove(&r->loop, &r->input);
    if (orders_are_final(r)) {
        *e = r->failure;
        return -1;
    }
    return 0;
}

/* Is there nothing left that could be written? */
static bool is_written(const struct run *r)
{
    return backlog(r) == 0 && !(r->rules->journal && r->rules->journal->syncer.busy);
}

void turn_until_written(struct run *r)
{
    uint64_t written = r->out->written;
    int64_t patience = CLOCK_NEVER;
    for (;;) {
        int64_t again = flush(r);
        bool in_vain = r->out->number != 0 || (r->quit && r->failure.code != ERR_FAILED);
        if (r->quit && (patience == CLOCK_NEVER || r->out->written != written)) {
            patience = clock_after(clock_now(), r->rules->kill_after);
            written = r->out->written;
        }
        if (is_written(r) || in_vain || r->hurried || clock_now() >= patience) {
            return;
        }
        loop_turn(&r->loop, sooner(again, patience));
    }
}

static int watch(struct run *r, struct err *e)
{
    if (loop_add(&r->loop, &r->signal, r->signals.fd, EPOLLIN, e) < 0 ||
        loop_add(&r->loop, &r->output, r->out->fd, 0, e) < 0 ||
        (r->rules->watch >= 0 && loop_add(&r->loop, &r->watch, r->rules->watch, EPOLLIN, e) < 0) ||
        (r->rules->journal &&
         loop_add(&r->loop, &r->synced, r->rules->journal->syncer.done, EPOLLIN, e) < 0)) {
        return -1;
    }
    return 0;
}

int turn_open(struct run *r, struct err *e)
{
    r->input = (struct loop_source){.fd = -1, .ready = on_input, .owner = r};
    r->output = (struct loop_source){.fd = -1, .ready = on_output, .owner = r};
    r->signal = (struct loop_source){.fd = -1, .ready = orders_on_signal, .owner = r};
    r->watch = (struct loop_source){.fd = -1, .ready = on_watch, .owner = r};
    r->synced = (struct loop_source){.fd = -1, .ready = on_synced, .owner = r};
    r->control_at = r->rules->control && r->rules->control->file ? 0 : CLOCK_NEVER;
    if (loop_open(&r->loop, e) < 0 ||
        signals_open(&r->signals, caught, sizeof caught / sizeof *caught, e) < 0 ||
        (r->rules->window > 0 && pace_open(&r->pace, &r->loop, e) < 0)) {
        return -1;
    }
    return watch(r, e);
}
