#include "run/run.h"

#include "base/mem.h"
#include "run/state.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- accounting ---- */

static uint64_t failures(const struct run *r)
{
    return r->report->counts.failed + r->report->counts.timed_out;
}

/* Stop as soon as the failures cannot be tolerated any more, whatever comes. */
static void judge_run(struct run *r)
{
    uint64_t total = r->input_ended ? r->report->counts.items : r->rules->total;
    if (!r->rules->finish_all && tolerance_hopeless(&r->rules->tolerance, failures(r), total)) {
        turn_stop(r);
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
        turn_stop(r);
    }
    judge_run(r);
}

/* ---- items ---- */

/* Wait until the next item may be taken: for a place, if it is to be run, and for the output. */
static void wait_for_place(struct run *r)
{
    turn(r, false);
    while (!r->quit && ((!r->stopped && r->free_count == 0) || turn_is_clogged(r))) {
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

static int run_open(struct run *r, int errors, struct err *e)
{
    r->loop.fd = r->signals.fd = -1;
    r->slots = r->rules->slots;
    writer_init(&r->messages, errors, "standard error");
    r->messages.held = r->out->held = true;
    scan_init(&r->scan, r->rules->max_depth);
    outcome_names_make(&r->names, r->rules);
    if (proc_open(&r->proc, r->slots, e) < 0 || turn_open(r, e) < 0) {
        return -1;
    }
    fit_slots(r);
    open_jobs(r);
    r->in->reader->tied = NULL;
    r->in->reader->wait = turn_until_input;
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
        turn_until_written(&r);
        struct err late = {0};
        if (verdict(&r, &late) < 0 && (rc == 0 || r.quit)) {
            *e = late;
            rc = -1;
        }
    }
    run_close(&r);
    return rc;
}
