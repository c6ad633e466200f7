#include "base/clock.h"
#include "base/mem.h"
#include "run/argv.h"
#include "run/capture.h"
#include "run/control.h"
#include "run/dry.h"
#include "run/inorder.h"
#include "run/ledger.h"
#include "run/median.h"
#include "run/outcome.h"
#include "run/pace.h"
#include "run/retry.h"
#include "run/tail.h"
#include "run/throttle.h"
#include "run/timeout.h"
#include "run/variables.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* Render ARG, with MARK, for ITEM at index 41 in slot 3; the text, or the error's. The caller
 * frees. */
static char *render(const char *arg, const char *mark, const char *item, struct err *e)
{
    char *args[] = {mem_text(arg), NULL};
    struct argv_template t = {0};
    struct argv out = {0};
    struct argv_values values = {.item = span_text(item), .index = 41, .slot = 3};
    char *text = NULL;
    if (argv_parse(&t, args, 1, mark, e) == 0 && argv_render(&t, &values, &out, e) == 0) {
        cr_expect_null(out.at[1]);
        text = mem_text(out.at[0]);
    }
    argv_free(&out);
    argv_release(&t);
    free(args[0]);
    return text;
}

Test(run, argv_marks)
{
    static const struct {
        const char *arg, *mark, *item, *expected;
    } rows[] = {
        {"{}", "{}", "{\"a\":1.10}", "{\"a\":1.10}"},
        {"{}", "{}", "\"it's \\\"quoted\\\"\\n$(x)\"", "it's \"quoted\"\n$(x)"},
        {"{}", "{}", "\"\"", ""},
        {"a{}b{}c", "{}", "7", "a7b7c"},
        {"{.name}", "{}", "{\"name\":\"x y\"}", "x y"},
        {"--n={.n} {.deep[1].x}", "{}", "{\"n\":1e400,\"deep\":[0,{\"x\":[1,2]}]}",
         "--n=1e400 [1,2]"},
        {"{$Item.n}{$Item}", "{}", "{\"n\":5}", "5{\"n\":5}"},
        {"{$Item[\"a }b\"]}", "{}", "{\"a }b\":9}", "9"},
        {"{.a?}", "{}", "{}", "null"},
        {"{#}/{%}", "{}", "1", "41/3"},
        {"{#", "{}", "1", "{#"},
        /* what looks similar is left alone */
        {"{print $1} {a} {.*} {} { } {$1}", "{}", "1", "{print $1} {a} {.*} 1 { } {$1}"},
        {"{\"a\":1}", "{}", "1", "{\"a\":1}"},
        {"{.open", "{}", "1", "{.open"},
        {"plain", "{}", "1", "plain"},
        {"", "{}", "1", ""},
        /* other marks */
        {"% {} {.a}", "%", "3", "3 {} {.a}"},
        {"<.a> <> <#> {}", "<>", "{\"a\":\"z\"}", "z {\"a\":\"z\"} 41 {}"},
        {"{{.a}} {.a} {{}}", "{{}}", "{\"a\":2}", "2 {.a} {\"a\":2}"},
        {"{} {.a} {#}", NULL, "1", "{} {.a} {#}"},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct err e = {0};
        char *got = render(rows[i].arg, rows[i].mark, rows[i].item, &e);
        cr_assert_not_null(got, "%s: %s", rows[i].arg, e.text);
        cr_expect_str_eq(got, rows[i].expected, "%s: %s", rows[i].arg, got);
        free(got);
    }
}

Test(run, argv_errors)
{
    static const struct {
        const char *arg, *mark, *item;
        enum err_code code;
    } rows[] = {
        {"{.gone}", "{}", "{\"a\":1}", ERR_DATA},
        {"{.a}", "{}", "[1]", ERR_DATA},
        {"{}", "{}", "\"nul \\u0000 here\"", ERR_DATA},
        {"{.a b}", "{}", "{}", ERR_USAGE},
        {"{$Item.}", "{}", "{}", ERR_USAGE},
        {"x", "", "1", ERR_USAGE},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct err e = {0};
        char *got = render(rows[i].arg, rows[i].mark, rows[i].item, &e);
        cr_expect_null(got, "%s: %s", rows[i].arg, got);
        cr_expect_eq(e.code, rows[i].code, "%s: %s", rows[i].arg, e.text);
    }
}

