/*
 * The scanner's fast lane.
 *
 * Most text is compact, and most of its tokens lie within one chunk.  The lane takes such
 * tokens whole as long as no event is due, and stops in front of anything else, which
 * the machine in scan.c then takes byte by byte.  It decides nothing on its own: without
 * it (s->plain) the same text gives the same events, only later.
 */
#include "json/plain.h"
#include "json/scan_state.h"

#include <string.h>

/* Behind the escape whose backslash is at AT; NULL: not valid, or not whole. */
static inline const char *lane_escape(const char *at, const char *end)
{
    static const bool simple[256] = {['"'] = true, ['\\'] = true, ['/'] = true, ['b'] = true,
                                     ['f'] = true, ['n'] = true,  ['r'] = true, ['t'] = true};
    if (end - at >= 2 && simple[(unsigned char)at[1]]) {
        return at + 2;
    }
    bool hex = end - at >= 6 && at[1] == 'u' && is_hex(at[2]) && is_hex(at[3]) && is_hex(at[4]) &&
               is_hex(at[5]);
    return hex ? at + 6 : NULL;
}

static inline bool is_tail(unsigned char c)
{
    return (c & 0xC0) == 0x80;
}

/* Behind the UTF-8 sequence of two to four bytes at TEXT; NULL: none, or not whole. */
static inline const char *lane_utf8(const char *text, const char *end)
{
    const unsigned char *at = (const unsigned char *)text;
    if (end - text < 4) {
        return NULL;
    }
    if (at[0] >= 0xC2 && at[0] <= 0xDF) {
        return is_tail(at[1]) ? text + 2 : NULL;
    }
    if (at[0] >= 0xE0 && at[0] <= 0xEF && is_tail(at[1]) && is_tail(at[2])) {
        bool overlong = at[0] == 0xE0 && at[1] < 0xA0;
        bool surrogate = at[0] == 0xED && at[1] > 0x9F;
        return overlong || surrogate ? NULL : text + 3;
    }
    if (at[0] >= 0xF0 && at[0] <= 0xF4 && is_tail(at[1]) && is_tail(at[2]) && is_tail(at[3])) {
        bool outside = (at[0] == 0xF0 && at[1] < 0x90) || (at[0] == 0xF4 && at[1] > 0x8F);
        return outside ? NULL : text + 4;
    }
    return NULL;
}

/* Behind the string whose opening quote is at AT; NULL: not valid, or not whole. */
static inline const char *lane_string(const char *at, const char *end)
{
    at++;
    for (;;) {
        at = plain_end(at, end);
        if (at == end) {
            return NULL;
        }
        if (*at == '"') {
            return at + 1;
        }
        at = *at == '\\' ? lane_escape(at, end) : lane_utf8(at, end);
        if (!at) {
            return NULL;
        }
    }
}

/* Behind the number at AT, which ends within the chunk; NULL: not simple, or not whole. */
static inline const char *lane_number(const char *at, const char *end)
{
    at += *at == '-';
    if (at == end || !is_digit(*at)) {
        return NULL;
    }
    const char *behind = *at == '0' ? at + 1 : skip_digits(at, end);
    if (behind < end && *behind == '.') {
        const char *fraction = behind + 1;
        behind = skip_digits(fraction, end);
        if (behind == fraction) {
            return NULL;
        }
    }
    return behind < end && (*behind == ',' || *behind == '}' || *behind == ']') ? behind : NULL;
}

static inline const char *lane_literal(const char *at, const char *end)
{
    if (end - at < 6) {
        return NULL;
    }
    if (memcmp(at, "true", 4) == 0 || memcmp(at, "null", 4) == 0) {
        return at + 4;
    }
    return memcmp(at, "false", 5) == 0 ? at + 5 : NULL;
}

/* Behind the scalar at AT; NULL: the lane ends here. */
static inline const char *lane_scalar(const char *at, const char *end)
{
    if (*at == '"') {
        return lane_string(at, end);
    }
    return *at == '-' || is_digit(*at) ? lane_number(at, end) : lane_literal(at, end);
}

/* A member's name and its colon; NULL: the lane ends here. */
static inline const char *lane_name(const char *at, const char *end)
{
    const char *behind = *at == '"' ? lane_string(at, end) : NULL;
    return behind && behind < end && *behind == ':' ? behind + 1 : NULL;
}

const char *scan_lane(struct scan *s, const char *begin, const char *at, const char *end)
{
    /* values directly in a container this deep, and the end of such a container, are events */
    const uint64_t quiet = s->watch > 0 ? (uint64_t)s->watch : 0;
    uint8_t state = s->state;
    bool object = in_object(s);
    const char *behind = at;
    if (state == AT_COLON) {
        return at;
    }
    while (end - at > 1) {
        if (state == AT_AFTER) {
            if (*at == ',') {
                state = object ? AT_NAME : AT_VALUE;
                scan_note(s, s->offset + (uint64_t)(at - begin));
            } else if (*at == (object ? '}' : ']') && s->depth > quiet + 1) {
                s->depth--;
                object = in_object(s);
            } else {
                break;
            }
            behind = at + 1;
        } else if (state == AT_NAME || state == AT_FIRST_NAME) {
            behind = lane_name(at, end);
            if (behind) {
                state = AT_VALUE;
                scan_note(s, s->offset + (uint64_t)(behind - 1 - begin));
            }
        } else if (*at == '{' || *at == '[') {
            if (s->depth >= s->max_depth) {
                break;
            }
            object = *at == '{';
            scan_push(s, object);
            state = s->state;
            behind = at + 1;
        } else {
            behind = lane_scalar(at, end);
            state = behind ? AT_AFTER : state;
        }
        if (!behind) {
            break;
        }
        at = behind;
    }
    s->state = state;
    s->begun = false; /* the caller may have lowered `watch` on a value that began, which we took */
    return at;
}
