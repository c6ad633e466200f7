/*
 * bulk_blocks.h: the checking of bulk.h, for one kind of processor.
 *
 * Included by bulk_avx2.c and bulk_avx512.c only, which define before what a block of 64 bytes is:
 * struct block and the functions block_…, most of which give a bit for each byte; for anybody else
 * there is nothing here.
 *
 * A block is turned into masks (J. Langdale, D. Lemire, "Parsing gigabytes of JSON per second",
 * 2019): where strings are, what is wrong in them, and which brackets, colons, commas and ends of
 * lines lie outside.  Then the grammar is followed from one of those marks to the next; where a
 * mark lies does not depend on what was found before it, so that the processor can run ahead.
 *
 * Floor: services.
 */
#include "json/bulk_core.h"
#include "json/scan_state.h"

#include <string.h>

#ifdef WIDE
#include <immintrin.h>

/* Room for marks: some are written at once, needed or not. */
enum { PIECE = 16, MARKS = BULK_WINDOW + PIECE };

/* The marks of a window. */
struct found {
    uint32_t at[MARKS]; /* behind the beginning of the window */
    size_t count;
};

/* ---- blocks ---- */

/* For each bit the sum of those up to it. */
WIDE uint64_t sums(uint64_t mask)
{
    __m128i all = _mm_set1_epi8((char)0xFF);
    return (uint64_t)_mm_cvtsi128_si64(
        _mm_clmulepi64_si128(_mm_cvtsi64_si128((long long)mask), all, 0));
}

/* The bytes that are escaped. */
WIDE uint64_t find_escaped(struct bulk_carry *c, uint64_t backslashes)
{
    const uint64_t odd = UINT64_C(0xAAAAAAAAAAAAAAAA);
    uint64_t starts = backslashes & ~c->escapes;
    uint64_t flipped = (((starts << 1) | odd) - starts) ^ odd;
    uint64_t escaped = flipped ^ (backslashes | c->escapes);
    c->escapes = (flipped & backslashes) >> 63;
    return escaped;
}

/* Those of the ESCAPED bytes that may not be, and those that should be the digits of one. */
WIDE uint64_t escape_faults(struct bulk_carry *c, const struct block *v, uint64_t escaped)
{
    uint64_t u = escaped & block_equal(v, 'u');
    uint64_t digits = u << 1 | u << 2 | u << 3 | u << 4 | c->hex;
    c->hex = u >> 63 | u >> 62 | u >> 61 | u >> 60;
    return (escaped & ~block_escapable(v)) | (digits & ~block_hex(v));
}

WIDE bool check_utf8(struct bulk_carry *c, const struct block *v, __m256i *before)
{
    uint64_t above = block_above(v);
    __m256i low = block_low(v), high = block_high(v);
    bool good = true;
    if (above | c->open_utf8) {
        __m256i faults = _mm256_or_si256(utf8_faults(low, *before), utf8_faults(high, low));
        good = _mm256_testz_si256(faults, faults);
    }
    c->open_utf8 = above >> 61; /* of a character of four bytes three may be here */
    *before = high;
    return good;
}

/* Check one block; its marks come to MARKS.  False: a fault. */
WIDE bool take_block(struct bulk_carry *c, const struct block *v, uint64_t valid, bool lines,
                     __m256i *before, uint64_t *marks)
{
    uint64_t quotes = block_equal(v, '"');
    uint64_t backslashes = block_equal(v, '\\');
    uint64_t bad = 0;
    /* set apart, so that what it needs in registers takes none from the usual way */
    if (__builtin_expect((backslashes | c->escapes | c->hex) != 0, 0)) {
        uint64_t escaped = find_escaped(c, backslashes);
        quotes &= ~escaped;
        bad = escape_faults(c, v, escaped);
    }
    uint64_t strings = sums(quotes) ^ c->in_string; /* from the opening quotes on */
    uint64_t closing = quotes & ~strings;
    *marks = block_marks(v, lines) & ~strings;
    bad |= (block_controls(v) & strings) | ((closing << 1 | c->closed) & ~*marks);
    c->in_string = 0 - (strings >> 63); /* all ones, or none */
    c->closed = closing >> 63;
    return check_utf8(c, v, before) && !(bad & valid);
}

