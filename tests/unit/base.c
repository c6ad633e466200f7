/* lib/base: units as people write them, errors as they are shown, bytes that grow, time, names. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/units.h"
#include "base/uuid.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define TEXT(literal)                                                                              \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

/* ---- units ---- */

static const struct {
    struct span text;
    bool good;
    int64_t value;
} integers[] = {
    {TEXT("0"), true, 0},
    {TEXT("-0"), true, 0},
    {TEXT("+7"), true, 7},
    {TEXT("007"), true, 7},
    {TEXT("-12"), true, -12},
    {TEXT("9223372036854775807"), true, INT64_MAX},
    {TEXT("-9223372036854775808"), true, INT64_MIN},
    {TEXT("9223372036854775808"), false, 0},
    {TEXT("-9223372036854775809"), false, 0},
    {TEXT("99999999999999999999999999"), false, 0},
    {TEXT(""), false, 0},
    {TEXT("-"), false, 0},
    {TEXT("+"), false, 0},
    {TEXT("--1"), false, 0},
    {TEXT("10x"), false, 0},
    {TEXT(" 5"), false, 0},
    {TEXT("5 "), false, 0},
    {TEXT("1.0"), false, 0},
    {TEXT("1e3"), false, 0},
    {TEXT("0x10"), false, 0},
    {TEXT("5\0"), false, 0},
};

Test(units, integers)
{
    for (size_t i = 0; i < COUNT(integers); i++) {
        struct err e = {0};
        int64_t n = -77;
        int rc = units_integer(integers[i].text, INT64_MIN, INT64_MAX, &n, &e);
        cr_expect_eq(rc, integers[i].good ? 0 : -1, "row %zu", i);
        cr_expect_eq(n, integers[i].good ? integers[i].value : -77, "row %zu: %ld", i, (long)n);
        cr_expect_eq(e.code, integers[i].good ? ERR_NONE : ERR_USAGE, "row %zu", i);
    }
}

Test(units, integers_within_limits)
{
    struct err e = {0};
    int64_t n = 0;
    cr_expect_eq(units_integer(SPAN_LIT("1"), 1, 3, &n, &e), 0);
    cr_expect_eq(units_integer(SPAN_LIT("3"), 1, 3, &n, &e), 0);
    cr_expect_eq(units_integer(SPAN_LIT("0"), 1, 3, &n, &e), -1);
    cr_expect_str_eq(e.text, "0 is not between 1 and 3");
    cr_expect_eq(units_integer(SPAN_LIT("4"), 1, 3, &n, &e), -1);
    cr_expect_eq(n, 3);
    cr_expect_eq(units_integer(SPAN_LIT("10x"), 1, 3, &n, &e), -1);
    cr_expect(strstr(e.text, "'10x'"), "%s", e.text);
}

#define SECOND INT64_C(1000000000)
#define HOUR   (3600 * SECOND)

