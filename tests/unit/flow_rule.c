/* lib/flow: the Choice rules of the States Language; what is near to a name. */
#include "flow/rule.h"

#include <criterion/criterion.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Whether a rule holds: States Language Specification, "Choice State". -1: an error. */
static const struct {
    const char *rule;
    const char *input;
    int holds;
} rules[] = {
    {"{Variable: $.s, StringEquals: a}", "{\"s\":\"a\"}", 1},
    {"{Variable: $.s, StringEquals: a}", "{\"s\":\"\\u0061\"}", 1},
    {"{Variable: $.s, StringEquals: a}", "{\"s\":\"A\"}", 0},
    {"{Variable: $.s, StringEquals: '1'}", "{\"s\":1}", 0},
    {"{Variable: $.s, StringEqualsPath: $.t}", "{\"s\":\"a\",\"t\":\"a\"}", 1},
    {"{Variable: $.s, StringEqualsPath: $.t}", "{\"s\":\"a\",\"t\":1}", 0},
    {"{Variable: $.s, StringEqualsPath: $.t}", "{\"s\":\"a\"}", -1},
    {"{Variable: $.s, StringEquals: a}", "{}", -1},
    {"{Variable: $.s, StringLessThan: b}", "{\"s\":\"a\"}", 1},
    {"{Variable: $.s, StringLessThan: b}", "{\"s\":\"b\"}", 0},
    {"{Variable: $.s, StringGreaterThan: b}", "{\"s\":\"ba\"}", 1},
    {"{Variable: $.s, StringLessThanEquals: b}", "{\"s\":\"b\"}", 1},
    {"{Variable: $.s, StringGreaterThanEquals: b}", "{\"s\":\"a\"}", 0},
    /* U+FFFF comes before U+1D11E, as UTF-16 would not have it */
    {"{Variable: $.s, StringLessThan: \"\xf0\x9d\x84\x9e\"}", "{\"s\":\"\xef\xbf\xbf\"}", 1},
    {"{Variable: $.s, StringMatches: 'log-*.txt'}", "{\"s\":\"log-.txt\"}", 1},
    {"{Variable: $.s, StringMatches: 'log-*.txt'}", "{\"s\":\"log-a.txt.txt\"}", 1},
    {"{Variable: $.s, StringMatches: 'log-*.txt'}", "{\"s\":\"log-a.txtx\"}", 0},
    {"{Variable: $.s, StringMatches: 'a*b*c'}", "{\"s\":\"abbcxbc\"}", 1},
    {"{Variable: $.s, StringMatches: 'a\\*'}", "{\"s\":\"a*\"}", 1},
    {"{Variable: $.s, StringMatches: 'a\\*'}", "{\"s\":\"ab\"}", 0},
    {"{Variable: $.s, StringMatches: 'a\\\\*'}", "{\"s\":\"a\\\\b\"}", 1},
    {"{Variable: $.s, StringMatches: '**'}", "{\"s\":\"\"}", 1},
    {"{Variable: $.s, StringMatches: ''}", "{\"s\":\"a\"}", 0},
    {"{Variable: $.n, NumericEquals: 1}", "{\"n\":1.0}", 1},
    {"{Variable: $.n, NumericEquals: 1e400}", "{\"n\":10e399}", 1},
    {"{Variable: $.n, NumericLessThan: 9007199254740993}", "{\"n\":9007199254740992}", 1},
    {"{Variable: $.n, NumericGreaterThan: 4}", "{\"n\":\"5\"}", 0},
    {"{Variable: $.n, NumericGreaterThan: 4}", "{\"n\":5}", 1},
    {"{Variable: $.n, NumericGreaterThanEquals: -0.5}", "{\"n\":-0.5}", 1},
    {"{Variable: $.n, NumericLessThanEqualsPath: '$.m[1]'}", "{\"n\":2,\"m\":[0,3]}", 1},
    {"{Variable: $.b, BooleanEquals: false}", "{\"b\":false}", 1},
    {"{Variable: $.b, BooleanEquals: false}", "{\"b\":null}", 0},
    {"{Variable: $.b, BooleanEqualsPath: $.c}", "{\"b\":true,\"c\":true}", 1},
    {"{Variable: $.t, TimestampEquals: '2024-08-18T17:33:00Z'}",
     "{\"t\":\"2024-08-18T19:33:00.000+02:00\"}", 1},
    {"{Variable: $.t, TimestampLessThan: '2024-08-18T17:33:00Z'}",
     "{\"t\":\"2024-08-18T17:32:59.9Z\"}", 1},
    {"{Variable: $.t, TimestampGreaterThanEquals: '2024-08-18T17:33:00Z'}", "{\"t\":\"soon\"}", 0},
    {"{Variable: $.t, TimestampGreaterThanPath: $.u}",
     "{\"t\":\"2024-08-18T17:33:01Z\",\"u\":\"2024-08-18T17:33:00Z\"}", 1},
    {"{Variable: $.t, IsTimestamp: true}", "{\"t\":\"2024-08-18T17:33:00Z\"}", 1},
    {"{Variable: $.t, IsTimestamp: true}", "{\"t\":\"2024-08-18t17:33:00z\"}", 0},
    {"{Variable: $.t, IsTimestamp: false}", "{\"t\":\"2024-08-18\"}", 1},
    {"{Variable: $.x, IsNull: true}", "{\"x\":null}", 1},
    {"{Variable: $.x, IsNull: false}", "{\"x\":null}", 0},
    {"{Variable: $.x, IsNull: true}", "{}", -1},
    {"{Variable: $.x, IsPresent: true}", "{\"x\":null}", 1},
    {"{Variable: $.x, IsPresent: true}", "{}", 0},
    {"{Variable: $.x, IsPresent: false}", "{}", 1},
    {"{Variable: $.x, IsString: true}", "{\"x\":\"\"}", 1},
    {"{Variable: $.x, IsNumeric: true}", "{\"x\":\"1\"}", 0},
    {"{Variable: $.x, IsNumeric: true}", "{\"x\":-1}", 1},
    {"{Variable: $.x, IsBoolean: true}", "{\"x\":false}", 1},
    {"{Variable: $, IsString: false}", "[]", 1},
    {"{Variable: $$.Map, IsPresent: true}", "[]", 1},
    {"{Not: {Variable: $.n, NumericEquals: 1}}", "{\"n\":2}", 1},
    {"{And: [{Variable: $.n, NumericEquals: 2}, {Variable: $.s, IsString: true}]}",
     "{\"n\":2,\"s\":\"\"}", 1},
    {"{And: [{Variable: $.s, IsPresent: true}, {Variable: $.s, StringEquals: a}]}", "{}", 0},
    {"{Or: [{Variable: $.s, IsPresent: false}, {Variable: $.s, StringEquals: a}]}", "{}", 1},
    {"{Or: [{Variable: $.n, NumericEquals: 1}, {Not: {Or: [{Variable: $.n, NumericEquals: 2}]}}]}",
     "{\"n\":2}", 0},
    {"{And: [{Variable: $.s, StringEquals: a}]}", "{}", -1},
    {"{Not: {Variable: $.s, StringEquals: a}}", "{}", -1},
    {"{Variable: $.s, StringEquals: a, Next: X, Comment: c}", "{\"s\":\"a\"}", 1},
};

