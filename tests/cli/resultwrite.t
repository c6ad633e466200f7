#!/bin/sh
# resultwrite: the output of a Map state, result files and their manifest.
. "$(dirname "$0")/lib.sh"

# The five executions of the service's ResultWriter example, as the runner would write them; names
# and times have the lengths that the printed sizes, 262 and 1057, were computed from: a name of
# 36 characters, times with +08:00.
run=0123456789abcdef0123456789abcdef01
time='"StartedTime":"2024-01-01T01:01:01+08:00","StoppedTime":"2024-01-01T01:01:02+08:00"'
rec()
{
    # rec INDEX INPUT OUTPUT STATUS [MORE]
    printf '{"ExecutionName":"%s:%s","FlowName":"example","Index":%s,"Input":%s,"Output":%s,' \
        "$run" "$1" "$1" "$2" "$3"
    printf '"Status":"%s",%s,"Attempts":1%s}\n' "$4" "$time" "${5-}"
}
ok_rec()
{
    rec "$1" "{\"FailedValue\":4,\"Key\":$(($1 + 1))}" "{\"FailedValue\":4,\"Key\":$(($1 + 1))}" Succeeded
}
{
    ok_rec 0
    ok_rec 1
    ok_rec 2
    ok_rec 3
    rec 4 '{"FailedValue":4,"Key":5}' '{"ErrorCode":"MockError"}' Failed ',"ErrorCode":"MockError"'
} >example
sed -n '5p;4p;1p;3p;2p' example >mixed
items='{"FailedValue":4,"Key":1},{"FailedValue":4,"Key":2},{"FailedValue":4,"Key":3},{"FailedValue":4,"Key":4},{"ErrorCode":"MockError"}'

# ---- the output of the Map state ----

check 'the output of a Map state' 0 "{\"Items\":[$items]}" \
    resultwrite --tolerated-failure-percentage 30 <example
check 'in item order, whatever the order of the records' 0 "{\"Items\":[$items]}" \
    resultwrite --tolerated-failure-percentage 30 <mixed
check 'as an array' 0 "[$items]" resultwrite --wrap=array --tolerated-failure-count=1 <mixed
check 'as lines' 0 "$(printf '%s' "$items" | sed 's/},{/}\n{/g')" \
    resultwrite --wrap=lines --tolerated-failure-count=1 <mixed
check 'nothing is tolerated by default, and all is written' 4 "{\"Items\":[$items]}" \
    resultwrite <example
check_err 'it says how many failed' 4 '^resultwrite: 1 of 5 executions failed, more than is tolerated$' \
    resultwrite <example
check 'a percentage that is just not met' 4 "{\"Items\":[$items]}" \
    resultwrite --tolerated-failure-percentage=19.999999 <example
check 'a percentage that is just met' 0 "{\"Items\":[$items]}" \
    resultwrite --tolerated-failure-percentage=20% <example
check 'no records: an object without items' 0 '{"Items":[]}' resultwrite
check 'no records: an empty array' 0 '[]' resultwrite --wrap=array
check 'no records: no lines' 0 '' resultwrite --wrap=lines
check 'blank lines, CR and a byte order mark' 0 '{"Items":[1]}' \
    sh -c 'printf "\357\273\277\n{\"Input\":0,\"Output\":1,\"Status\":\"Succeeded\",\"Index\":0}\r\n\n" | resultwrite'
{
    rec 7 0 2 Succeeded
    rec 2 0 1 Succeeded
    rec 9000000 0 3 Succeeded
} >holes
check 'places that never come leave no hole' 0 '{"Items":[1,2,3]}' resultwrite <holes
named()
{
    # named EXECUTION_NAME OUTPUT [MORE]
    printf '{"ExecutionName":"%s","Input":0,"Output":"%s","Status":"Succeeded"%s}\n' "$1" "$2" "${3-}"
}
{
    named r:1 a
    named r:0 b
} >by_name
check 'without Index the name tells the place' 0 '["b","a"]' resultwrite --wrap=array <by_name
{
    named e-2 a
    named e-1 b
} >by_arrival
check 'without either it is the order of arrival' 0 '["a","b"]' resultwrite --wrap=array <by_arrival
{
    named a:1 a1 ',"Index":1'
    named b:1 b1 ',"Index":1'
    named b:0 b0 ',"Index":0'
    named a:0 a0 ',"Index":0'
} >two_runs
check 'two runs: one behind the other, each in order' 0 '{"Items":["a0","a1","b0","b1"]}' \
    resultwrite <two_runs
{
    rec 0 0 1 Succeeded
    printf '%s\n' '{"Index":1,"Input":0,"Status":"Pending"}'
} >stopped
check 'what never ran keeps its place, and is no success' 4 '{"Items":[1,null]}' \
    resultwrite --tolerated-failure-percentage=100 <stopped
