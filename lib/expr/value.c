#include "expr/value.h"

#include "base/buf.h"
#include "json/text.h"

#include <string.h>

struct span value_bool(bool truth)
{
    return truth ? SPAN_LIT("true") : SPAN_LIT("false");
}

struct span value_null(void)
{
    return SPAN_LIT("null");
}

/* Move the bytes of B into A and free B. */
static struct span settle(struct arena *a, struct buf *b)
{
    struct span s = arena_copy(a, buf_span(b));
    buf_release(b);
    return s;
}

struct span value_integer(struct arena *a, int64_t n)
{
    struct buf b = {0};
    buf_add_i64(&b, n);
    return settle(a, &b);
}

struct span value_string(struct arena *a, struct span text)
{
    struct buf b = {0};
    text_encode(&b, text);
    return settle(a, &b);
}

struct span value_text(struct arena *a, struct span v)
{
    v = walk_trim(v);
    struct span inner = span_of(v.at + 1, v.len - 2);
    if (inner.len == 0 || !memchr(inner.at, '\\', inner.len)) {
        return inner;
    }
    struct buf b = {0};
    text_decode(&b, v);
    return settle(a, &b);
}

const char *value_kind_name(struct span v)
{
    switch (walk_kind(v)) {
    case SCAN_OBJECT:
        return "an object";
    case SCAN_ARRAY:
        return "an array";
    case SCAN_STRING:
        return "a string";
    case SCAN_NUMBER:
        return "a number";
    case SCAN_TRUE:
    case SCAN_FALSE:
        return "a boolean";
    default:
        return "null";
    }
}

static int equal_at(struct arena *a, struct span x, struct span y, int depth);

static int equal_arrays(struct arena *a, struct span x, struct span y, int depth)
{
    struct walk v = walk_into(x);
    struct walk w = walk_into(y);
    for (;;) {
        bool more = walk_next(&v);
        if (more != walk_next(&w)) {
            return 0;
        }
        if (!more) {
            return 1;
        }
        int same = equal_at(a, v.value, w.value, depth + 1);
        if (same != 1) {
            return same;
        }
    }
}

/* Is each member of X, as far as it is not overridden by a later one, one of Y? */
static int members_within(struct arena *a, struct span x, struct span y, int depth)
{
    struct walk w = walk_into(x);
    while (walk_next(&w)) {
        struct span name = value_text(a, w.key);
        struct span mine;
        struct span other;
        if (!walk_member(x, name, &mine) || !walk_member(y, name, &other)) {
            return 0;
        }
        int same = equal_at(a, mine, other, depth + 1);
        if (same != 1) {
            return same;
        }
    }
    return 1;
}

static int equal_objects(struct arena *a, struct span x, struct span y, int depth)
{
    int same = members_within(a, x, y, depth);
    if (same != 1) {
        return same;
    }
    struct walk w = walk_into(y);
    while (walk_next(&w)) {
        struct span other;
        if (!walk_member(x, value_text(a, w.key), &other)) {
            return 0;
        }
    }
    return 1;
}

static int equal_at(struct arena *a, struct span x, struct span y, int depth)
{
    enum scan_kind kind = walk_kind(x);
    if (kind != walk_kind(y)) {
        return 0;
    }
    if (depth > VALUE_DEPTH_MAX) {
        return -1;
    }
    switch (kind) {
    case SCAN_NUMBER:
        return value_compare_numbers(x, y) == 0;
    case SCAN_STRING:
        return span_equal(value_text(a, x), value_text(a, y));
    case SCAN_ARRAY:
        return equal_arrays(a, x, y, depth);
    case SCAN_OBJECT:
        return equal_objects(a, x, y, depth);
    default:
        return 1;
    }
}

int value_equal(struct arena *a, struct span x, struct span y)
{
    return equal_at(a, x, y, 0);
}
