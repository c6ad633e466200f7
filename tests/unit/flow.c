/* lib/flow: machines and what becomes of inputs in them. */
#include "flow/definition.h"
#include "flow/engine.h"
#include "flow/graft.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

#define CLOUDFLOW "Type: StateMachine\nSpecVersion: v1\nName: F\nStartAt: A\nStates:\n"
#define PASS_ALL  "{StartAt: P, States: [{Type: Pass, Name: P, End: true}]}"

static struct flow_tree tree;
static struct machine *machine;

/* Compile TEXT. */
static void load(const char *text)
{
    struct faults faults = {0};
    struct err e = {0};
    cr_assert_eq(flow_tree_read(&tree, span_text(text), &faults), 0, "%s",
                 faults.count ? faults.at[0].text : "");
    cr_assert_eq(machine_compile(&machine, &tree, "def", &e), 0, "%s: %s", text, e.text);
    faults_release(&faults);
}

static void unload(void)
{
    machine_free(machine);
    flow_tree_release(&tree);
    machine = NULL;
}

static const struct engine_rules rules = {.environment = (const char *const[]){NULL},
                                          .name = {"E", 1},
                                          .folder = "/tmp",
                                          .programs = "/nonexistent",
                                          .definition = "flow.yaml",
                                          .errors = STDERR_FILENO};

/* What becomes of INPUT: the output, or "CODE" or "CODE: CAUSE". */
static void put_result(const struct engine_result *d, struct buf *out)
{
    buf_add_span(out, buf_span(d->succeeded ? &d->output : &d->code));
    if (!d->succeeded && d->cause.len > 0) {
        buf_add_text(out, ": ");
        buf_add_span(out, buf_span(&d->cause));
    }
}

