#include "base/buf.h"
#include "result/catalog.h"
#include "result/counts.h"
#include "result/dest.h"
#include "result/expect.h"
#include "result/files.h"
#include "result/form.h"
#include "result/number.h"
#include "result/order.h"
#include "result/record.h"
#include "result/redrive.h"
#include "result/roster.h"
#include "result/seen.h"
#include "scratch.h"
#include "json/walk.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void expect_span(struct span got, const char *want, const char *of)
{
    cr_expect(span_equal(got, span_text(want)), "%s: got %.*s, expected %s", of, (int)got.len,
              got.at, want);
}

/* ---- record ---- */

#define CORE "\"Input\":1,\"Output\":2,"

struct record_row {
    const char *line;
    int rc;
    enum record_status kind;
    bool has_index;
    uint64_t index;
    uint64_t items;
    const char *run;
};

static const struct record_row record_rows[] = {
    {"{\"ExecutionName\":\"r:7\"," CORE "\"Status\":\"Succeeded\",\"Index\":7}", 0,
     RECORD_SUCCEEDED, true, 7, 1, "r"},
    {"{" CORE "\"Status\":\"Failed\",\"Index\":0,\"ItemCount\":100}", 0, RECORD_FAILED, true, 0,
     100, ""},
    {"{" CORE "\"Status\":\"TimedOut\",\"Index\":549755813887}", 0, RECORD_TIMED_OUT, true,
     UINT64_C(549755813887), 1, ""},
    {"{" CORE "\"Status\":\"Aborted\"}", 0, RECORD_ABORTED, false, 0, 1, ""},
    /* the name states the place where the line does not */
    {"{\"ExecutionName\":\"a:b:12\"," CORE "\"Status\":\"Pending\"}", 0, RECORD_PENDING, true, 12,
     1, "a:b"},
    /* a name that disagrees names no run */
    {"{\"ExecutionName\":\"r:8\"," CORE "\"Status\":\"Aborted\",\"Index\":9}", 0, RECORD_ABORTED,
     true, 9, 1, ""},
    {"{\"ExecutionName\":\":5\"," CORE "\"Status\":\"Aborted\"}", 0, RECORD_ABORTED, false, 0, 1,
     ""},
    {"{\"ExecutionName\":\"r:\"," CORE "\"Status\":\"Aborted\"}", 0, RECORD_ABORTED, false, 0, 1,
     ""},
    /* names are compared decoded, and the last of several counts */
    {"{\"\\u0053tatus\":\"Succee\\u0064ed\",\"Index\":1,\"Index\":2," CORE "\"x\":{\"Index\":3}}",
     0, RECORD_SUCCEEDED, true, 2, 1, ""},
    /* what never ran may have no output */
    {"{\"Input\":1,\"Status\":\"Pending\",\"Index\":3}", 0, RECORD_PENDING, true, 3, 1, ""},
    {"{\"Input\":1,\"Status\":\"Succeeded\",\"Index\":3}", -1, 0, false, 0, 0, ""},
    {"{\"Output\":1,\"Status\":\"Succeeded\",\"Index\":3}", -1, 0, false, 0, 0, ""},
    {"{" CORE "\"Index\":3}", -1, 0, false, 0, 0, ""},
    {"{" CORE "\"Status\":\"SUCCEEDED\"}", -1, 0, false, 0, 0, ""},
    {"{" CORE "\"Status\":null}", -1, 0, false, 0, 0, ""},
    {"{" CORE "\"Status\":\"Failed\",\"FlowName\":7}", -1, 0, false, 0, 0, ""},
    {"{" CORE "\"Status\":\"Failed\",\"Index\":-1}", -1, 0, false, 0, 0, ""},
    {"{" CORE "\"Status\":\"Failed\",\"Index\":1.0}", -1, 0, false, 0, 0, ""},
    {"{" CORE "\"Status\":\"Failed\",\"Index\":\"1\"}", -1, 0, false, 0, 0, ""},
    {"{" CORE "\"Status\":\"Failed\",\"Index\":549755813888}", -1, 0, false, 0, 0, ""},
    {"{" CORE "\"Status\":\"Failed\",\"ItemCount\":18446744073709551616}", -1, 0, false, 0, 0, ""},
    {"[]", -1, 0, false, 0, 0, ""},
    {"null", -1, 0, false, 0, 0, ""},
    {"\"Status\"", -1, 0, false, 0, 0, ""},
};

