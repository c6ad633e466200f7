#include "expr/node.h"

#include "base/buf.h"
#include "base/mem.h"
#include "json/scan.h"
#include "json/text.h"

#include <stdlib.h>
#include <string.h>

/* Where parsing stands. */
struct cursor {
    struct expr *x;
    struct span text;
    size_t at;
    int nesting; /* parentheses, literals and operands within each other */
    int calls;   /* functions within each other */
    int operators;
    struct err *e;
};

static int refuse_at(struct cursor *c, size_t at, const char *what)
{
    err_set(c->e, ERR_USAGE, "expression '%s': %s at character %zu",
            err_show(c->text.at, c->text.len, at).text, what, err_character(c->text.at, at));
    err_quote(c->e, c->text.at, c->text.len, at);
    return -1;
}

static int refuse(struct cursor *c, const char *what)
{
    return refuse_at(c, c->at, what);
}

static void skip_blanks(struct cursor *c)
{
    while (c->at < c->text.len && strchr(" \t\r\n", c->text.at[c->at]) && c->text.at[c->at]) {
        c->at++;
    }
}

/* The next byte that is no blank, 0 at the end. */
static char peek(struct cursor *c)
{
    skip_blanks(c);
    return c->at < c->text.len ? c->text.at[c->at] : '\0';
}

/* Take TOKEN if it comes next. */
static bool take(struct cursor *c, const char *token)
{
    skip_blanks(c);
    struct span rest = span_of(c->text.at + c->at, c->text.len - c->at);
    if (!span_starts(rest, span_text(token))) {
        return false;
    }
    c->at += strlen(token);
    return true;
}

static struct node *new_node(struct cursor *c, enum node_kind kind, size_t at)
{
    struct node *n = arena_take(&c->x->arena, sizeof *n);
    *n = (struct node){.kind = kind, .at = at};
    return n;
}

static void add_child(struct node *parent, struct node *child)
{
    struct node **end = &parent->child;
    while (*end) {
        end = &(*end)->next;
    }
    *end = child;
    parent->count++;
}

static struct node *parse_or(struct cursor *c);

/* ---- constants ---- */

static struct node *constant(struct cursor *c, size_t at, struct span json)
{
    struct node *n = new_node(c, NODE_CONSTANT, at);
    n->value = arena_copy(&c->x->arena, json);
    return n;
}

/* Find the QUOTE that closes the string which begins at c->at; a backslash hides one if ESCAPES. */
static bool close_quote(struct cursor *c, char quote, bool escapes, size_t *end)
{
    for (size_t i = c->at + 1; i < c->text.len; i++) {
        if (escapes && c->text.at[i] == '\\') {
            i++;
        } else if (c->text.at[i] == quote) {
            *end = i;
            return true;
        }
    }
    refuse(c, "the string is not closed");
    return false;
}

/* "text": a JSON string as it stands. */
static struct node *double_quoted(struct cursor *c)
{
    size_t from = c->at;
    size_t end;
    if (!close_quote(c, '"', true, &end)) {
        return NULL;
    }
    struct span json = span_of(c->text.at + from, end + 1 - from);
    struct scan s;
    scan_init(&s, 1);
    int bad = scan_check(&s, json.at, json.len);
    size_t at = from + (size_t)s.offset;
    const char *fault = s.fault;
    scan_release(&s);
    if (bad) {
        refuse_at(c, at, fault);
        return NULL;
    }
    c->at = end + 1;
    return constant(c, from, json);
}

/* `text` as it is, 'text' with \' and \\ escaped. */
static struct node *plain_quoted(struct cursor *c, char quote)
{
    size_t from = c->at;
    size_t end;
    if (!close_quote(c, quote, quote == '\'', &end)) {
        return NULL;
    }
    struct buf text = {0};
    for (size_t i = from + 1; i < end; i++) {
        char byte = c->text.at[i];
        char next = c->text.at[i + 1];
        if (quote == '\'' && byte == '\\' && (next == '\'' || next == '\\')) {
            byte = next;
            i++;
        }
        buf_add_byte(&text, byte);
    }
    struct buf json = {0};
    text_encode_lossy(&json, buf_span(&text));
    struct node *n = constant(c, from, buf_span(&json));
    buf_release(&text);
    buf_release(&json);
    c->at = end + 1;
    return n;
}

