/* lib/source: which items come out of a document, byte for byte, however it is cut into chunks. */
#include "source/carve.h"
#include "source/columns.h"
#include "source/format.h"
#include "source/recode.h"

#include "expr/path.h"
#include "io/reader.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* How a document is to be split. */
struct job {
    const char *path; /* NULL: none */
    const char *fragment;
    bool context;
    bool scanned; /* without looking in bulk */
    bool array_only;
    uint64_t max_items;
    uint64_t max_depth;
    uint64_t max_item_bytes;
    bool rejects;
    bool to_null; /* the output is large: only its size counts */
};

/* What came of it. */
struct outcome {
    struct writer out;
    struct writer rejects;
    struct original original;
    struct err e;
    int rc;
};

static void parse(struct path *p, const char *text)
{
    struct err e = {0};
    int rc = *text == '/' || !*text ? path_parse_pointer(p, span_text(text), &e)
                                    : path_parse(p, span_text(text), &e);
    cr_assert_eq(rc, 0, "%s", e.text);
}

/* Feed TEXT in chunks of CHUNK bytes, each in memory of its own, so that nobody reads beyond. */
static int feed(struct carve *c, struct span text, size_t chunk, struct err *e)
{
    int rc = 0;
    for (size_t at = 0; at < text.len && rc == 0; at += chunk) {
        size_t n = text.len - at < chunk ? text.len - at : chunk;
        char *copy = malloc(n);
        memcpy(copy, text.at + at, n);
        rc = carve_feed(c, span_of(copy, n), e);
        free(copy);
    }
    return rc == 0 ? carve_finish(c, e) : rc;
}

static void split(const struct job *job, struct span text, size_t chunk, struct outcome *o)
{
    struct lines_rules rules = {
        .max_depth = job->max_depth ? job->max_depth : SCAN_DEPTH_DEFAULT,
        .max_item_bytes = job->max_item_bytes ? job->max_item_bytes : 1 << 20,
        .rejects = job->rejects ? &o->rejects : NULL,
    };
    struct emit m = {
        .out = &o->out, .rules = &rules, .context = job->context, .max_items = job->max_items};
    struct carve c;
    struct path path = {0};
    *o = (struct outcome){0};
    writer_init(&o->out, job->to_null ? open("/dev/null", O_WRONLY) : -1, "out");
    writer_init(&o->rejects, -1, "rejects");
    writer_init(&o->original.file.out, -1, "original");
    emit_source(&m, "src");
    if (job->fragment) {
        buf_printf(&m.fragment,
                   "\"fragment.identifier\":\"%s\",\"fragment.index\":", job->fragment);
    }
    if (job->path) {
        parse(&path, job->path);
    }
    carve_open(&c, &m, job->path ? &path : NULL, &o->original, "src", 0);
    c.array_only = job->array_only;
    c.bulk.means = job->scanned ? BULK_NONE : c.bulk.means;
    o->rc = feed(&c, text, chunk, &o->e);
    writer_rollback(&o->out);
    carve_close(&c);
    emit_release(&m);
    path_release(&path);
}

static void outcome_release(struct outcome *o)
{
    writer_release(&o->out);
    writer_release(&o->rejects);
    writer_release(&o->original.file.out);
}

