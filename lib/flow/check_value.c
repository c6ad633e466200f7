#include "base/near.h"
#include "expr/value.h"
#include "flow/check_parts.h"
#include "flow/rule.h"
#include "flow/schema_parts.h"

#include <inttypes.h>
#include <stdio.h>

bool check_kind(struct check *c, const struct node *n, enum node_kind kind)
{
    if (n->kind == kind) {
        return true;
    }
    const char *hint = kind == NODE_BOOL && n->kind == NODE_STRING
                           ? "; in YAML, yes, no, on and off are strings"
                           : "";
    tell_value(c->faults, n, "%.*s must be %s, not %s%s", TELL(n->key), node_kind_name(kind),
               node_kind_name(n->kind), hint);
    return false;
}

static bool is_number(struct span text, int64_t n, int order)
{
    char digits[24];
    int len = snprintf(digits, sizeof digits, "%" PRId64, n);
    int rc = value_compare_numbers(text, span_of(digits, (size_t)len));
    return rc == 0 || rc == order;
}

/* The number that N is, as JSON text; empty if it is none. */
static struct span number_of(const struct node *n, const struct field *f)
{
    struct span number = n->kind == NODE_NUMBER ? n->json : span_of("", 0);
    if (n->kind == NODE_STRING && f->flags & FIELD_AS_TEXT && n->text.len > 0 &&
        walk_kind(n->text) == SCAN_NUMBER) {
        struct scan s;
        scan_init(&s, 1);
        number = scan_check(&s, n->text.at, n->text.len) == 0 && !s.spaces ? n->text : number;
        scan_release(&s);
    }
    return number;
}

/* Whole numbers are written without a point or an exponent. */
static bool is_digits(struct span number)
{
    for (size_t i = 0; i < number.len; i++) {
        if (strchr(".eE", number.at[i])) {
            return false;
        }
    }
    return true;
}

void check_number(struct check *c, const struct node *n, const struct field *f)
{
    bool is_whole = f->kind == FIELD_INTEGER;
    const char *what = is_whole ? "a whole number" : "a number";
    struct span number = number_of(n, f);
    bool fits = number.len > 0 && is_number(number, f->min, 1) && is_number(number, f->max, -1) &&
                (!is_whole || is_digits(number));
    if (fits) {
        return;
    }
    if (f->max >= INT32_MAX) {
        tell_value(c->faults, n, "%.*s must be %s, at least %" PRId64, TELL(n->key), what, f->min);
    } else {
        tell_value(c->faults, n, "%.*s must be %s from %" PRId64 " to %" PRId64, TELL(n->key), what,
                   f->min, f->max);
    }
}

static void check_text_field(struct check *c, const struct node *n, const struct field *f)
{
    if (check_kind(c, n, NODE_STRING) && n->text.len < (size_t)f->min) {
        tell_value(c->faults, n, "%.*s must not be empty", TELL(n->key));
    }
}

static void check_word(struct check *c, const struct node *n, const struct field *f)
{
    if (!check_kind(c, n, NODE_STRING)) {
        return;
    }
    struct near near = near_to(n->text);
    struct buf all = {0};
    for (const char *const *word = f->words; *word; word++) {
        if (node_is(n, *word)) {
            buf_release(&all);
            return;
        }
        near_offer(&near, span_text(*word));
        buf_printf(&all, "%s%s", all.len > 0 ? ", " : "", *word);
    }
    const char *form = f->words[1] ? "%.*s is one of %s, not '%.*s'" : "%.*s is %s, not '%.*s'";
    tell_value(c->faults, n, form, TELL(n->key), buf_text(&all), TELL(n->text));
    buf_release(&all);
}

/* What an element of a list must be, if N is not that; NULL if it is. */
static const char *is_text(const struct node *n)
{
    return n->kind == NODE_STRING ? NULL : "a string";
}

static const char *is_error(const struct node *n)
{
    bool is_name = n->kind == NODE_STRING && n->text.len > 0 &&
                   !memchr(n->text.at, ',', n->text.len) && !memchr(n->text.at, ':', n->text.len);
    return is_name ? NULL : "the name of an error, without comma and colon";
}

static const char *is_argument(const struct node *n)
{
    bool is_scalar = n->kind == NODE_STRING || n->kind == NODE_NUMBER || n->kind == NODE_BOOL;
    return is_scalar && !memchr(n->text.at, '\0', n->text.len) ? NULL
                                                               : "a string without a NUL in it";
}

