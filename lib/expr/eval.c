#include "expr/node.h"

#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* What evaluation needs to know. */
struct scope {
    const struct expr *x;
    const struct span *values;
    struct arena *arena;
    struct err *e;
};

static int fail(const struct scope *s, const struct node *n, const char *text)
{
    err_set(s->e, ERR_DATA, "expression '%s': %s at character %zu",
            err_show(s->x->text, strlen(s->x->text), n->at).text, text,
            err_character(s->x->text, n->at));
    err_quote(s->e, s->x->text, strlen(s->x->text), n->at);
    return -1;
}

int call_fail(const struct call *c, const char *format, ...)
{
    char text[ERR_TEXT_MAX / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    err_set(c->err, ERR_DATA, "expression '%s': %s: %s at character %zu",
            err_show(c->expr->text, strlen(c->expr->text), c->node->at).text,
            c->node->function->name, text, err_character(c->expr->text, c->node->at));
    err_quote(c->err, c->expr->text, strlen(c->expr->text), c->node->at);
    return -1;
}

static int eval(const struct scope *s, const struct node *n, struct span *result);

static int eval_path(const struct scope *s, const struct node *n, struct span *result)
{
    const struct path *p = expr_path(s->x, n->path);
    *result = s->values[n->path];
    if (result->at) {
        return 0;
    }
    *result = value_null();
    return p->optional
               ? 0
               : err_set(s->e, ERR_DATA, "there is no %s (write '?' behind it for null)", p->text);
}

/* The values of N's children, in the arena. */
static int eval_children(const struct scope *s, const struct node *n, struct span **values)
{
    size_t i = 0;
    *values = arena_take(s->arena, n->count * sizeof **values);
    for (const struct node *child = n->child; child; child = child->next) {
        if (eval(s, child, &(*values)[i++]) < 0) {
            return -1;
        }
    }
    return 0;
}

/* An array of VALUES; with STEP 2 an object of names and values. */
static struct span put_together(struct arena *a, const struct span *values, size_t count, int step)
{
    struct buf b = {0};
    buf_add_byte(&b, step == 1 ? '[' : '{');
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            buf_add_byte(&b, step == 2 && i % 2 == 1 ? ':' : ',');
        }
        buf_add_span(&b, values[i]);
    }
    buf_add_byte(&b, step == 1 ? ']' : '}');
    struct span made = arena_copy(a, buf_span(&b));
    buf_release(&b);
    return made;
}

static int eval_list(const struct scope *s, const struct node *n, struct span *result)
{
    struct span *values;
    if (eval_children(s, n, &values) < 0) {
        return -1;
    }
    *result = put_together(s->arena, values, n->count, n->kind == NODE_ARRAY ? 1 : 2);
    return 0;
}

static int eval_call(const struct scope *s, const struct node *n, struct span *result)
{
    struct span *values;
    if (eval_children(s, n, &values) < 0) {
        return -1;
    }
    struct call call = {
        .node = n, .expr = s->x, .args = values, .count = n->count, .arena = s->arena, .err = s->e};
    return n->function->fn(&call, result);
}

/* The value of N, which must be a boolean. */
static int eval_truth(const struct scope *s, const struct node *n, bool *truth)
{
    struct span v;
    if (eval(s, n, &v) < 0) {
        return -1;
    }
    if (!value_is(v, SCAN_TRUE) && !value_is(v, SCAN_FALSE)) {
        char text[80];
        snprintf(text, sizeof text, "a boolean expected, not %s", value_kind_name(v));
        return fail(s, n, text);
    }
    *truth = value_is(v, SCAN_TRUE);
    return 0;
}

/* && and ||: the second operand is looked at only if it decides. */
static int eval_logic(const struct scope *s, const struct node *n, struct span *result)
{
    bool truth;
    if (eval_truth(s, n->child, &truth) < 0) {
        return -1;
    }
    if (truth == (n->kind == NODE_AND) && eval_truth(s, n->child->next, &truth) < 0) {
        return -1;
    }
    *result = value_bool(truth);
    return 0;
}

static int eval_not(const struct scope *s, const struct node *n, struct span *result)
{
    bool truth;
    if (eval_truth(s, n->child, &truth) < 0) {
        return -1;
    }
    *result = value_bool(!truth);
    return 0;
}

