/*
 * oracle.h: what JSON is, said a second time, for tests of the scanner.
 *
 * A recursive reader of the whole text that is as plain as the grammar (RFC 8259, RFC 3629) and
 * shares nothing with lib/json.  It tells whether a text is valid, which is the first byte that
 * does not fit, what is left without white space, where the outermost commas and colons are, and
 * which events a scanner must report.  Also: random JSON, and random damage to it.
 */
#ifndef FANLINE_TEST_ORACLE_H
#define FANLINE_TEST_ORACLE_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define ORACLE_WATCHES                                                                             \
    17 /* ways to watch, from 0; from ORACLE_CHANGING on with every event anew                     \
        */
#define ORACLE_CHANGING 4

struct oracle {
    const char *text;
    size_t len;
    uint64_t max_depth;
    int way;           /* to watch; -1: no events */
    size_t at;         /* the first byte that does not fit, or LEN */
    size_t count;      /* of events */
    struct buf events; /* a word each */
    struct buf compact;
    struct buf seams; /* of the outermost container; of size_t */
};

/* How deep to watch after COUNT events. */
static inline int64_t oracle_watch(int way, size_t count)
{
    static const int changing[] = {3, 1, 2, 0, 2, 3, 1, 3, 2, 0, 1, 2, 3};
    return way < ORACLE_CHANGING ? way : changing[(count + (size_t)way) % 13];
}

/* The word for an event: BEGIN 'B' with the kind, KEY 'K', END 'E', DONE 'D'. */
static inline void oracle_word(struct buf *events, char what, char kind, uint64_t depth,
                               uint64_t offset)
{
    buf_printf(events, "%c%c%llu@%llu ", what, kind, (unsigned long long)depth,
               (unsigned long long)offset);
}

static inline void oracle_event(struct oracle *o, char what, char kind, uint64_t depth)
{
    if ((int64_t)depth <= oracle_watch(o->way, o->count) || what == 'D') {
        oracle_word(&o->events, what, kind, depth, o->at);
        o->count++;
    }
}

static inline bool oracle_is(const struct oracle *o, char c)
{
    return o->at < o->len && o->text[o->at] == c;
}

static inline bool oracle_in(const struct oracle *o, const char *set)
{
    return o->at < o->len && o->text[o->at] && strchr(set, o->text[o->at]);
}

static inline bool oracle_take(struct oracle *o)
{
    buf_add_byte(&o->compact, o->text[o->at++]);
    return true;
}

/* Take a seam of a container that has DEPTH around it. */
static inline bool oracle_seam(struct oracle *o, uint64_t depth)
{
    if (depth == 0) {
        buf_add(&o->seams, (const char *)&o->at, sizeof o->at);
    }
    return oracle_take(o);
}

static inline void oracle_space(struct oracle *o)
{
    while (oracle_in(o, " \t\r\n")) {
        o->at++;
    }
}

/* Is there a code point of LEN bytes, valid in UTF-8, between LOW and HIGH? */
static inline bool oracle_range(int len, uint32_t low, uint32_t high)
{
    static const struct {
        int len;
        uint32_t low, high;
    } valid[] = {{2, 0x80, 0x7FF}, {3, 0x800, 0xD7FF}, {3, 0xE000, 0xFFFF}, {4, 0x10000, 0x10FFFF}};
    for (size_t i = 0; i < sizeof valid / sizeof *valid; i++) {
        if (valid[i].len == len && low <= valid[i].high && high >= valid[i].low) {
            return true;
        }
    }
    return false;
}

/* One character above 0x7F: as long as some valid code point begins with the bytes so far. */
static inline bool oracle_utf8(struct oracle *o)
{
    unsigned char lead = (unsigned char)o->text[o->at];
    int len = lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : lead >> 3 == 30 ? 4 : 0;
    uint32_t point = len ? lead & (0x7FU >> len) : 0;
    for (int left = len - 1; left >= 0; left--) {
        if (!oracle_range(len, point << (6 * left), ((point + 1) << (6 * left)) - 1)) {
            return false;
        }
        oracle_take(o);
        if (left > 0) {
            if (o->at == o->len || ((unsigned char)o->text[o->at] & 0xC0) != 0x80) {
                return false;
            }
            point = point << 6 | ((unsigned char)o->text[o->at] & 0x3F);
        }
    }
    return len > 0;
}