Test(run, retry_rules)
{
    static const struct {
        const char *text;
        uint32_t max_retries;
        int64_t first, third; /* milliseconds before the first and the third retry */
    } rows[] = {
        {"*", 3, 1000, 4000},
        {"*:MaxAttempts=0", 0, 1000, 4000},
        {"A,B:MaxAttempts=5,IntervalSeconds=2,BackoffRate=1", 5, 2000, 2000},
        {"A:IntervalSeconds=0.5,BackoffRate=3", 3, 500, 4500},
        {"A:IntervalSeconds=10,MaxDelaySeconds=15", 3, 10000, 15000},
        {"A:IntervalSeconds=10,MaxDelaySeconds=5,Jitter=none", 3, 5000, 5000},
        {"A:IntervalSeconds=0", 3, 0, 0},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct retry_policy p = {0};
        struct err e = {0};
        cr_assert_eq(retry_add(&p, span_text(rows[i].text), &e), 0, "%s", e.text);
        const struct retry_rule *r = &p.rules[0];
        cr_expect_eq(r->max_retries, rows[i].max_retries, "%s", rows[i].text);
        cr_expect_eq(retry_delay(r, 1, 0) / CLOCK_MILLI, rows[i].first, "%s", rows[i].text);
        cr_expect_eq(retry_delay(r, 3, 0) / CLOCK_MILLI, rows[i].third, "%s", rows[i].text);
        retry_release(&p);
    }
    static const char *const bad[] = {"",
                                      ":MaxAttempts=1",
                                      "*:MaxAttempts=-1",
                                      "*:MaxAttempts=x",
                                      "*:Tries=1",
                                      "*:BackoffRate=0.5",
                                      "*:BackoffRate=0x2",
                                      "*:BackoffRate=",
                                      "*:Jitter=half",
                                      "*:IntervalSeconds=1s",
                                      "*:MaxAttempts"};
    for (size_t i = 0; i < ROWS(bad); i++) {
        struct retry_policy p = {0};
        struct err e = {0};
        cr_expect_eq(retry_add(&p, span_text(bad[i]), &e), -1, "%s", bad[i]);
        cr_expect_eq(e.code, ERR_USAGE);
        retry_release(&p);
    }
}

Test(run, retry_choice)
{
    struct retry_policy p = {0};
    struct err e = {0};
    retry_add(&p, SPAN_LIT("Timeout,ExitCode.3:MaxAttempts=0"), &e);
    retry_add(&p, SPAN_LIT("FnF.ALLL"), &e);
    retry_add(&p, SPAN_LIT("FnF.ALL:Jitter=full"), &e);
    cr_expect_eq(retry_owner(&p, SPAN_LIT("Timeout")), 0, "the first that matches owns");
    cr_expect_eq(retry_owner(&p, SPAN_LIT("ExitCode.3")), 0);
    cr_expect_eq(retry_owner(&p, SPAN_LIT("ExitCode.33")), 2);
    cr_expect_eq(retry_owner(&p, SPAN_LIT("FnF.ALLL")), 1, "a misspelt wildcard is just a name");
    p.count = 2;
    cr_expect_eq(retry_owner(&p, SPAN_LIT("other")), RETRY_NONE);
    p.count = 3;
    const struct retry_rule *r = &p.rules[2];
    cr_expect_eq(retry_delay(r, 1, 0), 0);
    cr_expect(retry_delay(r, 1, UINT64_MAX) <= CLOCK_SECOND);
    cr_expect(retry_delay(r, 1, UINT64_MAX) > CLOCK_SECOND * 99 / 100);
    cr_expect(retry_delay(r, 100000, UINT64_MAX) > 0, "no overflow");
    retry_release(&p);
}

