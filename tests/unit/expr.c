/* lib/expr: paths, selections, documents of which parts are kept, templates, attributes. */
#include "expr/attr.h"
#include "expr/bound.h"
#include "expr/document.h"
#include "expr/path.h"
#include "expr/select.h"
#include "expr/template.h"

#include "oracle.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* ---- paths ---- */

static const struct {
    const char *text;
    enum path_root root;
    const char *steps; /* ".name" and "[N]" */
    bool optional;
} paths[] = {
    {"$", PATH_INPUT, "", false},
    {"$Input", PATH_INPUT, "", false},
    {"$.a", PATH_INPUT, ".a", false},
    {"$Input.a.b", PATH_INPUT, ".a.b", false},
    {"$[\"639-3\"][0].name", PATH_INPUT, ".639-3[0].name", false},
    {"$Item", PATH_ITEM, "", false},
    {"$Item.Key", PATH_ITEM, ".Key", false},
    {"$Item.a-b_c9", PATH_ITEM, ".a-b_c9", false},
    {"$Item.639-3", PATH_ITEM, ".639-3", false},
    {"$Item.\xC3\xA9t\xC3\xA9", PATH_ITEM, ".\xC3\xA9t\xC3\xA9", false},
    {"$$", PATH_CONTEXT, "", false},
    {"$$.Execution.Name", PATH_CONTEXT, ".Execution.Name", false},
    {"$Context.Item.Index", PATH_CONTEXT, ".Item.Index", false},
    {"$Output.x", PATH_OUTPUT, ".x", false},
    {"$Global.x", PATH_GLOBAL, ".x", false},
    {".a", PATH_HERE, ".a", false},
    {"[3]", PATH_HERE, "[3]", false},
    {"$Item[18446744073709551615]", PATH_ITEM, "[18446744073709551615]", false},
    {"$Item[\"\"]", PATH_ITEM, ".", false},
    {"$Item[\"a\\\"]\\u0041\\n\"]", PATH_ITEM, ".a\"]A\n", false},
    {"$Item['it\"]s\\n']", PATH_ITEM, ".it\"]s\\n", false},
    {"$Item[`a'b`]", PATH_ITEM, ".a'b", false},
    {"$Item.a?", PATH_ITEM, ".a", true},
    {"$Item.a?.b[0]?", PATH_ITEM, ".a.b[0]", true},
};

static void show_steps(const struct path *p, struct buf *out)
{
    buf_reset(out);
    for (size_t i = 0; i < p->count; i++) {
        if (p->steps[i].kind == PATH_MEMBER) {
            buf_add_byte(out, '.');
            buf_add_span(out, p->steps[i].name);
        } else {
            buf_printf(out, "[%llu]", (unsigned long long)p->steps[i].index);
        }
    }
}

Test(path, parsed)
{
    struct buf steps = {0};
    for (size_t i = 0; i < COUNT(paths); i++) {
        struct path p;
        struct err e = {0};
        cr_assert_eq(path_parse(&p, span_text(paths[i].text), &e), 0, "%s: %s", paths[i].text,
                     e.text);
        show_steps(&p, &steps);
        cr_expect_str_eq(buf_text(&steps), paths[i].steps, "%s", paths[i].text);
        cr_expect_eq(p.root, paths[i].root, "%s", paths[i].text);
        cr_expect_eq(p.optional, paths[i].optional, "%s", paths[i].text);
        cr_expect_str_eq(p.text, paths[i].text);
        path_release(&p);
        path_release(&p); /* legal again */
    }
    buf_release(&steps);
}

static const struct {
    const char *text;
    const char *what;
    int at; /* character, from 1 */
} bad_paths[] = {
    {"", "a path expected", 1},
    {"a", "'.' or '[' expected", 1},
    {" $Item", "'.' or '[' expected", 1},
    {"$Foo", "$Input, $Item or $Context expected", 2},
    {"$Itemx.a", "$Input, $Item or $Context expected", 2},
    {"$input.a", "$Input, $Item or $Context expected", 2},
    {"$Item.", "a name must come behind '.'", 7},
    {"$Item..a", "a name must come behind '.'", 7},
    {"$Item.a b", "'.' or '[' expected", 8},
    {"$Item.a?b", "'.' or '[' expected", 9},
    {"$Item[", "a number or a quoted name must come behind '['", 7},
    {"$Item[x]", "a number or a quoted name must come behind '['", 7},
    {"$Item[-1]", "a number or a quoted name must come behind '['", 7},
    {"$Item[1", "']' expected", 8},
    {"$Item[1.5]", "']' expected", 8},
    {"$Item[18446744073709551616]", "the index is too large", 26},
    {"$Item[\"a", "the quoted name is not closed", 7},
    {"$Item[\"a\\", "the quoted name is not closed", 7},
    {"$Item[\"a\\\"]", "the quoted name is not closed", 7},
    {"$Item['a", "the quoted name is not closed", 7},
    {"$Item[\"a\\x\"]", "the quoted name is no JSON string", 7},
    {"$Item[\"\xFF\"]", "the quoted name is no JSON string", 7},
    {"$Item[\"a\"b]", "']' expected", 10},
};

