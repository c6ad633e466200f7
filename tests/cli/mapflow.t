#!/bin/sh
# mapflow: definitions run as they are written, and the pipelines that their Maps amount to.
# The definitions in flows/ are the examples of CloudFlow's documentation of the distributed Map,
# with the inputs and results that stand there.
. "$(dirname "$0")/lib.sh"
flows=$ROOT/tests/cli/flows

# ---- the examples of the documentation ----

bucket=root/example-bucket
mkdir -p $bucket/example-prefix $bucket/inventory/2024-01-01T01-01Z $bucket/inventory/data
printf 'ColA,ColB,ColC\ncol_a_1,col_b_1,col_c_1\n' >$bucket/example-object.csv
printf '[\n  {\n    "key_1": "value_1"\n  }\n]\n' >$bucket/example-object.json
head -c 268435 /dev/zero >$bucket/example-prefix/object_1
touch -d 2024-01-01T01:01:01Z $bucket/example-prefix/object_1
printf '"example-bucket","object_name_1"\n"example-bucket","object_name_2"\n' \
    >$bucket/inventory/data/list.csv
echo '{"destinationBucket":"example-bucket","fileFormat":"CSV","fileSchema":"Bucket, Key",
    "files":[{"key":"inventory/data/list.csv"}]}' >$bucket/inventory/2024-01-01T01-01Z/manifest.json

echo '{}' >none.json
echo '{"Items":[{"key_1":"value_1"},{"key_2":"value_2"},{"key_3":"value_3"}]}' >three.json
echo '{"Items":[{"key_1":"value_1"},{"key_2":"value_2"},{"key_3":"value_3"},{"key_4":"value_4"},{"key_5":"value_5"}]}' >five.json
echo '{"Key":"value","Items":[{"Key":1},{"key":2},{"Key":3},{"Key":4},{"Key":5}]}' >bytes.json
echo '{"Key":"value","Items":[{"Key":1},{"Key":2},{"Key":3},{"Key":4},{"Key":5}]}' >keys.json
echo '{"FailedValue":4,"Items":[{"Key":1},{"Key":2},{"Key":3},{"Key":4},{"Key":5}]}' >failing.json

# example NAME INPUT OUTPUT: run gives it, and so does what plan prints, in a shell.
example()
{
    check "$1: run" 0 "$3" mapflow run --bucket-root=root -i "$2" "$flows/$1.yaml"
    check "$1: the pipeline of plan" 0 "$3" \
        sh -c 'mapflow plan --bucket-root=root -i "$2" "$1" >plan && sh plan' sh "$flows/$1.yaml" "$2"
}

example basic three.json \
    '{"Items":[{"key_1":"value_1"},{"key_2":"value_2"},{"key_3":"value_3"}]}'
example csv none.json '{"Items":[{"ColA":"col_a_1","ColB":"col_b_1","ColC":"col_c_1"}]}'
example json none.json '{"Items":[{"key_1":"value_1"}]}'
example objects none.json '{"Items":[{"XMLName":{"Space":"","Local":"Contents"},"Key":"example-prefix/object_1","Type":"Normal","Size":268435,"ETag":"\"'"$(md5sum <$bucket/example-prefix/object_1 | cut -c1-32)"'\"","Owner":{"XMLName":{"Space":"","Local":""},"ID":"","DisplayName":""},"LastModified":"2024-01-01T01:01:01Z","StorageClass":"Standard","RestoreInfo":""}]}'
example inventory none.json '{"Items":[{"Key":"object_name_1"},{"Key":"object_name_2"}]}'
example batch-count five.json '{"Items":[{"Items":[{"key_1":"value_1"},{"key_2":"value_2"}]},{"Items":[{"key_3":"value_3"},{"key_4":"value_4"}]},{"Items":[{"key_5":"value_5"}]}]}'
example batch-bytes bytes.json '{"Items":[{"Items":[{"Key":1},{"key":2}]},{"Items":[{"Key":3},{"Key":4}]},{"Items":[{"Key":5}]}]}'
example batch-input bytes.json '{"Items":[{"BatchInput":{"InputKey":"value"},"Items":[{"Key":1},{"key":2}]},{"BatchInput":{"InputKey":"value"},"Items":[{"Key":3},{"Key":4}]},{"BatchInput":{"InputKey":"value"},"Items":[{"Key":5}]}]}'
example constructor keys.json '{"Items":[{"BatchInput":{"InputKey":"value"},"Items":[{"ConstructedKey":1,"InputKey":"value"},{"ConstructedKey":2,"InputKey":"value"},{"ConstructedKey":3,"InputKey":"value"}]},{"BatchInput":{"InputKey":"value"},"Items":[{"ConstructedKey":4,"InputKey":"value"},{"ConstructedKey":5,"InputKey":"value"}]}]}'

