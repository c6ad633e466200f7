#include "run/run.h"

#include "base/clock.h"
#include "base/mem.h"
#include "proc/signals.h"
#include "run/inorder.h"
#include "run/job.h"

#include <stdio.h>
#include <stdlib.h>

#define SWEEP_EVERY  CLOCK_SECOND       /* look for orphans that died */
#define STUCK_AGAIN  (50 * CLOCK_MILLI) /* try again to write to standard error */
#define BACKLOG_MAX  ((size_t)4 << 20)  /* bytes not yet written: then nothing new is started */
#define KEPT_MAX     ((size_t)64 << 20) /* bytes kept for item order: likewise */
#define FLUSH_AT     ((size_t)128 << 10) /* bytes that are worth writing though there is more to do */
#define MESSAGES_MAX ((size_t)1 << 20)   /* bytes for standard error: then it is waited for */

static const int caught[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};

struct run {
    const struct run_rules *rules;
    struct lines_in *in;
    struct writer *out;
    struct run_report *report;
    struct writer messages;
    struct loop loop;
    struct proc proc;
    struct signals signals;
    struct loop_source input, output, signal, watch;
    struct job_shared shared;
    struct job *jobs;
    size_t *free_places; /* a stack */
    size_t free_count;
    size_t slots;
    struct inorder inorder;
    struct outcome_names names;
    struct scan scan;
    bool input_ready;
    bool input_ended;   /* the number of items is known */
    bool stopped;       /* start nothing more, but account for every item */
    bool quit;          /* not even that */
    bool hurried;       /* nor write what is left */
    struct err failure; /* why, if it was not too many failures */
    int64_t sweep_at;
    int64_t look_at;
};

/* ---- accounting ---- */

static uint64_t failures(const struct run *r)
{
    return r->report->counts.failed + r->report->counts.timed_out;
}

static void abort_all(struct run *r, bool now)
{
    r->shared.no_more = true;
    for (size_t i = 0; i < r->slots; i++) {
        job_abort(&r->jobs[i], now);
    }
}

static void stop(struct run *r)
{
    if (!r->stopped) {
        r->stopped = true;
        abort_all(r, false);
    }
}

static void quit(struct run *r, const struct err *e)
{
    if (!r->quit) {
        r->quit = true;
        r->failure = *e;
        stop(r);
    }
}

/* Stop as soon as the failures cannot be tolerated any more, whatever comes. */
static void judge_run(struct run *r)
{
    uint64_t total = r->input_ended ? r->report->counts.items : r->rules->total;
    if (!r->rules->finish_all && tolerance_hopeless(&r->rules->tolerance, failures(r), total)) {
        stop(r);
    }
}

static void count(struct run_counts *c, enum outcome_status status)
{
    c->succeeded += status == OUTCOME_SUCCEEDED;
    c->failed += status == OUTCOME_FAILED;
    c->timed_out += status == OUTCOME_TIMED_OUT;
    c->aborted += status == OUTCOME_ABORTED;
    c->pending += status == OUTCOME_PENDING;
}

static void record(struct run *r, const struct outcome *o)
{
    outcome_put(r->out, o, &r->names, r->rules->emit, &r->scan);
    if (r->rules->keep_order) {
        inorder_add(&r->inorder, o->index, r->out);
    } else {
        writer_commit(r->out);
    }
    r->report->written++;
    count(&r->report->counts, o->status);
}

static void on_done(void *owner, struct job *j)
{
    struct run *r = owner;
    enum err_code why = j->broken.code;
    record(r, &j->outcome);
    r->free_places[r->free_count++] = j->place;
    if ((why == ERR_NO_FILE || why == ERR_NO_EXEC) && r->rules->command->args[0].fixed &&
        r->failure.code == ERR_NONE) {
        r->failure = j->broken; /* no other item will fare better */
        stop(r);
    }
    judge_run(r);
}

/* ---- the loop ---- */

static void on_signal(void *owner, uint32_t events)
{
    struct run *r = owner;
    int number;
    (void)events;
    while ((number = signals_next(&r->signals)) != 0) {
        if (r->report->signal != 0) {
            r->hurried = true;
            abort_all(r, true);
        } else {
            struct err e = {0};
            err_set(&e, ERR_FAILED, "ended by signal %d", number);
            r->report->signal = number;
            quit(r, &e);
        }
    }
}

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
        quit(r, &e);
    }
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
    bool in_vain = r->quit && r->failure.code != ERR_FAILED;
    int left = in_vain ? 0 : writer_try(r->out, &e);
    if (left < 0) {
        quit(r, &e);
    }
    loop_change(&r->loop, &r->output, left > 0 ? EPOLLOUT : 0);
    return flush_messages(r);
}

