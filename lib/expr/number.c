/* The half of value.h that is about numbers. */
#include "expr/value.h"

#include <string.h>

/* A JSON number taken apart: sign * 0.DIGITS * 10^point; no zeros lead or trail in the digits. */
struct decimal {
    int sign; /* 0 for zero */
    const char *at;
    const char *end; /* the digits, with a '.' somewhere between them at most */
    int64_t point;   /* saturated far beyond any length of text */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/*
 * The number behind 'e'.  It is cut at about 2^61, beyond which all exponents count as the same: no
 * text is long enough for its digits to make up for such an exponent.
 */
static int64_t read_exponent(const char *at, const char *end)
{
    bool negative = at < end && *at == '-';
    at += at < end && (*at == '-' || *at == '+');
    int64_t n = 0;
    for (; at < end; at++) {
        if (n > INT64_MAX / 40) {
            n = INT64_MAX / 4;
            break;
        }
        n = n * 10 + (*at - '0');
    }
    return negative ? -n : n;
}

static struct decimal take_apart(struct span number)
{
    const char *at = number.at;
    const char *end = number.at + number.len;
    struct decimal d = {.sign = 1};
    if (*at == '-') {
        d.sign = -1;
        at++;
    }
    const char *e = at;
    while (e < end && *e != 'e' && *e != 'E') {
        e++;
    }
    if (e < end) {
        d.point = read_exponent(e + 1, end);
    }
    const char *dot = memchr(at, '.', (size_t)(e - at));
    d.point += (dot ? dot : e) - at;
    for (; at < e && (*at == '0' || *at == '.'); at++) {
        d.point -= *at == '0';
    }
    while (e > at && (e[-1] == '0' || e[-1] == '.')) {
        e--;
    }
    d.at = at;
    d.end = e;
    d.sign = at == e ? 0 : d.sign;
    return d;
}

/* The next digit, 0 behind the last. */
static char next_digit(const char **at, const char *end)
{
    *at += *at < end && **at == '.';
    return *at < end ? *(*at)++ : '0';
}

/* Order of the absolute values. */
static int compare_digits(const struct decimal *a, const struct decimal *b)
{
    if (a->point != b->point) {
        return a->point < b->point ? -1 : 1;
    }
    const char *x = a->at;
    const char *y = b->at;
    while (x < a->end || y < b->end) {
        char p = next_digit(&x, a->end);
        char q = next_digit(&y, b->end);
        if (p != q) {
            return p < q ? -1 : 1;
        }
    }
    return 0;
}

int value_compare_numbers(struct span a, struct span b)
{
    struct decimal x = take_apart(walk_trim(a));
    struct decimal y = take_apart(walk_trim(b));
    if (x.sign != y.sign) {
        return x.sign < y.sign ? -1 : 1;
    }
    return x.sign * compare_digits(&x, &y);
}

bool value_to_integer(struct span v, int64_t *out)
{
    struct decimal d = take_apart(walk_trim(v));
    if (d.sign == 0) {
        *out = 0;
        return true;
    }
    if (d.point < 1 || d.point > 19) {
        return false;
    }
    int64_t n = 0;
    const char *at = d.at;
    for (int64_t i = 0; i < d.point; i++) {
        int digit = next_digit(&at, d.end) - '0';
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, d.sign * digit, &n)) {
            return false;
        }
    }
    while (at < d.end) {
        if (is_digit(*at++)) {
            return false; /* digits behind the point: trailing zeros are gone already */
        }
    }
    *out = n;
    return true;
}
