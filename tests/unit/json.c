/* lib/json: values found in checked text, texts in and out of strings, streams of lines. */
#include "json/lines.h"
#include "json/members.h"
#include "json/name.h"
#include "json/nesting.h"
#include "json/text.h"
#include "json/unique.h"
#include "json/walk.h"

#include "oracle.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- walk ---- */

static const struct {
    const char *container;
    const char *want; /* "key=value;" each */
} walks[] = {
    {"{}", ""},
    {"[]", ""},
    {" [ \n] ", ""},
    {"5", ""},
    {"\"[1,2]\"", ""},
    {"null", ""},
    {"[1]", "=1;"},
    {"[ 1 , \"a,b\" , [ 2 , 3 ] , { } ]", "=1;=\"a,b\";=[ 2 , 3 ];={ };"},
    {"{\"a\":1,\"b\":{\"c\":[1,{}]},\"a\":\"x\"}", "\"a\"=1;\"b\"={\"c\":[1,{}]};\"a\"=\"x\";"},
    {" { \"a\\\"]\" :\t\"}{\\\\\" ,\r\n\"\" : -1.5e+3 } ", "\"a\\\"]\"=\"}{\\\\\";\"\"=-1.5e+3;"},
    {"[[[\"]]]\"]],\"\\\\\",true]", "=[[\"]]]\"]];=\"\\\\\";=true;"},
    {"{\"\xC3\xA9\":\"a longer stretch \xE2\x82\xAC of text\",\"k\":false}",
     "\"\xC3\xA9\"=\"a longer stretch \xE2\x82\xAC of text\";\"k\"=false;"},
};

static void list_members(struct walk w, struct buf *out)
{
    buf_reset(out);
    while (walk_next(&w)) {
        buf_add_span(out, w.key);
        buf_add_byte(out, '=');
        buf_add_span(out, w.value);
        buf_add_byte(out, ';');
    }
}

Test(walk, members_and_elements)
{
    struct buf got = {0};
    for (size_t i = 0; i < COUNT(walks); i++) {
        list_members(walk_into(span_text(walks[i].container)), &got);
        cr_expect_str_eq(buf_text(&got), walks[i].want, "row %zu", i);
    }
    buf_release(&got);
}

/* With the seams that a scan noted, and without, a walk finds the same. */
Test(walk, along_the_brackets)
{
    uint64_t seed = 11;
    struct buf text = {0};
    struct buf plain = {0};
    struct buf along = {0};
    struct seams seams = {0};
    struct scan s;
    scan_init(&s, 100);
    s.seams = &seams;
    for (int i = 0; i < 3000; i++) {
        buf_reset(&text);
        make_value(&text, &seed, 0, false);
        cr_assert_eq(scan_check(&s, text.at, text.len), 0);
        list_members(walk_into(buf_span(&text)), &plain);
        list_members(walk_along(buf_span(&text), seams_view(&seams, text.at)), &along);
        cr_assert_str_eq(buf_text(&along), buf_text(&plain), "%.*s", (int)text.len, text.at);
        list_members(walk_along(buf_span(&text), SEAMS_NONE), &along);
        cr_assert_str_eq(buf_text(&along), buf_text(&plain), "%.*s", (int)text.len, text.at);
        struct walk outer = walk_into(buf_span(&text));
        while (walk_next(&outer)) {
            list_members(walk_into(outer.value), &plain);
            list_members(walk_within(outer.value, buf_span(&text)), &along);
            cr_assert_str_eq(buf_text(&along), buf_text(&plain), "%.*s", (int)text.len, text.at);
        }
    }
    scan_release(&s);
    seams_release(&seams);
    buf_release(&text);
    buf_release(&plain);
    buf_release(&along);
}

/* Whatever the text, a walk stays within it: each lies in memory of just its length. */
Test(walk, never_leaves_the_text)
{
    uint64_t seed = 12;
    struct buf text = {0};
    for (int i = 0; i < 20000; i++) {
        buf_reset(&text);
        make_value(&text, &seed, 0, i % 2);
        damage(&text, &seed);
        char *exact = malloc(text.len ? text.len : 1);
        memcpy(exact, text.len ? text.at : "", text.len);
        struct span all = span_of(exact, text.len);
        struct walk w = walk_into(all);
        while (walk_next(&w)) {
            cr_assert(w.value.at >= exact && w.value.at + w.value.len <= exact + text.len);
            struct span value;
            struct walk inner = walk_into(w.value), ahead = walk_within(w.value, all);
            while (walk_next(&inner)) {
            }
            while (walk_next(&ahead)) {
                cr_assert(ahead.value.at + ahead.value.len <= exact + text.len);
            }
            walk_member(w.value, SPAN_LIT("key"), &value);
            walk_element(w.value, 2, &value);
        }
        free(exact);
    }
    buf_release(&text);
}

