/*
 * Whole texts that are compact, 64 bytes at a time, on processors that have AVX2.
 *
 * A block is turned into masks of 64 bits (J. Langdale, D. Lemire, "Parsing gigabytes of JSON per
 * second", 2019): where strings are, what is wrong in them, and which brackets, colons and commas
 * lie outside.  Then the grammar is followed from one of those marks to the next; where a mark
 * lies does not depend on what was found before it, so that the processor can run ahead.
 *
 * This decides only that a text is valid and compact.  Of anything else, faults and white space
 * alike, it says that it does not know; then the scanner looks at the text.
 */
#include "json/scan_state.h"

#ifdef __x86_64__
#include "json/utf8_wide.h"

#include <string.h>

#define TARGET "avx2,bmi,bmi2,popcnt,pclmul"
#define WIDE   __attribute__((target(TARGET), always_inline)) static inline

enum {
    BLOCK = 64,
    WINDOW = 16 * BLOCK,
    DEPTH = 64, /* containers that are followed; deeper ones are left to the scanner */
    PIECE = 8   /* marks written at once, needed or not */
};

/* Where we stand in the grammar. */
struct place {
    uint32_t next; /* offset of the byte behind the last mark */
    enum state state;
    uint64_t depth;
    uint64_t objects; /* a bit for each open container, the innermost lowest: 1 is an object */
};

struct blocks {
    struct scan *s;
    const char *text;
    size_t len;
    uint32_t mark[WINDOW + BLOCK + PIECE]; /* offsets of the marks in this window */
    size_t marks;
    struct place place;

    /* carried from block to block */
    uint64_t in_string; /* all ones: the block begins within a string */
    uint64_t escaped;   /* 1: its first byte is escaped */
    uint64_t closed;    /* 1: a string ended just before it */
    uint64_t open_utf8; /* not 0: a character may go on in it */
    __m256i before;
    bool idle; /* there was no mark in the block before */
};

/* ---- blocks ---- */

struct halves {
    __m256i low, high;
};

WIDE uint64_t mask_of(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

WIDE uint64_t equal(const struct halves *v, char c)
{
    __m256i all = _mm256_set1_epi8(c);
    return mask_of(_mm256_cmpeq_epi8(v->low, all), _mm256_cmpeq_epi8(v->high, all));
}

WIDE __m256i is_mark(__m256i v)
{
    /* '[' and ']' differ from '{' and '}' in that bit only */
    __m256i round = _mm256_or_si256(v, _mm256_set1_epi8(0x20));
    __m256i brackets = _mm256_or_si256(_mm256_cmpeq_epi8(round, _mm256_set1_epi8('{')),
                                       _mm256_cmpeq_epi8(round, _mm256_set1_epi8('}')));
    __m256i between = _mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8(',')),
                                      _mm256_cmpeq_epi8(v, _mm256_set1_epi8(':')));
    return _mm256_or_si256(brackets, between);
}

WIDE __m256i is_control(__m256i v)
{
    return _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1F)), v);
}

/* The backslashes that escape something; those in *BACKSLASHES become what they escape. */
WIDE uint64_t find_escapes(struct blocks *b, uint64_t *backslashes)
{
    const uint64_t odd = UINT64_C(0xAAAAAAAAAAAAAAAA);
    uint64_t all = *backslashes;
    uint64_t starts = all & ~b->escaped;
    uint64_t flipped = (((starts << 1) | odd) - starts) ^ odd;
    uint64_t escapes = flipped & all;
    *backslashes = flipped ^ (all | b->escaped);
    b->escaped = escapes >> 63;
    return escapes;
}

/* Are the ESCAPES of the block at AT valid? */
static bool check_escapes(const struct blocks *b, size_t at, uint64_t escapes)
{
    static const bool known[256] = {
        ['"'] = true, ['\\'] = true, ['/'] = true, ['b'] = true, ['f'] = true,
        ['n'] = true, ['r'] = true,  ['t'] = true, ['u'] = true};
    for (; escapes; escapes &= escapes - 1) {
        size_t i = at + (size_t)__builtin_ctzll(escapes) + 1;
        const char *t = b->text + i;
        if (i >= b->len || !known[(unsigned char)*t]) {
            return false;
        }
        if (*t == 'u' &&
            (b->len - i < 5 || !is_hex(t[1]) || !is_hex(t[2]) || !is_hex(t[3]) || !is_hex(t[4]))) {
            return false;
        }
    }
    return true;
}

