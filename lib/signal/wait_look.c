#include "signal/wait_look.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/mem.h"
#include "signal/count.h"
#include "signal/line.h"
#include "signal/wait_lease.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

#define KEEP_MARGIN  (60 * CLOCK_SECOND)    /* an entry outlives its waiters by this */
#define KEEP_LONGEST (86400 * CLOCK_SECOND) /* and is kept alive by so much at a time */

enum {
    LOOK_MAX = 256,        /* queues of one store call */
    LOOK_LINES = 100000,   /* most lines that one call asks for */
    BACKLOG_MAX = 1 << 20, /* bytes put out before they are written */
    RENEW_PARTS = 3        /* a lease is renewed when a third of its time is over */
};

/* One store call. */
struct look {
    size_t count;
    size_t wanted; /* lines */
    int64_t now;
    struct queue *queues[LOOK_MAX];
    struct store_ask asks[LOOK_MAX];
    struct store_grant grants[LOOK_MAX];
    const struct fail_on *met[LOOK_MAX]; /* a condition under which waiting has no sense */
    char names[LOOK_MAX][WAIT_LEASE_NAME_MAX];
    uint64_t *ends; /* where each released line ends in the output, in order */
    size_t end_count, end_cap;
};

void wait_report(const struct wait *w, const struct err *e)
{
    if (w->rules.report) {
        w->rules.report(w->rules.context, e);
    }
}

/* ---- a store that does not answer ---- */

int wait_note_failure(struct wait *w, const struct err *why, struct err *e)
{
    if (why->code != ERR_LATER || w->rules.outage == WAIT_EXIT) {
        *e = *why;
        return -1;
    }
    bool fail = w->rules.outage == WAIT_FAIL;
    w->why = *why;
    if (outage_note(&w->outage, fail)) {
        struct err told = *why;
        err_prefix(&told, fail ? "lines fail" : "trying again");
        wait_report(w, &told);
    }
    return 0;
}

void wait_note_answer(struct wait *w)
{
    struct err told;
    if (outage_end(&w->outage, &told)) {
        wait_report(w, &told);
    }
}

/* ---- lines that leave ---- */

int wait_let_go(struct wait *w, struct waiter *x, struct writer *out, struct err *e)
{
    struct buf text = {0};
    struct span line;
    int rc = waiters_text(&w->held, x, !x->marked, &w->text, &line, e);
    if (rc == 0 && out && x->marked) {
        line_unmark(&text, line);
        line = buf_span(&text);
    }
    if (rc == 0) {
        line_put(out, line);
        if (w->rules.spool && w->rules.late) {
            uint64_t number = waiter_number(x);
            buf_add(&w->aside, (const char *)&number, sizeof number);
        } else if (w->rules.spool) {
            spool_gone(w->rules.spool, waiter_number(x));
        }
        waiters_drop(&w->held, x);
    }
    buf_release(&text);
    return rc;
}

/* ---- asking ---- */