static const struct {
    const char *key;
    struct span name;
    bool same;
} keys[] = {
    {"\"a\"", {"a", 1}, true},
    {"\"\"", {"", 0}, true},
    {"\"a\"", {"b", 1}, false},
    {"\"a\"", {"", 0}, false},
    {"\"ab\"", {"a", 1}, false},
    {"\"\\u0061\"", {"a", 1}, true},
    {"\"\\u0061b\"", {"ab", 2}, true},
    {"\"a\\/b\"", {"a/b", 3}, true},
    {"\"a\\nb\"", {"a\nb", 3}, true},
    {"\"a\\nb\"", {"a\\nb", 4}, true}, /* the raw bytes: see the row below */
    {"\"\\u0000\"", {"\0", 1}, true},
    {"\"\\uD83D\\uDE00\"", {"\xF0\x9F\x98\x80", 4}, true},
    {"\"\xF0\x9F\x98\x80\"", {"\xF0\x9F\x98\x80", 4}, true},
    {"\"\\uD83D\"", {"\xEF\xBF\xBD", 3}, true}, /* a lone surrogate stands for U+FFFD */
    {"\"\\u00e9\"", {"\xC3\xA9", 2}, true},
    {"\"e\xCC\x81\"", {"\xC3\xA9", 2}, false}, /* decomposed is another name */
};

Test(walk, names_with_escapes)
{
    for (size_t i = 0; i < COUNT(keys); i++) {
        cr_expect_eq(walk_key_is(span_text(keys[i].key), keys[i].name), keys[i].same, "row %zu", i);
    }
}

static const struct {
    const char *object, *name, *want; /* NULL: there is none */
} members[] = {
    {"{\"a\":1}", "a", "1"},
    {"{\"a\":1}", "b", NULL},
    {"{\"a\":1,\"a\":2,\"b\":3}", "a", "2"}, /* the last one counts */
    {"{\"a\":1,\"\\u0061\":2}", "a", "2"},
    {"{\"\\u0061\":2,\"a\":1}", "a", "1"},
    {"{\"x\":{\"a\":1}}", "a", NULL}, /* only the outermost */
    {"{\"a\": {\"b\" : 1 } }", "a", "{\"b\" : 1 }"},
    {"[\"a\",1]", "a", NULL},
    {"\"a\"", "a", NULL},
    {"{}", "", NULL},
    {"{\"\":0}", "", "0"},
};

Test(walk, looked_up_by_name_and_number)
{
    for (size_t i = 0; i < COUNT(members); i++) {
        struct span v = {0};
        bool found = walk_member(span_text(members[i].object), span_text(members[i].name), &v);
        cr_expect_eq(found, members[i].want != NULL, "row %zu", i);
        cr_expect(!found || span_equal(v, span_text(members[i].want)), "row %zu", i);
    }
    struct span v = {0};
    struct span array = SPAN_LIT("[ 10, [20,21] , 30]");
    cr_expect(walk_element(array, 0, &v) && span_equal(v, SPAN_LIT("10")));
    cr_expect(walk_element(array, 1, &v) && span_equal(v, SPAN_LIT("[20,21]")));
    cr_expect(walk_element(array, 2, &v) && span_equal(v, SPAN_LIT("30")));
    cr_expect(!walk_element(array, 3, &v));
    cr_expect(!walk_element(array, UINT64_MAX, &v));
    cr_expect(!walk_element(SPAN_LIT("{\"0\":1}"), 0, &v));
    cr_expect(!walk_element(SPAN_LIT("[]"), 0, &v));
    cr_expect(span_equal(v, SPAN_LIT("30")), "untouched where there is none");
}

Test(walk, kinds)
{
    static const char *const values[] = {"{}", "[]", "\"\"", "0", "true", "false", "null", "-1"};
    static const enum scan_kind kinds[] = {SCAN_OBJECT, SCAN_ARRAY, SCAN_STRING, SCAN_NUMBER,
                                           SCAN_TRUE,   SCAN_FALSE, SCAN_NULL,   SCAN_NUMBER};
    for (size_t i = 0; i < COUNT(values); i++) {
        struct buf spaced = {0};
        buf_printf(&spaced, " \n%s ", values[i]);
        cr_expect_eq(walk_kind(span_text(values[i])), kinds[i], "%s", values[i]);
        cr_expect_eq(walk_kind(buf_span(&spaced)), kinds[i], "%s", values[i]);
        cr_expect(span_equal(walk_trim(buf_span(&spaced)), span_text(values[i])));
        buf_release(&spaced);
    }
    cr_expect_eq(walk_trim(SPAN_LIT(" \t\r\n")).len, 0);
}

/* ---- text ---- */

#define TEXT(literal)                                                                              \
    {                                                                                              \
        (literal), sizeof(literal) - 1                                                             \
    }

#define ROW(string, text)                                                                          \
    {                                                                                              \
        {(string), sizeof(string) - 1},                                                            \
        {                                                                                          \
            (text), sizeof(text) - 1                                                               \
        }                                                                                          \
    }