WIDE bool check_utf8(struct blocks *b, const struct halves *v)
{
    uint64_t above = mask_of(v->low, v->high);
    if (above | b->open_utf8) {
        __m256i faults =
            _mm256_or_si256(utf8_faults(v->low, b->before), utf8_faults(v->high, v->low));
        if (!_mm256_testz_si256(faults, faults)) {
            return false;
        }
    }
    b->open_utf8 = above >> 61; /* of a character of four bytes three may be here */
    b->before = v->high;
    return true;
}

WIDE void add_marks(struct blocks *b, uint64_t marks, uint32_t at)
{
    uint32_t *out = b->mark + b->marks;
    b->marks += (size_t)_mm_popcnt_u64(marks);
    do { /* mostly once: no loop whose end has to be guessed */
#pragma GCC unroll 8
        for (int i = 0; i < PIECE; i++) {
            out[i] = at + (uint32_t)_tzcnt_u64(marks);
            marks = _blsr_u64(marks);
        }
        out += PIECE;
    } while (marks);
}

/* The block of 64 bytes at BYTES, which is that at offset AT of the text. */
WIDE bool take_block(struct blocks *b, const char *bytes, size_t at)
{
    struct halves v = {_mm256_loadu_si256((const __m256i *)(const void *)bytes),
                       _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32))};
    uint64_t quotes = equal(&v, '"');
    uint64_t escaped = equal(&v, '\\');
    if (escaped | b->escaped) {
        uint64_t escapes = find_escapes(b, &escaped);
        quotes &= ~escaped;
        if (!check_escapes(b, at, escapes)) {
            return false;
        }
    }
    /* each bit: the sum of those up to it; so from each opening quote to before the closing one */
    __m128i sums =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)quotes), _mm_set1_epi8((char)0xFF), 0);
    uint64_t strings = (uint64_t)_mm_cvtsi128_si64(sums) ^ b->in_string;
    uint64_t marks = mask_of(is_mark(v.low), is_mark(v.high)) & ~strings;
    uint64_t closing = quotes & ~strings;
    uint64_t bad = mask_of(is_control(v.low), is_control(v.high)) & strings;
    bad |= (closing << 1 | b->closed) & ~marks;
    b->in_string = (uint64_t)((int64_t)strings >> 63);
    b->closed = closing >> 63;
    b->idle = marks == 0;
    add_marks(b, marks, (uint32_t)at);
    return check_utf8(b, &v) && !bad;
}

WIDE __m256i ends_run(__m256i v)
{
    return _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(v, _mm256_set1_epi8('"')),
                                           _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'))),
                           is_control(v));
}

/* In the midst of a string: behind the blocks, up to STOP, that simply belong to it. */
WIDE size_t skip_inside(struct blocks *b, size_t at, size_t stop)
{
    if (!b->idle || !b->in_string || b->escaped) {
        return at;
    }
    for (; at <= stop; at += BLOCK) {
        const char *bytes = b->text + at;
        struct halves v = {_mm256_loadu_si256((const __m256i *)(const void *)bytes),
                           _mm256_loadu_si256((const __m256i *)(const void *)(bytes + 32))};
        __m256i hit = _mm256_or_si256(ends_run(v.low), ends_run(v.high));
        if (!_mm256_testz_si256(hit, hit) || !check_utf8(b, &v)) {
            break;
        }
    }
    return at;
}

/* ---- the grammar ---- */

static bool check_number(const char *at, const char *end)
{
    at += *at == '-';
    const char *digits = at;
    at = skip_digits(at, end);
    if (at == digits || (*digits == '0' && at - digits > 1)) {
        return false;
    }
    if (at < end && *at == '.') {
        digits = ++at;
        at = skip_digits(at, end);
        if (at == digits) {
            return false;
        }
    }
    return at == end; /* those with exponents are rare */
}

WIDE bool check_digits(const struct blocks *b, const char *at, size_t len)
{
    if (len > 32 || (size_t)(b->text + b->len - at) < 32) {
        return check_number(at, at + len);
    }
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)at);
    __m256i n = _mm256_sub_epi8(v, _mm256_set1_epi8('0'));
    __m256i digit = _mm256_cmpeq_epi8(_mm256_min_epu8(n, _mm256_set1_epi8(9)), n);
    uint64_t other = _bzhi_u64(~(uint64_t)(uint32_t)_mm256_movemask_epi8(digit), (unsigned)len);
    return other == 0 ? *at != '0' || len == 1 : check_number(at, at + len);
}

/* What stands between two marks: is it a scalar? Of a string only the quote is left to look at. */
WIDE bool check_scalar(const struct blocks *b, const char *at, size_t len)
{
    if (*at == '"') {
        return true;
    }
    if (is_digit(*at) || *at == '-') {
        return check_digits(b, at, len);
    }
    if (len == 4) {
        return memcmp(at, "true", 4) == 0 || memcmp(at, "null", 4) == 0;
    }
    return len == 5 && memcmp(at, "false", 5) == 0;
}