Test(path, refused_with_the_place)
{
    for (size_t i = 0; i < COUNT(bad_paths); i++) {
        struct path p;
        struct err e = {0};
        struct buf want = {0};
        buf_printf(&want, "path '%s': %s at character %d", bad_paths[i].text, bad_paths[i].what,
                   bad_paths[i].at);
        cr_expect_eq(path_parse(&p, span_text(bad_paths[i].text), &e), -1, "row %zu", i);
        cr_expect_eq(e.code, ERR_USAGE);
        cr_expect_str_eq(e.text, buf_text(&want), "row %zu", i);
        cr_expect(!p.text && !p.steps && p.count == 0, "row %zu", i);
        buf_release(&want);
    }
    struct buf longest = {0};
    struct path p;
    struct err e = {0};
    buf_add_text(&longest, "$Item");
    for (int i = 0; i < PATH_STEPS_MAX; i++) {
        buf_add_text(&longest, ".a");
    }
    cr_expect_eq(path_parse(&p, buf_span(&longest), &e), 0);
    path_release(&p);
    buf_add_text(&longest, ".a");
    cr_expect_eq(path_parse(&p, buf_span(&longest), &e), -1);
    buf_release(&longest);
}

static const char document[] =
    " { \"a\" : [ 10 , { \"b\" : \"x\" } , [ ] ] , \"k\":1,\"k\" : 2.50,"
    " \"o\":{\"p\":1},\"o\":{\"q\":[true]}, \"\\u0065\": null , \"\":{\"\":0} } ";

static const struct {
    const char *path;
    const char *want; /* NULL: it leads nowhere */
} finds[] = {
    {"$.a[0]", "10"},     {"$.a[1].b", "\"x\""},  {"$.a[2]", "[ ]"}, {"$.a[3]", NULL},
    {"$.a.b", NULL},      {"$[0]", NULL},         {"$.k", "2.50"}, /* the last one counts */
    {"$.k.x", NULL},      {"$.o.q[0]", "true"},   {"$.o.p", NULL}, /* also within */
    {"$.e", "null"},      {"$[\"\"][\"\"]", "0"}, {"$.x", NULL},     {"$.x?", "null"},
    {"$.x?.y.z", "null"}, {"$.a[9]?", "null"},    {"$.k?", "2.50"},
};

Test(path, followed)
{
    for (size_t i = 0; i < COUNT(finds); i++) {
        struct path p;
        struct span v = SPAN_LIT("untouched");
        cr_assert_eq(path_parse(&p, span_text(finds[i].path), NULL), 0);
        cr_expect_eq(path_find(&p, SPAN_LIT(document), &v), finds[i].want != NULL, "%s",
                     finds[i].path);
        cr_expect(span_equal(v, span_text(finds[i].want ? finds[i].want : "untouched")), "%s: %.*s",
                  finds[i].path, (int)v.len, v.at);
        path_release(&p);
    }
}

/* The table of RFC 6901, section 5, and what section 4 says of arrays. */
static const char pointed[] =
    "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,"
    "\"g|h\":4,\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8,\"0\":{\"1\":9}}";

static const struct {
    const char *pointer;
    const char *want;
} pointers[] = {
    {"", pointed},

    {"/foo", "[\"bar\",\"baz\"]"},
    {"/foo/0", "\"bar\""},
    {"/foo/1", "\"baz\""},
    {"/", "0"},
    {"/a~1b", "1"},
    {"/c%d", "2"},
    {"/e^f", "3"},
    {"/g|h", "4"},
    {"/i\\j", "5"},
    {"/k\"l", "6"},
    {"/ ", "7"},
    {"/m~0n", "8"},
    {"/0/1", "9"},
    {"/foo/2", NULL},
    {"/foo/00", NULL},
    {"/foo/01", NULL},
    {"/foo/-", NULL},
    {"/foo/ 0", NULL},
    {"/foo/+0", NULL},
    {"/foo/99999999999999999999", NULL},
    {"/foo/", NULL},
    {"/foo/0/x", NULL},
    {"/m~01n", NULL},
};

Test(path, json_pointers)
{
    for (size_t i = 0; i < COUNT(pointers); i++) {
        struct path p;
        struct select s = {0};
        struct span v = {0};
        struct span selected;
        cr_assert_eq(path_parse_pointer(&p, span_text(pointers[i].pointer), NULL), 0);
        cr_expect_eq(p.root, PATH_INPUT);
        bool found = path_find(&p, SPAN_LIT(pointed), &v);
        cr_expect_eq(found, pointers[i].want != NULL, "%s", pointers[i].pointer);
        cr_expect(!found || span_equal(v, span_text(pointers[i].want)), "%s: %.*s",
                  pointers[i].pointer, (int)v.len, v.at);
        cr_assert_eq(select_add(&s, &p), 0);
        select_run(&s, SPAN_LIT(pointed), SEAMS_NONE, &selected);
        cr_expect_eq(selected.at, v.at, "%s", pointers[i].pointer);
        select_release(&s);
        path_release(&p);
    }
    static const char *const bad[] = {"a", "foo/0", "#/a", "/a~", "/a~2", "/~a/b"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct path p;
        struct err e = {0};
        cr_expect_eq(path_parse_pointer(&p, span_text(bad[i]), &e), -1, "%s", bad[i]);
        cr_expect(strstr(e.text, "at character"), "%s", e.text);
    }
    struct buf longest = {0};
    struct path p;
    struct err e = {0};
    for (int i = 0; i < PATH_STEPS_MAX; i++) {
        buf_add_text(&longest, "/a");
    }
    cr_expect_eq(path_parse_pointer(&p, buf_span(&longest), &e), 0);
    path_release(&p);
    buf_add_text(&longest, "/a");
    cr_expect_eq(path_parse_pointer(&p, buf_span(&longest), &e), -1);
    buf_release(&longest);
}

