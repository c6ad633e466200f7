/* What the room result tells about a run: times, durations, failures, figures, texts in a page. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/stamp.h"
#include "result/chart.h"
#include "result/failures.h"
#include "result/figures.h"
#include "result/html.h"
#include "result/sketch.h"
#include "result/stats.h"
#include "result/timeline.h"
#include "result/visible.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void expect_text(const struct buf *b, const char *want, const char *of)
{
    cr_expect(span_equal(buf_span(b), span_text(want)), "%s: got %.*s, expected %s", of,
              (int)b->len, b->at, want);
}

/* ---- times ---- */

/* Seconds by `date -u -d TEXT +%s`. */
static const struct {
    const char *text;
    bool ok;
    int64_t seconds;
    int64_t nanoseconds;
} stamp_rows[] = {
    {"1970-01-01T00:00:00Z", true, 0, 0},
    {"2026-11-30T22:07:39.123Z", true, 1796076459, 123000000},
    {"2024-02-29T23:59:59.999999999Z", true, 1709251199, 999999999},
    {"2024-03-01t00:00:00.0000000009z", true, 1709251200, 0},
    {"2000-12-31 08:00:00+08:00", true, 978220800, 0},
    {"2000-01-01T00:30:00.5+01:00", true, 946683000, 500000000},
    {"2100-03-01T00:00:00-00:30", true, 4107544200, 0},
    {"2016-12-31T23:59:60Z", true, 1483228800, 0},
    {"", false, 0, 0},
    {"2026-11-30", false, 0, 0},
    {"2026-11-30T22:07:39", false, 0, 0},
    {"2026-11-30T22:07Z", false, 0, 0},
    {"2026-13-30T22:07:39Z", false, 0, 0},
    {"2026-00-30T22:07:39Z", false, 0, 0},
    {"2026-11-32T22:07:39Z", false, 0, 0},
    {"2026-11-30T24:07:39Z", false, 0, 0},
    {"2026-11-30T22:07:39.Z", false, 0, 0},
    {"2026-11-30T22:07:39+0100", false, 0, 0},
    {"2026-11-30T22:07:39Z ", false, 0, 0},
    {"1969-12-31T23:59:59Z", false, 0, 0},
    {"2200-01-01T00:00:00Z", false, 0, 0},
    {"rfc3339-format-time-string", false, 0, 0},
};

Test(report, stamps)
{
    for (size_t i = 0; i < COUNT(stamp_rows); i++) {
        int64_t real = -7;
        cr_expect_eq(stamp_read(span_text(stamp_rows[i].text), &real), stamp_rows[i].ok, "%s",
                     stamp_rows[i].text);
        int64_t want = stamp_rows[i].seconds * CLOCK_SECOND + stamp_rows[i].nanoseconds;
        cr_expect_eq(real, stamp_rows[i].ok ? want : -7, "%s: %lld", stamp_rows[i].text,
                     (long long)real);
    }
}

/* ---- durations ---- */

