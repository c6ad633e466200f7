#include "base/stamp.h"
#include "expr/expr.h"
#include "expr/template.h"
#include "flow/check_parts.h"

#include <stdio.h>

#define LABEL_MAX 40

static bool check_string(struct check *c, const struct node *n, const char *what)
{
    if (n->kind == NODE_STRING) {
        return true;
    }
    tell_value(c->faults, n, "%.*s must be %s in a string, not %s", TELL(n->key), what,
               node_kind_name(n->kind));
    return false;
}

/* "$Input, $Context or $Global", as ROOTS say. */
static void list_roots(unsigned roots, char *out, size_t size)
{
    static const char *const names[] = {
        [PATH_INPUT] = "$Input",   [PATH_ITEM] = "$Item",     [PATH_CONTEXT] = "$Context",
        [PATH_OUTPUT] = "$Output", [PATH_GLOBAL] = "$Global",
    };
    size_t len = 0;
    out[0] = '\0';
    for (unsigned i = 0; i < PATH_HERE; i++) {
        unsigned left = roots >> i;
        if (left & 1U) {
            const char *between = len == 0 ? "" : left > 1U ? ", " : " or ";
            len += (size_t)snprintf(out + len, size - len, "%s%s", between, names[i]);
        }
    }
}

/* Each path of X must begin with one of ROOTS. */
static void check_roots(struct check *c, const struct node *n, const struct expr *x, unsigned roots)
{
    const char *text = expr_text(x);
    for (size_t i = 0; i < expr_path_count(x); i++) {
        const struct path *p = expr_path(x, i);
        if (p->root < PATH_HERE && roots & 1U << p->root) {
            continue;
        }
        struct err e = {0};
        char names[80];
        const char *at = strstr(text, p->text);
        list_roots(roots, names, sizeof names);
        err_set(&e, ERR_USAGE, "'%s': %s expected here", p->text, names);
        err_quote(&e, text, strlen(text), at ? (size_t)(at - text) : 0);
        tell_text(c->faults, n, &e);
    }
}

void check_expression(struct check *c, const struct node *n, unsigned roots)
{
    struct err e = {0};
    struct expr *x;
    if (!check_string(c, n, "an expression")) {
        return;
    }
    if (expr_compile(&x, n->text, &e) < 0) {
        tell_text(c->faults, n, &e);
        return;
    }
    check_roots(c, n, x, roots);
    expr_free(x);
}

static void check_expressions(struct check *c, const struct node *n, unsigned roots)
{
    for (const struct node *part = n->child; part; part = part->next) {
        struct span end = SPAN_LIT(".$");
        bool is_expression = n->kind == NODE_MAP && part->key.len >= end.len &&
                             memcmp(part->key.at + part->key.len - end.len, end.at, end.len) == 0;
        if (is_expression) {
            check_expression(c, part, roots);
        } else {
            check_expressions(c, part, roots);
        }
    }
}

/* What is wrong with none of the expressions is told of the whole. */
void check_template(struct check *c, const struct node *n, unsigned roots)
{
    size_t before = c->faults->count;
    check_expressions(c, n, roots);
    if (c->faults->count > before) {
        return;
    }
    struct buf json = {0};
    struct template *t = NULL;
    struct err e = {0};
    node_json(n, &json);
    if (template_compile_scene(&t, buf_span(&json), roots, &e) < 0) {
        tell_value(c->faults, n, "%s", e.text);
    }
    template_free(t);
    buf_release(&json);
}

/* Parse N as a path from a root; P is the caller's to release if true. */
static bool parse_path(struct check *c, const struct node *n, struct path *p)
{
    struct err e = {0};
    if (!check_string(c, n, "a path")) {
        return false;
    }
    if (path_parse(p, n->text, &e) < 0) {
        tell_text(c->faults, n, &e);
        return false;
    }
    if (p->root != PATH_INPUT && p->root != PATH_CONTEXT) {
        tell_value(c->faults, n, "%.*s must begin with $ or $$", TELL(n->key));
        path_release(p);
        return false;
    }
    return true;
}

void check_path(struct check *c, const struct node *n)
{
    struct path p;
    if (parse_path(c, n, &p)) {
        path_release(&p);
    }
}

void check_place(struct check *c, const struct node *n)
{
    struct path p;
    if (!parse_path(c, n, &p)) {
        return;
    }
    if (p.root != PATH_INPUT || p.optional) {
        tell_value(c->faults, n, "%.*s must be a place in the data: $.name", TELL(n->key));
    }
    path_release(&p);
}

void check_pointer(struct check *c, const struct node *n)
{
    struct err e = {0};
    struct path p;
    if (!check_string(c, n, "a JSON Pointer")) {
        return;
    }
    if (path_parse_pointer(&p, n->text, &e) < 0) {
        tell_text(c->faults, n, &e);
        return;
    }
    path_release(&p);
}

static bool is_control(const char *at, size_t len)
{
    unsigned char c = (unsigned char)at[0];
    return c < 0x20 || c == 0x7F ||
           (c == 0xC2 && len > 1 && (unsigned char)at[1] >= 0x80 && (unsigned char)at[1] <= 0x9F);
}

/* reference/distributed-map.md 2.6 */
void check_label(struct check *c, const struct node *n)
{
    if (!check_kind(c, n, NODE_STRING)) {
        return;
    }
    size_t characters = err_character(n->text.at, n->text.len) - 1;
    if (n->text.len == 0 || characters > LABEL_MAX) {
        tell_value(c->faults, n, "Label must have 1 to %d characters", LABEL_MAX);
        return;
    }
    for (size_t i = 0; i < n->text.len; i++) {
        const char *at = n->text.at + i;
        if (is_control(at, n->text.len - i) || strchr(" ?*<>{}[]:;,\\|^~$#%&`\"", *at)) {
            tell_value(c->faults, n,
                       "Label must have no white space, control characters or any of "
                       "? * < > { } [ ] : ; , \\ | ^ ~ $ # %% & ` \"");
            return;
        }
    }
}

/* An expression stands for a time where CloudFlow takes either. */
void check_time(struct check *c, const struct node *n)
{
    int64_t real;
    if (!check_kind(c, n, NODE_STRING)) {
        return;
    }
    if (c->dialect == DIALECT_CLOUDFLOW && span_starts(n->text, SPAN_LIT("$"))) {
        check_expression(c, n, FIELD_ROOTS_IN);
    } else if (!stamp_read(n->text, &real) || n->text.at[10] != 'T') {
        tell_value(c->faults, n, "%.*s must be a time as 2024-08-18T17:33:00Z", TELL(n->key));
    }
}
