#!/bin/sh
# What people complain about in runners, in cron jobs and in shells, case by case.  The word before
# the colon is the name of the complaint; other files hold some of them in more detail.
. "$(dirname "$0")/lib.sh"

FANLINE_STORE=sqlite:$PWD/store.db
export FANLINE_STORE

check 'sigpipe-inherited: a command has SIGPIPE at its default, whatever we were started with' 0 '"y"' \
    timeout 20 sh -c 'trap "" PIPE; echo 1 | maprun --emit=output --shell "yes | head -n 1"'
check 'sigpipe-inherited: it dies of it' 0 'Signal.PIPE' \
    timeout 20 sh -c 'trap "" PIPE; echo 1 | maprun --finish-all --shell "exec 2>/dev/null; (sleep 0.2; kill -PIPE \$\$) & wait" |
        sed "s/.*\"ErrorCode\":\"\([A-Z.a-z]*\)\".*/\1/"'
# shellcheck disable=SC2089,SC2016
for filter in 'mapsplit -f jsonl' 'batcher -n 1' 'maprun true' 'evalexpr $Item' 'itemconstruct -t {"a.$":"$Item"}'; do
    # shellcheck disable=SC2086,SC2090
    check "pipefail-head: ${filter%% *} ends as cat does" 0 141 timeout 20 sh -c \
        '{ seq 2000000 | { "$@" 2>err; echo $? >rc; } | head -n 1 >/dev/null; }; cat rc' sh $filter
    ok '... and says nothing' test ! -s err
done
check 'pipefail-head: a limit of our own makes head needless' 0 '1
2' sh -c 'seq 20000 | mapsplit -n 2 -f jsonl'
# Four commands at a time, each of which writes lines of 60,000 letters in pieces.
cat >pieces <<'END'
for i in 1 2 3 4 5; do
    for k in 1 2 3 4 5 6; do
        printf "%010000d" "$1"
        [ $k != 3 ] || sleep 0.02
    done | tr 0 "$1"
    echo
done
END
# How many lines of which length have but one letter, which one?
cat >letters <<'END'
awk '{ n = length; c = substr($0, 1, 1); gsub(c, ""); print n, $0 == "" ? c : "mixed" }' "$1" |
    sort | uniq -c | sed 's/^ *//'
END
check 'interleave: lines of standard error stay whole' 0 '5 60000 1
5 60000 2
5 60000 3
5 60000 4' sh -c 'seq 4 | maprun -j4 sh -c "sh pieces \$1 >&2" sh {} 2>err >got
    sh letters err'
check 'interleave: so do those of standard output' 0 '5 60000 1
5 60000 2
5 60000 3
5 60000 4' sh -c 'seq 4 | maprun -j4 --line-buffer sh pieces {} >got
    sh letters got'
check 'empty-run: nothing to do runs nothing' 0 '' sh -c 'maprun touch ran </dev/null; test ! -e ran'
check 'empty-run: and the results are there, empty' 0 \
    '{"MapRunName":"none","ResultWriterDetails":{"Bucket":"out","Key":"none/manifest.json"}}' \
    sh -c 'maprun touch ran </dev/null | resultwrite -o out --run-name none'
ok '... with a manifest' grep -q '"MapRunName":"none"\|"ResultFiles"' out/none/manifest.json
if strace -o /dev/null true 2>/dev/null; then
    seq 5 | strace -o trace -e trace=clone,clone3,fork,vfork maprun true >/dev/null
    same 'fork-rss: commands are started without a copy of our memory: all but the guardian' 5 \
        "$(grep -c 'CLONE_VM|.*CLONE_VFORK' trace)"
else
    skip 'fork-rss: commands are started without a copy of our memory' 'strace is not here, or may not look'
