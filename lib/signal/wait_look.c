#include "signal/wait_look.h"

#include "base/clock.h"
#include "base/mem.h"
#include "signal/count.h"
#include "signal/dress.h"

#include <stdio.h>
#include <stdlib.h>

#define PAUSE_FIRST   (100 * CLOCK_MILLI)
#define PAUSE_LONGEST (5 * CLOCK_SECOND)
#define KEEP_MARGIN   (60 * CLOCK_SECOND)    /* an entry outlives its waiters by this */
#define KEEP_LONGEST  (86400 * CLOCK_SECOND) /* and is kept alive by so much at a time */

enum { LOOK_MAX = 256 }; /* queues of one store call */

/* One store call. */
struct look {
    size_t count;
    int64_t now;
    struct queue *queues[LOOK_MAX];
    struct store_ask asks[LOOK_MAX];
    struct store_grant grants[LOOK_MAX];
    bool hopeless[LOOK_MAX]; /* a condition of fail_on is met */
    char names[LOOK_MAX][WAIT_LEASE_NAME_MAX];
};

void wait_report(const struct wait *w, const struct err *e)
{
    if (w->rules.report) {
        w->rules.report(w->rules.context, e);
    }
}

void wait_put_line(struct writer *out, struct span line)
{
    if (out) {
        writer_put_span(out, line);
        writer_put_byte(out, '\n');
        writer_commit(out);
    }
}

/* ---- a store that does not answer ---- */

int wait_note_failure(struct wait *w, const struct err *why, struct err *e)
{
    if (why->code != ERR_LATER) {
        *e = *why;
        return -1;
    }
    if (!w->down) {
        struct err told = *why;
        err_prefix(&told, "trying again");
        wait_report(w, &told);
    }
    int64_t longer = w->pause * 2;
    w->down = true;
    w->why = *why;
    w->pause = w->pause == 0 ? PAUSE_FIRST : longer < PAUSE_LONGEST ? longer : PAUSE_LONGEST;
    uint8_t dice; /* so that those who lost it together do not come back together */
    uuid_random(&dice, sizeof dice);
    w->retry_at = clock_after(clock_now(), w->pause - w->pause / 512 * dice);
    return 0;
}

static void note_answer(struct wait *w)
{
    w->down = false;
    w->pause = 0;
}

/* ---- leases ---- */

static void add_lease(struct wait *w, const struct store_ask *ask, enum store_verb verb)
{
    w->leases = mem_grow(w->leases, &w->lease_cap, w->lease_count, sizeof *w->leases);
    struct wait_lease *l = &w->leases[w->lease_count++];
    l->id = span_of(mem_copy(ask->id.at, ask->id.len), ask->id.len);
    snprintf(l->name, sizeof l->name, "%.*s", (int)ask->lease.len, ask->lease.at);
    l->verb = verb;
    l->until = clock_after(clock_now(), ask->lease_time);
}

/* What was released is not confirmed: say that it may be released again. */
static void warn_unconfirmed(const struct wait *w, const struct wait_lease *l)
{
    struct err why = {0};
    if (l->verb == STORE_CONFIRM) {
        err_set(&why, ERR_LATER,
                "the release of signal '%.*s' could not be confirmed in time: "
                "it may be released once more",
                id_shown(l->id), l->id.at);
        wait_report(w, &why);
    }
}

static void forget_all(struct wait *w)
{
    for (size_t i = 0; i < w->lease_count; i++) {
        free((char *)w->leases[i].id.at);
    }
    w->lease_count = 0;
}

/* The store could not be told: give up on leases that have run out meanwhile. */
static void forget_expired(struct wait *w)
{
    size_t kept = 0;
    int64_t now = clock_now();
    for (size_t i = 0; i < w->lease_count; i++) {
        if (w->leases[i].until > now) {
            w->leases[kept++] = w->leases[i];
        } else {
            warn_unconfirmed(w, &w->leases[i]);
            free((char *)w->leases[i].id.at);
        }
    }
    w->lease_count = kept;
}

int wait_settle(struct wait *w, struct err *e)
{
    if (w->lease_count == 0) {
        return 0;
    }
    struct err why = {0};
    struct store_settlement *list = mem_new(w->lease_count, sizeof *list);
    for (size_t i = 0; i < w->lease_count; i++) {
        const struct wait_lease *l = &w->leases[i];
        list[i] = (struct store_settlement){
            .id = l->id, .lease = span_text(l->name), .verb = l->verb};
    }
    int rc = store_settle(w->store, list, w->lease_count, &why);
    if (rc < 0) {
        rc = wait_note_failure(w, &why, e);
        forget_expired(w);
    } else {
        note_answer(w);
        for (size_t i = 0; i < w->lease_count; i++) {
            if (!list[i].known) {
                warn_unconfirmed(w, &w->leases[i]);
            }
        }
        forget_all(w);
    }
    free(list);
    return rc;
}

/* ---- asking ---- */

/* How long the entry of Q is to live, for its lines' sake. */
static int64_t keep_time(const struct queue *q, int64_t now)
{
    int64_t last = q->last->deadline;
    if (last == CLOCK_NEVER || last - now > KEEP_LONGEST - KEEP_MARGIN) {
        return KEEP_LONGEST;
    }
    return (last > now ? last - now : 0) + KEEP_MARGIN;
}

