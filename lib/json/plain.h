/*
 * plain.h: the inner loops of everything that reads JSON strings, and of what passes over values.
 *
 * Inside the room json only; scan.h offers the same as functions.
 *
 * Floor: services.
 */
#ifndef FANLINE_JSON_PLAIN_H
#define FANLINE_JSON_PLAIN_H

#include <stdbool.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

static inline bool plain_byte(char c)
{
    return (signed char)c >= 0x20 && c != '"' && c != '\\';
}

/* The first byte in [at, end) that is not plain, one byte at a time: the reference. */
static inline const char *plain_end_scalar(const char *at, const char *end)
{
    while (at < end && plain_byte(*at)) {
        at++;
    }
    return at;
}

/* The same, 16 bytes at a time where the processor can (SSE2 is part of every x86-64). */
static inline const char *plain_end(const char *at, const char *end)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(0x20);
    for (; end - at >= 16; at += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
        /* the comparison is signed: bytes above 0x7F count as below 0x20 */
        __m128i hit =
            _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)),
                         _mm_cmplt_epi8(v, space));
        unsigned mask = (unsigned)_mm_movemask_epi8(hit);
        if (mask) {
            return at + __builtin_ctz(mask);
        }
    }
#endif
    return plain_end_scalar(at, end);
}

/* Does C end a number or a literal? */
static inline bool ends_scalar(char c)
{
    return c == ',' || (c | 0x20) == '}' || c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The first byte in [at, end) that ends a number or a literal.  With wide steps a control character
 * does so too, and there is none in a valid text but white space. */
static inline const char *scalar_end(const char *at, const char *end)
{
#ifdef __SSE2__
    for (; end - at >= 16; at += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
        __m128i bracket = _mm_cmpeq_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('}'));
        __m128i hit = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(',')), bracket),
                                   _mm_cmplt_epi8(v, _mm_set1_epi8(0x21)));
        unsigned mask = (unsigned)_mm_movemask_epi8(hit);
        if (mask) {
            return at + __builtin_ctz(mask);
        }
    }
#endif
    while (at < end && !ends_scalar(*at)) {
        at++;
    }
    return at;
}

#endif
