/* Blocks as two registers of AVX2. */
#ifdef __x86_64__
#include "json/utf8_wide.h"

#include <stdbool.h>
#include <stdint.h>

#define TARGET "avx2,bmi,bmi2,popcnt,pclmul"
#define WIDE   __attribute__((target(TARGET), always_inline)) static inline

struct block {
    __m256i low, high;
};

WIDE struct block block_load(const char *at)
{
    return (struct block){_mm256_loadu_si256((const __m256i *)(const void *)at),
                          _mm256_loadu_si256((const __m256i *)(const void *)(at + 32))};
}

WIDE uint64_t mask_of(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

WIDE uint64_t block_equal(const struct block *v, char c)
{
    __m256i all = _mm256_set1_epi8(c);
    return mask_of(_mm256_cmpeq_epi8(v->low, all), _mm256_cmpeq_epi8(v->high, all));
}

WIDE __m256i is_mark(__m256i v, bool lines)
{
    /* by its last four bits the only mark there may be: '[' and ']' differ from '{' and '}' in the
     * bit 0x20, which is set in the others; what is found of other bytes is no mark to take_marks
     */
    const __m256i marks = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0,
                                           0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0);
    __m256i set = _mm256_or_si256(v, _mm256_set1_epi8(0x20));
    __m256i found = _mm256_cmpeq_epi8(_mm256_shuffle_epi8(marks, v), set);
    return lines ? _mm256_or_si256(found, _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\n'))) : found;
}

/* Where a bracket, a colon, a comma and, with LINES, LF is. */
WIDE uint64_t block_marks(const struct block *v, bool lines)
{
    return mask_of(is_mark(v->low, lines), is_mark(v->high, lines));
}

WIDE __m256i at_most(__m256i v, char most)
{
    return _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(most)), v);
}

WIDE uint64_t block_controls(const struct block *v)
{
    return mask_of(at_most(v->low, 0x1F), at_most(v->high, 0x1F));
}

WIDE uint64_t block_above(const struct block *v)
{
    return mask_of(v->low, v->high);
}

WIDE __m256i is_escapable(__m256i v)
{
    const __m256i low = _mm256_setr_epi8(0, 0, 1 | 4 | 8, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1, 0,
                                         0, 1 | 4 | 8, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1);
    const __m256i high = _mm256_setr_epi8(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,
                                          0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0);
    __m256i upper = _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0F));
    __m256i both = _mm256_and_si256(_mm256_shuffle_epi8(low, v), _mm256_shuffle_epi8(high, upper));
    return _mm256_cmpgt_epi8(both, _mm256_setzero_si256());
}

/* Whatever may stand behind a backslash: "\/bfnrtu, found by both halves of the byte. */
WIDE uint64_t block_escapable(const struct block *v)
{
    return mask_of(is_escapable(v->low), is_escapable(v->high));
}

WIDE __m256i is_hex_digit(__m256i v)
{
    __m256i lower = _mm256_or_si256(v, _mm256_set1_epi8(0x20));
    return _mm256_or_si256(at_most(_mm256_sub_epi8(v, _mm256_set1_epi8('0')), 9),
                           at_most(_mm256_sub_epi8(lower, _mm256_set1_epi8('a')), 5));
}

WIDE uint64_t block_hex(const struct block *v)
{
    return mask_of(is_hex_digit(v->low), is_hex_digit(v->high));
}

WIDE __m256i ends_run(__m256i v)
{
    return _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('"')),
                                           _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'))),
                           at_most(v, 0x1F));
}

/* Is there a quote, a backslash or a control character? */
WIDE bool block_ends_run(const struct block *v)
{
    __m256i hit = _mm256_or_si256(ends_run(v->low), ends_run(v->high));
    return !_mm256_testz_si256(hit, hit);
}

WIDE __m256i block_low(const struct block *v)
{
    return v->low;
}

WIDE __m256i block_high(const struct block *v)
{
    return v->high;
}

/* Are the first LEN of the 32 bytes at AT digits? */
WIDE bool digits_of(const char *at, unsigned len)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)at);
    __m256i digit = at_most(_mm256_sub_epi8(v, _mm256_set1_epi8('0')), 9);
    return _bzhi_u64(~(uint64_t)(uint32_t)_mm256_movemask_epi8(digit), len) == 0;
}

/* Put the places of the bits of MASK at OUT, counted from AT. */
WIDE void block_places(uint32_t *out, uint64_t mask, uint32_t at)
{
    do { /* mostly once: no loop whose end has to be guessed */
#pragma GCC unroll 8
        for (int i = 0; i < 8; i++) {
            uint32_t place = at + (uint32_t)_tzcnt_u64(mask);
            __asm__("" : "+r"(place)); /* to gather them into a vector would cost more */
            out[i] = place;
            mask = _blsr_u64(mask);
        }
        out += 8;
    } while (mask);
}

#include "json/bulk_blocks.h"

BULK_BLOCKS(bulk_blocks_avx2)
#endif
