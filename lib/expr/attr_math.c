/* Functions of numbers. */
#include "expr/attr_functions.h"

#include "base/uuid.h"

#include <math.h>

/* ---- arithmetic ---- */

/* The two numbers of an operation: both whole, or both decimal. */
struct operands {
    bool decimal;
    int64_t a, b;
    double x, y;
};

/* 1, or 0 if one of them is no number (the result is null then), or -1. */
static int operands(struct attr_call *c, const struct datum *v, struct operands *o)
{
    struct datum other;
    struct number a;
    struct number b;
    if (attr_arg(c, 0, &other) < 0 || attr_number(c, v, false, &a) < 0 ||
        attr_number(c, &other, false, &b) < 0) {
        return -1;
    }
    *o = (struct operands){.decimal = a.kind == NUMBER_DECIMAL || b.kind == NUMBER_DECIMAL,
                           .a = a.whole,
                           .b = b.whole,
                           .x = a.decimal,
                           .y = b.decimal};
    return a.kind != NUMBER_NONE && b.kind != NUMBER_NONE;
}

/* N, unless it wrapped around, which only NiFi lets pass. */
static int give_whole(struct attr_call *c, int64_t n, bool wrapped, struct datum *v)
{
    if (wrapped && !c->run->t->rules.nifi) {
        return attr_fail(c, "the result does not fit 64 bits");
    }
    *v = datum_whole(n);
    return 0;
}

static int give_null(struct datum *v)
{
    *v = datum_null();
    return 0;
}

int attr_fn_plus(struct attr_call *c, struct datum *v)
{
    struct operands o;
    int64_t n;
    int rc = operands(c, v, &o);
    if (rc <= 0) {
        return rc < 0 ? -1 : give_null(v);
    }
    if (o.decimal) {
        *v = datum_decimal(o.x + o.y);
        return 0;
    }
    bool wrapped = __builtin_add_overflow(o.a, o.b, &n);
    return give_whole(c, n, wrapped, v);
}

int attr_fn_minus(struct attr_call *c, struct datum *v)
{
    struct operands o;
    int64_t n;
    int rc = operands(c, v, &o);
    if (rc <= 0) {
        return rc < 0 ? -1 : give_null(v);
    }
    if (o.decimal) {
        *v = datum_decimal(o.x - o.y);
        return 0;
    }
    bool wrapped = __builtin_sub_overflow(o.a, o.b, &n);
    return give_whole(c, n, wrapped, v);
}

int attr_fn_multiply(struct attr_call *c, struct datum *v)
{
    struct operands o;
    int64_t n;
    int rc = operands(c, v, &o);
    if (rc <= 0) {
        return rc < 0 ? -1 : give_null(v);
    }
    if (o.decimal) {
        *v = datum_decimal(o.x * o.y);
        return 0;
    }
    bool wrapped = __builtin_mul_overflow(o.a, o.b, &n);
    return give_whole(c, n, wrapped, v);
}

int attr_fn_divide(struct attr_call *c, struct datum *v)
{
    struct operands o;
    int rc = operands(c, v, &o);
    if (rc <= 0) {
        return rc < 0 ? -1 : give_null(v);
    }
    if (o.decimal) {
        *v = datum_decimal(o.x / o.y);
        return 0;
    }
    if (o.b == 0) {
        return attr_fail(c, "division by zero");
    }
    bool wrapped = o.b == -1 && o.a == INT64_MIN;
    return give_whole(c, wrapped ? o.a : o.a / o.b, wrapped, v);
}

int attr_fn_mod(struct attr_call *c, struct datum *v)
{
    struct operands o;
    int rc = operands(c, v, &o);
    if (rc <= 0) {
        return rc < 0 ? -1 : give_null(v);
    }
    if (o.decimal) {
        *v = datum_decimal(fmod(o.x, o.y));
        return 0;
    }
    if (o.b == 0) {
        return attr_fail(c, "division by zero");
    }
    *v = datum_whole(o.b == -1 ? 0 : o.a % o.b);
    return 0;
}

/* ---- between kinds ---- */

int attr_fn_to_number(struct attr_call *c, struct datum *v)
{
    int64_t n;
    int rc = attr_whole(c, v, &n);
    *v = rc == 1 ? datum_whole(n) : datum_null();
    return rc < 0 ? -1 : 0;
}

