/* Expressions over JSON values: operators, constants, functions, exact numbers, errors. */
#include "base/buf.h"
#include "expr/expr.h"
#include "expr/value.h"

#include <criterion/criterion.h>

struct row {
    const char *text;
    const char *item;
    const char *want; /* the JSON text of the value; NULL: an error with code `code` */
    enum err_code code;
    const char *says; /* part of the error's text */
};

/* Evaluate ROW's expression, all of its paths looked up in its item, and compare. */
static void check(const struct row *r)
{
    struct err e = {0};
    struct expr *x = NULL;
    struct arena a = {0};
    struct span result = {0};
    struct span values[16];
    int rc = expr_compile(&x, span_text(r->text), &e);
    for (size_t i = 0; rc == 0 && i < expr_path_count(x); i++) {
        if (!path_find(expr_path(x, i), span_text(r->item), &values[i])) {
            values[i] = (struct span){0};
        }
    }
    if (rc == 0) {
        rc = expr_eval(x, values, &a, &result, &e);
    }
    if (r->want) {
        cr_expect(rc == 0, "%s: %s", r->text, e.text);
        cr_expect(rc != 0 || span_equal(result, span_text(r->want)), "%s gives %.*s, not %s",
                  r->text, (int)result.len, result.at, r->want);
    } else {
        cr_expect(rc < 0, "%s gives %.*s, not an error", r->text, (int)result.len, result.at);
        cr_expect(e.code == r->code, "%s: code %d, not %d", r->text, e.code, r->code);
        cr_expect(strstr(e.text, r->says) != NULL, "%s says '%s', not '%s'", r->text, e.text,
                  r->says);
    }
    arena_release(&a);
    expr_free(x);
}

static void check_all(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        check(&rows[i]);
    }
}

#define CHECK(rows) check_all(rows, sizeof(rows) / sizeof *(rows))

Test(expression, moves_values_byte_for_byte)
{
    static const struct row rows[] = {
        {.text = "$Item.a", .item = "{\"a\":1.10}", .want = "1.10"},
        {.text = "$Item.a", .item = "{\"a\":1e400}", .want = "1e400"},
        {.text = "$Item.a", .item = "{\"a\":\"\\ud800\"}", .want = "\"\\ud800\""},
        {.text = "$Item.a", .item = "{\"a\":1,\"a\":2}", .want = "2"},
        {.text = " ( $Item[\"x y\"] ) ", .item = "{\"x y\":[1]}", .want = "[1]"},
        {.text = "$Item.a?", .item = "{}", .want = "null"},
        {.text = "$Item.a.b?", .item = "{\"a\":3}", .want = "null"},
        {.text = "[$Item.a, {\"k\": $Item.a}]", .item = "{\"a\":1.0}", .want = "[1.0,{\"k\":1.0}]"},
        {.text = "$.a", .item = "{\"a\":1}", .want = "1"},
        {.text = "$$.a", .item = "{\"a\":1}", .want = "1"},
    };
    CHECK(rows);
}

Test(expression, compares_numbers_exactly)
{
    static const struct row rows[] = {
        {.text = "9007199254740993 == 9007199254740992", .item = "1", .want = "false"},
        {.text = "100000000000000000000000001 > 100000000000000000000000000",
         .item = "1",
         .want = "true"},
        {.text = "1 == 1.0", .item = "1", .want = "true"},
        {.text = "1e2 == 100", .item = "1", .want = "true"},
        {.text = "0.1e1 == 1", .item = "1", .want = "true"},
        {.text = "-0 == 0.000", .item = "1", .want = "true"},
        {.text = "1e400 > 1e399", .item = "1", .want = "true"},
        {.text = "-1e400 < 1e-400", .item = "1", .want = "true"},
        {.text = "1e99999999999999999999 > 1", .item = "1", .want = "true"},
        {.text = "1e-99999999999999999999 > 0", .item = "1", .want = "true"},
        {.text = "123.45 < 123.450000001", .item = "1", .want = "true"},
        {.text = "-2 < -1", .item = "1", .want = "true"},
        {.text = "-$Item == 5", .item = "-5", .want = "true"},
        {.text = "0.00012 == 12e-5", .item = "1", .want = "true"},
        {.text = "10 > 9", .item = "1", .want = "true"},
    };
    CHECK(rows);
}