static const struct {
    struct span text;
    int64_t value; /* -1: refused */
} durations[] = {
    {TEXT("0"), 0},
    {TEXT("0s"), 0},
    {TEXT("500ms"), 500000000},
    {TEXT("10s"), 10 * SECOND},
    {TEXT("5 min"), 300 * SECOND},
    {TEXT("1.5h"), 5400 * SECOND},
    {TEXT("2d"), 48 * HOUR},
    {TEXT("1h30m"), 5400 * SECOND},
    {TEXT("1h 30 m"), 5400 * SECOND},
    {TEXT("1d2h3m4s5ms6us7ns"), 26 * HOUR + 184 * SECOND + 5006007},
    {TEXT("0.001s"), 1000000},
    {TEXT("0.000000001s"), 1},
    {TEXT("0.0000000001s"), 0}, /* finer than a nanosecond */
    {TEXT("1.000000000000000000000000000001s"), SECOND},
    {TEXT("1.5 ns"), 1},
    {TEXT("10 SECONDS"), 10 * SECOND},
    {TEXT("1 Hr"), HOUR},
    {TEXT("2 hrs"), 2 * HOUR},
    {TEXT("1 wk"), 168 * HOUR},
    {TEXT("3 weeks"), 504 * HOUR},
    {TEXT("1 w"), 168 * HOUR},
    {TEXT("7 days"), 168 * HOUR},
    {TEXT("90 secs"), 90 * SECOND},
    {TEXT("2 mins"), 120 * SECOND},
    {TEXT("3 millis"), 3000000},
    {TEXT("1 millisecond"), 1000000},
    {TEXT("4 nanos"), 4},
    {TEXT("1 nanosecond"), 1},
    {TEXT("9223372036854775807ns"), INT64_MAX},
    {TEXT("9223372036854775808ns"), -1},
    {TEXT("9223372036s"), 9223372036 * SECOND},
    {TEXT("9223372037s"), -1},
    {TEXT("9223372036s 1s"), -1},
    {TEXT("99999999999999999999h"), -1},
    {TEXT(""), -1},
    {TEXT(" "), -1},
    {TEXT("10"), -1},
    {TEXT("00"), -1},
    {TEXT("s"), -1},
    {TEXT(" 5s"), -1},
    {TEXT("5s "), -1},
    {TEXT("5\ts"), -1},
    {TEXT("-5s"), -1},
    {TEXT("+5s"), -1},
    {TEXT(".5s"), -1},
    {TEXT("5.s"), -1},
    {TEXT("1.2.3 s"), -1},
    {TEXT("1e3s"), -1},
    {TEXT("10x"), -1},
    {TEXT("10ss"), -1},
    {TEXT("1h30"), -1},
    {TEXT("1 month"), -1},
    {TEXT("10s\0"), -1},
    {TEXT("never"), -1},
};

Test(units, durations)
{
    for (size_t i = 0; i < COUNT(durations); i++) {
        struct err e = {0};
        int64_t n = -77;
        int rc = units_duration(durations[i].text, &n, &e);
        bool good = durations[i].value >= 0;
        cr_expect_eq(rc, good ? 0 : -1, "row %zu '%s'", i, durations[i].text.at);
        cr_expect_eq(n, good ? durations[i].value : -77, "row %zu '%s': %ld", i,
                     durations[i].text.at, (long)n);
        cr_expect_eq(e.code, good ? ERR_NONE : ERR_USAGE, "row %zu", i);
    }
}

static const struct {
    struct span text;
    bool good;
    uint64_t value;
} sizes[] = {
    {TEXT("0"), true, 0},
    {TEXT("4096"), true, 4096},
    {TEXT("4096b"), true, 4096},
    {TEXT("4096 B"), true, 4096},
    {TEXT("64k"), true, 65536},
    {TEXT("64K"), true, 65536},
    {TEXT("64Ki"), true, 65536},
    {TEXT("64KiB"), true, 65536},
    {TEXT("64kB"), true, 64000},
    {TEXT("1MiB"), true, 1048576},
    {TEXT("1 m"), true, 1048576},
    {TEXT("1MB"), true, 1000000},
    {TEXT("2G"), true, UINT64_C(2147483648)},
    {TEXT("2gb"), true, UINT64_C(2000000000)},
    {TEXT("1.5k"), true, 1536},
    {TEXT("1T"), true, UINT64_C(1099511627776)},
    {TEXT("1TB"), true, UINT64_C(1000000000000)},
    {TEXT("9223372036854775807"), true, INT64_MAX},
    {TEXT("8388607TiB"), true, UINT64_C(8388607) << 40},
    {TEXT("8388608TiB"), false, 0},
    {TEXT("9223372036854775808"), false, 0},
    {TEXT(""), false, 0},
    {TEXT("k"), false, 0},
    {TEXT("-1"), false, 0},
    {TEXT("+1"), false, 0},
    {TEXT("1x"), false, 0},
    {TEXT(" 1"), false, 0},
    {TEXT("1 "), false, 0},
    {TEXT("1k "), false, 0},
    {TEXT("1kk"), false, 0},
    {TEXT("1k1"), false, 0},
    {TEXT("1."), false, 0},
    {TEXT("1..5k"), false, 0},
    {TEXT("0x10"), false, 0},
};