static const struct row {
    const char *in;
    struct job job;
    const char *out;      /* the items */
    const char *original; /* what lies around them, without what --original adds */
} rows[] = {
    {"", {0}, "", ""},
    {" \r\n\t", {0}, "", ""},
    {"[]", {0}, "", ""},
    {" [ ] \n", {0}, "", ""},
    {"[1.0,1.10,1e2,1E+2,-0,1e1000,100000000000000000000]",
     {0},
     "1.0\n1.10\n1e2\n1E+2\n-0\n1e1000\n100000000000000000000\n",
     ""},
    {"[ {\"b\" : 1, \"a\":2 ,\"b\":3}\n,\t[ 1 , [ ] , { } ] , null,true , false ]",
     {0},
     "{\"b\":1,\"a\":2,\"b\":3}\n[1,[],{}]\nnull\ntrue\nfalse\n",
     ""},
    {"[{\"s\":\"\\ud800\"},{\"s\":\"\\udc00x\"},{\"s\":\"a \\u00e9 \xC3\xA9 b\"}]",
     {0},
     "{\"s\":\"\\ud800\"}\n{\"s\":\"\\udc00x\"}\n{\"s\":\"a \\u00e9 \xC3\xA9 b\"}\n",
     ""},
    {"[\" , ] \\\" \", \"\"]", {0}, "\" , ] \\\" \"\n\"\"\n", ""},
    /* paths */
    {"{\"a\":1, \"Items\":[1,2], \"z\":[ 3 ]}",
     {.path = "$Input.Items"},
     "1\n2\n",
     "{\"a\":1,\"z\":[3]"},
    {"{\"Items\":[1,2]}", {.path = "$Input.Items"}, "1\n2\n", "{"},
    {"{\"Items\":[1],\"z\":{}}", {.path = "$.Items"}, "1\n", "{\"z\":{}"},
    {"{\"639-3\":[{\"a\":\"x y\"}]}", {.path = "$Input[\"639-3\"]"}, "{\"a\":\"x y\"}\n", "{"},
    {"{\"\\u0041\":[7]}", {.path = "$Input.A"}, "7\n", "{"},
    {"{\"p\":{\"q\":0,\"a\":{\"b\":[[0],{\"c\":[5,6]},8]},\"r\":1},\"s\":2}",
     {.path = "$Input.p.a.b[1].c"},
     "5\n6\n",
     "{\"p\":{\"q\":0,\"a\":{\"b\":[[0],{},8]},\"r\":1},\"s\":2"},
    {"{\"p\":{\"a\":[[1],[2,3],[4]]}}",
     {.path = "$Input.p.a[1]"},
     "2\n3\n",
     "{\"p\":{\"a\":[[1],[4]]}"},
    {"[[1],[2,3]]", {.path = "$Input[1]"}, "2\n3\n", ""},
    {"{\"a/b\":{\"0\":[1]}}", {.path = "/a~1b/0"}, "1\n", "{\"a/b\":{}"},
    {"{\"a\":[[9],[1,2]]}", {.path = "/a/1"}, "1\n2\n", "{\"a\":[[9]]"},
    {"{\"\":[1]}", {.path = "/"}, "1\n", "{"},
    {"[1,2]", {.path = "$"}, "1\n2\n", ""},
    {"[1,2]", {.path = ""}, "1\n2\n", ""},
    {"{\"a\":{},\"a\":{\"Items\":[1]}}", {.path = "$Input.a.Items"}, "1\n", "{\"a\":{},\"a\":{}"},
    {"{\"x\":1}", {.path = "$Input.Items?"}, "", "{\"x\":1"},
    {"{\"Items\":null}", {.path = "$Input.Items?"}, "", "{"},
    {"{\"a\":5,\"b\":6}", {.path = "$Input.a.Items?"}, "", "{\"a\":5,\"b\":6"},
    /* an object's members */
    {"{\"a\":1,\"\\u0062\" : {\"c\" : [ ] } }",
     {0},
     "{\"Key\":\"a\",\"Value\":1}\n{\"Key\":\"\\u0062\",\"Value\":{\"c\":[]}}\n",
     ""},
    {"{}", {0}, "", ""},
    {"{\"a\":1,\"\\u0062\" : {\"c\" : [ ] } }",
     {.path = "$"},
     "{\"Key\":\"a\",\"Value\":1}\n{\"Key\":\"\\u0062\",\"Value\":{\"c\":[]}}\n",
     ""},
    {"{\"o\": { \"k\" : 1 , \"k\" : 2 } ,\"z\":0}",
     {.path = "$Input.o"},
     "{\"Key\":\"k\",\"Value\":1}\n{\"Key\":\"k\",\"Value\":2}\n",
     "{\"z\":0"},
    {"{\"o\":{}}", {.path = "$Input.o"}, "", "{"},
    /* dressed */
    {"[{},{\"a\":1}, { } ]",
     {.fragment = "R"},
     "{\"fragment.identifier\":\"R\",\"fragment.index\":0}\n"
     "{\"a\":1,\"fragment.identifier\":\"R\",\"fragment.index\":1}\n"
     "{\"fragment.identifier\":\"R\",\"fragment.index\":2}\n",
     ""},
    {"[5, [ 6 ]]",
     {.context = true},
     "{\"Index\":0,\"Source\":\"src\",\"Value\":5}\n{\"Index\":1,\"Source\":\"src\",\"Value\":[6]}"
     "\n",
     ""},
    {"[5]",
     {.context = true, .fragment = "R"},
     "{\"Index\":0,\"Source\":\"src\",\"Value\":5,"
     "\"fragment.identifier\":\"R\",\"fragment.index\":0}\n",
     ""},
    {"{\"a\":1}",
     {.context = true, .fragment = "R", .path = "$"},
     "{\"Index\":0,\"Source\":\"src\",\"Value\":{\"Key\":\"a\",\"Value\":1},"
     "\"fragment.identifier\":\"R\",\"fragment.index\":0}\n",
     ""},
    /* a limit, with the rest of the document for --original */
    {"{\"Items\":[1,2,3,[4],{\"a\":5}],\"z\":[3]}",
     {.path = "$Input.Items", .max_items = 2},
     "1\n2\n",
     "{\"z\":[3]"},
    {"{\"Items\":{\"a\":1,\"b\":2},\"z\":[3]}",
     {.path = "$Input.Items", .max_items = 1},
     "{\"Key\":\"a\",\"Value\":1}\n",
     "{\"z\":[3]"},
};

