#!/bin/sh
# maprun: what is tolerated, tried again, caught, and what happens when it is too much.
. "$(dirname "$0")/lib.sh"

# How many records have each Status: "Failed 2 Succeeded 3".
cat >tally.sh <<'END'
sed -E 's/.*"Status":"([A-Za-z]*)".*/\1/' | sort | uniq -c | awk '{ printf "%s%s %s", sep, $2, $1; sep = " " } END { print "" }'
END
# NAME...: these members of each record, as they are.
cat >members.sh <<'END'
jq -c "[$(printf '.%s,' "$@" | sed 's/,$//')]"
END

# ---- items and executions ----

batches='{"Items":[1,2]}
{"Items":[3,4]}
{"Items":[5]}'
fails_first='grep -q "\[1" && exit 1; echo ok'
echo "$batches" >batches
check_status 'a failed batch counts once by executions' 0 \
    sh -c "maprun --tolerated-failure-count=1 --shell '$fails_first' <batches"
check_err 'and with its items by items' 4 '^maprun: 2 of 5 items failed' \
    sh -c "maprun -j1 --tolerate-by=items --finish-all --tolerated-failure-count=1 --shell '$fails_first' <batches"
check_status '... 2 of 5 are 40 %' 0 \
    sh -c "maprun --tolerate-by=items --tolerated-failure-percentage=40 --shell '$fails_first' <batches"
check_status '... and more than 39 %' 4 \
    sh -c "maprun --tolerate-by=items --tolerated-failure-percentage=39 --shell '$fails_first' <batches"
check 'single failures within a batch fail only these' 0 '["Succeeded",2,1,{"ItemFailures":[{"Index":1,"ErrorCode":"E"},{"Index":1}],"n":true}]' \
    sh -c "echo '{\"Items\":[1,2]}' | maprun --tolerate-by=items --tolerated-failure-count=1 \
        echo '{\"ItemFailures\":[{\"Index\":1,\"ErrorCode\":\"E\"}, {\"Index\":1}],\"n\":true}' | sh members.sh Status ItemCount FailedItems Output"
check_err '... which are not tolerated either by default' 4 '1 of 2 items failed' \
    sh -c "echo '{\"Items\":[1,2]}' | maprun --tolerate-by=items echo '{\"ItemFailures\":[{\"Index\":0}]}'"
check_status '... and do not fail the execution' 0 \
    sh -c "echo '{\"Items\":[1,2]}' | maprun echo '{\"ItemFailures\":[{\"Index\":0}]}'"
check 'a failure of no item of the batch is none that can be believed' 0 '["Failed","BadOutput"]' \
    sh -c "echo '{\"Items\":[1,2]}' | maprun --tolerated-failure-count=1 echo '{\"ItemFailures\":[{\"Index\":2}]}' | sh members.sh Status ErrorCode"
check 'what is no batch has no single failures' 0 '["Succeeded",null]' \
    sh -c "echo 1 | maprun echo '{\"ItemFailures\":[{\"Index\":0}]}' | sh members.sh Status FailedItems"

# ---- too many ----

check '--stop=drain lets what runs finish' 0 'Failed 1 Pending 8 Succeeded 1' \
    sh -c 'seq 10 | maprun -j2 --stop=drain --shell "read x; [ \$x != 1 ] || { sleep 0.1; exit 1; }; sleep 0.5" 2>/dev/null | sh tally.sh'
check '--stop=now does not read on' 0 'Aborted 1 Failed 1' \
    timeout 10 sh -c 'mkfifo open; { printf "1\n2\n"; sleep 60 & echo $! >sleeper; wait; } >open & maprun -j2 --stop=now \
    --shell "read x; [ \$x != 1 ] || { sleep 0.2; exit 1; }; sleep 60" 2>/dev/null <open | sh tally.sh; kill $(cat sleeper)'
check_status '... and fails' 4 sh -c 'yes 1 | maprun -j2 --stop=now false'

# ---- tries ----

check 'each rule counts its own tries' 4 '["C",5]' sh -c 'echo 1 | maprun \
    --retry "A:MaxAttempts=2,IntervalSeconds=0" --retry "B:MaxAttempts=2,IntervalSeconds=0" \
    --shell "case \$FANLINE_ATTEMPT in 1|3) c=A ;; 2|4) c=B ;; *) c=C ;; esac; echo {\\\"ErrorCode\\\":\\\"\$c\\\"}; exit 1" >tried
    rc=$?; sh members.sh ErrorCode Attempts <tried; exit $rc'
