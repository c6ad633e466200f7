#include "signal/wait_arrive.h"

#include "base/clock.h"
#include "signal/count.h"
#include "signal/line.h"
#include "signal/wait_lease.h"
#include "signal/wait_look.h"

#include <stdlib.h>

/* ---- what a line asks ---- */

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

static int eval_demand(struct wait *w, struct span item, struct demand *demand, struct err *e)
{
    const struct wait_rules *r = &w->rules;
    buf_reset(&w->counter);
    if ((r->counter && attr_eval(r->counter, item, &w->counter, NULL, e) < 0) ||
        eval_target(w, item, &demand->target, e) < 0 ||
        eval_number(w, r->releasable, item, "releasable count", STORE_RELEASABLE_MAX,
                    &demand->releasable, e) < 0) {
        return -1;
    }
    if (r->once && (demand->target == 0 || demand->releasable == 0)) {
        return err_set(e, ERR_DATA, "with a %s of 0 nothing is released only once",
                       demand->target == 0 ? "target" : "releasable count");
    }
    demand->counter = buf_span(&w->counter);
    return 0;
}

/* A time in ms that ITEM has from an earlier pass. *FOUND: it has one. 0, or -1 with E filled. */
static int read_stamp(struct wait *w, struct span item, struct span name, int64_t *out, bool *found,
                      struct err *e)
{
    buf_reset(&w->number);
    *found = line_attribute(item, name, &w->number);
    return *found ? count_read(buf_span(&w->number), name.at, INT64_MIN, INT64_MAX, out, e) : 0;
}

/* MILLIS within what can be computed with as nanoseconds, which is further away than anybody waits.
 */
static int64_t bounded(int64_t millis)
{
    const int64_t most = INT64_MAX / CLOCK_MILLI / 4;
    return millis < -most ? -most : millis > most ? most : millis;
}

/*
 * How far the real clock is ahead of the monotonic one.  Always the same, so that lines expire in
 * the order in which they began to wait, unless somebody sets the clock.
 */
static int64_t clock_lead(struct wait *w)
{
    int64_t lead = clock_real() - clock_now();
    if (llabs(lead - w->clock_lead) > CLOCK_SECOND) {
        w->clock_lead = lead;
    }
    return w->clock_lead;
}

/*
 * When a line that began to wait at START (ms since 1970), or now where that is 0, expires, on the
 * monotonic clock; 0 if that is over.
 */
static int64_t deadline_of(struct wait *w, int64_t start)
{
    int64_t now = clock_now();
    if (w->rules.expire < 0) {
        return CLOCK_NEVER;
    }
    if (start == 0) {
        return clock_after(now, w->rules.expire);
    }
    int64_t begin = bounded(start) * CLOCK_MILLI - clock_lead(w);
    int64_t end = begin + bounded(w->rules.expire / CLOCK_MILLI) * CLOCK_MILLI;
    return now - end >= CLOCK_MILLI ? 0 : end;
}

/* The line in A expired before it came. */
static void expire_arrival(struct wait *w, const struct arrival *a)
{
    buf_reset(&w->text);
    line_unmark(&w->text, a->item);
    err_set(&w->last, ERR_EXPIRED, "signal '%.*s' was not released in time", id_shown(a->id),
            a->id.at);
    line_put(w->rules.expired, buf_span(&w->text));
    w->expired++;
}

/* Hold the line in A, which began to wait at START; 0: now. */
static int hold(struct wait *w, struct arrival *a, int64_t start, int64_t penalty, struct err *e)
{
    int64_t now = clock_real() / CLOCK_MILLI;
    a->deadline = deadline_of(w, start);
    struct waiter *x = waiters_add(&w->held, a, e);
    if (!x) {
        return -1;
    }
    if (bounded(penalty) * CLOCK_MILLI > x->queue->set_aside) {
        x->queue->set_aside = bounded(penalty) * CLOCK_MILLI;
    }
    x->queue->budget = w->rules.buffer ? w->rules.buffer : SIZE_MAX;
    if (w->rules.spool) {
        spool_hold(w->rules.spool, waiter_number(x), start ? start : now, a->raw);
    }
    return 0;
}