static void expect_text(const struct writer *w, const char *want, const char *what, size_t row,
                        size_t chunk)
{
    cr_expect(span_equal(span_of(w->at, w->ready), span_text(want)),
              "row %zu, chunks of %zu: %s is\n%.*s\ninstead of\n%s", row, chunk, what,
              (int)w->ready, w->at, want);
}

Test(source, items_of_a_document_at_every_chunk_size)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct span in = span_text(rows[i].in);
        for (size_t chunk = 1; chunk <= in.len + 1; chunk++) {
            struct outcome o;
            split(&rows[i].job, in, chunk, &o);
            writer_commit(&o.original.file.out);
            cr_expect_eq(o.rc, 0, "row %zu, chunks of %zu: %s", i, chunk, o.e.text);
            expect_text(&o.out, rows[i].out, "output", i, chunk);
            expect_text(&o.original.file.out, rows[i].original, "original", i, chunk);
            outcome_release(&o);
        }
    }
}

static const struct fault {
    struct span in;
    struct job job;
    const char *out;
    uint64_t line, column, byte, item; /* line 0: no position */
    const char *text;
} faults[] = {
    {SPAN_LIT("[1,2,{\"a\":@}]"), {0}, "1\n2\n", 1, 11, 10, 3, "expected a value"},
    {SPAN_LIT("[1,\n 2,\n x]"), {0}, "1\n2\n", 3, 2, 9, 3, "expected a value"},
    {SPAN_LIT("[1,2"), {0}, "1\n", 1, 5, 4, 2, "ends in the middle"},
    {SPAN_LIT("[1,2,"), {0}, "1\n2\n", 1, 6, 5, 3, "ends in the middle"},
    {SPAN_LIT("{\"a\":"), {.path = "$.a"}, "", 1, 6, 5, 0, "ends in the middle"},
    {SPAN_LIT("[1] 2"), {0}, "1\n", 1, 5, 4, 0, "-f jsonl"},
    {SPAN_LIT("[1,]"), {0}, "1\n", 1, 4, 3, 2, "expected a value"},
    {SPAN_LIT("[\"\xFF\"]"), {0}, "", 1, 3, 2, 1, "invalid UTF-8"},
    {SPAN_LIT("[1,\0]"), {0}, "1\n", 1, 4, 3, 2, "NUL"},
    {SPAN_LIT("[\"a\0b\"]"), {0}, "", 1, 4, 3, 1, "control character"},
    {SPAN_LIT("[[[[1]]]]"), {.max_depth = 3}, "", 1, 4, 3, 1, "--max-depth"},
    {SPAN_LIT("[[[[1]]]]"), {.max_depth = 3}, "", 1, 4, 3, 1, "3 open arrays"},
    {SPAN_LIT("5"), {0}, "", 1, 1, 0, 0, "$Input is a number"},
    {SPAN_LIT("{\"a\":1}"), {.array_only = true}, "", 1, 1, 0, 0, "demands an array"},
    {SPAN_LIT("{\"a\":{}}"),
     {.array_only = true, .path = "$.a"},
     "",
     1,
     6,
     5,
     0,
     "$Input.a is an object; --require-array"},
    {SPAN_LIT("{\"a\":\"x\"}"), {.path = "$.a"}, "", 1, 6, 5, 0, "$Input.a is a string"},
    {SPAN_LIT("{\"a\":{\"b\":1}}"), {.path = "$.a.c"}, "", 0, 0, 0, 0, "no .c in $Input.a"},
    {SPAN_LIT("{\"a\":[[1]]}"), {.path = "$.a[1]"}, "", 0, 0, 0, 0, "no [1] in $Input.a"},
    {SPAN_LIT("{\"a\":[]}"), {.path = "$.a.b"}, "", 1, 6, 5, 0, "with .b: $Input.a is an array"},
    {SPAN_LIT("{\"a\":{}}"), {.path = "$.a[0]"}, "", 1, 6, 5, 0, "with [0]: $Input.a is an object"},
    {SPAN_LIT("{\"a\":[1],\"b\":2,\"a\":[3]}"),
     {.path = "$.a"},
     "1\n",
     1,
     19,
     18,
     0,
     "comes twice"},
    {SPAN_LIT("{\"a\":{\"b\":[1]},\"a\":0}"),
     {.path = "$.a.b"},
     "1\n",
     1,
     19,
     18,
     0,
     "comes twice"},
    {SPAN_LIT("[{},5,{}]"),
     {.fragment = "R"},
     "{\"fragment.identifier\":\"R\",\"fragment.index\":0}\n",
     1,
     5,
     4,
     2,
     "--context"},
    {SPAN_LIT("[1,\n[22222,33333]]"), {.max_item_bytes = 9}, "1\n", 2, 1, 4, 2, "--max-item-bytes"},
    {SPAN_LIT("{\"Items\":[1],\"z\":[}"),
     {.path = "/Items"},
     "1\n",
     1,
     19,
     18,
     0,
     "expected a value"},
};

