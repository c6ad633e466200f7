#include "signal/waiters.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stddef.h>
#include <stdlib.h>

void waiters_init(struct waiters *w, const char *folder, uint64_t memory)
{
    *w = (struct waiters){0};
    shelf_init(&w->shelf, folder, memory);
}

/* ---- demands ---- */

static struct shared_demand *share_demand(struct waiters *w, const struct demand *d)
{
    struct buf key = {0};
    buf_add_i64(&key, d->target);
    buf_add_byte(&key, ' ');
    buf_add_i64(&key, d->releasable);
    buf_add_byte(&key, ' ');
    size_t head = key.len;
    buf_add_span(&key, d->counter);
    struct shared_demand *s = (struct shared_demand *)ids_find(&w->demands, buf_span(&key));
    if (!s) {
        s = mem_new(1, sizeof *s);
        ids_add(&w->demands, &s->node, buf_span(&key));
        s->demand = *d;
        s->demand.counter = span_of(s->node.id.at + head, d->counter.len);
    }
    s->lines++;
    buf_release(&key);
    return s;
}

static void unshare_demand(struct waiters *w, struct shared_demand *s)
{
    if (--s->lines == 0) {
        ids_remove(&w->demands, &s->node);
        free(s);
    }
}

/* ---- times ---- */

static struct waiter *waiter_of(struct timer *t)
{
    return (struct waiter *)((char *)t - offsetof(struct waiter, deadline));
}

struct waiter *waiters_next_expiring(const struct waiters *w)
{
    struct timer *t = timers_first(&w->deadlines);
    return t ? waiter_of(t) : NULL;
}

/* The caller of waiters_each_expired. */
struct visitor {
    void (*visit)(void *context, struct waiter *x);
    void *context;
};

static void visit_waiter(void *context, struct timer *t)
{
    const struct visitor *v = context;
    v->visit(v->context, waiter_of(t));
}

void waiters_each_expired(const struct waiters *w, int64_t now,
                          void (*visit)(void *context, struct waiter *x), void *context)
{
    struct visitor v = {visit, context};
    timers_each_due(&w->deadlines, now, visit_waiter, &v);
}

void waiters_look_at(struct waiters *w, struct queue *q, int64_t at)
{
    if (at == CLOCK_NEVER) {
        timers_unset(&w->looks, &q->look);
    } else {
        timers_set(&w->looks, &q->look, at);
    }
}

int64_t waiters_next_look(const struct waiters *w)
{
    const struct timer *t = timers_first(&w->looks);
    return t ? t->at : CLOCK_NEVER;
}

void waiters_due_by(struct waiters *w, int64_t now)
{
    struct timer *t;
    while ((t = timers_first(&w->looks)) != NULL && t->at <= now) {
        timers_unset(&w->looks, t);
        waiters_due(w, (struct queue *)((char *)t - offsetof(struct queue, look)));
    }
}

/* ---- queues ---- */

struct queue *waiters_find(const struct waiters *w, struct span id)
{
    return (struct queue *)ids_find(&w->ids, id);
}

static struct queue *make_queue(struct waiters *w, struct span id)
{
    struct queue *q = mem_new(1, sizeof *q);
    ids_add(&w->ids, &q->node, id);
    q->since = clock_real();
    w->untold++;
    if (!w->round) {
        w->round = q->before = q->after = q;
    } else {
        q->after = w->round;
        q->before = w->round->before;
        q->before->after = q->after->before = q;
    }
    return q;
}

void waiters_due(struct waiters *w, struct queue *q)
{
    if (q->due) {
        return;
    }
    q->due = true;
    q->next_due = NULL;
    q->last_due = w->last_due;
    if (w->last_due) {
        w->last_due->next_due = q;
    } else {
        w->first_due = q;
    }
    w->last_due = q;
}

void waiters_not_due(struct waiters *w, struct queue *q)
{
    if (!q->due) {
        return;
    }
    if (q->last_due) {
        q->last_due->next_due = q->next_due;
    } else {
        w->first_due = q->next_due;
    }
    if (q->next_due) {
        q->next_due->last_due = q->last_due;
    } else {
        w->last_due = q->last_due;
    }
    q->due = false;
}