Test(run, items_of_a_line)
{
    static const struct {
        const char *item;
        enum run_items mode;
        uint64_t count;
        bool good;
    } rows[] = {
        {"5", RUN_ITEMS_AUTO, 1, true},
        {"[1,2]", RUN_ITEMS_AUTO, 1, true},
        {"{\"Items\":[1,[2],{}]}", RUN_ITEMS_AUTO, 3, true},
        {"{\"BatchInput\":{},\"Items\":[1,2]}", RUN_ITEMS_AUTO, 2, true},
        {"{\"Items\":[]}", RUN_ITEMS_AUTO, 0, true},
        {"{\"Items\":[1,2],\"more\":1}", RUN_ITEMS_AUTO, 1, true},
        {"{\"Items\":3}", RUN_ITEMS_AUTO, 1, true},
        {"{\"Items\":[1,2]}", RUN_ITEMS_ONE, 1, true},
        {"{\"Items\":[1,2],\"more\":1}", RUN_ITEMS_BATCH, 2, true},
        {"{\"more\":1}", RUN_ITEMS_BATCH, 1, false},
        {"[1,2]", RUN_ITEMS_BATCH, 1, false},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        uint64_t count;
        bool good = outcome_count_items(span_text(rows[i].item), rows[i].mode, &count);
        cr_expect_eq(good, rows[i].good, "%s", rows[i].item);
        cr_expect(!good || count == rows[i].count, "%s", rows[i].item);
    }
}

Test(run, outputs)
{
    static const struct {
        const char *said;
        enum run_format format;
        bool good;
        const char *written;
    } rows[] = {
        {"1.10\n", RUN_AUTO, true, "1.10"},
        {" {\"a\" : [1, 2]}\r\n\n", RUN_AUTO, true, "{\"a\":[1,2]}"},
        {"{\"s\":\"a b\"}", RUN_AUTO, true, "{\"s\":\"a b\"}"},
        {"hello\n", RUN_AUTO, true, "\"hello\""},
        {"1\n2\n", RUN_AUTO, true, "\"1\\n2\""},
        {"two\n\n", RUN_AUTO, true, "\"two\\n\""},
        {"", RUN_AUTO, true, "\"\""},
        {"\n", RUN_AUTO, true, "\"\""},
        {"{\"cut\":", RUN_AUTO, true, "\"{\\\"cut\\\":\""},
        {"a\377b", RUN_AUTO, true,
         "\"a\xEF\xBF\xBD"
         "b\""},
        {"[1]", RUN_TEXT, true, "\"[1]\""},
        {"[ 1 ]", RUN_JSON, true, "[1]"},
        {"nope", RUN_JSON, false, NULL},
        {"", RUN_JSON, false, NULL},
        {"x", RUN_NONE, true, "null"},
    };
    struct run_rules rules = {.name = SPAN_LIT("r"), .flow = SPAN_LIT("f")};
    struct outcome_names names;
    struct scan scan;
    scan_init(&scan, SCAN_DEPTH_DEFAULT);
    outcome_names_make(&names, &rules);
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct outcome o = {0};
        struct writer w = {.fd = -1, .held = true};
        bool good = outcome_take_output(&o, span_text(rows[i].said), rows[i].format, &scan);
        cr_expect_eq(good, rows[i].good, "%s", rows[i].said);
        if (good) {
            outcome_put(&w, &o, &names, RUN_EMIT_OUTPUT, &scan);
            cr_expect_eq(w.len, strlen(rows[i].written) + 1);
            cr_expect_eq(memcmp(w.at, rows[i].written, w.len - 1), 0, "%s", rows[i].said);
        }
        writer_release(&w);
    }
    outcome_names_release(&names);
    scan_release(&scan);
}

