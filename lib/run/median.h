/*
 * median.h: the running median of durations, in little memory.
 *
 * A histogram whose classes are a thirty-second of a power of two wide: the median is right
 * within about 3 percent, however many durations there are.
 *
 * Floor: engines.  Pure.
 */
#ifndef FANLINE_RUN_MEDIAN_H
#define FANLINE_RUN_MEDIAN_H

#include <stdint.h>

#define MEDIAN_CLASSES (60 * 32)

struct median {
    uint64_t counts[MEDIAN_CLASSES];
    uint64_t total;
};

/* One more duration, in any unit, not negative. */
void median_add(struct median *m, int64_t duration);

/* The median so far; 0 if there is none. */
int64_t median_get(const struct median *m);

#endif