cat >aws.json <<'END'
{"Retry": [{"ErrorEquals": ["Nope"], "MaxAttempts": 9},
           {"ErrorEquals": ["ExitCode.3", "States.Timeout"], "IntervalSeconds": 0.01, "MaxAttempts": 2,
            "BackoffRate": 1.5, "MaxDelaySeconds": 5, "JitterStrategy": "FULL", "Comment": "x"}]}
END
check '--retry-policy of the States Language' 0 '[3]' sh -c 'echo 1 | maprun --finish-all --tolerated-failure-count=1 \
    --retry-policy=aws.json --shell "exit 3" | sh members.sh Attempts'
check '... with its name for our Timeout' 0 '["Timeout",3]' sh -c 'echo 1 | maprun --tolerated-failure-count=1 --timeout=30ms \
    --retry-policy=aws.json sleep 5 | sh members.sh ErrorCode Attempts'
echo '[{"Errors":["FnF.ALL"],"MaxAttempts":1,"IntervalSeconds":0,"MaxBackoffSeconds":3}]' >cf.json
check '--retry-policy of CloudFlow' 0 '[2]' sh -c 'echo 1 | maprun --tolerated-failure-count=1 \
    --retry-policy=cf.json false | sh members.sh Attempts'
for bad in '{"Retry":5}' '[{"Errors":["A"]}]' '[{"ErrorEquals":[]}]' '[{"ErrorEquals":["A"],"MaxBackoffSeconds":1}]' \
    '[{"ErrorEquals":["A"],"MaxAttempts":-1}]' '[{"ErrorEquals":["A"],"JitterStrategy":"HALF"}]' '[{"ErrorEquals":[1]}]' '[' '[5]'; do
    printf '%s\n' "$bad" >bad.json
    check_err "a policy that is refused: $bad" 2 '^maprun: bad.json' maprun --retry-policy=bad.json true
done
check_err 'a wildcard with a slip of the pen is pointed out' 0 "'State.ALL' is the name of an error" \
    sh -c 'echo 1 | maprun --retry State.ALL:MaxAttempts=1 true'

# ---- fallbacks ----

check 'a fallback gets the error, and its output counts as success' 0 '["Succeeded",{"Error":"ExitCode.4","Cause":"why","Input":{"a":314159265358.10}},"ExitCode.4",1]' \
    sh -c 'echo "{\"a\":314159265358.10}" | maprun --catch "Other=false" --catch "ExitCode.4=cat" --shell "echo why >&2; exit 4" 2>/dev/null |
    sed "s/314159265358[.]10/\"&\"/g" | sh members.sh Status Output Caught Attempts | sed "s/\"\(314159265358[.]10\)\"/\1/g"'
check '... after all tries' 0 '[3,"caught"]' sh -c 'echo 1 | maprun --retry "*:MaxAttempts=2,IntervalSeconds=0" \
    --catch "*=echo caught" false | sh members.sh Attempts Output'
check 'a fallback that fails is the failure' 0 '["Failed","ExitCode.9"]' \
    sh -c 'echo 1 | maprun --tolerated-failure-count=1 --catch "*=exit 9" false | sh members.sh Status ErrorCode'
check 'no fallback for this error' 0 '["Failed","ExitCode.1"]' \
    sh -c 'echo 1 | maprun --tolerated-failure-count=1 --catch "Signal.KILL=true" false | sh members.sh Status ErrorCode'
check_err 'a fallback that is none' 2 "^maprun: --catch: 'x' is not ERRORS=COMMAND" maprun --catch x true

# ---- time ----

check 'a percentage of the median ends what takes far longer' 0 'Succeeded 11 TimedOut 1' \
    timeout 30 sh -c 'seq 12 | maprun -j1 --timeout=200% --tolerated-failure-count=1 --shell \
    "read x; [ \$x != 12 ] || sleep 60" | sh tally.sh'
check '... and nothing before there are ten' 0 'Succeeded 2' timeout 30 sh -c 'seq 2 | maprun -j1 --timeout=100% \
    --shell "read x; [ \$x = 1 ] || sleep 1.3" | sh tally.sh'
check 'no time at all means no limit, as in timeout(1)' 0 '"ready"
"ready"' sh -c 'seq 2 | maprun --emit=output --timeout=0 --heartbeat=0 --shell "sleep 0.05; echo ready"'
check_err 'a timeout that is none' 2 '^maprun: --timeout: ' maprun --timeout=50% true
check 'no sign of life' 0 '["TimedOut","HeartbeatTimeout"]' timeout 20 sh -c 'echo 1 | maprun --heartbeat=200ms \
    --tolerated-failure-count=1 sleep 60 | sh members.sh Status ErrorCode'