/* Members and their order: design, "Emits a record per item". */
Test(run, records)
{
    struct run_rules rules = {.name = SPAN_LIT("r\"1"), .flow = SPAN_LIT("flow")};
    struct outcome_names names;
    struct scan scan;
    struct writer w = {.fd = -1, .held = true};
    scan_init(&scan, SCAN_DEPTH_DEFAULT);
    outcome_names_make(&names, &rules);
    struct outcome good = {.index = 12,
                           .item_count = 3,
                           .attempts = 2,
                           .input = SPAN_LIT("{\"k\":1.0}"),
                           .kind = OUTPUT_JSON,
                           .output = SPAN_LIT("[]"),
                           .exit_code = 0,
                           .started = INT64_C(1796000000123000000),
                           .stopped = INT64_C(1796000001000000000)};
    struct outcome bad = {.status = OUTCOME_FAILED,
                          .kind = OUTPUT_ERROR,
                          .input = SPAN_LIT("0"),
                          .code = SPAN_LIT("\"Signal.KILL\""),
                          .cause = SPAN_LIT("it \"died\""),
                          .exit_code = -1,
                          .signal = 9,
                          .item_count = 1,
                          .attempts = 1};
    struct outcome never = {.status = OUTCOME_PENDING, .input = SPAN_LIT("0"), .exit_code = -1};
    outcome_put(&w, &good, &names, RUN_EMIT_RECORD, &scan);
    outcome_put(&w, &bad, &names, RUN_EMIT_RECORD, &scan);
    outcome_put(&w, &never, &names, RUN_EMIT_RECORD, &scan);
    static const char expected[] =
        "{\"ExecutionName\":\"r\\\"1:12\",\"FlowName\":\"flow\",\"Index\":12,\"Input\":{\"k\":1.0},"
        "\"Output\":[],\"Status\":\"Succeeded\",\"StartedTime\":\"2026-11-30T00:53:20.123Z\","
        "\"StoppedTime\":\"2026-11-30T00:53:21.000Z\",\"Attempts\":2,\"ItemCount\":3}\n"
        "{\"ExecutionName\":\"r\\\"1:0\",\"FlowName\":\"flow\",\"Index\":0,\"Input\":0,"
        "\"Output\":{\"ErrorCode\":\"Signal.KILL\"},\"Status\":\"Failed\",\"StartedTime\":\"\","
        "\"StoppedTime\":\"\",\"Attempts\":1,\"ItemCount\":1,\"ErrorCode\":\"Signal.KILL\","
        "\"Cause\":\"it \\\"died\\\"\",\"Signal\":\"KILL\"}\n"
        "{\"ExecutionName\":\"r\\\"1:0\",\"FlowName\":\"flow\",\"Index\":0,\"Input\":0,"
        "\"Output\":null,\"Status\":\"Pending\",\"StartedTime\":\"\",\"StoppedTime\":\"\","
        "\"Attempts\":0,\"ItemCount\":0}\n";
    writer_put_byte(&w, '\0');
    cr_expect_str_eq(w.at, expected, "%s", w.at);
    writer_release(&w);
    outcome_names_release(&names);
    scan_release(&scan);
}

/* The numbers in the order they come, and what has left after each. */
Test(run, order_is_kept)
{
    struct inorder o = {0};
    struct writer w = {.fd = -1, .held = true};
    static const struct {
        uint64_t number;
        const char *left;
    } rows[] = {{2, ""}, {1, ""}, {0, "0;1;2;"}, {3, "0;1;2;3;"}, {40, "0;1;2;3;"}};
    for (size_t i = 0; i < ROWS(rows); i++) {
        writer_put_u64(&w, rows[i].number);
        writer_put_byte(&w, ';');
        cr_assert_eq(inorder_add(&o, rows[i].number, &w, NULL), 0);
        cr_expect_eq(w.ready, strlen(rows[i].left));
        cr_expect_eq(w.len, w.ready, "nothing half done");
        cr_expect_eq(memcmp(w.at, rows[i].left, w.ready), 0);
    }
    for (uint64_t n = 39; n >= 4; n--) {
        writer_put_u64(&w, n);
        writer_put_byte(&w, ';');
        cr_assert_eq(inorder_add(&o, n, &w, NULL), 0);
    }
    cr_expect_eq(o.kept, 0);
    cr_expect_eq(o.next, 41);
    cr_expect_eq(memcmp(w.at + w.ready - 6, "39;40;", 6), 0);
    inorder_release(&o);
    writer_release(&w);
}