Test(units, sizes)
{
    for (size_t i = 0; i < COUNT(sizes); i++) {
        struct err e = {0};
        uint64_t n = 77;
        int rc = units_size(sizes[i].text, &n, &e);
        cr_expect_eq(rc, sizes[i].good ? 0 : -1, "row %zu '%s'", i, sizes[i].text.at);
        cr_expect_eq(n, sizes[i].good ? sizes[i].value : 77, "row %zu '%s': %lu", i,
                     sizes[i].text.at, (unsigned long)n);
        cr_expect_eq(e.code, sizes[i].good ? ERR_NONE : ERR_USAGE, "row %zu", i);
    }
}

static const struct {
    struct span text;
    int64_t value; /* -1: refused */
} percents[] = {
    {TEXT("0"), 0},
    {TEXT("33"), 33000000},
    {TEXT("33%"), 33000000},
    {TEXT("0.5"), 500000},
    {TEXT("1.1%"), 1100000},
    {TEXT("0.000001"), 1},
    {TEXT("33.333333"), 33333333},
    {TEXT("99.999999%"), 99999999},
    {TEXT("33.3333333"), -1}, /* a seventh decimal would be lost */
    {TEXT("100"), 100000000},
    {TEXT("100.000000%"), 100000000},
    {TEXT("100.000001"), -1},
    {TEXT("100.0000001"), -1},
    {TEXT("101"), -1},
    {TEXT("99999999999999999999"), -1},
    {TEXT(""), -1},
    {TEXT("%"), -1},
    {TEXT("-1"), -1},
    {TEXT("30 %"), -1},
    {TEXT("30%%"), -1},
    {TEXT(".5"), -1},
    {TEXT("5."), -1},
    {TEXT("1e1"), -1},
    {TEXT("10x"), -1},
};

static const struct {
    struct span text;
    double value; /* negative: an error */
} numbers[] = {
    {TEXT("0"), 0},       {TEXT("12"), 12},
    {TEXT("0.5"), 0.5},   {TEXT("1e3"), 1000},
    {TEXT("2.5E+1"), 25}, {TEXT("5e-1"), 0.5},
    {TEXT(""), -1},       {TEXT("."), -1},
    {TEXT("5."), -1},     {TEXT(".5"), -1},
    {TEXT("1e"), -1},     {TEXT("1e+"), -1},
    {TEXT("0x10"), -1},   {TEXT("0x1p3"), -1},
    {TEXT("nan"), -1},    {TEXT("inf"), -1},
    {TEXT(" 5"), -1},     {TEXT("5 "), -1},
    {TEXT("-5"), -1},     {TEXT("+5"), -1},
    {TEXT("1,5"), -1},    {TEXT("0000000000000000000000000000000000000001"), -1},
};

Test(units, numbers)
{
    for (size_t i = 0; i < COUNT(numbers); i++) {
        struct err e = {0};
        double n = -77;
        int rc = units_number(numbers[i].text, &n, &e);
        bool good = numbers[i].value >= 0;
        cr_expect_eq(rc, good ? 0 : -1, "row %zu '%s'", i, numbers[i].text.at);
        cr_expect_eq(n, good ? numbers[i].value : -77, "row %zu '%s': %g", i, numbers[i].text.at,
                     n);
        cr_expect_eq(e.code, good ? ERR_NONE : ERR_USAGE);
    }
}

Test(units, percents)
{
    for (size_t i = 0; i < COUNT(percents); i++) {
        struct err e = {0};
        int64_t n = -77;
        int rc = units_percent(percents[i].text, &n, &e);
        bool good = percents[i].value >= 0;
        cr_expect_eq(rc, good ? 0 : -1, "row %zu '%s'", i, percents[i].text.at);
        cr_expect_eq(n, good ? percents[i].value : -77, "row %zu '%s': %ld", i, percents[i].text.at,
                     (long)n);
    }
}

