#!/bin/sh
# maprun --worker=lines: commands that stay, and answer a line for a line.
. "$(dirname "$0")/lib.sh"

cat >members.sh <<'END'
jq -c "[$(printf '.%s,' "$@" | sed 's/,$//')]"
END
cat >echo.sh <<'END'
while IFS= read -r line; do printf '%s\n' "$line"; done
END

check 'answers become outputs, in item order' 0 "$(seq 50)" \
    sh -c 'seq 50 | maprun --worker=lines -j3 -k --emit=output sh echo.sh'
check 'several items at a time' 0 "$(seq 500)" \
    sh -c 'seq 500 | maprun --worker=lines -j2 --window=20 -k --emit=output sh echo.sh'
check 'N workers, each started once' 0 '2' \
    sh -c 'seq 20 | maprun --worker=lines -j2 --emit=output sh -c "echo \$\$ >>started; while read x; do sleep 0.02; echo \$x; done" >/dev/null; sort -u started | wc -l'
check 'none where there are no items' 0 '' sh -c 'maprun --worker=lines touch oops </dev/null; ls oops 2>/dev/null; true'
check 'a worker knows its slot and run' 0 '"1 R "' \
    sh -c 'echo 1 | maprun --worker=lines --run-name=R --emit=output sh -c "read x; echo \"\$FANLINE_SLOT \$FANLINE_RUN \$FANLINE_INDEX\"; cat >/dev/null"'
check 'numbers keep their bytes' 0 '[1.10,1e400]' \
    sh -c 'echo "[1.10, 1e400]" | maprun --worker=lines --emit=output sh echo.sh'
check 'an answer that is an object with ErrorCode is a failure' 0 '["Failed","My","so",1]' \
    sh -c 'echo 1 | maprun --worker=lines --tolerated-failure-count=1 sh -c "read x; echo \"{\\\"ErrorCode\\\":\\\"My\\\",\\\"Cause\\\":\\\"so\\\"}\"; read x" |
    sh members.sh Status ErrorCode Cause Attempts'
