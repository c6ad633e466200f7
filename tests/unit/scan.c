/* lib/json/scan: what is JSON, found in the same way whatever the chunks and the means. */
#include "json/scan.h"

#include "base/buf.h"
#include "base/span.h"
#include "oracle.h"
#include "json/bulk.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* How a text is handed to the scanner. */
enum feed { WHOLE, BYTES, CHUNKS, FEEDS };

static const char *const feeds[] = {"whole", "byte by byte", "in chunks"};

/* What the scanner makes of a text. */
struct found {
    bool valid;
    uint64_t fault;
    struct buf events;
    struct buf compact;
    size_t count;
};

static void found_release(struct found *f)
{
    buf_release(&f->events);
    buf_release(&f->compact);
}

static void note_event(struct found *f, const struct scan *s, enum scan_event ev, uint64_t offset)
{
    char what = ev == SCAN_BEGIN ? 'B' : ev == SCAN_KEY ? 'K' : ev == SCAN_END ? 'E' : 'D';
    oracle_word(&f->events, what, ev == SCAN_BEGIN ? (char)s->kind : '-', s->depth, offset);
    f->count++;
}

/* Scan one chunk, which lies in memory of its own, so that a byte read beyond it shows. */
static bool scan_chunk(struct scan *s, struct found *f, const char *text, size_t len, int way)
{
    char *copy = malloc(len ? len : 1);
    memcpy(copy, text, len);
    const char *at = copy;
    enum scan_event ev;
    uint64_t begin = s->offset;
    do {
        s->watch = oracle_watch(way, f->count);
        s->out = buf_room(&f->compact, (size_t)(copy + len - at) + 1);
        ev = scan_next(s, &at, copy + len);
        f->compact.len = (size_t)(s->out - f->compact.at);
        cr_assert_eq(s->offset, begin + (uint64_t)(at - copy));
        if (ev != SCAN_MORE && ev != SCAN_FAULT) {
            note_event(f, s, ev, s->offset);
        }
    } while (ev != SCAN_MORE && ev != SCAN_FAULT);
    free(copy);
    return ev == SCAN_MORE;
}

/* Scan TEXT with S, which is fresh or restarted and stands at the offset 0. */
static void scan_all(struct scan *s, struct found *f, struct span text, enum feed feed, int way,
                     uint64_t *seed)
{
    bool goes_on = true;
    *f = (struct found){0};
    for (size_t at = 0; at < text.len && goes_on;) {
        size_t left = text.len - at;
        size_t len = feed == WHOLE ? left : feed == BYTES ? 1 : chance(seed, 40) + 1;
        len = len < left ? len : left;
        goes_on = scan_chunk(s, f, text.at + at, len, way);
        at += len;
    }
    bool done = strchr(buf_text(&f->events), 'D') != NULL;
    enum scan_event ev = goes_on ? scan_finish(s) : SCAN_FAULT;
    if (ev == SCAN_DONE && !done) {
        note_event(f, s, ev, s->offset);
    }
    f->valid = ev == SCAN_DONE;
    f->fault = s->offset;
    if (ev == SCAN_FAULT) {
        cr_assert_not_null(s->fault);
    }
}

static void expect_places(const size_t *at, size_t count, const struct buf *want, struct span text)
{
    cr_assert_eq(count, want->len / sizeof *at, "%zu, not %zu: %.*s", count, want->len / sizeof *at,
                 (int)text.len, text.at);
    cr_assert(count == 0 || memcmp(at, want->at, want->len) == 0, "%.*s", (int)text.len, text.at);
}

/* As a whole text, by each means that a processor may have. */
static void expect_whole(const struct oracle *o, bool valid, struct span text)
{
    char *copy = malloc(text.len ? text.len : 1); /* so that a byte read beyond it shows */
    memcpy(copy, text.at, text.len);
    for (int mode = 0; mode < 4; mode++) {
        struct scan s;
        struct seams seams = {0};
        scan_init(&s, o->max_depth);
        s.plain = mode == 3;
        s.means = (uint8_t)(mode < 3 ? mode : BULK_NONE);
        s.seams = &seams;
        cr_assert_eq(scan_check(&s, copy, text.len), valid ? 0 : -1, "means %d: %.*s", mode,
                     (int)text.len, text.at);
        cr_assert_eq(s.offset, o->at, "means %d: %.*s", mode, (int)text.len, text.at);
        if (valid) {
            expect_places(seams.at, seams.count, &o->seams, text);
            cr_assert_eq(s.spaces, o->compact.len < text.len);
        }
        seams_release(&seams);
        scan_release(&s);
    }
    free(copy);
}