/* ---- errors ---- */

Test(err, messages_with_and_without_a_position)
{
    char out[256];
    struct err e = {0};
    cr_expect_eq(err_set(&e, ERR_DATA, "bad %s", "thing"), -1);
    cr_expect_str_eq(err_message(&e, out, sizeof out), "bad thing");

    struct err_pos pos = {.line = 3, .column = 4, .byte = UINT64_C(5000000000)};
    err_pos_source(&pos, "a.json");
    err_at(&e, &pos);
    cr_expect_str_eq(err_message(&e, out, sizeof out), "a.json:3:4 (byte 5000000000): bad thing");
    e.pos.item = 7;
    cr_expect_str_eq(err_message(&e, out, sizeof out),
                     "a.json:3:4 (byte 5000000000, item 7): bad thing");

    err_prefix(&e, "in %s", "x");
    cr_expect_eq(e.code, ERR_DATA);
    cr_expect_str_eq(err_message(&e, out, sizeof out),
                     "a.json:3:4 (byte 5000000000, item 7): in x: bad thing");
    cr_expect_eq(err_set(&e, ERR_USAGE, "%s again", e.text), -1, "the arguments may lie in E");
    cr_expect_str_eq(err_message(&e, out, sizeof out), "in x: bad thing again");

    /* nobody has to ask */
    cr_expect_eq(err_set(NULL, ERR_IO, "x"), -1);
    cr_expect_eq(err_system(NULL, ENOENT, "x"), -1);
    err_at(NULL, &pos);
    err_prefix(NULL, "x");
}

Test(err, system_errors)
{
    struct err e = {0};
    cr_expect_eq(err_system(&e, ENOSPC, "cannot write %s", "f"), -1);
    cr_expect_eq(e.code, ERR_IO);
    cr_expect_str_eq(e.text, "cannot write f: No space left on device");
    err_system(&e, EPIPE, "cannot write");
    cr_expect_eq(e.code, ERR_PIPE);
}

Test(err, what_is_too_long_is_cut_and_says_so)
{
    struct err e = {0};
    char longer[3 * ERR_TEXT_MAX];
    for (size_t i = 0; i < sizeof longer; i++) { /* words of a hundred letters */
        longer[i] = i % 101 == 100 ? ' ' : 'x';
    }
    longer[sizeof longer - 1] = '\0';
    err_set(&e, ERR_DATA, "cannot read '%s': why", longer);
    cr_expect_eq(strlen(e.text), ERR_TEXT_MAX - 1);
    cr_expect_eq(strncmp(e.text, "cannot read 'xxx", 16), 0);
    cr_expect_not_null(strstr(e.text, "..."));
    cr_expect_str_eq(e.text + ERR_TEXT_MAX - 1 - 8, "xx': why", "the end is kept");
    err_set(&e, ERR_DATA, "%.*s", ERR_TEXT_MAX - 1, longer);
    cr_expect_eq(strncmp(e.text, longer, ERR_TEXT_MAX - 1), 0, "what just fits is not cut");
    cr_expect_eq(strlen(e.text), ERR_TEXT_MAX - 1);
    memset(longer, 'x', sizeof longer - 1);

    /* of a long path the end is kept */
    struct err_pos pos = {.line = 1, .column = 1};
    memcpy(longer + sizeof longer - 7, "e.json", 7);
    err_pos_source(&pos, longer);
    cr_expect_eq(strlen(pos.source), ERR_SOURCE_MAX - 1);
    cr_expect_eq(strncmp(pos.source, "...x", 4), 0);
    cr_expect_str_eq(pos.source + ERR_SOURCE_MAX - 7, "e.json");
    longer[ERR_SOURCE_MAX - 1] = '\0';
    err_pos_source(&pos, longer);
    cr_expect_str_eq(pos.source, longer, "what just fits is not cut");

    /* a message buffer that is too small */
    char small[8];
    err_set(&e, ERR_DATA, "0123456789");
    cr_expect_str_eq(err_message(&e, small, sizeof small), "0123456");
}

