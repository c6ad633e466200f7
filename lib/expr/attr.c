#include "expr/attr.h"

#include "base/mem.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdlib.h>

/* A template is a row of pieces: literal text, then the name of an attribute. */
struct piece {
    char *literal; /* comes first; may be empty */
    size_t literal_len;
    char *name; /* NULL in the last piece if the text ends with literal text */
    size_t name_len;
};

struct attr_template {
    struct piece *pieces;
    size_t count;
    size_t cap;
    attr_outside_fn *outside;
    void *context;
};

/* Where parsing stands. */
struct cursor {
    const char *text;
    const char *at;
    struct err *e;
};

static int refuse(const struct cursor *c, const char *what)
{
    return err_set(c->e, ERR_USAGE, "expression '%.200s': %s at character %zu", c->text, what,
                   (size_t)(c->at - c->text) + 1);
}

static bool is_special(char c)
{
    return strchr("${}()[],:;/*' \t\r\n", c) != NULL; /* and the NUL at the end */
}

static void skip_blanks(struct cursor *c)
{
    while (*c->at && strchr(" \t\r\n", *c->at)) {
        c->at++;
    }
}

/* A name in quotes; backslash escapes as in NiFi (reference 5.2). */
static int quoted_name(struct cursor *c, struct buf *name)
{
    static const char letters[] = "nrt'\"\\";
    static const char bytes[] = "\n\r\t'\"\\";
    char quote = *c->at;
    for (c->at++; *c->at && *c->at != quote; c->at++) {
        const char *hit = *c->at == '\\' && c->at[1] ? strchr(letters, c->at[1]) : NULL;
        if (hit) {
            buf_add_byte(name, bytes[hit - letters]);
            c->at++;
        } else {
            buf_add_byte(name, *c->at);
        }
    }
    if (!*c->at) {
        return refuse(c, "the quoted name is not closed");
    }
    c->at++;
    return 0;
}

static int bare_name(struct cursor *c, struct buf *name)
{
    if (is_special(*c->at) || (*c->at >= '0' && *c->at <= '9')) {
        return refuse(c, "the name of an attribute expected (quote it if it is unusual)");
    }
    while (!is_special(*c->at)) {
        buf_add_byte(name, *c->at++);
    }
    return 0;
}

/* What stands between "${" and "}"; c->at moves behind the brace. */
static int reference(struct cursor *c, struct buf *name)
{
    skip_blanks(c);
    int rc = *c->at == '\'' || *c->at == '"' ? quoted_name(c, name) : bare_name(c, name);
    if (rc < 0) {
        return -1;
    }
    skip_blanks(c);
    if (*c->at == ':' || *c->at == '(') {
        return refuse(c, "functions are not known here");
    }
    if (*c->at != '}') {
        return refuse(c, "'}' expected");
    }
    c->at++;
    return 0;
}

static struct piece *add_piece(struct attr_template *t, struct buf *literal)
{
    t->pieces = mem_grow(t->pieces, &t->cap, t->count, sizeof *t->pieces);
    t->pieces[t->count] = (struct piece){
        .literal = mem_copy(literal->at, literal->len),
        .literal_len = literal->len,
    };
    buf_reset(literal);
    return &t->pieces[t->count++];
}

/* A run of '$' before '{': each pair is one '$'. True if an odd one is left: a reference follows. */
static bool dollars(struct cursor *c, struct buf *literal)
{
    size_t n = strspn(c->at, "$");
    bool opens = c->at[n] == '{' && strchr(c->at + n, '}');
    size_t shown = opens ? n / 2 : n;
    for (size_t i = 0; i < shown; i++) {
        buf_add_byte(literal, '$');
    }
    c->at += n;
    if (opens && n % 2 == 1) {
        c->at++;
        return true;
    }
    return false;
}

static int parse(struct cursor *c, struct attr_template *t, struct buf *literal)
{
    struct buf name = {0};
    int rc = 0;
    while (*c->at && rc == 0) {
        if (*c->at != '$') {
            buf_add_byte(literal, *c->at++);
        } else if (dollars(c, literal)) {
            buf_reset(&name);
            rc = reference(c, &name);
            struct piece *p = add_piece(t, literal);
            p->name = mem_copy(name.at, name.len);
            p->name_len = name.len;
        }
    }
    buf_release(&name);
    return rc;
}

int attr_compile(struct attr_template **out, const char *text, struct err *e)
{
    struct attr_template *t = mem_new(1, sizeof *t);
    struct cursor c = {.text = text, .at = text, .e = e};
    struct buf literal = {0};
    int rc = parse(&c, t, &literal);
    add_piece(t, &literal);
    buf_release(&literal);
    if (rc < 0) {
        attr_free(t);
        return -1;
    }
    *out = t;
    return 0;
}

void attr_outside(struct attr_template *t, attr_outside_fn *fn, void *context)
{
    t->outside = fn;
    t->context = context;
}

bool attr_is_constant(const struct attr_template *t)
{
    return t->count == 1 && !t->pieces[0].name;
}

bool attr_value(struct span value, struct buf *out)
{
    switch (walk_kind(value)) {
    case SCAN_NULL:
        return false;
    case SCAN_STRING:
        text_decode(out, value);
        return true;
    default:
        buf_add_span(out, value);
        return true;
    }
}

/* Add the value of the attribute of P to OUT; false if there is none. */
static bool add_value(const struct attr_template *t, const struct piece *p, struct span line,
                      struct buf *out)
{
    struct span value;
    if (walk_member(line, span_of(p->name, p->name_len), &value) && attr_value(value, out)) {
        return true;
    }
    const char *outside = t->outside ? t->outside(t->context, p->name) : NULL;
    if (outside) {
        buf_add_text(out, outside);
    }
    return outside != NULL;
}

int attr_eval(const struct attr_template *t, struct span line, struct buf *out, bool *missing,
              struct err *e)
{
    (void)e; /* for what can fail once there are functions */
    bool all = true;
    buf_reset(out);
    for (size_t i = 0; i < t->count; i++) {
        const struct piece *p = &t->pieces[i];
        buf_add(out, p->literal, p->literal_len);
        if (p->name && !add_value(t, p, line, out)) {
            all = false;
        }
    }
    if (missing) {
        *missing = !all;
    }
    return 0;
}

void attr_free(struct attr_template *t)
{
    if (!t) {
        return;
    }
    for (size_t i = 0; i < t->count; i++) {
        free(t->pieces[i].literal);
        free(t->pieces[i].name);
    }
    free(t->pieces);
    free(t);
}