static void expect_as_oracle(struct span text, uint64_t max_depth, int way, uint64_t *seed)
{
    struct oracle o;
    bool valid = oracle_run(&o, text.at, text.len, max_depth, way);
    expect_whole(&o, valid, text);
    for (int mode = 0; mode < FEEDS * 2; mode++) {
        struct scan s;
        struct found f;
        const char *how = feeds[mode / 2];
        scan_init(&s, max_depth);
        s.plain = mode % 2;
        scan_all(&s, &f, text, (enum feed)(mode / 2), way, seed);
        cr_assert_eq(f.valid, valid, "%s, plain %d, watch %d: %.*s", how, mode % 2, way,
                     (int)text.len, text.at);
        cr_assert_eq(f.fault, o.at, "%s, plain %d, watch %d: %lu, not %zu: %.*s", how, mode % 2,
                     way, (unsigned long)f.fault, o.at, (int)text.len, text.at);
        cr_assert_str_eq(buf_text(&f.events), buf_text(&o.events), "%s, plain %d, watch %d: %.*s",
                         how, mode % 2, way, (int)text.len, text.at);
        cr_assert(span_equal(buf_span(&f.compact), buf_span(&o.compact)),
                  "%s, plain %d, watch %d: %.*s", how, mode % 2, way, (int)text.len, text.at);
        found_release(&f);
        scan_release(&s);
    }
    oracle_release(&o);
}

static void expect_as_oracle_every_way(struct span text, uint64_t *seed)
{
    for (int way = SCAN_NO_EVENTS; way < ORACLE_WATCHES; way++) {
        expect_as_oracle(text, SCAN_DEPTH_DEFAULT, way, seed);
    }
}

/* ---- rules of the grammar, with verdicts by hand ---- */

#define GOOD (-1)
#define ROW(text, fault)                                                                           \
    {                                                                                              \
        {(text), sizeof(text) - 1}, (fault)                                                        \
    }

