/*
 * clock.h: the one place where time is read.
 *
 * Deadlines are absolute points of the monotonic clock and are handed down as
 * such, so that retries do not stretch them; stamps that people see come from the
 * real clock.  A test that needs another time links its own clock.c.
 *
 * Floor: ground.
 */
#ifndef FANLINE_BASE_CLOCK_H
#define FANLINE_BASE_CLOCK_H

#include <stdint.h>

#define CLOCK_SECOND    INT64_C(1000000000) /* in nanoseconds, the unit of all times here */
#define CLOCK_MILLI     INT64_C(1000000)
#define CLOCK_NEVER     INT64_MAX /* a deadline that does not come */
#define CLOCK_STAMP_MAX 32        /* room for a stamp with its NUL */

/* Nanoseconds of the monotonic clock: for deadlines and durations. */
int64_t clock_now(void);

/* Nanoseconds since 1970 of the real clock: for stamps. */
int64_t clock_real(void);

/* NOW + DURATION, at most CLOCK_NEVER. A negative duration is never. */
int64_t clock_after(int64_t now, int64_t duration);

/* Milliseconds from now until DEADLINE for poll(): rounded up, 0 if past, -1 for never. */
int clock_poll(int64_t deadline);

/* Do nothing until DEADLINE, which is not never; who must hear of anything meanwhile polls. */
void clock_sleep(int64_t deadline);

/* REAL as RFC 3339 in UTC with milliseconds: 2026-11-30T22:07:39.123Z. Returns OUT. */
char *clock_stamp(int64_t real, char out[CLOCK_STAMP_MAX]);

/* The stamp made last, from which one of the same second is made quickly. Starts as all zero. */
struct clock_text {
    int64_t second;
    char text[CLOCK_STAMP_MAX];
};

/* As clock_stamp; good until the next call for T. */
const char *clock_restamp(struct clock_text *t, int64_t real);

#endif
