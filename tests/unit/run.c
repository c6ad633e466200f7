#include "base/clock.h"
#include "base/mem.h"
#include "run/argv.h"
#include "run/capture.h"
#include "run/inorder.h"
#include "run/outcome.h"
#include "run/retry.h"
#include "run/tail.h"
#include "run/variables.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
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
