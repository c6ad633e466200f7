#include "base/clock.h"

#include <limits.h>
#include <poll.h>
#include <time.h>

enum { STAMP_MILLIS = 20 }; /* where they stand */

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

void clock_sleep(int64_t deadline)
{
    while (clock_now() < deadline) {
        (void)poll(NULL, 0, clock_poll(deadline));
    }
}

/* The date of a day, counted from 1970-01-01, in the Gregorian calendar; years begin in March. */
static void date_of(int64_t day, int *year, int *month, int *month_day)
{
    enum { DAYS_BEFORE_1970 = 719468, DAYS_400_YEARS = 146097 }; /* since 0000-03-01 */
    int64_t days = day + DAYS_BEFORE_1970;
    int64_t cycle = (days >= 0 ? days : days - (DAYS_400_YEARS - 1)) / DAYS_400_YEARS;
    int in_cycle = (int)(days - cycle * DAYS_400_YEARS);
    int y = (in_cycle - in_cycle / 1460 + in_cycle / 36524 - in_cycle / 146096) / 365;
    int in_year = in_cycle - (365 * y + y / 4 - y / 100);
    int m = (5 * in_year + 2) / 153;
    *month_day = in_year - (153 * m + 2) / 5 + 1;
    *month = m < 10 ? m + 3 : m - 9;
    *year = (int)cycle * 400 + y + (*month <= 2);
}

static int64_t second_of(int64_t real)
{
    return real / CLOCK_SECOND - (real % CLOCK_SECOND < 0);
}

static int millis_of(int64_t real)
{
    return (int)((real - second_of(real) * CLOCK_SECOND) / CLOCK_MILLI);
}

/* N with so many DIGITS, and what follows. Returns where to go on. */
static char *put_digits(char *out, int n, int digits, char next)
{
    for (int i = digits - 1; i >= 0; i--) {
        out[i] = (char)('0' + n % 10);
        n /= 10;
    }
    out[digits] = next;
    return out + digits + 1;
}

/* Not by gmtime and strftime, which cost more than the rest of a record. */
char *clock_stamp(int64_t real, char out[CLOCK_STAMP_MAX])
{
    int64_t seconds = second_of(real);
    int64_t day = seconds / 86400 - (seconds % 86400 < 0);
    int second = (int)(seconds - day * 86400);
    int year, month, month_day;
    date_of(day, &year, &month, &month_day);
    char *at = put_digits(out, year, 4, '-');
    at = put_digits(at, month, 2, '-');
    at = put_digits(at, month_day, 2, 'T');
    at = put_digits(at, second / 3600, 2, ':');
    at = put_digits(at, second / 60 % 60, 2, ':');
    at = put_digits(at, second % 60, 2, '.');
    at = put_digits(at, millis_of(real), 3, 'Z');
    *at = '\0';
    return out;
}

const char *clock_restamp(struct clock_text *t, int64_t real)
{
    int64_t second = second_of(real);
    if (t->text[0] && t->second == second) {
        (void)put_digits(t->text + STAMP_MILLIS, millis_of(real), 3, 'Z');
        return t->text;
    }
    t->second = second;
    return clock_stamp(real, t->text);
}