exact='{"n":123456789012345678901234567890,"f":1.10,"e":1e400,"n":-0,"s":"\ud800\u00e9\/é"}'
rec 0 1 "$exact" Succeeded >exact
check 'the bytes of an output stay as they are' 0 "$exact" resultwrite --wrap=lines <exact

# ---- files ----

check 'files: where the results are' 0 \
    '{"MapRunName":"m","ResultWriterDetails":{"Bucket":"out/prefix","Key":"m/manifest.json"}}' \
    resultwrite -o out/prefix/ --run-name m --tolerated-failure-percentage=30 <example
manifest='{"DestinationBucket":"out/prefix","MapRunName":"m","ResultFiles":{"FAILED":[{"ObjectName":"m/FAILED_0.json","Size":262}],"SUCCEED":[{"ObjectName":"m/SUCCEED_0.json","Size":1057}]}}'
same 'the manifest has the form and the sizes of the example' "$manifest" \
    "$(cat out/prefix/m/manifest.json)"
same 'Size is the length of each file' '262 1057' \
    "$(wc -c <out/prefix/m/FAILED_0.json) $(wc -c <out/prefix/m/SUCCEED_0.json)"
same 'no newline at the end of the manifest' "${#manifest}" \
    "$(wc -c <out/prefix/m/manifest.json | tr -d ' ')"
same 'nothing else is left' 'FAILED_0.json
SUCCEED_0.json
manifest.json' "$(ls -A out/prefix/m)"
same 'the seven members in their order' \
    "[{\"ExecutionName\":\"$run:4\",\"FlowName\":\"example\",\"Input\":\"{\\\"FailedValue\\\":4,\\\"Key\\\":5}\",\"Output\":\"{\\\"ErrorCode\\\":\\\"MockError\\\"}\",\"Status\":\"Failed\",$time}]" \
    "$(cat out/prefix/m/FAILED_0.json)"
if command -v jq >/dev/null; then
    same 'four inputs, each JSON text in a string' '[1,2,3,4]' \
        "$(jq -c 'map(.Input|fromjson|.Key)' out/prefix/m/SUCCEED_0.json)"
    same 'DestinationBucket/ObjectName is the path of each file' 'ok' "$(
        jq -r '"\(.DestinationBucket)/\(.ResultFiles[][].ObjectName)"' out/prefix/m/manifest.json |
            while read -r f; do [ -f "$f" ] || echo "no $f"; done
        echo ok
    )"
else
    skip 'four inputs, each JSON text in a string' 'no jq'
    skip 'DestinationBucket/ObjectName is the path of each file' 'no jq'
fi
check_err 'results that are there are not written again' 1 \
    'results of the run m are there already: out/prefix/m/manifest.json' \
    resultwrite -o out/prefix --run-name m --tolerated-failure-percentage=30 <example
same 'and stay as they were' "$manifest" "$(cat out/prefix/m/manifest.json)"
check 'more failures than tolerated: exit 4, and all is written' 4 \
    '{"MapRunName":"m4","ResultWriterDetails":{"Bucket":"out","Key":"m4/manifest.json"}}' \
    resultwrite -o out --run-name m4 <example
ok 'with its manifest' test -s out/m4/manifest.json

check 'the run of the records names the folder' 0 \
    "{\"MapRunName\":\"$run\",\"ResultWriterDetails\":{\"Bucket\":\"out\",\"Key\":\"$run/manifest.json\"}}" \
    resultwrite -o out --tolerated-failure-count=1 <example
check 'no records: empty lists' 0 \
    '{"MapRunName":"none","ResultWriterDetails":{"Bucket":"out","Key":"none/manifest.json"}}' \
    resultwrite -o out --run-name none
same 'both keys are there' \
    '{"DestinationBucket":"out","MapRunName":"none","ResultFiles":{"FAILED":[],"SUCCEED":[]}}' \
    "$(cat out/none/manifest.json)"
same 'and no other file' manifest.json "$(ls -A out/none)"
check_status 'no records, no name: a UUID' 0 sh -c '
    resultwrite -o out |
    grep -Eq "^{\"MapRunName\":\"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\","'