Test(source, faults_of_a_document_and_their_places)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        const struct fault *f = &faults[i];
        for (size_t chunk = 1; chunk <= f->in.len; chunk++) {
            struct outcome o;
            split(&f->job, f->in, chunk, &o);
            cr_expect_eq(o.rc, -1, "row %zu: no fault", i);
            expect_text(&o.out, f->out, "output", i, chunk);
            cr_expect(o.e.pos.line == f->line && o.e.pos.column == f->column &&
                          o.e.pos.byte == f->byte && o.e.pos.item == f->item,
                      "row %zu, chunks of %zu: at %lu:%lu (byte %lu, item %lu)", i, chunk,
                      (unsigned long)o.e.pos.line, (unsigned long)o.e.pos.column,
                      (unsigned long)o.e.pos.byte, (unsigned long)o.e.pos.item);
            cr_expect_eq(o.e.code, ERR_DATA);
            cr_expect(strstr(o.e.text, f->text) != NULL, "row %zu: %s", i, o.e.text);
            outcome_release(&o);
        }
    }
}

Test(source, refused_items_are_put_aside_and_the_rest_goes_on)
{
    static const struct {
        const char *in;
        struct job job;
        const char *out, *rejects;
    } cases[] = {
        {"[{\"a\":1},5,[ 6 ],{}]",
         {.fragment = "R", .rejects = true},
         "{\"a\":1,\"fragment.identifier\":\"R\",\"fragment.index\":0}\n"
         "{\"fragment.identifier\":\"R\",\"fragment.index\":1}\n",
         "5\n[6]\n"},
        {"[1,[22222 ,33333],4]",
         {.max_item_bytes = 9, .rejects = true},
         "1\n4\n",
         "[22222,33333]\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t chunk = 1; chunk <= strlen(cases[i].in); chunk++) {
            struct outcome o;
            split(&cases[i].job, span_text(cases[i].in), chunk, &o);
            cr_expect_eq(o.rc, 0, "row %zu: %s", i, o.e.text);
            expect_text(&o.out, cases[i].out, "output", i, chunk);
            expect_text(&o.rejects, cases[i].rejects, "rejects", i, chunk);
            outcome_release(&o);
        }
    }
}

