#include "run/timeout.h"

#include "base/units.h"

#define PERCENT_MAX 1000000

int timeout_parse(struct span text, int64_t *fixed, uint64_t *percent, struct err *e)
{
    int64_t n;
    *fixed = -1;
    *percent = 0;
    if (span_equal(text, SPAN_LIT("never"))) {
        return 0;
    }
    if (text.len == 0 || text.at[text.len - 1] != '%') {
        int rc = units_duration(text, fixed, e);
        *fixed = *fixed == 0 ? -1 : *fixed; /* as timeout(1) has it */
        return rc;
    }
    if (units_integer(span_of(text.at, text.len - 1), 100, PERCENT_MAX, &n, e) < 0) {
        return -1;
    }
    *percent = (uint64_t)n;
    return 0;
}

void timeout_learn(struct timeout *t, int64_t duration)
{
    if (t->percent > 0) {
        median_add(&t->successes, duration);
    }
}

int64_t timeout_limit(const struct timeout *t)
{
    if (t->percent == 0) {
        return t->fixed;
    }
    if (t->successes.total < TIMEOUT_SAMPLE) {
        return -1;
    }
    double limit = (double)median_get(&t->successes) * (double)t->percent / 100;
    return limit < (double)TIMEOUT_FLOOR     ? TIMEOUT_FLOOR
           : limit < (double)CLOCK_NEVER / 2 ? (int64_t)limit
                                             : -1;
}