fi
check 'citation: all is well, so nothing is said' 0 '' sh -c 'seq 3 | maprun true 2>&1 >/dev/null'
same '... and nothing is left in HOME' '' "$(ls -A "$HOME")"
mkdir locked
chmod 500 locked
# shellcheck disable=SC2016
check 'home-state-race: without HOME, and with one that takes nothing' 0 '"a"
"a"' sh -c 'echo 1 | env -u HOME maprun --emit=output echo a; echo 1 | HOME=$PWD/locked maprun --emit=output echo a'
same '... which stays empty' '' "$(ls -A locked)"
# shellcheck disable=SC2016
check 'tmp-full: an output that finds no room fails its own item' 0 'BadOutput
Succeeded' timeout 60 sh -c 'trap "" XFSZ; ulimit -f 6000; seq 2 | TMPDIR=$PWD maprun -k --tolerated-failure-count=1 sh -c \
    "[ \$1 = 2 ] || exec head -c 20000000 /dev/zero" sh {} |
    sed -E "s/.*ErrorCode\":\"([A-Za-z]*)\".*/\1/; s/.*\"Status\":\"([A-Za-z]*)\".*/\1/"'
same '... and leaves no file' '' "$(find . -name '*tmp*' -o -name 'fanline.*')"
cat >term <<'END'
seq 3 >three
maprun -j3 --shell 'trap "" TERM; sleep 300 & echo $! >>left; wait; sleep 300' --kill-after=200ms <three >ended 2>err &
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
    [ "$(cat left 2>/dev/null | wc -l)" = 3 ] && break
    sleep 0.1
done
kill -TERM $!
wait $!
echo $?
grep -c '"Status":"Aborted"' ended
for pid in $(cat left); do
    ! kill -0 "$pid" 2>/dev/null || echo "$pid is left"
done
END
check 'orphans-on-term: TERM ends all, also what ignores it, and writes their records' 0 '143
3' timeout 60 sh term
cat >hurry <<'END'
maprun -j2 --kill-after=10m --shell 'trap "" TERM; sleep 300; sleep 300' <three >ended 2>err &
sleep 0.5
kill -TERM $!
sleep 1
kill -TERM $!
wait $!
echo $?
grep -c '"Signal":"KILL"' ended
END
check 'orphans-on-term: a second TERM waits for nothing' 0 '143
2' timeout 60 sh hurry
cat >leaves <<'END'
sh -c 'trap "" TERM; sleep 300 & echo $! >>left; exec sleep 300' &
echo $! >>left
wait
END
: >left
check 'kill-group-only: what a command has started ends with it, whatever it ignores' 0 'TimedOut
none' timeout 60 sh -c 'maprun -n 1 --tolerated-failure-count=1 --timeout=500ms --kill-after=200ms sh leaves <three |
    sed "s/.*\"Status\":\"\([A-Za-z]*\)\".*/\1/"
    [ "$(wc -l <left)" = 2 ] || exit 1
    for pid in $(cat left); do ! kill -0 "$pid" 2>/dev/null || exit 1; done; echo none'
check 'pipe-held: who keeps the output open behind a command is not waited for' 0 '"said"' \
    timeout 30 sh -c 'maprun -n 1 --emit=output --shell "sleep 300 & echo said" <three'
check 'pipe-held: nor who left its group' 0 '"said"' \
    timeout 30 sh -c 'maprun -n 1 --emit=output --shell "setsid sleep 20 & echo said" <three'
cat >descriptors <<'END'
read -r item
for i in 0 1 2 3 4 5 6 7 8 9; do
    [ ! -e /proc/$$/fd/$i ] || printf '%s ' $i
done
echo .
END
check 'fd-inherit: a command has descriptors 0 to 2, and no others of ours or of who started us' 0 '"0 1 2 ."' \
    sh -c 'maprun -n 1 --emit=output sh descriptors 7</dev/null 5>x <three'
check 'fd-inherit: with signs of life also 3' 0 '"0 1 2 3 ."' \
    sh -c 'maprun -n 1 --emit=output --heartbeat=10s sh descriptors 7</dev/null 5>x <three'
