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

# What the context knows of an item does not depend on what the item looks like.
selector='{"k.$": "$$.Map.Item.Key?", "v.$": "$$.Map.Item.Value", "i.$": "$$.Map.Item.Index", "s.$": "$$.Map.Item.Source"}'
states '{"ItemsPath": "$.L", "ItemSelector": '"$selector"'}' '{"L":{"a":1.10,"b":{"Key":"x"}}}'
check 'the members of an object' 0 '[{"k":"a","v":1.10,"i":0,"s":"STATE_DATA"},{"k":"b","v":{"Key":"x"},"i":1,"s":"STATE_DATA"}]' run
echo '{"L":[{"Key":1,"Value":2},{"Index":9,"Source":"x","Value":3},null]}' >input.json
check 'items that look like members, or like wrapped ones' 0 \
    '[{"k":null,"v":{"Key":1,"Value":2},"i":0,"s":"STATE_DATA"},{"k":null,"v":{"Index":9,"Source":"x","Value":3},"i":1,"s":"STATE_DATA"},{"k":null,"v":null,"i":2,"s":"STATE_DATA"}]' run
check 'and as a pipeline of the shell' 0 3 \
    sh -c 'mapflow plan -i input.json flow.json | sh | jq "map(select(.s == \"STATE_DATA\")) | length"'
cloudflow '{"ItemsPath": "$Input.L", "ItemConstructor": {"v.$": "$Item", "s.$": "$Context.Item.Source?"}}' \
    '{"L":[{"Index":0,"Source":"x"}]}'
check 'in CloudFlow $Item is the item, whatever else is asked for' 0 \
    '{"Items":[{"s":null,"v":{"Index":0,"Source":"x"}}]}' run
states '{"ItemsPath": "$.L"}' '{"L":{"a":1.10}}'
check 'members without a selector' 0 '[{"Key":"a","Value":1.10}]' run

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

reader()
{
    states '{"ItemReader": {"Resource": "arn:aws:states:::s3:'"$1"'", "Parameters": {"Bucket": "bk", '"$2"'},
        "ReaderConfig": {'"$3"'}}, "ItemSelector": {"s.$": "$$.Map.Item.Source", "v.$": "$$.Map.Item.Value"}}' null
}
printf 'Key,Value\n1,2\n' >root/bk/kv.csv
reader getObject '"Key": "kv.csv"' '"InputType": "CSV", "CSVHeaderLocation": "FIRST_ROW"'
check 'a table with the columns Key and Value' 0 '[{"s":"S3://bk/kv.csv","v":{"Key":"1","Value":"2"}}]' run

reader getObject '"Key": "kv.csv", "VersionId.$": "$.v"' '"InputType": "JSON"'
echo '{"v":"v1"}' >input.json
check 'a version of an object' 0 1 \
    sh -c "mapflow plan -i input.json flow.json | grep -c 'mapsplit .* --object-version=v1 s3://bk/kv.csv'"

mkdir -p root/bk/log/b
printf 'x,y\n1,2\n' >root/bk/log/a.csv
printf 'y\n3\n4\n' | gzip >root/bk/log/b/z.gz
: >root/bk/log/aa
printf 'w\n5\n' >root/bk/logs
touch -d 2024-01-01T01:01:01.5Z root/bk/log/a.csv
reader listObjectsV2 '"Prefix": "log/a.c"' '"MaxItems": 5'
check 'a listing as AWS has it' 0 \
    '[{"s":"S3://bk","v":{"Etag":"\"'"$(md5sum <root/bk/log/a.csv | cut -c1-32)"'\"","Key":"log/a.csv","LastModified":1704070861,"Size":8,"StorageClass":"STANDARD"}}]' run
flatten='"Transformation": "LOAD_AND_FLATTEN", "InputType": "CSV", "CSVHeaderLocation": "FIRST_ROW"'
reader listObjectsV2 '"Prefix": "log/"' "$flatten"
check 'LOAD_AND_FLATTEN: all objects under a prefix, each with its header' 0 \
    '[{"s":"S3://bk/log/a.csv","v":{"x":"1","y":"2"}},{"s":"S3://bk/log/b/z.gz","v":{"y":"3"}},{"s":"S3://bk/log/b/z.gz","v":{"y":"4"}}]' run
reader listObjectsV2 '"Prefix": "log"' "$flatten, \"MaxItems\": 4"
check 'LOAD_AND_FLATTEN: a prefix is no folder, and MaxItems counts over all' 0 '["1","3","4","5"]' \
    sh -c 'mapflow run --bucket-root=root flow.json | jq -c "map(.v | .x // .y // .w)"'
reader listObjectsV2 '"Prefix": "none"' "$flatten"
check 'LOAD_AND_FLATTEN: nothing there' 0 '[]' run
reader listObjectsV2 '"Prefix": "log/"' '"Transformation": "LOAD_AND_FLATTEN", "InputType": "JSON"'
check_err 'LOAD_AND_FLATTEN: an object that is something else' 1 \
    'States.ItemReaderFailed: mapsplit: s3://bk/log/a.csv:1:1 ' run
printf '{"d":[1,2]}' >root/bk/p1
printf '{"d":[3]}' >root/bk/p2
reader listObjectsV2 '"Prefix": "p"' '"Transformation": "LOAD_AND_FLATTEN", "InputType": "JSON", "ItemsPointer": "/d"'
check 'LOAD_AND_FLATTEN: documents, with a pointer' 0 '[1,2,3]' \
    sh -c 'mapflow run --bucket-root=root flow.json | jq -c "map(.v)"'

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
