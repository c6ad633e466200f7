/* From the text of an attribute template to its pieces. */
#include "expr/attr_parser.h"

#include <stdarg.h>
#include <stdio.h>

size_t parser_position(const struct parser *p)
{
    return p->base ? (size_t)(p->at - p->base) : p->fixed;
}

int parser_refuse_at(const struct parser *p, size_t at, const char *format, ...)
{
    char what[ERR_TEXT_MAX / 2];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    err_set(p->e, ERR_USAGE, "expression '%s': %s at character %zu",
            err_show(p->t->text, p->t->len, at).text, what, err_character(p->t->text, at));
    err_quote(p->e, p->t->text, p->t->len, at);
    return -1;
}

int parser_refuse(const struct parser *p, const char *what)
{
    return parser_refuse_at(p, parser_position(p), "%s", what);
}

char parser_peek(const struct parser *p)
{
    return p->at < p->end ? *p->at : '\0';
}

struct span parser_rest(const struct parser *p)
{
    return span_of(p->at, (size_t)(p->end - p->at));
}

void parser_skip_blanks(struct parser *p)
{
    for (; p->at < p->end; p->at++) {
        if (*p->at == '#') {
            const char *line = memchr(p->at, '\n', (size_t)(p->end - p->at));
            p->at = line ? line : p->end - 1;
        } else if (*p->at == '\0' || !strchr(" \t\r\n", *p->at)) {
            return;
        }
    }
}

struct attr_node *parser_node(struct parser *p, enum attr_kind kind)
{
    struct attr_node *n = arena_take(&p->t->nodes, sizeof *n);
    *n = (struct attr_node){.kind = kind, .at = parser_position(p)};
    return n;
}

struct attr_node *parser_constant(struct parser *p, struct datum value)
{
    struct attr_node *n = parser_node(p, ATTR_CONSTANT);
    n->value = value;
    if (value.kind == DATUM_TEXT) {
        n->value.text = arena_copy(&p->t->nodes, value.text);
    }
    return n;
}

/* ---- text with expressions in it ---- */

/* What a row of pieces is made of. */
struct row {
    struct attr_node **last;
    struct buf literal;
    const char *brace; /* the last '}' of the text, or NULL */
    bool quoted;       /* in a string of an expression: backslashes are doubled */
};

static void flush_literal(struct parser *p, struct row *row)
{
    if (row->literal.len > 0) {
        if (row->quoted) {
            row->literal.len = attr_single(row->literal.at, row->literal.len);
        }
        *row->last = parser_constant(p, datum_text(buf_span(&row->literal)));
        row->last = &(*row->last)->next;
        buf_reset(&row->literal);
    }
}

/* The expression from '{' on, LEN bytes behind which is its '}', becomes the next piece. */
static int expression(struct parser *p, struct row *row, size_t len)
{
    struct parser inner = *p;
    flush_literal(p, row);
    inner.end = p->at + len + 1;
    if (parser_braced(&inner, row->last) < 0) {
        return -1;
    }
    if (inner.at < inner.end) {
        return parser_refuse(&inner, "the expression should end before this");
    }
    row->last = &(*row->last)->next;
    p->at = inner.end;
    return 0;
}

/* '$' and what follows, '{', begin an expression that does not end: all that is left is literal. */
static int unended(struct parser *p, struct row *row, bool open_quote)
{
    struct span rest = parser_rest(p);
    if (open_quote && row->brace && row->brace > p->at) {
        return parser_refuse(p, "a quote is not closed in the expression");
    }
    buf_add_span(&row->literal, rest);
    p->at = p->end;
    return 0;
}

/*
 * A run of dollars.  Before '{' each pair of them is one literal dollar
 * (reference/wait-notify.md 5.1); after an odd one an expression follows.
 */
static int dollars(struct parser *p, struct row *row)
{
    size_t n = 0;
    while (p->at + n < p->end && p->at[n] == '$') {
        n++;
    }
    const char *body = p->at + n;
    bool brace = body < p->end && *body == '{' && row->brace && row->brace > body;
    bool opens = n % 2 == 1 && body < p->end && *body == '{';
    bool open_quote = false;
    size_t len = 0;
    if (opens) {
        len = attr_find_end(span_of(body, (size_t)(p->end - body)), &open_quote);
        if (len == 0) {
            return unended(p, row, open_quote);
        }
    }
    buf_add(&row->literal, p->at, brace ? n / 2 : n);
    p->at = body;
    return opens ? expression(p, row, len) : 0;
}

/* All of P's text becomes the pieces at *FIRST. */
static int parse_pieces(struct parser *p, bool quoted, struct attr_node **first)
{
    if (p->t->rules.nifi) {
        return parser_pieces_nifi(p, parser_rest(p), quoted, first);
    }
    struct row row = {.last = first, .quoted = quoted};
    row.brace = p->at < p->end ? memrchr(p->at, '}', (size_t)(p->end - p->at)) : NULL;
    int rc = 0;
    while (p->at < p->end && rc == 0) {
        const char *dollar = memchr(p->at, '$', (size_t)(p->end - p->at));
        const char *stop = dollar ? dollar : p->end;
        buf_add(&row.literal, p->at, (size_t)(stop - p->at));
        p->at = stop;
        if (dollar) {
            rc = dollars(p, &row);
        }
    }
    flush_literal(p, &row);
    buf_release(&row.literal);
    return rc;
}

