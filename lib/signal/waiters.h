/*
 * waiters.h: lines that are held, in queues by signal id.
 *
 * Within an id lines stand in the order in which they came, and leave in it.  All have the same
 * expiration, so the oldest line of all is also the next to expire; two lists are enough.
 *
 * Floor: engines.  Owns its memory.
 */
#ifndef FANLINE_SIGNAL_WAITERS_H
#define FANLINE_SIGNAL_WAITERS_H

#include "signal/ids.h"

#include <stdbool.h>
#include <stdint.h>

/* What a line asks of its signal. */
struct demand {
    struct span counter; /* empty: the total */
    int64_t target;
    int64_t releasable;
};

struct queue;

/* A held line. Its texts lie behind it. */
struct waiter {
    struct waiter *next; /* in its queue */
    struct waiter *older, *newer;
    struct queue *queue;
    int64_t deadline;
    struct demand demand;
    struct span item; /* compact */
    struct span raw;  /* as it came */
};

/* The lines of one id; there is no empty queue. */
struct queue {
    struct id_node node; /* first: the table of ids finds it */
    struct waiter *first, *last;
    size_t count;
    size_t run; /* of lines at the front that ask the same */
    bool due;   /* in the list of queues to be looked at */
    struct queue *next_due;
    struct queue *before, *after; /* in the round of all queues */
    int64_t looked_at;            /* when the store was asked last (clock_now); 0: never */
    uint64_t ask;                 /* number of an ask whose answer is missing; 0: none */
    int64_t seen;                 /* count at the last look, for messages */
};

struct waiters {
    struct ids ids;
    struct waiter *oldest, *newest;
    struct queue *round; /* first of the round of queues; it is a ring */
    struct queue *first_due, *last_due;
    size_t count; /* of lines */
};

/* Hold a line of ID; texts are copied. Its queue becomes due. */
void waiters_add(struct waiters *w, struct span id, const struct demand *demand, struct span item,
                 struct span raw, int64_t deadline);

struct queue *waiters_find(const struct waiters *w, struct span id);

/* Q is to be looked at. */
void waiters_due(struct waiters *w, struct queue *q);

/* Take the first queue that is due off that list; NULL if none is. */
struct queue *waiters_next_due(struct waiters *w);

/* The next N queues of the round, or all if there are fewer, are to be looked at. */
void waiters_round(struct waiters *w, size_t n);

/* Let go the first line of Q, and with its last line Q. */
void waiters_drop(struct waiters *w, struct queue *q);

/* Let go all lines. */
void waiters_release(struct waiters *w);

#endif