static struct node *number(struct cursor *c)
{
    size_t from = c->at;
    while (c->at < c->text.len && strchr("0123456789.eE", c->text.at[c->at])) {
        char byte = c->text.at[c->at++];
        if ((byte == 'e' || byte == 'E') && c->at < c->text.len &&
            (c->text.at[c->at] == '+' || c->text.at[c->at] == '-')) {
            c->at++;
        }
    }
    struct span json = span_of(c->text.at + from, c->at - from);
    struct scan s;
    scan_init(&s, 1);
    int bad = scan_check(&s, json.at, json.len);
    scan_release(&s);
    if (bad) {
        refuse_at(c, from, "invalid number");
        return NULL;
    }
    return constant(c, from, json);
}

/* ---- paths, words, functions ---- */

static struct node *path(struct cursor *c)
{
    struct expr *x = c->x;
    struct node *n = new_node(c, NODE_PATH, c->at);
    size_t used;
    x->paths = mem_grow(x->paths, &x->path_cap, x->path_count, sizeof *x->paths);
    struct span rest = span_of(c->text.at + c->at, c->text.len - c->at);
    if (path_take(&x->paths[x->path_count], rest, &used, c->e) < 0) {
        return NULL;
    }
    n->path = x->path_count++;
    c->at += used;
    return n;
}

/* Children of N up to the byte CLOSE, separated by commas. */
static bool children(struct cursor *c, struct node *n, char close)
{
    if (peek(c) == close) {
        c->at++;
        return true;
    }
    for (;;) {
        struct node *child = parse_or(c);
        if (!child) {
            return false;
        }
        add_child(n, child);
        char next = peek(c);
        if (next != ',' && next != close) {
            refuse(c, close == ')' ? "',' or ')' expected" : "',' or ']' expected");
            return false;
        }
        c->at++;
        if (next == close) {
            return true;
        }
    }
}

static struct node *call(struct cursor *c, struct span name, size_t from)
{
    struct node *n = new_node(c, NODE_CALL, from);
    n->function = function_find(name);
    if (!n->function) {
        refuse_at(c, from, "there is no such function");
        return NULL;
    }
    if (++c->calls > EXPR_CALLS_MAX) {
        refuse_at(c, from, "more than 10 functions within each other");
        return NULL;
    }
    c->at++;
    if (!children(c, n, ')')) {
        return NULL;
    }
    c->calls--;
    if ((int)n->count < n->function->min ||
        (n->function->max >= 0 && (int)n->count > n->function->max)) {
        refuse_at(c, from, "wrong number of arguments");
        return NULL;
    }
    return n;
}

