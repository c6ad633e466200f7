/* Functions that cut texts and put them together. */
#include "expr/attr_functions.h"

#include "base/uuid.h"
#include "expr/attr_case.h"
#include "expr/attr_utf16.h"

/* The subject's text, or true for null: *V is null then, as it stays. */
static bool is_null(struct attr_call *c, const struct datum *v, struct span *text)
{
    *text = attr_subject(c, v);
    return !text->at;
}

static int give_two(struct attr_call *c, struct span a, struct span b, struct datum *v)
{
    char *at = arena_take(c->run->arena, a.len + b.len + 1);
    *v = datum_text(span_of(at, a.len + b.len));
    if (a.len > 0) {
        memcpy(at, a.at, a.len);
    }
    if (b.len > 0) {
        memcpy(at + a.len, b.at, b.len);
    }
    return 0;
}

int attr_fn_append(struct attr_call *c, struct datum *v)
{
    struct span more;
    return attr_arg_text(c, 0, &more) < 0 ? -1 : give_two(c, attr_subject(c, v), more, v);
}

int attr_fn_prepend(struct attr_call *c, struct datum *v)
{
    struct span more;
    return attr_arg_text(c, 0, &more) < 0 ? -1 : give_two(c, more, attr_subject(c, v), v);
}

int attr_fn_to_string(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (!is_null(c, v, &text)) {
        *v = datum_text(text);
    }
    return 0;
}

/* The argument as a text; null stays null, but for NiFi, which makes it "null". */
int attr_fn_literal(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (attr_arg_text(c, 0, &text) < 0) {
        return -1;
    }
    if (!text.at && c->run->t->rules.nifi) {
        text = SPAN_LIT("null");
    }
    *v = text.at ? datum_text(text) : datum_null();
    return 0;
}

int attr_fn_to_upper(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (is_null(c, v, &text)) {
        return 0;
    }
    case_add_upper(attr_buf(c), text);
    return attr_give(c, v);
}

int attr_fn_to_lower(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (is_null(c, v, &text)) {
        return 0;
    }
    case_add_lower(attr_buf(c), text);
    return attr_give(c, v);
}

int attr_fn_trim(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (!is_null(c, v, &text)) {
        *v = datum_text(datum_trim(text));
    }
    return 0;
}

int attr_fn_length(struct attr_call *c, struct datum *v)
{
    struct span text = attr_subject(c, v);
    *v = datum_whole(text.at ? utf16_length(text) : 0);
    return 0;
}

/* N, of which NiFi takes the lowest 32 bits only. */
static int64_t to_int(const struct attr_call *c, int64_t n)
{
    return attr_is_nifi(c) ? (int32_t)(uint32_t)n : n;
}

int attr_fn_substring(struct attr_call *c, struct datum *v)
{
    struct span text;
    int64_t from = 0;
    if (is_null(c, v, &text)) {
        *v = datum_text(SPAN_LIT(""));
        return 0;
    }
    int64_t len = utf16_length(text);
    int64_t to = len;
    for (size_t i = 0; attr_has_arg(c, i); i++) {
        int is_number = attr_arg_whole(c, i, i == 0 ? &from : &to);
        if (is_number <= 0) {
            return is_number < 0 ? -1 : attr_fail(c, "argument %zu is no number", i + 1);
        }
    }
    from = to_int(c, from);
    to = to_int(c, to);
    struct buf *b = attr_buf(c);
    if (from >= 0 && from <= to && to <= len) {
        utf16_cut(text, from, to, b);
    }
    return attr_give(c, v);
}

/* ---- around a separator ---- */

/* The last place of PART in TEXT; NULL if there is none. */
static const char *find_last(struct span text, struct span part)
{
    const char *last = NULL;
    while (part.len > 0) {
        const char *hit = memmem(text.at, text.len, part.at, part.len);
        if (!hit) {
            break;
        }
        last = hit;
        text = span_of(hit + 1, text.len - (size_t)(hit - text.at) - 1);
    }
    return last;
}

/* What stands before or after the first or the last separator; the whole text if there is none. */
static int cut_at(struct attr_call *c, bool last, bool after, struct datum *v)
{
    struct span text = attr_subject(c, v);
    struct span by;
    if (attr_arg_text(c, 0, &by) < 0 || attr_no_null(c, 0, by.at || !last || !text.at) < 0) {
        return -1;
    }
    *v = datum_text(text);
    if (text.len == 0 || by.len == 0) {
        return 0;
    }
    const char *hit = last ? find_last(text, by) : memmem(text.at, text.len, by.at, by.len);
    if (hit) {
        size_t before = (size_t)(hit - text.at);
        *v = datum_text(after ? span_of(hit + by.len, text.len - before - by.len)
                              : span_of(text.at, before));
    }
    return 0;
}

int attr_fn_before(struct attr_call *c, struct datum *v)
{
    return cut_at(c, false, false, v);
}

int attr_fn_after(struct attr_call *c, struct datum *v)
{
    return cut_at(c, false, true, v);
}

int attr_fn_before_last(struct attr_call *c, struct datum *v)
{
    return cut_at(c, true, false, v);
}

int attr_fn_after_last(struct attr_call *c, struct datum *v)
{
    return cut_at(c, true, true, v);
}

/* ---- padding and repeating ---- */

static int too_long(struct attr_call *c)
{
    return attr_fail(c, "the text would be longer than %zu bytes", ATTR_TEXT_MAX);
}

