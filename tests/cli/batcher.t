#!/bin/sh
# batcher: how many items go together, how bytes are counted, what becomes of what is too large.
. "$(dirname "$0")/lib.sh"

printf '{"Key":%s}\n' 1 2 3 4 5 >keys
printf '{"InputKey":"value","ConstructedKey":%s}\n' 1 2 3 4 5 >made
printf '{"InputKey":"value","Limits":{"items":2,"bytes":"50","wrong":"x"}}' >input.json

# ---- the examples of the service ----

pairs='{"Items":[{"Key":1},{"Key":2}]}
{"Items":[{"Key":3},{"Key":4}]}
{"Items":[{"Key":5}]}'
check 'two items a batch' 0 "$pairs" batcher -n 2 <keys
check '50 bytes a batch: 2, 2, 1' 0 "$pairs" batcher -b 50 <keys
check '70 bytes with BatchInput: 2, 2, 1' 0 "$(printf '%s\n' "$pairs" |
    sed 's/^{/{"BatchInput":{"InputKey":"value"},/')" \
    batcher -b 70 --batch-input='{"InputKey.$":"$Input.InputKey"}' -i input.json <keys
check '200 bytes with BatchInput and made items: 3, 2' 0 \
    "$(awk 'BEGIN { RS = "\n" } { item[NR] = $0 } END {
        head = "{\"BatchInput\":{\"InputKey\":\"value\"},\"Items\":["
        print head item[1] "," item[2] "," item[3] "]}"
        print head item[4] "," item[5] "]}" }' made)" \
    batcher -b 200 --batch-input='{"InputKey.$":"$Input.InputKey"}' -i input.json <made

# ---- limits ----

check 'at the very limit: 49 bytes are two items' 0 "$pairs" batcher -b 49 <keys
check 'one byte less' 0 5 sh -c 'batcher -b 48 <keys | wc -l | tr -d " "'
check 'exact: 31 bytes leave for two items' 0 "$pairs" batcher -b 31 --count=exact <keys
check 'and no line is longer' 0 31 \
    sh -c 'batcher -b 31 --count=exact <keys | awk "length > n { n = length } END { print n }"'
check 'exact, one byte less' 0 5 sh -c 'batcher -b 30 --count=exact <keys | wc -l | tr -d " "'
check 'whichever is reached first' 0 '{"Items":[1,2]}
{"Items":[3,"four and more"]}
{"Items":[5]}' sh -c 'printf "1\n2\n3\n\"four and more\"\n5\n" | batcher -n 2 -b 60'
check 'a size with a unit' 0 1 sh -c 'batcher -b 1KiB <keys | wc -l | tr -d " "'
check 'limits from the input document' 0 "$pairs" batcher -n '$Input.Limits.items' -i input.json <keys
check 'a number in a string will do' 0 "$pairs" batcher -b '$Input.Limits.bytes' -i input.json <keys
check_err 'anything else does not' 2 "max-items: 'x' is no whole number" \
    batcher -n '$Input.Limits.wrong' -i input.json <keys
check 'the last batch may be full' 0 '{"Items":[1,2]}' sh -c 'printf "1\n2\n" | batcher -n 2'
check 'no items, no batch' 0 '' batcher -n 2
check 'items keep their bytes, white space goes' 0 '{"Items":[{"a":1.10,"a":1e400},"\ud800"]}' \
    sh -c 'printf "%s\n" "{ \"a\" : 1.10, \"a\":1e400 }" "\"\\ud800\"" | batcher -n 2'
check 'a BatchInput without expressions' 0 '{"BatchInput":[1.0],"Items":[1]}' \
    sh -c 'echo 1 | batcher -n 5 --batch-input "[ 1.0 ]"'
printf '{"Execution":{"Name":"nightly"},"most":2}' >context
check 'the context in a BatchInput, and in a limit' 0 '{"BatchInput":{"n":"nightly"},"Items":[1,2]}
{"BatchInput":{"n":"nightly"},"Items":[3]}' sh -c 'printf "1\n2\n3\n" |
    batcher -n "\$\$.most" --context=context --batch-input="{\"n.\$\":\"\$Context.Execution.Name\"}"'
