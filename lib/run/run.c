#include "run/run.h"

#include "base/clock.h"
#include "run/state.h"
#include "json/walk.h"

#include <stdlib.h>
#include <string.h>

enum { LOOK_EVERY = 32 }; /* items that workers are given without a look at anything else */

/* ---- accounting ---- */

static uint64_t failures(const struct run *r)
{
    const struct run_counts *c = &r->report->counts;
    return r->rules->by_items ? c->failed_items : c->failed + c->timed_out;
}

static uint64_t everything(const struct run *r)
{
    const struct run_counts *c = &r->report->counts;
    return r->rules->by_items ? c->all_items : c->items;
}

/* Stop as soon as the failures cannot be tolerated any more, whatever comes. */
static void judge_run(struct run *r)
{
    uint64_t stated = r->rules->by_items ? 0 : r->rules->total; /* which is of lines */
    uint64_t total = r->input_ended ? everything(r) : stated;
    if (!r->rules->finish_all && tolerance_hopeless(&r->settings.tolerance, failures(r), total)) {
        orders_stop(r);
    }
}

static void count(struct run_counts *c, const struct outcome *o)
{
    bool failed = o->status == OUTCOME_FAILED || o->status == OUTCOME_TIMED_OUT;
    c->succeeded += o->status == OUTCOME_SUCCEEDED;
    c->failed += o->status == OUTCOME_FAILED;
    c->timed_out += o->status == OUTCOME_TIMED_OUT;
    c->aborted += o->status == OUTCOME_ABORTED;
    c->pending += o->status == OUTCOME_PENDING;
    c->failed_items += failed ? o->item_count : o->failed_items;
}

static void keep_in_order(struct run *r, uint64_t index)
{
    struct err e = {0};
    if (inorder_add(&r->inorder, index, r->records, &e) < 0) {
        orders_quit(r, &e);
    }
}

/* The line of the item INDEX has been put; it leaves now, or in its turn. */
static void let_go(struct run *r, uint64_t index)
{
    r->report->written++;
    if (!r->rules->keep_order) {
        writer_commit(r->records);
    } else {
        keep_in_order(r, index);
    }
}

static bool is_end(enum outcome_status status)
{
    return status != OUTCOME_ABORTED && status != OUTCOME_PENDING;
}

static void record(struct run *r, const struct outcome *o)
{
    if (r->rules->journal && is_end(o->status)) {
        journal_put(r->rules->journal, o->key, o, &r->names, &r->scan);
    }
    if (r->rules->emit != RUN_EMIT_LINES) {
        outcome_put(r->records, o, &r->names, r->rules->emit, &r->scan);
        let_go(r, o->index);
    }
    count(&r->report->counts, o);
}

/* Would any other item fare better than one that BROKEN kept from being started? */
static bool is_hopeless(const struct run *r, const struct err *broken)
{
    bool no_command = broken->code == ERR_NO_FILE || broken->code == ERR_NO_EXEC;
    return broken->code == ERR_LATER || (no_command && r->rules->command->args[0].fixed);
}

static bool may_start(struct run *r)
{
    r->start_at = 0;
    if (!crew_has_room(&r->crew)) {
        return false;
    }
    r->start_at =
        throttle_is_idle(r->rules->throttle) ? 0 : throttle_take(r->rules->throttle, clock_now());
    return r->start_at == 0;
}

/* Give the next item to the crew, if there is one, and room for it. */
static void give_next(struct run *r)
{
    if (r->has_next && !r->stopped && !turn_is_clogged(r) && may_start(r)) {
        r->has_next = false;
        crew_begin(&r->crew, &r->next);
    }
}

static void on_done(void *owner, const struct outcome *o, const struct err *broken)
{
    struct run *r = owner;
    if (r->rules->window > 0 && o->status == OUTCOME_SUCCEEDED && o->failed_items == 0) {
        give_next(r); /* the worker need not wait for the record; a job's would be overwritten */
    }
    record(r, o);
    if (is_hopeless(r, broken) && r->failure.code == ERR_NONE) {
        r->failure = *broken;
        orders_stop(r);
    }
    judge_run(r);
}

/* ---- items ---- */

