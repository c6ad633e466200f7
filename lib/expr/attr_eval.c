/* Evaluating attribute templates: values of nodes, steps along chains, what functions ask. */
#include "expr/attr_node.h"

#include "expr/attr_utf16.h"
#include "json/text.h"
#include "json/walk.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

int attr_fail(struct attr_call *c, const char *format, ...)
{
    char what[ERR_TEXT_MAX / 2];
    const struct attr_template *t = c->run->t;
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    err_set(c->run->err, ERR_DATA, "expression '%s': %s: %s at character %zu",
            err_show(t->text, t->len, c->step->at).text, c->step->function->name, what,
            err_character(t->text, c->step->at));
    err_quote(c->run->err, t->text, t->len, c->step->at);
    return -1;
}

/* ---- attributes ---- */

/* The text of a JSON string: within the line itself where nothing in it is escaped. */
static struct span string_text(struct attr_run *r, struct span string)
{
    struct span inner = span_of(string.at + 1, string.len - 2);
    if (!memchr(inner.at, '\\', inner.len)) {
        return inner;
    }
    buf_reset(r->buf);
    text_decode(r->buf, string);
    return arena_copy(r->arena, buf_span(r->buf));
}

static int outside(const struct attr_run *r, struct span name, struct datum *out)
{
    const char *value = NULL;
    size_t bad;
    if (r->t->outside && !memchr(name.at, '\0', name.len)) {
        value = r->t->outside(r->t->context, name.at);
    }
    if (value && !text_is_utf8(span_text(value), &bad)) {
        return err_set(r->err, ERR_DATA, "the variable '%s' is not UTF-8 at byte %zu", name.at,
                       bad);
    }
    *out = value ? datum_text(span_text(value)) : datum_null();
    return 0;
}

int attr_lookup(struct attr_run *r, struct span name, struct datum *out)
{
    struct span value;
    bool found = walk_member(r->line, name, &value);
    enum scan_kind kind = found ? walk_kind(value) : SCAN_NULL;
    if (kind == SCAN_NULL && r->t->rules.nifi &&
        datum_is_blank(&(struct datum){DATUM_TEXT, {name}})) {
        return err_set(r->err, ERR_DATA, "expression '%s': the name of an attribute is blank",
                       err_show(r->t->text, r->t->len, 0).text);
    }
    if (kind == SCAN_NULL) {
        return outside(r, name, out);
    }
    *out = datum_text(kind == SCAN_STRING ? string_text(r, value) : value);
    return 0;
}

/* ---- nodes ---- */

/* The texts of N's children in one; null counts as empty. */
static int join(struct attr_run *r, const struct attr_node *n, struct datum *out)
{
    size_t count = 0;
    for (const struct attr_node *c = n->child; c; c = c->next) {
        count++;
    }
    struct span *texts = arena_take(r->arena, count * sizeof *texts);
    size_t len = 0;
    count = 0;
    for (const struct attr_node *c = n->child; c; c = c->next) {
        struct datum d;
        if (attr_node_eval(r, c, &d) < 0) {
            return -1;
        }
        texts[count] = datum_print(&d, r->arena);
        len += texts[count++].len;
    }
    char *at = arena_take(r->arena, len + 1);
    *out = datum_text(span_of(at, len));
    for (size_t i = 0; i < count; i++) {
        if (texts[i].len > 0) {
            memcpy(at, texts[i].at, texts[i].len);
            at += texts[i].len;
        }
    }
    *at = '\0';
    return 0;
}

static int named_by(struct attr_run *r, const struct attr_node *n, struct datum *out)
{
    struct datum name;
    if (attr_node_eval(r, n->child, &name) < 0) {
        return -1;
    }
    *out = datum_null();
    return name.kind == DATUM_NULL
               ? 0
               : attr_lookup(r, arena_copy(r->arena, datum_print(&name, r->arena)), out);
}

int attr_step_eval(struct attr_run *r, const struct attr_step *s, struct datum *v)
{
    struct attr_call call = {.run = r, .step = s};
    return s->function->fn(&call, v);
}

static int chain(struct attr_run *r, const struct attr_node *n, struct datum *out)
{
    *out = datum_null();
    if (n->child && attr_node_eval(r, n->child, out) < 0) {
        return -1;
    }
    for (const struct attr_step *s = n->steps; s; s = s->next) {
        if (attr_step_eval(r, s, out) < 0) {
            return -1;
        }
    }
    return 0;
}

int attr_node_eval(struct attr_run *r, const struct attr_node *n, struct datum *out)
{
    switch (n->kind) {
    case ATTR_CONSTANT:
        *out = n->value;
        return 0;
    case ATTR_NAME:
        return attr_lookup(r, n->name, out);
    case ATTR_NAMED_BY:
        return named_by(r, n, out);
    case ATTR_JOIN:
        return join(r, n, out);
    case ATTR_CHAIN:
        return chain(r, n, out);
    case ATTR_OVER:
        return attr_over_eval(r, n, out);
    }
    return 0;
}

int attr_pieces_eval(struct attr_run *r, struct buf *out, bool *missing)
{
    *missing = false;
    for (const struct attr_node *n = r->t->pieces; n; n = n->next) {
        struct datum d;
        if (attr_node_eval(r, n, &d) < 0) {
            return -1;
        }
        if (d.kind == DATUM_NULL) {
            *missing = true;
        } else {
            buf_add_span(out, datum_print(&d, r->arena));
        }
    }
    return 0;
}