static inline bool oracle_escape(struct oracle *o)
{
    oracle_take(o);
    if (!oracle_is(o, 'u')) {
        return oracle_in(o, "\"\\/bfnrt") && oracle_take(o);
    }
    oracle_take(o);
    for (int i = 0; i < 4; i++) {
        if (!oracle_in(o, "0123456789abcdefABCDEF")) {
            return false;
        }
        oracle_take(o);
    }
    return true;
}

static inline bool oracle_string(struct oracle *o)
{
    oracle_take(o);
    while (o->at < o->len && !oracle_is(o, '"')) {
        unsigned char c = (unsigned char)o->text[o->at];
        bool fits = c == '\\'   ? oracle_escape(o)
                    : c < 0x20  ? false
                    : c >= 0x80 ? oracle_utf8(o)
                                : oracle_take(o);
        if (!fits) {
            return false;
        }
    }
    return o->at < o->len && oracle_take(o);
}

static inline bool oracle_literal(struct oracle *o, const char *word)
{
    for (; *word; word++) {
        if (!oracle_is(o, *word)) {
            return false;
        }
        oracle_take(o);
    }
    return true;
}

static inline bool oracle_digits(struct oracle *o)
{
    if (!oracle_in(o, "0123456789")) {
        return false;
    }
    while (oracle_in(o, "0123456789")) {
        oracle_take(o);
    }
    return true;
}

static inline bool oracle_number(struct oracle *o)
{
    if (oracle_is(o, '-')) {
        oracle_take(o);
    }
    if (oracle_is(o, '0')) {
        oracle_take(o);
        if (oracle_in(o, "0123456789")) {
            return false;
        }
    } else if (!oracle_digits(o)) {
        return false;
    }
    if (oracle_is(o, '.') && oracle_take(o) && !oracle_digits(o)) {
        return false;
    }
    if (oracle_in(o, "eE") && oracle_take(o)) {
        if (oracle_in(o, "+-")) {
            oracle_take(o);
        }
        return oracle_digits(o);
    }
    return true;
}

static bool oracle_value(struct oracle *o, uint64_t depth);

static inline bool oracle_container(struct oracle *o, uint64_t depth)
{
    bool object = oracle_is(o, '{');
    char close = object ? '}' : ']';
    if (depth >= o->max_depth) {
        return false;
    }
    oracle_take(o);
    oracle_space(o);
    if (oracle_is(o, close)) {
        return oracle_take(o);
    }
    for (;;) {
        if (object) {
            oracle_space(o);
            if (!oracle_is(o, '"') || !oracle_string(o)) {
                return false;
            }
            oracle_event(o, 'K', '-', depth + 1);
            oracle_space(o);
            if (!oracle_is(o, ':')) {
                return false;
            }
            oracle_seam(o, depth);
        }
        if (!oracle_value(o, depth + 1)) {
            return false;
        }
        oracle_space(o);
        if (oracle_is(o, close)) {
            return oracle_seam(o, depth);
        }
        if (!oracle_is(o, ',')) {
            return false;
        }
        oracle_seam(o, depth);
    }
}

static bool oracle_value(struct oracle *o, uint64_t depth)
{
    bool fits = false;
    oracle_space(o);
    if (oracle_in(o, "{[\"tfn")) {
        oracle_event(o, 'B', o->text[o->at], depth);
    } else if (oracle_in(o, "-0123456789")) {
        oracle_event(o, 'B', '0', depth);
    }
    if (oracle_in(o, "{[")) {
        fits = oracle_container(o, depth);
    } else if (oracle_is(o, '"')) {
        fits = oracle_string(o);
    } else if (oracle_in(o, "tfn")) {
        fits = oracle_literal(o, oracle_is(o, 't') ? "true" : oracle_is(o, 'f') ? "false" : "null");
    } else if (o->at < o->len) {
        fits = oracle_number(o) && (depth == 0 || o->at < o->len); /* the next byte ends it */
    }
    if (fits) {
        oracle_event(o, depth == 0 ? 'D' : 'E', '-', depth);
    }
    return fits;
}

/* Is TEXT one JSON value? The fields of O tell more; oracle_release it. */
static inline bool oracle_run(struct oracle *o, const char *text, size_t len, uint64_t max_depth,
                              int way)
{
    *o = (struct oracle){.text = text, .len = len, .max_depth = max_depth, .way = way};
    if (!oracle_value(o, 0)) {
        return false;
    }
    oracle_space(o);
    return o->at == o->len;
}

