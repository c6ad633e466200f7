/*
 * tolerance.h: how many failures are too many.
 *
 * Pure arithmetic, exact: nothing is rounded (reference/distributed-map.md 2.7).
 * The runner asks while it runs, the result writer asks at the end, and both get the same
 * answer.  What is counted, executions or items, is the caller's choice.
 *
 * Floor: ground.
 */
#ifndef FANLINE_BASE_TOLERANCE_H
#define FANLINE_BASE_TOLERANCE_H

#include <stdbool.h>
#include <stdint.h>

/* All zero: no failure is tolerated. */
struct tolerance {
    int64_t count;              /* ToleratedFailureCount, from 0 */
    int64_t percent_millionths; /* ToleratedFailurePercentage, as units_percent gives it */
    bool has_count;
    bool has_percent;
};

/*
 * Are FAILED failures among TOTAL beyond T, judged when all is done?  Up to a
 * threshold is fine, more is not.  A threshold of 0 counts as not set where the other is set, so
 * that with neither a single failure is too many; with both, passing either is.
 */
bool tolerance_exceeded(const struct tolerance *t, uint64_t failed, uint64_t total);

/*
 * Can T no longer be met, judged while things still run?  The count can be judged at
 * once; the percentage only against FINAL_TOTAL, the total that there will be, or 0 while nobody
 * knows it.  Never true where tolerance_exceeded could still become false.
 */
bool tolerance_hopeless(const struct tolerance *t, uint64_t failed, uint64_t final_total);

#endif