Test(result, record_rows)
{
    for (size_t i = 0; i < COUNT(record_rows); i++) {
        const struct record_row *row = &record_rows[i];
        struct record r;
        struct err e = {0};
        cr_assert_eq(record_read(&r, span_text(row->line), SEAMS_NONE, &e), row->rc, "%s: %s",
                     row->line, e.text);
        cr_expect_eq(e.code, row->rc ? ERR_DATA : ERR_NONE, "%s", row->line);
        if (row->rc == 0) {
            cr_expect_eq(r.kind, row->kind, "%s", row->line);
            cr_expect_eq(r.has_index, row->has_index, "%s", row->line);
            cr_expect_eq(r.has_index ? r.index : 0, row->index, "%s", row->line);
            cr_expect_eq(r.item_count, row->items, "%s", row->line);
            expect_span(r.run, row->run, row->line);
        }
    }
}

Test(result, record_keeps_bytes)
{
    struct record r;
    struct err e;
    const char *line = "{\"Status\":\"Succeeded\",\"Input\":{\"a\":1.10,\"a\":1e400},"
                       "\"Output\":\"\\ud800\\u0041\",\"FlowName\":\"f\\u00e9\"}";
    cr_assert_eq(record_read(&r, span_text(line), SEAMS_NONE, &e), 0);
    expect_span(r.input, "{\"a\":1.10,\"a\":1e400}", "Input");
    expect_span(r.output, "\"\\ud800\\u0041\"", "Output");
    expect_span(r.flow, "\"f\\u00e9\"", "FlowName");
    expect_span(r.name, "\"\"", "ExecutionName");
    expect_span(r.started, "\"\"", "StartedTime");
}

/* ---- numbers and sets ---- */

Test(result, numbers)
{
    static const struct {
        const char *text;
        bool ok;
        uint64_t n;
    } rows[] = {
        {"0", true, 0},    {"18446744073709551615", true, UINT64_MAX},
        {"007", true, 7},  {"18446744073709551616", false, 0},
        {"", false, 0},    {"99999999999999999999999", false, 0},
        {"-1", false, 0},  {"+1", false, 0},
        {"1e2", false, 0}, {" 1", false, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t n = 0;
        cr_expect_eq(number_read(span_text(rows[i].text), &n), rows[i].ok, "%s", rows[i].text);
        cr_expect_eq(n, rows[i].n, "%s", rows[i].text);
    }
}

Test(result, seen)
{
    struct seen s = {0};
    for (uint64_t i = 0; i < 100000; i++) {
        cr_assert(seen_add(&s, i * 7919 % 100000));
    }
    for (uint64_t i = 0; i < 100000; i++) {
        cr_assert(!seen_add(&s, i));
    }
    /* far apart: neither slow nor large */
    for (int shift = 17; shift < 64; shift++) {
        cr_expect(seen_add(&s, UINT64_C(1) << shift), "%d", shift);
        cr_expect(!seen_add(&s, UINT64_C(1) << shift), "%d", shift);
    }
    cr_expect(seen_add(&s, UINT64_MAX));
    cr_expect(!seen_add(&s, UINT64_MAX));
    cr_expect_lt(s.cap, 1024u);
    seen_release(&s);
}

static struct record a_record(const char *run, uint64_t index, enum record_status kind,
                              uint64_t items)
{
    return (struct record){.name = SPAN_LIT("\"x\""),
                           .run = span_text(run),
                           .kind = kind,
                           .has_index = true,
                           .index = index,
                           .item_count = items};
}

Test(result, roster)
{
    static const struct {
        const char *run;
        uint64_t index;
        int rc;
        size_t place;
    } rows[] = {
        {"a", 0, 1, 0}, {"a", 1, 1, 0}, {"b", 1, 1, 1}, {"a", 1, 0, 0},
        {"b", 0, 1, 1}, {"", 0, 1, 2},  {"", 0, 0, 2},
    };
    struct roster t = {0};
    struct err e = {0};
    struct roster_place place;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct record r = a_record(rows[i].run, rows[i].index, RECORD_SUCCEEDED, 1);
        r.name = SPAN_LIT("\"\"");
        cr_expect_eq(roster_add(&t, &r, &place, &e), rows[i].rc, "row %zu", i);
        cr_expect_eq(place.run, rows[i].place, "row %zu", i);
        cr_expect(rows[i].rc == 0 || place.index == rows[i].index, "row %zu", i);
    }
    /* without an index: new each time, in the order of arrival */
    struct record bare = {.name = SPAN_LIT("\"\""), .run = SPAN_LIT("")};
    for (uint64_t i = 0; i < 3; i++) {
        cr_expect_eq(roster_add(&t, &bare, &place, &e), 1);
        cr_expect_eq(place.run, 3u);
        cr_expect_eq(place.index, i);
    }
    /* unless its name came before */
    struct record named = {.name = SPAN_LIT("\"e-1\""), .run = SPAN_LIT("")};
    cr_expect_eq(roster_add(&t, &named, &place, &e), 1);
    cr_expect_eq(place.index, 3u);
    cr_expect_eq(roster_add(&t, &named, &place, &e), 0);
    named.name = SPAN_LIT("\"e-2\"");
    cr_expect_eq(roster_add(&t, &named, &place, &e), 1);
    cr_expect_eq(place.index, 4u);
    roster_release(&t);
}