/* Hold a line, or let it expire. ITEM fails with E filled and *FATAL false. */
static int take_line(struct wait *w, struct span id, struct span item, struct span raw, bool *fatal,
                     struct err *e)
{
    struct arrival a = {.id = id, .item = item, .raw = raw};
    int64_t start = 0, penalty = 0;
    bool started, penalised;
    *fatal = false;
    if (read_stamp(w, item, LINE_START, &start, &started, e) < 0 ||
        read_stamp(w, item, LINE_PENALTY, &penalty, &penalised, e) < 0 ||
        eval_demand(w, item, &a.demand, e) < 0) {
        return -1;
    }
    a.marked = started || penalised;
    if (started && deadline_of(w, start) == 0) {
        expire_arrival(w, &a);
        return 0;
    }
    *fatal = true;
    return hold(w, &a, started ? start : 0, penalty, e);
}

int wait_hold(struct wait *w, struct span id, struct span item, struct err *e)
{
    bool fatal;
    return take_line(w, id, item, item, &fatal, e);
}

static int hold_line(struct wait *w, struct span item, struct span raw, bool *fatal, struct err *e)
{
    *fatal = false;
    if (attr_eval(w->rules.id, item, &w->id, NULL, e) < 0) {
        return -1;
    }
    if (id_is_blank(buf_span(&w->id))) {
        return err_set(e, ERR_DATA, "the id of the signal is blank");
    }
    return take_line(w, buf_span(&w->id), item, raw, fatal, e);
}

/* A line that cannot wait, as WHY says. */
static void refuse_line(struct wait *w, struct span item, struct span raw, const struct err *why)
{
    struct buf ignored = {0};
    bool marked =
        line_attribute(item, LINE_START, &ignored) || line_attribute(item, LINE_PENALTY, &ignored);
    w->last = *why;
    wait_report(w, why);
    buf_reset(&w->text);
    line_unmark(&w->text, item);
    line_put(w->rules.failure, marked ? buf_span(&w->text) : raw);
    w->failed++;
    buf_release(&ignored);
}

int wait_arrive(struct wait *w, struct span item, struct err *e)
{
    struct err why = {0};
    struct span raw = w->intake.in->raw;
    bool fatal;
    if (hold_line(w, item, raw, &fatal, &why) == 0) {
        return 0;
    }
    if (fatal) {
        buf_add_span(&w->unheld, raw);
        *e = why;
        return -1;
    }
    lines_position(w->intake.in, 1, &why);
    refuse_line(w, item, raw, &why);
    return 0;
}

/* ---- lines of an earlier process ---- */

/* The compact form of LINE, which is valid. */
static void compact(struct span line, struct buf *out)
{
    struct scan scan;
    scan_init(&scan, SCAN_DEPTH_ANY);
    size_t len = 0;
    (void)scan_compact(&scan, line.at, line.len, buf_room(out, line.len), &len);
    out->len = len;
    scan_release(&scan);
}

static int hold_again(void *context, uint64_t number, int64_t start, struct span line,
                      struct err *e)
{
    struct wait *w = context;
    struct spool *spool = w->rules.spool;
    struct buf item = {0};
    struct arrival a = {.raw = line};
    struct err why = {0};
    int rc = 0;
    w->rules.spool = NULL; /* it is in there already */
    compact(line, &item);
    a.item = buf_span(&item);
    if (attr_eval(w->rules.id, a.item, &w->id, NULL, &why) < 0 ||
        eval_demand(w, a.item, &a.demand, &why) < 0) { /* it was held under other rules */
        refuse_line(w, a.item, line, &why);
        if (w->rules.late) {
            buf_add(&w->aside, (const char *)&number, sizeof number);
        } else {
            spool_gone(spool, number);
        }
    } else {
        a.id = buf_span(&w->id);
        w->held.numbers = number - 1;
        rc = hold(w, &a, start, 0, e);
    }
    w->rules.spool = spool;
    buf_release(&item);
    return rc;
}

static void recall(void *context, struct span id, struct span lease)
{
    wait_lease_recall(context, id, lease);
}

int wait_recall(struct wait *w, struct err *e)
{
    struct spool_story story = {hold_again, recall, w};
    return w->rules.spool ? spool_read(w->rules.spool, &story, e) : 0;
}