static bool is_word_byte(char b)
{
    return (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_' ||
           b == '.';
}

static struct span take_word(struct cursor *c)
{
    size_t from = c->at;
    while (c->at < c->text.len && is_word_byte(c->text.at[c->at])) {
        c->at++;
    }
    return span_of(c->text.at + from, c->at - from);
}

/* A word: a constant's name, or a function's. */
static struct node *word(struct cursor *c)
{
    size_t from = c->at;
    struct span name = take_word(c);
    if (peek(c) == '(') {
        return call(c, name, from);
    }
    if (span_equal(name, SPAN_LIT("true")) || span_equal(name, SPAN_LIT("false")) ||
        span_equal(name, SPAN_LIT("null"))) {
        return constant(c, from, name);
    }
    refuse_at(c, from, "a value expected");
    return NULL;
}

static struct node *object(struct cursor *c)
{
    struct node *n = new_node(c, NODE_OBJECT, c->at++);
    if (take(c, "}")) {
        return n;
    }
    do {
        struct node *name = peek(c) == '"' ? double_quoted(c) : NULL;
        if (!name || !take(c, ":")) {
            refuse(c, name ? "':' expected" : "a name in double quotes expected");
            return NULL;
        }
        add_child(n, name);
        struct node *value = parse_or(c);
        if (!value) {
            return NULL;
        }
        add_child(n, value);
    } while (take(c, ","));
    if (!take(c, "}")) {
        refuse(c, "',' or '}' expected");
        return NULL;
    }
    return n;
}

static struct node *array(struct cursor *c)
{
    struct node *n = new_node(c, NODE_ARRAY, c->at++);
    return children(c, n, ']') ? n : NULL;
}

static struct node *parentheses(struct cursor *c)
{
    c->at++;
    struct node *n = parse_or(c);
    if (n && !take(c, ")")) {
        refuse(c, "')' expected");
        return NULL;
    }
    return n;
}

static struct node *primary(struct cursor *c)
{
    char next = peek(c);
    switch (next) {
    case '$':
        return path(c);
    case '"':
        return double_quoted(c);
    case '`':
    case '\'':
        return plain_quoted(c, next);
    case '(':
        return parentheses(c);
    case '[':
        return array(c);
    case '{':
        return object(c);
    default:
        return next >= '0' && next <= '9' ? number(c) : word(c);
    }
}

/* ---- operators ---- */

static struct node *unary(struct cursor *c)
{
    char next = peek(c);
    size_t at = c->at;
    bool prefix =
        next == '-' || (next == '!' && !(at + 1 < c->text.len && c->text.at[at + 1] == '='));
    if (!prefix) {
        return primary(c);
    }
    c->at++;
    if (++c->nesting > EXPR_NESTING_MAX) {
        refuse(c, "nested too deep");
        return NULL;
    }
    struct node *n = new_node(c, next == '-' ? NODE_MINUS : NODE_NOT, at);
    struct node *operand = unary(c);
    c->nesting--;
    if (!operand) {
        return NULL;
    }
    add_child(n, operand);
    return n;
}

static struct node *binary(struct cursor *c, enum node_kind kind, size_t at, struct node *left,
                           struct node *right)
{
    if (right && ++c->operators > EXPR_OPERATORS_MAX) {
        refuse_at(c, at, "too many operators");
        return NULL;
    }
    if (!right) {
        return NULL;
    }
    struct node *n = new_node(c, kind, at);
    add_child(n, left);
    add_child(n, right);
    return n;
}

/* The word "in", not the beginning of another one. */
static bool take_in(struct cursor *c)
{
    skip_blanks(c);
    size_t from = c->at;
    if (span_equal(take_word(c), SPAN_LIT("in"))) {
        return true;
    }
    c->at = from;
    return false;
}

static bool take_comparison(struct cursor *c, enum node_kind *kind)
{
    static const struct {
        const char *token;
        enum node_kind kind;
    } table[] = {
        {"==", NODE_EQUAL},         {"!=", NODE_UNEQUAL}, {"<=", NODE_LESS_EQUAL},
        {">=", NODE_GREATER_EQUAL}, {"<", NODE_LESS},     {">", NODE_GREATER},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (take(c, table[i].token)) {
            *kind = table[i].kind;
            return true;
        }
    }
    *kind = NODE_IN;
    return take_in(c);
}

static struct node *comparison(struct cursor *c)
{
    struct node *left = unary(c);
    enum node_kind kind;
    skip_blanks(c);
    size_t at = c->at;
    while (left && take_comparison(c, &kind)) {
        left = binary(c, kind, at, left, unary(c));
        skip_blanks(c);
        at = c->at;
    }
    return left;
}

static struct node *parse_and(struct cursor *c)
{
    struct node *left = comparison(c);
    skip_blanks(c);
    for (size_t at = c->at; left && take(c, "&&"); skip_blanks(c), at = c->at) {
        left = binary(c, NODE_AND, at, left, comparison(c));
    }
    return left;
}

/* An expression. Recurses once a parenthesis, literal or argument. */
static struct node *parse_or(struct cursor *c)
{
    if (++c->nesting > EXPR_NESTING_MAX) {
        refuse(c, "nested too deep");
        return NULL;
    }
    struct node *left = parse_and(c);
    skip_blanks(c);
    for (size_t at = c->at; left && take(c, "||"); skip_blanks(c), at = c->at) {
        left = binary(c, NODE_OR, at, left, parse_and(c));
    }
    c->nesting--;
    return left;
}

int expr_compile(struct expr **out, struct span text, struct err *e)
{
    struct expr *x = mem_new(1, sizeof *x);
    x->text = mem_copy(text.at, text.len);
    struct cursor c = {.x = x, .text = text, .e = e};
    x->root = parse_or(&c);
    if (x->root && peek(&c)) {
        refuse(&c, "an operator or the end expected");
        x->root = NULL;
    }
    if (x->root && c.at < text.len) {
        refuse(&c, "a NUL byte");
        x->root = NULL;
    }
    if (!x->root) {
        expr_free(x);
        return -1;
    }
    *out = x;
    return 0;
}

size_t expr_path_count(const struct expr *x)
{
    return x->path_count;
}

const struct path *expr_path(const struct expr *x, size_t i)
{
    return &x->paths[i];
}

const char *expr_text(const struct expr *x)
{
    return x->text;
}

bool expr_is_path(const struct expr *x)
{
    return x->root->kind == NODE_PATH;
}

void expr_free(struct expr *x)
{
    if (!x) {
        return;
    }
    for (size_t i = 0; i < x->path_count; i++) {
        path_release(&x->paths[i]);
    }
    free(x->paths);
    arena_release(&x->arena);
    free(x->text);
    free(x);
}