static const struct {
    const char *text;
    const char *input;
    const char *result;
} runs[] = {
    /* CloudFlow: reference/distributed-map.md 1.9 */
    {CLOUDFLOW "- {Type: Pass, Name: A, End: true}", "{\"a\":1.10,\"a\":1e400}",
     "{\"a\":1.10,\"a\":1e400}"},
    {CLOUDFLOW "- {Type: Pass, Name: A, InputConstructor: {b.$: $Input.a}, OutputConstructor: "
               "{c.$: $Output.b, d.$: $Input, l: $Input.b}, End: true}",
     "{\"a\":1.10}", "{\"c\":1.10,\"d\":{\"b\":1.10},\"l\":\"$Input.b\"}"},
    {CLOUDFLOW
     "- {Type: Pass, Name: A, GlobalConstructor: {g.$: $Input.a}, OutputConstructor: "
     "{was.$: $Global}, Next: B}\n"
     "- {Type: Pass, Name: B, OutputConstructor: {was.$: $Input.was, g.$: $Global.g}, End: "
     "true}",
     "{\"a\":7}", "{\"was\":{},\"g\":7}"},
    {CLOUDFLOW "- {Type: Pass, Name: A, OutputConstructor: {n.$: $Context.Current.Name, e.$: "
               "$Context.Execution.Name, i.$: $Context.Execution.Input}, End: true}",
     "[1]", "{\"n\":\"A\",\"e\":\"E\",\"i\":[1]}"},
    {CLOUDFLOW "- {Type: Choice, Name: A, Branches: [{Condition: $Input > 2, Next: B}, {Condition: "
               "$Input == 2, Next: C}], Default: D}\n"
               "- {Type: Fail, Name: B, Code: Big}\n- {Type: Succeed, Name: C}\n"
               "- {Type: Fail, Name: D, Code: Small, Detail: too small}",
     "2", "2"},
    {CLOUDFLOW "- {Type: Fail, Name: A, Code: E, Detail.$: $Input.why}", "{\"why\":\"so\"}",
     "E: so"},
    {CLOUDFLOW "- {Type: Parallel, Name: A, Branches: [" PASS_ALL ", " PASS_ALL "], End: true}",
     "1", "{\"Branch0\":1,\"Branch1\":1}"},
    {CLOUDFLOW "- {Type: Map, Name: A, ItemsPath: $Input, Processor: " PASS_ALL ", End: true}",
     "[1,\"x\",null]", "{\"Items\":[1,\"x\",null]}"},
    {CLOUDFLOW
     "- {Type: Map, Name: A, ItemsPath: $Input, MaxConcurrency: 1, ItemConstructor: {v.$: "
     "$Item, i.$: $Context.Item.Index}, Processor: " PASS_ALL ", End: true}",
     "[5,6]", "{\"Items\":[{\"v\":5,\"i\":0},{\"v\":6,\"i\":1}]}"},
    {CLOUDFLOW
     "- {Type: Map, Name: A, ItemsPath: $Input, Processor: {StartAt: M, States: [{Type: Map, "
     "Name: M, ItemsPath: $Input, Processor: " PASS_ALL ", End: true}]}, End: true}",
     "[[1],[],[2,3]]", "{\"Items\":[{\"Items\":[1]},{\"Items\":[]},{\"Items\":[2,3]}]}"},
    {CLOUDFLOW "- {Type: Map, Name: A, ItemsPath: $Input, Processor: {StartAt: F, States: [{Type: "
               "Fail, Name: F, Code: E}]}, Catch: [{Errors: [X], Next: B}, {Errors: [E], "
               "OutputConstructor: {c.$: $Context.Current.Error.Code}, Next: B}], End: true}\n"
               "- {Type: Succeed, Name: B}",
     "[1,2]", "{\"c\":\"E\"}"},
    {CLOUDFLOW "- {Type: Map, Name: A, ItemsPath: $Input.i, Processor: " PASS_ALL ", End: true}",
     "{\"i\":5}", "Runtime: the items of the Map are no array"},
    {CLOUDFLOW "- {Type: Pass, Name: A, InputConstructor: {x.$: $Input.b}, End: true}", "{}",
     "Runtime: there is no $Input.b (write '?' behind it for null)"},
    {CLOUDFLOW
     "- {Type: Map, Name: A, InputConstructor: {x.$: $Input.b}, ItemsPath: $Input, "
     "Processor: " PASS_ALL ", Retry: [{Errors: [FnF.ALL], Description: d, MaxAttempts: 1, "
     "IntervalSeconds: 1}], Catch: [{Errors: [FnF.ALL], OutputConstructor: {in.$: $Input}, "
     "Next: B}], End: true}\n- {Type: Succeed, Name: B}",
     "[1]", "{\"in\":[1]}"},
    {CLOUDFLOW "- {Type: Wait, Name: A, Seconds: 0, End: true}", "3", "3"},
    {CLOUDFLOW "- {Type: Wait, Name: A, UntilDateTime: 2024-01-01T00:00:00Z, End: true}", "3", "3"},
    {CLOUDFLOW "- {Type: Task, Name: A, Action: none, End: true}", "3",
     "Runtime: --actions names no command for 'none'"},

    /* States Language: reference/distributed-map.md 2, and its specification */
    {"{StartAt: A, States: {A: {Type: Pass, Result: [1.0], ResultPath: $.r.x, End: true}}}",
     "{\"a\":1,\"r\":{\"b\":2}}", "{\"a\":1,\"r\":{\"b\":2,\"x\":[1.0]}}"},
    {"{StartAt: A, States: {A: {Type: Pass, InputPath: $.a, ResultPath: $.b, OutputPath: $.b, End: "
     "true}}}",
     "{\"a\":[1]}", "[1]"},
    {"{StartAt: A, States: {A: {Type: Pass, InputPath: null, End: true}}}", "5", "{}"},
    {"{StartAt: A, States: {A: {Type: Pass, Result: 1, ResultPath: null, End: true}}}", "5", "5"},
    {"{StartAt: A, States: {A: {Type: Pass, OutputPath: null, End: true}}}", "5", "{}"},
    {"{StartAt: A, States: {A: {Type: Pass, Parameters: {x.$: $.a, n.$: $$.State.Name, "
     "f.$: \"States.Format('{}!', $.a)\"}, End: true}}}",
     "{\"a\":\"v\"}", "{\"x\":\"v\",\"n\":\"A\",\"f\":\"v!\"}"},
    {"{StartAt: A, States: {A: {Type: Choice, Choices: [{Variable: $.n, NumericGreaterThan: 1, "
     "Next: "
     "B}]}, B: {Type: Succeed}}}",
     "{\"n\":1}", "States.NoChoiceMatched: no alternative holds, and there is no Default"},
    {"{StartAt: A, States: {A: {Type: Parallel, Branches: [{StartAt: P, States: {P: {Type: Pass, "
     "End: "
     "true}}}, {StartAt: F, States: {F: {Type: Fail, Error: E, Cause: c}}}], Catch: [{ErrorEquals: "
     "[E], ResultPath: $.e, Next: B}], End: true}, B: {Type: Succeed}}}",
     "{\"a\":1}", "{\"a\":1,\"e\":{\"Error\":\"E\",\"Cause\":\"c\"}}"},
    {"{StartAt: A, States: {A: {Type: Map, ItemsPath: $.i, ItemSelector: {v.$: $$.Map.Item.Value, "
     "i.$: $$.Map.Item.Index, c.$: $.c}, ResultPath: $.o, ItemProcessor: {StartAt: P, States: {P: "
     "{Type: Pass, End: true}}}, End: true}}}",
     "{\"i\":[8],\"c\":0}", "{\"i\":[8],\"c\":0,\"o\":[{\"v\":8,\"i\":0,\"c\":0}]}"},
    {"{StartAt: A, States: {A: {Type: Map, ItemProcessor: {StartAt: P, States: {P: {Type: Pass, "
     "End: true}}}, Catch: [{ErrorEquals: [States.ALL], Next: B}], End: true}, B: {Type: "
     "Succeed}}}",
     "0", "States.Runtime: the items of the Map are no array"},
};

