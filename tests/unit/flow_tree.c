/* lib/flow: definitions as trees, in which every value knows its place. */
#include "flow/tree.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void put_places(const struct node *n, struct buf *out)
{
    if (out->len > 0) {
        buf_add_byte(out, ' ');
    }
    buf_add_u64(out, n->at.line);
    buf_add_byte(out, ':');
    buf_add_u64(out, n->at.column);
    for (const struct node *child = n->child; child; child = child->next) {
        put_places(child, out);
    }
}

static void put_faults(struct faults *f, struct buf *out)
{
    faults_sort(f);
    for (size_t i = 0; i < f->count; i++) {
        buf_printf(out, "%s%llu:%llu%s: %s", i > 0 ? "; " : "",
                   (unsigned long long)f->at[i].at.line, (unsigned long long)f->at[i].at.column,
                   f->at[i].path, f->at[i].text);
    }
}

/* The JSON that a text amounts to, and where its values begin, in the order of the document.  The
 * scalars of YAML: section 10.3 of YAML 1.2.2, the core schema. */
static const struct {
    const char *text;
    const char *json;
    const char *places;
} read[] = {
    {"{}", "{}", "1:1"},
    {"a: 1\nb:\n  - x\n  - yes\n", "{\"a\":1,\"b\":[\"x\",\"yes\"]}", "1:1 1:4 3:3 3:5 4:5"},
    {"b:\n- x\n-   - y\n", "{\"b\":[\"x\",[\"y\"]]}", "1:1 2:1 2:3 3:5 3:7"},
    {"[null, Null, NULL, ~, ]", "[null,null,null,null]", "1:1 1:2 1:8 1:14 1:20"},
    {"- true\n- True\n- TRUE\n- false\n- yes\n- on\n- \"true\"\n",
     "[true,true,true,false,\"yes\",\"on\",\"true\"]", "1:1 1:3 2:3 3:3 4:3 5:3 6:3 7:3"},
    {"[1, -1, +1, 007, 0o17, 0x1F, 0xffffffffffffffff]", "[1,-1,1,7,15,31,18446744073709551615]",
     "1:1 1:2 1:5 1:9 1:13 1:18 1:24 1:30"},
    {"[1.10, .5, 5., -.5e3, 1e400, 1E+2, 00.0]", "[1.10,0.5,5,-0.5e3,1e400,1E+2,0.0]",
     "1:1 1:2 1:8 1:12 1:16 1:23 1:30 1:36"},
    {"[123456789012345678901234567890, 0.1000000000000000000001]",
     "[123456789012345678901234567890,0.1000000000000000000001]", "1:1 1:2 1:34"},
    {"[1_000, 0b1, 1e, e1, '.', -, 0o8, 0xG, 2024-01-01, 1:30, '1', .5.5, inf]",
     "[\"1_000\",\"0b1\",\"1e\",\"e1\",\".\",\"-\",\"0o8\",\"0xG\",\"2024-01-01\",\"1:30\",\"1\","
     "\".5."
     "5\",\"inf\"]",
     "1:1 1:2 1:9 1:14 1:18 1:22 1:27 1:30 1:35 1:40 1:52 1:58 1:63 1:69"},
    {"a: !!str 1\nb: ! 2\nc: !!int 3\nd: !!null ''\n",
     "{\"a\":\"1\",\"b\":\"2\",\"c\":3,\"d\":null}", "1:1 1:4 2:4 3:4 4:4"},
    {"a: |\n  x\n  y\nb: >\n  x\n  y\nc: 1\n", "{\"a\":\"x\\ny\\n\",\"b\":\"x y\\n\",\"c\":1}",
     "1:1 1:4 4:4 7:4"},
    {"1: a\ntrue: b\n'': c\n", "{\"1\":\"a\",\"true\":\"b\",\"\":\"c\"}", "1:1 1:4 2:7 3:5"},
    {"a: &x {k: [1]}\nb: *x\nc: &y 2\nd: [*y, *x]\n",
     "{\"a\":{\"k\":[1]},\"b\":{\"k\":[1]},\"c\":2,\"d\":[2,{\"k\":[1]}]}",
     "1:1 1:4 1:11 1:12 1:4 1:11 1:12 3:4 4:4 3:4 1:4 1:11 1:12"},
    {"? a\n: 1\n", "{\"a\":1}", "1:1 2:3"},
    {"# note\n---\na: 1\n...\n", "{\"a\":1}", "3:1 3:4"},
    {"\xef\xbb\xbf"
     "a: 1\n",
     "{\"a\":1}", "1:1 1:4"},
    /* columns count bytes, lines end in LF alone */
    {"\xc3\xa9t\xc3\xa9: x\nb: [\"\xf0\x9d\x84\x9e\", y]\n",
     "{\"\xc3\xa9t\xc3\xa9\":\"x\",\"b\":[\"\xf0\x9d\x84\x9e\",\"y\"]}", "1:1 1:8 2:4 2:5 2:13"},
    {"a: 'x\xe2\x80\xa8y'\r\nb: 1\r\n", "{\"a\":\"x\xe2\x80\xa8y\",\"b\":1}", "1:1 1:4 2:4"},
    {"a:\nb: x\n", "{\"a\":null,\"b\":\"x\"}", "1:1 1:3 2:4"},
    {"a: \"\\u00e9\\0\\x41\\/\"\n", "{\"a\":\"\xc3\xa9\\u0000A/\"}", "1:1 1:4"},
    /* JSON, exactly */
    {"{\"a\": [1.10, \"\\ud800\", \"\\u0041\"],\n \"b\\\\\" : {\"\": null}}\n",
     "{\"a\":[1.10,\"\\ud800\",\"\\u0041\"],\"b\\\\\":{\"\":null}}",
     "1:1 1:7 1:8 1:14 1:24 2:10 2:15"},
    {"[true,false,null,-0.0E-0,\"\",[],{}]", "[true,false,null,-0.0E-0,\"\",[],{}]",
     "1:1 1:2 1:7 1:13 1:18 1:26 1:29 1:32"},
    {"{\"\\ud83d\\ude00\":\"\\\"\\\\\"}", "{\"\\ud83d\\ude00\":\"\\\"\\\\\"}", "1:1 1:17"},
    /* a brace may also begin YAML */
    {"{a: 1, b: x}", "{\"a\":1,\"b\":\"x\"}", "1:1 1:5 1:11"},
    {"[x, y]", "[\"x\",\"y\"]", "1:1 1:2 1:5"},
    {"x", "\"x\"", "1:1"},
};