static const struct {
    struct span string, text;
} decoded[] = {
    ROW("\"\"", ""),
    ROW("\"plain\"", "plain"),
    ROW("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t"),
    ROW("\"\\u0000\"", "\0"),
    ROW("\"a\\u0000b\"", "a\0b"),
    ROW("\"\\u001F\\u007f\"", "\x1F\x7F"),
    ROW("\"\\u0080\\u07FF\"", "\xC2\x80\xDF\xBF"),
    ROW("\"\\u0800\\uFFFF\"", "\xE0\xA0\x80\xEF\xBF\xBF"),
    ROW("\"\\uD800\\uDC00\"", "\xF0\x90\x80\x80"),
    ROW("\"\\udbff\\udfff\"", "\xF4\x8F\xBF\xBF"),
    ROW("\"\\uD83D\\uDE00!\"", "\xF0\x9F\x98\x80!"),
    ROW("\"\\uD800\"", "\xEF\xBF\xBD"),
    ROW("\"\\uDC00\"", "\xEF\xBF\xBD"),
    ROW("\"\\uD800x\"", "\xEF\xBF\xBDx"),
    ROW("\"\\uD800\\n\"", "\xEF\xBF\xBD\n"),
    ROW("\"\\uDC00\\uD800\"", "\xEF\xBF\xBD\xEF\xBF\xBD"),
    ROW("\"\\uD800\\uD800\\uDC00\"", "\xEF\xBF\xBD\xF0\x90\x80\x80"),
    ROW("\"\\uD800\\u0041\"", "\xEF\xBF\xBD"
                              "A"),
    ROW("\"\xC3\xA9\xF0\x9F\x98\x80\"", "\xC3\xA9\xF0\x9F\x98\x80"),
};

Test(text, strings_decoded)
{
    struct buf got = {0};
    for (size_t i = 0; i < COUNT(decoded); i++) {
        buf_reset(&got);
        text_decode(&got, decoded[i].string);
        cr_expect(span_equal(buf_span(&got), decoded[i].text), "row %zu: %s", i, buf_text(&got));
    }
    buf_add_text(&got, "");
    size_t before = got.len;
    text_decode(&got, SPAN_LIT("\"x\""));
    cr_expect_eq(got.len, before + 1, "added, not replaced");
    buf_release(&got);
}

static const struct {
    struct span string, text;
} encoded[] = {
    ROW("\"\"", ""),
    ROW("\"a/b\"", "a/b"),
    ROW("\"\\\"\\\\\"", "\"\\"),
    ROW("\"\\b\\f\\n\\r\\t\"", "\b\f\n\r\t"),
    ROW("\"\\u0000\\u0001\\u000b\\u001f\x7F\"", "\0\x01\v\x1F\x7F"),
    ROW("\"\xC3\xA9\xE2\x80\xA8\"", "\xC3\xA9\xE2\x80\xA8"),
    ROW("\"0123456789abcdef0123456789\\n\xC3\xA9"
        "0123456789abcdef\\\"\"",
        "0123456789abcdef0123456789\n\xC3\xA9"
        "0123456789abcdef\""),
};

Test(text, texts_encoded)
{
    int fd = memfd_create("test", MFD_CLOEXEC);
    struct writer w;
    struct buf got = {0};
    writer_init(&w, fd, "test");
    for (size_t i = 0; i < COUNT(encoded); i++) {
        buf_reset(&got);
        text_encode(&got, encoded[i].text);
        cr_expect(span_equal(buf_span(&got), encoded[i].string), "row %zu: %s", i, buf_text(&got));
        writer_rollback(&w);
        text_put(&w, encoded[i].text);
        cr_expect(span_equal(span_of(w.at, writer_pending(&w)), encoded[i].string), "row %zu", i);
        buf_reset(&got);
        text_encode_lossy(&got, encoded[i].text);
        cr_expect(span_equal(buf_span(&got), encoded[i].string), "row %zu: %s", i, buf_text(&got));
    }
    writer_release(&w);
    buf_release(&got);
    close(fd);
}

/* Any text comes back from the string it was put into, and the string is JSON. */
Test(text, there_and_back)
{
    static const char *const parts[] = {"a",
                                        "\"",
                                        "\\",
                                        "\n",
                                        "\x01",
                                        "\x7F",
                                        "\xC2\x80",
                                        "\xEF\xBF\xBF",
                                        "\xF4\x8F\xBF\xBF",
                                        "some longer stretch"};
    uint64_t seed = 13;
    struct buf text = {0};
    struct buf string = {0};
    struct buf back = {0};
    struct scan s;
    scan_init(&s, 1);
    for (int i = 0; i < 5000; i++) {
        buf_reset(&text);
        buf_reset(&string);
        buf_reset(&back);
        for (uint32_t j = chance(&seed, 12); j > 0; j--) {
            buf_add_text(&text, parts[chance(&seed, COUNT(parts))]);
        }
        if (i % 5 == 0) {
            buf_add_byte(&text, '\0');
        }
        text_encode(&string, buf_span(&text));
        cr_assert_eq(scan_check(&s, string.at, string.len), 0);
        text_decode(&back, buf_span(&string));
        cr_assert(span_equal(buf_span(&back), buf_span(&text)), "%s", buf_text(&string));
    }
    scan_release(&s);
    buf_release(&text);
    buf_release(&string);
    buf_release(&back);
}

