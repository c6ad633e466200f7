/* Functions that compare, search and decide. */
#include "expr/attr_functions.h"

#include "expr/attr_case.h"
#include "expr/attr_utf16.h"

/* ---- null and empty ---- */

int attr_fn_is_null(struct attr_call *c, struct datum *v)
{
    (void)c;
    *v = datum_bool(v->kind == DATUM_NULL);
    return 0;
}

int attr_fn_not_null(struct attr_call *c, struct datum *v)
{
    (void)c;
    *v = datum_bool(v->kind != DATUM_NULL);
    return 0;
}

int attr_fn_is_empty(struct attr_call *c, struct datum *v)
{
    (void)c;
    *v = datum_bool(datum_is_blank(v));
    return 0;
}

int attr_fn_replace_null(struct attr_call *c, struct datum *v)
{
    return v->kind == DATUM_NULL ? attr_arg(c, 0, v) : 0;
}

int attr_fn_replace_empty(struct attr_call *c, struct datum *v)
{
    return datum_is_blank(v) ? attr_arg(c, 0, v) : 0;
}

/* ---- comparing ---- */

int attr_fn_equals(struct attr_call *c, struct datum *v)
{
    struct datum other;
    if (attr_arg(c, 0, &other) < 0) {
        return -1;
    }
    *v = datum_bool(datum_equal(v, &other, c->run->arena));
    return 0;
}

int attr_fn_equals_ignore_case(struct attr_call *c, struct datum *v)
{
    struct span text = attr_subject(c, v);
    struct span other;
    if (attr_arg_text(c, 0, &other) < 0) {
        return -1;
    }
    *v = datum_bool(text.at && other.at && case_equal(text, other));
    return 0;
}

int attr_fn_in(struct attr_call *c, struct datum *v)
{
    struct span text = attr_subject(c, v);
    bool found = false;
    for (size_t i = 0; attr_has_arg(c, i) && !found; i++) {
        struct span other;
        if (attr_arg_text(c, i, &other) < 0) {
            return -1;
        }
        found = text.at && other.at && span_equal(text, other);
    }
    *v = datum_bool(found);
    return 0;
}

/*
 * The order of subject and argument goes to *ORDER as number_compare has it; 2 where one of them is
 * no number.
 */
static int compare(struct attr_call *c, const struct datum *v, int *order)
{
    struct datum other;
    struct number a;
    struct number b;
    if (attr_arg(c, 0, &other) < 0 || attr_number(c, v, true, &a) < 0 ||
        attr_number(c, &other, true, &b) < 0) {
        return -1;
    }
    bool numbers = a.kind != NUMBER_NONE && b.kind != NUMBER_NONE;
    *order = numbers ? number_compare(&a, &b) : 2;
    return 0;
}

int attr_fn_gt(struct attr_call *c, struct datum *v)
{
    int order;
    if (compare(c, v, &order) < 0) {
        return -1;
    }
    *v = datum_bool(order == 1);
    return 0;
}

int attr_fn_ge(struct attr_call *c, struct datum *v)
{
    int order;
    if (compare(c, v, &order) < 0) {
        return -1;
    }
    *v = datum_bool(order == 0 || order == 1);
    return 0;
}

int attr_fn_lt(struct attr_call *c, struct datum *v)
{
    int order;
    if (compare(c, v, &order) < 0) {
        return -1;
    }
    *v = datum_bool(order == -1);
    return 0;
}

int attr_fn_le(struct attr_call *c, struct datum *v)
{
    int order;
    if (compare(c, v, &order) < 0) {
        return -1;
    }
    *v = datum_bool(order == -1 || order == 0);
    return 0;
}

/* ---- truth ---- */

/* The truth of the argument, which decides; null stays null for NiFi, elsewhere it is false. */
static int decide(struct attr_call *c, struct datum *v)
{
    if (attr_arg(c, 0, v) < 0) {
        return -1;
    }
    if (v->kind != DATUM_NULL || !attr_is_nifi(c)) {
        *v = datum_bool(datum_truth(v) == 1);
    }
    return 0;
}

