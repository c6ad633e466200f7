/* The functions of expressions, by name (reference/distributed-map.md 1.9, 2.12). */
#include "expr/node.h"

#include "base/buf.h"
#include "base/uuid.h"
#include "json/scan.h"
#include "json/text.h"

/* ---- what functions ask of their arguments ---- */

static int want(const struct call *c, size_t i, enum scan_kind kind, const char *what)
{
    if (value_is(c->args[i], kind)) {
        return 0;
    }
    return call_fail(c, "argument %zu must be %s, not %s", i + 1, what,
                     value_kind_name(c->args[i]));
}

static int want_text(const struct call *c, size_t i, struct span *text)
{
    if (want(c, i, SCAN_STRING, "a string") < 0) {
        return -1;
    }
    *text = value_text(c->arena, c->args[i]);
    return 0;
}

static int want_integer(const struct call *c, size_t i, int64_t *n)
{
    if (want(c, i, SCAN_NUMBER, "a number") < 0) {
        return -1;
    }
    return value_to_integer(c->args[i], n)
               ? 0
               : call_fail(c, "argument %zu is no whole number of 64 bits", i + 1);
}

/* The bytes of B become the result. */
static int give(struct call *c, struct buf *b, struct span *result)
{
    *result = arena_copy(c->arena, buf_span(b));
    buf_release(b);
    return 0;
}

static void add_element(struct buf *b, struct span value)
{
    if (b->len > 1) {
        buf_add_byte(b, ',');
    }
    buf_add_span(b, value);
}

/* ---- arrays ---- */

/* 1 if VALUE is one of ARRAY's first COUNT elements, 0 if not, -1 on failure. */
static int is_among(struct call *c, struct span array, uint64_t count, struct span value)
{
    struct walk w = walk_into(array);
    for (uint64_t i = 0; i < count && walk_next(&w); i++) {
        int same = value_equal(c->arena, w.value, value);
        if (same != 0) {
            return same < 0 ? call_fail(c, "the values nest too deep to be compared") : 1;
        }
    }
    return 0;
}

static int array_contains(struct call *c, struct span *result)
{
    int found = want(c, 0, SCAN_ARRAY, "an array");
    if (found == 0) {
        found = is_among(c, c->args[0], UINT64_MAX, c->args[1]);
    }
    *result = value_bool(found == 1);
    return found < 0 ? -1 : 0;
}

static int array_unique(struct call *c, struct span *result)
{
    if (want(c, 0, SCAN_ARRAY, "an array") < 0) {
        return -1;
    }
    struct buf b = {0};
    buf_add_byte(&b, '[');
    struct walk w = walk_into(c->args[0]);
    for (uint64_t i = 0; walk_next(&w); i++) {
        int seen = is_among(c, c->args[0], i, w.value);
        if (seen < 0) {
            buf_release(&b);
            return -1;
        }
        if (!seen) {
            add_element(&b, w.value);
        }
    }
    buf_add_byte(&b, ']');
    return give(c, &b, result);
}

static int to_array(struct call *c, struct span *result)
{
    struct buf b = {0};
    buf_add_byte(&b, '[');
    for (size_t i = 0; i < c->count; i++) {
        add_element(&b, c->args[i]);
    }
    buf_add_byte(&b, ']');
    return give(c, &b, result);
}

/* ---- objects ---- */

/* Is W's member the last one of its name in OBJECT, the one that counts? */
static bool counts(struct call *c, struct span object, const struct walk *w)
{
    struct span last = w->value;
    return walk_member(object, value_text(c->arena, w->key), &last) && last.at == w->value.at;
}

static int list_members(struct call *c, bool names, struct span *result)
{
    if (want(c, 0, SCAN_OBJECT, "an object") < 0) {
        return -1;
    }
    struct buf b = {0};
    struct walk w = walk_into(c->args[0]);
    buf_add_byte(&b, '[');
    while (walk_next(&w)) {
        if (counts(c, c->args[0], &w)) {
            add_element(&b, names ? w.key : w.value);
        }
    }
    buf_add_byte(&b, ']');
    return give(c, &b, result);
}

static int map_keys(struct call *c, struct span *result)
{
    return list_members(c, true, result);
}

