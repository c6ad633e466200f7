/*
 * timeline.h: when executions began and ended, in bounded memory.
 *
 * Time is cut into at most TIMELINE_BINS bins of one width, a round one, which grows as the run
 * grows: from a millisecond to a year.  So the counts in each bin are exact, and so is the number
 * of executions that ran at once, on the average over a bin.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_TIMELINE_H
#define FANLINE_RESULT_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_BINS 1024

struct timeline_bin {
    uint64_t started;
    uint64_t succeeded;  /* ended that way in this bin */
    uint64_t failed;     /* ended in any other way */
    double started_rest; /* of those that started here: time left in the bin, summed up, in ns */
    double stopped_rest; /* likewise */
};

struct timeline {
    uint64_t count;
    int64_t start;             /* the first that began; all times since 1970, in ns */
    int64_t stop;              /* the last that ended */
    size_t step;               /* which width */
    int64_t first;             /* number of bins[0], counted from 1970 */
    struct timeline_bin *bins; /* TIMELINE_BINS; NULL while there is nothing */
};

/* An execution ran from START to STOP, which is no earlier. */
void timeline_add(struct timeline *t, int64_t start, int64_t stop, bool failed);

/* Width of a bin in nanoseconds. */
int64_t timeline_width(const struct timeline *t);

/*
 * At most MAX bars, 64 or more, over all that happened: bars of one width, a round one.
 */
struct timeline_bars {
    int64_t from;  /* where the first begins */
    int64_t width; /* of each, in nanoseconds */
    size_t count;
};

struct timeline_bar {
    uint64_t started;
    uint64_t succeeded;
    uint64_t failed;
    double running; /* at once, on the average over the part that lies within the run */
};

struct timeline_bars timeline_layout(const struct timeline *t, size_t max);

/* Fill BARS, as many as LAYOUT says. */
void timeline_fill(const struct timeline *t, const struct timeline_bars *layout,
                   struct timeline_bar *bars);

void timeline_release(struct timeline *t);

#endif