{
    ok_rec 0
    rec 1 1 '{"ErrorCode":"Timeout"}' TimedOut
    rec 2 2 '{"ErrorCode":"Aborted"}' Aborted
    rec 3 3 null Pending
} >kinds
check_status 'a run that was stopped is no success' 4 \
    resultwrite -o out --run-name kinds --tolerated-failure-percentage=100 <kinds
if command -v jq >/dev/null; then
    same 'TimedOut and Aborted go with FAILED, Pending apart' \
        '["FAILED","PENDING","SUCCEED"]
["TimedOut","Aborted"]
["Pending"]
["Succeeded"]' "$(
            jq -c '.ResultFiles|keys_unsorted' out/kinds/manifest.json
            for kind in FAILED PENDING SUCCEED; do
                jq -c 'map(.Status)' "out/kinds/${kind}_0.json"
            done
        )"
else
    skip 'TimedOut and Aborted go with FAILED, Pending apart' 'no jq'
fi

# What is put into a string comes out of it again.
cat >values <<'END'
{"a":"quote \" backslash \\ slash \/ tab \t nl \n nul \u0000 esc \u001b del "}
{"ü":"日本語 😀","lone":"\ud800","pair":"\ud83d\ude00","a":1,"a":2}
[123456789012345678901234567890,1.10,1e400,-0.0,1E+2,[],{},null,true,false,""]
"a string"
12
null
END
i=0
while IFS= read -r v; do
    rec $i "$v" "[$v]" Succeeded
    i=$((i + 1))
done <values >valued
check_status 'values of every kind' 0 resultwrite -o out --run-name values <valued
if command -v jq >/dev/null; then
    jq -r '.[].Input' out/values/SUCCEED_0.json >back
    ok 'Input comes out of its string byte for byte' cmp values back
    jq -r '.[].Output' out/values/SUCCEED_0.json | sed 's/^.\(.*\).$/\1/' >back
    ok 'and so does Output' cmp values back
else
    skip 'Input comes out of its string byte for byte' 'no jq'
    skip 'and so does Output' 'no jq'
fi
check_status 'full records' 0 resultwrite -o out --run-name full --records=full <valued
{
    printf '['
    tr '\n' ',' <valued | sed 's/,$/]/'
} >want
ok 'full records are the records, in an array' cmp want out/full/SUCCEED_0.json
check_status 'white space between tokens goes' 0 sh -c '
    echo "{ \"Index\": 0, \"Input\": { \"a\": [1, 2] }, \"Output\": \" x \", \"Status\": \"Succeeded\" }" |
    resultwrite -o out --run-name spaces'
same 'Input is compact, strings are kept' \
    '[{"ExecutionName":"","FlowName":"","Input":"{\"a\":[1,2]}","Output":"\" x \"","Status":"Succeeded","StartedTime":"","StoppedTime":""}]' \
    "$(cat out/spaces/SUCCEED_0.json)"
mkdir 'o"ut' && check 'names are escaped' 0 \
    '{"MapRunName":"a\"b\\","ResultWriterDetails":{"Bucket":"o\"ut","Key":"a\"b\\/manifest.json"}}' \
    resultwrite -o 'o"ut' --run-name 'a"b\'

# ---- where results may not go ----

for name in .. . '' a/b ../up /abs; do
    check_err "the run name '$name' is refused" 2 'cannot be the name of a run' \
        resultwrite -o out --run-name "$name" <example
done
check_err 'a run name that is not UTF-8' 2 'not UTF-8' resultwrite -o out --run-name "$(printf 'a\351')"
check_err 'a record cannot lead elsewhere' 1 "the run '../up' cannot name a folder, use --run-name" \
    sh -c 'sed s,"$0",../up, example | resultwrite -o out' "$run"
check_err 'not by an escape either' 1 "cannot name a folder" \
    sh -c 'sed s,"$0",..\\\\u002fup, example | resultwrite -o out' "$run"
ok 'nothing was made outside' test ! -e up
ln -s "$PWD/out/m4" out/link
check_err 'a link is not followed' 1 'cannot use the folder out/link' \
    resultwrite -o out --run-name link <example
check_err 'the web' 2 'cannot write to https://host/x: only to a folder, s3:// or oss://' \
    resultwrite -o https://host/x <example
check_err 'other schemes' 2 'cannot write to gs://bucket/x: only to a folder, s3:// or oss://' \
    resultwrite -o gs://bucket/x <example