static int64_t next_deadline(const struct run *r)
{
    int64_t next = r->look_at;
    for (size_t i = 0; i < r->slots; i++) {
        next = r->shared.deadlines[i] < next ? r->shared.deadlines[i] : next;
    }
    return next;
}

static void tick(struct run *r)
{
    int64_t now = clock_now();
    for (size_t i = 0; i < r->slots; i++) {
        if (r->shared.deadlines[i] <= now) {
            job_tick(&r->jobs[i], now);
        }
    }
    if (now >= r->look_at) {
        look(r);
    }
    if (now >= r->sweep_at) {
        struct err e = {0};
        r->sweep_at = now + SWEEP_EVERY;
        if (proc_sweep(&r->proc, &e) < 0) {
            quit(r, &e);
        }
    }
}

static bool has_much_to_write(const struct run *r)
{
    return writer_backlog(r->out) >= FLUSH_AT || writer_backlog(&r->messages) >= FLUSH_AT;
}

/* Let happen what happens; wait for it if MAY_WAIT, and then write what is there first. */
static void turn(struct run *r, bool may_wait)
{
    bool idle = loop_turn(&r->loop, 0) == 0;
    int64_t again = idle || has_much_to_write(r) ? flush(r) : CLOCK_NEVER;
    if (idle && may_wait) {
        int64_t next = next_deadline(r);
        loop_turn(&r->loop, again < next ? again : next);
    }
    tick(r);
}

/* The reader has nothing: go on with everything else until it has. */
static int wait_for_input(void *owner, struct err *e)
{
    struct run *r = owner;
    r->input_ready = false;
    if (loop_add(&r->loop, &r->input, r->in->reader->fd, EPOLLIN, e) < 0) {
        return -1;
    }
    while (!r->input_ready && !r->input.steady && !r->quit) {
        turn(r, true);
    }
    loop_remove(&r->loop, &r->input);
    if (r->quit) {
        *e = r->failure;
        return -1;
    }
    return 0;
}

/* ---- items ---- */

static bool is_clogged(const struct run *r)
{
    return writer_backlog(r->out) > BACKLOG_MAX || r->inorder.kept > KEPT_MAX;
}

/* Wait until the next item may be taken: for a place, if it is to be run, and for the output. */
static void wait_for_place(struct run *r)
{
    turn(r, false);
    while (!r->quit && ((!r->stopped && r->free_count == 0) || is_clogged(r))) {
        turn(r, true);
    }
}

/* It will not be run. */
static void leave_pending(struct run *r, uint64_t index, struct span item, uint64_t item_count)
{
    struct outcome o = {.index = index,
                        .item_count = item_count,
                        .input = item,
                        .status = OUTCOME_PENDING,
                        .exit_code = -1};
    record(r, &o);
}

/* Take one item. Returns 1, 0 at the end of the input, -1 with E filled. */
static int take_item(struct run *r, struct err *e)
{
    struct span item;
    uint64_t item_count;
    int got = lines_next(r->in, &item, e);
    if (got <= 0) {
        return got;
    }
    if (!outcome_count_items(item, r->rules->items, &item_count)) {
        err_set(e, ERR_DATA, "not a batch: it has no array Items (--items=batch)");
        return lines_refuse(r->in, e) < 0 ? -1 : 1;
    }
    uint64_t index = r->report->counts.items++;
    if (r->stopped) {
        leave_pending(r, index, item, item_count);
    } else {
        size_t place = r->free_places[--r->free_count];
        job_begin(&r->jobs[place], index, item, item_count);
    }
    return 1;
}

/* Take all items. Returns 0, or -1 with E filled. */
static int take_items(struct run *r, struct err *e)
{
    uint64_t most = r->rules->max_items;
    int got = 1;
    while (got > 0 && !(most > 0 && r->report->counts.items == most)) {
        wait_for_place(r);
        if (r->quit) {
            *e = r->failure;
            return -1;
        }
        got = take_item(r, e);
    }
    return got < 0 ? -1 : 0;
}

static void finish_jobs(struct run *r)
{
    r->input_ended = true;
    judge_run(r);
    while (r->free_count < r->slots) {
        turn(r, true);
    }
}

/* Write what is left; once a signal has come, not for ever. */
static void finish_output(struct run *r)
{
    int64_t patience = CLOCK_NEVER;
    for (;;) {
        int64_t again = flush(r);
        if (r->quit && patience == CLOCK_NEVER) {
            patience = clock_after(clock_now(), r->rules->kill_after);
        }
        bool in_vain = r->quit && r->failure.code != ERR_FAILED;
        if (writer_backlog(r->out) == 0 || in_vain || r->hurried || clock_now() >= patience) {
            return;
        }
        loop_turn(&r->loop, again < patience ? again : patience);
    }
}