/* How long the entry of Q is to live, for the sake of its lines and of a lease. */
static int64_t keep_time(const struct wait *w, const struct queue *q, int64_t now)
{
    int64_t last = q->last->deadline.at;
    int64_t margin = clock_after(w->rules.lease, KEEP_MARGIN);
    if (last == CLOCK_NEVER || last - now > KEEP_LONGEST) {
        last = clock_after(now, KEEP_LONGEST);
    }
    return clock_after(last > now ? last - now : 0, margin);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* How many lines of Q are asked for. */
static int64_t wanted_of(const struct wait *w, struct queue *q)
{
    int64_t wanted = least((int64_t)waiters_run(q), LOOK_LINES);
    if (w->rules.buffer > 0) {
        wanted = least(wanted, (int64_t)(w->rules.pass ? q->budget : w->rules.buffer));
    }
    return w->rules.once ? least(wanted, 1) : wanted;
}

/* Put Q into the call. An ask whose answer was lost keeps its number: the store knows it again. */
static void add_ask(struct wait *w, struct look *l, struct queue *q)
{
    size_t i = l->count++;
    q->ask = q->ask ? q->ask : ++w->asks;
    snprintf(l->names[i], sizeof l->names[i], "%s:%llu", w->run, (unsigned long long)q->ask);
    l->queues[i] = q;
    l->met[i] = NULL;
    l->asks[i] = (struct store_ask){
        .id = q->node.id,
        .counter = q->first->demand->demand.counter,
        .target = q->first->demand->demand.target,
        .releasable = q->first->demand->demand.releasable,
        .wanted = wanted_of(w, q),
        .lease = span_text(l->names[i]),
        .lease_time = w->rules.lease,
        .keep = keep_time(w, q, l->now),
        .once = w->rules.once,
    };
    l->wanted += (size_t)l->asks[i].wanted;
}

/* ---- what released lines get ---- */

struct edits {
    struct edit *list;
    size_t count, cap;
};

static void add_edit(struct edits *l, enum edit_kind kind, struct span name, struct span value)
{
    l->list = mem_grow(l->list, &l->cap, l->count, sizeof *l->list);
    l->list[l->count++] = (struct edit){kind, name, value};
}

static bool is_counter_member(struct span name)
{
    return span_starts(name, SPAN_LIT("wait.counter."));
}

static void add_counter(struct edits *l, struct span name, int64_t value, struct arena *texts)
{
    char stamp[LINE_STAMP_MAX];
    struct buf b = {0};
    buf_add_text(&b, "wait.counter.");
    buf_add_span(&b, name);
    add_edit(l, EDIT_SET, arena_copy(texts, buf_span(&b)),
             arena_copy(texts, line_stamp(value, stamp)));
    buf_release(&b);
}

/* The edits that the lines of grant G undergo. */
static void make_edits(const struct wait *w, const struct store_grant *g, struct edits *l,
                       struct arena *texts)
{
    for (size_t i = 0; i < g->attribute_count; i++) {
        struct span name = g->attributes[i].name;
        bool ours = span_equal(name, LINE_START) || span_equal(name, LINE_PENALTY);
        if (!ours && !(w->rules.counters && is_counter_member(name))) {
            add_edit(l, w->rules.replace ? EDIT_SET : EDIT_ADD, name, g->attributes[i].value);
        }
    }
    for (size_t i = 0; w->rules.counters && i < g->counter_count; i++) {
        if (!span_equal(g->counters[i].name, SPAN_LIT("total"))) {
            add_counter(l, g->counters[i].name, g->counters[i].value, texts);
        }
    }
    if (w->rules.counters && g->found) {
        add_counter(l, SPAN_LIT("total"), g->total, texts);
    }
    add_edit(l, EDIT_DROP, LINE_START, (struct span){0});
    add_edit(l, EDIT_DROP, LINE_PENALTY, (struct span){0});
}

/* Add the line of X to the output as EDITS have it, and note where it ends. */
static int put_line(struct wait *w, struct look *l, const struct waiter *x,
                    const struct edits *edits, struct buf *line, struct err *e)
{
    struct span item;
    if (waiters_text(&w->held, x, false, &w->text, &item, e) < 0) {
        return -1;
    }
    buf_reset(line);
    line_edit(line, item, edits->list, edits->count);
    line_put(w->rules.out, buf_span(line));
    l->ends = mem_grow(l->ends, &l->end_cap, l->end_count, sizeof *l->ends);
    l->ends[l->end_count++] = writer_total(w->rules.out);
    return 0;
}

/*
 * Write what was put out.  While the reader is slow the leases are renewed.  Returns 0, 1 when told
 * to stop before all was written, -1 with E filled.
 */
static int let_out(struct wait *w, struct err *e)
{
    struct writer *out = w->rules.out;
    int64_t renew_at = clock_after(clock_now(), w->rules.lease / RENEW_PARTS);
    int left;
    while (out && (left = writer_try(out, e)) != 0) {
        if (left < 0) {
            return -1;
        }
        struct pollfd p[] = {{.fd = out->fd, .events = POLLOUT}, {.fd = w->stop, .events = POLLIN}};
        (void)poll(p, 2, clock_poll(renew_at));
        if (p[1].revents) {
            return 1;
        }
        if (clock_now() >= renew_at) {
            wait_lease_renew(w);
            renew_at = clock_after(clock_now(), w->rules.lease / RENEW_PARTS);
        }
    }
    return 0;
}

/* Put the lines that grant I releases into the output; they stay held. Returns as let_out. */
static int put_released(struct wait *w, struct look *l, size_t i, struct err *e)
{
    const struct store_grant *g = &l->grants[i];
    struct edits edits = {0};
    struct arena texts = {0};
    struct buf line = {0};
    const struct waiter *x = l->queues[i]->first;
    int rc = 0;
    make_edits(w, g, &edits, &texts);
    for (int64_t k = 0; k < g->granted && rc == 0; k++, x = x->after) {
        rc = put_line(w, l, x, &edits, &line, e);
        if (rc == 0 && writer_backlog(w->rules.out) > BACKLOG_MAX) {
            rc = let_out(w, e);
        }
    }
    buf_release(&line);
    arena_release(&texts);
    free(edits.list);
    return rc;
}

/* ---- answers ---- */

/* The condition of grant I under which its lines fail; NULL: none. */
static const struct fail_on *find_failure(const struct wait *w, const struct look *l, size_t i)
{
    static const struct fail_on broken = {SPAN_LIT("broken"), 1};
    const struct store_grant *g = &l->grants[i];
    const struct fail_on *met = NULL;
    if (g->found) {
        met = fail_on_met(w->rules.fail_on, w->rules.fail_on_count, g);
        if (!met && w->rules.mind_broken && l->asks[i].counter.len == 0) {
            met = fail_on_met(&broken, 1, g);
        }
    }
    return met;
}

/* Note what the answers say, and which leases there are now. */
static void read_answers(struct wait *w, struct look *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct store_grant *g = &l->grants[i];
        struct queue *q = l->queues[i];
        q->looked_at = l->now;
        q->ask = 0;
        q->seen = g->count;
        bool others = g->granted < l->asks[i].wanted && g->frees > 0;
        waiters_look_at(&w->held, q, others ? clock_after(l->now, g->frees) : CLOCK_NEVER);
        l->met[i] = find_failure(w, l, i);
        if (g->leased) {
            wait_lease_add(w, &l->asks[i], l->now, g->granted,
                           l->met[i] ? STORE_GIVE_BACK : STORE_CONFIRM);
        }
    }
}