check_err 'no bucket' 2 's3:///x' resultwrite -o s3:///x <example
check_err 'an empty folder name' 2 'empty name' resultwrite -o '' <example
check_err 'a file instead of a folder' 1 'cannot make the folder example/m: Not a directory' \
    resultwrite -o example --run-name m <example
check_err 'a folder that cannot be made' 1 'cannot make the folder /proc/none' \
    resultwrite -o /proc/none --run-name m <example
check_err 'an ineffective --wrap' 2 'wrap has no effect' resultwrite -o out --wrap=lines <example
check_err 'an ineffective --run-name' 2 'run-name has no effect' resultwrite --run-name=m <example
check_err 'an ineffective --records' 2 'records has no effect' resultwrite --records=full <example
check_err 'a percentage beyond 100' 2 'percentage' resultwrite --tolerated-failure-percentage=101
check_err 'a negative count' 2 'count' resultwrite --tolerated-failure-count=-1
check_err 'operands' 2 "unexpected operand 'x'" resultwrite x

# ---- expected items ----

batch()
{
    rec "$1" "{\"Items\":[]}" null Succeeded ",\"ItemCount\":$2"
}
{
    batch 0 100
    batch 1 100
    batch 2 16
} >batches
printf '%s\n' '{"FailedValue":4,"fragment.identifier":"r","fragment.count":216}' >orig.json
check 'as many items as expected' 0 '[null,null,null]' resultwrite --wrap=array --expect=216 <batches
check 'as many as the file states' 0 '[null,null,null]' \
    resultwrite --wrap=array --expect=orig.json <batches
check_err 'fewer' 1 '^resultwrite: 217 items were expected, 216 came, in 3 records$' \
    resultwrite -o out --run-name few --expect=217 <batches
check_err 'more' 1 '5 items were expected, 216 came' resultwrite -o out --run-name few --expect=5 <batches
ok 'and no manifest, not even a folder' test ! -e out/few
check 'the document stays open then' 1 '{"Items":[null,null,null' resultwrite --expect=217 <batches
check_err 'an empty data set where one was expected' 1 '1 items were expected, 0 came' \
    resultwrite -o out --run-name few --expect=1
check 'an empty data set as expected' 0 '{"Items":[]}' resultwrite --expect=0
check_err 'the file must be there' 1 'cannot read nowhere: No such file' \
    resultwrite --expect=nowhere <batches
printf '{"x":1}\n' >bad.json
check_err 'and state a number' 1 'bad.json has no member fragment.count' \
    resultwrite --expect=bad.json <batches
check 'the file may appear while records come' 0 '[null,null,null]' sh -c '
    { cat batches; sleep 0.1; cp orig.json late.json; } | resultwrite --wrap=array --expect=late.json'

# ---- what comes twice ----

sed -n 1,4p example >fine
{
    cat fine
    sed -n 2p fine
} >twice
check 'an execution that comes again is counted once' 1 \
    '{"MapRunName":"twice","ResultWriterDetails":{"Bucket":"out","Key":"twice/manifest.json"}}' \
    resultwrite -o out --run-name twice --expect=4 <twice
check_err 'and reported' 1 \
    "^resultwrite: standard input:5:1 \(byte [0-9]+, item 5\): the execution \"$run:1\" \(Index 1\) came before" \
    resultwrite --wrap=lines <twice
check_status 'with a rejects file too' 1 resultwrite --rejects=again --wrap=lines <twice
same 'where it goes' "$(sed -n 2p fine)" "$(cat again)"

# ---- what is no record ----

{
    sed -n 1p example
    printf '%s\n' '{"Input":1,"Output":2,"Status":"Done","Index":7}' '{"a":1}' '[]' '{"Input":'
    sed -n 2p example
} >dirty
check 'it stops there, all before it is written' 1 '{"FailedValue":4,"Key":1}' \
    resultwrite --wrap=lines <dirty
check_err 'it says where and why' 1 \
    '^resultwrite: standard input:2:1 \(byte [0-9]+, item 2\): the Status "Done" is none of' \
    resultwrite <dirty
check_status 'no manifest then' 1 resultwrite -o out --run-name dirty <dirty
ok 'not even a folder' test ! -e out/dirty
check 'with a rejects file it goes on' 1 '{"FailedValue":4,"Key":1}
{"FailedValue":4,"Key":2}' resultwrite --wrap=lines --rejects=rejected <dirty
same 'where the lines are, byte for byte' "$(sed -n 2,5p dirty)" "$(cat rejected)"
check_err 'an index that no place is kept for' 1 'Index 999999999999 is no whole number from 0 to' \
    sh -c 'echo "{\"Input\":1,\"Output\":2,\"Status\":\"Failed\",\"Index\":999999999999}" | resultwrite'

