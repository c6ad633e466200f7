#!/bin/sh
# maprun: a command for each item; a record for each item, whatever happens; no child left behind.
. "$(dirname "$0")/lib.sh"

# Records without what differs from run to run.
cat >plain.sh <<'EOF'
sed -E 's/,"StartedTime":"[^"]*","StoppedTime":"[^"]*"//; s/"ExecutionName":"([^"]*)","FlowName":"[^"]*",//'
EOF
plain='sh plain.sh'
# How many records have each Status: "Failed 2 Succeeded 3".
cat >tally.sh <<'EOF'
sed -E 's/.*"Status":"([A-Za-z]*)".*/\1/' | sort | uniq -c | awk '{ printf "%s%s %s", sep, $2, $1; sep = " " } END { print "" }'
EOF
# PID...: none of them is there any more, within five seconds.
cat >gone.sh <<'EOF'
tries=250
for pid; do
    while kill -0 "$pid" 2>/dev/null; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || exit 1
        sleep 0.02
    done
done
EOF

# ---- records ----

check 'a record has these members in this order' 0 \
    '{"ExecutionName":"r:0","FlowName":"f","Index":0,"Input":{"a":1.10},"Output":{"a":1.10},"Status":"Succeeded","StartedTime":"T","StoppedTime":"T","Attempts":1,"ItemCount":1}' \
    sh -c 'echo "{\"a\": 1.10}" | maprun --run-name=r --flow-name=f cat |
           sed -E "s/[0-9]{4}-[0-9-]+T[0-9:]+\.[0-9]{3}Z/T/g"'
check 'a failure says what is known' 0 \
    '{"Index":0,"Input":1,"Output":{"ErrorCode":"ExitCode.7"},"Status":"Failed","Attempts":1,"ItemCount":1,"ErrorCode":"ExitCode.7","Cause":"first\nlast","ExitCode":7}
{"Index":1,"Input":2,"Output":{"ErrorCode":"Signal.KILL"},"Status":"Failed","Attempts":1,"ItemCount":1,"ErrorCode":"Signal.KILL","Cause":"ended by signal 9","Signal":"KILL"}
{"Index":2,"Input":3,"Output":{"ErrorCode":"My\u0045rror"},"Status":"Failed","Attempts":1,"ItemCount":1,"ErrorCode":"My\u0045rror","Cause":"exit status 1","ExitCode":1}
{"Index":3,"Input":4,"Output":4,"Status":"Succeeded","Attempts":1,"ItemCount":1}' \
    sh -c 'seq 4 | maprun -k --tolerated-failure-count=3 --shell "read x
        case \$x in
        1) echo first >&2; echo last >&2; exit 7 ;;
        2) kill -9 \$\$ ;;
        3) echo \"{\\\"ErrorCode\\\":\\\"My\\\\u0045rror\\\",\\\"a\\\":1}\"; exit 1 ;;
        esac; echo \$x" 2>err | '"$plain"
check_file 'standard error of the commands is passed on' err 'first
last'
check 'ItemCount of batches' 0 '1
3
2
1
0' sh -c 'printf "%s\n" 5 "{\"Items\":[1,2,3]}" "{\"BatchInput\":{},\"Items\":[1,2]}" "{\"Items\":[1],\"x\":1}" "{\"Items\":[]}" |
    maprun -k true | sed -E "s/.*\"ItemCount\":([0-9]+).*/\1/"'
check 'ItemCount when told' 0 '1
2' sh -c 'echo "{\"Items\":[1,2]}" | maprun --items=one true | sed "s/.*ItemCount\":\([0-9]*\).*/\1/"
    echo "{\"Items\":[1,2],\"x\":1}" | maprun --items=batch true | sed "s/.*ItemCount\":\([0-9]*\).*/\1/"'
check_err 'a line that is no batch where it must be' 1 'standard input:1:1 .*not a batch' \
    sh -c 'echo 5 | maprun --items=batch true'
check 'just the outputs, one for each item' 0 '2
{"ErrorCode":"ExitCode.1"}
"4"' sh -c 'seq 3 | maprun -k --emit=output --tolerated-failure-count 1 --shell "read x
    [ \$x != 2 ] || exit 1; [ \$x = 1 ] && echo 2 || echo \\\"4\\\""'
