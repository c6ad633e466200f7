/*
 * Texts as NiFi's own scanner cuts them into literal text and expressions, with what it does to
 * dollars on the way.  Our own rule is one sentence (attr_parse.c); these are many, and known from
 * running NiFi's engine: this file is only for those who want exactly that.
 */
#include "expr/attr_parser.h"

/* Where the scanner stands.  Zero-initialised but for the text. */
struct ranges {
    struct span text;
    bool escaped; /* look for "$${…}", which is no expression, instead of for those that are */
    size_t at;
    char last;
    size_t dollars;
    size_t backslashes;
};

/*
 * The offset of the quote that ends the string at FROM; 0 if there is none.  What matters is
 * whether the backslashes from its beginning on are odd in number, not those right before the quote
 * (E096).
 */
static size_t end_of_quoted(struct span text, size_t from)
{
    size_t backslashes = 0;
    for (size_t i = from + 1; i < text.len; i++) {
        if (text.at[i] == '\\') {
            backslashes++;
        } else if (text.at[i] == text.at[from] &&
                   (text.at[i - 1] != '\\' || backslashes % 2 == 0)) {
            return i;
        }
    }
    return 0;
}

static bool opens(const struct ranges *r)
{
    return r->last == '$' && (r->dollars % 2 == 0) == r->escaped;
}

/* Count C, which is neither a brace nor a quote that matters. */
static void count(struct ranges *r, char c)
{
    r->dollars = c == '$' ? r->dollars + 1 : c == '\\' ? r->dollars : 0;
    r->backslashes += c == '\\';
}

/* The next range, with its dollars; they are counted over braces and backslashes, as there. */
static bool next_range(struct ranges *r, struct span *found)
{
    size_t depth = 0;
    size_t start = 0;
    for (; r->at < r->text.len; r->at++) {
        char c = r->text.at[r->at];
        bool quote = c == '\'' || c == '"';
        if (quote && depth > 0 && (r->last != '\\' || r->backslashes % 2 == 0)) {
            size_t end = end_of_quoted(r->text, r->at);
            r->at = end > 0 ? end : r->text.len - 1;
            continue;
        }
        if (c == '{') {
            if (depth == 0 && opens(r)) {
                start = r->at - (r->escaped ? r->dollars : 1);
                depth = 1;
            } else if (depth > 0) {
                depth++;
            }
        } else if (c == '}' && depth == 0) {
            continue;
        } else if (c == '}' && --depth == 0) {
            r->last = c;
            r->at++;
            *found = span_of(r->text.at + start, r->at - start);
            return true;
        } else if (c != '}') {
            count(r, c);
        }
        r->last = c;
    }
    return false;
}

/* ---- dollars ---- */

/* Add TEXT to OUT; two dollars are one before the first '{'. */
static void add_leading(struct buf *out, struct span text)
{
    const char *brace = text.len > 0 ? memchr(text.at, '{', text.len) : NULL;
    const char *end = text.at + text.len;
    for (const char *at = text.at; at < end; at++) {
        buf_add_byte(out, *at);
        at += (!brace || at + 1 < brace) && *at == '$' && at + 1 < end && at[1] == '$';
    }
}

/* Of the dollars that OUT ends with, each pair is one.  ALL: also if it has nothing else. */
static void halve_trailing(struct buf *out, bool all)
{
    size_t n = 0;
    while (n < out->len && out->at[out->len - 1 - n] == '$') {
        n++;
    }
    if (all || n < out->len) {
        out->len -= n / 2;
    }
}

/* Is AT, before END, "$…{…}" on one line, with any number of dollars? */
static bool begins_braced(const char *at, const char *end)
{
    while (at < end && *at == '$') {
        at++;
    }
    if (at == end || *at != '{') {
        return false;
    }
    while (at < end && *at != '\n' && *at != '\r' && *at != '}') {
        at++;
    }
    return at < end && *at == '}';
}

/* Add TEXT to OUT; two dollars are one before "{…}". */
static void add_unescaped(struct buf *out, struct span text)
{
    const char *end = text.at + text.len;
    for (const char *at = text.at; at < end; at++) {
        buf_add_byte(out, *at);
        at += end - at > 2 && at[0] == '$' && at[1] == '$' && begins_braced(at + 2, end);
    }
}

