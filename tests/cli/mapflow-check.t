#!/bin/sh
# mapflow check: what is right passes in silence, what is wrong is told, all of it, with its place.
. "$(dirname "$0")/lib.sh"

# ---- the definitions of the service: one Map state, and what differs between its examples ----

# cloudflow NAME FIELDS: the definition with these fields besides in its Map.
cloudflow()
{
    {
        cat <<'END'
Type: StateMachine
Name: MyWorkflow
SpecVersion: v1
StartAt: Map
States:
  - Type: Map
    Name: Map
    ProcessorConfig:
      ExecutionMode: Express
    Processor:
      StartAt: Pass
      States:
        - Type: Pass
          Name: Pass
          End: true
END
        printf '%s\n' "$2" | sed 's/^/    /'
        echo '    End: true'
    } >"$1.yaml"
    check "right: $1" 0 '' mapflow check "$1.yaml"
}

reader()
{
    printf '%s\n' 'ItemReader:' "  SourceType: $1" '  SourceParameters:' '    Bucket: example-bucket' \
        "    $2: $3"
}

cloudflow items 'ItemsPath: $Input.Items'
cloudflow csv "$(reader OSS_CSV ObjectName example-object.csv)"
cloudflow json-list "$(reader OSS_JSON_LIST ObjectName example-object.json)"
cloudflow objects "$(reader OSS_OBJECTS Prefix example-prefix)"
cloudflow inventory "$(reader OSS_INVENTORY_FILES ObjectName inventory/2024-01-01T01-01Z/manifest.json)
ItemConstructor:
  Key.\$: \$Item.Key"
cloudflow batch-count 'ItemsPath: $Input.Items
ItemBatcher:
  MaxItemsPerBatch: 2'
cloudflow batch-bytes 'ItemsPath: $Input.Items
ItemBatcher:
  MaxInputBytesPerBatch: 50'
cloudflow constructor 'ItemsPath: $Input.Items
ItemBatcher:
  MaxInputBytesPerBatch: 200
  BatchInput:
    InputKey.$: $Input.Key
ItemConstructor:
  ConstructedKey.$: $Item.Key
  InputKey.$: $Input.Key'
cloudflow limits 'ItemsPath: $Input.Items
MaxConcuccency: 40
MaxItems: 1000
ToleratedFailureCount: 10
ToleratedFailurePercentage: 10
ResultWriter:
  Parameters:
    Bucket: example-bucket
    Prefix: example-prefix/'

cat >choice.yaml <<'END'
Type: StateMachine
SpecVersion: v1
StartAt: Choice
States:
  - Type: Choice
    Name: Choice
    Branches:
      - Condition: $Input.Key > $Input.FailedValue
        Next: Fail
    Default: Succeed
  - Type: Succeed
    Name: Succeed
    End: true
  - Type: Fail
    Name: Fail
    Code: MockError
    End: true
END
check 'right: Choice, Succeed and Fail' 0 '' mapflow check choice.yaml

# ---- the States Language ----

cat >states.json <<'END'
{"StartAt": "M", "States": {"M": {"Type": "Map", "End": true,
  "ItemReader": {"Resource": "arn:aws:states:::s3:getObject",
    "Parameters": {"Bucket": "b", "Key.$": "$.key"},
    "ReaderConfig": {"InputType": "CSV", "CSVHeaderLocation": "FIRST_ROW"}},
  "ItemProcessor": {"ProcessorConfig": {"Mode": "DISTRIBUTED", "ExecutionType": "STANDARD"},
    "StartAt": "P", "States": {"P": {"Type": "Pass", "End": true}}}}}}
END
check 'right: JSON' 0 '' mapflow check states.json
check 'faults in standard input' 2 'standard input:1:1: a definition must be a map, not a string' sh -c 'echo x | mapflow check -'
check 'from standard input' 0 '' sh -c 'mapflow check - <states.json'

# map FIELDS FAULTS: a Map with these fields besides; they begin at line 2, column 3.
map()
{
    printf '{"StartAt": "M", "States": {"M": {"Type": "Map", "End": true,\n  %s,\n%s}}}\n' "$1" \
        '  "ItemProcessor": {"StartAt": "P", "States": {"P": {"Type": "Pass", "End": true}}}' >map.json
    check "wrong: $1" 2 "$2" mapflow check map.json
}

map '"ItemReader": {"Resource": ":s3:listObjectsV2", "Parameters": {"Bucket": "b"},
 "ReaderConfig": {"MaxItems": 1, "MaxItemsPath": "$.m"}}' \
    'map.json:3:34: MaxItems and MaxItemsPath exclude each other'
map '"ToleratedFailureCount": 0, "ToleratedFailureCountPath": "$.t"' \
    'map.json:2:31: ToleratedFailureCount and ToleratedFailureCountPath exclude each other'
map '"ToleratedFailurePercentage": 105' \
    'map.json:2:33: ToleratedFailurePercentage must be a number from 0 to 100'
map '"MaxConcurrency": -1' 'map.json:2:21: MaxConcurrency must be a whole number, at least 0'
map '"ItemBatcher": {"BatchInput": {"a": 1}}' \
    'map.json:2:18: ItemBatcher must have MaxItemsPerBatch or MaxInputBytesPerBatch'
map '"ItemBatcher": {"MaxInputBytesPerBatch": 262145}' \
    'map.json:2:44: MaxInputBytesPerBatch must be a whole number from 1 to 262144'
map '"ItemBatchSize": 3' "map.json:2:3: a Map state has no 'ItemBatchSize'; did you mean 'ItemBatcher'?"
map '"Label": ""' 'map.json:2:12: Label must have 1 to 40 characters'