/* See what else happens; not before each of the items that workers are given without a wait. */
static void look_around(struct run *r)
{
    if (r->rules->window == 0 || ++r->unlooked >= LOOK_EVERY) {
        r->unlooked = 0;
        turn(r, false);
    }
}

/* Wait until the next item may be taken: for a place, if it is to be run, and for the output. */
static void wait_for_place(struct run *r)
{
    if (r->stopped || crew_has_room(&r->crew)) {
        look_around(r);
    }
    while (!orders_are_final(r) &&
           (turn_is_clogged(r) || (!r->stopped && !crew_has_room(&r->crew)))) {
        turn(r, true);
    }
}

/*
 * Does RECORD, written where it could do no harm, have an output that may not be written as an item
 * of its own?
 */
static bool replays_mark(const struct run *r, struct span record)
{
    struct span output;
    return r->rules->emit == RUN_EMIT_OUTPUT && walk_member(record, SPAN_LIT("Output"), &output) &&
           lines_is_mark(output);
}

/*
 * The item has succeeded in an earlier run: its record is written again.  What would be a failure
 * if it were run now is one, and it is not run.
 */
static void replay(struct run *r, struct outcome *o, struct span record)
{
    struct span failed;
    if (walk_member(record, SPAN_LIT("FailedItems"), &failed)) {
        o->failed_items = strtoull(failed.at, NULL, 10); /* what follows it is no digit */
    }
    if (replays_mark(r, record)) {
        o->status = OUTCOME_FAILED;
        o->kind = OUTPUT_ERROR;
        o->code = SPAN_LIT("\"BadOutput\"");
        outcome_put(r->records, o, &r->names, r->rules->emit, &r->scan);
    } else {
        outcome_replay(r->records, o->index, record, &r->names, r->rules->emit);
        r->report->replayed++;
    }
    let_go(r, o->index);
    count(&r->report->counts, o);
    judge_run(r);
}

/* What is known of it from an earlier run? Returns 1 if that was all, 0: run it, -1 with E. */
static int look_up(struct run *r, struct outcome *o, struct err *e)
{
    struct span record;
    if (!r->rules->journal) {
        return 0;
    }
    o->key = journal_key(r->rules->journal, o->input);
    int found = journal_find(r->rules->journal, o->key, &record, e);
    if (found > 0) {
        replay(r, o, record);
    }
    return found;
}

/* Run the next item, or say that it will not be run; it has been read and needs a record. */
static void settle_next(struct run *r)
{
    give_next(r);
    while (r->has_next && !r->stopped) {
        turn(r, true);
        give_next(r);
    }
    r->start_at = 0;
    if (r->has_next) {
        r->has_next = false;
        r->next.status = OUTCOME_PENDING;
        record(r, &r->next);
    }
}

/* The next line that is an item; others, however many, are no reason to look after nothing else. */
static int next_line(struct run *r, struct span *item, struct err *e)
{
    int got;
    while ((got = lines_step(r->in, item, e)) == LINES_NONE) {
        turn(r, false);
        if (orders_are_final(r)) {
            *e = r->failure;
            return -1;
        }
    }
    return got;
}

uint64_t run_levels(const struct run_rules *r)
{
    return r->emit == RUN_EMIT_RECORD ? 1 : 0;
}

/* May the input of O be run?  If so, its items have been counted. */
static int check_item(const struct run *r, struct outcome *o, struct err *e)
{
    if (!outcome_count_items(o->input, r->rules->items, &o->item_count)) {
        return err_set(e, ERR_DATA, "not a batch: it has no array Items (--items=batch)");
    }
    return lines_check_room(o->input, run_levels(r->rules), r->rules->max_depth, e);
}

/* Read one item, which is the next then. Returns 1, 0 at the end of the input, -1 with E filled. */
static int take_item(struct run *r, struct err *e)
{
    struct outcome *o = &r->next;
    *o = (struct outcome){.exit_code = -1};
    int got = next_line(r, &o->input, e);
    if (got <= 0) {
        return got;
    }
    if (check_item(r, o, e) < 0) {
        return lines_refuse(r->in, e) < 0 ? -1 : 1;
    }
    o->index = r->report->counts.items++;
    r->report->counts.all_items += o->item_count;
    int known = look_up(r, o, e);
    r->has_next = known == 0;
    return known < 0 ? -1 : 1;
}

