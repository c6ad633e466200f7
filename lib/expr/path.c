#include "expr/path.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/units.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdlib.h>

/* Where parsing stands. */
struct cursor {
    struct span text;
    size_t at;
    struct path *path;
    size_t cap;
    struct err *e;
};

static int refuse(const struct cursor *c, const char *what)
{
    int shown = c->text.len > 200 ? 200 : (int)c->text.len;
    err_set(c->e, ERR_USAGE, "path '%.*s': %s at character %zu", shown, c->text.at, what,
            err_character(c->text.at, c->at));
    err_quote(c->e, c->text.at, c->text.len, c->at);
    return -1;
}

static bool peek(const struct cursor *c, char want)
{
    return c->at < c->text.len && c->text.at[c->at] == want;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || (unsigned char)c >= 0x80;
}

static struct path_step *add_step(struct cursor *c)
{
    struct path *p = c->path;
    p->steps = mem_grow(p->steps, &c->cap, p->count, sizeof *p->steps);
    p->steps[p->count] = (struct path_step){0};
    return &p->steps[p->count++];
}

static void add_member(struct cursor *c, struct span name)
{
    struct path_step *s = add_step(c);
    s->kind = PATH_MEMBER;
    s->name = span_of(mem_copy(name.at, name.len), name.len);
}

static struct span take_name(struct cursor *c)
{
    size_t from = c->at;
    while (c->at < c->text.len && is_name_byte(c->text.at[c->at])) {
        c->at++;
    }
    return span_of(c->text.at + from, c->at - from);
}

static int dotted(struct cursor *c)
{
    c->at++;
    struct span name = take_name(c);
    if (name.len == 0) {
        return refuse(c, "a name must come behind '.'");
    }
    add_member(c, name);
    return 0;
}

/* A number in brackets. */
static int indexed(struct cursor *c)
{
    uint64_t n = 0;
    size_t from = c->at;
    while (c->at < c->text.len && c->text.at[c->at] >= '0' && c->text.at[c->at] <= '9') {
        if (__builtin_mul_overflow(n, (uint64_t)10, &n) ||
            __builtin_add_overflow(n, (uint64_t)(c->text.at[c->at] - '0'), &n)) {
            return refuse(c, "the index is too large");
        }
        c->at++;
    }
    if (c->at == from) {
        return refuse(c, "a number or a quoted name must come behind '['");
    }
    struct path_step *s = add_step(c);
    s->kind = PATH_INDEX;
    s->index = n;
    return 0;
}

/* A name in brackets between double quotes: a JSON string. */
static int quoted_json(struct cursor *c)
{
    size_t from = c->at++;
    while (c->at < c->text.len && c->text.at[c->at] != '"') {
        c->at += c->text.at[c->at] == '\\' ? 2 : 1;
    }
    if (c->at >= c->text.len) {
        c->at = from;
        return refuse(c, "the quoted name is not closed");
    }
    struct span string = span_of(c->text.at + from, ++c->at - from);
    struct scan s;
    scan_init(&s, 1);
    int bad = scan_check(&s, string.at, string.len);
    scan_release(&s);
    if (bad) {
        c->at = from;
        return refuse(c, "the quoted name is no JSON string");
    }
    struct buf name = {0};
    text_decode(&name, string);
    add_member(c, buf_span(&name));
    buf_release(&name);
    return 0;
}

/* A name in brackets between single quotes or backquotes: taken as it is. */
static int quoted_plain(struct cursor *c, char quote)
{
    size_t from = ++c->at;
    while (c->at < c->text.len && c->text.at[c->at] != quote) {
        c->at++;
    }
    if (c->at == c->text.len) {
        c->at = from - 1;
        return refuse(c, "the quoted name is not closed");
    }
    add_member(c, span_of(c->text.at + from, c->at - from));
    c->at++;
    return 0;
}

static int bracketed(struct cursor *c)
{
    c->at++;
    int rc = peek(c, '"')    ? quoted_json(c)
             : peek(c, '\'') ? quoted_plain(c, '\'')
             : peek(c, '`')  ? quoted_plain(c, '`')
                             : indexed(c);
    if (rc < 0) {
        return -1;
    }
    if (!peek(c, ']')) {
        return refuse(c, "']' expected");
    }
    c->at++;
    return 0;
}

static int parse_root(struct cursor *c)
{
    static const struct {
        struct span name;
        enum path_root root;
    } roots[] = {
        {{"", 0}, PATH_INPUT},          {{"Input", 5}, PATH_INPUT},   {{"Item", 4}, PATH_ITEM},
        {{"Context", 7}, PATH_CONTEXT}, {{"Output", 6}, PATH_OUTPUT}, {{"Global", 6}, PATH_GLOBAL},
    };
    if (!peek(c, '$')) {
        c->path->root = PATH_HERE;
        return 0;
    }
    c->at++;
    if (peek(c, '$')) {
        c->at++;
        c->path->root = PATH_CONTEXT;
        return 0;
    }
    size_t from = c->at;
    struct span name = take_name(c);
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++) {
        if (span_equal(roots[i].name, name)) {
            c->path->root = roots[i].root;
            return 0;
        }
    }
    c->at = from;
    return refuse(c, "$Input, $Item or $Context expected");
}

