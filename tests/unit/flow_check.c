/* lib/flow: the check of definitions. */
#include "flow/check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What a row is put into. */
enum around {
    WHOLE,
    CLOUDFLOW, /* the fields of a state X of CloudFlow, but its Name */
    STATES,    /* the fields of a state X of the States Language */
};

static const char *const frames[][2] = {
    [WHOLE] = {"", ""},
    [CLOUDFLOW] = {"StartAt: X\nStates:\n- {Name: X, ", "}\n"},
    [STATES] = {"StartAt: X\nStates:\n  X: {", "}\n"},
};

/*
 * A '@' in the text stands before what is at fault, and is taken away; there is one for each of the
 * faults, in their order.
 */
struct row {
    enum around around;
    const char *text;
    const char *faults[9];
};

struct marks {
    struct place_at at[16];
    size_t count;
};

static void unmark(const char *text, struct buf *out, struct place_at *at, struct marks *marks)
{
    for (; *text; text++) {
        if (*text == '@') {
            cr_assert_lt(marks->count, COUNT(marks->at));
            marks->at[marks->count++] = *at;
            continue;
        }
        buf_add_byte(out, *text);
        *at = *text == '\n' ? (struct place_at){at->line + 1, 1}
                            : (struct place_at){at->line, at->column + 1};
    }
}

static void expect(const struct row *row, const struct marks *marks, const struct faults *f)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct fault *fault = &f->at[i];
        cr_assert(i < marks->count && row->faults[i], "%s\nunexpected: %llu:%llu: %s", row->text,
                  (unsigned long long)fault->at.line, (unsigned long long)fault->at.column,
                  fault->text);
        cr_expect(fault->at.line == marks->at[i].line && fault->at.column == marks->at[i].column,
                  "%s\nfault %zu stands at %llu:%llu: %s", row->text, i + 1,
                  (unsigned long long)fault->at.line, (unsigned long long)fault->at.column,
                  fault->text);
        cr_expect_str_eq(fault->text, row->faults[i], "%s\nfault %zu: %s", row->text, i + 1,
                         fault->text);
    }
    cr_expect_eq(f->count, marks->count, "%s\n%zu faults", row->text, f->count);
}

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct buf text = {0};
        struct marks marks = {0};
        struct place_at at = {1, 1};
        struct faults f = {0};
        struct flow_tree t;
        unmark(frames[rows[i].around][0], &text, &at, &marks);
        unmark(rows[i].text, &text, &at, &marks);
        unmark(frames[rows[i].around][1], &text, &at, &marks);
        cr_assert_eq(flow_tree_read(&t, buf_span(&text), &f), 0, "%s: %s", buf_text(&text),
                     f.count ? f.at[0].text : "");
        check_definition(t.root, &f);
        faults_sort(&f);
        expect(&rows[i], &marks, &f);
        faults_release(&f);
        flow_tree_release(&t);
        buf_release(&text);
    }
}

#define PROCESSOR  "Processor: {StartAt: P, States: [{Type: Pass, Name: P, End: true}]}"
#define PROCESSOR2 "ItemProcessor: {StartAt: P, States: {P: {Type: Pass, End: true}}}"

/* ---- what is right ---- */