int attr_fn_to_decimal(struct attr_call *c, struct datum *v)
{
    struct number n;
    if (attr_number(c, v, false, &n) < 0) {
        return -1;
    }
    *v = n.kind == NUMBER_NONE ? datum_null() : datum_decimal(n.decimal);
    return 0;
}

/* The base: 1, or 0 if it is no number, or -1.  ANY: if it is none, 10 is taken. */
static int read_radix(struct attr_call *c, bool any, int64_t *radix)
{
    int rc = attr_arg_whole(c, 0, radix);
    if (rc <= 0) {
        return rc;
    }
    if (any && (*radix < 2 || *radix > 36)) {
        *radix = 10;
    }
    if (*radix >= 2 && *radix <= 36) {
        return 1;
    }
    return attr_fail(c, "a number from 2 to 36 expected as base");
}

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

int attr_fn_to_radix(struct attr_call *c, struct datum *v)
{
    int64_t n;
    int64_t radix;
    int64_t width = 0;
    int rc = attr_whole(c, v, &n);
    if (rc == 1) {
        rc = read_radix(c, attr_is_nifi(c), &radix);
    }
    if (rc <= 0) {
        return rc < 0 ? -1 : give_null(v);
    }
    if (attr_arg_whole(c, 1, &width) < 0) {
        return -1;
    }
    if (width > (int64_t)ATTR_TEXT_MAX) {
        return attr_fail(c, "the text would be longer than %zu bytes", ATTR_TEXT_MAX);
    }
    char text[65];
    size_t len = 0;
    uint64_t size = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;
    do {
        text[sizeof text - ++len] = digits[size % (uint64_t)radix];
        size /= (uint64_t)radix;
    } while (size > 0);
    struct buf *b = attr_buf(c);
    if (n < 0 && attr_is_nifi(c)) { /* which pads the text with its sign: "000-c" */
        text[sizeof text - ++len] = '-';
    } else if (n < 0) {
        buf_add_byte(b, '-');
    }
    for (int64_t have = (int64_t)(len + b->len); have < width; have++) {
        buf_add_byte(b, '0');
    }
    buf_add(b, text + sizeof text - len, len);
    return attr_give(c, v);
}

int attr_fn_from_radix(struct attr_call *c, struct datum *v)
{
    int64_t radix;
    struct span text = attr_subject(c, v);
    int rc = text.at ? read_radix(c, false, &radix) : 0;
    if (rc <= 0) {
        return rc < 0 ? -1 : give_null(v);
    }
    bool minus = text.len > 0 && *text.at == '-';
    size_t i = text.len > 0 && (minus || *text.at == '+');
    bool good = i < text.len;
    int64_t n = 0;
    for (; i < text.len && good; i++) {
        char low = (char)(text.at[i] >= 'A' && text.at[i] <= 'Z' ? text.at[i] | 0x20 : text.at[i]);
        const char *hit = low ? memchr(digits, low, (size_t)radix) : NULL;
        int digit = hit ? (int)(hit - digits) : 0;
        good = hit && !__builtin_mul_overflow(n, radix, &n) &&
               !__builtin_add_overflow(n, minus ? -digit : digit, &n);
    }
    if (!good) {
        return attr_fail(c, "no number of 64 bits in base %d", (int)radix);
    }
    *v = datum_whole(n);
    return 0;
}

int attr_fn_random(struct attr_call *c, struct datum *v)
{
    (void)c;
    uint64_t n;
    uuid_random(&n, sizeof n);
    *v = datum_whole((int64_t)(n >> 1));
    return 0;
}

/* ---- functions of mathematics ---- */

static double sign_of(double x)
{
    return isnan(x) || x == 0 ? x : x < 0 ? -1.0 : 1.0;
}

static double to_radians(double x)
{
    return x * (M_PI / 180.0);
}

static double to_degrees(double x)
{
    return x * (180.0 / M_PI);
}

static const struct {
    const char *name;
    double (*fn)(double);
} of_one[] = {
    {"acos", acos},
    {"asin", asin},
    {"atan", atan},
    {"cbrt", cbrt},
    {"ceil", ceil},
    {"cos", cos},
    {"cosh", cosh},
    {"exp", exp},
    {"expm1", expm1},
    {"floor", floor},
    {"log", log},
    {"log10", log10},
    {"log1p", log1p},
    {"rint", rint},
    {"signum", sign_of},
    {"sin", sin},
    {"sinh", sinh},
    {"sqrt", sqrt},
    {"tan", tan},
    {"tanh", tanh},
    {"toDegrees", to_degrees},
    {"abs", fabs},
    {"toRadians", to_radians},
};