/* ---- selections and documents ---- */

struct wanted {
    const char *document;
    const char *paths[5];
    const char *values[5]; /* compact; NULL: nothing */
};

static const struct wanted wanted[] = {
    {document,
     {"$.a[1].b", "$.k", "$.a", "$", "$.e"},
     {"\"x\"", "2.50", "[10,{\"b\":\"x\"},[]]",
      "{\"a\":[10,{\"b\":\"x\"},[]],\"k\":1,\"k\":2.50,\"o\":{\"p\":1},\"o\":{\"q\":[true]},"
      "\"\\u0065\":null,\"\":{\"\":0}}",
      "null"}},
    {document,
     {"$.o.p", "$.o.q[0]", "$.o", "$.k.z", "$.a[2][0]"},
     {NULL, "true", "{\"q\":[true]}", NULL, NULL}},
    {"{\"a\":{\"b\":1,\"c\":2},\"a\":3}", {"$.a.b", "$.a.c", "$.a"}, {NULL, NULL, "3"}},
    {"{\"a\":3,\"a\":{\"b\":1,\"b\":{}}}", {"$.a.b", "$.a"}, {"{}", "{\"b\":1,\"b\":{}}"}},
    {"{\"a\":{\"b\":{\"c\":1}},\"a\":{\"b\":{\"c\":2},\"b\":{}}}",
     {"$.a.b.c", "$.a.b"},
     {NULL, "{}"}},
    {"[[1,2],[3,4]]",
     {"$[1][0]", "$[0]", "$[1]", "$[0][1]", "$[2]"},
     {"3", "[1,2]", "[3,4]", "2", NULL}},
    {" 12345 ", {"$"}, {"12345"}},
    {"-0.50e+10", {"$"}, {"-0.50e+10"}}, /* a number ends only with the text */
    {"7", {"$", "$.a", "$[0]"}, {"7", NULL, NULL}},
    {"\"\\ud800 {[\"", {"$"}, {"\"\\ud800 {[\""}},
    {"null\n", {"$", "$.a"}, {"null", NULL}},
    {"{}", {"$.a", "$"}, {NULL, "{}"}},
    {"[]", {"$[0]", "$"}, {NULL, "[]"}},
    {"{\"\\u0061\":1,\"b\\\"\":2,\"\xC3\xA9\":3}",
     {"$.a", "$['b\"']", "$.\xC3\xA9"},
     {"1", "2", "3"}},
    {"\xEF\xBB\xBF[1]", {"$[0]"}, {"1"}}, /* a byte order mark, which only a reader skips */
    {"{\"n\":123456789012345678901234567890,\"m\":1.10,\"x\":1e400}",
     {"$.n", "$.m", "$.x"},
     {"123456789012345678901234567890", "1.10", "1e400"}},
};

/* Slots of the paths of W in S. */
static void select_paths(struct select *s, const struct wanted *w, size_t slots[5])
{
    for (size_t i = 0; i < 5 && w->paths[i]; i++) {
        struct path p;
        cr_assert_eq(path_parse(&p, span_text(w->paths[i]), NULL), 0);
        slots[i] = select_add(s, &p);
        cr_assert_eq(select_add(s, &p), slots[i], "equal paths share a slot");
        path_release(&p);
    }
}

/* A reader that gets TEXT, which must be short, in pieces of CHUNK bytes; 0: all at once. */
static void chunk_reader(struct reader *r, struct span text, size_t chunk)
{
    if (chunk == 0) {
        reader_init_text(r, text, "test");
        return;
    }
    int pair[2];
    int size = 1 << 20;
    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
    setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    for (size_t at = 0; at < text.len; at += chunk) {
        size_t n = text.len - at < chunk ? text.len - at : chunk;
        cr_assert_eq(send(pair[0], text.at + at, n, MSG_DONTWAIT), (ssize_t)n);
    }
    close(pair[0]);
    reader_init(r, pair[1], "test", NULL);
}

static void close_chunk_reader(struct reader *r)
{
    if (r->fd >= 0) {
        close(r->fd);
    }
    reader_release(r);
}

static void expect_values(const struct wanted *w, const size_t *slots, const struct span *values,
                          const char *how)
{
    for (size_t i = 0; i < 5 && w->paths[i]; i++) {
        struct span v = values[slots[i]];
        cr_expect_eq(v.at != NULL, w->values[i] != NULL, "%s: %s of %s", how, w->paths[i],
                     w->document);
        cr_expect(!v.at || !w->values[i] || span_equal(v, span_text(w->values[i])),
                  "%s: %s of %s: %.*s", how, w->paths[i], w->document, (int)v.len, v.at);
    }
}

Test(document, only_what_is_asked_for)
{
    static const size_t chunks[] = {0, 1, 2, 7};
    for (size_t i = 0; i < COUNT(wanted) * COUNT(chunks); i++) {
        const struct wanted *w = &wanted[i / COUNT(chunks)];
        struct select s = {0};
        struct document d;
        struct reader r;
        struct err e = {0};
        size_t slots[5];
        select_paths(&s, w, slots);
        chunk_reader(&r, span_text(w->document), chunks[i % COUNT(chunks)]);
        cr_assert_eq(document_read(&d, &s, &r, 100, &e), 0, "%s: %s", w->document, e.text);
        expect_values(w, slots, d.values, i % COUNT(chunks) ? "in chunks" : "whole");
        close_chunk_reader(&r);
        document_release(&d);
        select_release(&s);
    }
}