/* Enough is enough: nothing behind the last wanted item is looked at. */
Test(source, stops_at_the_limit)
{
    static const struct job job = {.max_items = 2};
    struct outcome o;
    split(&job, SPAN_LIT("[1,2,@"), 64, &o);
    cr_expect_eq(o.rc, 1);
    expect_text(&o.out, "1\n2\n", "output", 0, 64);
    outcome_release(&o);
}

/* A random value at AT; grows with DEPTH. Written without spaces at COMPACT, with some at LOOSE. */
static void random_value(struct buf *compact, struct buf *loose, int depth);

static void both(struct buf *compact, struct buf *loose, const char *text)
{
    static const char *const spaces[] = {"", "", "", " ", "\n", "\t ", "\r\n"};
    buf_add_text(compact, text);
    buf_add_text(loose, text);
    buf_add_text(loose, spaces[rand() % 7]);
}

static void random_container(struct buf *compact, struct buf *loose, int depth)
{
    static const char *const names[] = {"\"\":", "\"a\":", "\"x,]\":", "\"\\\"\":", "\"a\":"};
    bool object = rand() % 2;
    int count = rand() % 5;
    both(compact, loose, object ? "{" : "[");
    for (int i = 0; i < count; i++) {
        if (i > 0) {
            both(compact, loose, ",");
        }
        if (object) {
            both(compact, loose, names[rand() % 5]);
        }
        random_value(compact, loose, depth - 1);
    }
    both(compact, loose, object ? "}" : "]");
}

static void random_value(struct buf *compact, struct buf *loose, int depth)
{
    static const char *const scalars[] = {"0",
                                          "-1.50e+9",
                                          "true",
                                          "false",
                                          "null",
                                          "\"\"",
                                          "\" [{,:}] \"",
                                          "\"\\\\\"",
                                          "\"\xE2\x82\xAC\"",
                                          "123456789012345678901234567890"};
    if (depth > 0 && rand() % 3) {
        random_container(compact, loose, depth);
    } else {
        both(compact, loose, scalars[rand() % 10]);
    }
}

Test(source, random_documents_in_random_chunks)
{
    static const struct job job = {.path = "$Input.Items"};
    srand(8259);
    for (int i = 0; i < 3000; i++) {
        struct buf want = {0};
        struct buf text = {0};
        struct buf unused = {0};
        struct outcome o;
        int count = rand() % 8;
        buf_add_text(&text, "{\"a\":");
        random_value(&unused, &text, 3);
        buf_add_text(&text, ", \"Items\" : [ ");
        for (int k = 0; k < count; k++) {
            buf_add_text(&text, k ? "," : "");
            random_value(&want, &text, 3);
            buf_add_byte(&want, '\n');
        }
        buf_add_text(&text, "]}");
        split(&job, buf_span(&text), 1 + (size_t)(rand() % 40), &o);
        cr_assert_eq(o.rc, 0, "%s: %s", o.e.text, buf_text(&text));
        expect_text(&o.out, buf_text(&want), "output", (size_t)i, 0);
        outcome_release(&o);
        buf_release(&want);
        buf_release(&text);
        buf_release(&unused);
    }
}

/* Every byte of an array changed: in bulk and by the scanner alone the same items leave, and faults
 * are found at the same place. */