check 'fd-inherit: so has a worker' 0 '"0 1 2 ."' \
    sh -c 'maprun -n 1 --emit=output --worker=lines sh descriptors 7</dev/null 5>x <three'
check 'xargs-exit: a status of 255 stops nothing' 4 '{"ErrorCode":"ExitCode.255"}
2
3' sh -c 'maprun -k --finish-all --emit=output --shell "read x; [ \$x != 1 ] || exit 255; echo \$x" <three'
check_status 'xargs-exit: our status is never a number of failures' 4 sh -c 'yes 1 | maprun -n 256 --finish-all false'
check 'joblog-signal: who died of a signal has not succeeded' 4 '["Failed","Signal.KILL","KILL",null]' \
    sh -c 'rm -f log; maprun -n 1 --log=log --shell "kill -KILL \$\$" <three >ended
    rc=$?; jq -c "[.Status,.ErrorCode,.Signal,.ExitCode]" log; exit $rc'
check 'joblog-signal: nor who was ended by us' 4 '["TimedOut","Timeout","TERM",null]' \
    timeout 30 sh -c 'rm -f log; maprun -n 1 --log=log --timeout=200ms sleep 300 <three >ended
    rc=$?; jq -c "[.Status,.ErrorCode,.Signal,.ExitCode]" log; exit $rc'
check 'stdin-eaten: a command that reads all of its input takes nothing from the others' 0 '1
2
3' sh -c 'seq 3 | maprun -k -j1 --emit=output --shell "cat; cat"'
# shellcheck disable=SC2016
if unshare -pf --mount-proc true 2>/dev/null; then
    check 'zombies: process 1 reaps what its commands leave behind' 0 '""
"none"' timeout 60 unshare -pf --mount-proc sh -c 'exec maprun -k -j1 --emit=output -n 2 --shell "
        [ \$FANLINE_INDEX = 0 ] || { sleep 2.5; ps -eo stat= | grep Z || echo none; exit; }
        setsid sleep 0.1 >/dev/null 2>&1 &"' <three
else
    skip 'zombies: process 1 reaps' 'it takes unshare'
fi
check 'fd-limit: as many at a time as there is room for, said once' 0 '1000
1' timeout 120 sh -c 'ulimit -n 64; seq 1000 | maprun -j500 true 2>few | wc -l; grep -c "only [0-9]* at a time" few'
printf '"%s"\n' a b c >abc
printf '"%s"\n' c b a >cba
cat >once <<'END'
read -r x
echo "$x" >>did
[ "$x" != '"b"' ] || [ -e fixed ]
END
check_status 'resume-by-seq: one of three fails' 4 maprun -j1 --finish-all --mode=standard --journal=J sh once <abc
touch fixed
check_status '... and is all that is run again, whatever its place' 0 maprun -j1 --mode=standard --journal=J sh once <cba
check_file '... each by its content' did '"a"
"b"
"c"
"b"'
check_err '... by the same command only' 2 'of another command' maprun --mode=standard --journal=J true <cba
check 'cron-tty: no terminal, no TERM: silence' 0 '3' sh -c 'seq 3 | setsid -w env -u TERM maprun true 2>err | wc -l'
ok '... on standard error' test ! -s err
cat >overlap <<'END'
maprun --mode=standard --journal=K -- sleep 300 <three >/dev/null 2>&1 &
until grep -q Pid K 2>/dev/null || [ $((tries = ${tries:-0} + 1)) -gt 200 ]; do
    sleep 0.05
done
maprun --mode=standard --journal=K -- sleep 300 <three 2>second
echo $?
kill -9 $!
wait $!
maprun --mode=standard --journal=K --force -- true <three | wc -l
END
check 'cron-overlap: a second run ends at once; nothing is left of a lock after kill -9' 0 '75
3' timeout 60 sh overlap
ok '... and it says why' grep -q 'another run uses the journal' second
check 'pubsub-race: a signal that came before the waiter is there' 0 '' \
    sh -c 'notify early && sleep 0.2 && fanline wait -x 5s early'

done_testing