static const struct {
    const char *text;
    size_t bad;
    const char *lossy;
} utf8[] = {
    {"", 0, "\"\""},
    {"ab\xC3\xA9", 4, "\"ab\xC3\xA9\""},
    {"\xFF", 0, "\"\xEF\xBF\xBD\""},
    {"a\xFF\"", 1, "\"a\xEF\xBF\xBD\\\"\""},
    {"\xC3", 0, "\"\xEF\xBF\xBD\""},
    {"\xC3x", 0, "\"\xEF\xBF\xBDx\""},
    {"\xE2\x82", 0, "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"\xC0\x80", 0, "\"\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"\xED\xA0\x80", 0, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\""},
    {"\xF4\x90\x80\x80.", 0, "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD.\""},
    {"0123456789abcdefghij\x80", 20, "\"0123456789abcdefghij\xEF\xBF\xBD\""},
};

Test(text, utf8_and_what_is_none)
{
    for (size_t i = 0; i < COUNT(utf8); i++) {
        struct buf got = {0};
        size_t bad = 99;
        struct span text = span_text(utf8[i].text);
        cr_expect_eq(text_is_utf8(text, &bad), utf8[i].bad == text.len, "row %zu", i);
        cr_expect_eq(bad, utf8[i].bad, "row %zu: %zu", i, bad);
        text_encode_lossy(&got, text);
        cr_expect_str_eq(buf_text(&got), utf8[i].lossy, "row %zu", i);
        buf_release(&got);
    }
    size_t bad;
    cr_expect(text_is_utf8((struct span){0}, &bad));
}

/* ---- lines ---- */

/* What a stream came to: "[item]" each, "<line:column:byte:item text>" for what is reported. */
struct stream {
    struct buf out;
    struct lines_rules rules;
    struct writer rejects;
    int fd; /* of the rejects */
};

static void add_error(struct buf *out, const struct err *e)
{
    if (e->pos.line == 0) {
        buf_printf(out, "<%s>", e->text);
        return;
    }
    buf_printf(out, "<%lu:%lu:%lu:%lu %s>", (unsigned long)e->pos.line,
               (unsigned long)e->pos.column, (unsigned long)e->pos.byte, (unsigned long)e->pos.item,
               e->text);
}

static void report(void *context, const struct err *e)
{
    add_error(context, e);
}

/* Read all of TEXT; the last word is the status, or the error that ended it. */
static void read_stream(struct stream *t, struct span text)
{
    struct reader r;
    struct lines_in in;
    struct span item;
    struct err e = {0};
    int got;
    t->rules.report = report;
    t->rules.context = &t->out;
    reader_init_text(&r, text, "test");
    lines_open(&in, &r, &t->rules);
    buf_reset(&t->out);
    while ((got = lines_next(&in, &item, &e)) > 0) {
        cr_expect_eq(e.code, ERR_NONE);
        buf_add_byte(&t->out, '[');
        buf_add_span(&t->out, item);
        buf_add_byte(&t->out, ']');
        if (span_equal(item, SPAN_LIT("\"bad\""))) {
            err_set(&e, ERR_DATA, "bad");
            if (lines_refuse(&in, &e) < 0) {
                got = -1;
                break;
            }
            e = (struct err){0};
        }
    }
    if (got == 0) {
        buf_printf(&t->out, "%d", lines_status(&in, &e));
    }
    if (e.code) {
        add_error(&t->out, &e);
    }
    lines_close(&in);
    reader_release(&r);
}

static const struct lines_rules defaults = {.max_depth = 3, .max_item_bytes = 40};