check 'signs of life on descriptor 3' 0 '["Succeeded","done"]' timeout 20 sh -c 'echo 1 | maprun --heartbeat=400ms \
    --shell "for i in 1 2 3 4 5 6; do sleep 0.1; echo beat >&3; done; echo done" | sh members.sh Status Output'

# ---- the log ----

check '--log has every attempt' 0 '[0,1,"Failed","ExitCode.1",1,10]
[0,2,"Succeeded",null,0,null]' sh -c 'echo 1 | maprun --log=log --retry "*:IntervalSeconds=0.01" \
    --shell "[ \$FANLINE_ATTEMPT = 2 ]" >/dev/null; sh members.sh Index Attempt Status ErrorCode ExitCode RetryMilliseconds <log'
check '... and is added to' 0 '3' sh -c 'echo 1 | maprun --log=log true >/dev/null; wc -l <log'
check_err 'a log that cannot be opened' 1 'cannot open the log /no/such/log' maprun --log=/no/such/log true
check_err 'a log on a full disk' 1 'cannot write the log' sh -c 'echo 1 | maprun --log=/dev/full true'

# ---- other outputs ----

check '--dry-run writes words for a shell, and runs nothing' 0 "touch 'a b' 1
touch 'it'\\''s' 2" sh -c 'printf "%s\n" "\"a b\"" "\"it'"'"'s\"" | maprun -j2 --dry-run touch {} {%}'
ok '... really' test ! -e 'a b'
check '... that a shell reads as they are' 0 "[x
 \$y]" sh -c 'printf "%s\n" "\"x\\n \$y\"" | maprun --dry-run printf "[%s]\n" {} | bash'
check '--line-buffer passes on whole lines as they come' 0 'a1
a2
b' timeout 10 sh -c 'printf "%s\n" "\"a\"" "\"b\"" | maprun -j2 --line-buffer sh -c "[ \$1 = a ] && { printf a; sleep 0.1; echo 1; echo a2; } || { sleep 0.5; printf b; }" sh {}'
check '... with the item before each' 0 'a b	1
a b	2' sh -c 'echo "\"a b\"" | maprun --line-buffer --tag --shell "echo 1; echo 2"'
check_err '... on standard error too' 0 '^7	oops$' sh -c 'echo 7 | maprun --line-buffer --tag --shell "echo oops >&2"'
check '... a line of 3 MB' 0 '3000001' sh -c 'echo 1 | maprun --line-buffer --shell "head -c 3000000 /dev/zero | tr \"\\0\" x" | wc -c'
check_status '... and failures still count' 4 sh -c 'echo 1 | maprun --line-buffer false'
check '... more than the pipe holds' 0 '40000000' timeout 60 sh -c 'seq 4 | maprun -j2 --line-buffer --shell "yes 123456789 | head -n 1000000" | { sleep 0.5; wc -c; }'
check_err '--tag alone' 2 'no effect' maprun --tag true
check_err '-v sums up' 0 '^maprun: 3 items: 3 succeeded \(0 of them before\), 0 failed' sh -c 'seq 3 | maprun -v true'

# ---- end marks ----

echo '{"fanline.end":{"status":0,"items":1,"rejected":0}}' >mark
sed 's/:/ : /g' mark >loose
check 'an output of the form of an end mark fails where it would be an item' 0 '{"ErrorCode":"BadOutput"}
{"ErrorCode":"BadOutput"}
{"fanline.end":1}' sh -c "printf '%s\n' mark loose not | sed 's/.*/\"&\"/' |
    maprun -k --tolerated-failure-count=2 --emit=output sh -c '[ \$1 = not ] && echo {\\\"fanline.end\\\":1} || cat \$1' sh {}"
check 'the same of workers' 0 '{"ErrorCode":"BadOutput"}
1' sh -c "seq 2 | maprun -k --worker=lines -j1 --tolerated-failure-count=1 --emit=output \
    sh -c 'read x; cat mark; read x; echo 1; read x'"
check 'in a record it is a value as any' 0 '"Output":{"fanline.end":{"status":0,"items":1,"rejected":0}}' \
    sh -c 'echo 1 | maprun cat mark | grep -o "\"Output\":{.*}}}*" | sed "s/,.Status.*//"'

done_testing