/* The steps, as far as there are any. */
static int parse_steps(struct cursor *c)
{
    for (;;) {
        int rc = 0;
        if (peek(c, '?') && c->path->count > 0) {
            c->path->optional = true;
            c->at++;
        } else if (peek(c, '.')) {
            rc = dotted(c);
        } else if (peek(c, '[')) {
            rc = bracketed(c);
        } else {
            return 0;
        }
        if (rc == 0 && c->path->count > PATH_STEPS_MAX) {
            rc = refuse(c, "too many steps");
        }
        if (rc < 0) {
            return -1;
        }
    }
}

static int parse(struct cursor *c)
{
    if (c->text.len == 0) {
        return refuse(c, "a path expected");
    }
    return parse_root(c) < 0 || parse_steps(c) < 0 ? -1 : 0;
}

int path_take(struct path *p, struct span text, size_t *used, struct err *e)
{
    *p = (struct path){0};
    struct cursor c = {.text = text, .path = p, .e = e};
    if (parse(&c) < 0) {
        path_release(p);
        return -1;
    }
    *used = c.at;
    p->text = mem_copy(text.at, c.at);
    return 0;
}

int path_parse(struct path *p, struct span text, struct err *e)
{
    *p = (struct path){.text = mem_copy(text.at, text.len)};
    struct cursor c = {.text = text, .path = p, .e = e};
    int rc = parse(&c);
    if (rc == 0 && c.at < text.len) {
        rc = refuse(&c, "'.' or '[' expected");
    }
    if (rc < 0) {
        path_release(p);
    }
    return rc;
}

/* A name that is a number, without zeros before it, is an index too (RFC 6901, section 4). */
static void allow_index(struct path_step *s)
{
    int64_t n;
    bool zeros = s->name.len > 1 && s->name.at[0] == '0';
    bool digit = s->name.len > 0 && s->name.at[0] >= '0' && s->name.at[0] <= '9';
    if (digit && !zeros && units_integer(s->name, 0, INT64_MAX, &n, NULL) == 0) {
        s->index = (uint64_t)n;
        s->either = true;
    }
}

/* The name of a reference token: ~1 is '/', ~0 is '~'. */
static int pointer_token(struct cursor *c)
{
    struct buf name = {0};
    for (c->at++; c->at < c->text.len && !peek(c, '/'); c->at++) {
        char byte = c->text.at[c->at];
        if (byte == '~') {
            c->at++;
            if (!peek(c, '0') && !peek(c, '1')) {
                buf_release(&name);
                return refuse(c, "'~' must be '~0' or '~1'");
            }
            byte = peek(c, '0') ? '~' : '/';
        }
        buf_add_byte(&name, byte);
    }
    add_member(c, buf_span(&name));
    allow_index(&c->path->steps[c->path->count - 1]);
    buf_release(&name);
    return 0;
}

int path_parse_pointer(struct path *p, struct span text, struct err *e)
{
    *p = (struct path){.text = mem_copy(text.at, text.len), .root = PATH_INPUT};
    struct cursor c = {.text = text, .path = p, .e = e};
    while (c.at < text.len) {
        int rc = !peek(&c, '/')               ? refuse(&c, "'/' expected")
                 : p->count == PATH_STEPS_MAX ? refuse(&c, "too many steps")
                                              : pointer_token(&c);
        if (rc < 0) {
            path_release(p);
            return -1;
        }
    }
    return 0;
}

bool path_step_is(const struct path_step *s, struct span key)
{
    return s->kind == PATH_MEMBER && walk_key_is(key, s->name);
}

bool path_step_at(const struct path_step *s, uint64_t index)
{
    return (s->kind == PATH_INDEX || s->either) && s->index == index;
}

bool path_find(const struct path *p, struct span root, struct span *value)
{
    struct span v = root;
    for (size_t i = 0; i < p->count; i++) {
        const struct path_step *s = &p->steps[i];
        bool element = s->kind == PATH_INDEX || (s->either && walk_kind(v) == SCAN_ARRAY);
        bool found = element ? walk_element(v, s->index, &v) : walk_member(v, s->name, &v);
        if (!found) {
            *value = p->optional ? SPAN_LIT("null") : *value;
            return p->optional;
        }
    }
    *value = v;
    return true;
}

void path_release(struct path *p)
{
    for (size_t i = 0; i < p->count; i++) {
        free((char *)(uintptr_t)p->steps[i].name.at);
    }
    free(p->steps);
    free(p->text);
    *p = (struct path){0};
}