static const struct {
    struct span in;
    const char *want;
} plain_lines[] = {
    {TEXT(""), "0"},
    {TEXT("\n\n  \r\n\t\n"), "0"},
    {TEXT("1\n2\n"), "[1][2]0"},
    {TEXT("1\n2"), "[1][2]0"},
    {TEXT("1\r\n2\r\n"), "[1][2]0"},
    {TEXT("\n1\n\n\n2\n\n"), "[1][2]0"},
    {TEXT(" { \"a\" : [ 1.10 ] } \n"), "[{\"a\":[1.10]}]0"},
    {{"\xEF\xBB\xBF"
      "1\n",
      5},
     "[1]0"},
    {TEXT("\xEF\xBB\xBF"), "0"},
    {TEXT("\xEF\xBB\xBF\n\n1"), "[1]0"},
    {{"\xFF\xFE"
      "1\0",
      4},
     "<test is UTF-16, not UTF-8 (it begins with its byte order mark)>"},
    {{"1\n\xEF\xBB\xBF"
      "2\n",
      7},
     "[1]<2:1:2:2 expected a value>"},
    {TEXT("1e400\n\"\\uD800\"\n18446744073709551616\n-0\n"),
     "[1e400][\"\\uD800\"][18446744073709551616][-0]0"},
    /* positions: lines and columns from 1, bytes from 0, items without blank lines */
    {TEXT("x"), "<1:1:0:1 expected a value>"},
    {TEXT("1\n[2,]\n"), "[1]<2:4:5:2 expected a value>"},
    {TEXT("\n\n1\r\n\n {\"a\" 5}\n"), "[1]<5:7:12:2 expected ':' behind a member's name>"},
    {TEXT("\xEF\xBB\xBF["), "<1:2:4:1 the text ends in the middle of a value>"},
    {TEXT("[1\n2]\n"), "<1:3:2:1 the text ends in the middle of a value>"},
    {TEXT("1 2\n"), "<1:3:2:1 more text behind the value>"},
    {TEXT("\"a\0b\"\n"), "<1:3:2:1 a control character in a string must be escaped>"},
    {TEXT("\0\n"), "<1:1:0:1 expected a value, not a NUL byte>"},
    {TEXT("\"\xE9\"\n"), "<1:3:2:1 invalid UTF-8>"},
    {TEXT("[[[1]]]\n[[[[1]]]]\n"),
     "[[[[1]]]]<2:4:11:2 nested deeper than the limit (--max-depth)>"},
    /* 40 bytes just fit, also with LF and without; 41 do not */
    {TEXT("\"23456789012345678901234567890123456789\"\n"),
     "[\"23456789012345678901234567890123456789\"]0"},
    {TEXT("\"23456789012345678901234567890123456789\""),
     "[\"23456789012345678901234567890123456789\"]0"},
    {TEXT("1\n\"234567890123456789012345678901234567890\"\n"),
     "[1]<2:1:2:2 the line is longer than 40 bytes (--max-item-bytes)>"},
    /* refused by the filter itself */
    {TEXT("1\n\"bad\"\n2\n"), "[1][\"bad\"]<2:1:2:2 bad>"},
    /* what looks like an end mark and is none is an item */
    {TEXT("{\"fanline.end\":1}\n"), "[{\"fanline.end\":1}]0"},
    {TEXT("{\"a\":{\"fanline.end\":{}}}\n"), "[{\"a\":{\"fanline.end\":{}}}]0"},
};

Test(lines, as_every_filter_reads_them)
{
    for (size_t i = 0; i < COUNT(plain_lines); i++) {
        struct stream t = {.rules = defaults};
        read_stream(&t, plain_lines[i].in);
        cr_expect_str_eq(buf_text(&t.out), plain_lines[i].want, "row %zu", i);
        buf_release(&t.out);
    }
}

#define MARK(s, i, r) "{\"fanline.end\":{\"status\":" s ",\"items\":" i ",\"rejected\":" r "}}\n"

static const struct {
    bool demanded;
    const char *in;
    const char *want;
} marks[] = {
    {true, "1\n2\n" MARK("0", "2", "0"), "[1][2]0"},
    {false, "1\n2\n" MARK("0", "2", "0"), "[1][2]0"},
    {true, MARK("0", "0", "0"), "0"},
    {true, "\n1\n\n" MARK("0", "1", "0") "\n \n", "[1]0"},
    {true, "", "<test was cut short: it has no end mark (after 0 lines)>"},
    {true, "1\n", "[1]<test was cut short: it has no end mark (after 1 lines)>"},
    {false, "1\n", "[1]0"},
    {true, "1\n" MARK("0", "2", "0"),
     "[1]<test was cut short: its end mark counts 2 lines, 1 came>"},
    {false, "1\n" MARK("0", "2", "0"),
     "[1]<test was cut short: its end mark counts 2 lines, 1 came>"},
    {true, "1\n2\n" MARK("0", "1", "0"),
     "[1][2]<test was cut short: its end mark counts 1 lines, 2 came>"},
    {true, "1\n" MARK("1", "1", "0"), "[1]<test was cut short: its writer ended with status 1>"},
    {true, "1\n" MARK("143", "1", "0"),
     "[1]<test was cut short: its writer ended with status 143>"},
    {true, "1\n" MARK("4", "1", "0"), "[1]4"},
    {true, "1\n" MARK("0", "1", "3"), "[1]1<3 lines were rejected by the filters before this one>"},
    {true, "1\n" MARK("4", "1", "3"), "[1]1<3 lines were rejected by the filters before this one>"},
    {true, MARK("0", "0", "0") "1\n", "<2:1:52:1 more lines behind the end mark>"},
    {false, MARK("0", "0", "0") MARK("0", "0", "0"), "<2:1:52:1 more lines behind the end mark>"},
    {true, "{\"fanline.end\":{\"status\":0,\"items\":0,\"rej",
     "<1:42:41:1 the text ends in the middle of a value>"},
    /* only the very bytes that a filter writes are a mark: anything else is somebody's item */
    {false, "{\"fanline.end\":{\"status\":0,\"items\":0}}\n",
     "[{\"fanline.end\":{\"status\":0,\"items\":0}}]0"},
    {false, "{\"fanline.end\":{\"status\":0,\"items\":0,\"rejected\":0},\"x\":1}\n",
     "[{\"fanline.end\":{\"status\":0,\"items\":0,\"rejected\":0},\"x\":1}]0"},
    {false, "{\"fanline.end\":{\"items\":0,\"status\":0,\"rejected\":0}}\n",
     "[{\"fanline.end\":{\"items\":0,\"status\":0,\"rejected\":0}}]0"},
    {false, MARK("0", "-1", "0"),
     "[{\"fanline.end\":{\"status\":0,\"items\":-1,\"rejected\":0}}]0"},
    {false, MARK("0.0", "0", "0"),
     "[{\"fanline.end\":{\"status\":0.0,\"items\":0,\"rejected\":0}}]0"},
};