/* In the midst of a string: how many of the BLOCKS at BYTES simply belong to it? */
WIDE size_t skip_inside(struct bulk_carry *c, const char *bytes, size_t blocks, __m256i *before)
{
    size_t i = 0;
    for (; i < blocks; i++) {
        struct block v = block_load(bytes + i * BULK_BLOCK);
        uint64_t open_utf8 = c->open_utf8;
        __m256i last = *before;
        if (block_ends_run(&v) || !check_utf8(c, &v, before)) {
            c->open_utf8 = open_utf8;
            *before = last;
            break;
        }
    }
    return i;
}

/* The bytes before look->at, as far as they may begin a character. */
WIDE __m256i bytes_before(const struct bulk_look *look)
{
    char bytes[32] = {0};
    size_t n = look->at < 3 ? look->at : 3;
    memcpy(bytes + sizeof bytes - n, look->text + look->at - n, n);
    return _mm256_loadu_si256((const __m256i *)(const void *)bytes);
}

/* Find the marks of BLOCKS blocks.  False: the one at look->at has a fault. */
WIDE bool find_marks(struct bulk_look *look, struct bulk_carry *carry, const char *bytes,
                     size_t blocks, uint64_t valid, bool lines, struct found *f)
{
    struct bulk_carry c = *carry;
    __m256i before = bytes_before(look);
    bool good = true;
    size_t count = 0;
    unsigned inside = 0; /* blocks in a row that are within a string */
    for (size_t i = 0; i < blocks && good;) {
        if (inside > 1 && !(c.escapes | c.hex)) {
            size_t passed = skip_inside(&c, bytes + i * BULK_BLOCK, blocks - i, &before);
            i += passed;
            look->at += passed * BULK_BLOCK;
            inside = 0;
            continue;
        }
        uint64_t marks;
        struct block v = block_load(bytes + i * BULK_BLOCK);
        good = take_block(&c, &v, valid, lines, &before, &marks);
        if (good) {
            block_places(f->at + count, marks, (uint32_t)(i * BULK_BLOCK));
            count += (size_t)_mm_popcnt_u64(marks);
            inside = marks == 0 && c.in_string ? inside + 1 : 0;
            look->at += BULK_BLOCK;
            i++;
        }
    }
    f->count = count;
    *carry = c;
    return good;
}

/* ---- the grammar ---- */

/* Is what stands from AT to before the mark at END a string, a number or a literal?  Of a string
 * only the quote is left to be looked at. */
WIDE bool is_scalar(const struct bulk_look *look, const char *at, const char *end)
{
    if (*at == '"') {
        return true;
    }
    size_t len = (size_t)(end - at);
    bool digits = is_digit(*at) && len <= 32 && (size_t)(look->text + look->len - at) >= 32 &&
                  digits_of(at, (unsigned)len);
    return digits ? *at != '0' || len == 1 : bulk_literal(at, len) || bulk_number(at, end);
}