/* ---- pieces ---- */

/* A row of pieces under way. */
struct row {
    struct parser *p;
    struct attr_node **last;
    bool quoted; /* in a string of an expression */
};

static void add_piece(struct row *row, struct attr_node *n)
{
    *row->last = n;
    row->last = &n->next;
}

static void add_literal(struct row *row, struct buf *text)
{
    if (row->quoted) {
        text->len = attr_single(text->at, text->len);
    }
    if (text->len > 0) {
        add_piece(row, parser_constant(row->p, datum_text(buf_span(text))));
    }
}

/* TEXT has no expressions in it. */
static void literal(struct row *row, struct span text)
{
    struct ranges r = {.text = text, .escaped = true};
    struct span range;
    const char *end = text.at + text.len;
    struct buf out = {0};
    bool plain = true;
    for (; next_range(&r, &range); plain = false) {
        /* dollars that were counted over braces can make ranges overlap */
        struct span before =
            span_of(text.at, range.at > text.at ? (size_t)(range.at - text.at) : 0);
        if (row->quoted) {
            buf_add_span(&out, before);
            add_unescaped(&out, range);
        } else {
            add_leading(&out, before);
            add_leading(&out, range);
        }
        text = span_of(range.at + range.len, (size_t)(end - range.at) - range.len);
    }
    if (plain || row->quoted) {
        buf_add_span(&out, text);
    } else {
        add_leading(&out, text);
    }
    add_literal(row, &out);
    buf_release(&out);
}

/* The literal TEXT beside an expression. BEFORE_NAME: the bare name of an attribute follows. */
static int beside(struct row *row, struct span text, bool before_name)
{
    struct buf out = {0};
    int rc = 0;
    if (row->quoted) {
        buf_add_span(&out, text);
    } else {
        add_leading(&out, text);
    }
    if (before_name) {
        halve_trailing(&out, row->quoted);
    }
    if (!row->quoted) {
        add_literal(row, &out);
    } else if (out.len > 0) {
        struct attr_node *first = NULL; /* it is looked at anew */
        rc =
            parser_pieces_nifi(row->p, arena_copy(&row->p->t->nodes, buf_span(&out)), true, &first);
        for (; first && rc == 0; first = *row->last) {
            add_piece(row, first);
        }
    }
    buf_release(&out);
    return rc;
}

/* RANGE is an expression; the literal BEFORE it has not been added yet. */
static int expression(struct row *row, struct span before, struct span range)
{
    struct parser inner = *row->p;
    struct attr_node *n = NULL;
    inner.at = range.at + 1;
    inner.end = range.at + range.len;
    if (parser_braced(&inner, &n) < 0) {
        return -1;
    }
    if (inner.at < inner.end) {
        return parser_refuse(&inner, "the expression should end before this");
    }
    if (beside(row, before, n->kind == ATTR_NAME || n->kind == ATTR_NAMED_BY) < 0) {
        return -1;
    }
    add_piece(row, n);
    return 0;
}

/* All of TEXT, which has expressions in it if R finds some. */
static int pieces(struct row *row, struct ranges *r)
{
    struct span text = r->text;
    struct span range;
    const char *end = text.at + text.len;
    bool some = false;
    for (; next_range(r, &range); some = true) {
        if (expression(row, span_of(text.at, (size_t)(range.at - text.at)), range) < 0) {
            return -1;
        }
        text = span_of(range.at + range.len, (size_t)(end - range.at) - range.len);
    }
    if (some) {
        return beside(row, text, false);
    }
    literal(row, text);
    return 0;
}

int parser_pieces_nifi(struct parser *p, struct span text, bool quoted, struct attr_node **first)
{
    struct row row = {.p = p, .last = first, .quoted = quoted};
    struct ranges r = {.text = text};
    if (++p->nesting > ATTR_NESTING_MAX) {
        return parser_refuse(p, "expressions lie too deep in each other");
    }
    int rc = pieces(&row, &r);
    p->nesting--;
    return rc;
}
