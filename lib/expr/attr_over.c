/* Expressions over several values: anyAttribute … allDelineatedValues, count and join. */
#include "expr/attr_functions.h"

#include "expr/attr_utf16.h"
#include "json/text.h"
#include "json/walk.h"

static void add(struct attr_run *r, struct attr_list *list, struct datum d)
{
    if (list->count == list->cap) {
        size_t cap = list->cap ? 2 * list->cap : 16;
        struct datum *items = arena_take(r->arena, cap * sizeof *items);
        if (list->count > 0) {
            memcpy(items, list->items, list->count * sizeof *items);
        }
        list->items = items;
        list->cap = cap;
    }
    list->items[list->count++] = d;
}

/* The list that was left for this function; arguments must not find it. */
static struct attr_list *take_list(struct attr_run *r)
{
    struct attr_list *list = r->list;
    r->list = NULL;
    return list;
}

/* ---- which values: the functions that begin such an expression ---- */

/* anyAttribute(name, …), allAttributes(name, …) */
int attr_fn_named(struct attr_call *c, struct datum *v)
{
    struct attr_list *list = take_list(c->run);
    for (size_t i = 0; attr_has_arg(c, i); i++) {
        struct span name;
        if (attr_arg_text(c, i, &name) < 0) {
            return -1;
        }
        *v = datum_null();
        if (name.at && attr_lookup(c->run, arena_copy(c->run->arena, name), v) < 0) {
            return -1;
        }
        add(c->run, list, *v);
    }
    return 0;
}

/* Add the attributes whose names REGEX matches as a whole. */
static int add_matching(struct attr_call *c, const struct regex *regex, struct attr_list *list)
{
    struct walk w = walk_into(c->run->line);
    while (walk_next(&w)) {
        struct span last;
        struct datum d;
        buf_reset(c->run->buf);
        text_decode(c->run->buf, w.key);
        struct span name = arena_copy(c->run->arena, buf_span(c->run->buf));
        int hit = attr_matches(c, regex, name);
        if (hit < 0) {
            return -1;
        }
        /* of several members of one name the last counts; null is no attribute */
        if (hit && walk_kind(w.value) != SCAN_NULL && walk_member(c->run->line, name, &last) &&
            last.at == w.value.at) {
            if (attr_lookup(c->run, name, &d) < 0) {
                return -1;
            }
            add(c->run, list, d);
        }
    }
    return 0;
}

/* anyMatchingAttribute(pattern, …), allMatchingAttributes(pattern, …) */
int attr_fn_matching(struct attr_call *c, struct datum *v)
{
    struct attr_list *list = take_list(c->run);
    int rc = 0;
    *v = datum_null();
    if (walk_kind(c->run->line) != SCAN_OBJECT) {
        return 0;
    }
    for (size_t i = 0; attr_has_arg(c, i) && rc == 0; i++) {
        const struct regex *regex;
        struct regex *own;
        rc = attr_arg_regex(c, i, REGEX_WHOLE, &regex, &own);
        if (rc == 0 && regex) {
            rc = add_matching(c, regex, list);
        }
        regex_free(own);
    }
    return rc;
}

/* What stands between values: a text, or for NiFi a regular expression. */
struct delimiter {
    struct span text;
    struct regex *regex; /* NULL: a text, which may be empty and is then nowhere */
};

/* The first one in TEXT from the offset FROM on: 1, 0 or -1. */
static int find_delimiter(struct attr_call *c, const struct delimiter *d, struct span text,
                          size_t from, struct span *hit)
{
    struct err e = {0};
    if (d->regex) {
        int rc = regex_find(d->regex, text, from, hit, &e);
        return rc < 0 ? attr_fail(c, "%s", e.text) : rc;
    }
    const char *at = d->text.len > 0 && from <= text.len
                         ? memmem(text.at + from, text.len - from, d->text.at, d->text.len)
                         : NULL;
    *hit = span_of(at, d->text.len);
    return at ? 1 : 0;
}

/* Cut TEXT as Java's String.split does: without empty values at the end. */
static int split(struct attr_call *c, const struct delimiter *d, struct span text,
                 struct attr_list *list)
{
    size_t index = 0;  /* where a value begins */
    size_t from = 0;   /* where the next delimiter is sought */
    size_t filled = 0; /* values up to the last that is not empty */
    struct span hit;
    int rc;
    while (from <= text.len && (rc = find_delimiter(c, d, text, from, &hit)) != 0) {
        if (rc < 0) {
            return -1;
        }
        size_t start = (size_t)(hit.at - text.at);
        if (start > 0 || hit.len > 0) {
            add(c->run, list, datum_text(span_of(text.at + index, start - index)));
            filled = start > index ? list->count : filled;
            index = start + hit.len;
        }
        size_t step = 1;
        if (start < text.len) {
            utf8_read(hit.at, text.at + text.len, &step);
        }
        from = start + (hit.len > 0 ? hit.len : step);
    }
    add(c->run, list, datum_text(span_of(text.at + index, text.len - index)));
    list->count = text.len > index || list->count == 1 ? list->count : filled;
    return 0;
}