Test(result, counts)
{
    static const uint64_t items[RECORD_STATUSES] = {100, 50, 7, 0, 1};
    struct counts c = {0};
    struct err e = {0};
    for (int s = 0; s < RECORD_STATUSES; s++) {
        struct record r = a_record("a", 0, (enum record_status)s, items[s]);
        cr_expect_eq(counts_add(&c, &r, &e), 0);
    }
    cr_expect_eq(counts_total(c.executions), 5u);
    cr_expect_eq(counts_failed(c.executions), 3u);
    cr_expect_eq(counts_ended(c.executions), 4u);
    cr_expect_eq(counts_total(c.items), 158u);
    cr_expect_eq(counts_failed(c.items), 57u);
    struct record huge = a_record("a", 9, RECORD_SUCCEEDED, UINT64_MAX);
    cr_expect_eq(counts_add(&c, &huge, &e), -1);
    cr_expect_eq(counts_total(c.items), 158u);
    cr_expect_eq(counts_total(c.executions), 5u);
}

/* ---- order ---- */

static int append(void *context, struct span text, struct err *e)
{
    (void)e;
    buf_add_span(context, text);
    buf_add_byte(context, ' ');
    return 0;
}

struct order_row {
    const char *put;
    const char *before; /* what has left before order_finish */
    const char *after;
    bool withheld;
};

static const struct order_row order_rows[] = {
    {"", "", "", false},
    {"0 1 2", "0 1 2 ", "0 1 2 ", false},
    {"2 1 0", "0 1 2 ", "0 1 2 ", false},
    {"1 0 3 2", "0 1 2 3 ", "0 1 2 3 ", false},
    {"5 3 0", "0 ", "0 3 5 ", false},
    {"9000 5 500000000000 0 1", "0 1 ", "0 1 5 9000 500000000000 ", false},
    {"5000 4097 1 0 2", "0 1 2 ", "0 1 2 4097 5000 ", false},
    {"2 1 0", "", "0 1 2 ", true},
    {"7 100000 3", "", "3 7 100000 ", true},
};

static void put_all(struct order *o, const char *list)
{
    struct err e = {0};
    char *end;
    for (const char *at = list; *at; at = end + (*end == ' ')) {
        uint64_t index = strtoull(at, &end, 10);
        cr_assert_eq(order_put(o, index, span_of(at, (size_t)(end - at)), &e), 0, "%s", e.text);
    }
}

