/* Blocks as a register of AVX-512, which makes masks by itself. */
#ifdef __x86_64__
#include "json/utf8_wide.h"

#include <stdbool.h>
#include <stdint.h>

#define TARGET "avx2,bmi,bmi2,popcnt,pclmul,avx512f,avx512bw,avx512vl,avx512vbmi2"
#define WIDE   __attribute__((target(TARGET), always_inline)) static inline

struct block {
    __m512i all;
};

WIDE struct block block_load(const char *at)
{
    return (struct block){_mm512_loadu_si512(at)};
}

/* MASK in an ordinary register: there is more to be done with it than these instructions can. */
WIDE uint64_t plain(__mmask64 mask)
{
    uint64_t bits = mask;
    __asm__("" : "+r"(bits));
    return bits;
}

WIDE uint64_t block_equal(const struct block *v, char c)
{
    return plain(_mm512_cmpeq_epi8_mask(v->all, _mm512_set1_epi8(c)));
}

/* Where a bracket, a colon, a comma and, with LINES, LF is. */
WIDE uint64_t block_marks(const struct block *v, bool lines)
{
    /* by its last four bits the only mark there may be: '[' and ']' differ from '{' and '}' in the
     * bit 0x20, which is set in the others; what is found of other bytes is no mark to take_marks
     */
    const __m128i marks = _mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, ':', '{', ',', '}', 0, 0);
    __m512i set = _mm512_or_si512(v->all, _mm512_set1_epi8(0x20));
    __m512i known = _mm512_shuffle_epi8(_mm512_broadcast_i32x4(marks), v->all);
    uint64_t found = plain(_mm512_cmpeq_epi8_mask(known, set));
    return lines ? found | block_equal(v, '\n') : found;
}

WIDE uint64_t block_controls(const struct block *v)
{
    return plain(_mm512_cmplt_epu8_mask(v->all, _mm512_set1_epi8(0x20)));
}

WIDE uint64_t block_above(const struct block *v)
{
    return plain(_mm512_movepi8_mask(v->all));
}

/* Whatever may stand behind a backslash: "\/bfnrtu, found by both halves of the byte. */
WIDE uint64_t block_escapable(const struct block *v)
{
    const __m128i low = _mm_setr_epi8(0, 0, 1 | 4 | 8, 0, 8, 8, 4, 0, 0, 0, 0, 0, 2, 0, 4, 1);
    const __m128i high = _mm_setr_epi8(0, 0, 1, 0, 0, 2, 4, 8, 0, 0, 0, 0, 0, 0, 0, 0);
    __m512i upper = _mm512_and_si512(_mm512_srli_epi16(v->all, 4), _mm512_set1_epi8(0x0F));
    return plain(_mm512_test_epi8_mask(_mm512_shuffle_epi8(_mm512_broadcast_i32x4(low), v->all),
                                       _mm512_shuffle_epi8(_mm512_broadcast_i32x4(high), upper)));
}

/* Hexadecimal digits. */
WIDE uint64_t block_hex(const struct block *v)
{
    __m512i digit = _mm512_sub_epi8(v->all, _mm512_set1_epi8('0'));
    __m512i lower = _mm512_or_si512(v->all, _mm512_set1_epi8(0x20));
    __m512i letter = _mm512_sub_epi8(lower, _mm512_set1_epi8('a'));
    return plain(_mm512_cmple_epu8_mask(digit, _mm512_set1_epi8(9))) |
           plain(_mm512_cmple_epu8_mask(letter, _mm512_set1_epi8(5)));
}

/* Is there a quote, a backslash or a control character? */
WIDE bool block_ends_run(const struct block *v)
{
    return block_equal(v, '"') | block_equal(v, '\\') | block_controls(v);
}

WIDE __m256i block_low(const struct block *v)
{
    return _mm512_castsi512_si256(v->all);
}

WIDE __m256i block_high(const struct block *v)
{
    return _mm512_extracti64x4_epi64(v->all, 1);
}

/* Are the first LEN of the 32 bytes at AT digits? */
WIDE bool digits_of(const char *at, unsigned len)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)at);
    __m256i value = _mm256_sub_epi8(v, _mm256_set1_epi8('0'));
    return _bzhi_u64(_mm256_cmpgt_epu8_mask(value, _mm256_set1_epi8(9)), len) == 0;
}

/* Put the places of the bits of MASK at OUT, counted from AT. */
WIDE void block_places(uint32_t *out, uint64_t mask, uint32_t at)
{
    const __m512i all = _mm512_set_epi8(
        63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41,
        40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18,
        17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    __m512i base = _mm512_set1_epi32((int)at);
    __m512i set = _mm512_maskz_compress_epi8(mask, all);
    size_t count = (size_t)_mm_popcnt_u64(mask);
    _mm512_storeu_si512(out,
                        _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(set))));
    for (size_t i = 16; i < count; i += 16) {
        set = _mm512_shuffle_i64x2(set, set, 0x39);
        _mm512_storeu_si512(
            out + i, _mm512_add_epi32(base, _mm512_cvtepu8_epi32(_mm512_castsi512_si128(set))));
    }
}

#include "json/bulk_blocks.h"

BULK_BLOCKS(bulk_blocks_avx512)
#endif