Test(tree, reads)
{
    for (size_t i = 0; i < COUNT(read); i++) {
        struct flow_tree t;
        struct faults f = {0};
        struct buf json = {0};
        struct buf places = {0};
        cr_assert_eq(flow_tree_read(&t, span_text(read[i].text), &f), 0, "%s: %s", read[i].text,
                     f.count ? f.at[0].text : "");
        cr_expect_eq(f.count, 0, "%s", read[i].text);
        node_json(t.root, &json);
        put_places(t.root, &places);
        cr_expect_str_eq(buf_text(&json), read[i].json, "%s: %s", read[i].text, buf_text(&json));
        cr_expect_str_eq(buf_text(&places), read[i].places, "%s: %s", read[i].text,
                         buf_text(&places));
        buf_release(&json);
        buf_release(&places);
        flow_tree_release(&t);
        faults_release(&f);
    }
}

static const struct {
    const char *text;
    const char *faults;
    bool has_tree;
} refused[] = {
    {"", "1:1: there is no document in it", false},
    {"# nothing\n", "1:1: there is no document in it", false},
    {"a: 1\n---\nb: 2\n", "2:1: a second document begins here: one is all there may be", false},
    {"a: .inf\n", "1:4: JSON has no form for this number", false},
    {"a: -.INF\n", "1:4: JSON has no form for this number", false},
    {"a: .nan\n", "1:4: JSON has no form for this number", false},
    {"a: 0x10000000000000000\n", "1:4: a number in this notation has at most 64 bits", false},
    {"a: !Sub x\n", "1:4: the tag !Sub is not known", false},
    {"a: !!binary x\n", "1:4: the tag tag:yaml.org,2002:binary is not known", false},
    {"a: !!int x\n", "1:4: the tag says a number, but this is a string", false},
    {"a: !!map []\n", "1:4: the tag says a map, but this is a list", false},
    {"[a]: 1\n", "1:1: a key must be a text, not a list", false},
    {"{a: 1}: 1\n", "1:1: a key must be a text, not a map", false},
    {"a: &x [1]\n*x : 2\n", "2:1: a key must be a text, not a list", false},
    {"b: &x {k: 1}\na:\n  <<: *x\n",
     "3:3: merge keys (<<) are no part of YAML 1.2, and not taken here", false},
    {"a: *x\n", "1:4: there is no anchor &x before this alias", false},
    {"a: &x\n  b: *x\n", "2:6: the value &x would contain itself", false},
    {"a: &x [&y [*x]]\n", "1:12: the value &x would contain itself", false},
    {"a: [1\nb: 2\n",
     "2:2: did not find expected ',' or ']', while parsing a flow sequence that begins at 1:4",
     false},
    {"a: 1\n b: 2\n", "2:3: mapping values are not allowed in this context", false},
    {"a: \"x\n",
     "2:1: found unexpected end of stream, while scanning a quoted scalar that begins "
     "at 1:4",
     false},
    {"a: \xff\n", "1:4: this is not UTF-8", false},
    {"a: x\ny: \x01\n", "2:4: control characters are not allowed", false},
    {"\tb: 1\n",
     "1:1: found character that cannot start any token, while scanning for the next "
     "token that begins at 1:1",
     false},
    /* what begins with a brace and is neither: their first name tells what was meant */
    {"{\"a\": 1,\n \"b\" 2}", "2:6: expected ':' behind a member's name", false},
    {"{\"a\": 1,}}", "1:9: expected a member's name in double quotes", false},
    {"{\"a\": [1, 2}", "1:12: expected ',' or ']'", false},
    /* duplicates do not end the reading, and all are told */
    {"a: 1\nb: 2\na: 3\nb: 4\na: 5\n",
     "3:1/a: the name \"a\" stands twice in this map, first at 1:1; "
     "4:1/b: the name \"b\" stands twice in this map, first at 2:1; "
     "5:1/a: the name \"a\" stands twice in this map, first at 3:1",
     true},
    {"{\"x\": [{\"a/b\": 1, \"\\u0061/b\": 2}]}",
     "1:19/x/0/a~1b: the name \"\\u0061/b\" stands twice in this map, first at 1:9", true},
};