/* The pieces in the text of a string, which is P's. */
static int parse_quoted(struct parser *p, struct attr_node **out)
{
    struct attr_node *join = parser_node(p, ATTR_JOIN);
    if (parse_pieces(p, true, &join->child) < 0) {
        return -1;
    }
    if (!join->child) {
        *out = parser_constant(p, datum_text(SPAN_LIT("")));
    } else if (join->child->kind == ATTR_CONSTANT && !join->child->next) {
        *out = join->child;
    } else {
        *out = join;
    }
    return 0;
}

/* Is a line end or a tab in TEXT? */
static bool has_control(struct span text)
{
    return memchr(text.at, '\n', text.len) || memchr(text.at, '\r', text.len) ||
           memchr(text.at, '\t', text.len);
}

int parser_string(struct parser *p, struct attr_node **out)
{
    struct buf text = {0};
    struct parser inner = *p;
    inner.base = NULL;
    inner.fixed = parser_position(p);
    size_t len = attr_unquote(parser_rest(p), p->t->rules.nifi, &text);
    struct span own = arena_copy(&p->t->nodes, buf_span(&text));
    buf_release(&text);
    if (len == 0) {
        return parser_refuse(p, "the quote that begins here is not closed");
    }
    if (p->t->rules.nifi && has_control(span_of(p->at, len))) {
        return parser_refuse(p, "NiFi takes no line or tab in quotes as it is (write \\n, \\t)");
    }
    if (++inner.nesting > ATTR_NESTING_MAX) {
        return parser_refuse(p, "expressions lie too deep in each other");
    }
    inner.at = own.at;
    inner.end = own.at + own.len;
    p->at += len;
    return parse_quoted(&inner, out);
}

/* ---- expressions ---- */

static bool is_reserved(struct span word)
{
    return attr_function_find(word) || span_equal(word, SPAN_LIT("true")) ||
           span_equal(word, SPAN_LIT("false")) || span_equal(word, SPAN_LIT("null"));
}

/* The bare name of an attribute, or a function that begins the expression. */
static int parse_name(struct parser *p, struct attr_node **out)
{
    struct span rest = parser_rest(p);
    struct span word = span_of(rest.at, attr_word_length(rest));
    struct datum number;
    struct parser ahead = *p;
    ahead.at += word.len;
    parser_skip_blanks(&ahead);
    if (word.len > 0 && parser_peek(&ahead) == '(') {
        *out = parser_node(p, ATTR_CHAIN);
        return parser_call(p, true, out);
    }
    if (word.len == 0 || attr_word_number(word, &number) != 0) {
        return parser_refuse(p, "the name of an attribute expected (quote it if it is unusual)");
    }
    if (p->t->rules.nifi && is_reserved(word)) {
        return parser_refuse(p, "this name is reserved (quote it to mean an attribute)");
    }
    *out = parser_node(p, ATTR_NAME);
    (*out)->name = arena_copy(&p->t->nodes, word);
    p->at += word.len;
    return 0;
}

/* The attribute whose name is the text that *NODE gives. */
static void name_by(struct parser *p, struct attr_node **node)
{
    struct attr_node *name = *node;
    struct attr_node *n = parser_node(p, ATTR_NAMED_BY);
    n->at = name->at;
    n->child = name;
    if (name->kind == ATTR_CONSTANT && name->value.kind != DATUM_NULL) {
        n->kind = ATTR_NAME;
        n->name = arena_copy(&p->t->nodes, datum_print(&name->value, &p->t->nodes));
    }
    *node = n;
}

static int parse_subject(struct parser *p, struct attr_node **out)
{
    char c = parser_peek(p);
    if (c != '$' && c != '\'' && c != '"') {
        return parse_name(p, out);
    }
    if (parser_argument(p, out) < 0) {
        return -1;
    }
    name_by(p, out);
    return 0;
}

int parser_braced(struct parser *p, struct attr_node **out)
{
    if (++p->nesting > ATTR_NESTING_MAX) {
        return parser_refuse(p, "expressions lie too deep in each other");
    }
    p->at++;
    parser_skip_blanks(p);
    if (parse_subject(p, out) < 0) {
        return -1;
    }
    for (parser_skip_blanks(p); parser_peek(p) == ':'; parser_skip_blanks(p)) {
        p->at++;
        parser_skip_blanks(p);
        if (parser_call(p, false, out) < 0) {
            return -1;
        }
    }
    if (parser_peek(p) != '}') {
        return parser_refuse(p, "':' or '}' expected");
    }
    p->at++;
    p->nesting--;
    return (*out)->kind == ATTR_OVER ? parser_check_over(p, *out) : 0;
}

int attr_parse(struct attr_template *t, struct err *e)
{
    struct parser p = {.t = t, .at = t->text, .end = t->text + t->len, .base = t->text, .e = e};
    return parse_pieces(&p, false, &t->pieces);
}
