#include "signal/wait_look.h"

#include "base/clock.h"
#include "signal/count.h"

#include <poll.h>
#include <stdlib.h>

#define ROUND_PAUSE CLOCK_SECOND /* looks without being told */

enum {
    ROUND_MAX = 1000, /* queues of one such look */
    READ_MAX = 256    /* lines read before other things get their turn */
};

void wait_init(struct wait *w, struct store *store, const struct wait_rules *rules)
{
    *w = (struct wait){.rules = *rules, .store = store};
    uuid_make(w->run);
}

void wait_release(struct wait *w)
{
    waiters_release(&w->held);
    buf_release(&w->id);
    buf_release(&w->counter);
    buf_release(&w->number);
    for (size_t i = 0; i < w->lease_count; i++) {
        free((char *)w->leases[i].id.at);
    }
    free(w->leases);
    *w = (struct wait){0};
}

/* ---- lines in ---- */

/* The number that T gives for ITEM, 1 where there is no T. */
static int eval_number(struct wait *w, const struct attr_template *t, struct span item,
                       const char *what, int64_t max, int64_t *out, struct err *e)
{
    *out = 1;
    if (!t) {
        return 0;
    }
    if (attr_eval(t, item, &w->number, NULL, e) < 0) {
        return -1;
    }
    return count_read(buf_span(&w->number), what, 0, max, out, e);
}

static int eval_target(struct wait *w, struct span item, int64_t *out, struct err *e)
{
    struct err why = {0};
    int rc = eval_number(w, w->rules.target, item, "target", STORE_COUNT_MAX, out, &why);
    if (rc < 0 && span_equal(buf_span(&w->number), SPAN_LIT("stated"))) {
        *out = STORE_STATED_TARGET;
        return 0;
    }
    if (rc < 0) {
        *e = why;
    }
    return rc;
}

int wait_hold(struct wait *w, struct span id, struct span item, struct err *e)
{
    struct demand demand = {0};
    const struct wait_rules *r = &w->rules;
    buf_reset(&w->counter);
    if ((r->counter && attr_eval(r->counter, item, &w->counter, NULL, e) < 0) ||
        eval_target(w, item, &demand.target, e) < 0 ||
        eval_number(w, r->releasable, item, "releasable count", STORE_RELEASABLE_MAX,
                    &demand.releasable, e) < 0) {
        return -1;
    }
    demand.counter = buf_span(&w->counter);
    struct span raw = w->intake.in ? w->intake.in->raw : item;
    waiters_add(&w->held, id, &demand, item, raw, clock_after(clock_now(), r->expire));
    return 0;
}

static int hold_line(struct wait *w, struct span item, struct err *e)
{
    if (attr_eval(w->rules.id, item, &w->id, NULL, e) < 0) {
        return -1;
    }
    if (id_is_blank(buf_span(&w->id))) {
        return err_set(e, ERR_DATA, "the id of the signal is blank");
    }
    return wait_hold(w, buf_span(&w->id), item, e);
}

/* Read lines as long as they are there. *MORE: stopped only to let other things have their turn. */
static int read_lines(struct wait *w, bool *more, struct err *e)
{
    *more = false;
    for (int i = 0; w->intake.in && i < READ_MAX; i++) {
        struct span item;
        struct err why = {0};
        enum intake_got got = intake_next(&w->intake, &item, e);
        if (got == INTAKE_NONE) {
            return 0;
        }
        if (got == INTAKE_END || got == INTAKE_FAILED) {
            w->intake.in = NULL;
            return got;
        }
        if (hold_line(w, item, &why) < 0) {
            lines_position(w->intake.in, 1, &why);
            w->last = why;
            wait_report(w, &why);
            wait_put_line(w->rules.failure, w->intake.in->raw);
            w->failed++;
        }
    }
    *more = w->intake.in != NULL;
    return 0;
}

/* ---- time ---- */

/* Let a line go that was not released in time. */
static void expire(struct wait *w, struct queue *q)
{
    const struct waiter *one = q->first;
    struct span name = one->demand.counter.len ? one->demand.counter : SPAN_LIT("the total");
    err_set(&w->last, ERR_EXPIRED, "signal '%.*s' was not released in time: %.*s was %lld",
            id_shown(q->node.id), q->node.id.at, id_shown(name), name.at, (long long)q->seen);
    wait_put_line(w->rules.expired, one->raw);
    w->expired++;
    waiters_drop(&w->held, q);
}

/* Lines whose time is over get a last look; those that had it expire. */
static void expire_due(struct wait *w)
{
    int64_t now = clock_now();
    struct waiter *one = w->held.oldest;
    while (one && one->deadline <= now) {
        struct waiter *next = one->newer;
        if (one->queue->looked_at >= one->deadline && !one->queue->due) {
            expire(w, one->queue);
        } else {
            waiters_due(&w->held, one->queue);
        }
        one = next;
    }
}

/* ---- the loop ---- */