static const struct row right[] = {
    {WHOLE,
     "Type: StateMachine\nSpecVersion: v1\nName: n\nDescription: d\nTimeout: 60\nStartAt: A\n"
     "States:\n- {Type: Pass, Name: A, Next: B}\n- {Type: Succeed, Name: B, End: true}\n",
     {0}},
    {WHOLE,
     "{\"Comment\": \"c\", \"Version\": \"1.0\", \"TimeoutSeconds\": 60, \"StartAt\": \"A\", "
     "\"QueryLanguage\": \"JSONPath\", \"States\": {\"A\": {\"Type\": \"Pass\", \"Next\": \"B\"}, "
     "\"B\": {\"Type\": \"Fail\", \"Error\": \"E\", \"CausePath\": \"$.c\"}}}",
     {0}},
    {CLOUDFLOW,
     "Type: Pass, End: true, InputConstructor: {a.$: $Input.b, c: [{d.$: "
     "$Context.Execution.Name}]}, "
     "OutputConstructor: {x.$: $Output.a, y.$: $Global.g}, GlobalConstructor: {g.$: $Output}",
     {0}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input.Items, MaxConcuccency: 40, MaxItems: 0, "
     "ToleratedFailurePercentage: 0.5, ToleratedFailureCount: 10, "
     "ItemConstructor: {k.$: $Item.k, i.$: $Context.Item.Index}, "
     "ItemBatcher: {MaxItemsPerBatch: 2, MaxInputBytesPerBatch: 50, BatchInput: {a.$: $Input.a}}, "
     "ProcessorConfig: {ExecutionMode: Standard}, " PROCESSOR ", "
     "ResultWriter: {Parameters: {Bucket: b, Prefix: p/}}, "
     "Retry: [{Errors: [E], MaxAttempts: 2, IntervalSeconds: 0.5, BackoffRate: 1.5, "
     "MaxBackoffSeconds: 9, Description: d}], "
     "Catch: [{Errors: [FnF.ALL], Next: X, OutputConstructor: {e.$: "
     "$Context.Current.Error.Code}}], "
     "End: true",
     {0}},
    {CLOUDFLOW,
     "Type: Map, ItemReader: {SourceType: OSS_CSV, SourceParameters: {Bucket.$: $Input.b, "
     "ObjectName: o}, ReaderConfig: {CSVHeaders: [a, b]}}, MaxItems.$: $Input.n, " PROCESSOR
     ", End: true",
     {0}},
    {CLOUDFLOW,
     "Type: Map, ItemReader: {SourceType: OSS_OBJECTS, SourceParameters: {Bucket: b}}, " PROCESSOR
     ", End: true",
     {0}},
    {CLOUDFLOW,
     "Type: Choice, Branches: [{Condition: $Input.a > 1 && !(\"x\" in $Input.b), Next: X}, "
     "{Condition: \"$Input.s == `q`\", Next: Y, Description: d}], Default: Y}\n"
     "- {Type: Fail, Name: Y, Code: c, Detail.$: \"format(\\\"{}\\\", $Input.a)\"",
     {0}},
    {CLOUDFLOW,
     "Type: Task, Action: 'FC:InvokeFunction', Parameters: {a.$: $Input.a}, Timeout: 30, "
     "TaskMode: RequestComplete, End: true",
     {0}},
    {CLOUDFLOW, "Type: Task, Command: [sh, -c, exit], Timeout.$: $Input.t, End: true", {0}},
    {CLOUDFLOW, "Type: Wait, Seconds: 12, End: true", {0}},
    {CLOUDFLOW, "Type: Wait, UntilDateTime: '2023-10-02T15:04:05Z', End: true", {0}},
    {CLOUDFLOW, "Type: Wait, UntilDateTime: $Input.time, End: true", {0}},
    {CLOUDFLOW,
     "Type: Parallel, Branches: [{StartAt: P, States: [{Type: Pass, Name: P, End: true}]}, "
     "{StartAt: P, States: [{Type: Pass, Name: P, End: true}]}], End: true",
     {0}},
    {STATES,
     "Type: Map, ItemsPath: $.a, InputPath: null, OutputPath: $, ResultPath: $.r.s, "
     "ResultSelector: {n.$: States.ArrayLength($)}, MaxConcurrencyPath: $.n, Label: L, "
     "ToleratedFailurePercentage: 100, ToleratedFailureCountPath: $.t, "
     "ItemSelector: {v.$: $$.Map.Item.Value, i.$: $$.Map.Item.Index, w.$: $.w}, "
     "ItemBatcher: {MaxItemsPerBatchPath: $.m, MaxInputBytesPerBatch: 262144, BatchInput: {}}, "
     "ResultWriter: {Resource: 'arn:aws:states:::s3:putObject', Parameters: {Bucket: b}, "
     "WriterConfig: {Transformation: FLATTEN, OutputType: JSONL}}, "
     "ItemProcessor: {ProcessorConfig: {Mode: DISTRIBUTED, ExecutionType: EXPRESS}, StartAt: P, "
     "States: {P: {Type: Pass, End: true}}}, "
     "Retry: [{ErrorEquals: [A, B], MaxAttempts: 0, IntervalSeconds: 1, BackoffRate: 1, "
     "MaxDelaySeconds: 2, JitterStrategy: FULL}, {ErrorEquals: [State.ALL]}, "
     "{ErrorEquals: [States.ALL]}], "
     "Catch: [{ErrorEquals: [A], Next: X, ResultPath: null}], End: true",
     {0}},
    {STATES,
     "Type: Map, ItemReader: {Resource: 'arn:aws:states:::s3:getObject', Parameters: {Bucket: b, "
     "Key.$: $.k, VersionId: v}, ReaderConfig: {InputType: CSV, CSVHeaderLocation: GIVEN, "
     "CSVHeaders: [a], CSVDelimiter: TAB, MaxItemsPath: $.m}}, " PROCESSOR2 ", End: true",
     {0}},
    {STATES,
     "Type: Map, ItemReader: {Resource: 'arn:aws:states:::s3:getObject', Parameters: {Bucket: b, "
     "Key: k}, ReaderConfig: {InputType: JSON, ItemsPointer: /a/0, MaxItems: 100000000}}, "
     "Iterator: {StartAt: P, States: {P: {Type: Pass, End: true}}}, Parameters: {a.$: $.b}, "
     "End: true",
     {0}},
    {STATES,
     "Type: Map, ItemReader: {Resource: 'arn:aws:states:::s3:listObjectsV2', Parameters: {Bucket: "
     "b, Prefix: p}}, ResultWriter: {WriterConfig: {Transformation: COMPACT}}, " PROCESSOR2
     ", End: true",
     {0}},
    {STATES,
     "Type: Choice, Choices: [{Variable: $.a, NumericEquals: 1, Next: X}, "
     "{Not: {Variable: $.b, IsPresent: true}, Next: Y, Comment: c}]}\n"
     "  Y: {Type: Succeed, Comment: c, InputPath: $.a",
     {0}},
    {STATES,
     "Type: Task, Resource: 'arn:aws:lambda:f', TimeoutSeconds: 5, HeartbeatSeconds: 4, "
     "ResultPath: \"$['a b'][0]\", End: true",
     {0}},
    {STATES,
     "Type: Map, Items: $.a, ItemBatcher: {MaxItemsPerBatch: '2'}, " PROCESSOR2 ", End: true",
     {0}},
    {STATES, "Type: Map, Items: [1, {a.$: $.b}], " PROCESSOR2 ", End: true", {0}},
    {STATES, "Type: Task, Command: [\"true\"], TimeoutSecondsPath: $.t, End: true", {0}},
    {STATES, "Type: Wait, SecondsPath: $.s, End: true", {0}},
    {STATES, "Type: Wait, Timestamp: '2024-08-18T17:33:00+02:00', End: true", {0}},
    {STATES,
     "Type: Pass, Result: {a.$: anything}, ResultPath: $.r, Next: Y}\n  Y: {Type: Fail",
     {0}},
};