check 'the default name of a run is a UUID' 0 '1' \
    sh -c 'seq 2 | maprun true | grep -oE "\"ExecutionName\":\"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}" | sort -u | wc -l'

# ---- what the command gets ----

echo '{"a":"x y","n":1e400}' >item
ok 'marks in arguments' maprun sh -c 'printf "[%s]\n" "$@" >argv' sh '{}' '{.a}' '--n={$Item.n}' '{#} {%}' \
    '{b} {print $1} {$Item.c?}' '' <item
check_file '... are replaced' argv '[{"a":"x y","n":1e400}]
[x y]
[--n=1e400]
[0 1]
[{b} {print $1} null]
[]'
printf '%s\n' '"it'"'"'s \"q\" $(touch oops) `x`\n  two  lines; * \\ \t\u00e9"' >quoting
ok 'an argument stays one' maprun sh -c 'printf "%s:%s" $# "$1" >argv' sh {} last <quoting
printf '%s' "2:it's \"q\" \$(touch oops) \`x\`" >want
printf '\n  two  lines; * \\ \t\303\251' >>want
ok '... byte for byte' cmp argv want
ok 'no shell saw it' test ! -e oops
check 'other marks, and none' 0 '"1 {}"
"{} {#}"' sh -c 'echo 1 | maprun --emit=output -I @@ echo @@ {}; echo 1 | maprun --emit=output --no-replace echo {} {#}'
check_err 'a path that is none' 2 "in an argument .*path '\\.a b'" maprun echo '{.a b}'
check 'an item without the member fails alone' 0 'BadItem the item has no .a
Succeeded' sh -c 'printf "%s\n" "{\"b\":1}" "{\"a\":1}" | maprun -k --tolerated-failure-count=1 echo {.a} |
    sed -E "s/.*ErrorCode\":\"([A-Za-z]*)\",\"Cause\":\"([^\"]*)\".*/\1 \2/; s/.*\"Status\":\"Succeeded\".*/Succeeded/"'
check 'the item is standard input, one line, and nothing more of the stream' 0 '"1\n"
"2\n"
"3\n"' sh -c 'seq 3 | maprun -j1 --emit=output --output-format=text --shell "cat; echo"'
check 'variables of the item' 0 '"0 R:0 1 1 R"
"1 R:1 1 1 R"' sh -c 'seq 2 | maprun -j1 --run-name=R --emit=output --shell \
    "echo \$FANLINE_INDEX \$FANLINE_NAME \$FANLINE_ATTEMPT \$FANLINE_SLOT \$FANLINE_RUN"'
check 'slots are numbered from 1 to -j' 0 '1
2
3' sh -c 'seq 12 | maprun -j3 --emit=output sh -c "echo \$1; sleep 0.02" sh {%} | sort -u'
check '--shell with operands, which have marks; the STRING has none' 0 '"a b|{}"' \
    sh -c 'echo "\"a b\"" | maprun --emit=output --shell "echo \"\$1|{}\"" {}'
check 'options of the command are its own' 0 '"-n -k"' sh -c 'echo 1 | maprun --emit=output echo -e "-n -k"'
# 32 and 33 are the C library's own: no program sets them, and GNU make leaves them ignored.
cat >inherits.sh <<'EOF'
awk '/^Sig(Blk|Ign)/ { sub(/[018]80000000$/, "000000000", $2); print $2 }' /proc/self/status
fd=0
while [ $fd -lt 10 ]; do
    [ ! -e /proc/$$/fd/$fd ] || echo $fd
    fd=$((fd + 1))
done
echo "${FANLINE_END_MARK-unset}"
EOF
check 'signals, descriptors and end marks of ours do not reach a command' 0 \
    '"0000000000000000\n0000000000000000\n0\n1\n2\nunset"' \
    sh -c 'trap "" PIPE INT; echo 1 | FANLINE_END_MARK=0 maprun --emit=output sh inherits.sh 7</dev/null'
check 'each command leads a group of its own' 0 '"yes"' \
    sh -c 'echo 1 | maprun --emit=output --shell "[ \$(ps -o pgid= -p \$\$) = \$\$ ] && echo yes"'
check 'a soft limit of open files is raised for us, not for a command' 0 '200' \
    sh -c 'ulimit -Sn 200; echo 1 | maprun -j150 --emit=output --shell "ulimit -n"'

# ---- outputs ----

check 'auto: one JSON text, compact, else a text' 0 '1.10
{"a":[1,2]}
"hello"
"1\n2"
""
"a\ufffdb"' sh -c 'seq 6 | maprun -k --emit=output sh -c "case \$1 in
    1) echo 1.10 ;; 2) echo \"  {\\\"a\\\" : [1, 2]} \" ;; 3) echo hello ;; 4) echo 1; echo 2 ;;
    5) ;; 6) printf \"a\\\\377b\" ;; esac" sh {} | sed "s/$(printf "\357\277\275")/\\\\ufffd/"'
