#include "csv/lane.h"

#include "base/mem.h"

#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BLOCK = 16 };

/* What there is in a block of bytes: a bit for each byte. */
struct marks {
    uint32_t events; /* delimiters, quotes, line ends, stops */
    uint32_t other;  /* what is no ASCII from 0x20 on, or a backslash */
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
    __m128i fields = _mm_or_si128(equal(v, l->delimiter), equal(v, '"'));
    __m128i events = _mm_or_si128(_mm_or_si128(lines, fields), equal(v, l->stop));
    /* the comparison is signed: bytes above 0x7F count as below 0x20 */
    __m128i other = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(0x20)), equal(v, '\\'));
    return (struct marks){bits(events), bits(other)};
}

#else

static inline struct marks look(const struct lane *l, const char *at)
{
    struct marks m = {0};
    for (uint32_t i = 0; i < BLOCK; i++) {
        char c = at[i];
        bool event = c == l->delimiter || c == '"' || c == '\n' || c == '\r' || c == l->stop;
        uint32_t bit = UINT32_C(1) << i;
        m.events |= event ? bit : 0;
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
    return (struct marks){m.events & there, m.other & there};
}

/* Make room for as many fields as a block can end, and one more. */
static void make_room(struct lane *l)
{
    if (l->cap < l->count + BLOCK + 1) {
        l->cap = l->cap ? l->cap * 2 : 64;
        l->fields = mem_resize(l->fields, l->cap, sizeof *l->fields);
    }
}

/* The length of the record whose line ends at END; 0 if that cannot be told yet. */
static size_t line_end(const struct lane *l, struct span text, const char *end)
{
    size_t len = (size_t)(end - text.at) + 1;
    if (*end == '\n') {
        return len;
    }
    if (len == text.len && !l->at_end) {
        return 0;
    }
    return len < text.len && end[1] == '\n' ? len + 1 : len;
}

/* The field at hand. */
struct field {
    const char *from;   /* where it begins, with its quote if it has one */
    const char *closed; /* its closing quote; NULL: none has come */
    bool quoted;        /* we are within quotes */
    uint32_t other;     /* of the whole record: not zero, it is not plain */
};

/* The field at hand ends before AT. False: there is text behind its closing quote. */
static inline bool end_field(struct lane *l, struct field *f, const char *at)
{
    if (f->closed && f->closed + 1 != at) {
        return false;
    }
    l->fields[l->count++] = f->closed ? span_of(f->from + 1, (size_t)(f->closed - f->from - 1))
                                      : span_of(f->from, (size_t)(at - f->from));
    f->from = at + 1;
    f->closed = NULL;
    return true;
}

/* A quote at AT: it opens or closes the field at hand. False: it does something else. */
static inline bool take_quote(struct field *f, const char *at)
{
    if (f->quoted) {
        f->quoted = false;
        f->closed = at;
        return true;
    }
    f->quoted = at == f->from;
    return f->quoted;
}

/* The delimiter at AT. False: as end_field. */
static inline bool take_delimiter(struct lane *l, struct field *f, const char *at)
{
    if (!f->quoted) {
        return end_field(l, f, at);
    }
    f->other |= (signed char)*at < 0x20; /* it was not counted, but belongs to the field */
    return true;
}

size_t lane_split(struct lane *l, struct span text)
{
    size_t most = text.len < LANE_FAR ? text.len : LANE_FAR;
    struct field f = {.from = text.at};
    l->count = 0;
    for (size_t i = 0; i < most; i += BLOCK) {
        const char *block = text.at + i;
        size_t left = text.len - i;
        struct marks m = left < BLOCK ? look_at_few(l, span_of(block, left)) : look(l, block);
        uint32_t last = BLOCK;
        make_room(l);
        for (uint32_t events = m.events; events; events &= events - 1) {
            uint32_t n = (uint32_t)__builtin_ctz(events);
            const char *at = block + n;
            bool goes_on = *at == l->delimiter ? take_delimiter(l, &f, at)
                           : *at == '"'        ? take_quote(&f, at)
                                               : false;
            if (!goes_on) {
                last = n;
                break;
            }
        }
        f.other |= m.other & ~m.events & ((UINT32_C(1) << last) - 1);
        if (last < BLOCK) {
            const char *end = block + last;
            bool ends = (*end == '\n' || *end == '\r') && !f.quoted && end_field(l, &f, end);
            l->plain = f.other == 0;
            return ends ? line_end(l, text, end) : 0;
        }
    }
    return 0;
}