Test(flow, runs)
{
    for (size_t i = 0; i < COUNT(runs); i++) {
        struct engine *engine;
        struct engine_result d = {0};
        struct buf got = {0};
        struct err e = {0};
        load(runs[i].text);
        cr_assert_eq(engine_open(&engine, machine, &rules, &e), 0);
        for (int again = 0; again < 2; again++) { /* an engine runs as often as one likes */
            buf_reset(&got);
            cr_assert_eq(engine_run(engine, machine->scope.start, span_text(runs[i].input), &d, &e),
                         0, "%s", e.text);
            put_result(&d, &got);
            cr_expect_str_eq(buf_text(&got), runs[i].result, "%s: %s", runs[i].text,
                             buf_text(&got));
        }
        engine_result_release(&d);
        engine_close(engine);
        buf_release(&got);
        unload();
    }
}

/* A machine that the check would refuse: the first fault, with its place. */
static const struct {
    const char *text;
    const char *fault;
} refused[] = {
    {"{StartAt: A}", "def:1:1 (byte 0): States are needed"},
    {"{States: {A: {Type: Succeed}}}", "def:1:1 (byte 0): StartAt is missing"},
    {"{StartAt: B,\n States: {A: {Type: Succeed}}}", "def:1:11 (byte 0): there is no state B here"},
    {"{StartAt: A,\n States: {A: {Type: Odd}}}",
     "def:2:21 (byte 0): the state has no Type that is known"},
    {"{StartAt: A,\n States: {A: {Type: Pass}}}",
     "def:2:14 (byte 0): the state has neither Next nor End: true"},
    {CLOUDFLOW "- {Type: Pass, Name: A, End: true}\n- {Type: Succeed, Name: A}",
     "def:7:3 (byte 0): two states have this name"},
    {CLOUDFLOW "- {Type: Choice, Name: A, Branches: [{Condition: $Input >, Next: A}], Default: A}",
     "def:6:50 (byte 0): expression '$Input >': a value is needed after character 8"},
    {CLOUDFLOW "- {Type: Pass, Name: A, InputConstructor: {a.$: $Output}, End: true}",
     "def:6:43 (byte 0): path '$Output': $Input, $Context or $Global expected"},
};

