/* lib/json/bulk: what it finds is what a plain reader finds, by all means that a processor has. */
#include "json/bulk.h"

#include "base/buf.h"
#include "oracle.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 40 };

/* Is VALUE valid and compact?  Its seams are then those of GOT. */
static bool is_fine(struct span value, const struct seams_view *got)
{
    struct oracle o;
    bool fine = oracle_run(&o, value.at, value.len, DEPTH, -1) && o.compact.len == value.len;
    if (fine && got) {
        size_t count = got->count;
        cr_assert_eq(count, o.seams.len / sizeof *got->at, "%.*s", (int)value.len, value.at);
        for (size_t i = 0; i < count; i++) {
            size_t want;
            memcpy(&want, o.seams.at + i * sizeof want, sizeof want);
            cr_assert_eq(got->text + got->at[i], value.at + want, "%.*s", (int)value.len, value.at);
        }
    }
    oracle_release(&o);
    return fine;
}

/* The part of TEXT that has come, in memory of just its size, so that a byte read beyond shows. */
static char *copy_of(struct span text, size_t come)
{
    char *copy = malloc(come ? come : 1);
    memcpy(copy, text.at, come);
    return copy;
}

/* Step over the line that TEXT begins with. */
static size_t pass_line(struct span text)
{
    const char *lf = memchr(text.at, '\n', text.len);
    return lf ? (size_t)(lf - text.at) + 1 : text.len;
}

/* All values in bulk of TEXT, which comes in pieces, or with SEED NULL at once.  Returns how many
 * there are. */
static size_t find_lines(struct span text, enum bulk_means means, bool noting, uint64_t *seed)
{
    struct bulk b;
    struct span value;
    size_t at = 0, come = seed ? 0 : text.len, found = 0;
    bulk_init(&b, BULK_LINES, DEPTH);
    b.means = means < b.means ? means : b.means;
    b.noting = noting;
    bulk_restart(&b);
    while (at < text.len) {
        char *there = copy_of(span_of(text.at + at, text.len - at), come - at);
        size_t taken = 0;
        while (bulk_next(&b, there + taken, come - at - taken, &value)) {
            struct seams_view seams = noting ? bulk_seams(&b, value) : SEAMS_NONE;
            cr_assert_eq(value.at, there + taken);
            cr_assert_eq(there[taken + value.len], '\n');
            cr_assert(is_fine(value, noting ? &seams : NULL), "%.*s", (int)value.len, value.at);
            taken += value.len + 1;
            found++;
        }
        struct span rest = span_of(there + taken, come - at - taken);
        bool stuck = b.stuck;
        bool whole = rest.len > 0 && memchr(rest.at, '\n', rest.len);
        cr_assert(stuck || !whole, "it waits, but a line is there: %.*s", (int)rest.len, rest.at);
        free(there);
        at += taken;
        if (stuck || come == text.len) {
            at += pass_line(span_of(text.at + at, text.len - at));
            bulk_restart(&b);
        }
        size_t more = !seed ? text.len : chance(seed, 8) == 0 ? 5000 : chance(seed, 200) + 1;
        come = come < at ? at : come;
        come = text.len - come < more ? text.len : come + more;
    }
    bulk_release(&b);
    return found;
}

static void make_lines(struct buf *text, uint64_t *seed, int hostile)
{
    struct buf line = {0};
    for (uint32_t i = chance(seed, 30); i > 0; i--) {
        buf_reset(&line);
        make_value(&line, seed, 0, hostile > 1 && chance(seed, 3) == 0);
        if (hostile > 0 && chance(seed, 4) == 0) {
            damage(&line, seed);
        }
        buf_add_span(text, buf_span(&line));
        buf_add_byte(text, '\n');
    }
    buf_release(&line);
}

Test(bulk, lines_in_pieces, .timeout = 120)
{
    uint64_t seed = 21;
    struct buf text = {0};
    for (int i = 0; i < 1500; i++) {
        buf_reset(&text);
        make_lines(&text, &seed, i % 3);
        for (int means = BULK_AVX2; means <= BULK_AVX512; means++) {
            find_lines(buf_span(&text), (enum bulk_means)means, i % 2, &seed);
        }
        cr_assert_eq(find_lines(buf_span(&text), BULK_NONE, false, &seed), 0);
    }
    buf_release(&text);
}

