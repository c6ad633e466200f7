/*
 * span.h: a run of bytes that somebody else owns.
 *
 * Items pass through fanline as spans: a pointer and a length into a buffer of
 * the reader, of a line or of a document.  A span is never NUL-terminated, may
 * hold any byte, and is valid for as long as its owner says.
 *
 * Floor: ground.  Includes nothing of ours.
 */
#ifndef FANLINE_BASE_SPAN_H
#define FANLINE_BASE_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct span {
    const char *at;
    size_t len;
};

/* The span of a string literal, without its NUL. */
#define SPAN_LIT(text) ((struct span){(text), sizeof(text) - 1})

static inline struct span span_of(const char *at, size_t len)
{
    return (struct span){at, len};
}

/* The span of a C string; it borrows TEXT. */
static inline struct span span_text(const char *text)
{
    return (struct span){text, strlen(text)};
}

static inline bool span_equal(struct span a, struct span b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.at, b.at, a.len) == 0);
}

/* Below, equal to or above 0, as A comes before, with or behind B in the order of bytes. */
static inline int span_compare(struct span a, struct span b)
{
    size_t common = a.len < b.len ? a.len : b.len;
    int rc = common ? memcmp(a.at, b.at, common) : 0;
    return rc ? rc : (a.len > b.len) - (a.len < b.len);
}

static inline bool span_starts(struct span s, struct span prefix)
{
    return s.len >= prefix.len && memcmp(s.at, prefix.at, prefix.len) == 0;
}

#endif