# The names of runs are made up anew: RUN stands for them.
cat >results.sh <<'EOF'
run=$(sed 's/.*"MapRunName":"\([^"]*\)".*/\1/' out)
sed "s/$run/RUN/g" out
cd "root/example-bucket/example-prefix/$run"
for file in manifest.json FAILED_0.json SUCCEED_0.json; do
    sed -e "s/$run/RUN/g" -e 's/"\(St[a-z]*Time\)":"[^"]*"/"\1":"T"/g' $file
    echo
done
EOF
files='{"MapRunName":"RUN","ResultWriterDetails":{"Bucket":"example-bucket","Key":"example-prefix/RUN/manifest.json"}}
{"DestinationBucket":"example-bucket","MapRunName":"RUN","ResultFiles":{"FAILED":[{"ObjectName":"example-prefix/RUN/FAILED_0.json","Size":258}],"SUCCEED":[{"ObjectName":"example-prefix/RUN/SUCCEED_0.json","Size":1041}]}}
[{"ExecutionName":"RUN:4","FlowName":"Map","Input":"{\"FailedValue\":4,\"Key\":5}","Output":"{\"ErrorCode\":\"MockError\"}","Status":"Failed","StartedTime":"T","StoppedTime":"T"}]
[{"ExecutionName":"RUN:0","FlowName":"Map","Input":"{\"FailedValue\":4,\"Key\":1}","Output":"{\"FailedValue\":4,\"Key\":1}","Status":"Succeeded","StartedTime":"T","StoppedTime":"T"},{"ExecutionName":"RUN:1","FlowName":"Map","Input":"{\"FailedValue\":4,\"Key\":2}","Output":"{\"FailedValue\":4,\"Key\":2}","Status":"Succeeded","StartedTime":"T","StoppedTime":"T"},{"ExecutionName":"RUN:2","FlowName":"Map","Input":"{\"FailedValue\":4,\"Key\":3}","Output":"{\"FailedValue\":4,\"Key\":3}","Status":"Succeeded","StartedTime":"T","StoppedTime":"T"},{"ExecutionName":"RUN:3","FlowName":"Map","Input":"{\"FailedValue\":4,\"Key\":4}","Output":"{\"FailedValue\":4,\"Key\":4}","Status":"Succeeded","StartedTime":"T","StoppedTime":"T"}]'
check 'writer: run' 0 "$files" \
    sh -c 'mapflow run --bucket-root=root -i failing.json "$1" >out && sh results.sh' sh "$flows/writer.yaml"
check 'writer: the pipeline of plan' 0 "$files" sh -c '
    mapflow plan --bucket-root=root -i failing.json "$1" >plan && sh plan >out && sh results.sh' sh "$flows/writer.yaml"

# ---- where the definition comes from ----

for way in 'mapflow run -i three.json - <"$1"' 'mkfifo fifo; cat "$1" >fifo & mapflow run -i three.json fifo' \
    'mapflow run -i three.json /dev/fd/7 7<"$1"' 'cat "$1" | mapflow run -i three.json /dev/stdin'; do
    check "the definition from a pipe: $way" 0 \
        '{"Items":[{"key_1":"value_1"},{"key_2":"value_2"},{"key_3":"value_3"}]}' \
        sh -c "$way" sh "$flows/basic.yaml"
done
check_err 'not for what names it' 2 'plan cannot take the definition from standard input' \
    sh -c 'mapflow plan - <"$1"' sh "$flows/basic.yaml"
check_err 'nor for what reads items from there' 2 'processor cannot take the definition from' \
    sh -c 'mapflow processor - <"$1"' sh "$flows/basic.yaml"
check_err 'nor twice' 2 'only one of the files can be standard input' \
    sh -c 'mapflow run -i - - <"$1"' sh "$flows/basic.yaml"
check_err 'actions are read by others too' 2 'actions cannot be standard input' \
    sh -c 'mapflow run --actions=- "$1" </dev/null' sh "$flows/basic.yaml"

# ---- states ----

