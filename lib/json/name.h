/*
 * name.h: is that member's name the one that is looked for?
 *
 * The most frequent question there is: for each member of each line, once or more.  Most names are
 * too short for a call of memcmp or memchr to be worth it.
 *
 * A key is a JSON string with its quotes, a name the text that it stands for.
 *
 * Floor: services.
 */
#ifndef FANLINE_JSON_NAME_H
#define FANLINE_JSON_NAME_H

#include "base/span.h"

#include <stdint.h>

static inline uint64_t name_eight(const char *at)
{
    uint64_t eight;
    memcpy(&eight, at, sizeof eight);
    return eight;
}

static inline uint64_t name_four(const char *at)
{
    uint32_t four;
    memcpy(&four, at, sizeof four);
    return four;
}

/* Are the N bytes at A and B the same? */
static inline bool name_same(const char *a, const char *b, size_t n)
{
    if (n > 32) {
        return memcmp(a, b, n) == 0;
    }
    if (n >= 8) { /* the last eight may be some of those before once more */
        uint64_t other = name_eight(a + n - 8) ^ name_eight(b + n - 8);
        for (size_t i = 0; i + 8 < n; i += 8) {
            other |= name_eight(a + i) ^ name_eight(b + i);
        }
        return other == 0;
    }
    if (n >= 4) {
        return name_four(a) == name_four(b) && name_four(a + n - 4) == name_four(b + n - 4);
    }
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

/* Is KEY, as it is written, NAME? */
static inline bool name_is_verbatim(struct span key, struct span name)
{
    return key.len == name.len + 2 && name_same(key.at + 1, name.at, name.len);
}

/* Is one of the EIGHT bytes a backslash? */
static inline bool name_backslash(uint64_t eight)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    eight ^= ones * '\\';
    return (eight - ones) & ~eight & tops;
}

/* Is there an escape in KEY?  Only then it may be a name other than it is written. */
static inline bool name_has_escape(struct span key)
{
    const char *at = key.at, *end = key.at + key.len;
    if (key.len > 32) {
        return memchr(at, '\\', key.len);
    }
    if (key.len < 8) { /* of fewer than 4 bytes two are quotes: no room for an escape */
        return key.len >= 4 && name_backslash(name_four(at) | name_four(end - 4) << 32);
    }
    bool found = name_backslash(name_eight(at)) | name_backslash(name_eight(end - 8));
    while (end - (at += 8) > 8) {
        found |= name_backslash(name_eight(at));
    }
    return found;
}

#endif
