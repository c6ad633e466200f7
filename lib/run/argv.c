#include "run/argv.h"

#include "base/mem.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdlib.h>
#include <string.h>

/* The marks, and where parsing stands in one argument. */
struct marks {
    struct span whole; /* stands for the item */
    struct span open;  /* of the others; empty: there are no others */
    struct span close;
};

static struct marks split_mark(const char *mark)
{
    struct marks m = {.whole = span_text(mark)};
    if (m.whole.len % 2 == 0) {
        m.open = span_of(mark, m.whole.len / 2);
        m.close = span_of(mark + m.open.len, m.open.len);
    }
    return m;
}

static struct argv_part *add_part(struct argv_template *t, enum argv_kind kind, struct span text)
{
    t->parts = mem_grow(t->parts, &t->part_cap, t->part_count, sizeof *t->parts);
    struct argv_part *part = &t->parts[t->part_count++];
    *part = (struct argv_part){.kind = kind, .text = text};
    return part;
}

static bool may_begin_name(char c)
{
    return c == '"' || c == '_' || (unsigned char)c >= 0x80 || (c >= '0' && c <= '9') ||
           (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Does TEXT, which follows an opening mark, look like a path of the item? */
static bool looks_like_path(struct span text)
{
    return span_starts(text, SPAN_LIT("$Item")) ||
           (text.len > 1 && text.at[0] == '.' && may_begin_name(text.at[1]));
}

/* The length of the path at the beginning of TEXT up to the closing mark; names in quotes are
 * skipped. */
static bool find_close(struct span text, struct span close, size_t *len)
{
    char quote = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (quote) {
            i += c == '\\';
            if (c == quote) {
                quote = 0;
            }
        } else if (span_starts(span_of(text.at + i, text.len - i), close)) {
            *len = i;
            return true;
        } else if (i > 0 && text.at[i - 1] == '[' && strchr("\"'`", c)) {
            quote = c;
        }
    }
    return false;
}

/* A path between marks. Returns the bytes it takes with its closing mark, 0 for none, -1 with E. */
static ptrdiff_t take_path(struct argv_template *t, const struct marks *m, struct span rest,
                           struct err *e)
{
    size_t len;
    if (!looks_like_path(rest) || !find_close(rest, m->close, &len)) {
        return 0;
    }
    struct argv_part *part = add_part(t, ARGV_PATH, span_of(rest.at, len));
    if (path_parse(&part->path, part->text, e) < 0) {
        err_prefix(e, "in an argument (--no-replace takes it as it is)");
        return -1;
    }
    return (ptrdiff_t)(len + m->close.len);
}

/* A mark at the beginning of REST. Returns the bytes it takes, 0 for none, -1 with E filled. */
static ptrdiff_t take_mark(struct argv_template *t, const struct marks *m, struct span rest,
                           struct err *e)
{
    if (span_starts(rest, m->whole)) {
        add_part(t, ARGV_ITEM, m->whole);
        return (ptrdiff_t)m->whole.len;
    }
    if (m->open.len == 0 || !span_starts(rest, m->open)) {
        return 0;
    }
    struct span inner = span_of(rest.at + m->open.len, rest.len - m->open.len);
    if (inner.len > 0 && (*inner.at == '#' || *inner.at == '%') &&
        span_starts(span_of(inner.at + 1, inner.len - 1), m->close)) {
        add_part(t, *inner.at == '#' ? ARGV_INDEX : ARGV_SLOT, span_of(inner.at, 1));
        return (ptrdiff_t)(m->whole.len + 1);
    }
    ptrdiff_t len = take_path(t, m, inner, e);
    return len > 0 ? len + (ptrdiff_t)m->open.len : len;
}

static int parse_arg(struct argv_template *t, const struct marks *m, struct span arg, struct err *e)
{
    size_t text = 0; /* where the plain text before the next mark begins */
    size_t i = 0;
    while (i < arg.len) {
        size_t before = t->part_count;
        if (i > text) {
            add_part(t, ARGV_TEXT, span_of(arg.at + text, i - text));
        }
        ptrdiff_t len = take_mark(t, m, span_of(arg.at + i, arg.len - i), e);
        if (len < 0) {
            return -1;
        }
        if (len == 0) {
            t->part_count = before;
            i++;
        } else {
            i += (size_t)len;
            text = i;
        }
    }
    if (arg.len > text) {
        add_part(t, ARGV_TEXT, span_of(arg.at + text, arg.len - text));
    }
    return 0;
}

int argv_parse(struct argv_template *t, char *const *args, size_t count, const char *mark,
               struct err *e)
{
    *t = (struct argv_template){.count = count};
    if (mark && !*mark) {
        return err_set(e, ERR_USAGE, "the mark that stands for the item is empty");
    }
    struct marks m = split_mark(mark ? mark : "");
    t->args = mem_new(count + 1, sizeof *t->args);
    for (size_t i = 0; i < count; i++) {
        struct argv_arg *arg = &t->args[i];
        arg->first = t->part_count;
        if (mark && parse_arg(t, &m, span_text(args[i]), e) < 0) {
            argv_release(t);
            return -1;
        }
        arg->count = t->part_count - arg->first;
        bool plain = arg->count == 0 || (arg->count == 1 && t->parts[arg->first].kind == ARGV_TEXT);
        arg->fixed = plain ? args[i] : NULL;
    }
    return 0;
}

void argv_release(struct argv_template *t)
{
    for (size_t i = 0; i < t->part_count; i++) {
        path_release(&t->parts[i].path);
    }
    free(t->parts);
    free(t->args);
    *t = (struct argv_template){0};
}

/* Insert a JSON value. */
static int add_value(struct buf *text, struct span value, struct span shown, struct err *e)
{
    size_t from = text->len;
    if (walk_kind(value) == SCAN_STRING) {
        text_decode(text, value);
    } else {
        buf_add_span(text, value);
    }
    if (text->len > from && memchr(text->at + from, '\0', text->len - from)) {
        return err_set(e, ERR_DATA, "%.*s holds a NUL, which no argument can", (int)shown.len,
                       shown.at);
    }
    return 0;
}

static int add_part_text(const struct argv_part *p, const struct argv_values *v, struct buf *text,
                         struct err *e)
{
    struct span value = v->item;
    switch (p->kind) {
    case ARGV_TEXT:
        buf_add_span(text, p->text);
        return 0;
    case ARGV_INDEX:
        buf_add_u64(text, v->index);
        return 0;
    case ARGV_SLOT:
        buf_add_u64(text, v->slot);
        return 0;
    case ARGV_PATH:
        if (!path_find(&p->path, v->item, &value)) {
            return err_set(e, ERR_DATA, "the item has no %.*s", (int)p->text.len, p->text.at);
        }
        return add_value(text, value, p->text, e);
    case ARGV_ITEM:
        return add_value(text, value, SPAN_LIT("the item"), e);
    }
    return 0;
}

static int add_arg(const struct argv_template *t, const struct argv_arg *arg,
                   const struct argv_values *v, struct buf *text, struct err *e)
{
    for (size_t i = 0; i < arg->count; i++) {
        if (add_part_text(&t->parts[arg->first + i], v, text, e) < 0) {
            return -1;
        }
    }
    buf_add_byte(text, '\0');
    return 0;
}

int argv_render(const struct argv_template *t, const struct argv_values *v, struct argv *out,
                struct err *e)
{
    if (!out->at) {
        out->at = mem_new(t->count + 1, sizeof *out->at);
        out->offsets = mem_new(t->count + 1, sizeof *out->offsets);
    }
    buf_reset(&out->text);
    for (size_t i = 0; i < t->count; i++) {
        out->offsets[i] = out->text.len;
        if (!t->args[i].fixed && add_arg(t, &t->args[i], v, &out->text, e) < 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < t->count; i++) {
        out->at[i] = t->args[i].fixed ? t->args[i].fixed : out->text.at + out->offsets[i];
    }
    return 0;
}

void argv_free(struct argv *a)
{
    free(a->at);
    free(a->offsets);
    buf_release(&a->text);
    *a = (struct argv){0};
}