/* anyDelineatedValue(text, delimiter), allDelineatedValues(text, delimiter) */
int attr_fn_delineated(struct attr_call *c, struct datum *v)
{
    struct attr_list *list = take_list(c->run);
    struct span text;
    struct delimiter d = {0};
    struct err e = {0};
    *v = datum_null();
    if (attr_arg_text(c, 0, &text) < 0 || attr_arg_text(c, 1, &d.text) < 0) {
        return -1;
    }
    if (!text.at || !d.text.at) {
        return 0;
    }
    if (attr_is_nifi(c) && regex_compile(&d.regex, d.text, REGEX_PART, &e) < 0) {
        return attr_fail(c, "%s", e.text);
    }
    int rc = split(c, &d, text, list);
    regex_free(d.regex);
    return rc;
}

/* ---- one value of them: the functions that end it ---- */

/* How many values are neither null nor false. */
int attr_fn_count(struct attr_call *c, struct datum *v)
{
    struct attr_list one = {v, 1, 1};
    struct attr_list *list = take_list(c->run);
    list = list ? list : &one;
    int64_t n = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct datum *d = &list->items[i];
        n += d->kind != DATUM_NULL && !(d->kind == DATUM_BOOL && !d->truth);
    }
    *v = datum_whole(n);
    return 0;
}

int attr_fn_join(struct attr_call *c, struct datum *v)
{
    struct attr_list one = {v, 1, 1};
    struct attr_list *list = take_list(c->run);
    list = list ? list : &one;
    struct span by;
    if (attr_arg_text(c, 0, &by) < 0) {
        return -1;
    }
    struct buf *b = attr_buf(c);
    for (size_t i = 0; i < list->count; i++) {
        if (i > 0) {
            buf_add_span(b, by);
        }
        buf_add_span(b, datum_print(&list->items[i], c->run->arena));
    }
    return attr_give(c, v);
}

/* ---- the expression ---- */

/* The steps from S on, up to a reducing one or the last, for one value. */
static int apply(struct attr_run *r, const struct attr_step *s, struct datum *v)
{
    for (; s && !(s->function->flags & ATTR_REDUCES); s = s->next) {
        if (attr_step_eval(r, s, v) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Any, or all, of them true? */
static int judge(struct attr_run *r, const struct attr_step *first, struct attr_list *list,
                 struct datum *out)
{
    bool any = first->function->flags & ATTR_ANY;
    *out = datum_bool(!any);
    for (size_t i = 0; i < list->count && out->truth != any; i++) {
        if (apply(r, first->next, &list->items[i]) < 0) {
            return -1;
        }
        int truth = datum_truth(&list->items[i]);
        if (truth >= 0 || !r->t->rules.nifi) {
            out->truth = truth == 1;
        } else if (i == 0) { /* to NiFi a null decides if it is the first, else it does not count */
            *out = datum_bool(false);
            return 0;
        }
    }
    return 0;
}

int attr_over_eval(struct attr_run *r, const struct attr_node *n, struct datum *out)
{
    struct attr_list list = {0};
    struct attr_list *outer = r->list;
    const struct attr_step *first = n->steps;
    r->list = &list;
    int rc = attr_step_eval(r, first, out);
    r->list = outer;
    if (rc < 0) {
        return -1;
    }
    if (list.count == 0) {
        add(r, &list, datum_null()); /* none at all is as if one were missing */
    }
    const struct attr_step *reducer = first->next;
    while (reducer && !(reducer->function->flags & ATTR_REDUCES)) {
        reducer = reducer->next;
    }
    if (!reducer) {
        return judge(r, first, &list, out);
    }
    for (size_t i = 0; i < list.count; i++) {
        if (apply(r, first->next, &list.items[i]) < 0) {
            return -1;
        }
    }
    *out = datum_null();
    r->list = &list;
    rc = attr_step_eval(r, reducer, out);
    r->list = outer;
    for (reducer = reducer->next; reducer && rc == 0; reducer = reducer->next) {
        rc = attr_step_eval(r, reducer, out);
    }
    return rc;
}