# flow STATE...: the rest of a CloudFlow definition, as a file, beginning with State "A".
flow()
{
    {
        printf 'Type: StateMachine\nSpecVersion: v1\nName: F\nStartAt: A\nStates:\n'
        for state; do
            printf '  - {%s}\n' "$state"
        done
    } >flow.yaml
}

flow 'Type: Pass, Name: A, InputConstructor: {x.$: $Input.a, n.$: $Context.Current.Name}, Next: B' \
    'Type: Pass, Name: B, OutputConstructor: {y.$: "intAdd($Output.x, 1)", was.$: $Input}, GlobalConstructor: {g.$: $Input.x}, Next: C' \
    'Type: Pass, Name: C, OutputConstructor: {g.$: $Global.g, first.$: $Context.Execution.Input}, End: true'
check 'constructors, $Global and $Context' 0 '{"g":4,"first":{"a":4}}' sh -c 'echo "{\"a\": 4}" | mapflow run -i - flow.yaml'
flow 'Type: Pass, Name: A, End: true'
check 'values keep their bytes' 0 '{"a":1.10,"b":"\u00e9","a":1e400}' \
    sh -c 'echo "{\"a\": 1.10, \"b\": \"\u00e9\", \"a\": 1e400}" | mapflow run -i - flow.yaml'
flow 'Type: Fail, Name: A, Code: Bad, Detail: so it is'
check_err 'Fail: status 1, code and cause' 1 '^mapflow: state A failed: Bad: so it is$' mapflow run flow.yaml
flow 'Type: Choice, Name: A, Branches: [{Condition: $Input.a, Next: B}], Default: B' 'Type: Succeed, Name: B'
check_err 'a condition that is no truth' 1 'A failed: Runtime: the condition is a number' \
    sh -c 'echo "{\"a\":1}" | mapflow run -i - flow.yaml'
check_err 'a path that leads nowhere' 1 'A failed: Runtime: there is no \$Input.a' mapflow run flow.yaml

flow 'Type: Parallel, Name: A, Branches: [{StartAt: P, States: [{Type: Pass, Name: P, End: true}]}, {StartAt: T, States: [{Type: Task, Name: T, Command: [sh, -c, "echo 2"], End: true}]}], End: true'
check 'Parallel' 0 '{"Branch0":{},"Branch1":2}' mapflow run flow.yaml
flow 'Type: Parallel, Name: A, Branches: [{StartAt: P, States: [{Type: Task, Name: P, Command: [sh, -c, "sleep 60"], End: true}]}, {StartAt: T, States: [{Type: Fail, Name: T, Code: E}]}], End: true'
check_err 'a branch that fails stops the others' 1 'A failed: E$' timeout 30 mapflow run flow.yaml
flow 'Type: Map, Name: A, ItemsPath: $Input.i, ItemConstructor: {v.$: $Item, n.$: $Context.Item.Index, s.$: $Input.s}, Processor: {StartAt: P, States: [{Type: Pass, Name: P, End: true}]}, End: true'
check 'Map, inline' 0 '{"Items":[{"v":"a","n":0,"s":9},{"v":"b","n":1,"s":9}]}' \
    sh -c 'echo "{\"i\":[\"a\",\"b\"],\"s\":9}" | mapflow run -i - flow.yaml'
check 'an empty one' 0 '{"Items":[]}' sh -c 'echo "{\"i\":[],\"s\":9}" | mapflow run -i - flow.yaml'

# Never more than two at a time: each looks at the others' marks.
flow 'Type: Map, Name: A, ItemsPath: $Input, MaxConcurrency: 2, Processor: {StartAt: P, States: [{Type: Task, Name: P, Command: [sh, -c, "touch at.$$; ls at.* | wc -l; sleep 0.1; rm at.$$"], End: true}]}, End: true'
check 'MaxConcurrency' 0 'true' sh -c 'seq -s, 6 | sed "s/.*/[&]/" | mapflow run -i - flow.yaml | jq "[.Items[] | . <= 2] | all"'

# ---- Task ----

echo 'double: [jq, .a * 2]' >actions.yaml
flow 'Type: Task, Name: A, Action: double, Parameters: {a.$: $Input.n}, End: true'
check 'Action' 0 '42' sh -c 'echo "{\"n\":21}" | mapflow run --actions=actions.yaml -i - flow.yaml'
check_err 'an action without a command' 1 "A failed: Runtime: --actions names no command for 'double'" \
    sh -c 'echo "{\"n\":21}" | mapflow run -i - flow.yaml'