static inline void oracle_release(struct oracle *o)
{
    buf_release(&o->events);
    buf_release(&o->compact);
    buf_release(&o->seams);
}

/* ---- random JSON ---- */

/* xorshift64*: the same numbers everywhere. SEED must not be 0. */
static inline uint32_t chance(uint64_t *seed, uint32_t below)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (uint32_t)((*seed * UINT64_C(0x2545F4914F6CDD1D)) >> 33) % below;
}

static inline void make_space(struct buf *b, uint64_t *seed, bool spaces)
{
    while (spaces && chance(seed, 4) == 0) {
        buf_add_byte(b, " \t\r\n"[chance(seed, 4)]);
    }
}

static inline void make_string(struct buf *b, uint64_t *seed)
{
    static const char *const parts[] = {"\\\"",
                                        "\\\\",
                                        "\\/",
                                        "\\b\\f\\n\\r\\t",
                                        "\\u0000",
                                        "\\ud800",
                                        "\\uDE00\\ud83d",
                                        "\\u00e9",
                                        "\xC2\x80",
                                        "\xDF\xBF",
                                        "\xE0\xA0\x80",
                                        "\xED\x9F\xBF",
                                        "\xEF\xBF\xBF",
                                        "\xF0\x90\x80\x80",
                                        "\xF4\x8F\xBF\xBF",
                                        "{}[],:",
                                        "a plain stretch that is longer than sixteen bytes",
                                        "x",
                                        "\x7F",
                                        "key"};
    buf_add_byte(b, '"');
    for (uint32_t i = chance(seed, 5); i > 0; i--) {
        buf_add_text(b, parts[chance(seed, sizeof parts / sizeof *parts)]);
    }
    buf_add_byte(b, '"');
}

static inline void make_scalar(struct buf *b, uint64_t *seed)
{
    static const char *const scalars[] = {
        "0",    "-0",   "1",     "-12",   "1234567890123456789012345678901234567890",
        "1.10", "0.0",  "1e400", "-1E-7", "2.5e+10",
        "0e0",  "true", "false", "null"};
    uint32_t which = chance(seed, sizeof scalars / sizeof *scalars + 5);
    if (which < sizeof scalars / sizeof *scalars) {
        buf_add_text(b, scalars[which]);
    } else {
        make_string(b, seed);
    }
}

/* Add a random JSON value to B. */
static inline void make_value(struct buf *b, uint64_t *seed, int depth, bool spaces)
{
    uint32_t kind = chance(seed, depth == 0 ? 8 : 4);
    make_space(b, seed, spaces);
    if (depth > 6 || kind < 2) {
        make_scalar(b, seed);
    } else {
        bool object = kind % 2 == 0;
        uint32_t count = chance(seed, 6);
        buf_add_byte(b, object ? '{' : '[');
        for (uint32_t i = 0; i < count; i++) {
            if (i > 0) {
                buf_add_byte(b, ',');
            }
            if (object) {
                make_space(b, seed, spaces);
                make_string(b, seed);
                make_space(b, seed, spaces);
                buf_add_byte(b, ':');
            }
            make_value(b, seed, depth + 1, spaces);
        }
        make_space(b, seed, spaces);
        buf_add_byte(b, object ? '}' : ']');
    }
    make_space(b, seed, spaces);
}

/* Change, take away, double or add a byte or two, or cut the text off. */
static inline void damage(struct buf *b, uint64_t *seed)
{
    static const char bytes[] =
        "{}[]\",:\\0-+.eEtfnu \n\r\t\0\x01\x1F\x7F\x80\xBF\xC0\xE0\xED\xF0\xF5\xFF";
    for (uint32_t i = chance(seed, 2) + 1; i > 0 && b->len > 0; i--) {
        size_t at = chance(seed, (uint32_t)b->len);
        char c = bytes[chance(seed, sizeof bytes - 1)];
        switch (chance(seed, 5)) {
        case 0:
            b->at[at] = c;
            break;
        case 1:
            memmove(b->at + at, b->at + at + 1, b->len - at - 1);
            b->len--;
            break;
        case 2:
            b->len = at;
            break;
        case 3:
            c = b->at[at];
            /* fall through */
        default:
            buf_room(b, 1);
            memmove(b->at + at + 1, b->at + at, b->len - at);
            b->at[at] = c;
            b->len++;
        }
    }
}

#endif
