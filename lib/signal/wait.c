#include "signal/wait_look.h"

#include "base/clock.h"
#include "signal/count.h"
#include "signal/line.h"
#include "signal/wait_arrive.h"
#include "signal/wait_lease.h"
#include "signal/wait_round.h"
#include "signal/wait_tell.h"

#include <poll.h>
#include <stdlib.h>

enum { READ_MAX = 256 }; /* lines read before other things get their turn */

void wait_init(struct wait *w, struct store *store, const struct wait_rules *rules)
{
    *w = (struct wait){.rules = *rules, .store = store, .stop = -1};
    waiters_init(&w->held, rules->folder, rules->memory);
    uuid_make(w->run);
}

void wait_release(struct wait *w)
{
    waiters_release(&w->held);
    buf_release(&w->id);
    buf_release(&w->counter);
    buf_release(&w->number);
    buf_release(&w->text);
    buf_release(&w->aside);
    buf_release(&w->unheld);
    wait_lease_forget_all(w);
    free(w->leases);
    *w = (struct wait){.stop = -1};
}

/* ---- lines in ---- */

/* Read lines as long as they are there. *MORE: stopped only to let other things have their turn. */
static int read_lines(struct wait *w, bool *more, struct err *e)
{
    *more = false;
    for (int i = 0; w->intake.in && i < READ_MAX; i++) {
        struct span item;
        enum intake_got got = intake_next(&w->intake, &item, e);
        if (got == INTAKE_NONE) {
            return 0;
        }
        if (got == INTAKE_END || got == INTAKE_FAILED) {
            w->intake.in = NULL;
            return got;
        }
        if (got == INTAKE_LINE && wait_arrive(w, item, e) < 0) {
            return -1;
        }
    }
    *more = w->intake.in != NULL;
    return 0;
}

/* Before sleeping: what is held is durable; and nothing is kept for long that is not. */
static int keep_spool(struct wait *w, struct err *e)
{
    struct spool *s = w->rules.spool;
    if (!s) {
        return 0;
    }
    if (w->held.count == 0 && w->lease_count == 0 && w->aside.len == 0) {
        return spool_clear(s, e);
    }
    return spool_flush(s, true, e) < 0 ? -1 : spool_tidy(s, e);
}

/* ---- time ---- */

/* Let a line go that was not released in time. */
static int expire(struct wait *w, struct waiter *x, struct err *e)
{
    const struct queue *q = x->queue;
    struct span counter = x->demand->demand.counter;
    struct span name = counter.len ? counter : SPAN_LIT("the total");
    err_set(&w->last, ERR_EXPIRED, "signal '%.*s' was not released in time: %.*s was %lld",
            id_shown(q->node.id), q->node.id.at, id_shown(name), name.at, (long long)q->seen);
    w->expired++;
    return wait_let_go(w, x, w->rules.expired, e);
}

static void look_at(void *context, struct waiter *x)
{
    if (x->queue->looked_at < x->deadline.at) {
        waiters_due(context, x->queue);
    }
}

/* Lines whose time is over get a last look; those that had it expire. */
static int expire_due(struct wait *w, struct err *e)
{
    int64_t now = clock_now();
    struct waiter *x;
    while ((x = waiters_next_expiring(&w->held)) != NULL && x->deadline.at <= now) {
        if (x->queue->looked_at < x->deadline.at || x->queue->due) {
            waiters_each_expired(&w->held, now, look_at, &w->held);
            return 0;
        }
        if (expire(w, x, e) < 0) {
            return -1;
        }
    }
    return 0;
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

/* In a pass: leave out the ids that are set aside. */
static void leave_aside(struct wait *w)
{
    struct queue *q = w->held.round;
    int64_t now = clock_real();
    for (size_t i = 0; i < w->held.ids.count; i++, q = q->after) {
        if (q->set_aside >= now) {
            waiters_not_due(&w->held, q);
        }
    }
}

/*
 * Do what there is to do with the store, if it is reachable. *BLOCKED: not before there is room.
 * Returns 0, 1 when told to stop, -1 with E filled.
 */
static int use_store(struct wait *w, bool *blocked, struct err *e)
{
    int64_t now = clock_now();
    *blocked = false;
    if (!w->rules.pass) {
        waiters_due_by(&w->held, now);
        wait_round(w);
    }
    if (!wants_store(w) || now < w->outage.retry_at) {
        return 0;
    }
    if (wait_lease_settle(w, e) < 0) {
        return -1;
    }
    *blocked = !can_write(w);
    if (*blocked || !w->held.first_due || clock_now() < w->outage.retry_at) {
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
    int64_t at = sooner(w->rules.pass ? CLOCK_NEVER : wait_round_at(w), store_wake(w->store).at);
    at = sooner(at, waiters_next_look(&w->held));
    const struct waiter *next = waiters_next_expiring(&w->held);
    if (next && next->deadline.at > clock_now()) {
        at = sooner(at, next->deadline.at);
    }
    if (outage_is_on(&w->outage)) {
        at = sooner(at, w->outage.retry_at);
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
        {.fd = w->stop, .events = POLLIN},
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
    struct writer *const list[] = {w->rules.expired, w->rules.failure, w->rules.duplicate};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i] && writer_flush(list[i], e) < 0) {
            return -1;
        }
    }
    return 0;
}

