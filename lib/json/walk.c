#include "json/walk.h"

#include "base/buf.h"
#include "json/name.h"
#include "json/plain.h"
#include "json/text.h"

enum scan_kind walk_kind(struct span value)
{
    struct span v = walk_trim(value);
    char c = v.len > 0 ? v.at[0] : 'n';
    return c == '-' || (c >= '0' && c <= '9') ? SCAN_NUMBER : (enum scan_kind)c;
}

static inline const char *skip_space(const char *at, const char *end)
{
    while (at < end && walk_is_space(*at)) {
        at++;
    }
    return at;
}

/* Behind the string that begins with the quote at AT. */
static inline const char *skip_string(const char *at, const char *end)
{
    for (at = plain_end(at + 1, end); at < end && *at != '"'; at = plain_end(at, end)) {
        at += *at == '\\' && end - at > 1 ? 2 : 1; /* an escape, or a byte above 0x7F */
    }
    return at < end ? at + 1 : end;
}

/* Behind the container that begins with the bracket at AT. Brackets in strings do not count. */
static const char *skip_container(const char *at, const char *end)
{
    size_t depth = 0;
    while (at < end) {
        switch (*at) {
        case '"':
            at = skip_string(at, end);
            continue;
        case '{':
        case '[':
            depth++;
            break;
        case '}':
        case ']':
            if (--depth == 0) {
                return at + 1;
            }
            break;
        default:
            break;
        }
        at++;
    }
    return end;
}

static inline const char *skip_value(const char *at, const char *end)
{
    if (at == end) {
        return end;
    }
    if (*at == '"') {
        return skip_string(at, end);
    }
    if (*at == '{' || *at == '[') {
        return skip_container(at, end);
    }
    return scalar_end(at, end);
}

struct walk walk_into(struct span container)
{
    struct span v = walk_trim(container);
    struct walk w = walk_within(v, v);
    w.limit = w.end;
    return w;
}

struct walk walk_along(struct span container, struct seams_view seams)
{
    struct walk w = walk_into(container);
    w.seams = seams;
    return w;
}

/* Step to the next member by looking for its end. */
static bool next_found(struct walk *w)
{
    /* at '{' or '[' before the first, at ',' before each other one */
    const char *at = skip_space(w->at + 1, w->end);
    if (at >= w->end) {
        w->at = w->end;
        return false;
    }
    w->key = (struct span){0};
    if (*w->end == '}') {
        const char *key = at;
        at = skip_string(at, w->limit);
        w->key = span_of(key, (size_t)(at - key));
        at = skip_space(at, w->end);
        at = skip_space(at < w->end ? at + 1 : at, w->end); /* behind the ':' */
    }
    const char *end = skip_value(at, w->limit);
    w->value = span_of(at, (size_t)(end - at));
    w->at = skip_space(end, w->end);
    return true;
}

bool walk_next(struct walk *w)
{
    if (w->at >= w->end) { /* behind it where the text is not valid */
        return false;
    }
    return w->seams.text ? walk_next_sewn(w) : next_found(w);
}

bool walk_key_is(struct span key, struct span name)
{
    if (name_is_verbatim(key, name)) {
        return true;
    }
    if (key.len <= name.len + 2 || !name_has_escape(key)) { /* decoding shortens a text */
        return false;
    }
    struct buf decoded = {0};
    text_decode(&decoded, key);
    bool same = span_equal(buf_span(&decoded), name);
    buf_release(&decoded);
    return same;
}

bool walk_member(struct span object, struct span name, struct span *value)
{
    bool found = false;
    if (walk_kind(object) != SCAN_OBJECT) {
        return false;
    }
    struct walk w = walk_into(object);
    while (walk_next(&w)) {
        if (walk_key_is(w.key, name)) {
            *value = w.value;
            found = true;
        }
    }
    return found;
}

bool walk_element(struct span array, uint64_t index, struct span *value)
{
    if (walk_kind(array) != SCAN_ARRAY) {
        return false;
    }
    struct walk w = walk_into(array);
    for (uint64_t i = 0; walk_next(&w); i++) {
        if (i == index) {
            *value = w.value;
            return true;
        }
    }
    return false;
}
