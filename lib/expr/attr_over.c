/* Expressions over several values: anyAttribute … allDelineatedValues, count and join. */
#include "expr/attr_functions.h"

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

/* anyDelineatedValue(text, delimiter), allDelineatedValues(text, delimiter) */
int attr_fn_delineated(struct attr_call *c, struct datum *v)
{
    struct attr_list *list = take_list(c->run);
    struct span text;
    struct span by;
    *v = datum_null();
    if (attr_arg_text(c, 0, &text) < 0 || attr_arg_text(c, 1, &by) < 0) {
        return -1;
    }
    size_t filled = 0; /* up to the last value that is not empty: as Java splits */
    while (text.at) {
        const char *hit = by.len > 0 ? memmem(text.at, text.len, by.at, by.len) : NULL;
        size_t len = hit ? (size_t)(hit - text.at) : text.len;
        add(c->run, list, datum_text(span_of(text.at, len)));
        filled = len > 0 ? list->count : filled;
        text = hit ? span_of(hit + by.len, text.len - len - by.len) : (struct span){0};
    }
    list->count = filled;
    return 0;
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
        out->truth = datum_truth(&list->items[i]) == 1;
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
