/*
 * buf.h: bytes that grow.
 *
 * A `struct buf` owns its bytes.  Zero-initialised it is empty and legal to
 * release.  Any function that adds may move the bytes, so spans into a buf end
 * with the next addition.  There is no NUL behind the bytes unless buf_text asks.
 *
 * Floor: ground.
 */
#ifndef FANLINE_BASE_BUF_H
#define FANLINE_BASE_BUF_H

#include "base/span.h"

#include <stddef.h>
#include <stdint.h>

struct buf {
    char *at;
    size_t len;
    size_t cap;
};

/* As buf_room, when there is none. */
char *buf_grow(struct buf *b, size_t extra);

/* Make room for EXTRA more bytes and return where they go; len is unchanged. */
static inline char *buf_room(struct buf *b, size_t extra)
{
    return extra <= b->cap - b->len ? b->at + b->len : buf_grow(b, extra);
}

static inline void buf_add(struct buf *b, const char *at, size_t len)
{
    if (len > 0) {
        memcpy(buf_room(b, len), at, len);
        b->len += len;
    }
}

static inline void buf_add_span(struct buf *b, struct span s)
{
    buf_add(b, s.at, s.len);
}

static inline void buf_add_byte(struct buf *b, char c)
{
    *buf_room(b, 1) = c;
    b->len++;
}

void buf_add_text(struct buf *b, const char *text);
void buf_add_u64(struct buf *b, uint64_t n);
void buf_add_i64(struct buf *b, int64_t n);
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The bytes as a C string, valid until the next addition; len does not count the NUL. */
const char *buf_text(struct buf *b);

/* The bytes, never at NULL: so that they can be walked along without a look at the length first. */
static inline struct span buf_span(const struct buf *b)
{
    return span_of(b->at ? b->at : "", b->len);
}

/* Empty it, keeping the memory for the next use. */
static inline void buf_reset(struct buf *b)
{
    b->len = 0;
}

/* Free the memory; the buf is empty and usable again. */
void buf_release(struct buf *b);

/* Digits of N at OUT, which has room for 20 bytes; returns how many. */
size_t buf_digits(char *out, uint64_t n);

#endif