static void check_list_of(struct check *c, const struct node *n,
                          const char *(*refuses)(const struct node *))
{
    if (!check_kind(c, n, NODE_LIST)) {
        return;
    }
    if (n->count == 0) {
        tell_value(c->faults, n, "%.*s must not be empty", TELL(n->key));
    }
    for (const struct node *part = n->child; part; part = part->next) {
        const char *wanted = refuses(part);
        if (wanted) {
            tell_value(c->faults, part, "this must be %s", wanted);
        }
    }
}

/* A list of maps, each of which CHECK looks at. */
static void check_list(struct check *c, const struct node *n, const struct field *f,
                       void (*check)(struct check *, const struct node *, const struct table *))
{
    if (!check_kind(c, n, NODE_LIST)) {
        return;
    }
    if (n->count == 0 && f->flags & FIELD_NEEDED) {
        tell_value(c->faults, n, "%.*s must not be empty", TELL(n->key));
    }
    if (f->max > 0 && n->count > (size_t)f->max) {
        tell_value(c->faults, n, "%.*s has %zu parts; there may be %" PRId64, TELL(n->key),
                   n->count, f->max);
    }
    for (const struct node *part = n->child; part; part = part->next) {
        check(c, part, f->inner);
    }
}

/* A Choice rule: what it compares, and the fields beside that. */
static void check_rule(struct check *c, const struct node *n, const struct table *t)
{
    if (n->kind != NODE_MAP) {
        tell_value(c->faults, n, "%s must be a map, not %s", t->what, node_kind_name(n->kind));
        return;
    }
    bool is_refused = false;
    for (const struct node *part = n->child; part; part = part->next) {
        const struct field *f = table_find(t, part->key);
        bool is_of_rule = f && f->kind == FIELD_PATH;
        if (f && !is_of_rule) {
            check_value(c, part, f);
            is_refused = is_refused || f->kind == FIELD_REFUSED;
        }
    }
    if (!node_get(n, "Next")) {
        tell_value(c->faults, n, "%s must have Next", t->what);
    }
    if (!is_refused) {
        rule_free(rule_compile(n, c->faults));
    }
}

static void check_rules(struct check *c, const struct node *n)
{
    struct field list = {.name = "Choices", .flags = FIELD_NEEDED, .inner = &states_choice};
    check_list(c, n, &list, check_rule);
}

void check_value(struct check *c, const struct node *n, const struct field *f)
{
    unsigned roots = f->roots ? f->roots : FIELD_ROOTS_IN;
    if (n->kind == NODE_NULL && f->flags & FIELD_NULLABLE) {
        return;
    }
    switch (f->kind) {
    case FIELD_TEXT:
        check_text_field(c, n, f);
        break;
    case FIELD_WORD:
        check_word(c, n, f);
        break;
    case FIELD_BOOL:
        check_kind(c, n, NODE_BOOL);
        break;
    case FIELD_INTEGER:
    case FIELD_NUMBER:
        check_number(c, n, f);
        break;
    case FIELD_TIME:
        check_time(c, n);
        break;
    case FIELD_VALUE:
        break;
    case FIELD_ERRORS:
        check_list_of(c, n, is_error);
        break;
    case FIELD_COMMAND:
        check_list_of(c, n, is_argument);
        break;
    case FIELD_TEXTS:
        check_list_of(c, n, is_text);
        break;
    case FIELD_MAP_TEMPLATE:
        if (check_kind(c, n, NODE_MAP)) {
            check_template(c, n, roots);
        }
        break;
    case FIELD_TEMPLATE:
        check_template(c, n, roots);
        break;
    case FIELD_EXPRESSION:
        check_expression(c, n, roots);
        break;
    case FIELD_PATH:
        check_path(c, n);
        break;
    case FIELD_ITEMS:
        (n->kind == NODE_LIST ? check_template : check_expression)(c, n, roots);
        break;
    case FIELD_PLACE:
        check_place(c, n);
        break;
    case FIELD_POINTER:
        check_pointer(c, n);
        break;
    case FIELD_STATE:
        check_target(c, n);
        break;
    case FIELD_STATES:
        check_states(c, n);
        break;
    case FIELD_MAP:
        check_map(c, n, f->inner);
        break;
    case FIELD_MAPS:
        check_list(c, n, f, check_map);
        check_order(c, n);
        break;
    case FIELD_RULES:
        check_rules(c, n);
        break;
    case FIELD_SCOPE:
        check_scope(c, n, f->inner);
        break;
    case FIELD_SCOPES:
        check_list(c, n, f, check_scope);
        break;
    case FIELD_LABEL:
        check_label(c, n);
        break;
    case FIELD_REFUSED:
        tell_name(c->faults, n, "%.*s cannot be taken: %s", TELL(n->key), f->why);
        break;
    }
}