static int map_values(struct call *c, struct span *result)
{
    return list_members(c, false, result);
}

/* get(object, name) and get(array, index); a third argument is given where there is nothing. */
static int get(struct call *c, struct span *result)
{
    bool found;
    if (value_is(c->args[0], SCAN_OBJECT)) {
        struct span name;
        if (want_text(c, 1, &name) < 0) {
            return -1;
        }
        found = walk_member(c->args[0], name, result);
    } else {
        int64_t index;
        if (want(c, 0, SCAN_ARRAY, "an object or an array") < 0 || want_integer(c, 1, &index) < 0) {
            return -1;
        }
        found = index >= 0 && walk_element(c->args[0], (uint64_t)index, result);
    }
    if (found) {
        return 0;
    }
    if (c->count < 3) {
        return call_fail(c, "there is no such member (a third argument would be given instead)");
    }
    *result = c->args[2];
    return 0;
}

/* Members of the first object in their place, each with the second one's value where it has one. */
static int json_merge(struct call *c, struct span *result)
{
    if (want(c, 0, SCAN_OBJECT, "an object") < 0 || want(c, 1, SCAN_OBJECT, "an object") < 0) {
        return -1;
    }
    if (c->count == 3 && !value_is(c->args[2], SCAN_FALSE)) {
        return call_fail(c, "argument 3 must be false: only the top level is merged");
    }
    struct buf b = {0};
    buf_add_byte(&b, '{');
    for (int side = 0; side < 2; side++) {
        struct walk w = walk_into(c->args[side]);
        while (walk_next(&w)) {
            struct span name = value_text(c->arena, w.key);
            struct span other = w.value;
            bool both = walk_member(c->args[1 - side], name, &other);
            if ((side == 1 && both) || !counts(c, c->args[side], &w)) {
                continue;
            }
            add_element(&b, w.key);
            buf_add_byte(&b, ':');
            buf_add_span(&b, both ? other : w.value);
        }
    }
    buf_add_byte(&b, '}');
    return give(c, &b, result);
}

/* ---- strings ---- */

/* Characters (code points) of a string, elements of an array, members of an object. */
static int length(struct call *c, struct span *result)
{
    int64_t n = 0;
    struct span v = c->args[0];
    if (value_is(v, SCAN_STRING)) {
        struct span text = value_text(c->arena, v);
        for (size_t i = 0; i < text.len; i++) {
            n += ((unsigned char)text.at[i] & 0xC0) != 0x80;
        }
    } else if (value_is(v, SCAN_ARRAY) || value_is(v, SCAN_OBJECT)) {
        struct walk w = walk_into(v);
        while (walk_next(&w)) {
            n++;
        }
    } else {
        return call_fail(c, "argument 1 must be a string, an array or an object, not %s",
                         value_kind_name(v));
    }
    *result = value_integer(c->arena, n);
    return 0;
}

static int split(struct call *c, struct span *result)
{
    struct span text;
    struct span by;
    if (want_text(c, 0, &text) < 0 || want_text(c, 1, &by) < 0) {
        return -1;
    }
    if (by.len == 0) {
        return call_fail(c, "argument 2 must not be empty");
    }
    struct buf b = {0};
    buf_add_byte(&b, '[');
    for (;;) {
        const char *hit = memmem(text.at, text.len, by.at, by.len);
        size_t len = hit ? (size_t)(hit - text.at) : text.len;
        if (b.len > 1) {
            buf_add_byte(&b, ',');
        }
        text_encode(&b, span_of(text.at, len));
        if (!hit) {
            break;
        }
        text = span_of(hit + by.len, text.len - len - by.len);
    }
    buf_add_byte(&b, ']');
    return give(c, &b, result);
}

/* Strings as they are, everything else as JSON. */
static struct span shown(struct call *c, struct span v)
{
    return value_is(v, SCAN_STRING) ? value_text(c->arena, v) : v;
}

