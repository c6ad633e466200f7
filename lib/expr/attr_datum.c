#include "expr/attr_datum.h"

#include "base/buf.h"
#include "expr/attr_date.h"
#include "expr/attr_utf16.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

struct datum datum_null(void)
{
    return (struct datum){.kind = DATUM_NULL};
}

struct datum datum_text(struct span text)
{
    return (struct datum){.kind = DATUM_TEXT, .text = text.at ? text : SPAN_LIT("")};
}

struct datum datum_whole(int64_t n)
{
    return (struct datum){.kind = DATUM_WHOLE, .whole = n};
}

struct datum datum_decimal(double d)
{
    return (struct datum){.kind = DATUM_DECIMAL, .decimal = d};
}

struct datum datum_bool(bool truth)
{
    return (struct datum){.kind = DATUM_BOOL, .truth = truth};
}

/* ---- printing ---- */

static size_t print_whole(int64_t n, char *out)
{
    size_t sign = n < 0;
    out[0] = '-';
    return sign + buf_digits(out + sign, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

/* The fewest DIGITS that give D, which is finite and positive; returns the exponent of the first.
 */
static int shortest(double d, char digits[20])
{
    char text[32];
    for (int precision = 0; precision < 17; precision++) {
        snprintf(text, sizeof text, "%.*e", precision, d);
        if (strtod(text, NULL) == d) {
            break;
        }
    }
    char *e = strchr(text, 'e');
    size_t n = 0;
    for (const char *at = text; at < e; at++) {
        if (*at != '.') {
            digits[n++] = *at;
        }
    }
    digits[n] = '\0';
    return (int)strtol(e + 1, NULL, 10);
}

/* DIGITS with the point behind the first POINT of them; zeros where there are none. */
static size_t print_plain(const char *digits, int point, char *out)
{
    int len = (int)strlen(digits);
    size_t n = 0;
    for (int i = point < 1 ? point - 1 : 0; i < len || i <= point; i++) {
        if (i == point) {
            out[n++] = '.';
        }
        out[n++] = i >= 0 && i < len ? digits[i] : '0';
    }
    return n;
}

size_t datum_print_decimal(double d, char *out)
{
    char digits[20];
    if (isnan(d) || isinf(d)) {
        const char *name = isnan(d) ? "NaN" : d < 0 ? "-Infinity" : "Infinity";
        return (size_t)snprintf(out, DATUM_TEXT_MAX, "%s", name);
    }
    size_t sign = signbit(d) ? 1 : 0;
    out[0] = '-';
    double size = fabs(d);
    if (size == 0) {
        return sign + (size_t)snprintf(out + sign, DATUM_TEXT_MAX - sign, "0.0");
    }
    int exponent = shortest(size, digits);
    if (size >= 1e-3 && size < 1e7) {
        return sign + print_plain(digits, exponent + 1, out + sign);
    }
    size_t n = sign + print_plain(digits, 1, out + sign);
    return n + (size_t)snprintf(out + n, DATUM_TEXT_MAX - n, "E%d", exponent);
}

struct span datum_print(const struct datum *d, struct arena *a)
{
    char *out;
    switch (d->kind) {
    case DATUM_NULL:
        return (struct span){0};
    case DATUM_TEXT:
        return d->text;
    case DATUM_BOOL:
        return d->truth ? SPAN_LIT("true") : SPAN_LIT("false");
    case DATUM_WHOLE:
        out = arena_take(a, DATUM_TEXT_MAX);
        return span_of(out, print_whole(d->whole, out));
    case DATUM_DECIMAL:
        out = arena_take(a, DATUM_TEXT_MAX);
        return span_of(out, datum_print_decimal(d->decimal, out));
    case DATUM_DATE:
        out = arena_take(a, DATUM_TEXT_MAX);
        return span_of(out, date_print(d->whole, out));
    }
    return (struct span){0};
}

/* ---- reading numbers ---- */

struct span datum_trim(struct span text)
{
    while (text.len > 0 && (unsigned char)*text.at <= ' ') {
        text = span_of(text.at + 1, text.len - 1);
    }
    while (text.len > 0 && (unsigned char)text.at[text.len - 1] <= ' ') {
        text.len--;
    }
    return text;
}

static size_t count_digits(const char *at, const char *end, bool hex)
{
    const char *from = at;
    while (at < end &&
           ((*at >= '0' && *at <= '9') || (hex && (*at | 0x20) >= 'a' && (*at | 0x20) <= 'f'))) {
        at++;
    }
    return (size_t)(at - from);
}

/* TEXT, all of which has the right form, as strtod reads it. */
static double read_decimal(struct span text, struct arena *a)
{
    return strtod(arena_copy(a, text).at, NULL);
}

static struct number decimal_number(double d)
{
    return (struct number){.kind = NUMBER_DECIMAL, .decimal = d};
}

/* Digits behind the sign, all of them known to be ones. */
static struct number whole_number(struct span text, struct span digits, int base, struct arena *a)
{
    errno = 0;
    bool minus = text.at[0] == '-';
    uint64_t size = strtoull(arena_copy(a, digits).at, NULL, base);
    if (errno == ERANGE || size > (uint64_t)INT64_MAX + minus) {
        return (struct number){.kind = NUMBER_BIG,
                               .decimal = read_decimal(text, a),
                               .text = base == 10 ? text : (struct span){0}};
    }
    int64_t n = minus ? (int64_t)(0 - size) : (int64_t)size;
    return (struct number){.kind = NUMBER_WHOLE, .whole = n, .decimal = (double)n};
}

/* An exponent at AT; its length, or 0 if there is none. */
static size_t exponent_length(const char *at, const char *end, char mark)
{
    if (at == end || (*at | 0x20) != mark) {
        return 0;
    }
    size_t sign = at + 1 < end && (at[1] == '+' || at[1] == '-') ? 1 : 0;
    size_t digits = count_digits(at + 1 + sign, end, false);
    return digits > 0 ? 1 + sign + digits : 0;
}

/* The length of the decimal number at AT: a '.' with digits behind it; 0 if there is none. */
static size_t decimal_length(const char *at, const char *end, bool hex)
{
    size_t before = count_digits(at, end, hex);
    const char *dot = at + before;
    bool has_dot = dot < end && *dot == '.';
    size_t after = has_dot ? count_digits(dot + 1, end, hex) : 0;
    size_t mantissa = before + (has_dot ? 1 : 0) + after;
    size_t exponent = exponent_length(at + mantissa, end, hex ? 'p' : 'e');
    /* hexadecimal ones are told by their exponent, others by their point */
    if (before + after == 0 || (hex ? exponent == 0 : after == 0)) {
        return 0;
    }
    return mantissa + exponent;
}

static struct number read_number(struct span text, struct arena *a)
{
    const char *end = text.at + text.len;
    const char *at = text.at + (text.len > 0 && (*text.at == '-' || *text.at == '+'));
    struct span rest = span_of(at, (size_t)(end - at));
    if (span_equal(rest, SPAN_LIT("NaN")) || span_equal(rest, SPAN_LIT("Infinity"))) {
        return decimal_number(*at == 'N' ? NAN : *text.at == '-' ? -INFINITY : INFINITY);
    }
    bool hex = rest.len > 2 && at[0] == '0' && (at[1] | 0x20) == 'x';
    size_t prefix = hex ? 2 : 0;
    size_t digits = count_digits(at + prefix, end, hex);
    if (digits > 0 && prefix + digits == rest.len) {
        return whole_number(text, span_of(at + prefix, digits), hex ? 16 : 10, a);
    }
    size_t len = decimal_length(at + prefix, end, hex);
    if (len > 0 && prefix + len == rest.len) {
        return decimal_number(read_decimal(text, a));
    }
    return (struct number){0};
}

struct number datum_number(const struct datum *d, struct arena *a)
{
    switch (d->kind) {
    case DATUM_TEXT:
        return read_number(datum_trim(d->text), a);
    case DATUM_WHOLE:
    case DATUM_DATE:
        return (struct number){
            .kind = NUMBER_WHOLE, .whole = d->whole, .decimal = (double)d->whole};
    case DATUM_DECIMAL:
        return decimal_number(d->decimal);
    case DATUM_NULL:
    case DATUM_BOOL:
        break;
    }
    return (struct number){0};
}

/* ---- comparing ---- */

static int order(bool less, bool more)
{
    return more - less;
}

/* The digits of a whole number of any length, without leading zeros; *MINUS tells its sign. */
static struct span significant(const struct number *n, char own[DATUM_TEXT_MAX], bool *minus)
{
    struct span s = n->kind == NUMBER_BIG ? n->text : span_of(own, print_whole(n->whole, own));
    *minus = *s.at == '-';
    size_t skip = *s.at == '-' || *s.at == '+';
    while (skip < s.len && s.at[skip] == '0') {
        skip++;
    }
    return span_of(s.at + skip, s.len - skip);
}

static int compare_big(const struct number *a, const struct number *b)
{
    char own[2][DATUM_TEXT_MAX];
    bool minus[2];
    struct span x = significant(a, own[0], &minus[0]);
    struct span y = significant(b, own[1], &minus[1]);
    if (minus[0] != minus[1]) {
        return order(minus[0], minus[1]);
    }
    int sizes = x.len != y.len ? order(x.len<y.len, x.len> y.len) : memcmp(x.at, y.at, x.len);
    return minus[0] ? order(sizes > 0, sizes < 0) : order(sizes<0, sizes> 0);
}

static bool is_rough(const struct number *n)
{
    return n->kind == NUMBER_DECIMAL || (n->kind == NUMBER_BIG && !n->text.at);
}

int number_compare(const struct number *a, const struct number *b)
{
    if (is_rough(a) || is_rough(b)) {
        return isnan(a->decimal) || isnan(b->decimal)
                   ? 2
                   : order(a->decimal<b->decimal, a->decimal> b->decimal);
    }
    if (a->kind == NUMBER_WHOLE && b->kind == NUMBER_WHOLE) {
        return order(a->whole<b->whole, a->whole> b->whole);
    }
    return compare_big(a, b);
}

/* Unicode's white space but for what does not break (Java's Character.isWhitespace). */
static bool is_space(uint32_t c)
{
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A && c != 0x2007) || c == 0x2028 || c == 0x2029 ||
           c == 0x205F || c == 0x3000;
}

bool datum_is_blank(const struct datum *d)
{
    if (d->kind != DATUM_TEXT) {
        return d->kind == DATUM_NULL;
    }
    const char *end = d->text.at + d->text.len;
    size_t len;
    for (const char *at = d->text.at; at < end; at += len) {
        if (!is_space(utf8_read(at, end, &len))) {
            return false;
        }
    }
    return true;
}

bool datum_equal(const struct datum *a, const struct datum *b, struct arena *arena)
{
    if (a->kind == DATUM_NULL || b->kind == DATUM_NULL) {
        return false;
    }
    /* as a number, for what a date prints lacks the milliseconds */
    struct datum x = *a;
    struct datum y = *b;
    x.kind = x.kind == DATUM_DATE ? DATUM_WHOLE : x.kind;
    y.kind = y.kind == DATUM_DATE ? DATUM_WHOLE : y.kind;
    return span_equal(datum_print(&x, arena), datum_print(&y, arena));
}

int datum_truth(const struct datum *d)
{
    if (d->kind == DATUM_NULL) {
        return -1;
    }
    if (d->kind == DATUM_TEXT) {
        struct span s = datum_trim(d->text);
        return s.len == 4 && strncasecmp(s.at, "true", 4) == 0;
    }
    return d->kind == DATUM_BOOL && d->truth;
}
