#include "base/mem.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static _Noreturn void mem_fail(void)
{
    say(program_invocation_short_name);
    say(": out of memory\n");
    _exit(1);
}

void *mem_new(size_t count, size_t size)
{
    void *at = calloc(count ? count : 1, size ? size : 1);
    if (!at) {
        mem_fail();
    }
    return at;
}

void *mem_resize(void *at, size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > PTRDIFF_MAX) {
        mem_fail();
    }
    void *moved = realloc(at, bytes ? bytes : 1);
    if (!moved) {
        mem_fail();
    }
    return moved;
}

char *mem_copy(const char *at, size_t len)
{
    char *copy = mem_resize(NULL, len + 1, 1);
    if (len > 0) {
        memcpy(copy, at, len);
    }
    copy[len] = '\0';
    return copy;
}

char *mem_text(const char *text)
{
    return text ? mem_copy(text, strlen(text)) : NULL;
}

void *mem_grow(void *at, size_t *cap, size_t count, size_t size)
{
    if (count < *cap) {
        return at;
    }
    size_t want = *cap ? *cap * 2 : 8;
    while (want <= count) {
        want *= 2;
    }
    at = mem_resize(at, want, size);
    *cap = want;
    return at;
}