static const struct row {
    struct span text;
    int fault; /* offset of the first byte that does not fit; the length where more must come */
} rows[] = {
    /* any value is a text */
    ROW("{}", GOOD),
    ROW("[]", GOOD),
    ROW("\"\"", GOOD),
    ROW("0", GOOD),
    ROW("true", GOOD),
    ROW("false", GOOD),
    ROW("null", GOOD),
    ROW(" \t\r\n0 \t\r\n", GOOD),
    ROW("", 0),
    ROW(" \n", 2),
    ROW("0 0", 2),
    ROW("{}{}", 2),
    ROW("[]]", 2),
    ROW("true,", 4),
    ROW("1\0", 1),
    ROW("\0", 0),
    ROW("\xEF\xBB\xBF{}", 0),
    ROW("\v1", 0),
    ROW("\xC2\xA0"
        "1",
        0),
    ROW("// x", 0),
    ROW("1/**/", 1),
    /* literals */
    ROW("tru", 3),
    ROW("t", 1),
    ROW("True", 0),
    ROW("truE", 3),
    ROW("falsf", 4),
    ROW("nul", 3),
    ROW("nulll", 4),
    ROW("truefalse", 4),
    ROW("[truex]", 5),
    ROW("NaN", 0),
    ROW("nan", 1),
    ROW("Infinity", 0),
    ROW("undefined", 0),
    ROW("[n,]", 2),
    /* numbers */
    ROW("-0", GOOD),
    ROW("-1", GOOD),
    ROW("10", GOOD),
    ROW("1.10", GOOD),
    ROW("0.0", GOOD),
    ROW("1e400", GOOD),
    ROW("1E+2", GOOD),
    ROW("1e-2", GOOD),
    ROW("0e0", GOOD),
    ROW("-0.0e-0", GOOD),
    ROW("18446744073709551616", GOOD),
    ROW("1.5e00", GOOD),
    ROW("-", 1),
    ROW("+1", 0),
    ROW("--1", 1),
    ROW("01", 1),
    ROW("-01", 2),
    ROW("00", 1),
    ROW("1.", 2),
    ROW(".1", 0),
    ROW("1.e1", 2),
    ROW("-.1", 1),
    ROW("1e", 2),
    ROW("1e+", 3),
    ROW("1e+-1", 3),
    ROW("1ee1", 2),
    ROW("1.1.1", 3),
    ROW("1e1.1", 3),
    ROW("0x10", 1),
    ROW("1_000", 1),
    ROW("1a", 1),
    ROW("[1 2]", 3),
    ROW("[-]", 2),
    ROW("[1.]", 3),
    ROW("[1e]", 3),
    ROW("[01]", 2),
    ROW("[0e]", 3),
    ROW("[1.5x]", 4),
    ROW("\xEF\xBC\x91", 0),
    ROW("[-a]", 2),
    ROW("1e1e1", 3),
    ROW("[0.]", 3),
    ROW("[-0]", GOOD),
    /* strings */
    ROW("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", GOOD),
    ROW("\"\\u0041\\uABCD\\uabcd\\u09aF\"", GOOD),
    ROW("\"\\uD800\"", GOOD),
    ROW("\"\\uDC00\\uD800\"", GOOD),
    ROW("\"\\u0000\"", GOOD),
    ROW("\"\x7F\"", GOOD),
    ROW("\"/\"", GOOD),
    ROW("\"a\0b\"", 2),
    ROW("\"\x1F\"", 1),
    ROW("\"\n\"", 1),
    ROW("\"\t\"", 1),
    ROW("\"\r\"", 1),
    ROW("\"", 1),
    ROW("\"a", 2),
    ROW("\"\\", 2),
    ROW("\"\\\"", 3),
    ROW("\"\\x41\"", 2),
    ROW("\"\\'\"", 2),
    ROW("\"\\a\"", 2),
    ROW("\"\\0\"", 2),
    ROW("\"\\\0\"", 2),
    ROW("\"\\U0041\"", 2),
    ROW("\"\\u\"", 3),
    ROW("\"\\u004\"", 6),
    ROW("\"\\u00g0\"", 5),
    ROW("\"\\u 041\"", 3),
    ROW("\"\\u+041\"", 3),
    ROW("\"\\u12", 5),
    ROW("'a'", 0),
    ROW("\"a\"b", 3),
    ROW("[\"a\",\n\"b\n\"]", 8),
    ROW("\"\\\n\"", 2),
    ROW("\"\\\xC3\xA9\"", 2),
    ROW("\"0123456789abcdef0123456789abcde\x1F\"", 32),
    /* arrays */
    ROW("[1]", GOOD),
    ROW("[1,2]", GOOD),
    ROW("[ 1 , 2 ]", GOOD),
    ROW("[[],[[]]]", GOOD),
    ROW("[", 1),
    ROW("[1", 2),
    ROW("[1,", 3),
    ROW("[,1]", 1),
    ROW("[1,,2]", 3),
    ROW("[1,]", 3),
    ROW("[,]", 1),
    ROW("[1}", 2),
    ROW("[}", 1),
    ROW("]", 0),
    ROW("[1:2]", 2),
    ROW("[1;2]", 2),
    ROW("[\"a\":1]", 4),
    ROW("[[]", 3),
    ROW("[]1", 2),
    ROW("[\v]", 1),
    ROW("[*]", 1),
    ROW("[1 true]", 3),
    ROW("[][]", 2),
    ROW("[]\n[]", 3),
    ROW("{\"a\":1}\n{\"a\":1}", 8),
    /* objects */
    ROW("{\"a\":1}", GOOD),
    ROW("{ \"a\" : 1 , \"b\" : { } }", GOOD),
    ROW("{\"\":0}", GOOD),
    ROW("{\"a\":1,\"a\":2}", GOOD),
    ROW("{", 1),
    ROW("{\"a\"", 4),
    ROW("{\"a\":", 5),
    ROW("{\"a\":1", 6),
    ROW("{\"a\":1,", 7),
    ROW("{,}", 1),
    ROW("{a:1}", 1),
    ROW("{1:1}", 1),
    ROW("{'a':1}", 1),
    ROW("{\"a\" 1}", 5),
    ROW("{\"a\",1}", 4),
    ROW("{\"a\":}", 5),
    ROW("{\"a\":1,}", 7),
    ROW("{\"a\":1,,}", 7),
    ROW("{\"a\"::1}", 5),
    ROW("{\"a\":1]", 6),
    ROW("{]", 1),
    ROW("}", 0),
    ROW("{\"a\":1 \"b\":2}", 7),
    ROW("{\"a\":1,1}", 7),
    ROW("{\"a\":1}x", 7),
    ROW("{\"a\"=1}", 4),
    ROW("{null:1}", 1),
    ROW("{\"a\":1,\"b\"}", 10),
    ROW("{{}}", 1),
    ROW("{[]:1}", 1),
    ROW("{\"a\":1#}", 6),
    ROW("{\"\\uD\":1}", 5),
};