/* Follow the grammar along the marks of this window.  False: it is broken. */
WIDE bool take_marks(struct bulk *b, const struct bulk_look *look, const struct found *f,
                     bool noting)
{
    const uint32_t *mark = f->at, *const last = f->at + f->count;
    const char *const base = look->text + b->base;
    const char *at = look->text + b->place.next, *stop;
    const int separator = look->lines ? '\n' : ',';
    size_t *seam = noting ? bulk_room(&b->seams) : NULL;
    uint64_t objects = b->place.objects;
    int64_t depth = b->place.depth;
    enum bulk_state state;
    int bad = 0; /* looked at when a container or the window ends: until then it does no harm */

/* STOP is a seam of the container at hand: keep it if that is the outermost one. */
#define NOTE()                                                                                     \
    if (noting) {                                                                                  \
        *seam = (size_t)(stop - look->text);                                                       \
        seam += depth == 1;                                                                        \
    }

/* Step to the next mark, if it has been found. */
#define STEP(label, here)                                                                          \
    label:                                                                                         \
    if (mark == last) {                                                                            \
        state = here;                                                                              \
        goto out;                                                                                  \
    }                                                                                              \
    stop = base + *mark++;

    switch (b->place.state) {
    case BULK_BEHIND:
        goto behind;
    case BULK_FIRST_NAME:
        goto first_name;
    case BULK_NAME:
        goto name;
    case BULK_VALUE:
        goto value;
    case BULK_FIRST:
        goto first;
    case BULK_ELEMENT:
        goto element;
    case BULK_AFTER:
        goto after;
    default:
        goto begin;
    }

    STEP(begin, BULK_BEGIN)
    if (at == stop) {
        goto open;
    }
    bad |= !is_scalar(look, at, stop);
    at = stop;
    goto end;

    STEP(behind, BULK_BEHIND)
end:
    bad |= at != stop;
    bad |= *stop ^ separator;
    if (bad) {
        goto fail;
    }
    at = stop + 1;
    b->seams.count = noting ? (size_t)(seam - b->seams.at) : 0;
    bulk_end(b, (size_t)(stop - look->text));
    goto begin;

open:
    if (depth >= b->max_depth || (*stop != '{' && *stop != '[')) {
        goto fail;
    }
    depth++;
    at = stop + 1;
    objects = objects << 1 | (*stop == '{');
    if (*stop == '[') {
        goto first;
    }
    STEP(first_name, BULK_FIRST_NAME)
    if (at == stop) {
        bad |= *stop ^ '}';
        goto close;
    }
    goto colon;

    STEP(name, BULK_NAME)
colon:
    bad |= (*at ^ '"') | (*stop ^ ':');
    NOTE()
    at = stop + 1;
    STEP(value, BULK_VALUE)
    if (at == stop) {
        goto open;
    }
    bad |= !is_scalar(look, at, stop);
behind_member:
    NOTE()
    if (*stop == ',') {
        at = stop + 1;
        goto name;
    }
    bad |= *stop ^ '}';
    goto close;

    STEP(first, BULK_FIRST)
    if (at == stop && *stop == ']') {
        goto close;
    }
    goto in_element;

    STEP(element, BULK_ELEMENT)
in_element:
    if (at == stop) {
        goto open;
    }
    bad |= !is_scalar(look, at, stop);
behind_element:
    NOTE()
    if (*stop == ',') {
        at = stop + 1;
        goto element;
    }
    bad |= *stop ^ ']';

close:
    if (bad) {
        goto fail;
    }
    at = stop + 1;
    objects >>= 1;
    depth--;
    if (depth == 0) {
        goto behind;
    }
    STEP(after, BULK_AFTER)
    bad |= at != stop;
    if (objects & 1) {
        goto behind_member;
    }
    goto behind_element;

#undef STEP
#undef NOTE
fail:
    bad = 1;
    state = BULK_BEGIN;
out:
    b->seams.count = noting ? (size_t)(seam - b->seams.at) : 0;
    b->place = (struct bulk_place){state, depth, objects, (size_t)(at - look->text)};
    return !bad;
}

WIDE bool check(struct bulk *b, struct bulk_look *look, const char *bytes, size_t blocks,
                uint64_t valid, bool lines, bool noting)
{
    struct found f;
    b->base = look->at;
    bool good = find_marks(look, &b->carry, bytes, blocks, valid, lines, &f);
    return take_marks(b, look, &f, noting) && good;
}

/* One for each form, so that what it does not need is not there. */
#define BULK_BLOCKS(name)                                                                          \
    __attribute__((target(TARGET))) bool name(struct bulk *b, struct bulk_look *look,              \
                                              const char *bytes, size_t blocks, uint64_t valid)    \
    {                                                                                              \
        if (b->noting) {                                                                           \
            return check(b, look, bytes, blocks, valid, look->lines, true);                        \
        }                                                                                          \
        return look->lines ? check(b, look, bytes, blocks, valid, true, false)                     \
                           : check(b, look, bytes, blocks, valid, false, false);                   \
    }

#endif