Test(check, takes_what_is_right)
{
    check_rows(right, COUNT(right));
}

/* ---- fields ---- */

static const struct row fields[] = {
    {WHOLE, "@[]", {"a definition must be a map, not a list"}},
    {WHOLE, "@StartAt: A", {"a definition must have States"}},
    {CLOUDFLOW, "Type: Pass, End: true, @Foo: 1", {"a Pass state has no 'Foo'"}},
    {CLOUDFLOW, "Type: Pass, @Ends: true", {"a Pass state has no 'Ends'; did you mean 'End'?"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, @MaxConcurency: 1, " PROCESSOR ", End: true",
     {"a Map state has no 'MaxConcurency'; did you mean 'MaxConcurrency'?"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, MaxConcurrency: 1, @MaxConcuccency: 1, " PROCESSOR
     ", End: true",
     {"MaxConcurrency and MaxConcuccency exclude each other"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, MaxItems: 1, @MaxItems.$: $Input.a, " PROCESSOR ", End: true",
     {"MaxItems and MaxItems.$ exclude each other"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, @MaxItemsPath: $Input.a, " PROCESSOR ", End: true",
     {"a Map state has no 'MaxItemsPath'; in CloudFlow it is 'MaxItems.$'"}},
    {STATES,
     "Type: Map, @MaxConcurrency.$: $.a, " PROCESSOR2 ", End: true",
     {"a Map state has no 'MaxConcurrency.$'; in the Amazon States Language it is "
      "'MaxConcurrencyPath'"}},
    {STATES,
     "Type: Map, ToleratedFailureCount: 0, @ToleratedFailureCountPath: $.t, " PROCESSOR2
     ", End: true",
     {"ToleratedFailureCount and ToleratedFailureCountPath exclude each other"}},
    {STATES,
     "Type: Map, ItemSelector: {}, @Parameters: {}, " PROCESSOR2 ", End: true",
     {"ItemSelector and Parameters exclude each other"}},
    {STATES,
     "Type: Map, ItemReader: {Resource: ':s3:listObjectsV2', Parameters: {Bucket: b}, "
     "ReaderConfig: {MaxItems: 1, @MaxItemsPath: $.m}}, " PROCESSOR2 ", End: true",
     {"MaxItems and MaxItemsPath exclude each other"}},
    {CLOUDFLOW,
     "Type: Wait, Seconds: 1, @UntilDateTime: $Input.t, End: true",
     {"Seconds and UntilDateTime exclude each other"}},
    {STATES,
     "Type: Wait, SecondsPath: $.s, @TimestampPath: $.t, End: true",
     {"SecondsPath and TimestampPath exclude each other"}},
    {CLOUDFLOW,
     "Type: Task, Action: a, @Command: [b], End: true",
     {"Action and Command exclude each other"}},
    /* missing */
    {WHOLE,
     "StartAt: X\nStates:\n- @@{Type: Map, Name: X, End: true}\n",
     {"a Map state must have ItemsPath or ItemReader", "a Map state must have Processor"}},
    {WHOLE,
     "StartAt: X\nStates:\n- @{Type: Wait, Name: X, End: true}\n",
     {"a Wait state must have Seconds or UntilDateTime"}},
    {WHOLE,
     "StartAt: X\nStates:\n- @{Type: Task, Name: X, End: true}\n",
     {"a Task state must have Action or Command"}},
    {WHOLE,
     "StartAt: X\nStates:\n- @{Type: Pass, Name: X}\n",
     {"a Pass state must have Next or End: true"}},
    {WHOLE,
     "StartAt: X\nStates:\n- @{Type: Pass, Name: X, End: false}\n",
     {"a Pass state must have Next or End: true"}},
    {WHOLE, "StartAt: X\nStates:\n- @{Name: X}\n", {"a state must have Type"}},
    {CLOUDFLOW, "Type: Pass, Next: X, @End: true", {"a state has Next or End: true, not both"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, ItemBatcher: @{}, " PROCESSOR ", End: true",
     {"ItemBatcher must have MaxItemsPerBatch or MaxInputBytesPerBatch"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, ResultWriter: {Parameters: @{Bucket: b}}, " PROCESSOR
     ", End: true",
     {"Parameters must have Prefix"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, ProcessorConfig: @{}, " PROCESSOR ", End: true",
     {"ProcessorConfig must have ExecutionMode"}},
    {STATES,
     "Type: Map, ResultWriter: @{}, " PROCESSOR2 ", End: true",
     {"ResultWriter must have Parameters or WriterConfig"}},
    {CLOUDFLOW, "Type: @Pas, End: true", {"there is no Type 'Pas'; did you mean 'Pass'?"}},
    {CLOUDFLOW, "Type: @Foo", {"there is no Type 'Foo'"}},
    /* of the other dialect */
    {CLOUDFLOW,
     "Type: Pass, @Comment: c, End: true",
     {"'Comment' is of the Amazon States Language; in CloudFlow it is Description"}},
    {CLOUDFLOW,
     "Type: Pass, @Result: 1, End: true",
     {"'Result' is of the Amazon States Language; in CloudFlow it is OutputConstructor"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, @ItemSelector: {}, @Label: L, " PROCESSOR ", End: true",
     {"'ItemSelector' is of the Amazon States Language; in CloudFlow it is ItemConstructor",
      "'Label' is of the Amazon States Language; CloudFlow has nothing like it here"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, @ItemProcessor: {}, End: true",
     {"'ItemProcessor' is of the Amazon States Language; in CloudFlow it is Processor"}},
    {CLOUDFLOW,
     "Type: Choice, @Choices: [], Default: X",
     {"'Choices' is of the Amazon States Language; in CloudFlow it is Branches"}},
    {CLOUDFLOW,
     "Type: Wait, @Timestamp: x, End: true",
     {"'Timestamp' is of the Amazon States Language; in CloudFlow it is UntilDateTime"}},
    {CLOUDFLOW,
     "Type: Task, @TimeoutSecondsPath: $.t, Action: a, End: true",
     {"'TimeoutSecondsPath' is of the Amazon States Language; in CloudFlow it is Timeout"}},
    {STATES,
     "Type: Fail, @Code: c, @Detail: d",
     {"'Code' is of CloudFlow; in the Amazon States Language it is Error",
      "'Detail' is of CloudFlow; in the Amazon States Language it is Cause"}},
    {STATES,
     "Type: Pass, @Name: X, @Description: d, End: true",
     {"'Name' is of CloudFlow; in the Amazon States Language it is the name in States",
      "'Description' is of CloudFlow; in the Amazon States Language it is Comment"}},
    {STATES,
     "Type: Map, @MaxItems: 1, @Processor: {}, End: true",
     {"'MaxItems' is of CloudFlow; in the Amazon States Language it is ReaderConfig.MaxItems",
      "'Processor' is of CloudFlow; in the Amazon States Language it is ItemProcessor"}},
    {STATES,
     "Type: Task, Command: [a], End: true, "
     "Retry: [{@Errors: [E], MaxAttempts: 1, IntervalSeconds: 1, @MaxBackoffSeconds: 3}]",
     {"'Errors' is of CloudFlow; in the Amazon States Language it is ErrorEquals",
      "'MaxBackoffSeconds' is of CloudFlow; in the Amazon States Language it is "
      "MaxDelaySeconds"}},
    /* known, and refused */
    {STATES,
     "Type: Pass, @Assign: {}, @Output: 1, End: true",
     {"Assign cannot be taken: there are no variables here; ResultPath keeps a result in the data",
      "Output cannot be taken: it belongs to JSONata; JSONPath is the language here"}},
    {STATES,
     "Type: Task, Resource: @'arn:x.waitForTaskToken', End: true",
     {"nobody calls back here: a task is done when its command is"}},
    {CLOUDFLOW,
     "Type: Task, Action: a, TaskMode: @WaitForCustomCallback, End: true",
     {"nobody calls back here: a task is done when its command is"}},
};

Test(check, looks_at_fields)
{
    check_rows(fields, COUNT(fields));
}

/* ---- values ---- */

static const struct row values[] = {
    {CLOUDFLOW,
     "Type: Pass, End: @yes",
     {"End must be true or false, not a string; in YAML, yes, no, on and off are strings"}},
    {CLOUDFLOW,
     "Type: Pass, End: true, Description: @7",
     {"Description must be a string, not a number"}},
    {CLOUDFLOW,
     "Type: Pass, End: true, InputConstructor: @[]",
     {"InputConstructor must be a map, not a list"}},
    {CLOUDFLOW,
     "Type: Pass, End: true, OutputConstructor: @null",
     {"OutputConstructor must be a map, not null"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, MaxConcurrency: @-1, MaxItems: @1.5, "
     "ToleratedFailureCount: @'3', ToleratedFailurePercentage: @100.5, " PROCESSOR ", End: true",
     {"MaxConcurrency must be a whole number, at least 0",
      "MaxItems must be a whole number, at least 0",
      "ToleratedFailureCount must be a whole number, at least 0",
      "ToleratedFailurePercentage must be a number from 0 to 100"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, ToleratedFailurePercentage: "
     "@100.0000000000000000000000000001, " PROCESSOR ", End: true",
     {"ToleratedFailurePercentage must be a number from 0 to 100"}},
    {STATES,
     "Type: Map, ToleratedFailurePercentage: @105, " PROCESSOR2 ", End: true",
     {"ToleratedFailurePercentage must be a number from 0 to 100"}},
    {STATES,
     "Type: Map, ItemBatcher: {MaxInputBytesPerBatch: @262145, MaxItemsPerBatch: @0}, " PROCESSOR2
     ", End: true",
     {"MaxInputBytesPerBatch must be a whole number from 1 to 262144",
      "MaxItemsPerBatch must be a whole number, at least 1"}},
    {STATES,
     "Type: Map, ItemReader: {Resource: ':s3:listObjectsV2', Parameters: {Bucket: b}, "
     "ReaderConfig: {MaxItems: @100000001}}, " PROCESSOR2 ", End: true",
     {"MaxItems must be a whole number from 0 to 100000000"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, ProcessorConfig: {ExecutionMode: @express}, " PROCESSOR
     ", End: true",
     {"ExecutionMode is one of Express, Standard, not 'express'"}},
    {WHOLE,
     "SpecVersion: @v2\nType: @Flow\nStartAt: X\nStates: [{Type: Succeed, Name: X}]\n",
     {"SpecVersion is v1, not 'v2'", "Type is StateMachine, not 'Flow'"}},
    {CLOUDFLOW,
     "Type: Wait, UntilDateTime: @tomorrow, End: true",
     {"UntilDateTime must be a time as 2024-08-18T17:33:00Z"}},
    {STATES,
     "Type: Wait, Timestamp: @'2024-08-18 17:33:00Z', End: true",
     {"Timestamp must be a time as 2024-08-18T17:33:00Z"}},
    {STATES,
     "Type: Wait, Seconds: @1.5, End: true",
     {"Seconds must be a whole number from 0 to 99999999"}},
    {STATES,
     "Type: Map, ItemBatcher: {MaxItemsPerBatch: @' 2'}, " PROCESSOR2 ", End: true",
     {"MaxItemsPerBatch must be a whole number, at least 1"}},
    {STATES,
     "Type: Map, Items: @{}, @ItemsPath: $.a, " PROCESSOR2 ", End: true",
     {"Items must be an expression in a string, not a map",
      "Items and ItemsPath exclude each other"}},
    {CLOUDFLOW,
     "Type: Task, Command: [a, 1, true, @null, @[], @\"a\\0\"], End: true",
     {"this must be a string without a NUL in it", "this must be a string without a NUL in it",
      "this must be a string without a NUL in it"}},
    {CLOUDFLOW,
     "Type: Map, ItemReader: {SourceType: OSS_CSV, SourceParameters: {Bucket: b, ObjectName: o}, "
     "ReaderConfig: {CSVHeaders: [a, @1]}}, " PROCESSOR ", End: true",
     {"this must be a string"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, MaxItems: @1.0, MaxConcurrency: @1e2, " PROCESSOR ", End: true",
     {"MaxItems must be a whole number, at least 0",
      "MaxConcurrency must be a whole number, at least 0"}},
    {CLOUDFLOW, "Type: Task, Action: @'', End: true", {"Action must not be empty"}},
    {STATES,
     "Type: Task, Command: [a], TimeoutSeconds: 5, HeartbeatSeconds: @5, End: true",
     {"HeartbeatSeconds must be less than TimeoutSeconds"}},
    {STATES,
     "Type: Map, Label: @'', " PROCESSOR2 ", End: true",
     {"Label must have 1 to 40 characters"}},
};

static const struct row labels[] = {
    {STATES,
     "Type: Map, Label: a234567890123456789012345678901234567890, " PROCESSOR2 ", End: true",
     {0}},
    {STATES,
     "Type: Map, Label: \"\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9"
     "\xc3\xa9\xc3\xa9"
     "a234567890a234567890a234567890\", " PROCESSOR2 ", End: true",
     {0}},
    {STATES,
     "Type: Map, Label: @a2345678901234567890123456789012345678901, " PROCESSOR2 ", End: true",
     {"Label must have 1 to 40 characters"}},
};

Test(check, looks_at_values)
{
    check_rows(values, COUNT(values));
    check_rows(labels, COUNT(labels));
}

/* reference/distributed-map.md 2.6: each of these alone spoils a label. */
Test(check, looks_at_each_character_of_a_label)
{
    static const char *const bad[] = {
        " ", "?", "*", "<",    ">",       "{",       "}",       "[",       "]",
        ":", ";", ",", "\\\\", "|",       "^",       "~",       "$",       "#",
        "%", "&", "`", "\\\"", "\\u0000", "\\u001f", "\\u007f", "\\u0080", "\\u009f"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        char text[300];
        snprintf(text, sizeof text, "Type: Map, Label: @\"a%s\", " PROCESSOR2 ", End: true",
                 bad[i]);
        struct row row = {STATES,
                          text,
                          {"Label must have no white space, control characters or any of "
                           "? * < > { } [ ] : ; , \\ | ^ ~ $ # % & ` \""}};
        check_rows(&row, 1);
    }
}

/* ---- texts that are compiled ---- */

static const struct row texts[] = {
    {CLOUDFLOW,
     "Type: Pass, End: true, OutputConstructor: {a.$: '$Input.x @+ 1', b.$: @concat(1)}",
     {"expression '$Input.x + 1': an operator or the end expected at character 10",
      "expression 'concat(1)': there is no such function at character 1"}},
    {CLOUDFLOW,
     "Type: Pass, End: true, InputConstructor: {a.$: @$Output.b, c: {d.$: @$Item}}",
     {"'$Output.b': $Input, $Context or $Global expected here",
      "'$Item': $Input, $Context or $Global expected here"}},
    {CLOUDFLOW,
     "Type: Pass, End: true, InputConstructor: {a.$: @5, b.$: @[x]}",
     {"a.$ must be an expression in a string, not a number",
      "b.$ must be an expression in a string, not a list"}},
    {CLOUDFLOW,
     "Type: Pass, End: true, InputConstructor: {a.$: '$Input.a == @$Item.b'}",
     {"'$Item.b': $Input, $Context or $Global expected here"}},
    {CLOUDFLOW,
     "Type: Choice, Branches: [{Condition: '$Input.a >@', Next: X}], Default: Y}\n"
     "- {Type: Succeed, Name: Y",
     {"expression '$Input.a >': a value expected at character 11"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: '$Input.a[@', " PROCESSOR ", End: true",
     {"path '$Input.a[': a number or a quoted name must come behind '[' at character 10"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, ItemBatcher: {MaxItemsPerBatch: 1, "
     "BatchInput: {g.$: @$Global.a}}, " PROCESSOR ", End: true",
     {"'$Global.a': $Input or $Context expected here"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: @$Global.a, ItemBatcher: {MaxItemsPerBatch: 1, "
     "BatchInput: {g.$: @$Output.a, c.$: $Context.a}}, " PROCESSOR ", End: true",
     {"'$Global.a': $Input or $Context expected here",
      "'$Output.a': $Input or $Context expected here"}},
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, ItemConstructor: {g.$: @$Global.a}, " PROCESSOR ", End: true",
     {"'$Global.a': $Input, $Item or $Context expected here"}},
    /* escapes: offsets are no columns */
    {CLOUDFLOW,
     "Type: Map, ItemsPath: @\"\\u0024Input.a[\", " PROCESSOR ", End: true",
     {"path '$Input.a[': a number or a quoted name must come behind '[' at character 10"}},
    {STATES,
     "Type: Pass, InputPath: @a, OutputPath: @1, ResultPath: @$$.x, End: true",
     {"path 'a': '.' or '[' expected at character 1",
      "OutputPath must be a path in a string, not a number",
      "ResultPath must be a place in the data: $.name"}},
    {STATES,
     "Type: Pass, InputPath: @$Item.a, ResultPath: @$.a?, End: true",
     {"InputPath must begin with $ or $$", "ResultPath must be a place in the data: $.name"}},
    {STATES,
     "Type: Pass, Parameters: {a.$: '$.x[@'}, End: true",
     {"path '$.x[': a number or a quoted name must come behind '[' at character 5"}},
    {STATES,
     "Type: Map, ItemReader: {Resource: ':s3:getObject', Parameters: {Bucket: b, Key: k}, "
     "ReaderConfig: {InputType: JSON, ItemsPointer: @a/b}}, " PROCESSOR2 ", End: true",
     {"path 'a/b': '/' expected at character 1"}},
    {STATES,
     "Type: Wait, SecondsPath: '$.s[@', End: true",
     {"path '$.s[': a number or a quoted name must come behind '[' at character 5"}},
};

Test(check, compiles_texts)
{
    check_rows(texts, COUNT(texts));
}

/* ---- Choice rules, Retry, Catch, readers and writers ---- */

static const struct row rules[] = {
    {STATES,
     "Type: Choice, Choices: [@{Variable: $.a, @NumericEqual: 1, Next: X}, "
     "@{Variable: $.a, NumericEquals: 1}, {@Condition: '{% $a %}', Next: X}, @7], Default: Y}\n"
     "  Y: {Type: Succeed",
     {"a rule with a Variable must have a comparison",
      "there is no comparison 'NumericEqual'; did you mean 'NumericEquals'?",
      "a Choice rule must have Next",
      "Condition cannot be taken: it belongs to JSONata; JSONPath is the language here",
      "a Choice rule must be a map, not a number"}},
    {STATES,
     "Type: Choice, Choices: @[], Default: Y}\n  Y: {Type: Succeed",
     {"Choices must not be empty"}},
    {CLOUDFLOW,
     "Type: Choice, Branches: @[], Default: Y}\n- {Type: Succeed, Name: Y",
     {"Branches must not be empty"}},
    {CLOUDFLOW,
     "Type: Task, Action: a, End: true, Retry: [@@{MaxAttempts: @-1, BackoffRate: @0.5}]",
     {"a Retry rule must have Errors", "a Retry rule must have IntervalSeconds",
      "MaxAttempts must be a whole number from 0 to 99999999",
      "BackoffRate must be a number from 1 to 1000"}},
    {CLOUDFLOW,
     "Type: Task, Action: a, End: true, Retry: "
     "[{Errors: @[], MaxAttempts: 1, IntervalSeconds: @86401}]",
     {"Errors must not be empty", "IntervalSeconds must be a number from 0 to 86400"}},
    {STATES,
     "Type: Task, Command: [a], End: true, "
     "Retry: [{ErrorEquals: @[States.ALL, A]}, @{ErrorEquals: [B]}]",
     {"the name for all errors must stand alone",
      "no error comes as far as this rule: the one before it takes all"}},
    {STATES,
     "Type: Task, Command: [a], End: true, "
     "Retry: [{ErrorEquals: [A], IntervalSeconds: @2, MaxDelaySeconds: 2, JitterStrategy: @full}]",
     {"IntervalSeconds must be less than MaxDelaySeconds",
      "JitterStrategy is one of FULL, NONE, not 'full'"}},
    {CLOUDFLOW,
     "Type: Task, Action: a, End: true, "
     "Catch: [{Errors: [FnF.ALL], Next: X}, @{Errors: [A], Next: @Z}]",
     {"no error comes as far as this rule: the one before it takes all", "there is no state 'Z'"}},
    {CLOUDFLOW,
     "Type: Task, Action: a, End: true, Catch: [@{Errors: [A]}]",
     {"a Catch rule must have Next"}},
    {CLOUDFLOW,
     "Type: Map, ItemReader: {SourceType: OSS_OBJECTS, SourceParameters: {Bucket: b, "
     "@ObjectName: o}, ReaderConfig: {@CSVHeaders: [a]}}, " PROCESSOR ", End: true",
     {"ObjectName means nothing here: OSS_OBJECTS lists what begins with Prefix",
      "CSVHeaders means nothing here: no CSV is read"}},
    {CLOUDFLOW,
     "Type: Map, ItemReader: {SourceType: OSS_JSON_LIST, SourceParameters: @{Bucket: b, "
     "@Prefix: p}}, " PROCESSOR ", End: true",
     {"SourceParameters must have ObjectName", "Prefix means nothing here: one object is read"}},
    {CLOUDFLOW,
     "Type: Map, ItemReader: {SourceType: @OSS_CVS, SourceParameters: {Bucket: b}}, " PROCESSOR
     ", End: true",
     {"SourceType is one of OSS_CSV, OSS_JSON_LIST, OSS_OBJECTS, OSS_INVENTORY_FILES, not "
      "'OSS_CVS'"}},
    {STATES,
     "Type: Map, ItemReader: {Resource: ':s3:getObject', Parameters: @{Bucket: b}, "
     "ReaderConfig: @{InputType: CSV}}, " PROCESSOR2 ", End: true",
     {"Parameters must have Key", "a ReaderConfig for CSV must have CSVHeaderLocation"}},
    {STATES,
     "Type: Map, ItemReader: {Resource: ':s3:getObject', Parameters: {Bucket: b, Key: k}, "
     "ReaderConfig: {InputType: JSON, @CSVHeaderLocation: GIVEN, @CSVDelimiter: TAB}}, " PROCESSOR2
     ", End: true",
     {"CSVHeaderLocation means nothing here: no CSV is read",
      "CSVDelimiter means nothing here: no CSV is read"}},
    {STATES,
     "Type: Map, ItemReader: {Resource: @'arn:x', Parameters: {Bucket: b}}, " PROCESSOR2
     ", End: true",
     {"Resource must end in :s3:getObject or :s3:listObjectsV2"}},
    {STATES,
     "Type: Map, @ItemReader: {Resource: ':s3:listObjectsV2', Parameters: {Bucket: b}}, "
     "@Label: L, ItemProcessor: {ProcessorConfig: {Mode: INLINE}, StartAt: P, "
     "States: {P: {Type: Pass, End: true}}}, End: true",
     {"ItemReader means nothing here: the Mode is INLINE",
      "Label means nothing here: the Mode is INLINE"}},
    {STATES,
     "Type: Map, ResultWriter: @{Resource: @'x', WriterConfig: {Transformation: "
     "@compact}}, " PROCESSOR2 ", End: true",
     {"Resource and Parameters of a ResultWriter go together", "Resource must end in :s3:putObject",
      "Transformation is one of NONE, COMPACT, FLATTEN, not 'compact'"}},
};

Test(check, looks_at_rules)
{
    check_rows(rules, COUNT(rules));
}

/* ---- ways ---- */

static const struct row ways[] = {
    {WHOLE,
     "StartAt: @Bcd\nStates:\n- {Type: Pass, Name: A, End: true}\n",
     {"there is no state 'Bcd'"}},
    {WHOLE,
     "StartAt: A\nStates:\n- {Type: Pass, Name: A, Next: @Bee}\n- {Type: Succeed, Name: Be}\n",
     {"there is no state 'Bee'; did you mean 'Be'?"}},
    {WHOLE,
     "StartAt: A\nStates:\n- {Type: Pass, Name: A, End: true}\n- {Type: Succeed, Name: @B}\n"
     "- {Type: Pass, Name: @C, Next: B}\n",
     {"no way leads to the state 'B'", "no way leads to the state 'C'"}},
    {WHOLE,
     "{\"StartAt\": \"A\", \"States\": {\"A\": {\"Type\": \"Pass\", \"End\": true}, "
     "@\"B\": {\"Type\": \"Succeed\"}}}",
     {"no way leads to the state 'B'"}},
    {WHOLE,
     "StartAt: A\nStates:\n- {Type: Pass, Name: A, Next: B}\n- {Type: Pass, Name: B, End: true}\n"
     "- {Type: Pass, Name: @A, End: true}\n- {Type: Fail, Name: @B}\n",
     {"there is a state 'A' already, at 3:22", "there is a state 'B' already, at 4:22"}},
    {WHOLE,
     "StartAt: A\nStates:\n- {Type: Pass, Name: @A, Next: B}\n- {Type: Pass, Name: B, Next: A}\n",
     {"from the state 'A' no way leads to an end"}},
    {WHOLE,
     "StartAt: A\nStates:\n"
     "- {Type: Choice, Name: A, Branches: [{Condition: $Input.a, Next: B}], Default: D}\n"
     "- {Type: Pass, Name: @B, Next: C}\n- {Type: Pass, Name: C, Next: B}\n"
     "- {Type: Succeed, Name: D}\n",
     {"from the state 'B' no way leads to an end"}},
    {WHOLE,
     "StartAt: A\nStates:\n"
     "- {Type: Task, Action: a, Name: A, End: true, Catch: [{Errors: [E], Next: B}]}\n"
     "- {Type: Fail, Name: B}\n",
     {0}},
    /* scopes are worlds of their own */
    {CLOUDFLOW,
     "Type: Map, ItemsPath: $Input, End: true, Processor: {StartAt: @X, States: "
     "[{Type: Pass, Name: P, Next: @Y}]}}\n- {Type: Succeed, Name: Y",
     {"the state 'X' lies outside, where no way leads from here",
      "the state 'Y' lies outside, where no way leads from here"}},
    /* what is not known leads somewhere: nothing is said of states that it could lead to */
    {WHOLE,
     "StartAt: A\nStates:\n- {Type: Pass, Name: A, Next: @Xyz}\n- {Type: Pass, Name: Bee, End: "
     "true}\n",
     {"there is no state 'Xyz'"}},
    {WHOLE,
     "StartAt: A\nStates:\n- {Type: Pass, Name: A, @Nxt: Bee}\n- {Type: Pass, Name: Bee, End: "
     "true}\n",
     {"a Pass state has no 'Nxt'; did you mean 'Next'?"}},
    {WHOLE,
     "StartAt: A\nStates:\n- {Type: @Pas, Name: A, Next: B}\n- {Type: Succeed, Name: B}\n",
     {"there is no Type 'Pas'; did you mean 'Pass'?"}},
    {WHOLE,
     "StartAt: A\nStates:\n- {Type: Pass, Name: A, Next: @7}\n- {Type: Succeed, Name: B}\n",
     {"Next must be a string, not a number"}},
    {WHOLE,
     "StartAt: A\nStates:\n- {Type: Succeed, Name: A, @Quux: 1}\n- {Type: Succeed, Name: @B}\n",
     {"a Succeed state has no 'Quux'", "no way leads to the state 'B'"}},
    {CLOUDFLOW,
     "Type: Parallel, End: true, Branches: [{StartAt: A, States: [{Type: Pass, Name: A, End: "
     "true}, "
     "{Type: Pass, Name: @B, End: true}]}, @@{}, {StartAt: A, States: @[]}]",
     {"no way leads to the state 'B'", "a branch must have StartAt", "a branch must have States",
      "there is no state in States"}},
    {CLOUDFLOW, "Type: Parallel, End: true, Branches: @[]", {"Branches must not be empty"}},
    {WHOLE,
     "StartAt: X\nSpecVersion: v1\nStates: @{X: {Type: Pass, End: true}}\n",
     {"States must be a list, not a map"}},
    {WHOLE, "StartAt: X\nStates: @7\n", {"States must be a map, not a number"}},
    {WHOLE,
     "StartAt: X\nStates: [@7, {Type: Succeed, Name: X}]\n",
     {"a state must be a map, not a number"}},
    {WHOLE,
     "StartAt: @7\nStates: [{Type: Succeed, Name: X}]\n",
     {"StartAt must be a string, not a number"}},
};

Test(check, follows_ways)
{
    check_rows(ways, COUNT(ways));
}

/* Fifty branches are allowed, one more is not: reference/distributed-map.md 1.9. */
Test(check, counts_branches)
{
    for (int count = 50; count <= 51; count++) {
        struct buf text = {0};
        buf_printf(&text, "Type: Parallel, End: true, Branches: %s[", count > 50 ? "@" : "");
        for (int i = 0; i < count; i++) {
            buf_add_text(&text, "{StartAt: A, States: [{Type: Succeed, Name: A}]}, ");
        }
        buf_add_text(&text, "]");
        struct row row = {CLOUDFLOW, buf_text(&text), {0}};
        row.faults[0] = count > 50 ? "Branches has 51 parts; there may be 50" : NULL;
        check_rows(&row, 1);
        buf_release(&text);
    }
}