Test(source, damaged_arrays)
{
    static const char text[] =
        "[{\"a\":1},[2,{}],\"x,]\",4,null,{\"b\":[{\"c\":-0.5}]},\"\xC3\xA9\"]";
    static const char bytes[] = "{}[]\",:\\0-. \n\x01\x80\xC3tn";
    static const struct job jobs[] = {{.scanned = true}, {0}};
    for (size_t i = 0; i < (sizeof text - 1) * (sizeof bytes - 1) * 2; i++) {
        char copy[sizeof text + 1];
        size_t at = i / 2 / (sizeof bytes - 1), more = i % 2;
        memcpy(copy, text, at);
        memcpy(copy + at + more, text + at, sizeof text - at); /* a byte more, or another one */
        copy[at] = bytes[i / 2 % (sizeof bytes - 1)];
        struct outcome o[2];
        for (int k = 0; k < 2; k++) {
            split(&jobs[k], span_of(copy, sizeof text - 1 + more), sizeof copy, &o[k]);
        }
        cr_assert(o[0].rc == o[1].rc && o[0].e.pos.byte == o[1].e.pos.byte &&
                      o[0].e.pos.item == o[1].e.pos.item,
                  "%s: %s, or %s", copy, o[0].e.text, o[1].e.text);
        cr_assert_eq(o[0].out.ready, o[1].out.ready, "%s", copy);
        cr_assert(o[0].out.ready == 0 || memcmp(o[0].out.at, o[1].out.at, o[0].out.ready) == 0);
        outcome_release(&o[0]);
        outcome_release(&o[1]);
    }
}

/* What is larger than any buffer along the way. */
Test(source, large_names_and_items)
{
    struct job job = {.path = "$Input.Items", .max_item_bytes = 8 << 20, .to_null = true};
    struct buf text = {0};
    struct outcome o;
    size_t len = 3 << 20;
    buf_add_text(&text, "{\"");
    memset(buf_room(&text, len), 'k', len);
    text.len += len;
    buf_add_text(&text, "\":1,\"Items\":[\"");
    memset(buf_room(&text, len), 'v', len);
    text.len += len;
    buf_add_text(&text, "\",2]}");
    split(&job, buf_span(&text), 100000, &o);
    cr_expect_eq(o.rc, 0, "%s", o.e.text);
    cr_expect_eq(writer_total(&o.out), len + 2 + 1 + 2);
    close(o.out.fd);
    outcome_release(&o);
    buf_release(&text);
}

Test(source, format_by_name_and_by_content)
{
    static const struct {
        const char *name;
        const char *format; /* NULL: can't be told */
    } names[] = {
        {"a.json", "json"},  {"A.JSON", "json"},     {"a.jsonl", "jsonl"}, {"a.ndjson", "jsonl"},
        {"a.csv", "csv"},    {"x/a.tsv", "tsv"},     {"a.tab", "tsv"},     {"a.txt", "lines"},
        {"a", NULL},         {".csv", NULL},         {"a.csv.bak", NULL},  {"a.csv.gz", "csv"},
        {"a.CSV.GZ", "csv"}, {"a.json.zst", "json"}, {"a.gz", NULL},       {"standard input", NULL},
    };
    static const struct {
        const char *text;
        const char *format;
    } texts[] = {
        {"", "json"},
        {" \n\n", "json"},
        {"\n [1]\n[2]\n", "json"},
        {"{\"a\":1}", "jsonl"},
        {"\n\n{\"a\":1}\r\n", "jsonl"},
        {"{\"a\":1}\n{\"a\":2}\n", "jsonl"},
        {"{\"a\":\n1}\n", NULL},
        {"{\n", NULL},
        {"{\"a\":", "jsonl"},
        {"{a,b}\n", "jsonl"},
        {"a,b\n1,2\n", NULL},
        {"1\n2\n", NULL},
        {"\"a\",\"b\"\n", NULL},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct format *f = format_of_name(names[i].name);
        cr_expect_eq(!f, !names[i].format, "%s", names[i].name);
        cr_expect(!f || strcmp(f->name, names[i].format) == 0, "%s: %s", names[i].name, f->name);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct err e = {0};
        struct reader r;
        reader_init_text(&r, span_text(texts[i].text), "test");
        const struct format *f = format_of_content(&r, 100, &e);
        cr_expect_eq(!f, !texts[i].format, "%s", texts[i].text);
        cr_expect_eq(e.code, f ? ERR_NONE : ERR_DATA);
        cr_expect(!f || strcmp(f->name, texts[i].format) == 0, "%s: %s", texts[i].text, f->name);
        cr_expect_eq(reader_bytes(&r).len, strlen(texts[i].text));
        reader_release(&r);
    }
}