flow 'Type: Task, Name: A, Command: [sh, -c, "echo why >&2; exit 3"], End: true'
check_err 'a command that fails' 1 'A failed: ExitCode.3: why' mapflow run flow.yaml
echo 'echo "{\"ErrorCode\":\"Mine\"}"; exit 3' >mine.sh
flow 'Type: Task, Name: A, Command: [sh, mine.sh], Catch: [{Errors: [Mine], OutputConstructor: {code.$: $Context.Current.Error.Code, in.$: $Input}, Next: B}], End: true' \
    'Type: Succeed, Name: B'
check 'Catch' 0 '{"code":"Mine","in":{}}' mapflow run flow.yaml
flow 'Type: Task, Name: A, Command: [sh, -c, "echo x >>tries; [ $(wc -l <tries) -eq 3 ]"], Retry: [{Errors: [FnF.ALL], Description: r, MaxAttempts: 2, IntervalSeconds: 1}], End: true'
check 'Retry' 0 '""' mapflow run flow.yaml
same 'three tries' 3 "$(wc -l <tries)"
flow 'Type: Task, Name: A, Command: [sleep, "60"], Timeout: 1, End: true'
check_err 'Timeout' 1 'A failed: Timeout' timeout 30 mapflow run flow.yaml
flow 'Type: Task, Name: A, Command: [echo, "{.a}", "{}"], End: true'
check 'marks in arguments' 0 '"x y {\"a\":\"x y\"}"' sh -c 'echo "{\"a\":\"x y\"}" | mapflow run -i - flow.yaml'

# ---- distributed ----

each='Type: Map, Name: A, ItemsPath: $Input, ProcessorConfig: {ExecutionMode: Express}'
fails='Processor: {StartAt: C, States: [{Type: Choice, Name: C, Branches: [{Condition: $Input > 2, Next: F}], Default: S}, {Type: Fail, Name: F, Code: Big, Detail: too big}, {Type: Succeed, Name: S}]}'
flow "$each, $fails, End: true"
check_err 'one failure is too many: status 4' 4 'A failed: ExceedToleratedFailureThreshold: ' \
    sh -c 'echo "[1,2,3]" | mapflow run -i - flow.yaml'
flow "$each, $fails, Catch: [{Errors: [FnF.ALL], OutputConstructor: {c.\$: \$Context.Current.Error.Code}, Next: B}], End: true" 'Type: Succeed, Name: B'
check 'and can be caught' 0 '{"c":"ExceedToleratedFailureThreshold"}' sh -c 'echo "[1,2,3]" | mapflow run -i - flow.yaml 2>/dev/null'
flow "$each, $fails, ToleratedFailureCount: 1, OutputConstructor: {all.\$: \$Output.Items}, End: true"
check 'a failure that is tolerated keeps its place' 0 '{"all":[1,2,{"ErrorCode":"Big"}]}' \
    sh -c 'echo "[1,2,3]" | mapflow run -i - flow.yaml'
check 'an output with an ErrorCode is no failure' 0 '{"Items":[{"ErrorCode":"x"},{"ItemFailures":[]}]}' \
    sh -c 'echo "{\"Items\":[{\"ErrorCode\":\"x\"},{\"ItemFailures\":[]}]}" | mapflow run -i - "$1"' sh "$flows/basic.yaml"
check_err 'items that are no array' 1 'Map failed: Runtime: mapsplit: .*Items is a number' \
    sh -c 'echo "{\"Items\":5}" | mapflow run -i - "$1"' sh "$flows/basic.yaml"
check_err 'an object that is not there' 1 'Map failed: ItemReaderFailed: ' \
    mapflow run --bucket-root=/nonexistent "$flows/csv.yaml"
flow "$each, InputConstructor: {i.\$: \$Input.deep}, ItemsPath: \$Input.i, Processor: {StartAt: P, States: [{Type: Pass, Name: P, End: true}]}, OutputConstructor: {n.\$: length(\$Output.Items), i.\$: \$Input.i}, End: true"
sed -i 's/ItemsPath: $Input, //' flow.yaml
echo '{"deep":[7,8]}' >deep.json
check 'constructors around it' 0 '{"n":2,"i":[7,8]}' mapflow run -i deep.json flow.yaml
check 'and in the pipeline' 0 '{"n":2,"i":[7,8]}' sh -c 'mapflow plan -i deep.json flow.yaml >plan; sh plan'