Test(run, large_output_goes_to_a_file)
{
    struct capture c = {0};
    struct err e = {0};
    int ends[2];
    char piece[50000];
    cr_assert_eq(pipe2(ends, O_NONBLOCK), 0);
    cr_expect_eq(capture_read(&c, ends[0], "/tmp", &e), CAPTURE_WAIT);
    for (size_t i = 0; i < 60; i++) {
        memset(piece, (int)('a' + i % 26), sizeof piece);
        cr_assert_eq(write(ends[1], piece, sizeof piece), (ssize_t)sizeof piece);
        cr_assert_eq(capture_read(&c, ends[0], "/tmp", &e), CAPTURE_MORE);
    }
    close(ends[1]);
    cr_expect_eq(capture_read(&c, ends[0], "/tmp", &e), CAPTURE_END);
    cr_expect(c.has_file);
    cr_expect(c.memory.cap < 4 * CAPTURE_MEMORY);
    struct span all;
    cr_assert_eq(capture_all(&c, &all, &e), 0);
    cr_assert_eq(all.len, 60 * sizeof piece);
    for (size_t i = 0; i < all.len; i += 49999) {
        cr_expect_eq(all.at[i], (char)('a' + i / sizeof piece % 26));
    }
    capture_reset(&c);
    cr_expect_eq(capture_all(&c, &all, &e), 0);
    cr_expect_eq(all.len, 0);

    /* no room for a file */
    cr_assert_eq(pipe2(ends, O_NONBLOCK), 0);
    enum capture_read got = CAPTURE_MORE;
    while (got == CAPTURE_MORE) {
        cr_assert(write(ends[1], piece, sizeof piece) > 0);
        got = capture_read(&c, ends[0], "/no/such/folder", &e);
    }
    cr_expect_eq(got, CAPTURE_FAILED);
    cr_expect_eq(e.code, ERR_IO);
    capture_release(&c);
}

static void say(int fd, struct tail *t, struct writer *w, int from, const char *text)
{
    bool more;
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    cr_expect(tail_read(t, from, w, &more));
}

Test(run, complaints_are_passed_on_and_kept)
{
    struct tail t = {0};
    struct writer w = {.fd = -1, .held = true};
    int ends[2];
    cr_assert_eq(pipe2(ends, O_NONBLOCK), 0);
    say(ends[1], &t, &w, ends[0], "one\ntw");
    cr_expect_eq(w.ready, 4, "whole lines only");
    say(ends[1], &t, &w, ends[0], "o\nthree");
    cr_expect_eq(w.ready, 8);
    cr_expect(span_equal(tail_kept(&t), SPAN_LIT("one\ntwo\nthree")));
    tail_finish(&t, &w);
    cr_expect_eq(w.ready, 14, "the last line gets its end");
    tail_reset(&t);
    char line[101];
    for (int i = 0; i < 100; i++) {
        memset(line, '0' + i % 10, 100);
        line[99] = '\n';
        line[100] = '\0';
        say(ends[1], &t, &w, ends[0], line);
    }
    struct span kept = tail_kept(&t);
    cr_expect(kept.len > TAIL_KEPT - 200 && kept.len <= TAIL_KEPT);
    cr_expect_eq((kept.len + 1) % 100, 0, "from the beginning of a line");
    cr_expect_eq(kept.at[kept.len - 1], '9');
    cr_expect_eq(w.ready, 14 + 10000);
    tail_release(&t);
    writer_release(&w);
}

Test(run, variables_of_an_item)
{
    static const char *const given[] = {"PATH=/bin",          "FANLINE_INDEX=7",
                                        "FANLINE_END_MARK=1", "FANLINE_STORE=x",
                                        "FANLINE_RUN=outer",  NULL};
    static const char *const expected[] = {
        "PATH=/bin",         "FANLINE_STORE=x", "FANLINE_INDEX=12",  "FANLINE_NAME=my run:12",
        "FANLINE_ATTEMPT=2", "FANLINE_SLOT=4",  "FANLINE_RUN=my run"};
    struct variables v;
    variables_init(&v, given);
    variables_set(&v, SPAN_LIT("old"), 1, 1, 1);
    variables_set(&v, SPAN_LIT("my run"), 12, 2, 4);
    for (size_t i = 0; i < ROWS(expected); i++) {
        cr_assert_not_null(v.at[i]);
        cr_expect_str_eq(v.at[i], expected[i]);
    }
    cr_expect_null(v.at[ROWS(expected)]);
    variables_release(&v);
}