Test(scan, rules_of_the_grammar)
{
    uint64_t seed = 1;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const struct row *r = &rows[i];
        struct scan s;
        scan_init(&s, SCAN_DEPTH_DEFAULT);
        int rc = scan_check(&s, r->text.at, r->text.len);
        cr_expect_eq(rc, r->fault == GOOD ? 0 : -1, "row %zu: %s", i, r->text.at);
        if (r->fault != GOOD) {
            cr_expect_eq(s.offset, (uint64_t)r->fault, "row %zu, %s: fault at %lu, not %d", i,
                         r->text.at, (unsigned long)s.offset, r->fault);
        }
        scan_release(&s);
        expect_as_oracle_every_way(r->text, &seed);
    }
}

static void read_file(int folder, const char *name, struct buf *text)
{
    buf_reset(text);
    int fd = openat(folder, name, O_RDONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0, "%s", name);
    ssize_t n;
    while ((n = read(fd, buf_room(text, 65536), 65536)) > 0) {
        text->len += (size_t)n;
    }
    close(fd);
}

/* Every beginning of these texts, and every byte of them replaced. */
Test(scan, every_cut_and_every_byte_replaced)
{
    static const char *const texts[] = {
        "{\"a\":[1.5e+3,true,\"\\u00e9\\n\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9E\"],\"b\":{}}",
        " [ -0 , null , false , { \"k\" : \"\\\"\" } , 12 ] ",
    };
    static const char bytes[] = "{}[]\",:\\0-+.eutfn \n\0\x1F\x80\xC3";
    uint64_t seed = 2;
    for (size_t i = 0; i < COUNT(texts); i++) {
        size_t len = strlen(texts[i]);
        char *copy = malloc(len);
        for (size_t at = 0; at <= len; at++) {
            expect_as_oracle_every_way(span_of(texts[i], at), &seed);
        }
        for (size_t at = 0; at < len; at++) {
            for (size_t c = 0; c < sizeof bytes - 1; c++) {
                memcpy(copy, texts[i], len);
                copy[at] = bytes[c];
                expect_as_oracle(span_of(copy, len), SCAN_DEPTH_DEFAULT, (int)(c % ORACLE_WATCHES),
                                 &seed);
            }
        }
        free(copy);
    }
}

Test(scan, random_texts_and_damaged_ones, .timeout = 120)
{
    struct buf text = {0};
    uint64_t seed = 20261130;
    int valid = 0;
    for (int i = 0; i < 6000; i++) {
        buf_reset(&text);
        make_value(&text, &seed, 0, i % 2);
        expect_as_oracle(buf_span(&text), 5 + i % 4, i % (ORACLE_WATCHES + 1) - 1, &seed);
        for (int j = 0; j < 3; j++) {
            damage(&text, &seed);
            expect_as_oracle(buf_span(&text), 8, i % (ORACLE_WATCHES + 1) - 1, &seed);
        }
        struct oracle o;
        valid += oracle_run(&o, text.at, text.len, 8, 0);
        oracle_release(&o);
    }
    cr_expect(valid > 60 && valid < 3000, "the damage is neither none nor total: %d", valid);
    buf_release(&text);
}

/* Texts that begin anywhere in a block, damaged and not: bytes are looked at 64 at a time. */
Test(scan, texts_at_every_offset, .timeout = 120)
{
    static const char *const fill[] = {"x", "\xC3\xA9", "\xE2\x82\xAC", "x\xF0\x9D\x84\x9E", "x"};
    struct buf text = {0};
    uint64_t seed = 64;
    int valid = 0;
    for (int i = 0; i < 20000; i++) {
        buf_reset(&text);
        buf_add_text(&text, i % 2 ? "[\"" : "{\"");
        for (int n = i / 2 % 200; n > 0; n--) {
            buf_add_text(&text, fill[i % 5]);
        }
        buf_add_text(&text, i % 2 ? "\"," : "\":");
        make_value(&text, &seed, 1, i % 7 == 0);
        buf_add_text(&text, i % 2 ? "]" : "}");
        if (i % 3) {
            damage(&text, &seed);
        }
        struct oracle o;
        bool fits = oracle_run(&o, text.at, text.len, 12, -1);
        expect_whole(&o, fits, buf_span(&text));
        valid += fits;
        oracle_release(&o);
    }
    cr_expect(valid > 7000 && valid < 16000, "the damage is neither none nor total: %d", valid);
    buf_release(&text);
}