Test(result, order_rows)
{
    for (size_t i = 0; i < COUNT(order_rows); i++) {
        const struct order_row *row = &order_rows[i];
        struct buf out = {0};
        struct order o;
        struct err e = {0};
        order_init(&o, append, &out, "/tmp");
        o.withheld = row->withheld;
        put_all(&o, row->put);
        expect_span(buf_span(&out), row->before, row->put);
        cr_expect_eq(order_finish(&o, &e), 0, "%s", e.text);
        expect_span(buf_span(&out), row->after, row->put);
        cr_expect_eq(o.spill.held, 0u);
        cr_expect_eq(o.in_memory, 0u);
        order_release(&o);
        buf_release(&out);
    }
}

/* The text of a place: its index and a tail that depends on it, up to 20 KB. */
static void text_of(uint64_t index, struct buf *b)
{
    buf_reset(b);
    buf_add_u64(b, index);
    size_t tail = (size_t)(index * 37 % 20000);
    memset(buf_room(b, tail), (int)('a' + index % 26), tail);
    b->len += tail;
}

struct checker {
    uint64_t next;
    uint64_t wrong;
    struct buf want;
};

static int check_turn(void *context, struct span text, struct err *e)
{
    struct checker *c = context;
    (void)e;
    text_of(c->next++, &c->want);
    c->wrong += !span_equal(text, buf_span(&c->want));
    return 0;
}

/* 20,000 texts, about 200 MB, most of which must wait on disk, and not in memory. */
Test(result, order_spills)
{
    enum { TEXTS = 20000 };
    static const uint64_t steps[] = {TEXTS - 1, 7919, 1};
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct checker c = {0};
        struct buf text = {0};
        struct order o;
        struct err e = {0};
        order_init(&o, check_turn, &c, "/tmp");
        for (uint64_t n = 1; n <= TEXTS; n++) {
            uint64_t index = n * steps[i] % TEXTS; /* backwards; scattered; 0 last */
            text_of(index, &text);
            cr_assert_eq(order_put(&o, index, buf_span(&text), &e), 0, "%s", e.text);
            cr_assert_leq(o.in_memory, ORDER_MEMORY);
        }
        cr_expect_eq(c.next, TEXTS);
        cr_expect_eq(c.wrong, 0u);
        cr_expect_eq(o.spill.end, 0u, "the files are emptied when nothing waits");
        order_release(&o);
        buf_release(&text);
        buf_release(&c.want);
    }
}

Test(result, order_without_folder)
{
    struct buf out = {0};
    struct order o;
    struct err e = {0};
    order_init(&o, append, &out, "/proc/nonexistent");
    cr_expect_eq(order_put(&o, 2, SPAN_LIT("x"), &e), 0, "waits in memory");
    cr_expect_eq(order_put(&o, 1000000, SPAN_LIT("x"), &e), -1);
    cr_expect_eq(e.code, ERR_IO);
    cr_expect_str_eq(e.text, "cannot make a temporary file in /proc/nonexistent: "
                             "No such file or directory");
    order_release(&o);
    buf_release(&out);
}

/* ---- names and destinations ---- */

Test(result, names)
{
    static const struct {
        struct span name;
        bool ok;
    } rows[] = {
        {{"run", 3}, true}, {{"a b:c\"\n", 7}, true}, {{"..a", 3}, true},   {{"\xC3\xA9", 2}, true},
        {{"", 0}, false},   {{".", 1}, false},        {{"..", 2}, false},   {{"a/b", 3}, false},
        {{"/", 1}, false},  {{"a\0b", 3}, false},     {{"\xE9", 1}, false},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        cr_expect_eq(dest_bad_run(rows[i].name) == NULL, rows[i].ok, "row %zu", i);
    }
}