Test(source, formats_are_listed_by_their_names)
{
    for (size_t i = 1; format_names[i]; i++) {
        cr_expect_str_eq(format_names[i], format_table[i]->name);
        cr_expect_eq(!format_table[i]->split_text, format_table[i]->split_place != NULL);
    }
}

Test(source, columns_must_be_told_apart)
{
    static const struct header_rules none = {0};
    static const struct header_rules dedupe = {.dedupe = true};
    static const struct header_rules empty = {.empty = true};
    static const struct header_rules both = {.dedupe = true, .empty = true};
    static const struct {
        const struct header_rules *rules;
        const char *names;
        const char *text; /* the members' beginnings, or NULL and part of the message */
        const char *message;
    } cases[] = {
        {&none, "a,b", "{\"a\":\",\"b\":\"", NULL},
        {&none, "\"x,\"\"y\", b ", "{\"x,\\\"y\":\",\" b \":\"", NULL},
        {&none, "a,b,a", NULL, "columns 1 and 3 are both named \"a\""},
        {&none, "a,,b,", NULL, "columns 2 and 4 have no name"},
        {&none, "a,a,", NULL, "column 3 has no name; columns 1 and 2 are both named \"a\""},
        {&none, "", NULL, "no names"},
        {&none, "a\nb", NULL, "one line"},
        {&none, "\"a", NULL, "never closed"},
        {&none, "\xFF", NULL, "UTF-8"},
        {&dedupe, "a,a,", "{\"a\":\",\"a_2\":\",\"3\":\"", NULL},
        {&dedupe, "a_2,a,a,a", "{\"a_2\":\",\"a\":\",\"a_3\":\",\"a_4\":\"", NULL},
        {&dedupe, "a,a_2,a_2,a", "{\"a\":\",\"a_2\":\",\"a_2_2\":\",\"a_3\":\"", NULL},
        {&dedupe, ",1", "{\"1_2\":\",\"1\":\"", NULL},
        {&dedupe, "2,,2_2", "{\"2\":\",\"2_3\":\",\"2_2\":\"", NULL},
        {&empty, "a,", "{\"a\":\",\"\":\"", NULL},
        {&empty, ",", NULL, "columns 1 and 2 have no name"},
        {&both, ",", "{\"\":\",\"_2\":\"", NULL},
    };
    static const struct types no_types = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct columns c = {0};
        struct err e = {0};
        int rc = columns_parse(&c, span_text(cases[i].names), cases[i].rules, &no_types, &e);
        if (cases[i].text) {
            cr_expect_eq(rc, 0, "%s", e.text);
            cr_expect_str_eq(buf_text(&c.heads), cases[i].text);
        } else {
            cr_expect_eq(rc, -1);
            cr_expect_eq(e.code, ERR_USAGE);
            cr_expect(strstr(e.text, cases[i].message) != NULL, "%s", e.text);
        }
        columns_release(&c);
    }
}