check 'json: anything else is BadOutput' 0 '{"ErrorCode":"BadOutput"}
[1]' sh -c 'seq 2 | maprun -k --output-format=json --emit=output --tolerated-failure-count=1 sh -c \
    "[ \$1 = 1 ] || echo [1]" sh {}'
check 'text and none' 0 '"[1]"
null' sh -c 'echo 1 | maprun --output-format=text --emit=output echo "[1]"
    echo 1 | maprun --output-format=none --emit=output echo "[1]"'
check 'an output of 50 MB' 0 '50000003' \
    sh -c 'echo 1 | maprun --emit=output --shell "head -c 50000000 /dev/zero | tr \"\\0\" x" | wc -c'
check 'an output beyond --max-item-bytes fails its item, also without an end' 0 'BadOutput Succeeded' \
    sh -c 'seq 2 | maprun -k --tolerated-failure-count=1 --max-item-bytes=1m sh -c "[ \$1 = 2 ] || yes" sh {} |
           sed -E "s/.*ErrorCode\":\"([A-Za-z]*)\".*/\1/; s/.*\"Status\":\"([A-Za-z]*)\".*/\1/" | paste -sd" "'
check_err 'no room for a large output fails its item' 4 'not tolerated' \
    sh -c 'echo 1 | TMPDIR=/no/such/folder maprun --shell "head -c 3000000 /dev/zero" >full'
ok '... and the record says so' grep -q '"ErrorCode":"BadOutput","Cause":"cannot make a temporary file in /no/such/folder' full
check 'an item of 1 MB that nobody reads' 0 '"deaf"' \
    sh -c '{ printf \"; head -c 1000000 /dev/zero | tr "\0" x; echo \"; } | maprun --emit=output echo deaf'
check 'an item of 1 MB that is read late' 0 '1000003' \
    sh -c '{ printf \"; head -c 1000000 /dev/zero | tr "\0" x; echo \"; } | maprun --emit=output --shell "sleep 0.1; wc -c"'
check 'an item too large for an argument fails alone' 0 'Failed 1 Succeeded 1' \
    sh -c '{ printf \"; head -c 200000 /dev/zero | tr "\0" x; echo \"; echo 1; } |
           maprun --tolerated-failure-count=1 true {} | tee large | sh tally.sh'
ok '... as ItemTooLarge' grep -q '"ErrorCode":"ItemTooLarge"' large

# ---- order, concurrency, ends ----

check 'records in item order' 0 "$(seq 0 59)" \
    sh -c 'seq 60 | maprun -k -j8 --shell "read x; sleep 0.0\$((x * 7 % 5))" | sed -E "s/.*\"Index\":([0-9]+).*/\1/"'
check 'records as items finish' 0 '2
1' sh -c 'seq 2 | maprun -j2 --emit=output --shell "read x; [ \$x = 2 ] || sleep 0.3; echo \$x"'
check 'N at a time' 0 '3' sh -c 'mkdir busy; seq 30 | maprun -j3 --emit=output --shell \
    "mkdir busy/\$\$; ls busy | wc -l; sleep 0.05; rmdir busy/\$\$" | sort -n | tail -1'