Test(run, concurrency_as_people_write_it)
{
    static const struct {
        const char *text;
        int64_t processors, slots; /* 0 slots: refused */
    } rows[] = {
        {"8", 4, 8},    {"+2", 4, 6}, {"-1", 4, 3},    {"-9", 4, 1},
        {"150%", 4, 6}, {"1%", 4, 1}, {"0", 4, 0},     {"", 4, 0},
        {"x", 4, 0},    {"%", 4, 0},  {"10001", 4, 0}, {"+10000", 4, CONCURRENCY_MAX},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        int64_t slots = 0;
        struct err e = {0};
        int rc = control_concurrency(span_text(rows[i].text), rows[i].processors, &slots, &e);
        cr_expect_eq(rc, rows[i].slots ? 0 : -1, "%s", rows[i].text);
        cr_expect_eq(slots, rows[i].slots, "%s", rows[i].text);
    }
}

Test(run, rates_and_loads)
{
    static const struct {
        const char *text;
        int64_t milliseconds; /* 0: refused */
    } rows[] = {{"5", 200},      {"5/s", 200}, {"100/min", 600}, {"30/m", 2000}, {"0.5/s", 2000},
                {"60/h", 60000}, {"0", 0},     {"-1", 0},        {"5/d", 0},     {"", 0},
                {"nan", 0},      {"1e9", 0},   {"0x10/s", 0}};
    for (size_t i = 0; i < ROWS(rows); i++) {
        int64_t interval = 0;
        (void)throttle_rate(span_text(rows[i].text), &interval, NULL);
        cr_expect_eq(interval / CLOCK_MILLI, rows[i].milliseconds, "%s", rows[i].text);
    }
    double load = 0;
    cr_expect_eq(throttle_load(SPAN_LIT("50%"), 8, &load, NULL), 0);
    cr_expect_float_eq(load, 4, 1e-9);
    cr_expect_eq(throttle_load(SPAN_LIT("0"), 8, &load, NULL), -1);
}

/* Starts at the times that a caller sees who asks again when told to. */
Test(run, starts_keep_their_distance)
{
    struct throttle t = {.folder = "/no/such", .interval = 100 * CLOCK_MILLI};
    int64_t now = CLOCK_SECOND;
    cr_expect_eq(throttle_take(&t, now), 0);
    int64_t next = throttle_take(&t, now);
    cr_expect(next > now && next <= now + 100 * CLOCK_MILLI);
    cr_expect_eq(throttle_take(&t, next), 0);
    cr_expect_eq(throttle_take(&t, next), next + 100 * CLOCK_MILLI);
    struct throttle d = {.folder = "/no/such", .delay = 50 * CLOCK_MILLI};
    cr_expect_eq(throttle_take(&d, now), 0);
    cr_expect_eq(throttle_take(&d, now + 1), now + 50 * CLOCK_MILLI);
    cr_expect_eq(throttle_take(&d, now + 70 * CLOCK_MILLI), 0);
}

Test(run, median_within_three_percent)
{
    static const int64_t scales[] = {1, 1000, 1000000, 7777777, INT64_C(1000000000000)};
    for (size_t i = 0; i < ROWS(scales); i++) {
        struct median m = {0};
        cr_expect_eq(median_get(&m), 0);
        for (int64_t n = 1; n <= 101; n++) {
            median_add(&m, ((n * 37) % 101 + 1) * scales[i]); /* 1 to 101, mixed */
        }
        double got = (double)median_get(&m);
        double want = 51.0 * (double)scales[i];
        cr_expect(got > want * 0.97 && got < want * 1.03, "%g, not %g", got, want);
    }
    struct median m = {0};
    median_add(&m, INT64_MAX);
    cr_expect(median_get(&m) > INT64_MAX / 2);
}

Test(run, timeouts_learn)
{
    int64_t fixed;
    uint64_t percent;
    cr_expect_eq(timeout_parse(SPAN_LIT("1.5s"), &fixed, &percent, NULL), 0);
    cr_expect(fixed == 1500 * CLOCK_MILLI && percent == 0);
    cr_expect_eq(timeout_parse(SPAN_LIT("200%"), &fixed, &percent, NULL), 0);
    cr_expect(fixed == -1 && percent == 200);
    cr_expect_eq(timeout_parse(SPAN_LIT("99%"), &fixed, &percent, NULL), -1);
    struct timeout t = {.fixed = -1, .percent = 200};
    for (int i = 0; i < TIMEOUT_SAMPLE; i++) {
        cr_expect_eq(timeout_limit(&t), -1);
        timeout_learn(&t, 10 * CLOCK_SECOND);
    }
    cr_expect(timeout_limit(&t) > 19 * CLOCK_SECOND && timeout_limit(&t) < 21 * CLOCK_SECOND);
    for (int i = 0; i < 100; i++) {
        timeout_learn(&t, CLOCK_MILLI);
    }
    cr_expect_eq(timeout_limit(&t), TIMEOUT_FLOOR);
}

