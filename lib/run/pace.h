/*
 * pace.h: a look at the clock once in a while, for a loop that turns every few microseconds.
 *
 * Workers may answer so fast that a time limit for each wait, which sets a timer in the kernel, and
 * a look at the clock would cost more than all else.  So while they are busy one timer rings every
 * PACE: what it says of the time is good until it rings again, and where nothing has happened in
 * between the workers pause.
 *
 * Floor: engines.  Part of turn.c, apart for its size.
 */
#ifndef FANLINE_RUN_PACE_H
#define FANLINE_RUN_PACE_H

#include "base/clock.h"
#include "base/err.h"
#include "proc/loop.h"

#include <stdbool.h>
#include <stdint.h>

#define PACE CLOCK_MILLI

struct pace {
    struct loop_source timer; /* its descriptor is the pace's own */
    bool running;
    bool rang;            /* in the present turn */
    int64_t now;          /* clock_now, at most PACE old while it is running */
    uint64_t events;      /* of the loop, seen by pace_turn */
    uint64_t events_then; /* when it was started */
};

/* Get ready, as a source of L. P must not move. Returns 0, or -1 with E filled. */
int pace_open(struct pace *p, struct loop *l, struct err *e);

/* The time: as good as that of clock_now while P is running. */
int64_t pace_now(const struct pace *p);

/*
 * As loop_turn, once.  Returns whether nothing happened: until DEADLINE, or for PACE, where
 * somebody else may have to be told of what has happened before.
 */
bool pace_turn(struct pace *p, struct loop *l, int64_t deadline);

/* Legal on a zeroed P, and on one that could not be opened. */
void pace_close(struct pace *p, struct loop *l);

#endif