Test(tree, refuses)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct flow_tree t;
        struct faults f = {0};
        struct buf said = {0};
        cr_expect_eq(flow_tree_read(&t, span_text(refused[i].text), &f),
                     refused[i].has_tree ? 0 : -1, "%s", refused[i].text);
        cr_expect_eq(t.root != NULL, refused[i].has_tree, "%s", refused[i].text);
        put_faults(&f, &said);
        cr_expect_str_eq(buf_text(&said), refused[i].faults, "%s: %s", refused[i].text,
                         buf_text(&said));
        buf_release(&said);
        flow_tree_release(&t);
        faults_release(&f);
    }
}

/* Each name once more holds nine of the one before: 9^9 values, if they were all made. */
Test(tree, bounds_aliases)
{
    struct buf text = {0};
    buf_add_text(&text, "a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (char c = 'b'; c < 'k'; c++) {
        buf_printf(&text, "%c: &%c [", c, c);
        for (int i = 0; i < 9; i++) {
            buf_printf(&text, "*%c, ", c - 1);
        }
        buf_add_text(&text, "]\n");
    }
    struct flow_tree t;
    struct faults f = {0};
    cr_assert_eq(flow_tree_read(&t, buf_span(&text), &f), -1);
    cr_expect_str_eq(f.at[0].text, "there are more than 200000 values");
    cr_expect_eq(f.at[0].at.line, 6); /* where the values of f, 9^6, are to stand */
    faults_release(&f);
    buf_release(&text);
}

/* Nesting is bounded in both notations, and what walks a tree may recurse as deep as that. */
Test(tree, bounds_depth)
{
    for (int yaml = 0; yaml < 2; yaml++) {
        for (size_t depth = TREE_DEPTH_MAX; depth <= TREE_DEPTH_MAX + 1; depth++) {
            struct buf text = {0};
            for (size_t i = 0; i < depth; i++) {
                buf_add_text(&text, yaml ? "- " : "[");
            }
            for (size_t i = 0; i < depth; i++) {
                buf_add_text(&text, yaml ? "" : "]");
            }
            struct flow_tree t;
            struct faults f = {0};
            int rc = flow_tree_read(&t, buf_span(&text), &f);
            cr_expect_eq(rc, depth > TREE_DEPTH_MAX ? -1 : 0, "%d %zu: %s", yaml, depth,
                         f.count ? f.at[0].text : "");
            if (rc == 0) {
                struct buf json = {0};
                node_json(t.root, &json);
                cr_expect_eq(json.len, 2 * depth + (yaml ? 4 : 0), "%zu", json.len);
                buf_release(&json);
            }
            flow_tree_release(&t);
            faults_release(&f);
            buf_release(&text);
        }
    }
}

static const char document[] = "Name: \"A\\tB\"\n"
                               "Plain:  $Input.x\n"
                               "Quoted: '$Input.x'\n"
                               "Odd: 'it''s'\n"
                               "Long: a\n  b\n"
                               "On: true\n"
                               "List: [10, {k: v}]\n";

/* Where offsets in a string are columns, and how parts are found. */
Test(tree, finds)
{
    struct flow_tree t;
    struct faults f = {0};
    cr_assert_eq(flow_tree_read(&t, span_text(document), &f), 0);
    cr_expect_eq(node_get(t.root, "Name")->text_column, 0);
    cr_expect_eq(node_get(t.root, "Name")->text.len, 3);
    cr_expect_eq(node_get(t.root, "Plain")->text_column, 9);
    cr_expect_eq(node_get(t.root, "Quoted")->text_column, 10);
    cr_expect_eq(node_get(t.root, "Odd")->text_column, 0);
    cr_expect_eq(node_get(t.root, "Long")->text_column, 0);
    cr_expect(node_is(node_get(t.root, "Plain"), "$Input.x"));
    cr_expect_not(node_is(node_get(t.root, "None"), "$Input.x"));
    cr_expect_null(node_get(node_get(t.root, "Plain"), "Name"));
    cr_expect(node_truth(node_get(t.root, "On"), false));
    cr_expect(node_truth(node_get(t.root, "None"), true));
    struct buf pointer = {0};
    node_pointer(node_get(node_get(t.root, "List")->child->next, "k"), &pointer);
    cr_expect_str_eq(buf_text(&pointer), "/List/1/k");
    buf_release(&pointer);
    flow_tree_release(&t);
    faults_release(&f);
}