/* Follow the grammar along the marks of this window.  The place in this function is the state. */
__attribute__((target(TARGET))) static bool take_marks(struct blocks *b)
{
    const uint32_t *mark = b->mark, *end = b->mark + b->marks;
    const char *from, *at = b->text + b->place.next;
    uint64_t depth = b->place.depth, objects = b->place.objects;
    const uint64_t noted = b->s->commas ? 1 : UINT64_MAX; /* depth whose commas are asked for */
    const uint64_t deepest = b->s->max_depth < DEPTH ? b->s->max_depth : DEPTH;
    enum state state = b->place.state;
    bool valid = true;

/* Step to the next mark, in STATE; what stands before it begins at FROM. */
#define STEP(label, now)                                                                           \
    label:                                                                                         \
    if (mark == end) {                                                                             \
        state = now;                                                                               \
        goto out;                                                                                  \
    }                                                                                              \
    from = at;                                                                                     \
    at = b->text + *mark++;

    switch (state) {
    case AT_NAME:
        goto name;
    case AT_FIRST_NAME:
        goto first_name;
    case AT_FIRST:
        goto first;
    case AT_AFTER:
        goto after;
    case AT_DONE:
        goto done;
    default:
        goto value;
    }

    STEP(first_name, AT_FIRST_NAME)
    if (*at == '}' && from == at) {
        goto close;
    }
    goto colon;

    STEP(name, AT_NAME)
colon:
    if (*at != ':' || *from != '"') {
        goto fail;
    }
    if (depth == noted) {
        scan_note_colon(b->s, (uint64_t)(at - b->text));
    }
    at++;

    STEP(value, AT_VALUE)
in_value:
    if (from == at) {
        goto open;
    }
    if (!check_scalar(b, from, (size_t)(at - from))) {
        goto fail;
    }
behind:
    if (*at != ',') {
        goto close;
    }
    if (depth == noted) {
        scan_note_comma(b->s, (uint64_t)(at - b->text));
    }
    at++;
    if (objects & 1) {
        goto name;
    }
    goto value;

close:
    if (*at++ != (objects & 1 ? '}' : ']')) {
        goto fail;
    }
    objects >>= 1;
    if (--depth == 0) {
        goto done;
    }
    STEP(after, AT_AFTER)
    if (from == at) {
        goto behind;
    }
    goto fail;

open:
    if (depth++ >= deepest || (*at != '{' && *at != '[')) {
        goto fail;
    }
    objects = objects << 1 | (*at == '{');
    if (*at++ == '{') {
        goto first_name;
    }
    STEP(first, AT_FIRST)
    if (*at == ']' && from == at) {
        goto close;
    }
    goto in_value;

    STEP(done, AT_DONE)
#undef STEP
fail:
    valid = false;
out:
    b->place = (struct place){(uint32_t)(at - b->text), state, depth, objects};
    b->marks = 0;
    return valid;
}

__attribute__((target(TARGET))) static bool take_blocks(struct blocks *b)
{
    size_t at = 0;
    while (b->len - at >= BLOCK) {
        size_t stop = b->len - at < WINDOW ? b->len - BLOCK : at + WINDOW - BLOCK;
        while ((at = skip_inside(b, at, stop)) <= stop) {
            if (!take_block(b, b->text + at, at)) {
                return false;
            }
            at += BLOCK;
        }
        if (b->len - at >= BLOCK && !take_marks(b)) {
            return false;
        }
    }
    char rest[BLOCK] = {0};
    memcpy(rest, b->text + at, b->len - at);
    return take_block(b, rest, at) && take_marks(b);
}

bool scan_blocks(struct scan *s, const char *text, size_t len)
{
    struct blocks b;
    char last = len ? text[len - 1] : 0; /* with CR LF it would be seen only at the end */
    if (len < 2 || len >= UINT32_MAX || (*text != '{' && *text != '[') ||
        (last != '}' && last != ']')) {
        return false;
    }
    b.s = s;
    b.text = text;
    b.len = len;
    b.marks = 0;
    b.place = (struct place){.state = AT_VALUE};
    b.in_string = b.escaped = b.closed = b.open_utf8 = 0;
    b.before = (__m256i){0};
    b.idle = false;
    return take_blocks(&b) && b.place.state == AT_DONE && b.place.next == len;
}

#else

bool scan_blocks(struct scan *s, const char *text, size_t len)
{
    (void)s;
    (void)text;
    (void)len;
    return false;
}

#endif