Test(lines, end_marks)
{
    for (size_t i = 0; i < COUNT(marks); i++) {
        struct stream t = {.rules = {.max_depth = 9, .max_item_bytes = 99}};
        t.rules.end_mark = marks[i].demanded;
        read_stream(&t, span_text(marks[i].in));
        cr_expect_str_eq(buf_text(&t.out), marks[i].want, "row %zu", i);
        buf_release(&t.out);
    }
    int fd = memfd_create("test", MFD_CLOEXEC);
    struct writer w;
    struct lines_mark mark = {.status = 4, .items = UINT64_C(12345678901), .rejected = 7};
    writer_init(&w, fd, "test");
    lines_put_mark(&w, &mark);
    cr_expect_eq(writer_pending(&w), 0, "it is committed");
    cr_expect(span_equal(span_of(w.at, w.ready), SPAN_LIT(MARK("4", "12345678901", "7"))));
    writer_release(&w);
    close(fd);
}

static const struct {
    const char *in;
    const char *want;
    const char *rejects;
} rejected[] = {
    {"1\n", "[1]0", ""},
    {"1\n x \n2\n", "[1]<2:2:3:2 expected a value>[2]1<1 of 3 lines were rejected>", " x \n"},
    {"[\r\n\xFF\n\"bad\" \n1",
     "<1:3:2:1 the text ends in the middle of a value><2:1:3:2 expected a value>"
     "[\"bad\"]<3:1:5:3 bad>[1]1<3 of 4 lines were rejected>",
     "[\r\n\xFF\n\"bad\" \n"},
    {"x", "<1:1:0:1 expected a value>1<1 of 1 lines were rejected>", "x\n"},
    /* longer than is collected, all of it goes; the next line is whole */
    {"\"23456789012345678901234567890123456789012345678901234567890\"\n7\n",
     "<1:1:0:1 the line is longer than 40 bytes (--max-item-bytes)>[7]1<1 of 2 lines were "
     "rejected>",
     "\"23456789012345678901234567890123456789012345678901234567890\"\n"},
    /* with an end mark behind it that counts what came */
    {"1\nx\n" MARK("0", "2", "0"), "[1]<2:1:2:2 expected a value>1<1 of 2 lines were rejected>",
     "x\n"},
};

Test(lines, rejects_byte_for_byte)
{
    for (size_t i = 0; i < COUNT(rejected); i++) {
        struct stream t = {.rules = defaults, .fd = memfd_create("test", MFD_CLOEXEC)};
        struct err e = {0};
        t.rules.max_item_bytes = i == 5 ? 99 : 40;
        writer_init(&t.rejects, t.fd, "rejects");
        t.rules.rejects = &t.rejects;
        read_stream(&t, span_text(rejected[i].in));
        cr_expect_str_eq(buf_text(&t.out), rejected[i].want, "row %zu", i);
        cr_expect_eq(writer_flush(&t.rejects, &e), 0);
        char got[200] = {0};
        cr_expect_geq(pread(t.fd, got, sizeof got - 1, 0), 0);
        cr_expect_str_eq(got, rejected[i].rejects, "row %zu", i);
        writer_release(&t.rejects);
        close(t.fd);
        buf_release(&t.out);
    }
}