Test(flow, refused)
{
    for (size_t i = 0; i < COUNT(refused); i++) {
        struct faults faults = {0};
        struct err e = {0};
        char message[ERR_TEXT_MAX];
        cr_assert_eq(flow_tree_read(&tree, span_text(refused[i].text), &faults), 0);
        cr_expect_eq(machine_compile(&machine, &tree, "def", &e), -1, "%s", refused[i].text);
        cr_expect_eq(e.code, ERR_USAGE);
        err_message(&e, message, sizeof message);
        cr_expect(strncmp(message, refused[i].fault, strlen(refused[i].fault)) == 0 ||
                      strstr(refused[i].fault, "expression") != NULL,
                  "%s", message);
        faults_release(&faults);
        flow_tree_release(&tree);
    }
}

static const struct {
    const char *name;
    const char *path; /* NULL: no such state, or several */
} names[] = {
    {"A", "A"},
    {"Both", "Both"},
    {"Inner", NULL},
    {"A/Inner", "A/Inner"},
    {"Both/1/Inner", "Both/1/Inner"},
    {"Both/2/Inner", NULL},
    {"Both/0/P", "P"},
    {"X", NULL},
};

Test(flow, names)
{
    load("{StartAt: A, States: {A: {Type: Map, ItemProcessor: {StartAt: Inner, States: {Inner: "
         "{Type: "
         "Succeed}}}, Next: Both}, Both: {Type: Parallel, Branches: [{StartAt: P, States: {P: "
         "{Type: "
         "Succeed}}}, {StartAt: Inner, States: {Inner: {Type: Succeed}}}], End: true}}}");
    for (size_t i = 0; i < COUNT(names); i++) {
        struct err e = {0};
        struct buf path = {0};
        const struct state *s = machine_find(machine, names[i].name, &e);
        cr_assert_eq(s != NULL, names[i].path != NULL, "%s", names[i].name);
        if (s) {
            machine_path(machine, s, &path);
            cr_expect_str_eq(buf_text(&path), names[i].path);
        }
        buf_release(&path);
    }
    unload();
}

static const struct {
    const char *root;
    const char *path;
    const char *value;
    const char *result; /* NULL: it cannot be put there */
} grafts[] = {
    {"{\"a\":1}", "$.b", "2", "{\"a\":1,\"b\":2}"},
    {"{\"a\":1}", "$.a", "2", "{\"a\":2}"},
    {"{}", "$.a.b.c", "[]", "{\"a\":{\"b\":{\"c\":[]}}}"},
    {"{\"a\":{\"x\":1.10},\"z\":0}", "$.a.b", "2", "{\"a\":{\"x\":1.10,\"b\":2},\"z\":0}"},
    {"{\"a\":[1,2,3]}", "$.a[1]", "9", "{\"a\":[1,9,3]}"},
    {"{\"a\":[1]}", "$.a[1]", "9", NULL},
    {"[1]", "$.a", "9", NULL},
    {"{\"a\":1}", "$.a.b", "9", NULL},
    {"{\"a\":1,\"a\":2}", "$.a", "9", "{\"a\":9}"},
    {"{\"\\u0061\":1}", "$.a", "9", "{\"\\u0061\":9}"},
    {"{\"x\":1}", "$['a \\\" b']", "9", "{\"x\":1,\"a \\\\\\\" b\":9}"},
};

Test(flow, graft)
{
    for (size_t i = 0; i < COUNT(grafts); i++) {
        struct path p;
        struct err e = {0};
        struct buf out = {0};
        cr_assert_eq(path_parse(&p, span_text(grafts[i].path), &e), 0, "%s", e.text);
        int rc = graft(span_text(grafts[i].root), &p, span_text(grafts[i].value), &out, &e);
        cr_expect_eq(rc, grafts[i].result ? 0 : -1, "%s", grafts[i].path);
        if (rc == 0 && grafts[i].result) {
            cr_expect_str_eq(buf_text(&out), grafts[i].result);
        }
        buf_release(&out);
        path_release(&p);
    }
}