struct queue *waiters_next_due(struct waiters *w)
{
    struct queue *q = w->first_due;
    if (q) {
        waiters_not_due(w, q);
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

void waiters_told(struct waiters *w, struct queue *q, int64_t at)
{
    w->untold = w->untold + (at == 0) - (q->told_at == 0);
    q->told_at = at;
}

size_t waiters_run(struct queue *q)
{
    if (q->run == 0) {
        for (const struct waiter *at = q->first; at && at->demand == q->first->demand;
             at = at->after) {
            q->run++;
        }
    }
    return q->run;
}

static void drop_queue(struct waiters *w, struct queue *q)
{
    waiters_not_due(w, q);
    timers_unset(&w->looks, &q->look);
    w->untold -= q->told_at == 0;
    if (w->round == q) {
        w->round = q->after == q ? NULL : q->after;
    }
    q->before->after = q->after;
    q->after->before = q->before;
    if (q->told_at) {
        buf_add(&w->told_of, (const char *)&q->node.id.len, sizeof q->node.id.len);
        buf_add_span(&w->told_of, q->node.id);
    }
    ids_remove(&w->ids, &q->node);
    free(q);
}

/* ---- lines ---- */

/* A waiter with the bytes of A, or with their place in the file. */
static struct waiter *make_waiter(struct waiters *w, const struct arrival *a, struct err *e)
{
    struct span raw = a->raw.at != a->item.at ? a->raw : (struct span){0};
    size_t len = a->item.len + raw.len;
    bool in_file = !shelf_has_room(&w->shelf, len);
    uint64_t offset = 0;
    if (in_file && shelf_put(&w->shelf, a->item, raw, &offset, e) < 0) {
        return NULL;
    }
    struct waiter *x = mem_resize(NULL, sizeof *x + (in_file ? 0 : len), 1);
    *x = (struct waiter){.item_len = a->item.len,
                         .raw_len = raw.len,
                         .deadline.at = a->deadline,
                         .offset = offset,
                         .in_file = in_file,
                         .marked = a->marked};
    if (!in_file) {
        memcpy(x->bytes, a->item.at, a->item.len);
        if (raw.len > 0) {
            memcpy(x->bytes + a->item.len, raw.at, raw.len);
        }
    }
    return x;
}

static void append(struct queue *q, struct waiter *x)
{
    if (q->run == q->count && (!q->last || q->last->demand == x->demand)) {
        q->run++;
    }
    x->queue = q;
    x->before = q->last;
    if (q->last) {
        q->last->after = x;
    } else {
        q->first = x;
    }
    q->last = x;
    q->count++;
}

struct waiter *waiters_add(struct waiters *w, const struct arrival *a, struct err *e)
{
    struct waiter *x = make_waiter(w, a, e);
    if (!x) {
        return NULL;
    }
    struct queue *q = waiters_find(w, a->id);
    x->deadline.number = ++w->numbers;
    x->demand = share_demand(w, &a->demand);
    append(q ? q : (q = make_queue(w, a->id)), x);
    if (a->deadline != CLOCK_NEVER) {
        timers_set(&w->deadlines, &x->deadline, a->deadline);
    }
    w->count++;
    if (q->count == 1) { /* else those before it wait, and so does it */
        waiters_due(w, q);
    }
    return x;
}

int waiters_text(const struct waiters *w, const struct waiter *x, bool raw, struct buf *scratch,
                 struct span *out, struct err *e)
{
    size_t start = raw && x->raw_len ? x->item_len : 0;
    size_t len = raw && x->raw_len ? x->raw_len : x->item_len;
    if (!x->in_file) {
        *out = span_of(x->bytes + start, len);
        return 0;
    }
    if (shelf_get(&w->shelf, x->offset + start, len, scratch, e) < 0) {
        return -1;
    }
    *out = buf_span(scratch);
    return 0;
}

static void unlink_waiter(struct queue *q, struct waiter *x)
{
    if (x == q->first) {
        q->run -= q->run > 0;
    } else {
        q->run = 0; /* it may have stood among them */
    }
    if (x->before) {
        x->before->after = x->after;
    } else {
        q->first = x->after;
    }
    if (x->after) {
        x->after->before = x->before;
    } else {
        q->last = x->before;
    }
    q->count--;
}

/* Write the lines in the file anew, one behind the other. What cannot be read stays where it is. */
static void tidy(struct waiters *w)
{
    struct shelf fresh;
    struct buf scratch = {0};
    struct waiter **list = waiters_list(w);
    uint64_t *offsets = mem_new(w->count, sizeof *offsets);
    struct err ignored;
    bool fine = true;
    shelf_init(&fresh, w->shelf.folder, w->shelf.limit);
    fresh.in_memory = w->shelf.in_memory;
    for (size_t i = 0; i < w->count && fine; i++) {
        const struct waiter *x = list[i];
        fine =
            !x->in_file ||
            (shelf_get(&w->shelf, x->offset, x->item_len + x->raw_len, &scratch, &ignored) == 0 &&
             shelf_put(&fresh, buf_span(&scratch), (struct span){0}, &offsets[i], &ignored) == 0);
    }
    for (size_t i = 0; i < w->count && fine; i++) {
        list[i]->offset = offsets[i];
    }
    shelf_release(fine ? &w->shelf : &fresh);
    if (fine) {
        w->shelf = fresh;
    }
    free(list);
    free(offsets);
    buf_release(&scratch);
}

void waiters_drop(struct waiters *w, struct waiter *x)
{
    struct queue *q = x->queue;
    size_t len = x->item_len + x->raw_len;
    timers_unset(&w->deadlines, &x->deadline);
    unlink_waiter(q, x);
    unshare_demand(w, x->demand);
    bool in_file = x->in_file;
    free(x);
    w->count--;
    if (!q->first) {
        drop_queue(w, q);
    }
    if (!in_file) {
        shelf_left_memory(&w->shelf, len);
        return;
    }
    shelf_drop(&w->shelf, len);
    if (shelf_is_wasteful(&w->shelf)) {
        tidy(w);
    }
}

static int by_number(const void *a, const void *b)
{
    const struct waiter *const *x = a;
    const struct waiter *const *y = b;
    uint64_t a_number = waiter_number(*x), b_number = waiter_number(*y);
    return (a_number > b_number) - (a_number < b_number);
}

struct waiter **waiters_list(const struct waiters *w)
{
    struct waiter **list = mem_new(w->count, sizeof *list);
    size_t n = 0;
    const struct queue *q = w->round;
    for (size_t i = 0; i < w->ids.count; i++, q = q->after) {
        for (struct waiter *x = q->first; x; x = x->after) {
            list[n++] = x;
        }
    }
    if (n > 1) {
        qsort(list, n, sizeof *list, by_number);
    }
    return list;
}

void waiters_release(struct waiters *w)
{
    while (w->round) {
        struct queue *q = w->round;
        while (q->count > 1) {
            waiters_drop(w, q->first);
        }
        waiters_drop(w, q->first);
    }
    ids_release(&w->ids);
    ids_release(&w->demands);
    timers_release(&w->deadlines);
    timers_release(&w->looks);
    buf_release(&w->told_of);
    shelf_release(&w->shelf);
    *w = (struct waiters){0};
    w->shelf.fd = -1;
}