/* A line far longer than any buffer goes to the rejects whole, from a descriptor. */
Test(lines, a_huge_line_is_rejected_whole)
{
    enum { HUGE_LINE = 3 << 20 };
    int in_fd = memfd_create("in", MFD_CLOEXEC);
    int out_fd = memfd_create("out", MFD_CLOEXEC);
    char *huge = malloc(HUGE_LINE);
    for (int i = 0; i < HUGE_LINE; i++) {
        huge[i] = (char)('a' + i % 23);
    }
    cr_assert_eq(write(in_fd, "1\n", 2), 2);
    cr_assert_eq(write(in_fd, huge, HUGE_LINE), HUGE_LINE);
    cr_assert_eq(write(in_fd, "\n2\n", 3), 3);
    lseek(in_fd, 0, SEEK_SET);
    struct writer rejects;
    struct reader r;
    struct lines_in in;
    struct span item;
    struct err e = {0};
    writer_init(&rejects, out_fd, "rejects");
    reader_init(&r, in_fd, "test", NULL);
    struct lines_rules rules = {.max_depth = 9, .max_item_bytes = 1000, .rejects = &rejects};
    lines_open(&in, &r, &rules);
    cr_expect(lines_next(&in, &item, &e) == 1 && span_equal(item, SPAN_LIT("1")));
    cr_expect(lines_next(&in, &item, &e) == 1 && span_equal(item, SPAN_LIT("2")));
    cr_expect_eq(in.line, 3);
    cr_expect_eq(in.raw_at, HUGE_LINE + 3);
    cr_expect_eq(lines_next(&in, &item, &e), 0);
    cr_expect_eq(in.rejected, 1);
    cr_expect_eq(writer_flush(&rejects, &e), 0);
    char *got = malloc(HUGE_LINE + 2);
    cr_expect_eq(pread(out_fd, got, HUGE_LINE + 2, 0), HUGE_LINE + 1);
    cr_expect(memcmp(got, huge, HUGE_LINE) == 0 && got[HUGE_LINE] == '\n');
    lines_close(&in);
    reader_release(&r);
    writer_release(&rejects);
    free(huge);
    free(got);
    close(in_fd);
    close(out_fd);
}

/* The seams are known for lines that came compact, and lead to the same members. */
Test(lines, seams_of_compact_lines)
{
    struct reader r;
    struct lines_in in;
    struct span item;
    struct err e = {0};
    reader_init_text(&r, SPAN_LIT("{\"a\":1,\"b\":[2,3],\"c\":4}\n{\"a\": [1]}\n[1,{}]\n"), "test");
    lines_open(&in, &r, &defaults);
    lines_note(&in);
    cr_assert_eq(lines_next(&in, &item, &e), 1);
    static const size_t want[] = {4, 6, 10, 16, 20, 22};
    struct seams_view s = lines_seams(&in);
    cr_assert_eq(s.count, COUNT(want));
    for (size_t i = 0; i < COUNT(want); i++) {
        cr_assert_eq(s.text + s.at[i], item.at + want[i], "%zu", i);
    }
    cr_assert_eq(lines_next(&in, &item, &e), 1);
    cr_assert_null(lines_seams(&in).text, "not of a line that had white space");
    cr_assert_eq(lines_next(&in, &item, &e), 1);
    s = lines_seams(&in);
    cr_assert(s.count == 2 && s.text + s.at[0] == item.at + 2 && s.text + s.at[1] == item.at + 5);
    lines_close(&in);
    reader_release(&r);
}

/* ---- members ---- */

Test(members, commas_stand_between_them)
{
    struct buf b = {0};
    buf_add_byte(&b, '{');
    members_open(&b, "inner");
    buf_add_byte(&b, '}');
    members_text(&b, "text", SPAN_LIT("a\"\xff{"));
    members_open(&b, "more");
    members_count(&b, "n", UINT64_MAX);
    members_json(&b, "j", SPAN_LIT("[1]"));
    buf_add_byte(&b, '}');
    members_stamp(&b, "t", 1000 * INT64_C(1000000));
    buf_add_byte(&b, '}');
    cr_expect_str_eq(buf_text(&b),
                     "{\"inner\":{},\"text\":\"a\\\"\xef\xbf\xbd{\",\"more\":"
                     "{\"n\":18446744073709551615,\"j\":[1]},\"t\":\"1970-01-01T00:00:01.000Z\"}");
    buf_release(&b);
}

/* ---- names that come twice ---- */