Test(flow, merge)
{
    struct buf out = {0};
    graft_merge(SPAN_LIT("{\"a\":1,\"b\":2}"), SPAN_LIT("{\"b\":3,\"c\":4}"), &out);
    cr_expect_str_eq(buf_text(&out), "{\"a\":1,\"b\":3,\"c\":4}");
    buf_release(&out);
}

/* The pipelines of distributed Maps. */
static const struct {
    const char *text;
    const char *input;
    const char *plan; /* NULL: none */
} plans[] = {
    {CLOUDFLOW "- {Type: Map, Name: A, ItemsPath: $Input.i, MaxConcuccency: 1, MaxItems: 3, "
               "ProcessorConfig: {ExecutionMode: Express}, Processor: " PASS_ALL ", End: true}",
     "{}",
     "mapsplit -f json --require-array -n3 -p '$Input.i' in.json |\n"
     "  maprun -j1 --items=one --flow-name=A --worker=answers -- mapflow processor --answers "
     "flow.yaml |\n"
     "  resultwrite\n"},
    {CLOUDFLOW "- {Type: Map, Name: A, ProcessorConfig: {ExecutionMode: Express}, ItemReader: "
               "{SourceType: OSS_CSV, SourceParameters: {Bucket.$: $Input.b, ObjectName: o}, "
               "ReaderConfig: {CSVHeaders: [x, y]}}, Processor: " PASS_ALL ", End: true}",
     "{\"b\":\"bk\"}",
     "mapsplit -f csv --csv-headers=x,y --header=none oss://bk/o |\n"
     "  maprun --window=64 --items=one --flow-name=A --worker=answers -- mapflow processor "
     "--answers "
     "flow.yaml |\n"
     "  resultwrite\n"},
    {"{StartAt: A, States: {A: {Type: Map, ItemsPath: $.i, ToleratedFailureCountPath: $.n, "
     "ItemBatcher: {MaxItemsPerBatch: '2', BatchInput: {b.$: $.b}}, ItemProcessor: "
     "{ProcessorConfig: "
     "{Mode: DISTRIBUTED}, StartAt: W, States: {W: {Type: Wait, Seconds: 1, End: true}}}, "
     "ResultPath: "
     "$.r, End: true}}}",
     "{\"n\":4}",
     "mapsplit -f json -p '$.i' in.json |\n"
     "  batcher -n2 '--batch-input={\"b.$\":\"$.b\"}' -i in.json |\n"
     "  maprun --tolerate-by=items --tolerated-failure-count=4 --items=batch --flow-name=A "
     "--worker=answers -- mapflow processor --answers flow.yaml |\n"
     "  resultwrite --tolerate-by=items --tolerated-failure-count=4 --wrap=array --records=aws |\n"
     "  mapflow leave --state=A -i in.json flow.yaml\n"},
    {CLOUDFLOW "- {Type: Map, Name: A, MaxItems.$: $Input.n, ItemsPath: $Input.i, ProcessorConfig: "
               "{ExecutionMode: Express}, Processor: " PASS_ALL ", End: true}",
     "{\"n\":{}}", NULL},
    {CLOUDFLOW "- {Type: Map, Name: A, ItemsPath: $Input, Processor: " PASS_ALL ", End: true}",
     "[]", NULL},
};

Test(flow, plans)
{
    for (size_t i = 0; i < COUNT(plans); i++) {
        struct engine *engine;
        struct buf out = {0};
        struct err e = {0};
        load(plans[i].text);
        engine_open(&engine, machine, &rules, &e);
        int rc = engine_plan(engine, machine->scope.start, "in.json", span_text(plans[i].input),
                             &out, &e);
        cr_expect_eq(rc, plans[i].plan ? 0 : -1, "%s", e.text);
        if (rc == 0 && plans[i].plan) {
            cr_expect_str_eq(buf_text(&out), plans[i].plan);
        }
        engine_close(engine);
        buf_release(&out);
        unload();
    }
}