/* A quote that only the byte before it, perhaps of another block, keeps from ending the string. */
Test(scan, escapes_across_blocks)
{
    static const char *const ends[] = {"\\\",1]", "\\\\\",1]", "\\\\\\\",1]", "\\u00e9\"]"};
    struct buf text = {0};
    for (size_t n = 0; n < 140 * COUNT(ends); n++) {
        struct oracle o;
        buf_reset(&text);
        buf_add_text(&text, "[\"");
        for (size_t i = n / COUNT(ends); i > 0; i--) {
            buf_add_byte(&text, 'x');
        }
        buf_add_text(&text, ends[n % COUNT(ends)]);
        bool fits = oracle_run(&o, text.at, text.len, 12, -1);
        cr_assert_eq(fits, n % 2 == 1);
        expect_whole(&o, fits, buf_span(&text));
        oracle_release(&o);
    }
    buf_release(&text);
}

/* The files of JSONTestSuite, also those of which the RFC leaves the verdict open. */
Test(scan, json_test_suite, .timeout = 120)
{
    const char *path = getenv("FANLINE_JSON_SUITE");
    path = path ? path : "../shared/suites/json/test_parsing";
    DIR *folder = opendir(path);
    if (!folder) {
        cr_log_warn("no folder %s: name that of JSONTestSuite by FANLINE_JSON_SUITE", path);
        return;
    }
    uint64_t seed = 7;
    struct buf text = {0};
    for (struct dirent *d; (d = readdir(folder));) {
        if (d->d_name[0] == '.') {
            continue;
        }
        read_file(dirfd(folder), d->d_name, &text);
        struct scan s;
        scan_init(&s, SCAN_DEPTH_DEFAULT);
        bool valid = scan_check(&s, text.at, text.len) == 0;
        cr_expect(d->d_name[0] == (valid ? 'y' : 'n') || d->d_name[0] == 'i', "%s", d->d_name);
        scan_release(&s);
        expect_as_oracle(buf_span(&text), 500, 2, &seed);
    }
    closedir(folder);
    buf_release(&text);
}

/* ---- UTF-8 ---- */

/* Every lead byte with every second byte, and the borders of the third and fourth. */
Test(scan, utf8_as_rfc_3629_has_it, .timeout = 120)
{
    static const unsigned char borders[] = {0x22, 0x7F, 0x80, 0xBF, 0xC0};
    struct scan s;
    struct scan plain;
    scan_init(&s, 1);
    scan_init(&plain, 1);
    plain.plain = true;
    for (unsigned lead = 0x80; lead <= 0xFF; lead++) {
        for (unsigned second = 0; second <= 0xFF; second++) {
            for (size_t i = 0; i < 25; i++) {
                /* in a container, and with text behind it, the fast lane takes the string whole */
                char text[] = {
                    '[', '"', (char)lead, (char)second, (char)borders[i / 5], (char)borders[i % 5],
                    '"', ',', '0',        ']'};
                struct oracle o;
                bool valid = oracle_run(&o, text, sizeof text, 1, -1);
                cr_assert_eq(scan_check(&s, text, sizeof text), valid ? 0 : -1, "%02X %02X %zu",
                             lead, second, i);
                cr_assert_eq(scan_check(&plain, text, sizeof text), valid ? 0 : -1, "%02X %02X %zu",
                             lead, second, i);
                cr_assert_eq(s.offset, o.at, "%02X %02X %zu", lead, second, i);
                cr_assert_eq(plain.offset, o.at, "%02X %02X %zu", lead, second, i);
                oracle_release(&o);
            }
        }
    }
    scan_release(&s);
    scan_release(&plain);
}