Test(unique, rows)
{
    static const struct {
        const char *text;
        int at; /* of the second name; -1: none comes twice */
    } rows[] = {
        {"1", -1},
        {"\"a\"", -1},
        {"[]", -1},
        {"[\"a\",\"a\"]", -1},
        {"{\"a\":\"a\",\"b\":\"a\"}", -1},
        {"{\"a\":1,\"a\":2}", 7},
        {" { \"a\" : 1 , \"a\" : 2 } ", 13},
        {"{\"a\":1,\"\\u0061\":2}", 7},
        {"{\"\\u0061\":1,\"a\":2}", 12},
        {"{\"\\\"\":1,\"\\u0022\":2}", 8},
        {"{\"a\\\\\":1,\"a\":2}", -1},
        {"{\"\":1,\"\":2}", 6},
        {"{\"a\":{\"a\":{\"a\":1}}}", -1},
        {"{\"a\":{},\"a\":{}}", 8},
        {"{\"a\":{\"b\":1,\"b\":2}}", 12},
        {"[{\"a\":1},{\"a\":1}]", -1},
        {"{\"a\":[{\"b\":1},{\"b\":1}],\"c\":[],\"a\":0}", 30},
        {"{\"a\":\",\\\"a\\\":\",\"b\":\"{\\\"b\\\"\"}", -1},
    };
    struct unique u = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err e = {0};
        size_t at = 0;
        int rc = unique_check(&u, span_text(rows[i].text), &at, &e);
        cr_expect_eq(rc, rows[i].at < 0 ? 0 : -1, "%s", rows[i].text);
        cr_expect(rows[i].at < 0 || (int)at == rows[i].at, "%s: %zu", rows[i].text, at);
    }
    unique_release(&u);
}

Test(unique, many_names)
{
    struct unique u = {0};
    struct buf text = {0};
    struct err e = {0};
    size_t at;
    for (int twice = 0; twice < 2; twice++) {
        buf_reset(&text);
        for (int i = 0; i < 100000; i++) {
            buf_printf(&text, "%c\"n%d\":{\"x\":%d}", i ? ',' : '{', i, i);
        }
        size_t end = text.len + 1;
        buf_printf(&text, ",\"n%d\":0}", twice ? 99 : 100000);
        cr_expect_eq(unique_check(&u, buf_span(&text), &at, &e), twice ? -1 : 0);
        cr_expect(!twice || at == end);
    }
    cr_expect_eq(unique_check(&u, SPAN_LIT("{\"n1\":1}"), &at, &e), 0, "the next text is another");
    buf_release(&text);
    unique_release(&u);
}

/* ---- names ---- */

/* A key of LEN letters between quotes, in memory of just its size. */
static struct span make_key(size_t len)
{
    char *key = malloc(len + 2);
    for (size_t i = 0; i < len; i++) {
        key[i + 1] = (char)('a' + i % 26);
    }
    key[0] = key[len + 1] = '"';
    return span_of(key, len + 2);
}

Test(name, every_byte_counts)
{
    for (size_t len = 0; len <= 80; len++) {
        struct span key = make_key(len), other = make_key(len);
        struct span name = span_of(other.at + 1, len);
        char *byte = (char *)(uintptr_t)other.at;
        cr_assert(name_is_verbatim(key, name), "%zu", len);
        cr_assert(!name_is_verbatim(key, span_of(name.at, len ? len - 1 : 1)), "%zu", len);
        for (size_t i = 1; i <= len; i++) {
            byte[i] ^= 1;
            cr_assert(!name_is_verbatim(key, name), "%zu of %zu", i, len);
            byte[i] ^= 1;
        }
        free((void *)(uintptr_t)key.at);
        free(byte);
    }
}

Test(name, finds_an_escape_wherever_it_is)
{
    for (size_t len = 0; len <= 80; len++) {
        struct span key = make_key(len);
        char *byte = (char *)(uintptr_t)key.at;
        cr_assert(!name_has_escape(key), "%zu", len);
        for (size_t i = 1; i < len; i++) { /* the last byte of a string cannot begin an escape */
            char was = byte[i];
            byte[i] = '\\';
            cr_assert(name_has_escape(key), "%zu of %zu", i, len);
            byte[i] = '\\' ^ 1; /* its neighbours are none, nor is it with the top bit */
            cr_assert(!name_has_escape(key), "%zu of %zu", i, len);
            byte[i] = (char)('\\' | 0x80);
            cr_assert(!name_has_escape(key), "%zu of %zu", i, len);
            byte[i] = was;
        }
        free(byte);
    }
}

/* What nests how deep: the greatest depth that is exceeded, and the least that is not. */
static const struct {
    const char *text;
    uint64_t depth;
} nested[] = {
    {"1", 0},
    {"\"[[[[\"", 0},
    {"[]", 1},
    {"[\"\\\"[[[[\",\"\\\\\",[1]]", 2},
    {"{\"a\":[{}],\"b\":[[[]]]}", 4},
    {"[[],[[],[]],[[[]]]]", 4},
};

Test(json, nesting)
{
    for (size_t i = 0; i < sizeof nested / sizeof *nested; i++) {
        struct span text = span_text(nested[i].text);
        uint64_t depth = nested[i].depth;
        cr_expect_not(nesting_exceeds(text, depth), "%s", nested[i].text);
        cr_expect(depth == 0 || nesting_exceeds(text, depth - 1), "%s", nested[i].text);
        cr_expect_not(nesting_exceeds(text, UINT64_MAX), "%s", nested[i].text);
    }
}
