# The whole definition that a case of a distributed Map stands for, in its dialect.  The case has
# only what matters, in short: a Processor "Pass" or {"fail": …}, a reader without its Resource.

def cloudflow: .dialect == "cloudflow";

# States as either dialect lists them.
def states($ours):
    if $ours then [to_entries[] | {Name: .key} + .value] else . end;

def scope($ours; $start; $states): {StartAt: $start, States: ($states | states($ours))};

def pass($ours): scope($ours; "Pass"; {Pass: {Type: "Pass", End: true}});

# The value that the path $.a.b leads to.
def at($path): getpath($path // "$" | ltrimstr("$Input") | ltrimstr("$") | ltrimstr(".") |
    if . == "" then [] else split(".") end);

# The processor fails by ./worker, which the driver writes, or by a Fail state.
def processor($ours):
    if type != "object" then pass($ours)
    elif .Map then
        scope($ours; "Inner"; {Inner: ({Type: "Map", End: true} + (.Map | del(.Processor)) +
            {ItemProcessor: (.Map.Processor | processor($ours))})})
    elif .fail_when and $ours then
        scope($ours; "Choice"; {
            Choice: {Type: "Choice", Branches: [{Condition: .fail_when, Next: "Fail"}], Default: "Succeed"},
            Succeed: {Type: "Succeed", End: true},
            Fail: {Type: "Fail", Code: (.Code // "Fail")}})
    elif .fail_when then
        scope($ours; "Work"; {Work: {Type: "Task", End: true, Command: ["sh", "./worker"]}})
    else scope($ours; "Fail"; {Fail: ({Type: "Fail"} +
        (if (.fail // "") != "" then {Error: .fail} else {} end) +
        (if .Cause then {Cause} else {} end))})
    end;

# An object has items in a distributed Map only.
def is_distributed:
    .dialect == "cloudflow" or (.id | test("distributed|reentrant")) or (.definition |
        [keys[] | test("^(ItemReader|ItemBatcher|ResultWriter|Label|Tolerated.*)$")] | any) or
    (.expect.error | not) and
        (.definition as $d | .input | try at($d.ItemsPath) catch null | type == "object");

# Values of MaxItems that no definition may state come by a path.
def is_stated: type == "number" and . == floor and 0 <= . and . <= 100000000;

# The reader that is meant: what is configured may stand in the reader itself.
def reader($case):
    if ($case | cloudflow) then .
    else
        (([.Resource, .InputType] | map(strings | test("list"; "i")) | any) as $lists |
        ((.Parameters // {}) + (to_entries | map(select(.key | IN("Bucket", "Key", "Prefix", "VersionId"))) |
            from_entries)) as $where |
        ((.ReaderConfig // {}) + del(.Resource, .Parameters, .ReaderConfig, .Bucket, .Key, .Prefix, .VersionId) |
            if $lists and (.InputType // "" | test("list"; "i")) then del(.InputType) else . end |
            if has("MaxItems") and (.MaxItems | is_stated | not) and
                $case.expect.error.class != "definition"
            then del(.MaxItems) + {MaxItemsPath: "$.max"} else . end) as $config |
        {
            Resource: ("arn:aws:states:::s3:" + if $lists then "listObjectsV2" else "getObject" end),
            Parameters: ({Bucket: "bk"} + (if $lists then {} else
                {Key: (($case.files // {} | keys)[0] // "none")} end) + $where),
            ReaderConfig: ((if $lists then {} else {InputType: "JSON"} end) + $config)})
    end;

def writer:
    if .Bucket then {
        Resource: "arn:aws:states:::s3:putObject", Parameters: {Bucket, Prefix}} +
        (if .WriterConfig then {WriterConfig} else {} end)
    else . end;

# The fields of the Map itself.
def map_state:
    . as $case | (cloudflow) as $ours |
    {Type: "Map"} +
    (.definition | del(.Processor, .loop, .outcomes, .child_outputs) |
        if .ItemReader then .ItemReader |= reader($case) else . end |
        if .ResultWriter then .ResultWriter |= writer else . end) +
    if $ours then
        {ProcessorConfig: {ExecutionMode: "Express"}, Processor: (.definition.Processor | processor(true))}
    else
        {ItemProcessor: ((.definition.Processor | processor(false)) +
            (if is_distributed then {ProcessorConfig: {Mode: "DISTRIBUTED", ExecutionType: "EXPRESS"}}
             else {} end))}
    end;

def whole:
    (cloudflow) as $ours |
    if .definition.outcomes then
        {StartAt: "Task", States: {Task: {Type: "Task", Command: ["sh", "./outcome"], End: true,
            Retry: .definition.Retry}}}
    elif .definition.loop then
        {StartAt: "Count", States: {
            Count: {Type: "Pass", Result: .definition.loop, ResultPath: "$.Iterations", Next: "Map"},
            Map: (map_state + {Next: "Less"}),
            Less: {Type: "Task", Command: ["jq", ".Iterations - 1"], ResultPath: "$.Iterations", Next: "More"},
            More: {Type: "Choice", Default: "Done",
                Choices: [{Variable: "$.Iterations", NumericGreaterThan: 0, Next: "Map"}]},
            Done: {Type: "Succeed"}}}
    elif .definition.Catch then
        {StartAt: "Map", States: ({Map: (map_state + {End: true})} +
            ([.definition.Catch[].Next | {(.): {Type: "Succeed"}}] | add))}
    else
        (if $ours then {Type: "StateMachine", Name: "Flow", SpecVersion: "v1"} else {} end) +
        scope($ours; "Map"; {Map: (map_state + {End: true})})
    end;

whole