# ---- end marks ----

mark='{"fanline.end":{"status":0,"items":4,"rejected":0}}'
check 'an end mark is demanded and written' 0 "{\"Items\":[$(resultwrite <fine | cut -c11-)
{\"fanline.end\":{\"status\":0,\"items\":1,\"rejected\":0}}" \
    sh -c '{ cat fine; echo "$0"; } | resultwrite --end-mark' "$mark"
check_err 'without one the input was cut short' 1 'cut short' \
    env FANLINE_END_MARK=1 resultwrite -o out --run-name cut <fine
ok 'and there is no manifest' test ! -e out/cut/manifest.json
check_err 'too few lines for the mark' 1 'cut short' \
    sh -c '{ sed 1d fine; echo "$0"; } | resultwrite --end-mark -o out --run-name cut' "$mark"
ok 'and there is no manifest either' test ! -e out/cut/manifest.json

# ---- a hard life ----

check_err 'a full disk' 1 'cannot write standard output: No space left' \
    sh -c 'resultwrite <fine >/dev/full'
check_status 'a reader that has gone' 141 \
    sh -c 'mkfifo gone; { : <gone; } & exec 3>gone; wait $!; resultwrite <fine >&3; exit $?'

mkfifo slow
resultwrite -o out --run-name killed <slow &
pid=$!
exec 4>slow
cat fine >&4
ok 'a run under way has its folder' until_true 5 test -d out/killed
until_true 5 grep -q ":$(stat -c %i out/killed) " /proc/locks
check_err 'which nobody else may write to' 75 'another process is writing to out/killed' \
    resultwrite -o out --run-name killed <fine
kill -9 $pid
wait $pid 2>/dev/null
exec 4>&-
same 'kill -9 leaves no manifest, and no half file' '' "$(ls -A out/killed)"
: >out/killed/FAILED_0.json
check_status 'the run can be collected again' 0 resultwrite -o out --run-name killed <fine
same 'and what was left of the first attempt is gone' 'SUCCEED_0.json
manifest.json' "$(ls -A out/killed)"

long=$(printf %0500d 0)
i=0
while [ $i -lt 40 ]; do
    rec $i "\"$long\"" 1 Succeeded
    i=$((i + 1))
done >long
check_err 'a file that cannot be written to its end' 1 'cannot write out/limit/SUCCEED_0.json' \
    sh -c 'trap "" XFSZ; ulimit -f 8; resultwrite -o out --run-name limit <long'
ok 'leaves nothing' test ! -e out/limit

# 100,000 records, in order and backwards; the second way nearly all must wait.
awk 'BEGIN { for (i = 0; i < 100000; i++)
    printf "{\"ExecutionName\":\"r:%d\",\"FlowName\":\"f\",\"Index\":%d,\"Input\":%d,\"Output\":{\"n\":%d},\"Status\":\"Succeeded\",\"StartedTime\":\"\",\"StoppedTime\":\"\",\"ItemCount\":1}\n", i, i, i, i }' >many
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "{\"n\":%d}\n", i }' >want
resultwrite --wrap=lines --expect=100000 <many >got
ok '100,000 records in order' cmp want got
sort -t: -k3,3nr many >backwards
resultwrite --wrap=lines --expect=100000 <backwards >got
ok '100,000 records backwards' cmp want got
sort -R --random-source=many many >scattered
resultwrite --wrap=lines --expect=100000 <scattered >got
ok '100,000 records scattered' cmp want got
check 'and into files' 0 '{"MapRunName":"r","ResultWriterDetails":{"Bucket":"out","Key":"r/manifest.json"}}' \
    resultwrite -o out --expect=100000 <scattered
same 'Size is the true length' \
    "{\"DestinationBucket\":\"out\",\"MapRunName\":\"r\",\"ResultFiles\":{\"FAILED\":[],\"SUCCEED\":[{\"ObjectName\":\"r/SUCCEED_0.json\",\"Size\":$(wc -c <out/r/SUCCEED_0.json | tr -d ' ')}]}}" \
    "$(cat out/r/manifest.json)"
same 'no temporary file is left' '' "$(find . -name '*.tmp')"
check_err 'a folder for temporary files that is not there' 1 'cannot make a temporary file in /none' \
    env TMPDIR=/none resultwrite <backwards

done_testing