/* To NiFi a null before it is as good as true. */
int attr_fn_and(struct attr_call *c, struct datum *v)
{
    int truth = datum_truth(v);
    if (truth == 1 || (truth < 0 && attr_is_nifi(c))) {
        return decide(c, v);
    }
    *v = datum_bool(false);
    return 0;
}

int attr_fn_or(struct attr_call *c, struct datum *v)
{
    if (datum_truth(v) != 1) {
        return decide(c, v);
    }
    *v = datum_bool(true);
    return 0;
}

int attr_fn_not(struct attr_call *c, struct datum *v)
{
    if (v->kind == DATUM_NULL && attr_is_nifi(c)) {
        return attr_fail(c, "the value is null");
    }
    *v = datum_bool(datum_truth(v) != 1);
    return 0;
}

int attr_fn_if_else(struct attr_call *c, struct datum *v)
{
    return attr_arg(c, datum_truth(v) == 1 ? 0 : 1, v);
}

/* ---- searching ---- */

/* The texts of subject and argument; false for *BOTH if one of them is null. */
static int two_texts(struct attr_call *c, const struct datum *v, struct span *text,
                     struct span *part, bool *both)
{
    *text = attr_subject(c, v);
    if (attr_arg_text(c, 0, part) < 0) {
        return -1;
    }
    *both = text->at && part->at;
    return 0;
}

int attr_fn_starts_with(struct attr_call *c, struct datum *v)
{
    struct span text;
    struct span part;
    bool both;
    if (two_texts(c, v, &text, &part, &both) < 0) {
        return -1;
    }
    *v = datum_bool(both && span_starts(text, part));
    return 0;
}

int attr_fn_ends_with(struct attr_call *c, struct datum *v)
{
    struct span text;
    struct span part;
    bool both;
    if (two_texts(c, v, &text, &part, &both) < 0) {
        return -1;
    }
    *v = datum_bool(both && text.len >= part.len &&
                    memcmp(text.at + text.len - part.len, part.at, part.len) == 0);
    return 0;
}

/* Where PART lies in TEXT for the first or the last time; NULL if it does not. */
static const char *locate(struct span text, struct span part, bool last)
{
    if (part.len == 0) {
        return last ? text.at + text.len : text.at;
    }
    const char *hit = memmem(text.at, text.len, part.at, part.len);
    const char *end = text.at + text.len;
    for (const char *next = hit; last && next;) {
        hit = next;
        next = memmem(hit + 1, (size_t)(end - hit) - 1, part.at, part.len);
    }
    return hit;
}

int attr_fn_contains(struct attr_call *c, struct datum *v)
{
    struct span text;
    struct span part;
    bool both;
    if (two_texts(c, v, &text, &part, &both) < 0) {
        return -1;
    }
    *v = datum_bool(both && locate(text, part, false));
    return 0;
}

/* The index is in UTF-16 units. */
static int index_of(struct attr_call *c, bool last, struct datum *v)
{
    struct span text;
    struct span part;
    bool both;
    if (two_texts(c, v, &text, &part, &both) < 0 || attr_no_null(c, 0, part.at || !text.at) < 0) {
        return -1;
    }
    const char *hit = both ? locate(text, part, last) : NULL;
    *v = datum_whole(hit ? utf16_length(span_of(text.at, (size_t)(hit - text.at))) : -1);
    return 0;
}

int attr_fn_index_of(struct attr_call *c, struct datum *v)
{
    return index_of(c, false, v);
}

int attr_fn_last_index_of(struct attr_call *c, struct datum *v)
{
    return index_of(c, true, v);
}

static int match(struct attr_call *c, enum regex_use use, struct datum *v)
{
    struct span text = attr_subject(c, v);
    const struct regex *regex;
    struct regex *own;
    if (attr_arg_regex(c, 0, use, &regex, &own) < 0) {
        return -1;
    }
    int hit = text.at && regex ? attr_matches(c, regex, text) : 0;
    regex_free(own);
    *v = datum_bool(hit == 1);
    return hit < 0 ? -1 : 0;
}

int attr_fn_matches(struct attr_call *c, struct datum *v)
{
    return match(c, REGEX_WHOLE, v);
}

int attr_fn_find(struct attr_call *c, struct datum *v)
{
    return match(c, REGEX_PART, v);
}