static void tell(void *context, struct span id)
{
    struct wait *w = context;
    struct queue *q = waiters_find(&w->held, id);
    if (q) {
        waiters_due(&w->held, q);
    }
}

/* Hear from the store which ids have changed. */
static int listen(struct wait *w, struct err *e)
{
    struct err why = {0};
    int rc = store_changed(w->store, tell, w, &why);
    if (rc < 0 && why.code != ERR_LATER) {
        *e = why;
        return -1;
    }
    if (rc != 0) { /* all may have changed, or the ear is gone: looking shows what is the matter */
        waiters_round(&w->held, SIZE_MAX);
    }
    return 0;
}

/* Is there room in the output? A line is taken from the store only when it can leave. */
static bool can_write(const struct wait *w)
{
    struct pollfd p = {.fd = w->rules.out ? w->rules.out->fd : -1, .events = POLLOUT};
    return p.fd < 0 || poll(&p, 1, 0) != 0;
}

static bool wants_store(const struct wait *w)
{
    return w->held.first_due != NULL || w->lease_count > 0;
}

/* Do what there is to do with the store, if it is reachable. *BLOCKED: not before there is room. */
static int use_store(struct wait *w, bool *blocked, struct err *e)
{
    int64_t now = clock_now();
    *blocked = false;
    if (now >= w->round_at) {
        waiters_round(&w->held, ROUND_MAX);
        w->round_at = clock_after(now, ROUND_PAUSE);
    }
    if (!wants_store(w) || (w->down && now < w->retry_at)) {
        return 0;
    }
    if (wait_settle(w, e) < 0) {
        return -1;
    }
    *blocked = !can_write(w);
    if (*blocked || !w->held.first_due || (w->down && clock_now() < w->retry_at)) {
        return 0;
    }
    return wait_look(w, e);
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When there is something to do in any case. */
static int64_t next_time(const struct wait *w, bool blocked)
{
    if (w->held.count == 0 && w->lease_count == 0) {
        return CLOCK_NEVER;
    }
    int64_t at = sooner(w->round_at, store_wake(w->store).at);
    if (w->held.oldest && w->held.oldest->deadline > clock_now()) {
        at = sooner(at, w->held.oldest->deadline);
    }
    if (w->down) {
        at = sooner(at, w->retry_at);
    } else if (wants_store(w) && !blocked) {
        at = 0;
    }
    return at;
}

/* Wait for something to happen, at most until AT. Returns true when told to stop. */
static bool sleep_until(const struct wait *w, const struct wait_watch *watch, int64_t at,
                        bool blocked)
{
    if (watch && watch->look) {
        at = sooner(at, watch->look(watch->context, w->released));
    }
    struct pollfd p[] = {
        {.fd = watch ? watch->stop : -1, .events = POLLIN},
        {.fd = watch ? watch->other : -1, .events = POLLIN},
        {.fd = store_wake(w->store).fd, .events = POLLIN},
        {.fd = w->intake.in ? w->intake.in->reader->fd : -1, .events = POLLIN},
        {.fd = blocked ? w->rules.out->fd : -1, .events = POLLOUT},
    };
    (void)poll(p, sizeof p / sizeof *p, clock_poll(at));
    return p[0].revents != 0;
}

/* What was put aside is not kept from those who read it. */
static int flush_side(struct wait *w, struct err *e)
{
    if (w->rules.expired && writer_flush(w->rules.expired, e) < 0) {
        return -1;
    }
    return w->rules.failure ? writer_flush(w->rules.failure, e) : 0;
}

/* One turn of the loop up to the wait. */
static int turn(struct wait *w, bool *more, bool *blocked, struct err *e)
{
    if (read_lines(w, more, e) < 0 || listen(w, e) < 0 || use_store(w, blocked, e) < 0) {
        return -1;
    }
    if (!w->down) {
        expire_due(w);
    } else if (w->rules.impatient && w->held.oldest && w->held.oldest->deadline <= clock_now()) {
        *e = w->why;
        return -1;
    }
    return flush_side(w, e);
}

int wait_run(struct wait *w, struct lines_in *in, const struct wait_watch *watch, struct err *e)
{
    struct err why = {0};
    bool more = false;
    bool blocked = false;
    w->intake = (struct intake){.in = in};
    if (store_watch(w->store, &why) < 0 && wait_note_failure(w, &why, e) < 0) {
        return -1;
    }
    for (;;) {
        if (turn(w, &more, &blocked, e) < 0) {
            return -1;
        }
        if (!w->intake.in && w->held.count == 0 && w->lease_count == 0) {
            return 0;
        }
        if (sleep_until(w, watch, more ? 0 : next_time(w, blocked), blocked)) {
            return 1;
        }
    }
}

void wait_put_held(struct wait *w, struct writer *out)
{
    while (w->held.oldest) {
        wait_put_line(out, w->held.oldest->raw);
        waiters_drop(&w->held, w->held.oldest->queue);
    }
}