/* Add PAD over and over to OUT until there are UNITS UTF-16 units of it. */
static void fill(struct span pad, int64_t units, struct buf *out)
{
    int64_t each = utf16_length(pad);
    for (; units >= each; units -= each) {
        buf_add_span(out, pad);
    }
    utf16_cut(pad, 0, units, out);
}

static int pad(struct attr_call *c, bool left, struct datum *v)
{
    struct span text;
    struct span with = SPAN_LIT("_");
    int64_t want;
    if (is_null(c, v, &text)) {
        return 0;
    }
    int is_number = attr_arg_whole(c, 0, &want);
    if (is_number < 0 || (attr_has_arg(c, 1) && attr_arg_text(c, 1, &with) < 0)) {
        return -1;
    }
    *v = datum_text(text);
    int64_t len = utf16_length(text);
    with = with.len > 0 ? with : SPAN_LIT("_");
    if (is_number == 0 || want > INT32_MAX || want <= len) {
        return 0;
    }
    if ((size_t)(want - len) > ATTR_TEXT_MAX / 4) {
        return too_long(c);
    }
    struct buf *b = attr_buf(c);
    if (!left) {
        buf_add_span(b, text);
    }
    fill(with, want - len, b);
    if (left) {
        buf_add_span(b, text);
    }
    return attr_give(c, v);
}

int attr_fn_pad_left(struct attr_call *c, struct datum *v)
{
    return pad(c, true, v);
}

int attr_fn_pad_right(struct attr_call *c, struct datum *v)
{
    return pad(c, false, v);
}

/* A random number from LEAST to MOST. */
static int64_t between(int64_t least, int64_t most)
{
    uint64_t n;
    uuid_random(&n, sizeof n);
    return least + (int64_t)(n % ((uint64_t)most - (uint64_t)least + 1));
}

int attr_fn_repeat(struct attr_call *c, struct datum *v)
{
    struct span text = attr_subject(c, v);
    int64_t least;
    int64_t most;
    if (!text.at) {
        *v = datum_text(SPAN_LIT(""));
        return 0;
    }
    int is_number = attr_arg_whole(c, 0, &least);
    most = least;
    if (is_number == 1 && attr_has_arg(c, 1)) {
        is_number = attr_arg_whole(c, 1, &most);
    }
    if (is_number < 0) {
        return -1;
    }
    least = to_int(c, least);
    most = to_int(c, most);
    if (is_number == 0 || least < 1 || most < least) {
        return attr_fail(c, "a number of times expected, from 1 on, the greater one last");
    }
    if (most >= (int64_t)ATTR_TEXT_MAX || text.len > ATTR_TEXT_MAX / (size_t)most) {
        return too_long(c);
    }
    struct buf *b = attr_buf(c);
    for (int64_t n = most > least ? between(least, most) : least; n > 0; n--) {
        buf_add_span(b, text);
    }
    return attr_give(c, v);
}

/* ---- replacing ---- */

/* An empty text is found before each character and at the end. */
static void replace_nothing(struct span text, struct span by, struct buf *out)
{
    const char *end = text.at + text.len;
    size_t len;
    for (const char *at = text.at; at < end; at += len) {
        utf8_read(at, end, &len);
        buf_add_span(out, by);
        buf_add(out, at, len);
    }
    buf_add_span(out, by);
}

int attr_fn_replace(struct attr_call *c, struct datum *v)
{
    struct span text;
    struct span what;
    struct span by;
    if (is_null(c, v, &text)) {
        return 0;
    }
    if (attr_arg_text(c, 0, &what) < 0 || attr_arg_text(c, 1, &by) < 0) {
        return -1;
    }
    if (!what.at || !by.at) {
        return attr_fail(c, "argument %d has no value", what.at ? 2 : 1);
    }
    struct buf *b = attr_buf(c);
    if (what.len == 0) {
        replace_nothing(text, by, b);
        return attr_give(c, v);
    }
    for (const char *hit; (hit = memmem(text.at, text.len, what.at, what.len));) {
        size_t before = (size_t)(hit - text.at);
        buf_add(b, text.at, before);
        buf_add_span(b, by);
        text = span_of(hit + what.len, text.len - before - what.len);
    }
    buf_add_span(b, text);
    return attr_give(c, v);
}

static int replace_matches(struct attr_call *c, bool all, struct datum *v)
{
    struct span text;
    struct span by;
    const struct regex *regex;
    struct regex *own;
    struct err e = {0};
    if (is_null(c, v, &text)) {
        return 0;
    }
    if (attr_arg_text(c, 1, &by) < 0 || attr_arg_regex(c, 0, REGEX_PART, &regex, &own) < 0) {
        return -1;
    }
    int rc;
    bool unused =
        all && regex && !by.at && attr_is_nifi(c); /* NiFi wants it when there is a match */
    if (unused && (rc = attr_matches(c, regex, text)) <= 0) {
        *v = datum_text(text);
    } else if (!regex || !by.at) {
        rc = attr_fail(c, "argument %d has no value", regex ? 2 : 1);
    } else {
        rc = regex_replace(regex, text, by, all, attr_buf(c), &e);
        rc = rc < 0 ? attr_fail(c, "%s", e.text) : attr_give(c, v);
    }
    regex_free(own);
    return rc;
}

int attr_fn_replace_all(struct attr_call *c, struct datum *v)
{
    return replace_matches(c, true, v);
}

int attr_fn_replace_first(struct attr_call *c, struct datum *v)
{
    return replace_matches(c, false, v);
}