Test(select, many_paths_in_one_walk)
{
    struct scan scan;
    char compact[512];
    size_t len;
    scan_init(&scan, 100);
    for (size_t i = 0; i < COUNT(wanted); i++) {
        const struct wanted *w = &wanted[i];
        struct select s = {0};
        struct span values[5];
        struct seams seams = {0};
        size_t slots[5];
        select_paths(&s, w, slots);
        const char *text = w->document + (w->document[0] == '\xEF' ? 3 : 0);
        cr_assert_eq(scan_compact(&scan, text, strlen(text), compact, &len), 0);
        select_run(&s, span_of(compact, len), SEAMS_NONE, values);
        expect_values(w, slots, values, "by walking");
        scan.seams = &seams;
        cr_assert_eq(scan_check(&scan, compact, len), 0);
        scan.seams = NULL;
        select_run(&s, span_of(compact, len), seams_view(&seams, compact), values);
        expect_values(w, slots, values, "along the seams");
        seams_release(&seams);
        select_release(&s);
    }
    scan_release(&scan);
}

/* Random documents and paths: a selection, a document and path_find agree. */
Test(document, random_documents_and_paths, .timeout = 120)
{
    static const char *const steps[] = {"[0]", "[1]",    "[2]",         ".key",
                                        ".x",  "[\"\"]", "[\"{}[],:\"]"};
    uint64_t seed = 21;
    struct buf text = {0};
    struct buf compact = {0};
    struct scan scan;
    size_t found = 0;
    scan_init(&scan, 100);
    for (int i = 0; i < 3000; i++) {
        struct select s = {0};
        struct path some[6];
        size_t slots[6];
        struct span values[6];
        struct document d;
        struct reader r;
        buf_reset(&text);
        make_value(&text, &seed, 0, i % 2);
        buf_reset(&compact);
        scan_compact(&scan, text.at, text.len, buf_room(&compact, text.len), &compact.len);
        for (int j = 0; j < 6; j++) {
            struct buf path = {0};
            buf_add_byte(&path, '$');
            for (uint32_t k = chance(&seed, 4); k > 0; k--) {
                buf_add_text(&path, steps[chance(&seed, COUNT(steps))]);
            }
            cr_assert_eq(path_parse(&some[j], buf_span(&path), NULL), 0);
            slots[j] = select_add(&s, &some[j]);
            buf_release(&path);
        }
        chunk_reader(&r, buf_span(&text), text.len < 300 ? chance(&seed, 9) : 0);
        cr_assert_eq(document_read(&d, &s, &r, 100, NULL), 0);
        select_run(&s, buf_span(&compact), SEAMS_NONE, values);
        for (int j = 0; j < 6; j++) {
            struct span v = {0};
            bool leads = path_find(&some[j], buf_span(&compact), &v);
            cr_assert_eq(values[slots[j]].at, v.at, "%s of %.*s", some[j].text, (int)text.len,
                         text.at);
            cr_assert_eq(d.values[slots[j]].at != NULL, leads, "%s of %.*s", some[j].text,
                         (int)text.len, text.at);
            cr_assert(!leads || span_equal(d.values[slots[j]], v), "%s of %.*s", some[j].text,
                      (int)text.len, text.at);
            found += leads && some[j].count > 0;
            path_release(&some[j]);
        }
        close_chunk_reader(&r);
        document_release(&d);
        select_release(&s);
    }
    cr_expect_gt(found, 500);
    scan_release(&scan);
    buf_release(&text);
    buf_release(&compact);
}

static const struct {
    const char *text;
    const char *error;
} bad_documents[] = {
    {"", "test:1:1 (byte 0): the document is empty"},
    {" \n ", "test:2:2 (byte 3): the document is empty"},
    {"{\"a\":1", "test:1:7 (byte 6): the text ends in the middle of a value"},
    {"{\"a\":\n[1,]}", "test:2:4 (byte 9): expected a value"},
    {"{} {}", "test:1:4 (byte 3): more text behind the value"},
    {"[[[[1]]]]", "test:1:4 (byte 3): nested deeper than the limit (--max-depth)"},
    {"{\"x\":\"\xFF\"}", "test:1:7 (byte 6): invalid UTF-8"}, /* also where nobody asks */
    {"\xFF\xFE{\0", "test is UTF-16, not UTF-8 (it begins with its byte order mark)"},
};

Test(document, refused_with_the_place)
{
    for (size_t i = 0; i < COUNT(bad_documents) * 2; i++) {
        struct select s = {0};
        struct path p;
        struct document d;
        struct reader r;
        struct err e = {0};
        char message[256];
        path_parse(&p, SPAN_LIT("$.a"), NULL);
        select_add(&s, &p);
        chunk_reader(&r, span_text(bad_documents[i / 2].text), i % 2);
        cr_expect_eq(document_read(&d, &s, &r, 3, &e), -1, "row %zu", i);
        cr_expect_str_eq(err_message(&e, message, sizeof message), bad_documents[i / 2].error);
        cr_expect(!d.values && !d.bytes.at, "row %zu", i);
        close_chunk_reader(&r);
        path_release(&p);
        select_release(&s);
    }
}