/* Of a very long word the middle goes, never a part of a character, and what stands behind it
 * stays. */
Test(err, long_words_are_cut)
{
    struct err e = {0};
    char word[3001] = "";
    for (size_t len = ERR_WORD_MAX - 6; len < 3000; len += 3) {
        memcpy(word + len - 3, "\xE6\x96\x87", 4);
        memcpy(word, word + len - 3, 3);
        for (size_t i = 3; i < len; i++) {
            word[i] = word[i - 3];
        }
        err_set(&e, ERR_DATA, "no '%s' in '%s': it %s", word, "f", "is away");
        const char *dots = strstr(e.text, "...");
        cr_assert_eq(dots != NULL, len + 2 > ERR_WORD_MAX, "%zu: %s", len, e.text);
        cr_assert_eq(strncmp(e.text, "no '\xE6\x96\x87", 7), 0);
        cr_assert_str_eq(e.text + strlen(e.text) - 22, "\x96\x87' in 'f': it is away");
        if (dots) {
            cr_assert_geq(strlen(e.text), ERR_WORD_MAX - 6 + strlen("no  in 'f': it is away"));
            cr_assert_leq(strlen(e.text), ERR_WORD_MAX + strlen("no  in 'f': it is away"));
            cr_assert_eq(dots[-1], '\x87', "%zu: %s", len, e.text);
            cr_assert_eq(dots[3], '\xE6', "%zu: %s", len, e.text);
        }
    }
}

Test(err, control_characters_are_not_shown)
{
    struct err e = {0};
    char out[128];
    struct err_pos pos = {.line = 1, .column = 1};
    err_set(&e, ERR_DATA, "a\x1B[31mb\nc\x7F\xC3\xA9");
    err_pos_source(&pos, "f\rg");
    err_at(&e, &pos);
    cr_expect_str_eq(err_message(&e, out, sizeof out), "f?g:1:1 (byte 0): a?[31mb?c?\xC3\xA9");
}

/* ---- bytes that grow ---- */

Test(buf, grows_and_keeps_what_it_has)
{
    struct buf b = {0};
    buf_release(&b); /* legal on nothing */
    cr_expect_str_eq(buf_text(&b), "");
    buf_add(&b, NULL, 0);
    cr_expect_eq(b.len, 0);
    for (int i = 0; i < 100000; i++) {
        buf_add_byte(&b, (char)i);
    }
    cr_assert_eq(b.len, 100000);
    for (int i = 0; i < 100000; i++) {
        cr_assert_eq(b.at[i], (char)i, "byte %d", i);
    }
    buf_reset(&b);
    cr_expect_eq(b.len, 0);
    memset(buf_room(&b, 1 << 20), 'z', 1 << 20);
    cr_expect_eq(b.len, 0, "room is not content");
    buf_release(&b);
}

Test(buf, numbers_and_formats)
{
    struct buf b = {0};
    buf_add_u64(&b, 0);
    buf_add_byte(&b, ' ');
    buf_add_u64(&b, UINT64_MAX);
    buf_add_byte(&b, ' ');
    buf_add_i64(&b, INT64_MIN);
    buf_add_byte(&b, ' ');
    buf_add_i64(&b, INT64_MAX);
    buf_add_byte(&b, ' ');
    buf_add_i64(&b, -12);
    buf_printf(&b, " %s%d", "x", 5);
    buf_printf(&b, "%s", "");
    buf_add_text(&b, "!");
    buf_add_span(&b, SPAN_LIT("a\0b"));
    struct span want =
        SPAN_LIT("0 18446744073709551615 -9223372036854775808 9223372036854775807 -12"
                 " x5!a\0b");
    cr_expect(span_equal(buf_span(&b), want), "%s", buf_text(&b));
    cr_expect_eq(buf_text(&b)[want.len], '\0');
    cr_expect_eq(b.len, want.len, "the NUL does not count");
    buf_release(&b);
}