/*
 * Should an item be read though there is no place for it?  Only if a line is there already, so that
 * nobody can tell, and for workers, which answer in less time than it takes to read it.
 */
static bool reads_ahead(const struct run *r)
{
    struct span there = reader_bytes(r->in->reader);
    return r->rules->window > 0 && !r->stopped && !crew_has_room(&r->crew) && there.len > 0 &&
           memchr(there.at, '\n', there.len) != NULL;
}

/* Take all items. Returns 0, or -1 with E filled. */
static int take_items(struct run *r, struct err *e)
{
    uint64_t most = r->rules->max_items;
    int got = 1;
    while (got > 0 && !(most > 0 && r->report->counts.items == most)) {
        if (!reads_ahead(r)) {
            wait_for_place(r);
        }
        if (orders_are_final(r)) {
            *e = r->failure;
            return -1;
        }
        got = take_item(r, e);
        settle_next(r);
    }
    return got < 0 ? -1 : 0;
}

static void finish_jobs(struct run *r)
{
    r->input_ended = true;
    judge_run(r);
    while (r->crew.busy > 0) {
        turn(r, true);
    }
    while (!crew_finish(&r->crew)) {
        turn(r, true);
    }
}

static int verdict(struct run *r, struct err *e)
{
    if (r->failure.code != ERR_NONE) {
        *e = r->failure;
        return -1;
    }
    if (r->stopped || tolerance_exceeded(&r->settings.tolerance, failures(r), everything(r))) {
        return err_set(e, ERR_FAILED, "%llu of %llu %s failed, which is not tolerated",
                       (unsigned long long)failures(r), (unsigned long long)everything(r),
                       r->rules->by_items ? "items" : "executions");
    }
    return 0;
}

/* ---- life ---- */

static void open_crew(struct run *r)
{
    r->crew = (struct crew){.window = r->rules->window, .done = on_done, .owner = r};
    r->crew.shared = (struct job_shared){
        .rules = r->rules,
        .proc = &r->proc,
        .loop = &r->loop,
        .messages = &r->messages,
        .lines = r->out,
        .scan = &r->scan,
        .throttle = r->rules->throttle,
        .timeout = {.fixed = r->rules->timeout, .percent = r->rules->timeout_percent},
    };
    crew_open(&r->crew, CONCURRENCY_MAX, r->rules->environment);
    orders_resize(r, r->rules->slots);
    r->settings =
        (struct settings){.slots = (int64_t)r->crew.limit, .tolerance = r->rules->tolerance};
    if (r->rules->throttle) {
        r->settings.interval = r->rules->throttle->interval;
        r->settings.delay = r->rules->throttle->delay;
    }
}

/* A fallback must find room beside a worker, which makes none. */
static int check_room(const struct run *r, struct err *e)
{
    size_t least = orders_per_place(r->rules);
    return least == 1 || proc_room() >= least
               ? 0
               : err_set(e, ERR_IO, "the limit of open files is too low to run a fallback");
}

static int run_open(struct run *r, int errors, struct err *e)
{
    r->loop.fd = r->signals.fd = -1;
    writer_init(&r->messages, errors, "standard error");
    r->messages.held = r->out->held = true;
    r->records = r->rules->journal ? &r->rules->journal->waiting : r->out;
    r->inorder.folder = r->rules->folder;
    uint64_t levels = run_levels(r->rules);
    scan_init(&r->scan, r->rules->max_depth > levels ? r->rules->max_depth - levels : 0);
    outcome_names_make(&r->names, r->rules);
    if (proc_open(&r->proc, crew_places(CONCURRENCY_MAX, r->rules->window), e) < 0 ||
        check_room(r, e) < 0 || turn_open(r, e) < 0) {
        return -1;
    }
    open_crew(r);
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
    crew_close(&r->crew);
    signals_close(&r->signals);
    pace_close(&r->pace, &r->loop);
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
        if (verdict(&r, &late) < 0 && (rc == 0 || orders_are_final(&r))) {
            *e = late;
            rc = -1;
        }
    }
    run_close(&r);
    return rc;
}