/* Of a document of 10 MB, of which two values are asked for, only these are kept. */
Test(document, a_large_one_takes_little_memory)
{
    struct buf text = {0};
    struct select s = {0};
    struct wanted w = {.paths = {"$.first", "$.list[40000].n"}};
    size_t slots[5];
    buf_add_text(&text, "{\"first\":\"kept\",\"list\":[");
    for (int i = 0; i < 50000; i++) {
        buf_printf(&text, "%s{\"n\":%d,\"text\":\"%0200d\"}", i ? "," : "", i, i);
    }
    buf_add_text(&text, "],\"last\":\"");
    memset(buf_room(&text, 1 << 20), 'x', 1 << 20);
    text.len += 1 << 20;
    buf_add_text(&text, "\"}");
    select_paths(&s, &w, slots);
    char name[SCRATCH_MAX];
    int fd = mkstemp(scratch_name(name));
    unlink(name);
    cr_assert_eq(write(fd, text.at, text.len), (ssize_t)text.len);
    lseek(fd, 0, SEEK_SET);
    struct reader r;
    struct document d;
    struct err e = {0};
    reader_init(&r, fd, "test", NULL);
    cr_assert_eq(document_read(&d, &s, &r, 10, &e), 0);
    cr_expect(span_equal(d.values[slots[0]], SPAN_LIT("\"kept\"")));
    cr_expect(span_equal(d.values[slots[1]], SPAN_LIT("40000")));
    cr_expect_lt(d.bytes.cap, 2 << 20, "%zu bytes", d.bytes.cap);
    reader_release(&r);
    document_release(&d);
    select_release(&s);
    buf_release(&text);
    close(fd);
}

/* ---- templates ---- */

static const char *const input = "{\"v\":1.10,\"o\":{\"p\":[7,8]},\"n\":null}";
static const char *const run_facts = "{\"Execution\":{\"Name\":\"run\"}}";

static const struct {
    const char *template;
    bool sort;
    const char *item;
    const char *want; /* "!…": the message */
} templates[] = {
    {"{\"Key.$\":\"$Item.Key\"}", false, "{\"Key\":1}", "{\"Key\":1}"},
    {" { \"b\" : 1 , \"a.$\" : \"$Item\" } ", false, "[1,2]", "{\"b\":1,\"a\":[1,2]}"},
    {"{\"b\":1,\"a.$\":\"$Item\",\"B\":2,\"\":3}", true, "0", "{\"\":3,\"B\":2,\"a\":0,\"b\":1}"},
    /* sorted by the names that leave: the suffix plays no part, escapes are decoded */
    {"{\"a-b\":1,\"a.$\":\"$Item\",\"\\u0061\\u0061\":2}", true, "0",
     "{\"a\":0,\"a-b\":1,\"\\u0061\\u0061\":2}"},
    {"{\"x\":{\"b\":1,\"a\":[{\"d\":1,\"c.$\":\"$Item\"}]},\"a\":0}", true, "9",
     "{\"a\":0,\"x\":{\"a\":[{\"c\":9,\"d\":1}],\"b\":1}}"},
    {"{\"b.$\":\"$Item\",\"a\":2,\"a\":1}", true, "3", "{\"a\":2,\"a\":1,\"b\":3}"},
    /* exact bytes, of values and of literals */
    {"{\"a.$\":\"$Item.n\",\"l\":1.10e5,\"s\":\"\\u0041\\/\"}", false,
     "{\"n\":123456789012345678901234567890.10}",
     "{\"a\":123456789012345678901234567890.10,\"l\":1.10e5,\"s\":\"\\u0041\\/\"}"},
    {"{\"a.$\":\"$Item.s\"}", false, "{\"s\":\"\\ud800\\u00e9\"}", "{\"a\":\"\\ud800\\u00e9\"}"},
    {"{\"k\\u0041\\\".$\":\"$Item\"}", false, "1", "{\"k\\u0041\\\"\":1}"},
    {"{\".$\":\"$Item\"}", false, "1", "{\"\":1}"},
    /* at every depth, in objects and arrays */
    {"{\"o\":{\"p\":{\"a.$\":\"$Item.a\"}},\"l\":[1,[{\"b.$\":\"$Item.b\"}],\"$Item.c\"]}", false,
     "{\"a\":\"A\",\"b\":[]}", "{\"o\":{\"p\":{\"a\":\"A\"}},\"l\":[1,[{\"b\":[]}],\"$Item.c\"]}"},
    {"[{\"a.$\":\"$Item\"}]", false, "1", "[{\"a\":1}]"},
    {"{\"a\":\"$Item.a\",\"a.$x\":\"$Item\",\"$\":\"$\"}", false, "1",
     "{\"a\":\"$Item.a\",\"a.$x\":\"$Item\",\"$\":\"$\"}"},
    {"5", false, "1", "5"},
    {"{}", false, "1", "{}"},
    /* the three roots */
    {"{\"i.$\":\"$Input.v\",\"p.$\":\"$Input.o.p[1]\",\"n.$\":\"$.n\",\"w.$\":\"$Input\"}", false,
     "0", "{\"i\":1.10,\"p\":8,\"n\":null,\"w\":{\"v\":1.10,\"o\":{\"p\":[7,8]},\"n\":null}}"},
    {"{\"r.$\":\"$Context.Execution.Name\",\"s.$\":\"$$.Execution\"}", false, "0",
     "{\"r\":\"run\",\"s\":{\"Name\":\"run\"}}"},
    {"{\"i.$\":\"$Context.Item.Index\",\"v.$\":\"$Context.Item.Value\"}", false, "{\"a\":1}",
     "{\"i\":41,\"v\":{\"a\":1}}"},
    {"{\"i.$\":\"$$.Item\"}", false, "7", "{\"i\":{\"Index\":41,\"Value\":7}}"},
    {"{\"i.$\":\"$$.Item.Key?\",\"s.$\":\"$$.Item.Source?\"}", false, "7",
     "{\"i\":null,\"s\":null}"},
    /* items that say it themselves: members of a split object, and those of mapsplit --context */
    {"{\"k.$\":\"$Context.Item.Key\",\"v.$\":\"$Context.Item.Value\",\"i.$\":\"$$.Item.Index\"}",
     false, "{\"Key\":\"aar\",\"Value\":{\"x\":1}}", "{\"k\":\"aar\",\"v\":{\"x\":1},\"i\":41}"},
    {"{\"i.$\":\"$Context.Item.Index\",\"s.$\":\"$Context.Item.Source\",\"v.$\":\"$$.Item.Value."
     "x\"}",
     false, "{\"Index\":5,\"Source\":\"f.json\",\"Value\":{\"x\":1}}",
     "{\"i\":5,\"s\":\"f.json\",\"v\":1}"},
    {"{\"k.$\":\"$$.Item.Key\",\"v.$\":\"$$.Map.Item.Value\",\"i.$\":\"$$.Item.Index\"}", false,
     "{\"Index\":5,\"Source\":\"f\",\"Key\":\"aar\",\"Value\":{\"Key\":1,\"Value\":2}}",
     "{\"k\":\"aar\",\"v\":{\"Key\":1,\"Value\":2},\"i\":5}"},
    {"{\"v.$\":\"$$.Map.Item.Value\"}", false,
     "{\"Index\":5,\"Source\":\"f\",\"Value\":{\"Key\":1,\"Value\":2}}",
     "{\"v\":{\"Key\":1,\"Value\":2}}"},
    {"{\"k.$\":\"$Context.Item.Key?\"}", false, "{\"Key\":1,\"Value\":2,\"More\":3}",
     "{\"k\":null}"},
    {"{\"v.$\":\"$$.Item.Value\"}", false, "{\"Key\":1}", "{\"v\":{\"Key\":1}}"},
    {"{\"v.$\":\"$$.Item.Value\"}", false, "{\"Value\":2,\"Key\":1}",
     "{\"v\":{\"Value\":2,\"Key\":1}}"},
    /* nowhere */
    {"{\"a.$\":\"$Item.a?\"}", false, "{}", "{\"a\":null}"},
    {"{\"a.$\":\"$Item.a?.b\"}", false, "5", "{\"a\":null}"},
    {"{\"a.$\":\"$Item.a\"}", false, "{\"b\":1}",
     "!there is no $Item.a (write '?' behind it for null)"},
    {"{\"a.$\":\"$Context.x\"}", false, "0",
     "!there is no $Context.x (write '?' behind it for null)"},
    {"{\"a.$\":\"$Item.k\"}", false, "{\"k\":1,\"k\":2}", "{\"a\":2}"},
};