/* Nothing that is fine is left to the scanner, but for the last line, whose LF is missing. */
Test(bulk, all_that_is_fine_is_found)
{
    uint64_t seed = 22;
    struct buf text = {0};
    struct bulk b;
    bulk_init(&b, BULK_LINES, DEPTH);
    for (int i = 0; i < 300 && b.means != BULK_NONE; i++) {
        buf_reset(&text);
        make_lines(&text, &seed, 0);
        size_t lines = 0;
        for (size_t at = 0; at < text.len; at++) {
            lines += text.at[at] == '\n';
        }
        cr_assert_eq(find_lines(buf_span(&text), BULK_AVX2, false, NULL), lines);
        cr_assert_eq(find_lines(buf_span(&text), BULK_AVX512, true, NULL), lines);
    }
    buf_release(&text);
}

/* Elements of an array: handed out as far as a comma follows, and it is stuck at the bracket. */
Test(bulk, elements, .timeout = 120)
{
    uint64_t seed = 23;
    struct buf text = {0};
    for (int i = 0; i < 3000; i++) {
        uint32_t count = chance(&seed, 20);
        buf_reset(&text);
        for (uint32_t k = 0; k <= count; k++) {
            make_value(&text, &seed, 1, false);
            buf_add_byte(&text, k < count ? ',' : ']');
        }
        if (i % 3 == 0) {
            damage(&text, &seed);
        }
        struct bulk b;
        struct span value;
        size_t at = 0, found = 0;
        bulk_init(&b, BULK_ELEMENTS, DEPTH);
        b.means = i % 2 && b.means > BULK_AVX2 ? BULK_AVX2 : b.means;
        bool able = b.means != BULK_NONE;
        char *copy = copy_of(buf_span(&text), text.len);
        while (bulk_next(&b, copy + at, text.len - at, &value)) {
            cr_assert(is_fine(value, NULL), "%.*s", (int)value.len, value.at);
            cr_assert(value.at == copy + at && copy[at + value.len] == ',');
            at += value.len + 1;
            found++;
        }
        cr_assert(i % 3 == 0 || !able || (found == count && b.stuck), "%zu of %u: %.*s", found,
                  count, (int)text.len, text.at);
        free(copy);
        bulk_release(&b);
    }
    buf_release(&text);
}

/* Every way to cut a text off, and every byte in every place of it. */
Test(bulk, each_byte_changed, .timeout = 120)
{
    static const char text[] = "{\"a\":[1,-2.5e3,true,{\"b\":null,\"c\":\"x\\u00e9\xC3\xA9\\n\"}],"
                               "\"key\":{\"d\":[],\"e\":{}},\"n\":0}\n[[0],false]\n";
    char copy[sizeof text];
    uint64_t seed = 24;
    for (size_t at = 0; at < sizeof text - 1; at++) {
        for (int c = 0; c < 256; c++) {
            memcpy(copy, text, sizeof text);
            copy[at] = (char)c;
            enum bulk_means means = c % 2 ? BULK_AVX2 : BULK_AVX512;
            find_lines(span_of(copy, sizeof text - 1), means, true, &seed);
        }
    }
}

/* Values longer than a window, strings longer than that, and nesting at and beyond the limit. */
Test(bulk, large_values)
{
    uint64_t seed = 25;
    struct buf text = {0};
    for (int i = 0; i < 12; i++) {
        buf_reset(&text);
        buf_add_text(&text, "{\"s\":\"");
        for (int k = 0; k < 700 * i; k++) {
            buf_add_text(&text, i % 2 ? "plain text" : "\xE6\x96\x87\xF0\x9F\x8E\x89 ");
        }
        buf_add_text(&text, "\",\"list\":[0");
        for (int k = 0; k < 1000 * i; k++) {
            buf_add_text(&text, ",{\"a\":[1]}");
        }
        buf_add_text(&text, "]}\n7\n");
        cr_assert_eq(find_lines(buf_span(&text), BULK_NONE, false, &seed), 0);
        struct bulk b;
        bulk_init(&b, BULK_LINES, DEPTH);
        for (int m = BULK_AVX2; m <= (int)b.means; m++) {
            cr_expect_eq(find_lines(buf_span(&text), (enum bulk_means)m, i % 3 == 0, NULL), 2);
        }
        for (int depth = DEPTH - 1; depth <= DEPTH + 1 && b.means != BULK_NONE; depth++) {
            buf_reset(&text);
            for (int k = 0; k < depth; k++) {
                buf_add_byte(&text, '[');
            }
            for (int k = 0; k < depth; k++) {
                buf_add_byte(&text, ']');
            }
            buf_add_byte(&text, '\n');
            cr_expect_eq(find_lines(buf_span(&text), BULK_AVX512, false, &seed), depth <= DEPTH);
        }
    }
    buf_release(&text);
}