Test(expression, decides)
{
    static const struct row rows[] = {
        {.text = "$Item.Key > $Item.Limit", .item = "{\"Key\":5,\"Limit\":4}", .want = "true"},
        {.text = "$Item.Key > $Item.Limit", .item = "{\"Key\":4,\"Limit\":4}", .want = "false"},
        {.text = "\"a\" < \"b\" && \"b\" <= `b` && 'c' != \"d\"", .item = "1", .want = "true"},
        {.text = "false && $Item.nope", .item = "{}", .want = "false"},
        {.text = "true || $Item.nope", .item = "{}", .want = "true"},
        {.text = "false || false && true", .item = "1", .want = "false"},
        {.text = "!(1 == 2) && !false", .item = "1", .want = "true"},
        {.text = "1 == \"1\"", .item = "1", .want = "false"},
        {.text = "null == null", .item = "1", .want = "true"},
        {.text = "\"k\" in $Item", .item = "{\"k\":null}", .want = "true"},
        {.text = "\"x\" in $Item", .item = "{\"k\":1}", .want = "false"},
        {.text = "2 in [1, 2.0]", .item = "1", .want = "true"},
        {.text = "\"2\" in [1, 2]", .item = "1", .want = "false"},
        {.text = "[1,{\"a\":2,\"b\":3}] == [1.0,{\"b\":3,\"a\":2}]", .item = "1", .want = "true"},
        {.text = "{\"a\":1} == {\"a\":1,\"b\":1}", .item = "1", .want = "false"},
        {.text = "\"\\u00e9\" == \"\xC3\xA9\"", .item = "1", .want = "true"},
    };
    CHECK(rows);
}

Test(expression, calls_functions)
{
    static const struct row rows[] = {
        {.text = "arrayContains([\"Tom\",10],10)", .item = "1", .want = "true"},
        {.text = "arrayContains([\"Tom\",10],\"Jack\")", .item = "1", .want = "false"},
        {.text = "arrayUnique([1, 2, 3, 1])", .item = "1", .want = "[1,2,3]"},
        {.text = "format(\"hello {}\",\"world\")", .item = "1", .want = "\"hello world\""},
        {.text = "format('{}/{}', $Item, true)", .item = "1.10", .want = "\"1.10/true\""},
        {.text = "fromBase64(\"Rm5G\")", .item = "1", .want = "\"FnF\""},
        {.text = "toBase64(\"FnF\")", .item = "1", .want = "\"Rm5G\""},
        {.text = "stringToJson('{\"name\": \"Tom\", \"age\": 10}')",
         .item = "1",
         .want = "{\"name\":\"Tom\",\"age\":10}"},
        {.text = "fromJSON(toJson($Item))", .item = "{\"a\":1.0}", .want = "{\"a\":1.0}"},
        {.text = "hash(\"abc\",\"MD5\")",
         .item = "1",
         .want = "\"900150983cd24fb0d6963f7d28e17f72\""},
        {.text = "hash(\"abc\",\"SHA-1\")",
         .item = "1",
         .want = "\"a9993e364706816aba3e25717850c26c9cd0d89d\""},
        {.text = "jsonMerge({\"name\":\"Tom\",\"age\":10},{\"name\":\"Ann\",\"city\":\"x\"})",
         .item = "1",
         .want = "{\"name\":\"Ann\",\"age\":10,\"city\":\"x\"}"},
        {.text = "length([1, 2, 3])", .item = "1", .want = "3"},
        {.text = "length({\"name\":\"Tom\",\"age\":10})", .item = "1", .want = "2"},
        {.text = "length(\"n\xC3\xA9\")", .item = "1", .want = "2"},
        {.text = "mapKeys($Item)", .item = "{\"a\":1,\"b\":2,\"a\":3}", .want = "[\"b\",\"a\"]"},
        {.text = "mapValues($Item)", .item = "{\"a\":1,\"b\":2}", .want = "[1,2]"},
        {.text = "toArray(1,\"a\")", .item = "1", .want = "[1,\"a\"]"},
        {.text = "toArray()", .item = "1", .want = "[]"},
        {.text = "split(\"a,b,,c\",\",\")", .item = "1", .want = "[\"a\",\"b\",\"\",\"c\"]"},
        {.text = "intAdd(9223372036854775806,1)", .item = "1", .want = "9223372036854775807"},
        {.text = "intAdd($Item,-5)", .item = "1e1", .want = "5"},
        {.text = "get($Item,\"k\")", .item = "{\"k\":7}", .want = "7"},
        {.text = "get($Item,1)", .item = "[7,8]", .want = "8"},
        {.text = "get($Item,\"z\",0)", .item = "{}", .want = "0"},
        {.text = "regexMatchString(\"^a[0-9]+$\",\"a12\")", .item = "1", .want = "true"},
        {.text = "regexMatchString(\"b\",\"abc\")", .item = "1", .want = "true"},
        {.text = "length(uuid())", .item = "1", .want = "36"},
        {.text = "randomInt(7,8)", .item = "1", .want = "7"},
        {.text = "States.Format('{}-{}', $.a, 'x')", .item = "{\"a\":1}", .want = "\"1-x\""},
        {.text = "States.JsonToString($)", .item = "[1]", .want = "\"[1]\""},
        {.text = "States.MathAdd(1,2)", .item = "1", .want = "3"},
        {.text = "States.ArrayLength($)", .item = "[1,2]", .want = "2"},
        {.text = "length(length(length(length(\"a\"))))",
         .item = "1",
         .code = ERR_DATA,
         .says = "not a number"},
    };
    CHECK(rows);
}

