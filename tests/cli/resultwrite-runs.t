#!/bin/sh
# resultwrite: files that are rolled, forms of results, runs that are added to and re-driven, summaries.
. "$(dirname "$0")/lib.sh"

# rec RUN INDEX INPUT OUTPUT STATUS [MORE]: a record as the runner writes it, one second long.
rec()
{
    printf '{"ExecutionName":"%s:%s","FlowName":"f","Index":%s,"Input":%s,"Output":%s,"Status":"%s",' \
        "$1" "$2" "$2" "$3" "$4" "$5"
    printf '"StartedTime":"2026-01-02T03:04:%02d.000Z","StoppedTime":"2026-01-02T03:04:%02d.250Z",' \
        "$2" "$(($2 + 1))"
    printf '"Attempts":1,"ItemCount":1%s}\n' "${6-}"
}
# seven RUN INDEX INPUT OUTPUT STATUS [TIMES_OF]: the same in seven members; INPUT, OUTPUT escaped.
seven()
{
    printf '{"ExecutionName":"%s:%s","FlowName":"f","Input":"%s","Output":"%s","Status":"%s",' \
        "$1" "$2" "$3" "$4" "$5"
    i=${6-$2}
    printf '"StartedTime":"2026-01-02T03:04:%02d.000Z","StoppedTime":"2026-01-02T03:04:%02d.250Z"}' \
        "$i" "$((i + 1))"
}
failed='{"ErrorCode":"ExitCode.3"}'
{
    rec r 0 '{"k":0}' 0 Succeeded
    rec r 1 '{"k":1}' "$failed" Failed ',"ErrorCode":"ExitCode.3","Cause":"no such k"'
    rec r 2 '{"k":2}' 2 Succeeded
    rec r 3 '{"k":1}' '{"ErrorCode":"Timeout"}' TimedOut ',"ErrorCode":"Timeout"'
    rec r 4 '{"k":4}' 4 Succeeded
    rec r 5 '{"k":5}' null Pending
} >first
sed '/Pending/d' first >ran
grep Succeeded first >fine

names()
{
    sed 's/"ObjectName":"[^"]*\//\n/g' "$1" | sed -n 's/^\([A-Z]*_[^"]*\)".*/\1/p' | tr '\n' ' ' |
        sed 's/ $//'
}

# ---- rolling ----

check_status 'files of two records' 4 resultwrite -o out --run-name two --max-file-items=2 <ran
same 'are numbered' 'FAILED_0.json SUCCEED_0.json SUCCEED_1.json' "$(names out/two/manifest.json)"
same 'each is whole' "[$(seven r 0 '{\"k\":0}' 0 Succeeded),$(seven r 2 '{\"k\":2}' 2 Succeeded)]" \
    "$(cat out/two/SUCCEED_0.json)"