static struct rule *compile(const char *text, struct flow_tree *t, struct faults *f)
{
    cr_assert_eq(flow_tree_read(t, span_text(text), f), 0, "%s", text);
    return rule_compile(t->root, f);
}

Test(rule, holds)
{
    struct arena a = {0};
    for (size_t i = 0; i < COUNT(rules); i++) {
        struct flow_tree t;
        struct faults f = {0};
        struct err e = {0};
        struct span roots[PATH_HERE] = {
            [PATH_INPUT] = span_text(rules[i].input), [PATH_CONTEXT] = SPAN_LIT("{\"Map\":{}}")};
        struct rule *r = compile(rules[i].rule, &t, &f);
        cr_assert_not_null(r, "%s: %s", rules[i].rule, f.count ? f.at[0].text : "");
        cr_expect_eq(rule_holds(r, roots, &a, &e), rules[i].holds, "%s of %s", rules[i].rule,
                     rules[i].input);
        cr_expect_eq(e.code, rules[i].holds < 0 ? ERR_DATA : ERR_NONE);
        rule_free(r);
        flow_tree_release(&t);
    }
    arena_release(&a);
}

Test(rule, names_its_roots)
{
    struct flow_tree t;
    struct faults f = {0};
    struct rule *r = compile("{Not: {Or: [{Variable: $.a, IsNull: true}, "
                             "{Variable: $.b, StringEqualsPath: $$.c}]}}",
                             &t, &f);
    cr_assert_not_null(r);
    cr_expect(rule_uses(r, PATH_INPUT));
    cr_expect(rule_uses(r, PATH_CONTEXT));
    cr_expect_not(rule_uses(r, PATH_GLOBAL));
    rule_free(r);
    flow_tree_release(&t);
}

