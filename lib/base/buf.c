#include "base/buf.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *buf_grow(struct buf *b, size_t extra)
{
    size_t want = b->cap < 64 ? 64 : b->cap + b->cap / 2;
    if (want < b->len + extra) {
        want = b->len + extra;
    }
    b->at = mem_resize(b->at, want, 1);
    b->cap = want;
    return b->at + b->len;
}

void buf_add_text(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

size_t buf_digits(char *out, uint64_t n)
{
    size_t len = 1;
    for (uint64_t rest = n; rest >= 10; rest /= 10) {
        len++;
    }
    for (size_t i = len; i > 0; i--) {
        out[i - 1] = (char)('0' + n % 10);
        n /= 10;
    }
    return len;
}

void buf_add_u64(struct buf *b, uint64_t n)
{
    b->len += buf_digits(buf_room(b, 20), n);
}

void buf_add_i64(struct buf *b, int64_t n)
{
    if (n < 0) {
        buf_add_byte(b, '-');
    }
    buf_add_u64(b, n < 0 ? 0 - (uint64_t)n : (uint64_t)n);
}

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int need = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (need <= 0) {
        return;
    }
    char *out = buf_room(b, (size_t)need + 1);
    va_start(args, format);
    vsnprintf(out, (size_t)need + 1, format, args);
    va_end(args);
    b->len += (size_t)need;
}

const char *buf_text(struct buf *b)
{
    *buf_room(b, 1) = '\0';
    return b->at;
}

void buf_release(struct buf *b)
{
    free(b->at);
    *b = (struct buf){0};
}
