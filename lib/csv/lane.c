#include "csv/lane.h"

#include "base/mem.h"

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BLOCK = 16 };

/* What there is in a block of bytes: a bit for each byte. */
struct marks {
    uint32_t delimiters;
    uint32_t ends;  /* line ends, and what stops the lane */
    uint32_t other; /* no ASCII from 0x20 on, or a backslash */
};

#ifdef __SSE2__

static inline uint32_t bits(__m128i v)
{
    return (uint32_t)_mm_movemask_epi8(v);
}

static inline __m128i equal(__m128i v, char c)
{
    return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

static inline struct marks look(const struct lane *l, const char *at)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
    __m128i lines = _mm_or_si128(equal(v, '\n'), equal(v, '\r'));
    __m128i stops = _mm_or_si128(equal(v, '"'), equal(v, l->stop));
    /* the comparison is signed: bytes above 0x7F count as below 0x20 */
    __m128i other = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(0x20)), equal(v, '\\'));
    return (struct marks){bits(equal(v, l->delimiter)), bits(_mm_or_si128(lines, stops)),
                          bits(other)};
}

#else

static inline struct marks look(const struct lane *l, const char *at)
{
    struct marks m = {0};
    for (uint32_t i = 0; i < BLOCK; i++) {
        char c = at[i];
        uint32_t bit = UINT32_C(1) << i;
        m.delimiters |= c == l->delimiter ? bit : 0;
        m.ends |= c == '\n' || c == '\r' || c == '"' || c == l->stop ? bit : 0;
        m.other |= (signed char)c < 0x20 || c == '\\' ? bit : 0;
    }
    return m;
}

#endif

/* Marks of the last bytes of a text, fewer than a block. */
static struct marks look_at_few(const struct lane *l, struct span text)
{
    char block[BLOCK] = {0};
    uint32_t there = (UINT32_C(1) << text.len) - 1;
    memcpy(block, text.at, text.len);
    struct marks m = look(l, block);
    return (struct marks){m.delimiters & there, m.ends & there, m.other & there};
}

/* Make room for as many fields as a block can end, and one more. */
static void make_room(struct lane *l)
{
    if (l->cap < l->count + BLOCK + 1) {
        l->cap = l->cap ? l->cap * 2 : 64;
        l->fields = mem_resize(l->fields, l->cap, sizeof *l->fields);
    }
}

/* The field that began at FROM ends at TO. */
static inline void put(struct lane *l, const char *from, const char *to)
{
    l->fields[l->count++] = span_of(from, (size_t)(to - from));
}

/* The length of the record whose line ends at END; 0 if that cannot be told yet. */
static size_t line_end(const struct lane *l, struct span text, const char *end)
{
    size_t len = (size_t)(end - text.at) + 1;
    if (*end == '\n') {
        return len;
    }
    if (*end != '\r' || (len == text.len && !l->at_end)) {
        return 0;
    }
    return len < text.len && end[1] == '\n' ? len + 1 : len;
}

size_t lane_split(struct lane *l, struct span text)
{
    size_t most = text.len < LANE_FAR ? text.len : LANE_FAR;
    const char *from = text.at;
    uint32_t other = 0;
    l->count = 0;
    for (size_t i = 0; i < most; i += BLOCK) {
        const char *at = text.at + i;
        struct marks m =
            text.len - i < BLOCK ? look_at_few(l, span_of(at, text.len - i)) : look(l, at);
        /* the bits below the first end, all where there is none */
        uint32_t before = (m.ends & -m.ends) - 1;
        make_room(l);
        other |= m.other & before & ~m.delimiters;
        for (uint32_t d = m.delimiters & before; d; d &= d - 1) {
            const char *to = at + __builtin_ctz(d);
            put(l, from, to);
            from = to + 1;
        }
        if (m.ends) {
            const char *end = at + __builtin_ctz(m.ends);
            put(l, from, end);
            l->plain = other == 0;
            return line_end(l, text, end);
        }
    }
    return 0;
}
