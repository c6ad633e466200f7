#include "signal/timers.h"

#include "base/mem.h"

#include <stdlib.h>

static bool sooner(const struct timer *a, const struct timer *b)
{
    return a->at != b->at ? a->at < b->at : a->number < b->number;
}

/* T stands at PLACE, from 1 on. */
static void put_at(struct timers *h, struct timer *t, size_t place)
{
    h->list[place - 1] = t;
    t->place = (uint32_t)place;
}

static void rise(struct timers *h, struct timer *t)
{
    size_t place = t->place;
    while (place > 1 && sooner(t, h->list[place / 2 - 1])) {
        put_at(h, h->list[place / 2 - 1], place);
        place /= 2;
    }
    put_at(h, t, place);
}

static void sink(struct timers *h, struct timer *t)
{
    size_t place = t->place;
    for (;;) {
        size_t child = 2 * place;
        if (child < h->count && sooner(h->list[child], h->list[child - 1])) {
            child++;
        }
        if (child > h->count || !sooner(h->list[child - 1], t)) {
            break;
        }
        put_at(h, h->list[child - 1], place);
        place = child;
    }
    put_at(h, t, place);
}

void timers_set(struct timers *h, struct timer *t, int64_t at)
{
    t->at = at;
    if (!timer_is_set(t)) {
        h->list = mem_grow(h->list, &h->cap, h->count, sizeof *h->list);
        put_at(h, t, ++h->count);
    }
    rise(h, t);
    sink(h, t);
}

void timers_unset(struct timers *h, struct timer *t)
{
    if (!timer_is_set(t)) {
        return;
    }
    struct timer *last = h->list[--h->count];
    if (last != t) {
        put_at(h, last, t->place);
        rise(h, last);
        sink(h, last);
    }
    t->place = 0;
}

struct timer *timers_first(const struct timers *h)
{
    return h->count ? h->list[0] : NULL;
}

void timers_each_due(const struct timers *h, int64_t now,
                     void (*visit)(void *context, struct timer *t), void *context)
{
    size_t places[2 * 64]; /* to be seen: at most two of each level */
    size_t count = 0;
    places[count++] = 1;
    while (count > 0) {
        size_t place = places[--count];
        if (place <= h->count && h->list[place - 1]->at <= now) {
            visit(context, h->list[place - 1]);
            places[count++] = 2 * place;
            places[count++] = 2 * place + 1;
        }
    }
}

void timers_release(struct timers *h)
{
    free(h->list);
    *h = (struct timers){0};
}