check '... tried again where a rule says so' 0 '[1,1]
[2,2]
[3,1]' sh -c 'seq 3 | maprun --worker=lines -j1 -k --retry "E:IntervalSeconds=0.05" sh -c "while read x; do
    [ \$x = 2 ] && [ ! -e once ] && { touch once; echo \"{\\\"ErrorCode\\\":\\\"E\\\"}\"; continue; }; echo \$x; done" | sh members.sh Output Attempts'
check 'json: an answer that is none' 0 '["Failed","BadOutput"]' \
    sh -c 'echo 1 | maprun --worker=lines --output-format=json --tolerated-failure-count=1 sh -c "read x; echo hello; read x" | sh members.sh Status ErrorCode'

cat >dies.sh <<'END'
while read -r x; do [ "$x" != 3 ] || exit 7; echo "$x"; done
END
check 'a worker that dies fails its item alone, and is replaced' 0 '["Succeeded",null]
["Succeeded",null]
["Failed","ExitCode.7"]
["Succeeded",null]
["Succeeded",null]
["Succeeded",null]' sh -c 'seq 6 | maprun --worker=lines -j2 --window=4 -k --tolerated-failure-count=1 sh dies.sh | sh members.sh Status ErrorCode'
check '... by a signal too' 0 '["Failed","Signal.KILL"]' \
    sh -c 'echo 1 | maprun --worker=lines --tolerated-failure-count=1 sh -c "read x; kill -9 \$\$" | sh members.sh Status ErrorCode'
check '... and is complained about by itself' 0 '["oops"]' \
    sh -c 'echo 1 | maprun --worker=lines --tolerated-failure-count=1 sh -c "read x; echo oops >&2; exit 1" 2>/dev/null | sh members.sh Cause'
check 'a worker that is silent' 0 '["Succeeded",1]
["TimedOut","Timeout"]
["Succeeded",3]' timeout 30 sh -c 'seq 3 | maprun --worker=lines -j1 -k --timeout=300ms --kill-after=200ms --tolerated-failure-count=1 sh -c "
    while read x; do [ \$x != 2 ] || sleep 60; echo \$x; done" | jq -c "[.Status,.ErrorCode // .Output]"'
check 'no sign of life' 0 '["TimedOut","HeartbeatTimeout"]' timeout 20 sh -c 'echo 1 | maprun --worker=lines --heartbeat=200ms \
    --tolerated-failure-count=1 sleep 60 | sh members.sh Status ErrorCode'
check 'a worker that wants several lines before it answers gets them' 0 '1
2
3
4
5
6' timeout 20 sh -c 'seq 6 | maprun --worker=lines --window=3 -j1 -k --emit=output \
    sh -c "while read a && read b && read c; do echo \$a; echo \$b; echo \$c; done"'
check 'a worker that speaks without being asked is replaced' 0 "$(seq 20)" \
    timeout 20 sh -c 'seq 20 | maprun --worker=lines -j1 -k --emit=output sh -c "while read x; do printf \"%s\nnobody asked\n\" \$x; done" | grep -v nobody'
check 'an answer that never ends' 0 '["Failed","BadOutput"]' timeout 20 sh -c 'echo 1 | maprun --worker=lines --max-item-bytes=1m \
    --tolerated-failure-count=1 sh -c "read x; yes | tr -d \"\\n\"" | sh members.sh Status ErrorCode'
check 'a large item and a large answer' 0 '5000003' sh -c '{ printf \"; head -c 5000000 /dev/zero | tr "\0" x; echo \"; } | maprun --worker=lines --emit=output cat | wc -c'
check_err 'a command that is not there' 127 'command not found' sh -c 'seq 3 | maprun --worker=lines no-such-command'
check_err 'marks of items' 2 'a worker has no item' maprun --worker=lines cat '{.a}'
check_err '--window alone' 2 '--window has no effect' maprun --window=3 true

cat >tally.sh <<'END'
sed -E 's/.*"Status":"([A-Za-z]*)".*/\1/' | sort | uniq -c | awk '{ printf "%s%s %s", sep, $2, $1; sep = " " } END { print "" }'
END
check 'too many failures: the sum is whole' 0 '40' timeout 20 sh -c 'seq 40 | maprun --worker=lines -j2 --window=3 \
    sh -c "while read x; do [ \$x != 7 ] || { echo \"{\\\"ErrorCode\\\":\\\"E\\\"}\"; continue; }; echo \$x; done" 2>/dev/null | wc -l'
cat >ended.sh <<'END'
mkfifo fifo
sh -c 'echo $$ >runner; exec maprun --worker=lines -j1 --window=3 sh -c "read x; touch reads; sleep 60"' <fifo >out 2>err &
exec 3>fifo
seq 3 >&3
until [ -e reads ]; do sleep 0.02; done
kill -TERM $(cat runner)
status=0
wait $! || status=$?
exit $status
END
check_status 'TERM ends a run of workers' 143 timeout 20 sh ended.sh
check '... with a record of each item' 0 'Aborted 3' sh tally.sh <out
check 'workers that do not go are ended' 0 '1' timeout 20 sh -c 'echo 1 | maprun --worker=lines --kill-after=200ms --emit=output \
    sh -c "trap \"\" TERM; read x; echo \$x; sleep 60"'

seq 300000 >many
# shellcheck disable=SC2016 # for the inner shell
kib=$(peak sh -c 'exec maprun --worker=lines -j2 --window=64 -k --emit=output cat <many >out')
ok "a long run takes little memory ($kib KiB)" test "$kib" -lt 40000
ok '... and gives all' cmp many out

# ---- fallbacks ----

# Numbers that 5 divides are failures, and at those that 7 divides it ends.
cat >picky <<'END'
while read -r x; do
    [ $((x % 7)) != 0 ] || exit 4
    [ $((x % 5)) != 0 ] && echo "$x" || echo "{\"ErrorCode\":\"Five\",\"Cause\":\"is $x\"}"
done
END
# shellcheck disable=SC2016
for window in 1 4; do
    check "window $window: a fallback answers for what a worker failed at" 0 '1
2
3
4
{"Error":"Five","Cause":"is 5","Input":5}
6
"seven 2 6 1"
8
9
{"Error":"Five","Cause":"is 10","Input":10}' timeout 30 sh -c 'seq 10 | maprun -k -j2 --worker=lines --window='$window' \
        --emit=output --catch "Five=cat" --catch "ExitCode.4=echo seven 2 \$FANLINE_INDEX \$FANLINE_ATTEMPT" sh picky'
    check "window $window: ... in records" 0 '["Succeeded",{"n":1},"Five",null,1]' timeout 30 sh -c 'echo 5 |
        maprun --worker=lines --window='$window' --catch "*=echo {\\\"n\\\":1}" sh picky | jq -c "[.Status,.Output,.Caught,.ErrorCode,.Attempts]"'
    check "window $window: ... after all tries, once" 0 '[3,"Five"] 3 1' timeout 30 sh -c 'rm -f log; echo 5 |
        maprun --worker=lines --window='$window' --retry "*:MaxAttempts=2,IntervalSeconds=0" --log=log --catch "*=echo x" sh picky |
        jq -c "[.Attempts,.Caught]" | tr "\n" " "; echo $(grep -vc Fallback log) $(grep -c "\"Fallback\":true" log)'
    check "window $window: ... that fails is the failure" 4 '["Failed","ExitCode.9"]' timeout 30 sh -c 'echo 5 |
        maprun --worker=lines --window='$window' --catch "*=exit 9" sh picky >out; rc=$?; jq -c "[.Status,.ErrorCode]" out; exit $rc'
    check "window $window: ... that there is none of" 4 '["Failed","Five"]' timeout 30 sh -c 'echo 5 |
        maprun --worker=lines --window='$window' --catch "Six=true" sh picky >out; rc=$?; jq -c "[.Status,.ErrorCode]" out; exit $rc'
    check "window $window: ... none of an item that never was with a worker" 127 '["Failed","CommandNotFound"]' timeout 30 sh -c 'echo 5 |
        maprun --worker=lines --window='$window' --catch "*=echo no" /no/such >out; rc=$?; jq -c "[.Status,.ErrorCode]" out; exit $rc'
    check "window $window: all of many" 0 '1000 1000 0' timeout 60 sh -c 'seq 5 5 5000 | maprun -j3 --worker=lines --window='$window' \
        --catch "*=cut -d: -f4 | tr -d }" sh picky | jq -r "[.Input,.Output]|@tsv" |
        awk "{ all++; same += \$1 == \$2; seen[\$1]++ } END { for (i in seen) n += seen[i] > 1; print all, same, n + 0 }"'
done
cat >stops <<'END'
seq 5 5 20 >fives
maprun -j1 --worker=lines --window=3 --kill-after=200ms --catch '*=echo $$ >>helpers; sleep 300' sh picky <fives >ended 2>err &
until [ -s helpers ]; do sleep 0.02; done
sleep 1
kill -TERM $!
wait $!
echo $?
jq -r '[.Status,.ErrorCode]|@tsv' ended | sort | uniq -c | sed 's/^ *//'
for pid in $(cat helpers); do ! kill -0 "$pid" 2>/dev/null || echo "$pid is left"; done
END
check 'TERM ends a fallback, and begins no other' 0 '143
1 Aborted	Aborted
2 Failed	Five
1 Pending	' timeout 60 sh stops

done_testing
