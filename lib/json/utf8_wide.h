/*
 * utf8_wide.h: is this UTF-8, 32 bytes at a time, on processors that have AVX2?
 *
 * Inside the room json only.
 *
 * Floor: services.
 */
#ifndef FANLINE_JSON_UTF8_WIDE_H
#define FANLINE_JSON_UTF8_WIDE_H

#ifdef __x86_64__
#include <immintrin.h>

#define UTF8_WIDE __attribute__((target("avx2"), always_inline)) static inline

/* V moved on by N bytes; the last N of BEFORE come first. */
#define UTF8_MOVED(v, before, n)                                                                   \
    _mm256_alignr_epi8(v, _mm256_permute2x128_si256(before, v, 0x21), 16 - (n))

UTF8_WIDE __m256i utf8_lookup(__m256i nibbles, const char table[16])
{
    __m128i half = _mm_loadu_si128((const __m128i *)(const void *)table);
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(half), nibbles);
}

UTF8_WIDE __m256i utf8_high_nibbles(__m256i v)
{
    return _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0F));
}

/*
 * Not 0 where V, behind BEFORE, breaks UTF-8: J. Keiser, D. Lemire, "Validating UTF-8 in less than
 * one instruction per byte" (2021), the algorithm "lookup".  Each bit of the tables is a fault that
 * two bytes in a row can have; the last one, TWO, is none in the place of a third or fourth byte.
 */
UTF8_WIDE __m256i utf8_faults(__m256i v, __m256i before)
{
    enum {
        SHORT = 1,  /* a lead without its tail */
        LONG = 2,   /* a tail behind ASCII */
        OVER3 = 4,  /* E0 80..9F */
        SURR = 16,  /* ED A0..BF */
        OVER2 = 32, /* C0, C1 */
        LARGE = 8,  /* F4 90..BF and above */
        FAR = 64,   /* F5 and above, and F0 80..8F */
        TWO = 128   /* a tail behind a tail */
    };
    static const char first_high[16] = {LONG,
                                        LONG,
                                        LONG,
                                        LONG,
                                        LONG,
                                        LONG,
                                        LONG,
                                        LONG,
                                        (char)TWO,
                                        (char)TWO,
                                        (char)TWO,
                                        (char)TWO,
                                        SHORT | OVER2,
                                        SHORT,
                                        SHORT | OVER3 | SURR,
                                        SHORT | LARGE | FAR};
    enum { CARRY = SHORT | LONG | TWO };
    static const char first_low[16] = {(char)(CARRY | OVER3 | OVER2 | FAR),
                                       (char)(CARRY | OVER2),
                                       (char)CARRY,
                                       (char)CARRY,
                                       (char)(CARRY | LARGE),
                                       (char)(CARRY | LARGE | FAR),
                                       (char)(CARRY | LARGE | FAR),
                                       (char)(CARRY | LARGE | FAR),
                                       (char)(CARRY | LARGE | FAR),
                                       (char)(CARRY | LARGE | FAR),
                                       (char)(CARRY | LARGE | FAR),
                                       (char)(CARRY | LARGE | FAR),
                                       (char)(CARRY | LARGE | FAR),
                                       (char)(CARRY | LARGE | FAR | SURR),
                                       (char)(CARRY | LARGE | FAR),
                                       (char)(CARRY | LARGE | FAR)};
    static const char second_high[16] = {SHORT,
                                         SHORT,
                                         SHORT,
                                         SHORT,
                                         SHORT,
                                         SHORT,
                                         SHORT,
                                         SHORT,
                                         (char)(LONG | OVER2 | TWO | OVER3 | FAR),
                                         (char)(LONG | OVER2 | TWO | OVER3 | LARGE),
                                         (char)(LONG | OVER2 | TWO | SURR | LARGE),
                                         (char)(LONG | OVER2 | TWO | SURR | LARGE),
                                         SHORT,
                                         SHORT,
                                         SHORT,
                                         SHORT};
    __m256i one = UTF8_MOVED(v, before, 1);
    __m256i pair = _mm256_and_si256(
        _mm256_and_si256(utf8_lookup(utf8_high_nibbles(one), first_high),
                         utf8_lookup(_mm256_and_si256(one, _mm256_set1_epi8(0x0F)), first_low)),
        utf8_lookup(utf8_high_nibbles(v), second_high));
    /* 0x80 where a third or fourth byte must be */
    __m256i third =
        _mm256_subs_epu8(UTF8_MOVED(v, before, 2), _mm256_set1_epi8((char)(0xE0 - 0x80)));
    __m256i fourth =
        _mm256_subs_epu8(UTF8_MOVED(v, before, 3), _mm256_set1_epi8((char)(0xF0 - 0x80)));
    __m256i must = _mm256_and_si256(_mm256_or_si256(third, fourth), _mm256_set1_epi8((char)0x80));
    return _mm256_xor_si256(must, pair);
}

#endif
#endif