static int bind_input(struct template *t, struct document *d, struct err *e)
{
    struct reader r;
    reader_init_text(&r, span_text(input), "input");
    int rc = document_read(d, template_input(t), &r, 100, e);
    reader_release(&r);
    return rc < 0 ? rc : template_bind(t, d, e);
}

Test(template, rendered)
{
    for (size_t i = 0; i < COUNT(templates); i++) {
        struct template *t;
        struct document d;
        struct buf out = {0};
        struct err e = {0};
        cr_assert_eq(template_compile(&t, span_text(templates[i].template), templates[i].sort, &e),
                     0, "row %zu: %s", i, e.text);
        cr_assert_eq(bind_input(t, &d, &e), 0, "row %zu: %s", i, e.text);
        struct template_item item = {
            .item = span_text(templates[i].item), .index = 41, .context = span_text(run_facts)};
        for (int again = 0; again < 2; again++) {
            buf_reset(&out);
            int rc = template_render(t, &item, &out, &e);
            if (templates[i].want[0] == '!') {
                cr_expect_eq(rc, -1, "row %zu", i);
                cr_expect_eq(e.code, ERR_DATA);
                cr_expect_str_eq(e.text, templates[i].want + 1, "row %zu", i);
            } else {
                cr_expect_eq(rc, 0, "row %zu: %s", i, e.text);
                cr_expect_str_eq(buf_text(&out), templates[i].want, "row %zu", i);
            }
        }
        buf_release(&out);
        document_release(&d);
        template_free(t);
    }
}

static const struct {
    const char *text;
    const char *error;
} bad_templates[] = {
    {"", "template:1:1 (byte 0): expected a value"},
    {"{\"a\":1", "template:1:7 (byte 6): the text ends in the middle of a value"},
    {"{\"a\":\n x}", "template:2:2 (byte 7): expected a value"},
    {"{\"a\":1,\"b\":2,\"a.$\":\"$Item\"}", "\"a\" and \"a.$\" become two members of one name"},
    {"[{\"a.$\":\"$Item\",\"a.$\":\"$Item\"}]", "become two members of one name"},
    {"{\"a.$\":5}", "template: the value of \"a.$\" must be an expression in a string"},
    {"{\"a.$\":{\"b\":1}}", "template: the value of \"a.$\" must be an expression in a string"},
    {"{\"a.$\":\"$Output.x\"}", "$Input, $Item or $Context expected"},
    {"{\"a.$\":\"$Item.a..b\"}", "a name must come behind '.'"},
    {"{\"a.$\":\"\"}", "expected"},
};