same 'the last one too' "[$(seven r 4 '{\"k\":4}' 4 Succeeded)]" "$(cat out/two/SUCCEED_1.json)"
one=$(seven r 0 '{\"k\":0}' 0 Succeeded)
size=$((2 * ${#one} + 3))
check_status 'files of so many bytes' 0 resultwrite -o out --run-name exact --max-file-bytes=$size <fine
same 'two records just fit' "$size $((${#one} + 2))" \
    "$(wc -c <out/exact/SUCCEED_0.json) $(wc -c <out/exact/SUCCEED_1.json)"
check_status 'one byte less' 0 resultwrite -o out --run-name less --max-file-bytes=$((size - 1)) <fine
same 'they do not' 'SUCCEED_0.json SUCCEED_1.json SUCCEED_2.json' "$(names out/less/manifest.json)"
check_status 'less than a record' 0 resultwrite -o out --run-name tiny --max-file-bytes=1 <fine
same 'a record is never cut' 'SUCCEED_0.json SUCCEED_1.json SUCCEED_2.json' \
    "$(names out/tiny/manifest.json)"
line=$(sed -n 1p fine)
check_status 'lines have no brackets' 0 resultwrite -o out --run-name lines --records=full \
    --type=jsonl --max-file-bytes=$((2 * (${#line} + 1))) <fine
check_file 'two lines just fit' out/lines/SUCCEED_0.jsonl "$(sed -n 1,2p fine)"
check_file 'the third is in the next file' out/lines/SUCCEED_1.jsonl "$(sed -n 3p fine)"

check_err 'a failure after the first files' 1 'cannot write|File too large' \
    sh -c 'trap "" XFSZ; ulimit -f 1; { cat fine; sed "s/\"k\":0/\"k\":\"$(printf %02000d 0)\"/; s/r:0/r:9/; s/Index\":0/Index\":9/" fine | sed -n 1p; } |
        resultwrite -o out --run-name cut --max-file-items=1'
ok 'leaves none of them' test ! -e out/cut

mkdir -p out/left && touch out/left/SUCCEED_0.json out/left/SUCCEED_7.json out/left/FAILED_0.jsonl \
    out/left/notes.json out/left/SUCCEED_x.json
check_status 'a folder that a killed run has left' 0 resultwrite -o out --run-name left <fine
same 'result files that are not in the manifest go' 'SUCCEED_0.json SUCCEED_x.json manifest.json notes.json' \
    "$(cd out/left && echo *)"

# ---- forms ----

{
    rec t 0 1 '[1,[2],"a"]' Succeeded
    rec t 1 2 '[]' Succeeded
    rec t 2 3 '{"n":[3]}' Succeeded
    rec t 3 4 "$failed" Failed
} >lists
check_status 'outputs alone' 4 resultwrite -o out --run-name compact --transform=compact <lists
same 'as real JSON' '[[1,[2],"a"],[],{"n":[3]}]' "$(cat out/compact/SUCCEED_0.json)"
same 'what failed stays a record' "[$(seven t 3 4 '{\"ErrorCode\":\"ExitCode.3\"}' Failed)]" \
    "$(cat out/compact/FAILED_0.json)"
check_status 'arrays flattened' 4 resultwrite -o out --run-name flat --transform=flatten <lists
same 'by one level' '[1,[2],"a",{"n":[3]}]' "$(cat out/flat/SUCCEED_0.json)"
check_status 'as lines' 4 \
    resultwrite -o out --run-name flatl --transform=flatten --type=jsonl --records=full <lists
check_file 'an element a line' out/flatl/SUCCEED_0.jsonl '1
[2]
"a"
{"n":[3]}'
check_file 'with the record of what failed' out/flatl/FAILED_0.jsonl "$(sed -n 4p lists)"
check_status 'nothing but empty arrays' 0 sh -c 'sed -n 2p lists |
    resultwrite -o out --run-name empty --transform=flatten'
same 'no file at all' '{"DestinationBucket":"out","MapRunName":"empty","ResultFiles":{"FAILED":[],"SUCCEED":[]}}' \
    "$(cat out/empty/manifest.json)"
check 'the output of a Map state can be flattened too' 4 \
    "{\"Items\":[1,[2],\"a\",{\"n\":[3]},$failed]}" resultwrite --transform=flatten <lists
check 'as lines, in item order' 4 "1
[2]
\"a\"
{\"n\":[3]}
$failed" sh -c 'sort -r lists | resultwrite --transform=flatten --wrap=lines'
check 'an end mark counts these' 4 '1
[2]
"a"
{"n":[3]}
{"ErrorCode":"ExitCode.3"}
{"fanline.end":{"status":4,"items":5,"rejected":0}}' \
    sh -c '{ cat lists; echo "{\"fanline.end\":{\"status\":0,\"items\":4,\"rejected\":0}}"; } |
        resultwrite --transform=flatten --wrap=lines --end-mark'
check 'or be whole records' 4 "[$(paste -sd, lists)]" \
    resultwrite --transform=none --records=full --wrap=array <lists
for option in --type=json --max-file-bytes=1k --max-file-items=1 --append-run --records=full; do
    check_err "$option without -o" 2 'no effect without --output' resultwrite "$option" <fine
done
check_err 'an unknown transformation' 2 'none, compact or flatten|transform' resultwrite --transform=flat

# ---- as AWS has it: reference/distributed-map.md 2.8 ----

cat >aws <<'END'
{"ExecutionName":"u:0","FlowName":"M/L","Index":0,"Input":{"in":1},"Output":"w","Status":"Succeeded","StartedTime":"T1","StoppedTime":"T2","Attempts":1,"ItemCount":1}
{"ExecutionName":"u:1","FlowName":"M/L","Index":1,"Input":"w","Output":{"ErrorCode":"E"},"Status":"Failed","StartedTime":"T1","StoppedTime":"T2","Attempts":1,"ItemCount":1,"ErrorCode":"E","Cause":"why"}
{"ExecutionName":"u:2","FlowName":"M/L","Index":2,"Input":2,"Output":null,"Status":"Pending","StartedTime":"T1","StoppedTime":"T2","Attempts":0,"ItemCount":1}
END
check 'the output names the run by its ARN' 4 '{"MapRunArn":"arn:aws:states:::mapRun:M/L:u","ResultWriterDetails":{"Bucket":"out","Key":"u/manifest.json"}}' \
    resultwrite -o out --records=aws <aws
succeeded='{"ExecutionArn":"arn:aws:states:::execution:M/L:u:0","Input":"{\"in\":1}","InputDetails":{"Included":true},"Name":"u:0","Output":"\"w\"","OutputDetails":{"Included":true},"RedriveCount":0,"RedriveStatus":"NOT_REDRIVABLE","RedriveStatusReason":"Execution is SUCCEEDED and cannot be redriven","StartDate":"T1","StateMachineArn":"arn:aws:states:::stateMachine:M/L","Status":"SUCCEEDED","StopDate":"T2"}'
failed_one='{"Cause":"why","Error":"E","ExecutionArn":"arn:aws:states:::execution:M/L:u:1","Input":"\"w\"","InputDetails":{"Included":true},"Name":"u:1","RedriveCount":0,"RedriveStatus":"REDRIVABLE_BY_MAP_RUN","StartDate":"T1","StateMachineArn":"arn:aws:states:::stateMachine:M/L","Status":"FAILED","StopDate":"T2"}'
pending='{"ExecutionArn":"arn:aws:states:::execution:M/L:u:2","Input":"2","InputDetails":{"Included":true},"Name":"u:2","RedriveCount":0,"RedriveStatus":"REDRIVABLE_BY_MAP_RUN","StateMachineArn":"arn:aws:states:::stateMachine:M/L","Status":"PENDING"}'
same 'records of what succeeded' "[$succeeded]" "$(cat out/u/SUCCEEDED_0.json)"
same 'of what failed, with Error and Cause in the place of Output' "[$failed_one]" \
    "$(cat out/u/FAILED_0.json)"
same 'of what never ran' "[$pending]" "$(cat out/u/PENDING_0.json)"
same 'the manifest' "{\"DestinationBucket\":\"out\",\"MapRunArn\":\"arn:aws:states:::mapRun:M/L:u\",\"ResultFiles\":{\"FAILED\":[{\"Key\":\"u/FAILED_0.json\",\"Size\":$((${#failed_one} + 2))}],\"PENDING\":[{\"Key\":\"u/PENDING_0.json\",\"Size\":$((${#pending} + 2))}],\"SUCCEEDED\":[{\"Key\":\"u/SUCCEEDED_0.json\",\"Size\":$((${#succeeded} + 2))}]}}" \
    "$(cat out/u/manifest.json)"
check 'mapsplit reads it' 0 '"w"
2' mapsplit -f results out/u/manifest.json
check_status 'outputs alone, as lines' 4 resultwrite -o out --run-name al --records=aws \
    --transform=compact --type=jsonl <aws
check_file 'the outputs' out/al/SUCCEEDED_0.jsonl '"w"'
check_file 'what failed stays a record' out/al/FAILED_0.jsonl "$failed_one"
check_status 'nothing' 0 resultwrite -o out --run-name an --records=aws
same 'all lists are there' '{"DestinationBucket":"out","MapRunArn":"arn:aws:states:::mapRun::an","ResultFiles":{"FAILED":[],"PENDING":[],"SUCCEEDED":[]}}' \
    "$(cat out/an/manifest.json)"
check_err 'they cannot be added to' 2 'append-run has no place for --records=aws' \
    resultwrite -o out --run-name u --records=aws --append-run
check_err 'also where the form is not said' 1 'the form of AWS, which is only written' \
    sh -c 'resultwrite -o out --run-name u --append-run <fine'
check_err 'nor re-driven' 1 'the form of AWS, which is only written' \
    sh -c 'resultwrite --redrive=out/u/manifest.json <fine'
mkdir -p out/swept && touch out/swept/SUCCEEDED_0.json out/swept/notes.json
check_status 'what a killed attempt left' 0 resultwrite -o out --run-name swept <fine
ok 'goes away, whatever its form' test ! -e out/swept/SUCCEEDED_0.json -a -e out/swept/notes.json

# ---- adding ----

check 'adding to nothing is as any run' 0 \
    '{"MapRunName":"add","ResultWriterDetails":{"Bucket":"out","Key":"add/manifest.json"}}' \
    resultwrite -o out --run-name add --append-run --records=full <fine
{
    rec r 6 6 6 Succeeded
    rec r 7 7 "$failed" Failed
} >added
check 'what comes is added' 0 \
    '{"MapRunName":"add","ResultWriterDetails":{"Bucket":"out","Key":"add/manifest.json"}}' \
    resultwrite -o out --run-name add --append-run --expect=5 --tolerated-failure-percentage=20 <added
same 'to further files' 'FAILED_0.json SUCCEED_0.json SUCCEED_1.json' "$(names out/add/manifest.json)"
same 'of the form that the run has' "[$(sed -n 1p added)]" "$(cat out/add/SUCCEED_1.json)"
same 'and the first stay' "[$(paste -sd, fine)]" "$(cat out/add/SUCCEED_0.json)"
before=$(cat out/add/manifest.json)
check_err 'what was there comes again' 1 'the execution "r:7" \(Index 7\) came before' \
    resultwrite -o out --run-name add --append-run --tolerated-failure-percentage=20 <added
same 'and is not added twice' "$before" "$(cat out/add/manifest.json)"
check_err 'fewer items than expected in all' 1 '6 items were expected, 5 came' \
    resultwrite -o out --run-name add --append-run --expect=6 </dev/null
same 'leaves all as it was' "$before" "$(cat out/add/manifest.json)"
check_err 'another form' 2 'records=cloudflow has no place among the records in out/add' \
    resultwrite -o out --run-name add --append-run --records=cloudflow <added
check_err 'another type' 2 'type=jsonl has no place' \
    resultwrite -o out --run-name add --append-run --type=jsonl <added
check_err 'outputs cannot be added' 2 'needs whole records' \
    resultwrite -o out --run-name add --append-run --transform=compact <added
check_err 'nor to outputs' 1 'SUCCEED_0.json: record 1: not a record' \
    resultwrite -o out --run-name compact --append-run <added
printf ' ' >>out/two/SUCCEED_1.json
check_err 'a file that was changed' 1 'SUCCEED_1.json has [0-9]+ bytes, the manifest says [0-9]+' \
    resultwrite -o out --run-name two --append-run <added
same 'nothing was added there' 'FAILED_0.json SUCCEED_0.json SUCCEED_1.json manifest.json' \
    "$(cd out/two && echo *)"

# ---- re-driving ----

check_status 'a first run' 4 resultwrite -o out --run-name r <first
cp -r out/r out/full-from
{
    rec s 1 '{"k":1}' '"late"' Succeeded
    rec s 0 '{"k":1}' "$failed" Failed ',"ErrorCode":"ExitCode.3"'
    rec s 2 '{"k":5}' 5 Succeeded
} >second
check_err 'a second run over what did not succeed' 4 '^resultwrite: 1 of 6 executions failed' \
    resultwrite --redrive=out/r/manifest.json --expect=6 --summary=sum <second
same 'in the same place' 'FAILED_1.json SUCCEED_0.json SUCCEED_1.json manifest.json' \
    "$(cd out/r && echo *)"
same 'what succeeded before stays in its file' \
    "[$(seven r 0 '{\"k\":0}' 0 Succeeded),$(seven r 2 '{\"k\":2}' 2 Succeeded),$(seven r 4 '{\"k\":4}' 4 Succeeded)]" \
    "$(cat out/r/SUCCEED_0.json)"
same 'what succeeds now moves, with the name that it had' \
    "[$(seven r 1 '{\"k\":1}' '\"late\"' Succeeded 1),$(seven r 5 '{\"k\":5}' 5 Succeeded 2)]" \
    "$(cat out/r/SUCCEED_1.json)"
same 'what fails again is told as it failed now' \
    "[$(seven r 3 '{\"k\":1}' '{\"ErrorCode\":\"ExitCode.3\"}' Failed 0)]" "$(cat out/r/FAILED_1.json)"
same 'the manifest counts the re-drives' \
    "{\"DestinationBucket\":\"out\",\"MapRunName\":\"r\",\"ResultFiles\":{\"FAILED\":[{\"ObjectName\":\"r/FAILED_1.json\",\"Size\":$(wc -c <out/r/FAILED_1.json)}],\"SUCCEED\":[{\"ObjectName\":\"r/SUCCEED_0.json\",\"Size\":$(wc -c <out/r/SUCCEED_0.json)},{\"ObjectName\":\"r/SUCCEED_1.json\",\"Size\":$(wc -c <out/r/SUCCEED_1.json)}]},\"RedriveCount\":1}" \
    "$(cat out/r/manifest.json)"
has()
{
    grep -Fq -e "$2" "$1"
}
ok 'counts add up in the summary' has sum '"executionCounts":{"succeeded":5,"failed":1,"timedOut":0,"aborted":0,"pending":0,"total":6,"resultsWritten":6}'
ok 'which counts the re-drives too' has sum '"redriveCount":1'

before=$(cat out/r/manifest.json)
check_err 'a record that belongs to nothing' 1 'Input is none of those that did not succeed in out/r/manifest.json' \
    resultwrite --redrive=out/r/manifest.json <fine
same 'changes nothing' "$before" "$(cat out/r/manifest.json)"
rec t 0 '{"k":1}' 1 Succeeded >third
{
    cat third
    rec t 1 '{"k":1}' 2 Succeeded
} >twice
check_status 'nor one for which no place is left' 1 \
    resultwrite --redrive=out/r/manifest.json --rejects=none -o out --run-name once <twice
same 'it is rejected' "$(sed -n 2p twice)" "$(cat none)"
rec t 0 '{"k":1}' null Pending >never
check_status 'what did not run again stays what it was' 4 \
    resultwrite --redrive=out/r/manifest.json -o out --run-name still <never
same 'and is not counted as a re-drive' \
    "[$(seven r 3 '{\"k\":1}' '{\"ErrorCode\":\"ExitCode.3\"}' Failed 0)] 1" \
    "$(cat out/still/FAILED_0.json) $(sed 's/.*RedriveCount"://; s/}//' out/still/manifest.json)"

check 'a third run, into another folder, in another form' 0 \
    '{"MapRunName":"r","ResultWriterDetails":{"Bucket":"new","Key":"r/manifest.json"}}' \
    resultwrite --redrive=out/r/manifest.json -o new --records=full --type=jsonl <third
check_file 'has all, with what is known of it' new/r/SUCCEED_0.jsonl \
    "$(for i in 0 2 4; do rec r $i "{\"k\":$i}" $i Succeeded | sed 's/"Attempts":1,//'; done)
$(rec r 1 '{"k":1}' '"late"' Succeeded | sed 's/"Attempts":1,//')
$(rec r 5 '{"k":5}' 5 Succeeded | sed 's/"Attempts":1,//; s/:04:05/:04:02/; s/:04:06/:04:03/')
$(rec r 3 '{"k":1}' 1 Succeeded ',"RedriveCount":1' | sed 's/:04:03/:04:00/; s/:04:04/:04:01/')"
same 'the first place is as it was' "$before" "$(cat out/r/manifest.json)"
check_err 'a run that is there' 1 'the results of the run r are there already: new/r' \
    resultwrite --redrive=out/r/manifest.json -o new <third

resultwrite -o full --run-name f --records=full --max-file-items=1 <first >/dev/null 2>&1
check_status 'records with all members' 4 resultwrite --redrive=full/f/manifest.json -o full <second
same 'files of single records' 'FAILED_2.json SUCCEED_0.json SUCCEED_1.json SUCCEED_2.json SUCCEED_3.json' \
    "$(names full/f/manifest.json)"
check_status 'are re-driven twice' 0 resultwrite --redrive=full/f/manifest.json <third
same 'and count it' "[$(rec r 3 '{"k":1}' 1 Succeeded ',"RedriveCount":2' | sed 's/:04:03/:04:00/; s/:04:04/:04:01/')]" \
    "$(cat full/f/SUCCEED_4.json)"
same 'as the manifest does' '"RedriveCount":2}' "$(sed 's/.*\("Red.*\)/\1/' full/f/manifest.json)"

# the same Input many times: each taken once, in order, one with the same Index first
i=0
while [ $i -lt 6 ]; do
    rec m $i '"same"' "$failed" Failed
    i=$((i + 1))
done >many
resultwrite -o out --run-name m --records=full <many >/dev/null 2>&1
{
    rec n 9 '"same"' '"a"' Succeeded
    rec n 4 '"same"' '"b"' Succeeded
    rec n 0 '"same"' '"c"' Succeeded
} >some
check_status 'many of the same Input' 4 resultwrite --redrive=out/m/manifest.json <some
same 'each in its place' 'm:0 "a" m:1 "c" m:4 "b"' \
    "$(sed 's/},{/}\n{/g' out/m/SUCCEED_0.json | sed -n 's/.*"\(m:.\)".*"Output":\("."\).*/\1 \2/p' | paste -sd' ')"
same 'the others failed as before' 'm:2 m:3 m:5' \
    "$(sed 's/},{/}\n{/g' out/m/FAILED_1.json | sed -n 's/.*"\(m:.\)".*/\1/p' | paste -sd' ')"

{
    printf '{"ExecutionName":"b:0","Index":0,"Input":{"BatchInput":null,"Items":[1,2,3]},"Output":null,"Status":"Failed","ItemCount":3}\n'
    printf '{"ExecutionName":"b:1","Index":1,"Input":{"Items":[4],"x":1},"Output":null,"Status":"Failed"}\n'
} >batches
resultwrite -o out --run-name b <batches >/dev/null 2>&1
check_err 'items in batches are known again' 1 '5 items were expected, 4 came, in 2 records' \
    resultwrite --redrive=out/b/manifest.json --expect=5 </dev/null

check_err 'a manifest that is not there' 1 'nowhere/manifest.json: No such file' \
    resultwrite --redrive=nowhere/manifest.json <second
mkdir bad && echo '[]' >bad/manifest.json
check_err 'what is no manifest' 1 'bad/manifest.json is no manifest: it has no text DestinationBucket' \
    resultwrite --redrive=bad/manifest.json <second
for name in ../../secret.json SUCCEED_0.json.bak manifest.json ''; do
    printf '{"DestinationBucket":"x","MapRunName":"y","ResultFiles":{"FAILED":[{"ObjectName":"%s","Size":1}]}}' \
        "$name" >bad/manifest.json
    check_err "a manifest that names '$name'" 1 'a file of FAILED has not its name' \
        resultwrite --redrive=bad/manifest.json <second
done
printf '{"DestinationBucket":"x","MapRunName":"../y","ResultFiles":{}}' >bad/manifest.json
check_err 'a run whose name leads elsewhere' 1 "the run '../y' in bad/manifest.json" \
    resultwrite --redrive=bad/manifest.json -o out <second
check_err 'both ways at once' 2 'exclude each other' \
    resultwrite --redrive=out/r/manifest.json -o out --append-run <second
check_err 'a transformation in place' 2 'transform has no place' \
    resultwrite --redrive=out/r/manifest.json --transform=compact <third
same 'and the run is as it was' "$before" "$(cat out/r/manifest.json)"

# killed on the way: the old manifest, with its files, is still true
mkfifo slow
resultwrite --redrive=out/r/manifest.json --max-file-items=1 <slow &
pid=$!
exec 4>slow
cat third >&4
until_true 5 sh -c "ls -l /proc/$pid/fd | grep -q out/r$" || :
check_err 'nobody else re-drives meanwhile' 75 'another process is writing to out/r' \
    resultwrite --redrive=out/r/manifest.json <third
kill -9 $pid
wait $pid 2>/dev/null
exec 4>&-
same 'kill -9 leaves the run as it was' "$before" "$(cat out/r/manifest.json)"

mkfifo slower
resultwrite -o out --run-name stopped --max-file-items=1 <slower &
pid=$!
exec 4>slower
cat fine >&4
ok 'a run has rolled files' until_true 5 test -s out/stopped/SUCCEED_1.json
kill $pid
wait $pid
same 'TERM ends it by that signal' 143 $?
exec 4>&-
ok 'and nothing is left' test ! -e out/stopped
(cd out/r && resultwrite --redrive=manifest.json --tolerated-failure-count=1 </dev/null) >"$PWD/here"
check_file 'a manifest that is named without its folder' here \
    '{"MapRunName":"r","ResultWriterDetails":{"Bucket":"out","Key":"r/manifest.json"}}'
same 'nothing came, nothing is counted' '"RedriveCount":1}' "$(sed 's/.*\("Red.*\)/\1/' out/r/manifest.json)"

# the whole way round
seq 0 9 >numbers
work='read -r n; [ "$n" -lt "$LIMIT" ] || exit 3; echo "$n"'
LIMIT=4 && export LIMIT
mapsplit -f jsonl numbers | maprun --finish-all --run-name way --shell="$work" |
    resultwrite -o out --expect=10 >/dev/null 2>&1
for LIMIT in 7 10; do
    mapsplit -f results out/way/manifest.json |
        maprun --finish-all --run-name "way-$LIMIT" --shell="$work" |
        resultwrite --redrive=out/way/manifest.json --expect=10 --summary=way.json >/dev/null 2>&1
done
ok 're-driven until all is well' has way.json '"succeeded":10,"failed":0,"timedOut":0,"aborted":0,"pending":0,"total":10'
ok 'twice' has way.json '"redriveCount":2'
same 'each in its place' '0 1 2 3 4 5 6 7 8 9' "$(cat out/way/SUCCEED_*.json | sed 's/},{/}\n{/g; s/\]\[/\n/g' |
    sed -n 's/.*"way:\(.\)".*"Input":"\1","Output":"\1".*/\1/p' | sort | paste -sd' ')"

check_err 'an output of the form of an end mark is no line' 1 'would have the form of an end mark' \
    sh -c 'echo 1 | maprun echo "{\"fanline.end\":{\"status\":0,\"items\":1,\"rejected\":0}}" | resultwrite --wrap=lines'

# ---- summary ----

check 'a summary, as another line' 4 \
    '{"MapRunName":"s","ResultWriterDetails":{"Bucket":"out","Key":"s/manifest.json"}}
{"mapRunName":"s","flowName":"f","status":"FAILED","executionCounts":{"succeeded":3,"failed":1,"timedOut":1,"aborted":0,"pending":1,"total":6,"resultsWritten":5},"itemCounts":{"succeeded":3,"failed":1,"timedOut":1,"aborted":0,"pending":1,"total":6,"resultsWritten":5},"attempts":5,"redriveCount":0,"rejected":0,"startDate":"2026-01-02T03:04:00.000Z","stopDate":"2026-01-02T03:04:05.250Z","wallTimeSeconds":5.25,"throughput":{"executionsPerSecond":0.952,"itemsPerSecond":0.952},"durationSeconds":{"min":1.25,"p50":1.25,"p90":1.25,"p99":1.25,"max":1.25,"exact":true},"failures":[{"errorCode":"ExitCode.3","executions":1,"items":1,"cause":"no such k"},{"errorCode":"Timeout","executions":1,"items":1}]}' \
    resultwrite -o out --run-name s --summary <first
check 'without files, without times, with batches' 0 '[null,null]
{"mapRunName":"b","flowName":"","status":"SUCCEEDED","executionCounts":{"succeeded":0,"failed":2,"timedOut":0,"aborted":0,"pending":0,"total":2,"resultsWritten":2},"itemCounts":{"succeeded":0,"failed":4,"timedOut":0,"aborted":0,"pending":0,"total":4,"resultsWritten":4},"attempts":null,"redriveCount":0,"rejected":0,"startDate":null,"stopDate":null,"wallTimeSeconds":null,"throughput":null,"durationSeconds":null,"failures":[{"errorCode":"Failed","executions":2,"items":4}]}' \
    resultwrite --wrap=array --tolerated-failure-count=2 --summary <batches
check 'nothing at all' 0 '{"Items":[]}
{"mapRunName":"","flowName":"","status":"SUCCEEDED","executionCounts":{"succeeded":0,"failed":0,"timedOut":0,"aborted":0,"pending":0,"total":0,"resultsWritten":0},"itemCounts":{"succeeded":0,"failed":0,"timedOut":0,"aborted":0,"pending":0,"total":0,"resultsWritten":0},"attempts":0,"redriveCount":0,"rejected":0,"startDate":null,"stopDate":null,"wallTimeSeconds":null,"throughput":null,"durationSeconds":null,"failures":[]}' \
    resultwrite --summary </dev/null
# A batch that reports single failures has succeeded; its items count as what they are.
printf '%s\n' '{"Items":[1,2,3,4]}' '{"Items":[5,6]}' |
    maprun -k --run-name=p -- echo '{"ItemFailures":[{"Index":0},{"Index":1}]}' >partly
sed 's/"FailedItems":2/"FailedItems":7/' partly >beyond
for how in 'executions 0 0' 'items 3 4' 'items 4 0'; do
    # shellcheck disable=SC2086
    set -- $how
    check_status "tolerated by $1, $2 of them" "$3" \
        resultwrite --tolerate-by="$1" --tolerated-failure-count="$2" --summary=partly.json <partly
done
ok 'single failures are Failed items of executions that succeeded' grep -q \
    '"executionCounts":{"succeeded":2,"failed":0,.*"itemCounts":{"succeeded":2,"failed":4,"timedOut":0,"aborted":0,"pending":0,"total":6,' partly.json
check_err 'by percent of items' 4 '4 of 6 items failed' \
    resultwrite --tolerate-by=items --tolerated-failure-percentage=66.6 -o out --run-name p <partly
ok '... and the files are written' test -s out/p/SUCCEED_0.json
check_err 'more of them than items are refused' 1 'FailedItems is more than ItemCount' resultwrite <beyond
check_status 'into a file' 4 resultwrite -o out --run-name s2 --summary=s2.json <first
same 'which holds one line' 1 "$(wc -l <s2.json)"
# 100 durations of 1 to 100 ms, backwards: ranks 50, 90 and 99
awk 'BEGIN { for (i = 100; i > 0; i--)
    printf "{\"ExecutionName\":\"q:%d\",\"Input\":1,\"Output\":1,\"Status\":\"Succeeded\",\"StartedTime\":\"2026-01-02T04:04:05+01:00\",\"StoppedTime\":\"2026-01-02T03:04:05.%03dZ\"}\n", i, i % 100 ? i : 100 }' >hundred
check_status 'durations' 0 sh -c 'resultwrite --wrap=lines --summary=q.json <hundred >/dev/null'
ok 'quantiles are those of their ranks' has q.json \
    '"durationSeconds":{"min":0.001,"p50":0.05,"p90":0.09,"p99":0.099,"max":0.1,"exact":true}'
# 100,000 durations of 1 to 100,000 microseconds: within 0.8 %
awk 'BEGIN { for (i = 1; i <= 100000; i++)
    printf "{\"ExecutionName\":\"q:%d\",\"Input\":1,\"Output\":1,\"Status\":\"Succeeded\",\"StartedTime\":\"2026-01-02T03:04:05Z\",\"StoppedTime\":\"2026-01-02T03:04:05.%06dZ\"}\n", i, (i * 7919) % 100000 + 1 }' >spread
resultwrite --wrap=lines --summary=q.json <spread >/dev/null
ok 'many durations: min and max exact, quantiles close' awk -F'[:,}]' '
    { for (i = 1; i < NF; i++) v[$i] = $(i + 1) }
    function near(a, b) { return a > b * 0.992 && a < b * 1.008 }
    END { exit !(v["{\"min\""] == 0.000001 && v["\"max\""] == 0.1 && v["\"exact\""] == "false" &&
                 near(v["\"p50\""], 0.05) && near(v["\"p90\""], 0.09) && near(v["\"p99\""], 0.099)) }' q.json
if command -v script >/dev/null; then
    rec c 0 1 null Failed ',"ErrorCode":"E\u001b[2J\u202e","Cause":"two\nlines"' >hostile
    script -qc 'resultwrite -o out --run-name tty --summary --tolerated-failure-count=1 <hostile' /dev/null |
        tr -d '\r' >screen
    ok 'on a terminal it is a table' grep -Eq '^  failed +1 +1$' screen
    ok 'in which nothing moves the terminal' has screen 'E\u001b[2J\u202e: two\nlines'
else
    skip 'on a terminal it is a table' 'no script'
    skip 'in which nothing moves the terminal' 'no script'
fi
check_err 'a summary that cannot be written' 1 'cannot write no/where' \
    resultwrite -o out --run-name s3 --summary=no/where <fine
ok 'the results are there all the same' test -s out/s3/manifest.json

done_testing
