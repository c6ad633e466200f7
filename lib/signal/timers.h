/*
 * timers.h: things to be done at a time, the soonest first.
 *
 * A timer lies in what it is for; the heap owns only its list.  Zero-initialised both are empty.
 *
 * Inside the room signal only.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_TIMERS_H
#define FANLINE_SIGNAL_TIMERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer {
    int64_t at;      /* clock_now */
    uint64_t number; /* of two at the same time the smaller one comes first */
    uint32_t place;  /* in the heap, from 1 on; 0: it is not set */
};

struct timers {
    struct timer **list; /* the first is the soonest */
    size_t count, cap;
};

static inline bool timer_is_set(const struct timer *t)
{
    return t->place != 0;
}

/* Set T, which may be set already, to AT. */
void timers_set(struct timers *h, struct timer *t, int64_t at);

/* T may be not set. */
void timers_unset(struct timers *h, struct timer *t);

/* The soonest; NULL if there is none. */
struct timer *timers_first(const struct timers *h);

/* Call VISIT for each timer at NOW or before. It must not set or unset any. */
void timers_each_due(const struct timers *h, int64_t now,
                     void (*visit)(void *context, struct timer *t), void *context);

/* Free the list; timers stay as they are. */
void timers_release(struct timers *h);

#endif