Test(template, refused_with_the_place)
{
    for (size_t i = 0; i < COUNT(bad_templates); i++) {
        struct template *t = NULL;
        struct err e = {0};
        char message[512];
        cr_expect_eq(template_compile(&t, span_text(bad_templates[i].text), false, &e), -1,
                     "row %zu", i);
        cr_expect_eq(e.code, ERR_USAGE, "row %zu", i);
        err_message(&e, message, sizeof message);
        cr_expect(strstr(message, bad_templates[i].error), "row %zu: %s", i, message);
        cr_expect_null(t);
    }
    struct buf deep = {0};
    struct template *t = NULL;
    struct err e = {0};
    for (int i = 0; i < 5000; i++) {
        buf_add_byte(&deep, '[');
    }
    for (int i = 0; i < 5000; i++) {
        buf_add_byte(&deep, ']');
    }
    cr_expect_eq(template_compile(&t, buf_span(&deep), false, &e), -1);
    cr_expect(strstr(e.text, "nested deeper than"), "%s", e.text);
    buf_release(&deep);
    template_free(NULL);
}

Test(template, what_it_uses)
{
    static const struct {
        const char *text;
        bool in, item, context;
    } rows[] = {
        {"{\"a\":\"$Input\"}", false, false, false},
        {"{\"a.$\":\"$.x\"}", true, false, false},
        {"{\"a.$\":\"$Item\"}", false, true, false},
        {"{\"a.$\":\"$$.x\"}", false, false, true},
        {"{\"a.$\":\"$Context.Item.Index\"}", false, false, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct template *t;
        cr_assert_eq(template_compile(&t, span_text(rows[i].text), false, NULL), 0);
        cr_expect_eq(template_uses(t, PATH_INPUT), rows[i].in, "row %zu", i);
        cr_expect_eq(template_uses(t, PATH_ITEM), rows[i].item, "row %zu", i);
        cr_expect_eq(template_uses(t, PATH_CONTEXT), rows[i].context, "row %zu", i);
        template_free(t);
    }
}

Test(template, bound_to_a_file)
{
    char name[SCRATCH_MAX];
    int fd = mkstemp(scratch_name(name));
    struct bound b;
    struct err e = {0};
    struct buf out = {0};
    struct template_item item = {.item = SPAN_LIT("{\"x\":1}")};
    static const char text[] =
        "\xEF\xBB\xBF{\"a\":{\"a.$\":\"$Input.a.b?\",\"x.$\":\"$Item.x\"}}\n";
    cr_assert_eq(write(fd, text, sizeof text - 1), (ssize_t)sizeof text - 1);
    struct buf at = {0};
    buf_printf(&at, "@%s", name);
    /* the file is the template, byte order mark and all, and the document */
    cr_assert_eq(bound_load(&b, buf_text(&at), name, false, 10, &e), 0, "%s", e.text);
    cr_expect_eq(template_render(b.template, &item, &out, &e), 0);
    cr_expect_str_eq(buf_text(&out), "{\"a\":{\"a\":null,\"x\":1}}");
    bound_release(&b);
    cr_expect_eq(bound_load(&b, buf_text(&at), NULL, false, 10, &e), -1);
    cr_expect_eq(e.code, ERR_USAGE, "a document is needed");
    bound_release(&b);
    cr_expect_eq(bound_load(&b, "{\"a.$\":\"$Input.zz\"}", name, false, 10, &e), -1);
    cr_expect(strstr(e.text, name) && strstr(e.text, "$Input.zz"), "%s", e.text);
    bound_release(&b);
    cr_expect_eq(bound_load(&b, "@/no/such/file", NULL, false, 10, &e), -1);
    cr_expect_str_eq(e.text, "cannot open /no/such/file: No such file or directory");
    bound_release(&b);
    buf_reset(&out);
    cr_expect_eq(bound_context(name, 10, &out, &e), 0);
    cr_expect_str_eq(buf_text(&out), "{\"a\":{\"a.$\":\"$Input.a.b?\",\"x.$\":\"$Item.x\"}}");
    unlink(name);
    close(fd);
    buf_release(&at);
    buf_release(&out);
}

static const struct {
    const char *entry;
    const char *want; /* NULL: refused */
} entries[] = {
    {"a=1", "\"a\":1"},
    {"a=\"x\"", "\"a\":\"x\""},
    {"a=x", "\"a\":\"x\""},
    {"a=", "\"a\":\"\""},
    {"a= 1.10 ", "\"a\": 1.10 "},
    {"a=007", "\"a\":\"007\""},
    {"a={\"b\":[1]}", "\"a\":{\"b\":[1]}"},
    {"a=b=c", "\"a\":\"b=c\""},
    {"a.$=$Item.x", "\"a.$\":\"$Item.x\""},
    {"a.$=$Item[\"x\"]", "\"a.$\":\"$Item[\\\"x\\\"]\""},
    {"a.$=5", "\"a.$\":\"5\""},
    {"q\"\n=1", "\"q\\\"\\n\":1"},
    {"a", NULL},
    {"=1", NULL},
};

Test(template, entries)
{
    for (size_t i = 0; i < COUNT(entries); i++) {
        struct buf out = {0};
        struct err e = {0};
        int rc = bound_add_entry(&out, entries[i].entry, &e);
        cr_expect_eq(rc, entries[i].want ? 0 : -1, "row %zu", i);
        cr_expect(!entries[i].want || strcmp(buf_text(&out), entries[i].want) == 0, "row %zu: %s",
                  i, buf_text(&out));
        buf_release(&out);
    }
}

/* ---- attributes ---- */

static const char *look_outside(void *context, const char *name)
{
    return strcmp(name, "HOME") == 0 ? context : NULL;
}

static const struct {
    const char *text;
    const char *line;
    const char *want;
    bool missing;
} attrs[] = {
    {"", "{}", "", false},
    {"plain $5 and $$5", "{}", "plain $5 and $$5", false},
    {"${a}", "{\"a\":\"x\"}", "x", false},
    {"<${a}-${b}>", "{\"a\":\"x\",\"b\":\"y\"}", "<x-y>", false},
    {"${ a\t}", "{\"a\":\"x\"}", "x", false},
    {"${fragment.identifier}", "{\"fragment.identifier\":\"id\"}", "id", false},
    {"${'my attr'}|${\"my attr\"}", "{\"my attr\":\"x\"}", "x|x", false},
    {"${'it\\'s'}", "{\"it's\":\"x\"}", "x", false},
    {"${\xC3\xA9}", "{\"\\u00e9\":\"x\"}", "x", false},
    /* dollars before a brace: each pair is one */
    {"$${a}", "{\"a\":\"x\"}", "${a}", false},
    {"$$${a}", "{\"a\":\"x\"}", "$x", false},
    {"$$$${a}", "{\"a\":\"x\"}", "$${a}", false},
    {"$$$$${a}", "{\"a\":\"x\"}", "$$x", false},
    {"${a", "{\"a\":\"x\"}", "${a", false},
    {"a}b{c", "{}", "a}b{c", false},
    /* values as text, exactly */
    {"${n}", "{\"n\":1.10}", "1.10", false},
    {"${n}", "{\"n\":12345678901234567890123}", "12345678901234567890123", false},
    {"${n}", "{\"n\":1e400}", "1e400", false},
    {"${t}${f}", "{\"t\":true,\"f\":false}", "truefalse", false},
    {"${o}", "{\"o\":{\"b\":1,\"a\":[1.0]}}", "{\"b\":1,\"a\":[1.0]}", false},
    {"${s}", "{\"s\":\"\\u00e9\\n\\\"\"}", "\xC3\xA9\n\"", false},
    {"${s}", "{\"s\":\"${a}\",\"a\":\"x\"}", "${a}", false}, /* not evaluated again */
    {"${s}", "{\"s\":\"\"}", "", false},
    {"${k}", "{\"k\":1,\"k\":2}", "2", false},
    {"${A}", "{\"a\":1}", "", true},
    /* missing, and what is outside */
    {"<${x}>", "{}", "<>", true},
    {"<${x}>", "{\"x\":null}", "<>", true},
    {"${x}${a}", "{\"a\":1}", "1", true},
    {"${HOME}", "{}", "/home/user", false},
    {"${HOME}", "{\"HOME\":\"mine\"}", "mine", false},
    {"${HOME}", "{\"HOME\":null}", "/home/user", false},
    {"${x}", "[1]", "", true},
    {"${x}", "\"x\"", "", true},
};

Test(attr, texts_of_lines)
{
    char home[] = "/home/user";
    for (size_t i = 0; i < COUNT(attrs); i++) {
        struct attr_template *t;
        struct buf out = {0};
        struct err e = {0};
        bool missing = !attrs[i].missing;
        cr_assert_eq(attr_compile(&t, attrs[i].text, &e), 0, "row %zu: %s", i, e.text);
        attr_outside(t, look_outside, home);
        buf_add_text(&out, "replaced");
        cr_expect_eq(attr_eval(t, span_text(attrs[i].line), &out, &missing, &e), 0, "row %zu", i);
        cr_expect_str_eq(buf_text(&out), attrs[i].want, "row %zu", i);
        cr_expect_eq(missing, attrs[i].missing, "row %zu", i);
        cr_expect_eq(attr_eval(t, span_text(attrs[i].line), &out, NULL, &e), 0);
        buf_release(&out);
        attr_free(t);
    }
}

Test(attr, refused_with_the_place)
{
    static const char *const bad[] = {"${}", "${ }", "${1a}", "${a b}", "${'a}", "x${'a'b}"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        struct attr_template *t = NULL;
        struct err e = {0};
        cr_expect_eq(attr_compile(&t, bad[i], &e), -1, "%s", bad[i]);
        cr_expect_eq(e.code, ERR_USAGE);
        cr_expect(strstr(e.text, bad[i]) && strstr(e.text, "character"), "%s", e.text);
        cr_expect_null(t);
    }
    attr_free(NULL);
}

Test(attr, constant_or_not)
{
    static const struct {
        const char *text;
        bool constant;
    } rows[] = {{"", true}, {"x", true}, {"$${a}", true}, {"${a}", false}, {"x${a}y", false}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct attr_template *t;
        cr_assert_eq(attr_compile(&t, rows[i].text, NULL), 0);
        cr_expect_eq(attr_is_constant(t), rows[i].constant, "%s", rows[i].text);
        attr_free(t);
    }
}