Test(result, destinations)
{
    static const struct {
        const char *dest;
        int rc;
    } rows[] = {
        {"results/", 0}, {"/", 0},        {"a:b", 0},     {"://", 0},
        {"", -1},        {"s3://b/p", 0}, {"oss://b", 0}, {"\xFF", -1},
        {"s3://", -1},   {"s3:///p", -1}, {"gs://b", -1}, {"https://h/p", -1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct err e = {0};
        cr_expect_eq(dest_check(rows[i].dest, &e), rows[i].rc, "%s", rows[i].dest);
        cr_expect_eq(e.code, rows[i].rc ? ERR_USAGE : ERR_NONE);
    }
}

Test(result, places)
{
    static const struct {
        const char *dest;
        const char *url;
        const char *bucket;
        const char *folder;
    } rows[] = {
        {"out//", "out/r", "out", "r"},
        {"/", "//r", "/", "r"},
        {"s3://b", "s3://b/r", "b", "r"},
        {"s3://b/", "s3://b/r", "b", "r"},
        {"oss://b/p/q/", "oss://b/p/q/r", "b", "p/q/r"},
        {"s3://b/p", "s3://b/p/r", "b", "p/r"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct dest_place p;
        dest_place(&p, rows[i].dest, "r");
        cr_expect_str_eq(p.url, rows[i].url);
        cr_expect_str_eq(p.bucket, rows[i].bucket);
        cr_expect_str_eq(p.folder, rows[i].folder);
        dest_place_release(&p);
    }
}

/* ---- the manifest ---- */

Test(result, catalog)
{
    struct catalog c = {0};
    struct err e = {0};
    static const char text[] = "{\"DestinationBucket\":\"b\",\"MapRunName\":\"r\",\"ResultFiles\":{"
                               "\"FAILED\":[{\"ObjectName\":\"p/r/FAILED_7.json\",\"Size\":262}],"
                               "\"PENDING\":[{\"ObjectName\":\"p/r/PENDING_0.jsonl\",\"Size\":0}],"
                               "\"SUCCEED\":[]},\"RedriveCount\":3}";
    cr_assert_eq(catalog_read(&c, span_text(text), &e), 0, "%s", e.text);
    cr_expect_str_eq(c.folder, "p/r");
    struct writer w = {.fd = -1, .held = true};
    catalog_put(&c, &w);
    expect_span(span_of(w.at, w.ready), text, "what is read is what was written");
    writer_release(&w);

    static const struct {
        enum catalog_kind kind;
        bool lines;
        const char *name;
    } next[] = {{CATALOG_FAILED, false, "FAILED_8.json"},
                {CATALOG_PENDING, true, "PENDING_1.jsonl"},
                {CATALOG_SUCCEED, false, "SUCCEED_0.json"}};
    for (size_t i = 0; i < COUNT(next); i++) {
        char *name = catalog_next_name(&c, next[i].kind, next[i].lines);
        cr_expect_str_eq(name, next[i].name);
        free(name);
    }
    struct catalog old = {0};
    catalog_move(&old, &c, CATALOG_FAILED);
    char *name = catalog_next_name(&c, CATALOG_FAILED, false);
    cr_expect_str_eq(name, "FAILED_8.json", "a name is not given twice");
    free(name);
    size_t count;
    const char **names = catalog_names(&old, &count);
    cr_expect(count == 1 && catalog_is_among(names, count, "FAILED_7.json") &&
              !catalog_is_among(names, count, "FAILED_8.json"));
    free(names);
    catalog_release(&old);
    catalog_release(&c);
}

Test(result, catalog_refuses)
{
#define LISTS(text) "{\"DestinationBucket\":\"b\",\"MapRunName\":\"r\",\"ResultFiles\":" text "}"
    static const char *const rows[] = {
        "",
        "{",
        "[]",
        "{\"MapRunName\":\"r\",\"ResultFiles\":{}}",
        "{\"DestinationBucket\":\"b\",\"ResultFiles\":{}}",
        LISTS("[]"),
        LISTS("{\"FAILED\":{}}"),
        LISTS("{\"FAILED\":[1]}"),
        LISTS("{\"FAILED\":[{\"ObjectName\":\"SUCCEED_0.json\",\"Size\":1}]}"),
        LISTS("{\"FAILED\":[{\"ObjectName\":\"FAILED_0.json/..\",\"Size\":1}]}"),
        LISTS("{\"FAILED\":[{\"ObjectName\":\"FAILED_.json\",\"Size\":1}]}"),
        LISTS("{\"FAILED\":[{\"ObjectName\":\"FAILED_99999999999999999999.json\",\"Size\":1}]}"),
        LISTS("{\"FAILED\":[{\"ObjectName\":\"FAILED_0.json\"}]}"),
        LISTS("{\"FAILED\":[{\"ObjectName\":\"FAILED_0.json\",\"Size\":-1}]}"),
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct catalog c = {0};
        struct err e = {0};
        cr_expect_eq(catalog_read(&c, span_text(rows[i]), &e), -1, "%s", rows[i]);
        cr_expect(e.code == ERR_DATA && e.text[0], "%s", rows[i]);
        catalog_release(&c);
    }
}

/* ---- forms ---- */

Test(result, forms)
{
    static const char line[] =
        "{\"ExecutionName\":\"r:0\",\"Index\":0,\"Input\":\"a\",\"Output\":[1,[2],{}],"
        "\"Status\":\"Succeeded\",\"StartedTime\":\"t\"}";
    static const char seven[] =
        "{\"ExecutionName\":\"r:0\",\"FlowName\":\"\",\"Input\":\"\\\"a\\\"\",\"Output\":"
        "\"[1,[2],{}]\",\"Status\":\"Succeeded\",\"StartedTime\":\"t\",\"StoppedTime\":\"\"}";
    static const struct {
        struct form form;
        enum record_status kind;
        const char *want;
    } rows[] = {
        {{.records = FORM_CLOUDFLOW}, RECORD_SUCCEEDED, seven},
        {{.records = FORM_FULL}, RECORD_SUCCEEDED, line},
        {{.transform = FORM_COMPACT}, RECORD_SUCCEEDED, "[1,[2],{}]"},
        {{.transform = FORM_FLATTEN}, RECORD_SUCCEEDED, "1,[2],{}"},
        {{.transform = FORM_FLATTEN, .lines = true}, RECORD_SUCCEEDED, "1\n[2]\n{}"},
        {{.transform = FORM_FLATTEN}, RECORD_FAILED, seven},
        {{.transform = FORM_COMPACT, .records = FORM_FULL}, RECORD_PENDING, line},
        {{.transform = FORM_COMPACT, .outputs_only = true}, RECORD_FAILED, "[1,[2],{}]"},
    };
    struct buf scratch = {0};
    struct record r;
    struct err e = {0};
    cr_assert_eq(record_read(&r, span_text(line), SEAMS_NONE, &e), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        r.kind = rows[i].kind;
        expect_span(form_of(&rows[i].form, &r, span_text(line), &scratch), rows[i].want, "form");
    }
    r.kind = RECORD_SUCCEEDED;
    r.output = SPAN_LIT("[]");
    struct form flat = {.transform = FORM_FLATTEN};
    expect_span(form_of(&flat, &r, span_text(line), &scratch), "", "nothing of an empty array");
    buf_release(&scratch);
}

/* ---- re-driving ---- */

/* A digit is the Index of a record, the letter behind it its Input; "-" has no Index. */
static struct record driven(const char *text, struct buf *input)
{
    buf_reset(input);
    buf_printf(input, "\"%c\"", text[1]);
    return (struct record){.name = SPAN_LIT("\"x\""),
                           .input = buf_span(input),
                           .has_index = text[0] != '-',
                           .index = text[0] == '-' ? 0 : (uint64_t)(text[0] - '0'),
                           .kind = RECORD_SUCCEEDED};
}

Test(result, redrive_rows)
{
    static const struct {
        const char *before; /* what did not succeed */
        const char *now;    /* what came then; "!" before it: it belongs to nothing */
        const char *took;   /* for each of BEFORE which of NOW took its place, from 0; "." none */
    } rows[] = {
        {"", "!0a", ""},
        {"0a", "", "."},
        {"0a 1b 2c", "0c 1b 2a", "2 1 0"},
        {"3a 4a 5a", "0a 1a 2a", "0 1 2"},
        {"3a 4a 5a", "5a 9a 3a !9a", "1 2 0"},
        {"-a -a", "0a 1a !2a", "0 1"},
        {"1a 3a", "1a 1a !1a", "0 1"},
        {"1a 2b 1a", "-a 1a", "0 . 1"},
        {"0a 0a 0b", "0b 0a !0c", "1 . 0"},
    };
    struct buf input = {0};
    struct buf line = {0};
    struct buf got = {0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct redrive d;
        struct err e = {0};
        redrive_init(&d, "/tmp");
        for (const char *at = rows[i].before; *at; at += 2 + (at[2] == ' ')) {
            struct record r = driven(at, &input);
            cr_assert_eq(redrive_expect(&d, &r, &e), 0, "%s", e.text);
        }
        redrive_ready(&d);
        int number = 0;
        for (const char *at = rows[i].now; *at; at += 2 + (at[2] == ' '), number++) {
            bool foreign = *at == '!';
            at += foreign;
            struct record r = driven(at, &input);
            buf_reset(&line);
            buf_printf(&line, "{\"N\":%d}", number);
            cr_expect_eq(redrive_take(&d, &r, buf_span(&line), &e), !foreign, "row %zu: %s", i, at);
        }
        buf_reset(&got);
        for (const char *at = rows[i].before; *at; at += 2 + (at[2] == ' ')) {
            struct record r = driven(at, &input);
            struct span n = {0};
            buf_add_text(&got, got.len > 0 ? " " : "");
            int rc = redrive_result(&d, &r, &line, &e);
            cr_assert_geq(rc, 0);
            bool found = rc > 0 && walk_member(buf_span(&line), SPAN_LIT("N"), &n);
            buf_add_span(&got, found ? n : SPAN_LIT("."));
        }
        expect_span(buf_span(&got), rows[i].took, rows[i].now);
        redrive_release(&d);
    }
    buf_release(&input);
    buf_release(&line);
    buf_release(&got);
}

Test(result, redrive_line)
{
    static const struct {
        const char *old;
        const char *now;
        const char *want;
    } rows[] = {
        {"{\"ExecutionName\":\"r:3\",\"Index\":3,\"Input\":1,\"Status\":\"Pending\"}",
         "{\"ExecutionName\":\"s:0\",\"FlowName\":\"f\",\"Index\":0,\"Input\":1,\"Output\":1.10,"
         "\"Status\":\"Succeeded\",\"Attempts\":2}",
         "{\"ExecutionName\":\"r:3\",\"FlowName\":\"f\",\"Index\":3,\"Input\":1,\"Output\":1.10,"
         "\"Status\":\"Succeeded\",\"Attempts\":2,\"RedriveCount\":1}"},
        /* what was re-driven before, in another order of members, without a place of its own */
        {"{\"Status\":\"Pending\",\"Input\":1,\"ExecutionName\":\"e\",\"Index\":5,\"RedriveCount\":"
         "4}",
         "{\"RedriveCount\":9,\"Status\":\"Failed\",\"Output\":2,\"Input\":1}",
         "{\"ExecutionName\":\"e\",\"Status\":\"Failed\",\"Output\":2,\"Input\":1,\"Index\":5,"
         "\"RedriveCount\":5}"},
        {"{\"Status\":\"Pending\",\"Input\":1}",
         "{\"ExecutionName\":\"s:7\",\"Index\":7,\"Input\":1,\"Output\":2,\"Status\":\"Failed\"}",
         "{\"ExecutionName\":\"\",\"Input\":1,\"Output\":2,\"Status\":\"Failed\",\"RedriveCount\":"
         "1}"},
    };
    struct buf line = {0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct redrive d;
        struct record old;
        struct record now;
        struct err e = {0};
        redrive_init(&d, "/tmp");
        cr_assert_eq(record_read(&old, span_text(rows[i].old), SEAMS_NONE, &e), 0, "%s", e.text);
        cr_assert_eq(record_read(&now, span_text(rows[i].now), SEAMS_NONE, &e), 0, "%s", e.text);
        cr_assert_eq(redrive_expect(&d, &old, &e), 0);
        redrive_ready(&d);
        cr_assert_eq(redrive_take(&d, &now, span_text(rows[i].now), &e), 1);
        cr_assert_eq(redrive_result(&d, &old, &line, &e), 1);
        expect_span(buf_span(&line), rows[i].want, rows[i].now);
        redrive_release(&d);
    }
    buf_release(&line);
}

/* Many of one Input cost no more than many of different ones. */
Test(result, redrive_many, .timeout = 60)
{
    enum { MANY = 200000 };
    struct redrive d;
    struct err e = {0};
    struct record r = {.name = SPAN_LIT("\"x\""), .input = SPAN_LIT("null"), .has_index = true};
    redrive_init(&d, "/tmp");
    for (uint64_t i = 0; i < MANY; i++) {
        r.index = i;
        cr_assert_eq(redrive_expect(&d, &r, &e), 0);
    }
    redrive_ready(&d);
    r.kind = RECORD_PENDING; /* nothing is kept of it */
    for (uint64_t i = 0; i < MANY; i++) {
        r.index = i % 2 ? i : MANY + i;
        cr_assert_eq(redrive_take(&d, &r, SPAN_LIT("{}"), &e), 1);
    }
    for (int i = 0; i < MANY; i++) {
        cr_assert_eq(redrive_take(&d, &r, SPAN_LIT("{}"), &e), 0);
    }
    redrive_release(&d);
}

/* ---- expect ---- */

static const struct {
    const char *text;
    int rc;
    uint64_t count;
} expect_rows[] = {
    {"{\"FailedValue\":4,\"fragment.identifier\":\"r\",\"fragment.count\":5}\n", 0, 5},
    {"{ \"fragment.count\" : 0 }", 0, 0},
    {"{\"fragment.count\":7916}\n{\"fanline.end\":{\"status\":0,\"items\":1,\"rejected\":0}}\n", 0,
     7916},
    {"", -1, 0},
    {"{\"fragment\":{\"count\":5}}\n", -1, 0},
    {"{\"fragment.count\":\"5\"}\n", -1, 0},
    {"{\"fragment.count\":5.0}\n", -1, 0},
    {"{\"fragment.count\":-5}\n", -1, 0},
    {"{\"fragment.count\":5}\n{\"fragment.count\":5}\n", -1, 0},
    {"{\"fragment.count\":5\n", -1, 0},
    {"5\n", -1, 0},
};

Test(result, expect_rows)
{
    struct lines_rules rules = {.max_depth = SCAN_DEPTH_DEFAULT,
                                .max_item_bytes = LINES_ITEM_DEFAULT};
    char path[SCRATCH_MAX];
    int fd = mkstemp(scratch_name(path));
    cr_assert_geq(fd, 0);
    for (size_t i = 0; i < COUNT(expect_rows); i++) {
        FILE *file = fopen(path, "w");
        cr_assert(file);
        fputs(expect_rows[i].text, file);
        cr_assert_eq(fclose(file), 0);
        uint64_t count = 0;
        struct err e = {0};
        cr_expect_eq(expect_read(path, &rules, &count, &e), expect_rows[i].rc, "%s: %s",
                     expect_rows[i].text, e.text);
        cr_expect_eq(count, expect_rows[i].count, "%s", expect_rows[i].text);
    }
    remove(path);
    uint64_t count;
    struct err e = {0};
    cr_expect_eq(expect_read("12", &rules, &count, &e), 0);
    cr_expect_eq(count, 12u);
    cr_expect_eq(expect_read("12x/none", &rules, &count, &e), -1);
    cr_expect_eq(e.code, ERR_IO);
}
