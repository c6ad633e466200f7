#include "base/stamp.h"

#include "base/clock.h"

/* The number of exactly COUNT digits at *AT, which moves behind them; -1 if they are not there. */
static int digits(struct span *at, size_t count)
{
    int n = 0;
    if (at->len < count) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        unsigned digit = (unsigned)at->at[i] - '0';
        if (digit > 9) {
            return -1;
        }
        n = n * 10 + (int)digit;
    }
    at->at += count;
    at->len -= count;
    return n;
}

/* One of the bytes in SET is next, and is passed; 0 if it is none of them. */
static char one_of(struct span *at, const char *set)
{
    char c = at->len > 0 ? at->at[0] : '\0';
    if (c == '\0' || !strchr(set, c)) {
        return '\0';
    }
    at->at++;
    at->len--;
    return c;
}

/* Days since 1970-01-01 in the calendar of today: a year begins in March, so that leaps are last.
 */
static int64_t days_of(int year, int month, int day)
{
    int64_t y = year - (month <= 2);
    int64_t era = y / 400;
    int64_t of_era = y - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool read_date(struct span *at, int64_t *days)
{
    int year = digits(at, 4);
    bool ok = one_of(at, "-");
    int month = digits(at, 2);
    ok = ok && one_of(at, "-");
    int day = digits(at, 2);
    if (!ok || year < 1970 || year > 2199 || month < 1 || month > 12 || day < 1 || day > 31) {
        return false;
    }
    *days = days_of(year, month, day);
    return true;
}

static bool read_time(struct span *at, int64_t *seconds)
{
    int hour = digits(at, 2);
    bool ok = one_of(at, ":");
    int minute = digits(at, 2);
    ok = ok && one_of(at, ":");
    int second = digits(at, 2);
    if (!ok || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
        return false;
    }
    *seconds = hour * 3600 + minute * 60 + second;
    return true;
}

/* A fraction of a second, if there is one, in nanoseconds; -1 if it has no digit. */
static int64_t read_fraction(struct span *at)
{
    int64_t n = 0;
    int64_t unit = CLOCK_SECOND / 10;
    if (!one_of(at, ".")) {
        return 0;
    }
    int digit = digits(at, 1);
    if (digit < 0) {
        return -1;
    }
    for (; digit >= 0; digit = digits(at, 1)) {
        n += digit * unit;
        unit /= 10;
    }
    return n;
}

/* "Z" or an offset, in seconds, and nothing behind it. */
static bool read_offset(struct span *at, int64_t *seconds)
{
    if (one_of(at, "Zz")) {
        *seconds = 0;
        return at->len == 0;
    }
    char sign = one_of(at, "+-");
    int hours = digits(at, 2);
    bool colon = one_of(at, ":");
    int minutes = digits(at, 2);
    *seconds = (hours * 3600 + minutes * 60) * (sign == '-' ? -1 : 1);
    return sign && colon && hours >= 0 && hours < 24 && minutes >= 0 && minutes < 60 &&
           at->len == 0;
}

bool stamp_read(struct span text, int64_t *real)
{
    int64_t days;
    int64_t seconds;
    int64_t offset;
    if (!read_date(&text, &days) || !one_of(&text, "Tt ") || !read_time(&text, &seconds)) {
        return false;
    }
    int64_t fraction = read_fraction(&text);
    if (fraction < 0 || !read_offset(&text, &offset)) {
        return false;
    }
    *real = (days * 86400 + seconds - offset) * CLOCK_SECOND + fraction;
    return true;
}