static int eval_minus(const struct scope *s, const struct node *n, struct span *result)
{
    struct span v;
    if (eval(s, n->child, &v) < 0) {
        return -1;
    }
    if (!value_is(v, SCAN_NUMBER)) {
        return fail(s, n, "'-' needs a number");
    }
    if (v.at[0] == '-') {
        *result = span_of(v.at + 1, v.len - 1);
        return 0;
    }
    char *text = arena_take(s->arena, v.len + 1);
    text[0] = '-';
    memcpy(text + 1, v.at, v.len);
    *result = span_of(text, v.len + 1);
    return 0;
}

/* Order of two numbers or two strings; any other pair is an error. */
static int compare(const struct scope *s, const struct node *n, struct span a, struct span b,
                   int *order)
{
    if (value_is(a, SCAN_NUMBER) && value_is(b, SCAN_NUMBER)) {
        *order = value_compare_numbers(a, b);
        return 0;
    }
    if (!value_is(a, SCAN_STRING) || !value_is(b, SCAN_STRING)) {
        char text[120];
        snprintf(text, sizeof text, "%s and %s have no order", value_kind_name(a),
                 value_kind_name(b));
        return fail(s, n, text);
    }
    struct span x = value_text(s->arena, a);
    struct span y = value_text(s->arena, b);
    int bytes = memcmp(x.at, y.at, x.len < y.len ? x.len : y.len);
    *order = bytes ? bytes : (x.len > y.len) - (x.len < y.len);
    return 0;
}

static int equal(const struct scope *s, const struct node *n, struct span a, struct span b)
{
    int same = value_equal(s->arena, a, b);
    return same < 0 ? fail(s, n, "the values nest too deep to be compared") : same;
}

/* A in B: one of the elements of an array, or the name of a member of an object. */
static int within(const struct scope *s, const struct node *n, struct span a, struct span b)
{
    struct span unused;
    if (value_is(b, SCAN_OBJECT)) {
        return value_is(a, SCAN_STRING) && walk_member(b, value_text(s->arena, a), &unused);
    }
    if (!value_is(b, SCAN_ARRAY)) {
        return fail(s, n, "'in' needs an array or an object on its right");
    }
    struct walk w = walk_into(b);
    while (walk_next(&w)) {
        int same = equal(s, n, a, w.value);
        if (same != 0) {
            return same;
        }
    }
    return 0;
}

static bool holds(enum node_kind kind, int order)
{
    switch (kind) {
    case NODE_LESS:
        return order < 0;
    case NODE_LESS_EQUAL:
        return order <= 0;
    case NODE_GREATER:
        return order > 0;
    default: /* NODE_GREATER_EQUAL */
        return order >= 0;
    }
}

static int eval_comparison(const struct scope *s, const struct node *n, struct span *result)
{
    struct span *v;
    int truth;
    int order = 0;
    if (eval_children(s, n, &v) < 0) {
        return -1;
    }
    switch (n->kind) {
    case NODE_IN:
        truth = within(s, n, v[0], v[1]);
        break;
    case NODE_EQUAL:
        truth = equal(s, n, v[0], v[1]);
        break;
    case NODE_UNEQUAL:
        truth = equal(s, n, v[0], v[1]);
        truth = truth < 0 ? truth : !truth;
        break;
    default:
        truth = compare(s, n, v[0], v[1], &order);
        truth = truth < 0 ? truth : holds(n->kind, order);
        break;
    }
    *result = value_bool(truth == 1);
    return truth < 0 ? -1 : 0;
}

/* Recurses as deep as the expression nests. */
static int eval(const struct scope *s, const struct node *n, struct span *result)
{
    switch (n->kind) {
    case NODE_CONSTANT:
        *result = n->value;
        return 0;
    case NODE_PATH:
        return eval_path(s, n, result);
    case NODE_CALL:
        return eval_call(s, n, result);
    case NODE_ARRAY:
    case NODE_OBJECT:
        return eval_list(s, n, result);
    case NODE_NOT:
        return eval_not(s, n, result);
    case NODE_MINUS:
        return eval_minus(s, n, result);
    case NODE_OR:
    case NODE_AND:
        return eval_logic(s, n, result);
    default:
        return eval_comparison(s, n, result);
    }
}

int expr_eval(const struct expr *x, const struct span *values, struct arena *a, struct span *result,
              struct err *e)
{
    struct scope s = {.x = x, .values = values, .arena = a, .e = e};
    return eval(&s, x->root, result);
}