check 'a BatchInput from a file' 0 '{"BatchInput":{"a":4},"Items":[1]}' \
    sh -c 'echo "{\"a\":4}" >t; echo 1 | batcher -n 5 --batch-input @t'
check 'many items in one batch' 0 '{"Items":[1,' \
    sh -c 'seq 100000 | batcher -n 100000 | cut -c 1-12'

# ---- an item that fits in no batch ----

printf '1\n{"long":"item"}\n3\n' >long
check 'it stops the run, what came before is written' 1 '{"Items":[1]}' batcher -b 44 <long
check_err 'with its place, its size and the limit' 1 \
    '^batcher: standard input:2:1 \(byte 2, item 2\): the item of 15 bytes makes a batch of 45 bytes alone; the limit is 44$' \
    batcher -b 44 <long
check 'or it leaves alone' 0 '{"Items":[1]}
{"Items":[{"long":"item"}]}
{"Items":[3]}' batcher -b 44 --oversize=alone <long
check 'or goes to the rejects' 1 '{"Items":[1,3]}' \
    batcher -b 44 --oversize=reject --rejects=bad <long
check_file 'byte for byte' bad '{"long":"item"}'
check 'that just fits does not' 0 '{"Items":[1]}
{"Items":[{"long":"item"}]}
{"Items":[3]}' batcher -b 45 <long

# ---- usage ----

check_err 'a limit is needed' 2 'a limit is needed: --max-items or --max-bytes' batcher <keys
for n in 0 -1 10x 1.5 '' 99999999999999999999; do
    check_err "-n '$n' is refused" 2 '^batcher: --max-items: ' batcher -n "$n" <keys
done
for n in 0 -1 10x 1.5.1 ''; do
    check_err "-b '$n' is refused" 2 '^batcher: --max-bytes: ' batcher -b "$n" <keys
done
check_err 'reject needs a file' 2 'needs --rejects' batcher -b 9 --oversize=reject <keys
check_err 'oversize without bytes' 2 'no effect without --max-bytes' batcher -n 1 --oversize=alone
check_err 'count without bytes' 2 'no effect without --max-bytes' batcher -n 1 --count=exact
check_err 'another policy' 2 "oversize: 'drop' is none of fail, alone, reject" \
    batcher -b 1 --oversize=drop
check_err 'input that nothing uses' 2 'input has no effect' batcher -n 1 -i input.json
check_err 'a BatchInput that is no JSON' 2 'template:1:3 \(byte 2\)' \
    batcher -n 1 --batch-input '{},"x":1'
for path in '$Item' '$Context.Item.Index' '$$.Map.Item.Value'; do
    check_err "items are not known in BatchInput: $path" 2 'know no item' \
        batcher -n 1 --batch-input "{\"a.\$\":\"$path\"}"
done
check_err 'a context that nothing uses' 2 'context has no effect' batcher -n 1 --context input.json
check_err 'a BatchInput that leads nowhere' 1 'there is no \$Input\.x' \
    batcher -n 1 --batch-input '{"a.$":"$Input.x"}' -i input.json

# ---- time ----

mkfifo in
check 'a batch that is not full leaves after a while' 0 '{"Items":[1]}
{"Items":[2,3]}' sh -c '
    batcher -n 2 --max-wait=50ms <in >out &
    exec 3>in
    echo 1 >&3
    i=0; while [ ! -s out ] && [ $i -lt 250 ]; do sleep 0.02; i=$((i + 1)); done
    printf "2\n3\n" >&3
    exec 3>&-
    wait $!
    cat out'
check 'a batch that is full leaves while the input stays open' 0 '{"Items":[1,2]}' sh -c '
    batcher -n 2 <in >full &
    exec 3>in
    printf "1\n2\n" >&3
    i=0; while [ ! -s full ] && [ $i -lt 250 ]; do sleep 0.02; i=$((i + 1)); done
    cat full
    echo 3 >&3
    exec 3>&-
    wait $!'
check_file 'and the rest at the end' full '{"Items":[1,2]}
{"Items":[3]}'
done_testing
