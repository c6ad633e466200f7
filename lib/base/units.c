#include "base/units.h"

#include "base/clock.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

/* How much of a text an error message quotes. */
static int quoted(struct span text)
{
    return text.len > 80 ? 80 : (int)text.len;
}

static int refuse(struct span text, const char *what, struct err *e)
{
    return err_set(e, ERR_USAGE, "'%.*s' is no %s", quoted(text), text.at, what);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

int units_integer(struct span text, int64_t min, int64_t max, int64_t *out, struct err *e)
{
    size_t i = text.len > 0 && (text.at[0] == '-' || text.at[0] == '+');
    bool negative = i == 1 && text.at[0] == '-';
    if (i == text.len) {
        return refuse(text, "whole number", e);
    }
    int64_t value = 0;
    for (; i < text.len; i++) {
        if (!is_digit(text.at[i])) {
            return refuse(text, "whole number", e);
        }
        int digit = text.at[i] - '0';
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, negative ? -digit : digit, &value)) {
            return err_set(e, ERR_USAGE, "'%.*s' does not fit 64 bits", quoted(text), text.at);
        }
    }
    if (value < min || value > max) {
        return err_set(e, ERR_USAGE, "%lld is not between %lld and %lld", (long long)value,
                       (long long)min, (long long)max);
    }
    *out = value;
    return 0;
}

/* The digits from *I on; false where there are none. */
static bool skip_digits(struct span text, size_t *i)
{
    size_t start = *i;
    while (*i < text.len && is_digit(text.at[*i])) {
        ++*i;
    }
    return *i > start;
}

/* The form is looked at here: strtod takes " 5", "0x1p3" and "nan" too. */
static bool is_number(struct span text)
{
    size_t i = 0;
    bool good = skip_digits(text, &i);
    if (i < text.len && text.at[i] == '.') {
        i++;
        good = skip_digits(text, &i) && good;
    }
    if (i < text.len && (text.at[i] == 'e' || text.at[i] == 'E')) {
        i++;
        i += i < text.len && (text.at[i] == '+' || text.at[i] == '-');
        good = skip_digits(text, &i) && good;
    }
    return good && i == text.len;
}

int units_number(struct span text, double *out, struct err *e)
{
    char copy[40];
    if (text.len >= sizeof copy || !is_number(text)) {
        return refuse(text, "number", e);
    }
    memcpy(copy, text.at, text.len);
    copy[text.len] = '\0';
    *out = strtod(copy, NULL);
    return 0;
}

/*
 * A decimal number at TEXT from *I on, times SCALE; advances *I past it.  Digits
 * after the point that SCALE cannot hold are dropped.  Returns false where there is
 * no number or the product does not fit.
 */
static bool scaled(struct span text, size_t *i, int64_t scale, int64_t *out)
{
    size_t start = *i;
    int64_t whole = 0;
    for (; *i < text.len && is_digit(text.at[*i]); ++*i) {
        if (__builtin_mul_overflow(whole, 10, &whole) ||
            __builtin_add_overflow(whole, text.at[*i] - '0', &whole)) {
            return false;
        }
    }
    if (*i == start || __builtin_mul_overflow(whole, scale, &whole)) {
        return false;
    }
    if (*i + 1 < text.len && text.at[*i] == '.' && is_digit(text.at[*i + 1])) {
        int64_t part = scale;
        int64_t sum = 0;
        int64_t rest = 0; /* of the divisions so far, so that 1.5 h is exact */
        int64_t weight = 1;
        for (++*i; *i < text.len && is_digit(text.at[*i]); ++*i) {
            if (weight <= INT64_C(100000000)) {
                weight *= 10;
                rest = rest * 10 + (text.at[*i] - '0');
            }
        }
        sum = (int64_t)((__int128)part * rest / weight);
        if (__builtin_add_overflow(whole, sum, &whole)) {
            return false;
        }
    }
    *out = whole;
    return true;
}

struct unit {
    const char *name;
    int64_t scale;
};

static const struct unit duration_units[] = {
    {"ns", 1},
    {"nano", 1},
    {"nanos", 1},
    {"nanosecond", 1},
    {"nanoseconds", 1},
    {"us", 1000},
    {"ms", CLOCK_MILLI},
    {"milli", CLOCK_MILLI},
    {"millis", CLOCK_MILLI},
    {"millisecond", CLOCK_MILLI},
    {"milliseconds", CLOCK_MILLI},
    {"s", CLOCK_SECOND},
    {"sec", CLOCK_SECOND},
    {"secs", CLOCK_SECOND},
    {"second", CLOCK_SECOND},
    {"seconds", CLOCK_SECOND},
    {"m", 60 * CLOCK_SECOND},
    {"min", 60 * CLOCK_SECOND},
    {"mins", 60 * CLOCK_SECOND},
    {"minute", 60 * CLOCK_SECOND},
    {"minutes", 60 * CLOCK_SECOND},
    {"h", 3600 * CLOCK_SECOND},
    {"hr", 3600 * CLOCK_SECOND},
    {"hrs", 3600 * CLOCK_SECOND},
    {"hour", 3600 * CLOCK_SECOND},
    {"hours", 3600 * CLOCK_SECOND},
    {"d", 86400 * CLOCK_SECOND},
    {"day", 86400 * CLOCK_SECOND},
    {"days", 86400 * CLOCK_SECOND},
    {"w", 604800 * CLOCK_SECOND},
    {"wk", 604800 * CLOCK_SECOND},
    {"wks", 604800 * CLOCK_SECOND},
    {"week", 604800 * CLOCK_SECOND},
    {"weeks", 604800 * CLOCK_SECOND},
};