static const struct {
    const char *rule;
    const char *faults;
} refused[] = {
    {"x", "1:1: a rule must be a map, not a string"},
    {"{Next: X}", "1:1: a rule must have a Variable, or And, Or or Not"},
    {"{Variable: $.a}", "1:1: a rule with a Variable must have a comparison"},
    {"{StringEquals: a}", "1:1: a rule must have a Variable, or And, Or or Not"},
    {"{Variable: $.a, StringEqual: a}",
     "1:1: a rule with a Variable must have a comparison; "
     "1:17: there is no comparison 'StringEqual'; did you mean 'StringEquals'?"},
    {"{Variable: $.a, IsNull: true, Foo: 1}", "1:31: there is no comparison 'Foo'"},
    {"{Variable: $.a, IsNull: true, IsString: true}",
     "1:31: a rule has one of IsNull and IsString, not both"},
    {"{Variable: $.a, StringMatchesPath: $.b}",
     "1:1: a rule with a Variable must have a comparison; "
     "1:17: there is no comparison 'StringMatchesPath'; did you mean 'StringMatches'?"},
    {"{Variable: $.a, StringEquals: 1}", "1:31: StringEquals takes a string"},
    {"{Variable: $.a, NumericEquals: '1'}", "1:32: NumericEquals takes a number"},
    {"{Variable: $.a, IsNull: 'true'}", "1:25: IsNull takes true or false"},
    {"{Variable: $.a, TimestampEquals: '2024-08-18'}",
     "1:34: TimestampEquals takes a timestamp as 2024-08-18T17:33:00Z, within 1970 to 2199"},
    {"{Variable: '$.a[', NumericEqualsPath: 'b'}",
     "1:17: path '$.a[': a number or a quoted name must come behind '[' at character 5; "
     "1:40: path 'b': '.' or '[' expected at character 1"},
    {"{Variable: .a, NumericEqualsPath: 7}",
     "1:12: Variable must be a path that begins with $; "
     "1:35: NumericEqualsPath must be a path in a string, not a number"},
    {"{And: []}", "1:7: And takes a list of rules"},
    {"{Or: {}}", "1:6: Or takes a list of rules"},
    {"{Not: []}", "1:7: a rule must be a map, not a list"},
    {"{And: [{Variable: $.a, IsNull: true, Next: X}]}", "1:38: only the outermost rule has Next"},
    {"{And: [1, {Or: [2]}]}", "1:8: a rule must be a map, not a number; "
                              "1:17: a rule must be a map, not a number"},
    {"{Not: {Variable: $.a, IsNull: true}, Variable: $.b}",
     "1:38: a rule with Not has no Variable"},
    {"{Not: {Variable: $.a, IsNull: true}, And: []}",
     "1:38: a rule has one of Not and And, not both"},
};

Test(rule, refuses)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct flow_tree t;
        struct faults f = {0};
        struct buf said = {0};
        cr_expect_null(compile(refused[i].rule, &t, &f));
        faults_sort(&f);
        for (size_t k = 0; k < f.count; k++) {
            buf_printf(&said, "%s%llu:%llu: %s", k > 0 ? "; " : "",
                       (unsigned long long)f.at[k].at.line, (unsigned long long)f.at[k].at.column,
                       f.at[k].text);
        }
        cr_expect_str_eq(buf_text(&said), refused[i].faults, "%s: %s", refused[i].rule,
                         buf_text(&said));
        buf_release(&said);
        faults_release(&f);
        flow_tree_release(&t);
    }
}