/* Put out what is released, and write it. Returns as let_out. */
static int put_answers(struct wait *w, struct look *l, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; w->rules.out && i < l->count && rc == 0; i++) {
        rc = l->met[i] ? 0 : put_released(w, l, i, e);
    }
    return rc == 0 ? let_out(w, e) : rc;
}

/* All lines of the queue of answer I fail. */
static int fail_queue(struct wait *w, struct look *l, size_t i, struct err *e)
{
    struct queue *q = l->queues[i];
    const struct fail_on *met = l->met[i];
    err_set(&w->last, ERR_FAILED, "signal '%.*s' has failed: %.*s>=%lld", id_shown(q->node.id),
            q->node.id.at, (int)met->counter.len, met->counter.at, (long long)met->least);
    wait_report(w, &w->last);
    for (size_t left = q->count; left > 0; left--) {
        w->failed_on++;
        if (wait_let_go(w, q->first, w->rules.failure, e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* The id of answer I has been released before: its lines are duplicates. */
static int drop_duplicates(struct wait *w, struct look *l, size_t i, struct err *e)
{
    struct queue *q = l->queues[i];
    err_set(&w->last, ERR_DATA, "signal '%.*s' has been released before", id_shown(q->node.id),
            q->node.id.at);
    for (size_t left = q->count; left > 0; left--) {
        w->duplicates++;
        if (wait_let_go(w, q->first, w->rules.duplicate, e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Let GONE released lines of answer I go, now that they have left. */
static void drop_released(struct wait *w, struct look *l, size_t i, int64_t gone)
{
    struct queue *q = l->queues[i];
    bool emptied = (size_t)gone == q->count;
    bool more = gone == l->asks[i].wanted;
    for (int64_t k = 0; k < gone; k++) {
        waiters_drop(&w->held, q->first);
    }
    w->released += (uint64_t)gone;
    if (emptied) {
        return;
    }
    q->moved = q->moved || gone > 0;
    q->budget -= gone < (int64_t)q->budget ? (size_t)gone : q->budget;
    if (w->rules.once ? gone > 0 : more && (!w->rules.pass || q->budget > 0)) {
        waiters_due(&w->held, q); /* perhaps the next ones may go too, or learn that they may not */
    }
}

/* How many of the lines that the answers released have left, by answer, before WRITTEN. */
static void count_gone(const struct wait *w, const struct look *l, uint64_t written, int64_t *gone)
{
    size_t at = 0;
    for (size_t i = 0; i < l->count; i++) {
        gone[i] = 0;
        for (int64_t k = 0; !l->met[i] && k < l->grants[i].granted; k++, at++) {
            gone[i] += !w->rules.out || (at < l->end_count && l->ends[at] <= written);
        }
    }
}

/* Note in the spool which lines have left, before the store hears that they have. */
static int note_gone(struct wait *w, const struct look *l, const int64_t *gone, struct err *e)
{
    if (!w->rules.spool) {
        return 0;
    }
    for (size_t i = 0; i < l->count; i++) {
        uint64_t *numbers = mem_new((size_t)gone[i], sizeof *numbers);
        const struct waiter *x = l->queues[i]->first;
        for (int64_t k = 0; k < gone[i]; k++, x = x->after) {
            numbers[k] = waiter_number(x);
        }
        if (gone[i] > 0) {
            spool_written(w->rules.spool, numbers, (size_t)gone[i], l->asks[i].id,
                          l->grants[i].leased ? l->asks[i].lease : (struct span){0});
        }
        free(numbers);
    }
    return spool_flush(w->rules.spool, true, e);
}

/* What has not gone is given back. */
static void share_leases(struct wait *w, const struct look *l, const int64_t *gone)
{
    size_t lease = w->lease_count;
    for (size_t i = l->count; i-- > 0;) {
        if (l->grants[i].leased) {
            w->leases[--lease].back = l->grants[i].granted - gone[i];
        }
    }
}

/* The spool does not take what has left: as if nothing had been asked. E is filled already. */
static int undo(struct wait *w)
{
    struct err ignored;
    wait_lease_return_all(w);
    (void)wait_lease_settle(w, &ignored); /* else they run out */
    return -1;
}

/* What follows for the lines of answer I, GONE of which have left. */
static int finish(struct wait *w, struct look *l, size_t i, int64_t gone, struct err *e)
{
    if (l->met[i]) {
        return fail_queue(w, l, i, e);
    }
    if (w->rules.once && l->grants[i].done && l->grants[i].granted == 0) {
        return drop_duplicates(w, l, i, e);
    }
    drop_released(w, l, i, gone);
    return 0;
}

static int act(struct wait *w, struct look *l, struct err *e)
{
    int64_t gone[LOOK_MAX];
    wait_note_answer(w);
    read_answers(w, l);
    struct err late = {0};
    int put = put_answers(w, l, e);
    count_gone(w, l, w->rules.out ? w->rules.out->written : 0, gone);
    if (note_gone(w, l, gone, put < 0 ? &late : e) < 0) {
        return undo(w);
    }
    share_leases(w, l, gone);
    int rc = 0;
    for (size_t i = 0; i < l->count && rc == 0; i++) {
        rc = finish(w, l, i, gone[i], put < 0 ? &late : e);
    }
    if (rc == 0) {
        rc = wait_lease_settle(w, put < 0 ? &late : e);
    }
    return put < 0 || rc < 0 ? -1 : put;
}

/* The store does not answer, and lines do not wait for it. */
static int fail_lines(struct wait *w, struct look *l, struct err *e)
{
    for (size_t i = 0; i < l->count; i++) {
        struct queue *q = l->queues[i];
        for (size_t left = q->count; left > 0; left--) {
            w->failed++;
            if (wait_let_go(w, q->first, w->rules.failure, e) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static int look_failed(struct wait *w, struct look *l, const struct err *why, struct err *e)
{
    if (wait_note_failure(w, why, e) < 0) {
        return -1;
    }
    if (w->rules.outage == WAIT_FAIL) {
        return fail_lines(w, l, e);
    }
    for (size_t i = 0; i < l->count; i++) {
        waiters_due(&w->held, l->queues[i]);
    }
    return 0;
}

int wait_look(struct wait *w, struct err *e)
{
    struct look *l = mem_new(1, sizeof *l);
    struct queue *q;
    struct err why = {0};
    l->now = clock_now();
    while (l->count < LOOK_MAX && l->wanted < LOOK_LINES &&
           (q = waiters_next_due(&w->held)) != NULL) {
        add_ask(w, l, q);
    }
    int rc = store_take(w->store, l->asks, l->grants, l->count, &why);
    rc = rc == 0 ? act(w, l, e) : look_failed(w, l, &why, e);
    for (size_t i = 0; i < l->count; i++) {
        store_grant_release(&l->grants[i]);
    }
    free(l->ends);
    free(l);
    return rc;
}