Test(run, ledger_keeps_many)
{
    struct ledger l = {0};
    cr_expect_null(ledger_find(&l, (struct ledger_key){0, 0}));
    for (uint64_t n = 0; n < 10000; n++) {
        *ledger_at(&l, (struct ledger_key){n % 100, n}) = n + 1;
    }
    for (uint64_t n = 0; n < 10000; n++) {
        const uint64_t *value = ledger_find(&l, (struct ledger_key){n % 100, n});
        cr_assert_not_null(value);
        cr_expect_eq(*value, n + 1);
    }
    cr_expect_null(ledger_find(&l, (struct ledger_key){3, 10004}));
    ledger_release(&l);
}

Test(run, errors_by_their_names)
{
    static const struct {
        const char *errors, *code;
        bool named;
        const char *typo;
    } rows[] = {
        {"A,B", "B", true, ""},
        {"A,B", "C", false, ""},
        {"States.ALL", "C", true, ""},
        {"State.ALL", "C", false, "State.ALL"},
        {"A,all", "C", false, "all"},
        {"Install", "C", false, ""},
        {"States.Timeout", "Timeout", true, ""},
        {"States.Timeout", "HeartbeatTimeout", true, ""},
        {"States.HeartbeatTimeout", "Timeout", false, ""},
        {"States.Timeout", "States.HeartbeatTimeout", true, ""},
        {"States.TaskFailed", "States.Timeout", false, ""},
        {"States.TaskFailed", "States.Mine", true, ""},
        {"States.TaskFailed", "ExitCode.1", true, ""},
        {"States.TaskFailed", "Timeout", false, ""},
    };
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct span typo = retry_typo(span_text(rows[i].errors));
        cr_expect_eq(retry_names(span_text(rows[i].errors), span_text(rows[i].code)), rows[i].named,
                     "%s, %s", rows[i].errors, rows[i].code);
        cr_expect(span_equal(typo.at ? typo : SPAN_LIT(""), span_text(rows[i].typo)), "%s",
                  rows[i].errors);
    }
}

Test(run, words_of_a_shell)
{
    static const struct {
        const char *arg, *word;
    } rows[] = {{"plain-1.txt", "plain-1.txt"}, {"", "''"},          {"a b", "'a b'"},
                {"it's", "'it'\\''s'"},         {"$x", "'$x'"},      {"a\nb", "'a'$'\\n''b'"},
                {"\303\251", "'\303\251'"},     {"~root", "'~root'"}};
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct buf b = {0};
        dry_quote(&b, span_text(rows[i].arg));
        cr_expect_str_eq(buf_text(&b), rows[i].word);
        buf_release(&b);
    }
}

