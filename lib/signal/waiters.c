#include "signal/waiters.h"

#include "base/mem.h"

#include <stdlib.h>

static bool same_demand(const struct demand *a, const struct demand *b)
{
    return a->target == b->target && a->releasable == b->releasable &&
           span_equal(a->counter, b->counter);
}

/* Copy S to *AT, which moves on. */
static struct span put(char **at, struct span s)
{
    struct span copy = span_of(*at, s.len);
    if (s.len > 0) {
        memcpy(*at, s.at, s.len);
    }
    *at += s.len;
    return copy;
}

static struct waiter *make_waiter(const struct demand *demand, struct span item, struct span raw)
{
    bool differ = raw.at != item.at;
    size_t bytes = demand->counter.len + item.len + (differ ? raw.len : 0);
    struct waiter *w = mem_new(1, sizeof *w + bytes);
    char *at = (char *)(w + 1);
    w->demand = *demand;
    w->demand.counter = put(&at, demand->counter);
    w->item = put(&at, item);
    w->raw = differ ? put(&at, raw) : w->item;
    return w;
}

struct queue *waiters_find(const struct waiters *w, struct span id)
{
    return (struct queue *)ids_find(&w->ids, id);
}

static struct queue *make_queue(struct waiters *w, struct span id)
{
    struct queue *q = mem_new(1, sizeof *q);
    ids_add(&w->ids, &q->node, id);
    if (!w->round) {
        w->round = q->before = q->after = q;
    } else {
        q->after = w->round;
        q->before = w->round->before;
        q->before->after = q->after->before = q;
    }
    return q;
}

void waiters_add(struct waiters *w, struct span id, const struct demand *demand, struct span item,
                 struct span raw, int64_t deadline)
{
    struct queue *q = waiters_find(w, id);
    q = q ? q : make_queue(w, id);
    struct waiter *one = make_waiter(demand, item, raw);
    one->queue = q;
    one->deadline = deadline;
    if (q->run == q->count && (!q->last || same_demand(&q->last->demand, demand))) {
        q->run++;
    }
    if (q->last) {
        q->last->next = one;
    } else {
        q->first = one;
    }
    q->last = one;
    q->count++;
    one->older = w->newest;
    if (w->newest) {
        w->newest->newer = one;
    } else {
        w->oldest = one;
    }
    w->newest = one;
    w->count++;
    waiters_due(w, q);
}

void waiters_due(struct waiters *w, struct queue *q)
{
    if (q->due) {
        return;
    }
    q->due = true;
    q->next_due = NULL;
    if (w->last_due) {
        w->last_due->next_due = q;
    } else {
        w->first_due = q;
    }
    w->last_due = q;
}

struct queue *waiters_next_due(struct waiters *w)
{
    struct queue *q = w->first_due;
    if (q) {
        w->first_due = q->next_due;
        w->last_due = w->first_due ? w->last_due : NULL;
        q->due = false;
    }
    return q;
}

void waiters_round(struct waiters *w, size_t n)
{
    for (size_t i = 0; i < n && i < w->ids.count; i++) {
        waiters_due(w, w->round);
        w->round = w->round->after;
    }
}

/* Take a queue that has become empty out of everything. */
static void drop_queue(struct waiters *w, struct queue *q)
{
    struct queue **at = &w->first_due;
    struct queue *before = NULL;
    while (q->due && *at != q) {
        before = *at;
        at = &(*at)->next_due;
    }
    if (q->due) {
        *at = q->next_due;
        w->last_due = w->last_due == q ? before : w->last_due;
    }
    if (w->round == q) {
        w->round = q->after == q ? NULL : q->after;
    }
    q->before->after = q->after;
    q->after->before = q->before;
    ids_remove(&w->ids, &q->node);
    free(q);
}

/* How many lines at the front of Q ask the same. */
static size_t count_run(const struct queue *q)
{
    size_t n = 0;
    for (struct waiter *at = q->first; at && same_demand(&at->demand, &q->first->demand);
         at = at->next) {
        n++;
    }
    return n;
}

void waiters_drop(struct waiters *w, struct queue *q)
{
    struct waiter *one = q->first;
    if (one->older) {
        one->older->newer = one->newer;
    } else {
        w->oldest = one->newer;
    }
    if (one->newer) {
        one->newer->older = one->older;
    } else {
        w->newest = one->older;
    }
    q->first = one->next;
    q->last = q->first ? q->last : NULL;
    q->count--;
    q->run--;
    w->count--;
    free(one);
    if (!q->first) {
        drop_queue(w, q);
    } else if (q->run == 0) {
        q->run = count_run(q);
    }
}

void waiters_release(struct waiters *w)
{
    while (w->oldest) {
        waiters_drop(w, w->oldest->queue);
    }
    ids_release(&w->ids);
    *w = (struct waiters){0};
}
