/*
 * timeout.h: how long an attempt may take.
 *
 * A fixed time, or a percentage of the running median of the attempts that succeeded.  The
 * median counts from TIMEOUT_SAMPLE of them on, and the time is never less than TIMEOUT_FLOOR:
 * so the noise in short times ends nobody.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_TIMEOUT_H
#define FANLINE_RUN_TIMEOUT_H

#include "base/clock.h"
#include "base/err.h"
#include "base/span.h"
#include "run/median.h"

#include <stdint.h>

#define TIMEOUT_SAMPLE 10
#define TIMEOUT_FLOOR  CLOCK_SECOND

struct timeout {
    int64_t fixed;    /* nanoseconds; -1: none */
    uint64_t percent; /* of the median; 0: none */
    struct median successes;
};

/*
 * A duration, "never" or 0, which is the same, or "200%", into *FIXED and *PERCENT.  Returns 0, or
 * -1 with E (ERR_USAGE).
 */
int timeout_parse(struct span text, int64_t *fixed, uint64_t *percent, struct err *e);

/* An attempt that took so long succeeded. */
void timeout_learn(struct timeout *t, int64_t duration);

/* How long an attempt may take, in nanoseconds; -1: for ever, as far as is known now. */
int64_t timeout_limit(const struct timeout *t);

/* Can timeout_limit change with what is learnt? Then look again every TIMEOUT_FLOOR. */
static inline bool timeout_learns(const struct timeout *t)
{
    return t->percent > 0;
}

#endif