Test(source, types_take_what_fits_and_nothing_else)
{
    static const struct {
        const char *type, *field;
        const char *value; /* NULL: refused */
    } cases[] = {
        {"int", "0", "0"},
        {"int", "-7", "-7"},
        {"int", "12345678901234567890123", "12345678901234567890123"},
        {"int", "-0", NULL},
        {"int", "007", NULL},
        {"int", "1.0", NULL},
        {"int", "1e3", NULL},
        {"int", "+1", NULL},
        {"int", " 1", NULL},
        {"int", "-", NULL},
        {"int", "", NULL},
        {"int?", "", "null"},
        {"int?", "x", NULL},
        {"number", "1.10", "1.10"},
        {"number", "-0", "-0"},
        {"number", "1e400", "1e400"},
        {"number", ".5", NULL},
        {"number", "1 ", NULL},
        {"number", "NaN", NULL},
        {"number", "true", NULL},
        {"number", "1.", NULL},
        {"bool", "true", "true"},
        {"bool", "FALSE", "false"},
        {"bool", "yes", NULL},
        {"bool", "1", NULL},
        {"json", "{ \"a\" : [1.0, null] }", "{\"a\":[1.0,null]}"},
        {"json", "5", "5"},
        {"json", "a", NULL},
        {"json", "", NULL},
        {"json?", "", "null"},
    };
    struct scan scan;
    scan_init(&scan, 100);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct types t = {0};
        struct err e = {0};
        struct buf text = {0};
        struct writer w;
        writer_init(&w, -1, "test");
        buf_printf(&text, "x:y:%s", cases[i].type);
        cr_assert_eq(types_parse(&t, buf_span(&text), &e), 0, "%s", e.text);
        const struct type *type = types_find(&t, SPAN_LIT("x:y"));
        cr_assert(type && !types_find(&t, SPAN_LIT("x")));
        int rc = type_put(&w, *type, span_text(cases[i].field), &scan, &e);
        cr_expect_eq(rc, cases[i].value ? 0 : -1, "%s '%s'", cases[i].type, cases[i].field);
        cr_expect(span_equal(span_of(w.at, w.len), span_text(cases[i].value ? cases[i].value : "")),
                  "%s '%s': %.*s", cases[i].type, cases[i].field, (int)w.len, w.at);
        writer_release(&w);
        types_release(&t);
        buf_release(&text);
    }
    scan_release(&scan);
}

/* What RECODE makes of TEXT, which comes in pieces of CHUNK bytes. */
static void recode(struct span text, enum recode how, size_t chunk, struct buf *out)
{
    struct reader r;
    struct err e = {0};
    int pair[2];
    cr_assert_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
    for (size_t at = 0; at < text.len; at += chunk) {
        size_t n = text.len - at < chunk ? text.len - at : chunk;
        cr_assert_eq(send(pair[0], text.at + at, n, MSG_DONTWAIT), (ssize_t)n);
    }
    close(pair[0]);
    reader_init(&r, pair[1], "test", NULL);
    recode_reader(&r, how);
    while (reader_fill(&r, &e) > 0) {
        buf_add_span(out, reader_bytes(&r));
        reader_take(&r, reader_bytes(&r).len);
    }
    cr_expect_eq(e.code, ERR_NONE);
    reader_release(&r);
    close(pair[1]);
}

Test(source, texts_become_utf8)
{
    static const struct {
        enum recode how;
        const char *in, *out;
    } cases[] = {
        {RECODE_LATIN1, "a\xE9\xFF\x80z", "a\xC3\xA9\xC3\xBF\xC2\x80z"},
        {RECODE_LATIN1, "", ""},
        {RECODE_INVALID, "a\xFFz", "a\xEF\xBF\xBDz"},
        {RECODE_INVALID, "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", /* valid: as it is */
         "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"},
        {RECODE_INVALID, "\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {RECODE_INVALID, "\xE2\x82z", "\xEF\xBF\xBD\xEF\xBF\xBDz"},
        {RECODE_INVALID, "\xC0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {RECODE_INVALID, "\xED\xA0\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {RECODE_INVALID, "\xF4\x90\x80\x80", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t chunk = 1; chunk <= strlen(cases[i].in) + 1; chunk++) {
            struct buf out = {0};
            recode(span_text(cases[i].in), cases[i].how, chunk, &out);
            cr_expect_str_eq(buf_text(&out), cases[i].out, "row %zu, chunks of %zu", i, chunk);
            buf_release(&out);
        }
    }
}