/* Put Q into the call. An ask whose answer was lost keeps its number: the store knows it again. */
static void add_ask(struct wait *w, struct look *l, struct queue *q)
{
    size_t i = l->count++;
    size_t wanted = q->run;
    if (w->rules.buffer > 0 && wanted > w->rules.buffer) {
        wanted = w->rules.buffer;
    }
    if (wanted > STORE_WAITERS_MAX) {
        wanted = STORE_WAITERS_MAX;
    }
    q->ask = q->ask ? q->ask : ++w->asks;
    snprintf(l->names[i], sizeof l->names[i], "%s:%llu", w->run, (unsigned long long)q->ask);
    l->queues[i] = q;
    l->asks[i] = (struct store_ask){
        .id = q->node.id,
        .counter = q->first->demand.counter,
        .target = q->first->demand.target,
        .releasable = q->first->demand.releasable,
        .wanted = (int64_t)wanted,
        .lease = span_text(l->names[i]),
        .lease_time = w->rules.lease,
        .keep = keep_time(q, l->now),
    };
}

/* ---- what follows ---- */

/* Put the lines that grant I releases into the output; they stay held until they are flushed. */
static void put_released(struct wait *w, const struct look *l, size_t i)
{
    const struct store_grant *g = &l->grants[i];
    const struct waiter *one = l->queues[i]->first;
    for (int64_t k = 0; w->rules.out && k < g->granted; k++, one = one->next) {
        dress_line(w->rules.out, one->item, g->attributes, g->attribute_count, w->rules.replace);
        writer_put_byte(w->rules.out, '\n');
        writer_commit(w->rules.out);
    }
}

/* Read the answers: note leases, put out lines. */
static void read_answers(struct wait *w, struct look *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct store_grant *g = &l->grants[i];
        struct queue *q = l->queues[i];
        q->looked_at = l->now;
        q->ask = 0;
        q->seen = g->count;
        l->hopeless[i] =
            g->found && fail_on_met(w->rules.fail_on, w->rules.fail_on_count, g) != NULL;
        if (g->leased) {
            add_lease(w, &l->asks[i], l->hopeless[i] ? STORE_GIVE_BACK : STORE_CONFIRM);
        }
        if (!l->hopeless[i]) {
            put_released(w, l, i);
        }
    }
}

/* All lines of the queue of answer I fail. */
static void fail_queue(struct wait *w, const struct look *l, size_t i)
{
    struct queue *q = l->queues[i];
    const struct fail_on *met =
        fail_on_met(w->rules.fail_on, w->rules.fail_on_count, &l->grants[i]);
    err_set(&w->last, ERR_FAILED, "signal '%.*s' has failed: %.*s>=%lld", id_shown(q->node.id),
            q->node.id.at, (int)met->counter.len, met->counter.at, (long long)met->least);
    wait_report(w, &w->last);
    for (size_t left = q->count; left > 0; left--) {
        wait_put_line(w->rules.failure, q->first->raw);
        w->failed_on++;
        waiters_drop(&w->held, q);
    }
}

/* Let the released lines go, now that they have left. */
static void drop_released(struct wait *w, const struct look *l, size_t i)
{
    struct queue *q = l->queues[i];
    int64_t granted = l->grants[i].granted;
    bool emptied = (size_t)granted == q->count;
    for (int64_t k = 0; k < granted; k++) {
        waiters_drop(&w->held, q);
    }
    w->released += (uint64_t)granted;
    if (!emptied && granted == l->asks[i].wanted) {
        waiters_due(&w->held, q); /* perhaps the next ones may go too */
    }
}

/* The output does not take the lines: as if nothing had been asked. E is filled already. */
static int undo(struct wait *w)
{
    struct err ignored;
    for (size_t i = 0; i < w->lease_count; i++) {
        w->leases[i].verb = STORE_GIVE_BACK;
    }
    (void)wait_settle(w, &ignored); /* else they run out */
    return -1;
}

static int act(struct wait *w, struct look *l, struct err *e)
{
    note_answer(w);
    read_answers(w, l);
    if (w->rules.out && writer_flush(w->rules.out, e) < 0) {
        return undo(w);
    }
    for (size_t i = 0; i < l->count; i++) {
        if (l->hopeless[i]) {
            fail_queue(w, l, i);
        } else {
            drop_released(w, l, i);
        }
    }
    return wait_settle(w, e);
}

int wait_look(struct wait *w, struct err *e)
{
    struct look *l = mem_new(1, sizeof *l);
    struct queue *q;
    struct err why = {0};
    l->now = clock_now();
    while (l->count < LOOK_MAX && (q = waiters_next_due(&w->held)) != NULL) {
        add_ask(w, l, q);
    }
    int rc = store_take(w->store, l->asks, l->grants, l->count, &why);
    if (rc == 0) {
        rc = act(w, l, e);
    } else {
        rc = wait_note_failure(w, &why, e);
        for (size_t i = 0; i < l->count; i++) {
            waiters_due(&w->held, l->queues[i]);
        }
    }
    for (size_t i = 0; i < l->count; i++) {
        store_grant_release(&l->grants[i]);
    }
    free(l);
    return rc;
}
