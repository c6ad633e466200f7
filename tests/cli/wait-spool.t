#!/bin/sh
# wait --spool: held lines survive the process; and a disk that is full loses none.
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"
seq -f '{"id":"x","n":%.0f}' 20 >lines

# held_by FILE N: so many lines are in the spool.
held_by()
{
    [ "$(grep -c '"held"' "$1")" = "$2" ]
}

# killed SIGNAL ARG...: a wait that is ended by it when it holds the 20 lines; its status in $status.
killed()
{
    killed_by=$1
    shift
    mkfifo open
    fanline wait -x never "$@" --spool=spool <open >out 2>err &
    pid=$!
    exec 9>open
    cat lines >&9
    until_true 10 held_by spool 20
    kill "-$killed_by" $pid
    status=0
    wait $pid 2>/dev/null || status=$?
    exec 9>&-
    rm open
}

# Lines on standard error.
check_lines()
{
    grep '^{' err >said
    check_file "$1" said "$2"
}

surviving()
{
    p=$me.$store
    killed KILL -s "$p.\${id}"
    same "$store: killed with -9" 137 $status
    check_file "$store: nothing has left" out ''
    notify -d 7 "$p.x"
    check "$store: the next run goes on with what was held" 124 "$(head -n 7 lines)" \
        sh -c "fanline wait -q -x 0 -s '$p.\${id}' --spool=spool 2>err"
    check_lines "$store: and the others expire" "$(tail -n 13 lines)"
    check_file "$store: nothing is held then" spool ''

    killed TERM -s "$p.\${id}"
    same "$store: ended by TERM" 143 $status
    check_file "$store: its lines stay in the spool" err ''
    notify -d 21 "$p.x"
    check "$store: new lines come behind" 0 "$(cat lines)
{\"id\":\"x\",\"n\":21}" sh -c "echo '{\"id\":\"x\",\"n\":21}' | fanline wait -q -s '$p.\${id}' --spool=spool"

    killed TERM -s "$p.\${id}"
    check "$store: time runs on from when they came" 124 '' \
        sh -c "sleep 0.3; fanline wait -q -x 200ms -s '$p.\${id}' --spool=spool 2>err"
    check_lines "$store: so they expire" "$(cat lines)"

    killed KILL -s "$p.\${id}"
    check "$store: other rules that lines do not meet" 1 '' \
        sh -c "fanline wait -q -s '$p.\${id}' -n '\${nosuch}' --spool=spool 2>err"
    check_lines "$store: make them fail" "$(cat lines)"

    killed KILL -s "$p.\${id}"
    printf '{"held":21,"start":1,"li' >>spool
    notify -d 20 "$p.x"
    check "$store: a torn last record is no record" 0 "$(cat lines)" \
        fanline wait -s "$p.\${id}" --spool=spool
}
each_store surviving

# ---- files for lines that are not released appear only at the end ----

# A wait that is killed before its file is there has not lost what is in it.
late()
{
    p=$me.$store
    mkfifo open
    fanline wait -q -x 10ms -s "$p.gone" --spool=spool --expired=expired <open >out 2>err &
    pid=$!
    exec 9>open
    cat lines >&9
    until_true 10 held_by spool 20
    sleep 0.3
    kill -KILL $pid
    wait $pid 2>/dev/null
    exec 9>&-
    rm open
    check_status "$store: --expired is not there yet" 1 [ -e expired ]
    check "$store: the next run lets the lines expire" 0 '' \
        fanline wait -q -x 10ms -s "$p.gone" --spool=spool --expired=expired
    check_file "$store: into its file" expired "$(cat lines)"
    check_file "$store: and out of the spool" spool ''
    rm expired
}
each_store late

# ---- what is no spool of ours ----

FANLINE_STORE=sqlite:$PWD/other.db
echo '{"some":"thing"}' >foreign
check_err 'a file of somebody else' 2 'no spool of fanline' fanline wait -s x --spool=foreign
check_file '... is left as it is' foreign '{"some":"thing"}'
check_err 'a folder that is not there' 1 'spool no/s: No such file' fanline wait -s x --spool=no/s
mkfifo open
fanline wait -s x --spool=mine <open &
pid=$!
exec 9>open
until_true 5 [ -e mine ]
sleep 0.1
check_err 'a spool that another process has' 75 'another process has it' fanline wait -s x --spool=mine
exec 9>&-
wait $pid
check_err 'lines that go elsewhere' 2 'no --waiting' fanline wait -s x --spool=s --waiting=w
check_err 'a look that keeps none' 2 'no --mode=pass' fanline wait -s x --spool=s --mode=pass

# ---- a disk that is full ----

# 250 KB of lines, and 128 KB for each file.
seq -f '{"id":"x","n":%.0f,"is":"a line that takes some room"}' 5000 >many
full()
{
    (
        trap '' XFSZ
        ulimit -f 256 # of 512 bytes
        "$@"
    )
}
full fanline wait -x never -s '${id}' --spool=spool <many 2>&1 >out | cat >err
ok 'a full spool ends wait' grep -q '^wait: spool spool: File too large' err
ok '... and keeps whole records' sh -c 'tail -n 1 spool | jq -e .line >/dev/null && [ "$(wc -c <spool)" -gt 100000 ]'
notify -d 5000 x
grep '^{' err >rest
fanline wait -x 0 -s '${id}' --spool=spool <rest >out
same '... the next run has them all' 0 $?
head -n "$(wc -l <out)" many | cmp -s - out
same '... in order' 0 $?
same '... with those that were written to standard error' 1 "$(($(wc -l <out) > 1000 && $(wc -l <rest) > 0))"
check_file '... and keeps none' spool ''
full fanline wait -x never -s 'nothing.${id}' --max-memory=1k --temp-dir=. <many 2>&1 >out | cat >err
ok 'a full folder for held lines ends wait' grep -q 'cannot put held lines aside in .: File too large' err
grep '^{' err >rest
head -n "$(wc -l <rest)" many | cmp -s - rest
same '... the lines that were read are on standard error' 0 $?
same '... with the one that there was no room for' 1 "$(($(wc -l <rest) > 2000))"

done_testing