/* One turn of the loop up to the wait. Returns as use_store. */
static int turn(struct wait *w, bool *more, bool *blocked, struct err *e)
{
    int stopped = 0;
    if (read_lines(w, more, e) < 0 || (!w->rules.pass && listen(w, e) < 0)) {
        return -1;
    }
    if (w->rules.pass && w->intake.in) {
        return 0; /* the whole input first */
    }
    if (w->rules.pass) {
        leave_aside(w);
    }
    stopped = use_store(w, blocked, e);
    if (stopped < 0) {
        return -1;
    }
    const struct waiter *next = waiters_next_expiring(&w->held);
    if (!outage_is_on(&w->outage)) {
        if (!w->rules.pass && expire_due(w, e) < 0) {
            return -1;
        }
    } else if (w->rules.impatient && next && next->deadline.at <= clock_now()) {
        *e = w->why;
        return -1;
    }
    if (flush_side(w, e) < 0) {
        return -1;
    }
    return stopped;
}

/* Is there nothing more to do? */
static bool is_over(const struct wait *w)
{
    if (w->intake.in || w->lease_count > 0) {
        return false;
    }
    return w->held.count == 0 || (w->rules.pass && w->held.first_due == NULL);
}

static int run(struct wait *w, const struct wait_watch *watch, struct err *e)
{
    bool more = false, blocked = false;
    for (;;) {
        int rc = turn(w, &more, &blocked, e);
        if (rc != 0) {
            return rc;
        }
        if (!(more && w->rules.pass) && keep_spool(w, e) < 0) {
            return -1;
        }
        if (is_over(w)) {
            return 0;
        }
        if (sleep_until(w, watch, more ? 0 : next_time(w, blocked), blocked)) {
            return 1;
        }
    }
}

int wait_run(struct wait *w, struct lines_in *in, const struct wait_watch *watch, struct err *e)
{
    struct err why = {0};
    w->intake = (struct intake){.in = in};
    w->stop = watch ? watch->stop : -1;
    store_stop_at(w->store, w->stop);
    if (w->rules.out) {
        w->rules.out->held = true; /* it is written where leases are looked after */
    }
    if (wait_recall(w, e) < 0) {
        return -1;
    }
    w->recalled = true;
    if (!w->rules.pass && store_watch(w->store, &why) < 0 && wait_note_failure(w, &why, e) < 0) {
        return -1;
    }
    int rc = run(w, watch, e);
    if (rc > 0) {
        (void)wait_lease_settle(w, &why); /* what cannot be told now runs out */
    }
    wait_tell_end(w);
    if (w->rules.out) {
        w->rules.out->held = false;
    }
    return rc;
}

/* ---- what is left ---- */

/* X for the next pass: when it came, and whether its id is set aside. */
static int put_for_next_pass(struct wait *w, struct waiter *x, struct writer *out, struct err *e)
{
    char start[LINE_STAMP_MAX], until[LINE_STAMP_MAX];
    int64_t now = clock_real() / CLOCK_MILLI;
    struct queue *q = x->queue;
    struct buf line = {0};
    struct span item;
    if (q->set_aside == 0 && w->rules.penalty > 0 && q->looked_at && !q->moved) {
        q->set_aside = clock_after(now * CLOCK_MILLI, w->rules.penalty);
    }
    struct edit edits[] = {
        {EDIT_ADD, LINE_START, line_stamp(now, start)},
        {q->set_aside / CLOCK_MILLI > now ? EDIT_SET : EDIT_DROP, LINE_PENALTY,
         line_stamp(q->set_aside / CLOCK_MILLI, until)},
    };
    int rc = waiters_text(&w->held, x, false, &w->text, &item, e);
    if (rc == 0) {
        line_edit(&line, item, edits, 2);
        line_put(out, buf_span(&line));
    }
    buf_release(&line);
    return rc;
}

/* Write X as it came. 0, or -1 with E filled. */
static int put_as_it_came(struct wait *w, struct waiter *x, struct writer *out, struct err *e)
{
    struct span line;
    if (w->rules.spool && spool_has(w->rules.spool, waiter_number(x))) {
        return 0;
    }
    int rc = waiters_text(&w->held, x, true, &w->text, &line, e);
    if (rc == 0) {
        line_put(out, line);
    }
    return rc;
}

int wait_put_held(struct wait *w, struct writer *out, struct err *e)
{
    struct waiter **list = waiters_list(&w->held);
    size_t count = w->held.count;
    struct err late = {0};
    int rc = 0;
    if (w->rules.spool && spool_flush(w->rules.spool, true, NULL) < 0) {
        spool_discard(w->rules.spool); /* those lines are written here */
    }
    for (size_t i = 0; i < count; i++) {
        if ((w->rules.pass ? put_for_next_pass : put_as_it_came)(w, list[i], out, &late) < 0) {
            *e = late;
            rc = -1;
        }
    }
    if (w->unheld.len > 0) {
        line_put(out, buf_span(&w->unheld));
    }
    free(list);
    return rc;
}

int wait_kept(struct wait *w, struct err *e)
{
    struct spool *s = w->rules.spool;
    uint64_t number;
    for (size_t i = 0; i < w->aside.len; i += sizeof number) {
        memcpy(&number, w->aside.at + i, sizeof number);
        spool_gone(s, number);
    }
    buf_reset(&w->aside);
    return w->recalled ? keep_spool(w, e) : 0;
}