static const struct {
    const char *bytes;
    bool good;
} utf8_rows[] = {
    {"\xC2\x80", true},
    {"\xDF\xBF", true},
    {"\xE0\xA0\x80", true},
    {"\xED\x9F\xBF", true},
    {"\xEE\x80\x80", true},
    {"\xEF\xBF\xBF", true},
    {"\xF0\x90\x80\x80", true},
    {"\xF4\x8F\xBF\xBF", true},
    {"\xEF\xBB\xBF", true},
    {"\x80", false},
    {"\xBF", false},
    {"\xC0\x80", false},
    {"\xC1\xBF", false},
    {"\xE0\x9F\xBF", false},
    {"\xED\xA0\x80", false},
    {"\xED\xBF\xBF", false},
    {"\xF0\x8F\xBF\xBF", false},
    {"\xF4\x90\x80\x80", false},
    {"\xF5\x80\x80\x80", false},
    {"\xFE", false},
    {"\xFF", false},
    {"\xC3", false},
    {"\xE2\x82", false},
    {"\xF0\x9D\x84", false},
    {"\xC3\xC3\xA9", false},
    {"\xF8\x88\x80\x80\x80", false},
};

Test(scan, utf8_by_hand)
{
    for (size_t i = 0; i < COUNT(utf8_rows); i++) {
        struct buf text = {0};
        struct scan s;
        scan_init(&s, 1);
        buf_printf(&text, "{\"%s\":0}", utf8_rows[i].bytes);
        cr_expect_eq(scan_check(&s, text.at, text.len), utf8_rows[i].good ? 0 : -1, "row %zu", i);
        buf_reset(&text);
        buf_printf(&text, "\"0123456789abcde%s\"", utf8_rows[i].bytes);
        cr_expect_eq(scan_check(&s, text.at, text.len), utf8_rows[i].good ? 0 : -1, "row %zu", i);
        scan_release(&s);
        buf_release(&text);
    }
}

/* ---- depth, commas, positions ---- */

Test(scan, depth_to_the_very_limit)
{
    static const uint64_t limits[] = {1, 2, 3, 7, 8, 9, 63, 64, 65, 10000};
    static const char *const openers[] = {"[", "{\"k\":", "[{\"k\":"};
    for (size_t i = 0; i < COUNT(limits) * COUNT(openers) * 4; i++) {
        uint64_t limit = limits[i / 4 / COUNT(openers)];
        const char *opener = openers[i / 4 % COUNT(openers)];
        bool too_deep = i % 2;
        struct buf text = {0};
        uint64_t depth = 0;
        size_t last = 0; /* offset of the bracket that opens the deepest container */
        for (const char *at = opener; depth < limit + too_deep; at = at[1] ? at + 1 : opener) {
            last = *at == '[' || *at == '{' ? text.len : last;
            depth += *at == '[' || *at == '{';
            buf_add_byte(&text, *at);
        }
        if (text.at[text.len - 1] == '{') {
            buf_add_text(&text, "\"k\":");
        }
        buf_add_byte(&text, '0');
        for (size_t at = text.len; at > 0; at--) {
            char c = text.at[at - 1];
            if (c == '[' || c == '{') {
                buf_add_byte(&text, c == '[' ? ']' : '}');
            }
        }
        struct scan s;
        scan_init(&s, limit);
        s.plain = i / 2 % 2;
        cr_expect_eq(scan_check(&s, text.at, text.len), too_deep ? -1 : 0, "%lu of %s",
                     (unsigned long)limit, opener);
        cr_expect_eq(s.offset, too_deep ? last : text.len, "%lu of %s", (unsigned long)limit,
                     opener);
        scan_release(&s);
        buf_release(&text);
    }
    struct scan s;
    scan_init(&s, 1);
    cr_expect_eq(scan_check(&s, "[[]]", 4), -1);
    cr_expect_str_eq(s.fault, "nested deeper than the limit (--max-depth)");
    cr_expect_eq(scan_check(&s, "[1,{},2]", 8), -1);
    cr_expect_eq(scan_check(&s, "[1]", 3), 0, "and ready for the next text");
    scan_release(&s);
}

Test(scan, brackets_in_the_outermost_container)
{
    uint64_t seed = 3;
    struct buf text = {0};
    struct seams seams = {0};
    for (int i = 0; i < 3000; i++) {
        struct oracle o;
        struct scan s;
        buf_reset(&text);
        make_value(&text, &seed, 0, i % 3 == 0);
        cr_assert(oracle_run(&o, text.at, text.len, 100, -1));
        scan_init(&s, 100);
        s.seams = &seams;
        s.plain = i % 2;
        cr_assert_eq(scan_check(&s, text.at, text.len), 0);
        expect_places(seams.at, seams.count, &o.seams, buf_span(&text));
        cr_assert_eq(s.spaces, o.compact.len < text.len);
        scan_release(&s);
        oracle_release(&o);
    }
    seams_release(&seams);
    buf_release(&text);
}