static int format(struct call *c, struct span *result)
{
    struct span text;
    size_t next = 1;
    if (want_text(c, 0, &text) < 0) {
        return -1;
    }
    struct buf b = {0};
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] != '{' || i + 1 == text.len || text.at[i + 1] != '}') {
            buf_add_byte(&b, text.at[i]);
            continue;
        }
        if (next < c->count) {
            buf_add_span(&b, shown(c, c->args[next]));
        }
        next++;
        i++;
    }
    if (next != c->count) {
        buf_release(&b);
        return call_fail(c, "%zu places for %zu arguments", next - 1, c->count - 1);
    }
    *result = value_string(c->arena, buf_span(&b));
    buf_release(&b);
    return 0;
}

static int string_to_json(struct call *c, struct span *result)
{
    struct span text;
    if (want_text(c, 0, &text) < 0) {
        return -1;
    }
    struct scan s;
    scan_init(&s, SCAN_DEPTH_DEFAULT);
    size_t len = 0;
    char *out = arena_take(c->arena, text.len + 1);
    int bad = scan_compact(&s, text.at, text.len, out, &len);
    const char *fault = s.fault;
    scan_release(&s);
    *result = span_of(out, len);
    return bad ? call_fail(c, "the string is no JSON: %s", fault) : 0;
}

static int to_json(struct call *c, struct span *result)
{
    *result = value_string(c->arena, walk_trim(c->args[0]));
    return 0;
}

/* ---- numbers ---- */

static int int_add(struct call *c, struct span *result)
{
    int64_t a;
    int64_t b;
    if (want_integer(c, 0, &a) < 0 || want_integer(c, 1, &b) < 0) {
        return -1;
    }
    if (__builtin_add_overflow(a, b, &a)) {
        return call_fail(c, "the sum does not fit 64 bits");
    }
    *result = value_integer(c->arena, a);
    return 0;
}

/* A number from the first argument on, below the second. */
static int random_int(struct call *c, struct span *result)
{
    int64_t low;
    int64_t high;
    if (want_integer(c, 0, &low) < 0 || want_integer(c, 1, &high) < 0) {
        return -1;
    }
    if (low >= high) {
        return call_fail(c, "the first argument must be less than the second");
    }
    uint64_t span = (uint64_t)high - (uint64_t)low;
    uint64_t limit = UINT64_MAX - UINT64_MAX % span; /* beyond it some numbers would come oftener */
    uint64_t n;
    do {
        uuid_random(&n, sizeof n);
    } while (n >= limit);
    *result = value_integer(c->arena, (int64_t)((uint64_t)low + n % span));
    return 0;
}

static int uuid(struct call *c, struct span *result)
{
    char text[UUID_TEXT_MAX];
    *result = value_string(c->arena, span_text(uuid_make(text)));
    return 0;
}

/* ---- the table ---- */

static const struct function functions[] = {
    {"arrayContains", 2, 2, array_contains},
    {"arrayUnique", 1, 1, array_unique},
    {"format", 1, -1, format},
    {"fromJSON", 1, 1, string_to_json},
    {"get", 2, 3, get},
    {"intAdd", 2, 2, int_add},
    {"jsonMerge", 2, 2, json_merge},
    {"length", 1, 1, length},
    {"mapKeys", 1, 1, map_keys},
    {"mapValues", 1, 1, map_values},
    {"randomInt", 2, 2, random_int},
    {"split", 2, 2, split},
    {"stringToJson", 1, 1, string_to_json},
    {"toArray", 0, -1, to_array},
    {"toJson", 1, 1, to_json},
    {"uuid", 0, 0, uuid},
    /* the Amazon States Language's names for the same */
    {"States.Array", 0, -1, to_array},
    {"States.ArrayContains", 2, 2, array_contains},
    {"States.ArrayGetItem", 2, 2, get},
    {"States.ArrayLength", 1, 1, length},
    {"States.ArrayUnique", 1, 1, array_unique},
    {"States.Format", 1, -1, format},
    {"States.JsonMerge", 3, 3, json_merge},
    {"States.JsonToString", 1, 1, to_json},
    {"States.MathAdd", 2, 2, int_add},
    {"States.MathRandom", 2, 2, random_int},
    {"States.StringToJson", 1, 1, string_to_json},
    {"States.UUID", 0, 0, uuid},
};

const struct function *function_find(struct span name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (span_equal(span_text(functions[i].name), name)) {
            return &functions[i];
        }
    }
    return function_find_coding(name);
}