Test(mem, arrays_double_and_keep_their_elements)
{
    uint32_t *at = NULL;
    size_t cap = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        at = mem_grow(at, &cap, i, sizeof *at);
        cr_assert_gt(cap, i);
        at[i] = i;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert_eq(at[i], i);
    }
    at = mem_grow(at, &cap, 5000, sizeof *at);
    cr_expect_gt(cap, 5000, "also far beyond");
    free(at);
    cr_expect_null(mem_text(NULL));
    char *copy = mem_copy("a\0b", 3);
    cr_expect_eq(memcmp(copy, "a\0b", 4), 0);
    free(copy);
    char *zero = mem_new(3, 5);
    cr_expect_eq(memcmp(zero, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 15), 0);
    free(zero);
}

/* ---- time and names ---- */

Test(clock, deadlines)
{
    cr_expect_eq(clock_after(5, 7), 12);
    cr_expect_eq(clock_after(5, 0), 5);
    cr_expect_eq(clock_after(5, -1), CLOCK_NEVER);
    cr_expect_eq(clock_after(5, INT64_MAX), CLOCK_NEVER);
    cr_expect_eq(clock_poll(CLOCK_NEVER), -1);
    cr_expect_eq(clock_poll(0), 0);
    cr_expect_eq(clock_poll(clock_now() - 1), 0);
    int left = clock_poll(clock_now() + 60 * CLOCK_SECOND);
    cr_expect(left > 59000 && left <= 60000, "%d", left);
    cr_expect_gt(clock_poll(clock_now() + CLOCK_SECOND), 0);
    cr_expect_eq(clock_poll(INT64_MAX - 1), INT_MAX);
}

Test(clock, sleeps_until_then, .timeout = 30)
{
    int64_t before = clock_now();
    clock_sleep(before - CLOCK_SECOND);
    clock_sleep(before + 30 * CLOCK_MILLI);
    cr_expect_geq(clock_now() - before, 30 * CLOCK_MILLI);
}

Test(clock, stamps)
{
    char out[CLOCK_STAMP_MAX];
    cr_expect_str_eq(clock_stamp(0, out), "1970-01-01T00:00:00.000Z");
    cr_expect_str_eq(clock_stamp(1700000000 * CLOCK_SECOND + 123999999, out),
                     "2023-11-14T22:13:20.123Z");
    cr_expect_str_eq(clock_stamp(951782400 * CLOCK_SECOND, out), "2000-02-29T00:00:00.000Z");
    cr_expect_str_eq(clock_stamp(INT64_MAX, out), "2262-04-11T23:47:16.854Z");
    cr_expect_str_eq(clock_stamp(-1, out), "1969-12-31T23:59:59.999Z");
    /* each day of four centuries and more, as the C library has it */
    for (time_t day = -100000; day < 106000; day++) {
        char expected[CLOCK_STAMP_MAX];
        time_t second = day * 86400 + (day * 7919 % 86400 + 86400) % 86400;
        struct tm tm;
        strftime(expected, sizeof expected, "%Y-%m-%dT%H:%M:%S.000Z", gmtime_r(&second, &tm));
        cr_expect_str_eq(clock_stamp(second * CLOCK_SECOND, out), expected);
    }
    struct clock_text text = {0};
    static const int64_t times[] = {0, 5, 999, 1000, 1001, -1, -999, -1001, 86400000, 86399999};
    for (size_t i = 0; i < COUNT(times); i++) {
        int64_t real = times[i] * CLOCK_MILLI;
        cr_expect_str_eq(clock_restamp(&text, real), clock_stamp(real, out));
    }
}

