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

/* Argument I, if it has a value, is the time zone; else UTC. */
static int read_zone(struct attr_call *c, size_t i, struct date_zone *zone)
{
    const struct date_zone *known = attr_arg_zone(c, i);
    struct span text = {0};
    struct err e = {0};
    *zone = known ? *known : (struct date_zone){.name = "UTC"};
    if (known || !attr_has_arg(c, i)) {
        return 0;
    }
    if (attr_arg_text(c, i, &text) < 0) {
        return -1;
    }
    return !text.at || date_zone(c->run->arena, text, zone, &e) == 0 ? 0
                                                                     : attr_fail(c, "%s", e.text);
}

/*
 * What a value without a pattern means as a date: milliseconds, which may be decimal if they are no
 * text, or one of the patterns that NiFi knows. 0, or -1 with the error set.
 */
static int take_date(struct attr_call *c, const struct datum *v, int64_t *date)
{
    static const char *const known[] = {"EEE MMM dd HH:mm:ss zzz yyyy", "yyyy/MM/dd HH:mm:ss.SSS",
                                        "yyyy/MM/dd HH:mm:ss"};
    struct date_zone utc = {.name = "UTC"};
    struct number n = datum_number(v, c->run->arena);
    if (n.kind == NUMBER_WHOLE || (n.kind == NUMBER_DECIMAL && v->kind == DATUM_DECIMAL)) {
        return attr_whole(c, v, date) < 0 ? -1 : 0;
    }
    struct span text = v->kind == DATUM_TEXT ? datum_trim(v->text) : SPAN_LIT("");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!date_parse(text, span_text(known[i]), &utc, date)) {
            return 0;
        }
    }
    return attr_fail(c, "the value is no date (toDate reads one by a pattern)");
}

int attr_fn_format(struct attr_call *c, struct datum *v)
{
    struct span pattern;
    struct date_zone zone;
    int64_t date;
    if (v->kind == DATUM_NULL) {
        return 0;
    }
    if (attr_arg_text(c, 0, &pattern) < 0 || read_zone(c, 1, &zone) < 0 ||
        take_date(c, v, &date) < 0) {
        return -1;
    }
    if (!pattern.at) {
        return attr_fail(c, "a pattern expected");
    }
    const char *fault = date_format(date, pattern, &zone, attr_buf(c));
    return fault ? attr_fail(c, "%s", fault) : attr_give(c, v);
}

/* A text by a pattern; without one, or of a number, the milliseconds that it is. */
int attr_fn_to_date(struct attr_call *c, struct datum *v)
{
    struct span pattern;
    struct date_zone zone;
    int64_t date = 0;
    if (v->kind == DATUM_NULL || v->kind == DATUM_DATE) {
        return 0;
    }
    if (v->kind != DATUM_TEXT || !attr_has_arg(c, 0)) {
        int is_number = attr_whole(c, v, &date);
        *v = is_number == 1 ? (struct datum){.kind = DATUM_DATE, .whole = date} : datum_null();
        return is_number < 0 ? -1 : 0;
    }
    if (attr_arg_text(c, 0, &pattern) < 0 || read_zone(c, 1, &zone) < 0) {
        return -1;
    }
    if (!pattern.at) {
        *v = datum_null();
        return 0;
    }
    const char *fault = date_parse(v->text, pattern, &zone, &date);
    if (fault) {
        return attr_fail(c, "%s", fault);
    }
    *v = (struct datum){.kind = DATUM_DATE, .whole = date};
    return 0;
}