static double least(double x, double y)
{
    return isnan(x) || isnan(y) ? NAN : fmin(x, y);
}

static double most(double x, double y)
{
    return isnan(x) || isnan(y) ? NAN : fmax(x, y);
}

static const struct {
    const char *name;
    double (*fn)(double, double);
} of_two[] = {
    {"atan2", atan2}, {"hypot", hypot}, {"max", most}, {"min", least}, {"pow", pow},
};

/* abs, max and min of whole numbers stay whole; round makes one.  1 if it was one of these. */
static int whole_math(struct attr_call *c, struct span name, const struct number *a,
                      const struct number *b, struct datum *v)
{
    bool whole = a->kind == NUMBER_WHOLE && (!b || b->kind == NUMBER_WHOLE);
    if (!b && span_equal(name, SPAN_LIT("round")) && !(whole && attr_is_nifi(c))) {
        *v = whole ? datum_whole(a->whole) : datum_decimal(floor(a->decimal + 0.5));
        return attr_fn_to_number(c, v) < 0 ? -1 : 1;
    }
    if (!whole) {
        return 0;
    }
    if (!b && span_equal(name, SPAN_LIT("abs"))) {
        bool wrapped = a->whole == INT64_MIN;
        return give_whole(c, a->whole < 0 && !wrapped ? -a->whole : a->whole, wrapped, v) < 0 ? -1
                                                                                              : 1;
    }
    bool max = b && span_equal(name, SPAN_LIT("max"));
    if (max || (b && span_equal(name, SPAN_LIT("min")))) {
        *v = datum_whole((a->whole > b->whole) == max ? a->whole : b->whole);
        return 1;
    }
    return 0;
}

static int decimal_math(struct attr_call *c, struct span name, const struct number *a,
                        const struct number *b, struct datum *v)
{
    bool whole = a->kind == NUMBER_WHOLE || (b && b->kind == NUMBER_WHOLE);
    if (whole && attr_is_nifi(c)) {
        return attr_fail(c, "NiFi has no '%.*s' of whole numbers",
                         name.len < 40 ? (int)name.len : 40, name.at);
    }
    for (size_t i = 0; !b && i < sizeof of_one / sizeof *of_one; i++) {
        if (span_equal(name, span_text(of_one[i].name))) {
            *v = datum_decimal(of_one[i].fn(a->decimal));
            return 0;
        }
    }
    for (size_t i = 0; b && i < sizeof of_two / sizeof *of_two; i++) {
        if (span_equal(name, span_text(of_two[i].name))) {
            *v = datum_decimal(of_two[i].fn(a->decimal, b->decimal));
            return 0;
        }
    }
    return attr_fail(c, "there is no '%.*s' of %s", name.len < 40 ? (int)name.len : 40, name.at,
                     b ? "two numbers" : "one number");
}

/* math('random') begins an expression. */
static int math_alone(struct attr_call *c, struct span name, struct datum *v)
{
    uint64_t n;
    if (!span_equal(name, SPAN_LIT("random"))) {
        return name.at ? attr_fail(c, "there is no '%.*s' without a number",
                                   name.len < 40 ? (int)name.len : 40, name.at)
                       : give_null(v);
    }
    uuid_random(&n, sizeof n);
    *v = datum_decimal((double)(n >> 11) * 0x1p-53);
    return 0;
}

/* math('random'), X:math('sqrt'), X:math('pow', Y) */
int attr_fn_math(struct attr_call *c, struct datum *v)
{
    struct span name;
    struct datum other;
    struct number a;
    struct number b;
    bool two = attr_has_arg(c, 1);
    if (attr_arg_text(c, 0, &name) < 0 || attr_arg(c, 1, &other) < 0 ||
        attr_number(c, v, false, &a) < 0 || attr_number(c, &other, false, &b) < 0) {
        return -1;
    }
    if (c->step->begins) {
        return math_alone(c, name, v);
    }
    if (!name.at || a.kind == NUMBER_NONE || (two && b.kind == NUMBER_NONE)) {
        return give_null(v);
    }
    int rc = whole_math(c, name, &a, two ? &b : NULL, v);
    return rc != 0 ? (rc < 0 ? -1 : 0) : decimal_math(c, name, &a, two ? &b : NULL, v);
}