Test(scan, lines_and_columns)
{
    static const char text[] = "{\n \"a\" : [1,\r\n\t2,\n\n x]}";
    for (int feed = 0; feed < FEEDS; feed++) {
        uint64_t seed = 4;
        struct scan s;
        struct found f;
        scan_init(&s, 10);
        scan_all(&s, &f, SPAN_LIT(text), (enum feed)feed, 1, &seed);
        cr_expect(!f.valid);
        cr_expect_eq(s.line, 5, "%s: line %lu", feeds[feed], (unsigned long)s.line);
        cr_expect_eq(s.offset - s.line_at + 1, 2, "%s", feeds[feed]);
        cr_expect_eq(s.offset, 20, "%s", feeds[feed]);
        found_release(&f);
        scan_release(&s);
    }
}

Test(scan, one_scanner_for_many_texts)
{
    struct scan s;
    struct found f;
    uint64_t seed = 5;
    scan_init(&s, 10);
    scan_all(&s, &f, SPAN_LIT("[1,\n2]"), WHOLE, 0, &seed);
    cr_expect(f.valid && s.spaces);
    found_release(&f);
    scan_restart(&s);
    cr_expect(!s.spaces);
    scan_all(&s, &f, SPAN_LIT("[[[3]]"), BYTES, 3, &seed);
    cr_expect(!f.valid);
    cr_expect_eq(s.offset, 12, "counters go on");
    cr_expect_eq(s.line, 2);
    found_release(&f);
    scan_restart(&s);
    scan_all(&s, &f, SPAN_LIT("\"x\""), WHOLE, 3, &seed);
    cr_expect(f.valid);
    cr_expect_str_eq(buf_text(&f.events), "B\"0@12 D-0@15 ");
    found_release(&f);
    scan_release(&s);
    scan_release(&s); /* legal on nothing */
}

Test(scan, compact_texts)
{
    struct scan s;
    char out[64];
    size_t len = 0;
    scan_init(&s, 10);
    static const char text[] = " { \"a b\" : [ 1.10 ,\t\"\\u0041 \\n\" ] , \"a b\":null }\r\n";
    cr_expect_eq(scan_compact(&s, text, sizeof text - 1, out, &len), 0);
    cr_expect(
        span_equal(span_of(out, len), SPAN_LIT("{\"a b\":[1.10,\"\\u0041 \\n\"],\"a b\":null}")));
    cr_expect(s.spaces);
    cr_expect_eq(scan_compact(&s, "[1,2]", 5, out, &len), 0);
    cr_expect(!s.spaces);
    cr_expect_eq(scan_compact(&s, " 1 ", 3, out, &len), 0);
    cr_expect(span_equal(span_of(out, len), SPAN_LIT("1")));
    scan_release(&s);
}

/* ---- SIMD ---- */

Test(scan, plain_stretches_by_both_means)
{
    uint64_t seed = 6;
    char bytes[160];
    for (int round = 0; round < 400; round++) {
        for (size_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = chance(&seed, 3 + (uint32_t)round) == 0 ? (char)chance(&seed, 256) : 'a';
        }
        for (size_t from = 0; from < 64; from++) {
            size_t len = chance(&seed, sizeof bytes - 64);
            char *memory = malloc(len + from + 1);
            char *copy = memory + from;
            memcpy(copy, bytes + from, len);
            const char *scalar = scan_plain_scalar(copy, copy + len);
            cr_assert_eq(scan_plain_simd(copy, copy + len), scalar, "%zu, %zu", from, len);
            size_t want = 0;
            while (want < len && (unsigned char)copy[want] >= 0x20 &&
                   (unsigned char)copy[want] < 0x80 && copy[want] != '"' && copy[want] != '\\') {
                want++;
            }
            cr_assert_eq((size_t)(scalar - copy), want, "%zu, %zu", from, len);
            free(memory);
        }
    }
    for (unsigned c = 0; c < 256; c++) {
        memset(bytes, 'x', 40);
        bytes[19] = (char)c;
        bool plain = c >= 0x20 && c < 0x80 && c != '"' && c != '\\';
        cr_assert_eq(scan_plain_simd(bytes, bytes + 40) - bytes, plain ? 40 : 19, "%02X", c);
    }
}