static const struct unit size_units[] = {
    {"", 1},
    {"b", 1},
    {"k", INT64_C(1) << 10},
    {"ki", INT64_C(1) << 10},
    {"kib", INT64_C(1) << 10},
    {"kb", 1000},
    {"m", INT64_C(1) << 20},
    {"mi", INT64_C(1) << 20},
    {"mib", INT64_C(1) << 20},
    {"mb", 1000000},
    {"g", INT64_C(1) << 30},
    {"gi", INT64_C(1) << 30},
    {"gib", INT64_C(1) << 30},
    {"gb", 1000000000},
    {"t", INT64_C(1) << 40},
    {"ti", INT64_C(1) << 40},
    {"tib", INT64_C(1) << 40},
    {"tb", INT64_C(1000000000000)},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* The scale of the unit named NAME, in any case; 0 if there is none. */
static int64_t find_unit(const struct unit *units, size_t count, struct span name)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(units[i].name) == name.len &&
            (name.len == 0 || strncasecmp(units[i].name, name.at, name.len) == 0)) {
            return units[i].scale;
        }
    }
    return 0;
}

/* The letters of TEXT from *I on; advances *I past them. */
static struct span take_word(struct span text, size_t *i)
{
    size_t start = *i;
    while (*i < text.len && isalpha((unsigned char)text.at[*i])) {
        ++*i;
    }
    return span_of(text.at + start, *i - start);
}

static void skip_number(struct span text, size_t *i)
{
    while (*i < text.len && (is_digit(text.at[*i]) || text.at[*i] == '.')) {
        ++*i;
    }
}

static void skip_blanks(struct span text, size_t *i)
{
    while (*i < text.len && text.at[*i] == ' ') {
        ++*i;
    }
}

int units_duration(struct span text, int64_t *out, struct err *e)
{
    static const char what[] = "duration (try 500ms, 10s, 5 min, 1h30m, 2d)";
    if (span_equal(text, SPAN_LIT("0"))) {
        *out = 0;
        return 0;
    }
    int64_t total = 0;
    size_t i = 0;
    do {
        size_t number = i;
        skip_number(text, &i);
        size_t end = i;
        skip_blanks(text, &i);
        int64_t scale = find_unit(duration_units, COUNT(duration_units), take_word(text, &i));
        int64_t part;
        size_t at = number;
        if (scale == 0 || !scaled(text, &at, scale, &part) || at != end ||
            __builtin_add_overflow(total, part, &total)) {
            return refuse(text, what, e);
        }
        end = i;
        skip_blanks(text, &i);
        if (i == text.len && i > end) {
            return refuse(text, what, e);
        }
    } while (i < text.len);
    *out = total;
    return 0;
}

int units_size(struct span text, uint64_t *out, struct err *e)
{
    size_t i = 0;
    skip_number(text, &i);
    size_t end = i;
    skip_blanks(text, &i);
    struct span unit = take_word(text, &i);
    int64_t scale = find_unit(size_units, COUNT(size_units), unit);
    bool only_blanks = unit.len == 0 && i > end;
    int64_t value;
    size_t at = 0;
    if (scale == 0 || only_blanks || i != text.len || !scaled(text, &at, scale, &value) ||
        at != end) {
        return refuse(text, "size (try 4096, 64k, 1MiB)", e);
    }
    *out = (uint64_t)value;
    return 0;
}

int units_percent(struct span text, int64_t *out, struct err *e)
{
    struct span number = text;
    if (number.len > 0 && number.at[number.len - 1] == '%') {
        number.len--;
    }
    const char *point = number.len > 0 ? memchr(number.at, '.', number.len) : NULL;
    size_t decimals = point ? (size_t)(number.at + number.len - point) - 1 : 0;
    int64_t value;
    size_t i = 0;
    if (!scaled(number, &i, 1000000, &value) || i != number.len || decimals > 6 ||
        value > 100000000) {
        return refuse(text, "percentage from 0 to 100 with at most six decimals", e);
    }
    *out = value;
    return 0;
}