/* Put TEXT into FILE of FOLDER; NULL: it is not there. */
static void put_file(const char *folder, const char *file, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    if (!text) {
        (void)unlink(path);
        return;
    }
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

/* What the kernel says of load and memory: proc(5), and its documentation of PSI. */
Test(run, busy_machines)
{
#define MEMORY(available) "MemTotal: 8000000 kB\nMemFree: 1 kB\nMemAvailable:   " available " kB\n"
#define PRESSURE(some)                                                                             \
    "some avg10=" some " avg60=50.00 avg300=50.00 total=9\n"                                       \
    "full avg10=99.00 avg60=0.00 avg300=0.00 total=0\n"
    static const struct {
        const char *load, *memory, *pressure;
        bool starts;
    } rows[] = {
        {"1.99 9.00 9.00 1/99 1234\n", MEMORY("1048576"), PRESSURE("0.00"), true},
        {"2.01 0.00 0.00 1/99 1234\n", MEMORY("1048576"), PRESSURE("0.00"), false},
        {"0.00 0.00 0.00 1/99 1234\n", MEMORY("1048575"), PRESSURE("0.00"), false},
        {"0.00 0.00 0.00 1/99 1234\n", MEMORY("1048576"), PRESSURE("10.00"), true},
        {"0.00 0.00 0.00 1/99 1234\n", MEMORY("1048576"), PRESSURE("10.01"), false},
        {"0.00 0.00 0.00 1/99 1234\n", MEMORY("1048576"), NULL, true},
        {NULL, "MemTotal: 8000000 kB\n", NULL, true},
        {NULL, NULL, NULL, true},
    };
    char folder[] = "/tmp/fanline-unit.XXXXXX";
    char inner[64];
    cr_assert(mkdtemp(folder) != NULL);
    snprintf(inner, sizeof inner, "%s/pressure", folder);
    cr_assert_eq(mkdir(inner, 0700), 0);
    for (size_t i = 0; i < ROWS(rows); i++) {
        struct throttle t = {.folder = folder, .load = 2, .memory = UINT64_C(1) << 30};
        put_file(folder, "loadavg", rows[i].load);
        put_file(folder, "meminfo", rows[i].memory);
        put_file(folder, "pressure/memory", rows[i].pressure);
        cr_expect_eq(throttle_take(&t, CLOCK_SECOND),
                     rows[i].starts ? 0 : CLOCK_SECOND + THROTTLE_LOOK, "row %zu", i);
    }
    put_file(folder, "loadavg", NULL);
    put_file(folder, "meminfo", NULL);
    put_file(folder, "pressure/memory", NULL);
    rmdir(inner);
    rmdir(folder);
}

/* 40 lines of 1 MiB, the first one last: more than is kept in memory. */
Test(run, order_goes_to_a_file)
{
    struct inorder o = {.folder = "/tmp"};
    struct writer w = {.fd = -1, .held = true};
    for (uint64_t n = 40; n-- > 0;) {
        memset(writer_room(&w, 1 << 20), 'a' + (int)(n % 26), 1 << 20);
        writer_advance(&w, 1 << 20);
        cr_assert_eq(inorder_add(&o, n, &w, NULL), 0);
        cr_expect(o.kept <= INORDER_MEMORY);
    }
    cr_assert_eq(w.ready, (size_t)40 << 20);
    for (size_t n = 0; n < 40; n++) {
        const char *line = w.at + (n << 20);
        cr_expect(line[0] == 'a' + (char)(n % 26) && line[(1 << 20) - 1] == line[0]);
    }
    cr_expect_eq(o.ahead, 0);
    cr_expect_eq(o.end, 0, "the file is empty again");
    inorder_release(&o);
    writer_release(&w);
}

static void ignore_call(void *owner, uint32_t events)
{
    (void)owner;
    (void)events;
}

/* A ring with something else at a time is no pause: whoever waited for that must hear of it. */
Test(run, pace)
{
    struct err e = {0};
    struct loop l;
    struct pace p;
    int ends[2];
    struct loop_source other = {.fd = -1, .ready = ignore_call};
    cr_assert_eq(loop_open(&l, &e), 0);
    cr_assert_eq(pace_open(&p, &l, &e), 0);
    cr_assert_eq(pipe(ends), 0);
    cr_expect(pace_turn(&p, &l, clock_now() + CLOCK_SECOND), "nothing has happened for PACE");
    cr_assert_eq(loop_add(&l, &other, ends[0], EPOLLIN, &e), 0);
    cr_assert_eq(write(ends[1], "x", 1), 1);
    cr_expect(!pace_turn(&p, &l, clock_now() + CLOCK_SECOND));
    int64_t then = pace_now(&p);
    cr_expect_eq(pace_now(&p), then, "the clock is not looked at");
    usleep(3000);
    cr_expect(!pace_turn(&p, &l, clock_now() + CLOCK_SECOND), "both at a time");
    loop_remove(&l, &other);
    cr_expect(pace_turn(&p, &l, clock_now()), "a deadline that is near");
    pace_close(&p, &l);
    loop_close(&l);
    close(ends[0]);
    close(ends[1]);
}
