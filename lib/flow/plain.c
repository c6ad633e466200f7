#include "flow/build.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static const struct {
    struct span text;
    enum node_kind kind;
    struct span json;
} constants[] = {
    {{"", 0}, NODE_NULL, {"null", 4}},       {{"~", 1}, NODE_NULL, {"null", 4}},
    {{"null", 4}, NODE_NULL, {"null", 4}},   {{"Null", 4}, NODE_NULL, {"null", 4}},
    {{"NULL", 4}, NODE_NULL, {"null", 4}},   {{"true", 4}, NODE_BOOL, {"true", 4}},
    {{"True", 4}, NODE_BOOL, {"true", 4}},   {{"TRUE", 4}, NODE_BOOL, {"true", 4}},
    {{"false", 5}, NODE_BOOL, {"false", 5}}, {{"False", 5}, NODE_BOOL, {"false", 5}},
    {{"FALSE", 5}, NODE_BOOL, {"false", 5}},
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t count_digits(struct span s, size_t from)
{
    size_t n = 0;
    while (from + n < s.len && is_digit(s.at[from + n])) {
        n++;
    }
    return n;
}

/* The pieces of a decimal number: [-+]?(\.D+|D+(\.D*)?)([eE][-+]?D+)? */
struct decimal {
    bool minus;
    struct span whole;
    struct span fraction; /* without the point */
    struct span exponent; /* with its letter */
};

static bool take_decimal(struct span s, struct decimal *d)
{
    size_t at = s.len > 0 && (s.at[0] == '-' || s.at[0] == '+');
    d->minus = at && s.at[0] == '-';
    d->whole = span_of(s.at + at, count_digits(s, at));
    at += d->whole.len;
    d->fraction = span_of(s.at, 0);
    if (at < s.len && s.at[at] == '.') {
        at++;
        d->fraction = span_of(s.at + at, count_digits(s, at));
        at += d->fraction.len;
    }
    if (d->whole.len + d->fraction.len == 0) {
        return false;
    }
    size_t letter = at;
    if (at < s.len && (s.at[at] == 'e' || s.at[at] == 'E')) {
        at++;
        at += at < s.len && (s.at[at] == '-' || s.at[at] == '+');
        size_t digits = count_digits(s, at);
        at = digits > 0 ? at + digits : s.len + 1;
    }
    d->exponent = at == s.len ? span_of(s.at + letter, at - letter) : span_of(s.at, 0);
    return at == s.len;
}

/* As JSON writes it: no plus, no zeros in front, digits on both sides of the point. */
static struct span put_decimal(const struct decimal *d, struct arena *a)
{
    struct span whole = d->whole;
    while (whole.len > 1 && whole.at[0] == '0') {
        whole = span_of(whole.at + 1, whole.len - 1);
    }
    struct buf text = {0};
    buf_add_text(&text, d->minus ? "-" : "");
    buf_add_span(&text, whole.len > 0 ? whole : SPAN_LIT("0"));
    buf_add_text(&text, d->fraction.len > 0 ? "." : "");
    buf_add_span(&text, d->fraction);
    buf_add_span(&text, d->exponent);
    struct span json = arena_copy(a, buf_span(&text));
    buf_release(&text);
    return json;
}

/* 0x1F, 0o17: JSON has only decimal digits. False if TEXT is no such number. */
static bool take_based(struct span text, uint64_t *out, bool *fits)
{
    if (text.len < 3 || text.at[0] != '0' || (text.at[1] != 'x' && text.at[1] != 'o')) {
        return false;
    }
    unsigned base = text.at[1] == 'x' ? 16 : 8;
    *out = 0;
    *fits = true;
    for (size_t i = 2; i < text.len; i++) {
        char c = text.at[i];
        if (base == 8 ? c < '0' || c > '7' : !isxdigit((unsigned char)c)) {
            return false;
        }
        unsigned digit = is_digit(c) ? (unsigned)(c - '0') : (unsigned)((c | 0x20) - 'a') + 10;
        *fits = *fits && *out <= (UINT64_MAX - digit) / base;
        *out = *out * base + digit;
    }
    return true;
}

/* .inf, -.INF, .NaN */
static bool is_no_number(struct span text)
{
    static const char *const names[] = {".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"};
    bool sign = text.len > 0 && (text.at[0] == '-' || text.at[0] == '+');
    struct span name = span_of(text.at + sign, text.len - sign);
    for (size_t i = 0; i < (sign ? 3 : sizeof names / sizeof *names); i++) {
        if (span_equal(name, span_text(names[i]))) {
            return true;
        }
    }
    return false;
}

int plain_resolve(struct span text, struct arena *a, enum node_kind *kind, struct span *json,
                  const char **why)
{
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        if (span_equal(text, constants[i].text)) {
            *kind = constants[i].kind;
            *json = constants[i].json;
            return 0;
        }
    }
    *kind = NODE_NUMBER;
    struct decimal d;
    uint64_t n;
    bool fits;
    if (take_decimal(text, &d)) {
        *json = put_decimal(&d, a);
    } else if (take_based(text, &n, &fits)) {
        char digits[24];
        size_t len = buf_digits(digits, n);
        *json = arena_copy(a, span_of(digits, len));
        *why = "a number in this notation has at most 64 bits";
        return fits ? 0 : -1;
    } else if (is_no_number(text)) {
        *why = "JSON has no form for this number";
        return -1;
    } else {
        *kind = NODE_STRING;
    }
    return 0;
}
