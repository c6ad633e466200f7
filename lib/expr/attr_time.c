/* Functions of dates. */
#include "expr/attr_functions.h"

#include "base/clock.h"
#include "expr/attr_date.h"

int attr_fn_now(struct attr_call *c, struct datum *v)
{
    (void)c;
    *v = (struct datum){.kind = DATUM_DATE, .whole = clock_real() / CLOCK_MILLI};
    return 0;
}

/* Argument I, if it is there, is the time zone; else UTC. */
static int read_zone(struct attr_call *c, size_t i, struct date_zone *zone)
{
    struct span text;
    *zone = (struct date_zone){.name = "UTC"};
    if (!attr_has_arg(c, i)) {
        return 0;
    }
    if (attr_arg_text(c, i, &text) < 0) {
        return -1;
    }
    return text.at && date_zone(text, zone)
               ? 0
               : attr_fail(c,
                           "a time zone expected, such as UTC or GMT+02:00 (no names of places)");
}

/* Argument 0: the pattern; without one, that of printed dates. */
static int read_pattern(struct attr_call *c, struct span *pattern)
{
    *pattern = date_pattern();
    if (!attr_has_arg(c, 0)) {
        return 0;
    }
    if (attr_arg_text(c, 0, pattern) < 0) {
        return -1;
    }
    return pattern->at ? 0 : attr_fail(c, "a pattern expected");
}

/* What a text without a pattern means: milliseconds, or a date as it is printed. */
static bool guess(struct attr_call *c, const struct datum *v, int64_t *date)
{
    struct date_zone utc = {.name = "UTC"};
    struct number n = datum_number(v, c->run->arena);
    *date = n.whole;
    return n.kind == NUMBER_WHOLE ||
           (v->kind == DATUM_TEXT && !date_parse(datum_trim(v->text), date_pattern(), &utc, date));
}

int attr_fn_format(struct attr_call *c, struct datum *v)
{
    struct span pattern;
    struct date_zone zone;
    int64_t date;
    if (read_pattern(c, &pattern) < 0 || read_zone(c, 1, &zone) < 0) {
        return -1;
    }
    if (!guess(c, v, &date)) {
        *v = datum_null();
        return 0;
    }
    const char *fault = date_format(date, pattern, &zone, attr_buf(c));
    return fault ? attr_fail(c, "%s", fault) : attr_give(c, v);
}

int attr_fn_to_date(struct attr_call *c, struct datum *v)
{
    struct span pattern;
    struct date_zone zone;
    int64_t date = 0;
    if (v->kind == DATUM_NULL || v->kind == DATUM_DATE) {
        return 0;
    }
    if (read_pattern(c, &pattern) < 0 || read_zone(c, 1, &zone) < 0) {
        return -1;
    }
    if (attr_has_arg(c, 0) || !guess(c, v, &date)) {
        const char *fault = date_parse(attr_subject(c, v), pattern, &zone, &date);
        if (fault) {
            return attr_fail(c, "%s", fault);
        }
    }
    *v = (struct datum){.kind = DATUM_DATE, .whole = date};
    return 0;
}