Test(report, sketch_of_few_is_exact)
{
    struct sketch s = {0};
    cr_expect_eq(sketch_quantile(&s, 500), 0);
    static const int64_t values[] = {50, 10, 40, 20, 30};
    for (size_t i = 0; i < COUNT(values); i++) {
        sketch_add(&s, values[i], values[i] == 40);
    }
    /* nearest rank: the smallest value that so many do not exceed */
    static const struct {
        unsigned per_mille;
        int64_t want;
    } rows[] = {{0, 10},   {1, 10},   {200, 10}, {201, 20},  {500, 30},
                {600, 30}, {601, 40}, {800, 40}, {1000, 50}, {990, 50}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        cr_expect_eq(sketch_quantile(&s, rows[i].per_mille), rows[i].want, "%u", rows[i].per_mille);
    }
    static const int64_t edges[] = {10, 20, 45, 50};
    uint64_t all[3];
    uint64_t failed[3];
    sketch_bars(&s, edges, 3, all, failed);
    cr_expect(all[0] == 1 && all[1] == 3 && all[2] == 1, "the last edge counts too");
    cr_expect(failed[0] == 0 && failed[1] == 1 && failed[2] == 0);
    cr_expect(s.min == 10 && s.max == 50 && sketch_is_exact(&s));
    sketch_release(&s);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Of many, each quantile is within 0.8 % of the exact one, whatever their spread. */
Test(report, sketch_of_many_is_close)
{
    enum { VALUES = 50000 };
    int64_t *values = calloc(VALUES, sizeof *values);
    cr_assert(values);
    for (int spread = 1; spread < 60; spread += 7) {
        struct sketch s = {0};
        uint64_t state = 88172645463325252u + (uint64_t)spread;
        for (size_t i = 0; i < VALUES; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            /* all orders of magnitude up to 2^spread */
            values[i] = (int64_t)((state >> 1) >> (63 - 1 - (int)(state % (uint64_t)spread)));
            sketch_add(&s, values[i], false);
        }
        qsort(values, VALUES, sizeof *values, by_value);
        cr_expect_not(sketch_is_exact(&s));
        cr_expect_eq(s.min, values[0]);
        cr_expect_eq(s.max, values[VALUES - 1]);
        for (unsigned per_mille = 1; per_mille <= 1000; per_mille += 37) {
            double want = (double)values[VALUES / 1000 * per_mille - 1];
            double got = (double)sketch_quantile(&s, per_mille);
            cr_expect_leq(fabs(got - want), want * 0.008, "2^%d, %u: %g, not %g", spread, per_mille,
                          got, want);
        }
        sketch_release(&s);
    }
    /* exact where all in a bucket are the same */
    struct sketch s = {0};
    for (int i = 0; i < 10000; i++) {
        sketch_add(&s, i % 10 == 0 ? 123456789 : 7654321, false);
    }
    cr_expect_eq(sketch_quantile(&s, 500), 7654321);
    cr_expect_eq(sketch_quantile(&s, 990), 123456789);
    sketch_release(&s);
    free(values);
}

/* ---- over time ---- */

#define T0 (INT64_C(1796076459) * CLOCK_SECOND)

Test(report, timeline)
{
    struct timeline t = {0};
    struct timeline_bar bars[120];
    /* two at once for 3 s, then one for 1 s; added in no order */
    timeline_add(&t, T0 + 2 * CLOCK_SECOND, T0 + 4 * CLOCK_SECOND, false);
    timeline_add(&t, T0, T0 + 3 * CLOCK_SECOND, true);
    timeline_add(&t, T0, T0 + 2 * CLOCK_SECOND, false);
    cr_expect(t.count == 3 && t.start == T0 && t.stop == T0 + 4 * CLOCK_SECOND);
    struct timeline_bars layout = timeline_layout(&t, 120);
    cr_expect_eq(layout.width, 50 * CLOCK_MILLI, "%lld", (long long)layout.width);
    cr_expect_eq(layout.from, T0);
    cr_expect_eq(layout.count, 81u);
    timeline_fill(&t, &layout, bars);
    for (size_t i = 0; i < layout.count; i++) {
        double want = i < 60 ? 2 : 1;
        cr_expect_float_eq(bars[i].running, want, 1e-6, "bar %zu: %g", i, bars[i].running);
    }
    cr_expect(bars[0].started == 2 && bars[40].started == 1 && bars[40].succeeded == 1);
    cr_expect(bars[60].failed == 1 && bars[80].succeeded == 1);
    timeline_release(&t);
}

/* Whatever the order and the span, nothing is lost, and the area under the bars is the time spent.
 */
Test(report, timeline_keeps_all)
{
    enum { RUNS = 20000 };
    static const int64_t spans[] = {CLOCK_MILLI, 10 * CLOCK_SECOND, 36000 * CLOCK_SECOND,
                                    INT64_C(86400) * 3000 * CLOCK_SECOND};
    struct timeline_bar bars[120];
    for (size_t k = 0; k < COUNT(spans); k++) {
        struct timeline t = {0};
        double busy = 0;
        uint64_t state = 88172645463325252u;
        for (size_t i = 0; i < RUNS; i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            int64_t start = T0 + (int64_t)(state % (uint64_t)spans[k]);
            int64_t length = (int64_t)((state >> 20) % (uint64_t)(spans[k] / 20));
            timeline_add(&t, start, start + length, i % 3 == 0);
            busy += (double)length;
        }
        struct timeline_bars layout = timeline_layout(&t, 120);
        timeline_fill(&t, &layout, bars);
        uint64_t started = 0;
        uint64_t succeeded = 0;
        uint64_t failed = 0;
        double area = 0;
        for (size_t i = 0; i < layout.count; i++) {
            int64_t from = layout.from + layout.width * (int64_t)i;
            int64_t to = from + layout.width;
            from = from > t.start ? from : t.start;
            to = to < t.stop ? to : t.stop;
            started += bars[i].started;
            succeeded += bars[i].succeeded;
            failed += bars[i].failed;
            area += bars[i].running * (double)(to - from);
        }
        cr_expect_leq(layout.count, 120u);
        cr_expect(spans[k] < CLOCK_SECOND || layout.count > 25, "%zu bars", layout.count);
        cr_expect_eq(started, RUNS);
        cr_expect_eq(succeeded + failed, RUNS);
        cr_expect_eq(failed, (RUNS + 2) / 3);
        cr_expect_float_eq(area / busy, 1, 1e-3, "%g", area / busy);
        timeline_release(&t);
    }
}

/* ---- failures ---- */

static struct record a_failure(const char *error, const char *cause, const char *output)
{
    return (struct record){.name = SPAN_LIT("\"r:1\""),
                           .status = SPAN_LIT("\"TimedOut\""),
                           .input = SPAN_LIT("{\"n\":1}"),
                           .output = span_text(output),
                           .error = span_text(error),
                           .cause = span_text(cause),
                           .kind = RECORD_TIMED_OUT,
                           .item_count = 5};
}

Test(report, failures)
{
    static const struct {
        const char *error;
        const char *cause;
        const char *output;
    } rows[] = {
        {"\"A\"", "", "null"},
        {"\"B\\u0021\"", "\"first\\n\"", "null"},
        {"\"B!\"", "\"second\"", "null"},
        {"", "", "{\"ErrorCode\":\"B!\",\"Cause\":\"third\"}"},
        {"", "", "{\"ErrorCode\":7}"},
        {"", "", "[]"},
    };
    struct failures f = {0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct record r = a_failure(rows[i].error, rows[i].cause, rows[i].output);
        failures_add(&f, &r);
    }
    failures_sort(&f);
    cr_assert_eq(f.count, 4u);
    static const char *const codes[] = {"B!", "A", "7", "TimedOut"};
    for (size_t i = 0; i < COUNT(codes); i++) {
        expect_text(&f.list[i].code, codes[i], codes[i]);
    }
    cr_expect(f.list[0].executions == 3 && f.list[0].items == 15 && f.list[0].sample_count == 3);
    expect_text(&f.list[0].cause, "first\n", "the first cause");
    expect_text(&f.list[0].samples[0].input, "{\"n\":1}", "input");
    failures_release(&f);
}

/* However many and long they are, little is kept. */
Test(report, failures_are_bounded)
{
    struct failures f = {0};
    struct buf error = {0};
    for (int i = 0; i < 1000; i++) {
        buf_reset(&error);
        buf_printf(&error, "\"%d", i % 500);
        for (int k = 0; k < 20000; k++) {
            buf_add_text(&error, "\xC3\xA9");
        }
        buf_add_byte(&error, '"');
        struct record r = a_failure("", "", "null");
        r.error = r.cause = r.input = buf_span(&error);
        failures_add(&f, &r);
    }
    cr_expect_eq(f.count, (size_t)FAILURES_MAX);
    cr_expect_eq(f.other_executions, 600u);
    for (size_t i = 0; i < f.count; i++) {
        const struct failure *one = &f.list[i];
        cr_expect_leq(one->code.len, (size_t)FAILURES_CODE);
        cr_expect_leq(one->cause.len, (size_t)FAILURES_CAUSE);
        cr_expect_leq(one->samples[1].input.len, (size_t)FAILURES_INPUT);
        cr_expect(memcmp(one->code.at + one->code.len - 5, "\xC3\xA9\xE2\x80\xA6", 5) == 0,
                  "whole characters, then an ellipsis");
    }
    failures_release(&f);
    buf_release(&error);
}

/* ---- figures ---- */

Test(report, figures)
{
    static const struct {
        int64_t ns;
        const char *want;
    } durations[] = {
        {0, "0 ms"},
        {1000, "0.001 ms"},
        {123456, "0.123 ms"},
        {1500000, "1.5 ms"},
        {12340000, "12.3 ms"},
        {999400000, "999 ms"},
        {999600000, "1 s"},
        {4560000000, "4.56 s"},
        {59940000000, "59.9 s"},
        {59960000000, "1 min"},
        {200 * CLOCK_SECOND, "3 min 20 s"},
        {3599 * CLOCK_SECOND + 600 * CLOCK_MILLI, "1 h"},
        {18420 * CLOCK_SECOND, "5 h 7 min"},
        {51 * 3600 * CLOCK_SECOND, "2 d 3 h"},
    };
    struct buf b = {0};
    for (size_t i = 0; i < COUNT(durations); i++) {
        buf_reset(&b);
        figures_duration(&b, durations[i].ns);
        expect_text(&b, durations[i].want, durations[i].want);
    }
    static const struct {
        uint64_t part;
        uint64_t whole;
        const char *want;
    } shares[] = {
        {0, 0, "0 %"},
        {0, 5, "0 %"},
        {5, 5, "100 %"},
        {1, 3, "33.3 %"},
        {1, 4, "25 %"},
        {1, 100000, "< 0.1 %"},
        {99999, 100000, "> 99.9 %"},
        {999, 1000, "99.9 %"},
    };
    for (size_t i = 0; i < COUNT(shares); i++) {
        buf_reset(&b);
        figures_share(&b, shares[i].part, shares[i].whole);
        expect_text(&b, shares[i].want, shares[i].want);
    }
    static const struct {
        uint64_t n;
        const char *count;
        const char *size;
    } counts[] = {
        {0, "0", "0 bytes"},
        {1, "1", "1 byte"},
        {262, "262", "262 bytes"},
        {1057, "1,057", "1.06 kB"},
        {43915718, "43,915,718", "43.9 MB"},
        {999999, "999,999", "1 MB"},
        {UINT64_MAX, "18,446,744,073,709,551,615", "18.4 EB"},
    };
    for (size_t i = 0; i < COUNT(counts); i++) {
        buf_reset(&b);
        figures_count(&b, counts[i].n);
        expect_text(&b, counts[i].count, counts[i].count);
        buf_reset(&b);
        figures_size(&b, counts[i].n);
        expect_text(&b, counts[i].size, counts[i].size);
    }
    buf_release(&b);
}

Test(report, axes)
{
    static const struct {
        double max;
        bool whole;
        double top;
        size_t ticks;
    } rows[] = {
        {0, true, 1, 2},   {1, true, 1, 2},     {3, true, 3, 4},         {7, true, 8, 5},
        {10, true, 10, 3}, {119, true, 150, 4}, {1000000, true, 1e6, 3}, {0.7, false, 0.8, 5},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct chart_axis a = {0};
        double top = chart_number_axis(&a, rows[i].max, rows[i].whole);
        cr_expect_float_eq(top, rows[i].top, 1e-9, "%g: %g", rows[i].max, top);
        cr_expect_eq(a.count, rows[i].ticks, "%g: %zu", rows[i].max, a.count);
        cr_expect_str_eq(a.ticks[0].label, "0");
    }
    struct chart_axis a = {0};
    chart_time_axis(&a, 0, 230 * CLOCK_SECOND, 0, CLOCK_SECOND);
    cr_assert_eq(a.count, 8u);
    cr_expect_str_eq(a.ticks[7].label, "210");
    cr_expect_float_eq(a.ticks[7].at, 210.0 / 230, 1e-9);
}

/* ---- texts ---- */

static const struct {
    const char *text;
    size_t len;
    const char *line; /* on a terminal */
    const char *html;
} texts[] = {
    {"plain \xC3\xA9 \xF0\x9F\x98\x80", 13, "plain \xC3\xA9 \xF0\x9F\x98\x80",
     "plain \xC3\xA9 \xF0\x9F\x98\x80"},
    {"<a href=\"x\">'&", 14, "<a href=\"x\">'&", "&lt;a href=&quot;x&quot;&gt;&#39;&amp;"},
    {"a\tb\nc", 5, "a\\tb\\nc", "a\tb\nc"},
    {"\0\x1B\x7F", 3, "\\u0000\\u001b\\u007f",
     "<span class=\"escape\">\\u0000</span><span class=\"escape\">\\u001b</span>"
     "<span class=\"escape\">\\u007f</span>"},
    {"\xE2\x80\xAE"
     "x\xE2\x81\xA6",
     7, "\\u202ex\\u2066",
     "<span class=\"escape\">\\u202e</span>x<span class=\"escape\">\\u2066</span>"},
    {"\xF3\xA0\x81\x81", 4, "\\u{e0041}", "<span class=\"escape\">\\u{e0041}</span>"},
    {"\xFF\xC3", 2, "\\ufff9\\ufff9",
     "<span class=\"escape\">\\ufff9</span><span class=\"escape\">\\ufff9</span>"},
    {"", 0, "", ""},
};

Test(report, texts)
{
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct writer w = {.fd = -1, .held = true};
        visible_put(&w, span_of(texts[i].text, texts[i].len));
        struct buf got = {.at = w.at, .len = writer_pending(&w)};
        expect_text(&got, texts[i].line, "on a line");
        writer_rollback(&w);
        html_text(&w, span_of(texts[i].text, texts[i].len), 0);
        got = (struct buf){.at = w.at, .len = writer_pending(&w)};
        expect_text(&got, texts[i].html, "in a page");
        writer_release(&w);
    }
}

/* A text that is cut takes no more than it may, and ends in whole characters. */
Test(report, texts_are_cut)
{
    struct buf text = {0};
    for (int i = 0; i < 1000; i++) {
        buf_add_text(&text, "\xC3\xA9<\x01\"");
    }
    for (size_t max = 100; max < 400; max++) {
        struct writer w = {.fd = -1, .held = true};
        html_text(&w, buf_span(&text), max);
        cr_expect_leq(writer_pending(&w), max);
        cr_expect(memcmp(w.at + w.len - 3, "\xE2\x80\xA6", 3) == 0);
        cr_expect_neq((unsigned char)w.at[w.len - 4], 0xC3);
        writer_release(&w);
    }
    buf_release(&text);
}

Test(report, paths)
{
    struct writer w = {.fd = -1, .held = true};
    html_path(&w, SPAN_LIT("../a b/\xC3\xA9:#%?\"<~.json"));
    struct buf got = {.at = w.at, .len = writer_pending(&w)};
    expect_text(&got, "../a%20b/%C3%A9%3A%23%25%3F%22%3C~.json", "path");
    writer_release(&w);
}