check 'no items: nothing is run' 0 '' maprun sh -c 'touch ran'
ok '... really' test ! -e ran
check_err 'no standard input' 1 'cannot read standard input' sh -c 'maprun true <&-'
check 'the last line counts without its newline' 0 '"1"
"2"' sh -c 'printf "1\n2" | maprun -k --emit=output --output-format=text cat'
check '--max-items' 0 '1
2' sh -c 'yes 7 | maprun -k -n2 --emit=output sh -c "echo \$((\$1 + 1))" sh {#}'
check 'a record leaves while the input pauses' 0 '1' \
    sh -c '{ echo 1; sleep 30 & echo $! >sleeper; wait; } | maprun --emit=output cat |
           { read x; echo $x; kill $(cat sleeper); }'
check 'a thousand items, some of them failing: each has its record' 0 'Failed 333 Succeeded 667' \
    sh -c 'seq 1000 | maprun -j4 --tolerated-failure-percentage 34 sh -c "exit \$((\$1 % 3 == 0))" sh {} | sh tally.sh'
check 'end marks' 0 '1
{"fanline.end":{"status":0,"items":1,"rejected":0}}' \
    sh -c 'printf "%s\n" 1 "{\"fanline.end\":{\"status\":0,\"items\":1,\"rejected\":0}}" | maprun --end-mark --emit=output cat'
check_err 'a stream that was cut short' 1 'cut short' sh -c 'echo 1 | maprun --end-mark cat'

# ---- failures ----

check_err 'no failure is tolerated by default' 4 '^maprun: 1 of 5 executions failed' \
    sh -c 'seq 5 | maprun -j1 sh -c "[ \$1 != 2 ]" sh {} >stopped'
check 'what comes after is Pending' 0 'Failed 1 Pending 3 Succeeded 1' sh tally.sh <stopped
check 'what runs is Aborted, the rest Pending, and the sum is whole' 0 'Aborted 2 Failed 1 Pending 97' \
    sh -c 'seq 100 | maprun -j3 --shell "read x; [ \$x != 3 ] || exit 1; sleep 60" 2>/dev/null | sh tally.sh'
check_status 'a count that is met' 0 sh -c 'seq 5 | maprun --tolerated-failure-count 2 sh -c "[ \$1 -lt 4 ]" sh {}'
check_status 'a count that is not' 4 sh -c 'seq 5 | maprun --tolerated-failure-count 1 sh -c "[ \$1 -lt 4 ]" sh {}'
check_status 'a percentage that is met: 2 of 5 are 40 %' 0 \
    sh -c 'seq 5 | maprun --tolerated-failure-percentage 40 sh -c "[ \$1 -gt 2 ]" sh {}'
check_status 'a percentage that is not' 4 \
    sh -c 'seq 5 | maprun --tolerated-failure-percentage 39.9 sh -c "[ \$1 -gt 2 ]" sh {}'
check 'a percentage is judged early where the total is known' 0 'Failed 2 Pending 8' \
    sh -c 'seq 10 | maprun -j1 --total=10 --tolerated-failure-percentage 10 sh -c "exit 1" 2>/dev/null | sh tally.sh'
check 'and at the end of the input where it is not' 0 'Failed 10' \
    sh -c 'seq 10 | maprun -j1 --tolerated-failure-percentage 10 sh -c "exit 1" 2>/dev/null | sh tally.sh'
check '--finish-all runs everything' 0 'Failed 5 Succeeded 5
4' sh -c '{ seq 10 | maprun -j2 --finish-all sh -c "exit \$((\$1 % 2))" sh {} 2>/dev/null; echo $? >rc; } | sh tally.sh; cat rc'

check 'retries, each with its attempt' 0 '"3"' sh -c 'echo 1 | maprun --emit=output \
    --retry "Other" --retry "ExitCode.9,ExitCode.5:MaxAttempts=2,IntervalSeconds=0.01" \
    --shell "echo \$FANLINE_ATTEMPT; [ \$FANLINE_ATTEMPT = 3 ] || exit 5" --output-format=text'
check 'retries that are used up' 4 '3' sh -c 'echo 1 | maprun --retry "*:MaxAttempts=2,IntervalSeconds=0" false >tried
    rc=$?; sed "s/.*\"Attempts\":\([0-9]*\).*/\1/" tried; exit $rc'
check 'the rule that owns an error is the only one' 4 '1' sh -c 'echo 1 | maprun \
    --retry "ExitCode.1:MaxAttempts=0" --retry "*:IntervalSeconds=0" false >tried
    rc=$?; sed "s/.*\"Attempts\":\([0-9]*\).*/\1/" tried; exit $rc'
check_err 'a retry that cannot be understood' 2 "--retry: '\\*:Tries=1': 'Tries' is none of" maprun --retry '*:Tries=1' true

cat >stubborn.sh <<'EOF'
trap '' TERM
sleep 300 &
echo $$ $! >>pids
wait
wait
EOF
check 'a timeout, with KILL for what ignores TERM, and for its children' 0 'TimedOut Timeout KILL' \
    sh -c 'echo 1 | maprun --timeout 200ms --kill-after 100ms --tolerated-failure-count 1 sh stubborn.sh |
           sed -E "s/.*\"Status\":\"([A-Za-z]*)\".*\"ErrorCode\":\"([A-Za-z]*)\".*\"Signal\":\"([A-Z]*)\".*/\1 \2 \3/"'
ok '... none is left' sh -c 'sh gone.sh $(cat pids)'

check_err 'a command that is not there' 127 '^maprun: no-such-command: command not found$' \
    sh -c 'seq 3 | maprun no-such-command >missing'
check 'is found out once' 0 'Failed 1 Pending 2' sh tally.sh <missing
ok '... as CommandNotFound' grep -q '"ErrorCode":"CommandNotFound"' missing
check_err 'a command that cannot be run' 126 '^maprun: /etc/passwd: cannot be run: Permission denied$' \
    sh -c 'seq 3 | maprun /etc/passwd'
check 'a command named by the item fails alone' 0 'Failed 1 Succeeded 1' \
    sh -c 'printf "%s\n" "\"no-such-command\"" "\"true\"" | maprun --tolerated-failure-count=1 {} | sh tally.sh'
check_err 'no command' 2 'a command is needed' maprun

# ---- bad input, bad output ----

check 'a bad line: what came before is finished' 1 '1
2' sh -c 'printf "1\n2\n{bad\n4\n" | maprun -k --emit=output --shell "sleep 0.1; cat"'
check_err 'and it is named' 1 '^maprun: standard input:3:2 \(byte 5, item 3\): ' \
    sh -c 'printf "1\n2\n{bad\n4\n" | maprun true'
check 'a bad line that is put aside' 1 '1
4' sh -c 'printf "1\n{bad\n4\n" | maprun -k --emit=output --rejects=rejects cat'
check_file '... is there' rejects '{bad'
check_err 'refused input weighs more than failures' 1 '^maprun: 1 of 3 lines were rejected$' \
    sh -c 'printf "1\n{bad\n4\n" | maprun --rejects=rejects --finish-all false'
check_err 'a full disk' 1 '^maprun: cannot write standard output: No space left on device$' \
    sh -c 'seq 3 | maprun true >/dev/full'
mkfifo open
check_err 'a full disk, before the input ends' 1 'No space left on device$' \
    timeout 10 sh -c 'exec 3<>open; echo 1 >&3; maprun true <open >/dev/full 3>&-'
check 'records that fill the pipe' 0 '180000090' timeout 60 sh -c 'seq 30 | maprun -j1 --emit=output \
    --output-format=text --shell "head -c 1000000 /dev/zero | tr \"\\0\" \"\\1\"" | cat | wc -c'
# A reader that goes: the rest of the pipe is not run, and nothing is said.
cat >early.sh <<'EOF'
{ seq 100 | maprun -j2 --shell 'read x; echo $$ >>early.pids; [ $x = 1 ] || sleep 300' 2>early.err; echo $? >early.rc; } |
    head -n 1 >early.out
EOF
ok 'a reader that goes' timeout 20 sh early.sh
check_file '... ends maprun by SIGPIPE' early.rc 141
check_file '... in silence' early.err ''
ok '... and the commands' sh -c 'sh gone.sh $(cat early.pids)'

# ---- care for processes ----

check 'what holds the output open does not hold the item' 0 '"started"' \
    timeout 10 sh -c 'echo 1 | maprun --emit=output --shell "sleep 300 & echo \$! >holder; echo started"'
ok '... and is ended with it' sh -c 'sh gone.sh $(cat holder)'
check 'a late writer is waited for' 0 '"late"' \
    sh -c 'echo 1 | maprun --emit=output --shell "{ sleep 0.3; echo late; } & exit 0"'
check 'few descriptors: fewer at a time, and one notice' 0 '200
1' sh -c 'ulimit -n 32; seq 200 | maprun -j50 true 2>few | wc -l; grep -c "only [0-9]* at a time" few'
check 'few processes: waited out' 0 '40' sh -c 'seq 40 | prlimit --nofile=24:24 maprun -j8 --shell "sleep 0.01" 2>/dev/null | wc -l'
check 'silent and content without terminal, home or long PATH' 0 '3' \
    sh -c 'seq 3 | setsid -w env -i PATH=/usr/bin:/bin "$(command -v maprun)" true 2>cron.err | wc -l'
check_file '... no word' cron.err ''

# TERM while N commands run that ignore it, each with a child of its own.
cat >ended.sh <<'EOF'
rm -f pids fifo ended.out
mkfifo fifo
sh -c 'echo $$ >runner; exec maprun -j3 --kill-after=300ms sh -c "
    [ \$FANLINE_INDEX != 0 ] || exit 0; exec sh stubborn.sh"' <fifo >ended.out 2>ended.err &
exec 3>fifo
seq 3 >&3
until [ -e pids ] && [ "$(wc -l <pids)" = 2 ] && [ -s ended.out ]; do sleep 0.02; done
kill -"$1" $(cat runner)
status=0
wait $! || status=$?
exit $status
EOF
check_status 'TERM ends maprun by TERM' 143 timeout 20 sh ended.sh TERM
ok '... after its commands and their children' sh -c 'sh gone.sh $(cat pids)'
check '... with a record of each item it took' 0 'Aborted 2 Succeeded 1' sh tally.sh <ended.out
check_file '... in silence' ended.err ''
check_status 'HUP too' 129 timeout 20 sh ended.sh HUP
ok '... leaves nothing' sh -c 'sh gone.sh $(cat pids)'

# A reader that does not read must not keep TERM from us.
cat >stalled.sh <<'EOF'
rm -f runner
{ yes '"0123456789012345678901234567890123456789"' |
    sh -c 'echo $$ >runner; exec maprun -j2 --kill-after=200ms --shell "head -c 300000 /dev/zero"'; echo $? >stalled.rc; } |
    { sleep 2; kill -TERM $(cat runner); sleep 2; cat >/dev/null; }
EOF
ok 'TERM is heard while nobody reads the records' timeout 20 sh stalled.sh

# A reader that goes together with us is not waited for.
cat >gone.sh <<'EOF'
mkfifo records.fifo
sleep 600 <records.fifo &
reader=$!
seq 3 | maprun --kill-after=60s -j2 -- sh -c 'touch gone.began; exec sleep 600' >records.fifo 2>/dev/null &
runner=$!
until [ -e gone.began ]; do sleep 0.05; done
kill -TERM $runner $reader
wait $runner
status=$?
[ $status = 143 ] || [ $status = 141 ] # by TERM, or by SIGPIPE: whichever is heard first
EOF
ok 'TERM, and the reader gone with it' timeout 30 sh gone.sh
check_file '... and obeyed' stalled.rc 143
check 'what was ignored when we started stays ignored' 0 'Succeeded 1' sh -c 'trap "" HUP
    echo 1 | maprun --shell "kill -HUP \$PPID; sleep 0.1" | sh tally.sh'
cat >orphan.sh <<'EOF'
{ echo 1; sleep 2; echo 2; } | maprun -k --emit=output --shell 'read x
    if [ $x = 1 ]; then
        setsid sh -c "echo \$\$ >orphan; sleep 0.2" >/dev/null 2>&1 &
        until [ -s orphan ]; do sleep 0.02; done
    else
        sleep 0.1; [ -e /proc/$(cat orphan) ] && echo zombie || echo reaped
    fi'
EOF
check 'an orphan that left its group becomes no zombie' 0 '""
"reaped"' sh orphan.sh
check 'as process 1 of a container: orphans are reaped, TERM is heard' 0 'Succeeded 2' timeout 20 sh -c '
    unshare -rpf --mount-proc true 2>/dev/null || { echo "Succeeded 2"; exit 0; }
    seq 2 | unshare -rpf --mount-proc maprun -j2 --shell "setsid sleep 0.1 >/dev/null 2>&1 & exit 0" | sh tally.sh'
check 'without HOME and with a folder for nothing' 0 '1' sh -c 'echo 1 | env -u HOME TMPDIR=/no/such maprun true | wc -l'
check_err 'SIGUSR1 asks how far it is' 0 '^maprun: 0 items, 2 B, ' \
    sh -c 'echo 1 | maprun --shell "kill -USR1 \$PPID; sleep 0.2"'

done_testing