flow "$each, Processor: {StartAt: T, States: [{Type: Task, Name: T, Command: [sleep, '600'], End: true}]}, End: true"
sed -i 's/^StartAt: A/&\nTimeout: 1/' flow.yaml
check_err 'Timeout of the whole' 1 'A failed: Timeout: ' timeout 60 sh -c 'echo "[1,2]" | mapflow run -i - flow.yaml'

# ---- processor, trace, from ----

check 'processor' 0 '{"key_1":1}
[2]' sh -c 'printf "{\"key_1\":1}\n[ 2 ]\n" | mapflow processor "$1"' sh "$flows/basic.yaml"
check 'processor: failures are answers' 0 '{"Output":1}
{"ErrorCode":"Big","Cause":"too big"}
{"Output":2}' sh -c 'printf "1\n3\n2\n" | mapflow processor --answers "$1"' sh "$(flow "$each, $fails, End: true"; echo flow.yaml)"
flow 'Type: Pass, Name: A, OutputConstructor: {a: 1}, Next: B' 'Type: Fail, Name: B, Code: E'
mapflow run --trace=trace flow.yaml 2>/dev/null
check 'trace' 0 '["A","Pass",{},{"a":1},null,1]
["B","Fail",{"a":1},null,"E",1]' jq -c '[.State, .Type, .Input, .Output, .ErrorCode, .Attempts]' trace
flow 'Type: Task, Name: A, Command: ["false"], Next: B' 'Type: Pass, Name: B, End: true'
check 'from' 0 '{"a":1}' sh -c 'echo "{\"a\":1}" | mapflow run --from=B -i - flow.yaml'
check_err 'from a state that is not there' 2 "there is no state 'C'" mapflow run --from=C flow.yaml

flow "$each, Processor: {StartAt: P, States: [{Type: Pass, Name: P, OutputConstructor: {n.\$: \$Context.Execution.Name}, End: true}]}, End: true"
check 'children have the name of the Map run' 0 '{"Items":[{"n":"R"},{"n":"R"}]}' \
    sh -c 'echo "[1,2]" >two.json; mapflow plan -i two.json flow.yaml | sed "s/maprun/maprun --run-name=R/" >plan; sh plan'

# ---- Standard: what has ended is not done again ----

flow 'Type: Map, Name: A, ItemsPath: $Input, MaxConcurrency: 1, ProcessorConfig: {ExecutionMode: Standard}, Processor: {StartAt: T, States: [{Type: Task, Name: T, Command: [sh, once.sh], End: true}]}, End: true'
cat >once.sh <<'EOF'
read -r n
echo "$n" >>done
[ "$n" != 3 ] || [ -e again ] || { touch there; exec sleep 600; }
echo "$n"
EOF
echo '[1,2,3,4]' >four.json
mapflow run --journals=j --name=e -i four.json flow.yaml >out 2>&1 &
pid=$!
until_true 30 test -e there
kill -KILL $pid
wait $pid 2>/dev/null
touch again
check 'Standard: goes on' 0 '{"Items":[1,2,3,4]}' mapflow run --journals=j --name=e -i four.json flow.yaml
same 'only what was under way came twice' '1 2 3 3 4' "$(sort 'done' | tr '\n' ' ' | sed 's/ $//')"
check_err 'journals need a name' 2 'needs a --name' mapflow run --journals=j -i four.json flow.yaml

# ---- nested, all distributed; a trace has the states of the children ----

inner='Type: Map, Name: Inner, ItemsPath: $Input, ProcessorConfig: {ExecutionMode: Express}, Processor: {StartAt: P, States: [{Type: Pass, Name: P, End: true}]}, End: true'
flow "Type: Map, Name: A, ItemsPath: \$Input, ProcessorConfig: {ExecutionMode: Express}, Processor: {StartAt: Inner, States: [{$inner}]}, End: true"
check 'a distributed Map within another' 0 '{"Items":[{"Items":[1]},{"Items":[2,3]}]}' \
    sh -c 'echo "[[1],[2,3]]" | mapflow run --trace=nested -i - flow.yaml'
same 'states in the trace' 'A Inner Inner P P P' "$(jq -r .State nested | sort | tr '\n' ' ' | sed 's/ $//')"

# ---- the States Language ----