/* ---- what functions ask of their arguments ---- */

static const struct attr_node *argument(const struct attr_call *c, size_t i)
{
    const struct attr_node *n = c->step->args;
    while (n && i-- > 0) {
        n = n->next;
    }
    return n;
}

bool attr_has_arg(const struct attr_call *c, size_t i)
{
    return i < c->step->count;
}

int attr_arg(struct attr_call *c, size_t i, struct datum *d)
{
    const struct attr_node *n = argument(c, i);
    *d = datum_null();
    return n ? attr_node_eval(c->run, n, d) : 0;
}

int attr_arg_text(struct attr_call *c, size_t i, struct span *text)
{
    struct datum d;
    if (attr_arg(c, i, &d) < 0) {
        return -1;
    }
    *text = datum_print(&d, c->run->arena);
    return 0;
}

int attr_number(struct attr_call *c, const struct datum *d, bool big, struct number *n)
{
    *n = datum_number(d, c->run->arena);
    if (n->kind == NUMBER_BIG && (!big || c->run->t->rules.nifi)) {
        return attr_fail(c, "%.*s does not fit 64 bits", d->text.len < 60 ? (int)d->text.len : 60,
                         d->text.at);
    }
    return 0;
}

/* A decimal cut to a whole number. Java takes the nearest where none fits; we say so. */
static int cut(struct attr_call *c, double d, int64_t *out)
{
    const double end = 9223372036854775808.0; /* 2^63 */
    if (d >= -end && d < end) {
        *out = (int64_t)d;
        return 1;
    }
    if (!c->run->t->rules.nifi) {
        return attr_fail(c, "%g does not fit 64 bits", d);
    }
    *out = isnan(d) ? 0 : d < 0 ? INT64_MIN : INT64_MAX;
    return 1;
}

int attr_whole(struct attr_call *c, const struct datum *d, int64_t *out)
{
    struct number n;
    if (attr_number(c, d, false, &n) < 0) {
        return -1;
    }
    if (n.kind == NUMBER_DECIMAL) {
        return cut(c, n.decimal, out);
    }
    *out = n.whole;
    return n.kind == NUMBER_WHOLE;
}

int attr_arg_whole(struct attr_call *c, size_t i, int64_t *n)
{
    struct datum d;
    return attr_arg(c, i, &d) < 0 ? -1 : attr_whole(c, &d, n);
}

bool attr_is_nifi(const struct attr_call *c)
{
    return c->run->t->rules.nifi;
}

int attr_no_null(struct attr_call *c, size_t i, bool there)
{
    return there || !attr_is_nifi(c) ? 0 : attr_fail(c, "argument %zu has no value", i + 1);
}

struct span attr_subject(struct attr_call *c, const struct datum *v)
{
    return datum_print(v, c->run->arena);
}

struct buf *attr_buf(struct attr_call *c)
{
    buf_reset(c->run->buf);
    return c->run->buf;
}

int attr_give(struct attr_call *c, struct datum *v)
{
    *v = datum_text(arena_copy(c->run->arena, buf_span(c->run->buf)));
    return 0;
}

/* TEXT in the arena of R, with U+FFFD for each byte that is not part of UTF-8. */
static struct span lossy(struct attr_run *r, struct span text)
{
    struct buf out = {0};
    const char *end = text.at + text.len;
    size_t len;
    for (const char *at = text.at; at < end; at += len) {
        uint32_t ch = utf8_read(at, end, &len);
        utf8_add(&out, ch >= 0x80 && len == 1 ? 0xFFFD : ch);
    }
    struct span copy = arena_copy(r->arena, buf_span(&out));
    buf_release(&out);
    return copy;
}

int attr_give_bytes(struct attr_call *c, struct datum *v)
{
    struct span bytes = buf_span(c->run->buf);
    size_t bad;
    if (text_is_utf8(bytes, &bad)) {
        return attr_give(c, v);
    }
    if (!attr_is_nifi(c)) {
        return attr_fail(c, "the result is not UTF-8");
    }
    *v = datum_text(lossy(c->run, bytes));
    return 0;
}

int attr_arg_regex(struct attr_call *c, size_t i, enum regex_use use, const struct regex **regex,
                   struct regex **own)
{
    const struct attr_node *n = argument(c, i);
    struct span text;
    struct err e = {0};
    *own = NULL;
    *regex = n ? n->regex : NULL;
    if (*regex) {
        return 0;
    }
    if (attr_arg_text(c, i, &text) < 0) {
        return -1;
    }
    if (text.at && regex_compile(own, text, use, &e) < 0) {
        return attr_fail(c, "%s", e.text);
    }
    *regex = *own;
    return 0;
}

const struct date_zone *attr_arg_zone(const struct attr_call *c, size_t i)
{
    const struct attr_node *n = argument(c, i);
    return n ? n->zone : NULL;
}

int attr_matches(struct attr_call *c, const struct regex *regex, struct span text)
{
    struct err e = {0};
    int hit = regex_matches(regex, text, &e);
    return hit < 0 ? attr_fail(c, "%s", e.text) : hit;
}
