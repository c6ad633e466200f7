/*
 * throttle.h: when the next command may be started.
 *
 * --rate spreads starts evenly and lets a few that were late catch up; --delay keeps a distance
 * between any two; --load and --memfree let nothing start while the machine is too busy or too
 * short of memory, and look again every THROTTLE_LOOK.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_THROTTLE_H
#define FANLINE_RUN_THROTTLE_H

#include "base/clock.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

#define THROTTLE_LOOK     (250 * CLOCK_MILLI)
#define THROTTLE_PRESSURE 10.0 /* percent of the last 10 s in which somebody waited for memory */

struct throttle {
    const char *folder; /* "/proc", or what stands for it in tests */
    int64_t interval;   /* nanoseconds from start to start, of --rate; 0: none */
    int64_t delay;      /* at least, of --delay; 0: none */
    double load;        /* most load average of a minute; 0: any */
    uint64_t memory;    /* least bytes available; 0: any */

    /* its own */
    int64_t rate_next;
    int64_t delay_next;
    int64_t look_next;
};

/* "5", "5/s", "300/min", "10/h" as the interval between starts. 0, or -1 with E (ERR_USAGE). */
int throttle_rate(struct span text, int64_t *interval, struct err *e);

/* "1.5", or "80%" of the processors, as a load average. 0, or -1 with E (ERR_USAGE). */
int throttle_load(struct span text, int64_t processors, double *load, struct err *e);

/* Does T, which may be NULL, let anything start at any time? */
static inline bool throttle_is_idle(const struct throttle *t)
{
    return !t || (t->interval == 0 && t->delay == 0 && t->load == 0 && t->memory == 0);
}

/* May something start NOW? Returns 0, and counts it; else when to ask again. */
int64_t throttle_take(struct throttle *t, int64_t now);

#endif