Test(expression, refuses_what_does_not_parse_with_its_place)
{
    static const struct row rows[] = {
        {.text = "", .item = "1", .code = ERR_USAGE, .says = "character 1"},
        {.text = "$Item.a ++", .item = "1", .code = ERR_USAGE, .says = "character 9"},
        {.text = "nofn(1)",
         .item = "1",
         .code = ERR_USAGE,
         .says = "no such function at character 1"},
        {.text = "1 + 2", .item = "1", .code = ERR_USAGE, .says = "character 3"},
        {.text = "(1", .item = "1", .code = ERR_USAGE, .says = "')' expected at character 3"},
        {.text = "\"abc", .item = "1", .code = ERR_USAGE, .says = "not closed at character 1"},
        {.text = "\"a\\q\"", .item = "1", .code = ERR_USAGE, .says = "invalid escape"},
        {.text = "01", .item = "1", .code = ERR_USAGE, .says = "invalid number"},
        {.text = "length()", .item = "1", .code = ERR_USAGE, .says = "number of arguments"},
        {.text = "length(1,2)", .item = "1", .code = ERR_USAGE, .says = "number of arguments"},
        {.text = "[1,", .item = "1", .code = ERR_USAGE, .says = "a value expected"},
        {.text = "{1:2}", .item = "1", .code = ERR_USAGE, .says = "double quotes"},
        {.text = "$Foo.a", .item = "1", .code = ERR_USAGE, .says = "$Input, $Item or $Context"},
        {.text = "$Item.", .item = "1", .code = ERR_USAGE, .says = "a name must come"},
        {.text = "truth", .item = "1", .code = ERR_USAGE, .says = "a value expected"},
        {.text = "1 inside [1]", .item = "1", .code = ERR_USAGE, .says = "character 3"},
        {.text = "l(l(l(l(l(l(l(l(l(l(l(1)))))))))))",
         .item = "1",
         .code = ERR_USAGE,
         .says = "no such"},
        {.text = "length(length(length(length(length(length(length(length(length(length(length(1))"
                 ")))))))))",
         .item = "1",
         .code = ERR_USAGE,
         .says = "more than 10"},
    };
    CHECK(rows);
}

Test(expression, refuses_wrong_types)
{
    static const struct row rows[] = {
        {.text = "$Item.a", .item = "{}", .code = ERR_DATA, .says = "there is no $Item.a"},
        {.text = "true && 1", .item = "1", .code = ERR_DATA, .says = "boolean expected"},
        {.text = "!1", .item = "1", .code = ERR_DATA, .says = "boolean expected"},
        {.text = "1 < \"x\"", .item = "1", .code = ERR_DATA, .says = "no order"},
        {.text = "1 in 1", .item = "1", .code = ERR_DATA, .says = "'in' needs"},
        {.text = "-\"x\"", .item = "1", .code = ERR_DATA, .says = "needs a number"},
        {.text = "intAdd(9223372036854775807,1)", .item = "1", .code = ERR_DATA, .says = "64 bits"},
        {.text = "intAdd(1.5,1)", .item = "1", .code = ERR_DATA, .says = "no whole number"},
        {.text = "hash(\"a\",\"NOPE\")", .item = "1", .code = ERR_DATA, .says = "NOPE"},
        {.text = "fromBase64(\"%\")", .item = "1", .code = ERR_DATA, .says = "no base64"},
        {.text = "fromBase64(\"/w==\")", .item = "1", .code = ERR_DATA, .says = "no UTF-8"},
        {.text = "stringToJson(\"{\")", .item = "1", .code = ERR_DATA, .says = "no JSON"},
        {.text = "format(\"{}\")", .item = "1", .code = ERR_DATA, .says = "1 places for 0"},
        {.text = "get($Item,\"z\")", .item = "{}", .code = ERR_DATA, .says = "no such member"},
        {.text = "randomInt(2,2)", .item = "1", .code = ERR_DATA, .says = "less than"},
        {.text = "split(\"a\",\"\")", .item = "1", .code = ERR_DATA, .says = "empty"},
    };
    CHECK(rows);
}

Test(expression, bounds_its_own_nesting)
{
    struct buf b = {0};
    for (int i = 0; i < 100000; i++) {
        buf_add_byte(&b, '(');
    }
    struct row deep = {.text = buf_text(&b), .item = "1", .code = ERR_USAGE, .says = "too deep"};
    check(&deep);
    buf_reset(&b);
    for (int i = 0; i < 100000; i++) {
        buf_add_byte(&b, '!');
    }
    struct row bangs = {.text = buf_text(&b), .item = "1", .code = ERR_USAGE, .says = "too deep"};
    check(&bangs);
    buf_reset(&b);
    buf_add_text(&b, "true");
    for (int i = 0; i < 100000; i++) {
        buf_add_text(&b, "&&true");
    }
    struct row chain = {
        .text = buf_text(&b), .item = "1", .code = ERR_USAGE, .says = "too many operators"};
    check(&chain);
    buf_release(&b);
}