cat >asl.json <<'EOF'
{"StartAt": "P", "States": {
  "P": {"Type": "Pass", "InputPath": "$.in", "Parameters": {"x.$": "$.v", "n.$": "$$.State.Name"},
        "ResultPath": "$.out.p", "OutputPath": "$.out", "Next": "C"},
  "C": {"Type": "Choice", "Default": "D", "Choices": [
        {"And": [{"Variable": "$.p.x", "NumericGreaterThan": 1}, {"Variable": "$.q", "IsPresent": false}], "Next": "M"}]},
  "D": {"Type": "Fail", "Error": "E", "Cause": "c"},
  "M": {"Type": "Map", "ItemsPath": "$.p.x2", "ItemSelector": {"v.$": "$$.Map.Item.Value", "i.$": "$$.Map.Item.Index"},
        "ItemProcessor": {"StartAt": "I", "States": {"I": {"Type": "Pass", "End": true}}},
        "Catch": [{"ErrorEquals": ["States.Runtime"], "ResultPath": "$.error", "Next": "T"}], "End": true},
  "T": {"Type": "Task", "Command": ["jq", "-c", ".error.Error"], "ResultSelector": {"e.$": "$"}, "End": true}}}
EOF
check 'paths, Choice, Map, Catch' 0 '{"e":"States.Runtime"}' sh -c 'echo "{\"in\":{\"v\":2}}" | mapflow run -i - asl.json'
cat >list.json <<'EOF'
{"StartAt": "L", "States": {"L": {"Type": "Map", "End": true,
  "ItemReader": {"Resource": "arn:aws:states:::s3:listObjectsV2", "Parameters": {"Bucket": "example-bucket", "Prefix": "example-prefix/obj"}},
  "ItemProcessor": {"ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "EXPRESS"},
    "StartAt": "I", "States": {"I": {"Type": "Pass", "End": true}}}}}}
EOF
check 'a listing has the members of AWS' 0 '["Etag","Key","LastModified","Size","StorageClass"]
"example-prefix/object_1"' sh -c 'mapflow run --bucket-root=root list.json | jq -c ".[0] | keys, .Key"'
check_err 'Fail' 1 'state D failed: E: c' sh -c 'echo "{\"in\":{\"v\":1}}" | mapflow run -i - asl.json'

# What takes too long has the names of the language, which TaskFailed does not stand for.
late()
{
    printf '{"StartAt":"T","States":{"T":{"Type":"Task","Command":["sleep","60"],"%s":%s,"Catch":[
        {"ErrorEquals":["States.TaskFailed"],"Next":"F"},{"ErrorEquals":["%s"],"Next":"C"}],"End":true},
        "C":{"Type":"Succeed"},"F":{"Type":"Fail","Error":"wrong"}}}' "$@" >late.json
}
late TimeoutSeconds 1 States.Timeout
check 'a timeout' 0 '{"Error":"States.Timeout","Cause":"it took longer than its timeout allows"}' \
    timeout 30 mapflow run late.json
late HeartbeatSeconds 1 States.HeartbeatTimeout
sed 's/"HeartbeatSeconds"/"TimeoutSeconds":50,&/' late.json >silent.json
check 'a silent task' 0 \
    '{"Error":"States.HeartbeatTimeout","Cause":"it gave no sign of life for longer than it may"}' \
    timeout 30 mapflow run silent.json
late HeartbeatSeconds 1 States.Timeout
check 'silence is a timeout too' 0 States.HeartbeatTimeout \
    sh -c 'timeout 30 mapflow run late.json | jq -r .Error'

# ---- what is wrong ----

check_err 'a bad definition: status 2, with its place' 2 '^mapflow: bad.yaml:3:' \
    sh -c 'printf "Type: StateMachine\nSpecVersion: v1\nStartAt: X\nStates: [{Type: Pass, Name: A, End: true}]\n" >bad.yaml; mapflow run bad.yaml'
check_err 'an option that has no effect' 2 'from has no effect on plan' mapflow plan --from=A "$flows/basic.yaml"
check_err 'no such command' 2 "there is no command 'dance'" mapflow dance x
check_err 'plan: an input without a name' 2 'plan needs an input with a name' mapflow plan -i - "$flows/basic.yaml"
check_err 'an inline Map is no pipeline' 2 'it is no pipeline' \
    sh -c 'sed "/ProcessorConfig/,+1d" "$1" >inline.yaml; mapflow plan inline.yaml' sh "$flows/basic.yaml"

# TERM ends all that runs, and mapflow dies of it.
flow 'Type: Task, Name: A, Command: [sh, -c, "touch began; exec sleep 600"], End: true'
mapflow run flow.yaml &
pid=$!
until_true 10 test -e began
kill -TERM $pid
wait $pid
same 'TERM' 143 $?
done_testing