Test(uuid, random_and_well_formed)
{
    char a[UUID_TEXT_MAX];
    char b[UUID_TEXT_MAX];
    for (int i = 0; i < 100; i++) {
        uuid_make(a);
        uuid_make(b);
        cr_expect_str_neq(a, b);
        cr_expect_eq(strlen(a), 36);
        cr_expect_eq(strspn(a, "0123456789abcdef-"), 36, "%s", a);
        cr_expect(a[8] == '-' && a[13] == '-' && a[18] == '-' && a[23] == '-', "%s", a);
        cr_expect_eq(a[14], '4', "version: %s", a);
        cr_expect(strchr("89ab", a[19]), "variant: %s", a);
    }
}

/* A message shows the part of a long expression where the fault lies. */
Test(err, shows_the_part_around_the_fault)
{
    char text[1000];
    memset(text, 'a', sizeof text);
    for (size_t at = 0; at <= sizeof text; at += 10) {
        memset(text, 'a', sizeof text);
        text[at < sizeof text ? at : sizeof text - 1] = '!';
        struct err_shown s = err_show(text, sizeof text, at);
        cr_assert_leq(strlen(s.text), ERR_SHOWN_MAX + 6);
        cr_assert_geq(strlen(s.text), ERR_SHOWN_MAX - 6);
        cr_assert(at == sizeof text || s.text[s.at] == '!', "%zu: %s", at, s.text);
        cr_assert_eq(strncmp(s.text, "...", 3) == 0, at > 140 || at == 140, "%zu: %s", at, s.text);
        cr_assert_eq(strcmp(s.text + strlen(s.text) - 3, "...") == 0, at <= 930, "%zu", at);
    }
    struct err_shown whole = err_show("1 + ", 4, 4);
    cr_assert(strcmp(whole.text, "1 + ") == 0 && whole.at == 4);
    for (size_t at = 0; at < 900; at++) { /* no character is cut in two */
        for (size_t i = 0; i < 900; i++) {
            text[i] = "\xE6\x96\x87"[i % 3];
        }
        struct err_shown s = err_show(text, 900, at);
        const char *first = s.text + (strncmp(s.text, "...", 3) == 0 ? 3 : 0);
        size_t len = strcspn(first, ".");
        cr_assert(*first == '\xE6' && first[len - 1] == '\x87' && len % 3 == 0, "%zu", at);
    }
}

/* ---- what was probably meant ---- */

static const struct {
    const char *name;
    const char *best;
} nearest[] = {
    {"MaxConcurency", "MaxConcurrency"},
    {"maxconcurrency", "MaxConcurrency"},
    {"MaxItem", "MaxItems"},
    {"Netx", "Next"},
    {"Ned", "End"},
    {"Nxet", "Next"},
    {"Xyz", ""},
    {"", ""},
    {"ItemBatchSize", "ItemBatcher"},
    {"TolerableFailures", ""},
    {"Item", ""},
};

/* Where a name may be only the beginning of a word. */
static const struct {
    const char *name;
    const char *best;
} beginnings[] = {
    {"Item", "ItemBatcher"}, /* and not MaxItems */
    {"Max", "MaxItems"},     {"MaxI", "MaxItems"}, {"Ma", ""},      {"", ""},
    {"Batcher", ""},         {"Ned", "End"},       {"Nex", "Next"},
};

static const char *const names[] = {"MaxConcurrency", "MaxItems", "Next", "End", "ItemBatcher"};

static void expect_nearest(struct near n, const char *best)
{
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        near_offer(&n, span_text(names[k]));
    }
    cr_expect(span_equal(n.best, span_text(best)), "%.*s: %.*s", (int)n.name.len, n.name.at,
              (int)n.best.len, n.best.at);
}

Test(near, offers)
{
    for (size_t i = 0; i < sizeof nearest / sizeof *nearest; i++) {
        expect_nearest(near_to(span_text(nearest[i].name)), nearest[i].best);
    }
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        expect_nearest(near_to_part(span_text(beginnings[i].name)), beginnings[i].best);
    }
}