static int verdict(struct run *r, struct err *e)
{
    const struct run_counts *c = &r->report->counts;
    if (r->failure.code != ERR_NONE) {
        *e = r->failure;
        return -1;
    }
    if (r->stopped || tolerance_exceeded(&r->rules->tolerance, failures(r), c->items)) {
        return err_set(e, ERR_FAILED, "%llu of %llu executions failed, which is not tolerated",
                       (unsigned long long)failures(r), (unsigned long long)c->items);
    }
    return 0;
}

/* ---- life ---- */

static void open_jobs(struct run *r)
{
    r->shared = (struct job_shared){.rules = r->rules,
                                    .proc = &r->proc,
                                    .loop = &r->loop,
                                    .messages = &r->messages,
                                    .scan = &r->scan,
                                    .done = on_done,
                                    .owner = r};
    r->shared.deadlines = mem_new(r->slots, sizeof *r->shared.deadlines);
    r->jobs = mem_new(r->slots, sizeof *r->jobs);
    r->free_places = mem_new(r->slots, sizeof *r->free_places);
    variables_init(&r->shared.variables, r->rules->environment);
    for (size_t i = r->slots; i-- > 0;) {
        job_init(&r->jobs[i], &r->shared, i);
        r->free_places[r->free_count++] = i;
    }
}

static void close_jobs(struct run *r)
{
    for (size_t i = 0; r->jobs && i < r->slots; i++) {
        job_release(&r->jobs[i]);
    }
    free(r->jobs);
    free(r->free_places);
    free(r->shared.deadlines);
    variables_release(&r->shared.variables);
    argv_free(&r->shared.argv);
}

/* No more places than the limit of open files has room for. */
static void fit_slots(struct run *r)
{
    size_t room = proc_room();
    if (r->slots > room) {
        char text[128];
        snprintf(text, sizeof text, "only %zu at a time: the limit of open files allows no more",
                 room);
        r->slots = room;
        if (r->rules->notice) {
            r->rules->notice(r->rules->context, text);
        }
    }
}

static int open_loop(struct run *r, struct err *e)
{
    r->input = (struct loop_source){.fd = -1, .ready = on_input, .owner = r};
    r->output = (struct loop_source){.fd = -1, .ready = on_output, .owner = r};
    r->signal = (struct loop_source){.fd = -1, .ready = on_signal, .owner = r};
    r->watch = (struct loop_source){.fd = -1, .ready = on_watch, .owner = r};
    if (loop_open(&r->loop, e) < 0 ||
        signals_open(&r->signals, caught, sizeof caught / sizeof *caught, e) < 0 ||
        loop_add(&r->loop, &r->signal, r->signals.fd, EPOLLIN, e) < 0 ||
        loop_add(&r->loop, &r->output, r->out->fd, 0, e) < 0 ||
        (r->rules->watch >= 0 && loop_add(&r->loop, &r->watch, r->rules->watch, EPOLLIN, e) < 0)) {
        return -1;
    }
    return 0;
}

static int run_open(struct run *r, int errors, struct err *e)
{
    r->loop.fd = r->signals.fd = -1;
    r->slots = r->rules->slots;
    writer_init(&r->messages, errors, "standard error");
    r->messages.held = r->out->held = true;
    scan_init(&r->scan, r->rules->max_depth);
    outcome_names_make(&r->names, r->rules);
    if (proc_open(&r->proc, r->slots, e) < 0 || open_loop(r, e) < 0) {
        return -1;
    }
    fit_slots(r);
    open_jobs(r);
    r->in->reader->tied = NULL;
    r->in->reader->wait = wait_for_input;
    r->in->reader->waiter = r;
    return 0;
}

static void run_close(struct run *r)
{
    r->in->reader->wait = NULL;
    r->out->held = false;
    if (!r->quit) {
        (void)writer_flush(&r->messages, NULL);
    }
    proc_close(&r->proc);
    close_jobs(r);
    signals_close(&r->signals);
    loop_close(&r->loop);
    inorder_release(&r->inorder);
    outcome_names_release(&r->names);
    scan_release(&r->scan);
    writer_release(&r->messages);
}

int run_lines(const struct run_rules *rules, struct lines_in *in, struct writer *out, int errors,
              struct run_report *report, struct err *e)
{
    struct run r = {.rules = rules, .in = in, .out = out, .report = report};
    *report = (struct run_report){0};
    int rc = run_open(&r, errors, e);
    if (rc == 0) {
        rc = take_items(&r, e);
        finish_jobs(&r);
        finish_output(&r);
        struct err late = {0};
        if (verdict(&r, &late) < 0 && (rc == 0 || r.quit)) {
            *e = late;
            rc = -1;
        }
    }
    run_close(&r);
    return rc;
}
