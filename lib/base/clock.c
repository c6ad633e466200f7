#include "base/clock.h"

#include <limits.h>
#include <stdio.h>
#include <time.h>

static int64_t read_clock(clockid_t which)
{
    struct timespec t;
    clock_gettime(which, &t);
    return (int64_t)t.tv_sec * CLOCK_SECOND + t.tv_nsec;
}

int64_t clock_now(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t clock_real(void)
{
    return read_clock(CLOCK_REALTIME);
}

int64_t clock_after(int64_t now, int64_t duration)
{
    int64_t sum;
    if (duration < 0 || __builtin_add_overflow(now, duration, &sum)) {
        return CLOCK_NEVER;
    }
    return sum;
}

int clock_poll(int64_t deadline)
{
    if (deadline == CLOCK_NEVER) {
        return -1;
    }
    int64_t left = deadline - clock_now();
    if (left <= 0) {
        return 0;
    }
    int64_t millis = left / CLOCK_MILLI + (left % CLOCK_MILLI != 0);
    return millis > INT_MAX ? INT_MAX : (int)millis;
}

char *clock_stamp(int64_t real, char out[CLOCK_STAMP_MAX])
{
    time_t seconds = (time_t)(real / CLOCK_SECOND);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    size_t n = strftime(out, CLOCK_STAMP_MAX, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out + n, CLOCK_STAMP_MAX - n, ".%03dZ", (int)(real / CLOCK_MILLI % 1000));
    return out;
}
