#include "source/trail.h"

#include "base/buf.h"
#include "json/text.h"

static bool is_pointer(const struct path *p)
{
    return p->text && p->text[0] == '/';
}

bool trail_enters(const struct path *p, const struct path_step *s, enum scan_kind kind)
{
    if (kind == SCAN_ARRAY) {
        return s->kind == PATH_INDEX || is_pointer(p);
    }
    return kind == SCAN_OBJECT && s->kind == PATH_MEMBER;
}

bool trail_element(const struct path *p, const struct path_step *s, uint64_t index)
{
    char digits[20];
    if (s->kind == PATH_INDEX) {
        return s->index == index;
    }
    return is_pointer(p) && span_equal(s->name, span_of(digits, buf_digits(digits, index)));
}

const char *trail_kind(enum scan_kind kind)
{
    switch (kind) {
    case SCAN_OBJECT:
        return "an object";
    case SCAN_ARRAY:
        return "an array";
    case SCAN_STRING:
        return "a string";
    case SCAN_NUMBER:
        return "a number";
    case SCAN_TRUE:
        return "true";
    case SCAN_FALSE:
        return "false";
    default:
        return "null";
    }
}

static bool is_plain(struct span name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.at[i];
        bool letter = (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
        if (!letter && c != '_' && !(c >= '0' && c <= '9')) {
            return false;
        }
    }
    return name.len > 0;
}

static void add_step(struct buf *b, const struct path_step *s)
{
    if (s->kind == PATH_INDEX) {
        buf_printf(b, "[%llu]", (unsigned long long)s->index);
        return;
    }
    if (is_plain(s->name)) {
        buf_add_byte(b, '.');
        buf_add_span(b, s->name);
        return;
    }
    buf_add_byte(b, '[');
    text_encode(b, s->name);
    buf_add_byte(b, ']');
}

/* The first COUNT steps of P as people write them; an empty path is the document. */
static const char *place(struct buf *b, const struct path *p, size_t count)
{
    buf_add_text(b, "$Input");
    for (size_t i = 0; i < count; i++) {
        add_step(b, &p->steps[i]);
    }
    return buf_text(b);
}

int trail_not_items(const struct path *p, size_t count, enum scan_kind kind, bool array_only,
                    struct err *e)
{
    struct buf b = {0};
    err_set(e, ERR_DATA, "%s is %s; %s", place(&b, p, count), trail_kind(kind),
            array_only ? "--require-array demands an array"
                       : "items can only come from an array or an object");
    buf_release(&b);
    return -1;
}

int trail_no_entry(const struct path *p, size_t count, enum scan_kind kind, struct err *e)
{
    struct buf at = {0};
    struct buf step = {0};
    add_step(&step, &p->steps[count]);
    err_set(e, ERR_DATA, "the items path '%s' cannot go on with %s: %s is %s", p->text,
            buf_text(&step), place(&at, p, count), trail_kind(kind));
    buf_release(&at);
    buf_release(&step);
    return -1;
}

int trail_twice(const struct path *p, size_t count, struct err *e)
{
    struct buf b = {0};
    err_set(e, ERR_DATA, "%s comes twice, and items of the first have left", place(&b, p, count));
    buf_release(&b);
    return -1;
}

int trail_missing(const struct path *p, size_t count, struct err *e)
{
    struct buf at = {0};
    struct buf step = {0};
    add_step(&step, &p->steps[count]);
    err_set(e, ERR_DATA, "the items path '%s' leads nowhere: there is no %s in %s", p->text,
            buf_text(&step), place(&at, p, count));
    buf_release(&at);
    buf_release(&step);
    return -1;
}