# So many states are looked up by name, not searched one by one.
awk 'BEGIN { n = 20000; printf "{\"StartAt\":\"S0\",\"States\":{"
    for (i = 0; i < n; i++) printf "\"S%d\":{\"Type\":\"Pass\",\"Next\":\"S%d\"},", i, i + 1
    printf "\"S%d\":{\"Type\":\"Succeed\"}}}\n", n }' >many.json
check 'many states' 0 '' mapflow check many.json

# ---- all at once, in order ----

cat >faulty.yaml <<'END'
StartAt: A
SpecVersion: v1
Comment: of the other dialect
States:
  - Name: A
    Type: Map
    ItemsPath: $Input.Items[
    MaxItems: 1.5
    MaxConcurency: 3
    ItemConstructor: {a.$: $Item.x, b.$: $Output.y}
    Processor:
      StartAt: P
      States:
        - {Type: Choice, Name: P, Branches: [{Condition: $Input.a >, Next: Q}], Default: R}
        - {Type: Pass, Name: Q, Next: Q}
        - {Type: Succeed, Name: R}
        - {Type: Succeed, Name: R}
        - {Type: Succeed, Name: S}
    Next: B
    End: true
    Retry: [{Errors: [E], MaxAttempts: 3}]
  - {Name: Bee, Type: Parallel, Branches: [], Next: C}
  - {Name: C, Type: Wait}
END
faults="faulty.yaml:3:1: 'Comment' is of the Amazon States Language; in CloudFlow it is Description
faulty.yaml:7:29: path '\$Input.Items[': a number or a quoted name must come behind '[' at character 14
faulty.yaml:8:15: MaxItems must be a whole number, at least 0
faulty.yaml:9:5: a Map state has no 'MaxConcurency'; did you mean 'MaxConcurrency'?
faulty.yaml:10:42: '\$Output.y': \$Input, \$Item or \$Context expected here
faulty.yaml:14:68: expression '\$Input.a >': a value expected at character 11
faulty.yaml:15:30: from the state 'Q' no way leads to an end
faulty.yaml:17:33: there is a state 'R' already, at 16:33
faulty.yaml:18:33: no way leads to the state 'S'
faulty.yaml:19:11: there is no state 'B'
faulty.yaml:20:5: a state has Next or End: true, not both
faulty.yaml:21:13: a Retry rule must have IntervalSeconds
faulty.yaml:22:43: Branches must not be empty
faulty.yaml:23:5: a Wait state must have Next or End: true
faulty.yaml:23:5: a Wait state must have Seconds or UntilDateTime"
check 'every fault at once, in the order of the file' 2 "$faults" mapflow check faulty.yaml
check 'nothing on standard error' 2 '' sh -c 'mapflow check faulty.yaml 2>&1 >/dev/null'
same 'as JSON: as many, and the same' "$faults" "$(mapflow -f json check faulty.yaml |
    jq -r '"\(.File):\(.Line):\(.Column): \(.Message)"')"
check 'and the path of what is wrong' 0 '/Comment /States/0/ItemsPath /States/0/MaxItems' \
    sh -c 'mapflow check --format=json faulty.yaml | head -n 3 | jq -rn "[inputs.Path] | join(\" \")"'

# ---- what is no definition ----

check 'a text that is neither YAML nor JSON' 2 \
    "none:2:1: did not find expected ',' or '}', while parsing a flow mapping that begins at 1:1" \
    sh -c 'printf "{a: [1]\n" >none; mapflow check none'
# [[...]] with 1001 and with 20000 brackets behind {"A": , whose thousandth stands at column 5 + 1000: the map around them counts.
for n in 1001 20000; do
    {
        printf '{"A":'
        head -c $n /dev/zero | tr '\0' '['
        head -c $n /dev/zero | tr '\0' ']'
        echo '}'
    } >deep
    check "JSON of $n lists within each other" 2 \
        'deep:1:1005: there are more than 1000 lists and maps within each other' mapflow check deep
done
check 'nothing' 2 'empty:1:1: there is no document in it' sh -c ': >empty; mapflow check empty'
check 'a name that stands twice' 2 \
    "twice:2:1: the name \"StartAt\" stands twice in this map, first at 1:1" \
    sh -c 'printf "StartAt: A\nStartAt: A\nStates: {A: {Type: Succeed}}\n" >twice; mapflow check twice'
check 'bytes that are no UTF-8' 2 'latin:1:10: this is not UTF-8' \
    sh -c 'printf "StartAt: \351\n" >latin; mapflow check latin'
check 'aliases that hold aliases, nine times nine' 2 'laughs:6:11: there are more than 200000 values' \
    sh -c '
    { echo "a: &a [x,x,x,x,x,x,x,x,x]"; p=a
      for c in b c d e f g; do echo "$c: &$c [*$p,*$p,*$p,*$p,*$p,*$p,*$p,*$p,*$p]"; p=$c; done
    } >laughs; mapflow check laughs'
check_err 'a file that is not there' 1 'mapflow: cannot open nowhere: No such file' \
    mapflow check nowhere
check_err 'no definition named' 2 'mapflow: check takes a definition' mapflow check
check_err 'no such command' 2 "mapflow: there is no command 'chek'" mapflow chek flow.yaml
check_err 'a full disk' 1 'No space left' sh -c 'mapflow check faulty.yaml >/dev/full'

# ---- the manual names every field ----

sed -n 's/.*\.name = "\([A-Za-z]*\)".*/\1/p' "$ROOT"/lib/flow/schema*.c | sort -u >fields
missing=$(while read -r field; do
    grep -qw "$field" "$ROOT/man/mapflow.1" || echo "$field"
done <fields)
same 'the manual names every field that definitions may have' '' "$missing"
ok 'and there are many' sh -c '[ "$(wc -l <fields)" -gt 80 ]'

done_testing
