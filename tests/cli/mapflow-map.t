#!/bin/sh
# Maps of both dialects in forms that the conformance cases do not use: reference/distributed-map.md.
. "$(dirname "$0")/lib.sh"

mkdir -p root/bk

# cloudflow FIELDS INPUT, states FIELDS INPUT: a definition of one distributed Map, whose processor
# hands on what it gets, in flow.json, and its input.
cloudflow()
{
    jq -n --argjson fields "$1" '{Type: "StateMachine", SpecVersion: "v1", StartAt: "M", States: [
        {Type: "Map", Name: "M", ProcessorConfig: {ExecutionMode: "Express"}, End: true,
        Processor: {StartAt: "P", States: [{Type: "Pass", Name: "P", End: true}]}} + $fields]}' >flow.json
    printf '%s\n' "$2" >input.json
}

states()
{
    jq -n --argjson fields "$1" '{StartAt: "M", States: {M: ({Type: "Map", End: true, ItemProcessor:
        {ProcessorConfig: {Mode: "DISTRIBUTED", ExecutionType: "EXPRESS"},
        StartAt: "P", States: {P: {Type: "Pass", End: true}}}} + $fields)}}' >flow.json
    printf '%s\n' "$2" >input.json
}

run()
{
    timeout 60 mapflow run --bucket-root=root -i input.json flow.json
}

# ---- items of the input ----

cloudflow '{"ItemsPath": "$Context.Execution.Input.L"}' '{"L":[1,{"a":1.10}]}'
check 'items from the context' 0 '{"Items":[1,{"a":1.10}]}' run
cloudflow '{"ItemsPath": "split($Input.s, \",\")"}' '{"s":"a,b"}'
check 'items that a function makes' 0 '{"Items":["a","b"]}' run
check 'the same as a pipeline of the shell, with end marks' 0 '{"Items":["a","b"]}' \
    sh -c 'mapflow plan -i input.json flow.json >plan && FANLINE_END_MARK=1 sh plan | grep -v fanline.end'
cloudflow '{"ItemsPath": "split($Input.t, \",\")"}' '{"s":"a,b"}'
check_err 'a function that fails' 1 'M failed: Runtime: evalexpr: there is no \$Input\.t' run
states '{"ItemsPath": "$$.Execution.Input.L"}' '{"L":[1,2]}'
check 'items from the context, in the States Language' 0 '[1,2]' run

# ---- the readers ----

states '{"ItemReader": {"Resource": "arn:aws:states:::s3:getObject", "Parameters": {"Bucket": "bk", "Key": "t.csv"},
    "ReaderConfig": {"InputType": "CSV", "CSVHeaderLocation": "GIVEN", "CSVHeaders": ["", "a,b", "\"c\" d", "e\nf"]}}}' null
echo 1,2,3,4 >root/bk/t.csv
check 'names of columns that CSV must quote' 0 '[{"":"1","a,b":"2","\"c\" d":"3","e\nf":"4"}]' run
cloudflow '{"ItemReader": {"SourceType": "OSS_CSV", "SourceParameters": {"Bucket": "bk", "ObjectName": "t.csv"},
    "ReaderConfig": {"CSVHeaders": ["w", "x,", "y", " z "]}}}' null
check 'the same in CloudFlow' 0 '{"Items":[{"w":"1","x,":"2","y":"3"," z ":"4"}]}' run

max_items()
{
    states '{"ItemReader": {"Resource": "arn:aws:states:::s3:getObject", "Parameters": {"Bucket": "bk", "Key": "n.json"},
        "ReaderConfig": {"InputType": "JSON", "MaxItemsPath": "$.m"}}}' "{\"m\":$1}"
}
echo '[1,2,3]' >root/bk/n.json
for m in '2 [1,2]' '0 [1,2,3]' '"1" [1]' '100000001 [1,2,3]'; do
    max_items "${m% *}"
    check "MaxItemsPath: ${m% *}" 0 "${m#* }" run
done
max_items -1
check_err 'MaxItemsPath: below 0 it is the reader that fails' 1 'States.ItemReaderFailed: .*-1 is not between 0' run
for m in 1.5 '{}' '"x"' null; do
    max_items "$m"
    check_err "MaxItemsPath: $m" 1 'M failed: States.Runtime: MaxItems' run
done

# ---- batches ----

states '{"ItemsPath": "$.L", "ItemBatcher": {"MaxItemsPerBatch": 2, "BatchInput":
    {"name.$": "$$.State.Name", "k.$": "$.k"}}}' '{"L":[1,2,3],"k":9}'
check 'BatchInput from the context' 0 \
    '[{"BatchInput":{"name":"M","k":9},"Items":[1,2]},{"BatchInput":{"name":"M","k":9},"Items":[3]}]' run

# ---- concurrency ----

states '{"ItemsPath": "$.L", "MaxConcurrencyPath": "$.n"}' '{"L":[1,2],"n":"1"}'
check 'MaxConcurrency in a string' 0 '[1,2]' run
sed -i s/DISTRIBUTED/INLINE/ flow.json
sed -i '/ExecutionType/d; s/"INLINE",/"INLINE"/' flow.json
check 'and of an inline Map' 0 '[1,2]' run
echo '{"L":[1,2],"n":"many"}' >input.json
check_err 'which is no number' 1 "States.Runtime: MaxConcurrency: 'many' is no whole number" run

# ---- the programs ----

states '{}' '[1,2]'
check 'nothing of the kit is looked for by PATH' 0 '[1,2]' \
    env -i PATH=/usr/bin:/bin timeout 60 "$(command -v mapflow)" run -i input.json flow.json
done_testing
