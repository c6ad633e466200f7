#!/bin/sh
# wait: a signal is waited for, or lines are held until theirs come; nothing is lost or released twice.
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"

# Milliseconds since 1970.
now()
{
    date +%s%3N
}

# within NAME MOST LEAST COMMAND...: its status is 0 and it takes from LEAST to MOST milliseconds.
within()
{
    within_name=$1 within_most=$2 within_least=$3 within_start=$(now)
    shift 3
    "$@" && took=$(($(now) - within_start)) && [ "$took" -le "$within_most" ] &&
        [ "$took" -ge "$within_least" ]
    same "$within_name (${took-failed} ms)" 0 $?
}

# finished PID: its exit status in $status.
finished()
{
    status=0
    wait "$1" || status=$?
}

# ---- how it is called ----

check_err 'no signal is named' 2 '^wait: no signal is named$' fanline wait
check_err 'neither is a blank one' 2 'blank' fanline wait ' '
check_err 'a signal and an expression' 2 'exclude each other' fanline wait -s a b
check_err 'an option that is not there' 2 'unknown option' fanline wait --nosuch a
check_err 'a count that is no number' 2 '^wait: --count: ' fanline wait -n 1.0 a
check_err 'a count below 0' 2 '^wait: --count: ' fanline wait -s a -n -1
check_err 'a releasable count too large' 2 '^wait: --releasable: ' fanline wait -r 2147483648 a
check_err 'a duration that is none' 2 '^wait: -x: ' fanline wait -x soon a
check_err 'a condition that is none' 2 '^wait: --fail-on: ' fanline wait --fail-on 'bad>1' a
check_err '--print with lines' 2 'lines get attributes' fanline wait --print -s a
check_err '--waiting without lines' 2 'no effect without --signal' fanline wait --waiting w a
check_err 'one file for two things' 2 'are one file: w' fanline wait -s a --waiting w --failure w
check_err 'a file that cannot be written' 1 'No such file' fanline wait -s a --waiting no/w

# ---- kill -9 between taking and confirming ----

# The line is larger than any pipe, and nobody reads: the lease is there, the line is not. Whether it
# comes back is looked at in the end.
killed_start()
{
    p=$me.$store
    notify "$p.lease"
    mkfifo pipe.$store
    # shellcheck disable=SC2217 # it holds the other end and does not read
    sleep 60 <pipe.$store &
    at_exit "kill $! 2>/dev/null"
    {
        printf '"' && head -c 3000000 /dev/zero | tr '\0' x && printf '"\n'
    } >huge
    fanline wait -x never -s "$p.lease" <huge >pipe.$store &
    pid=$!
    sleep 1
    check_status "$store: what is leased is taken" 124 fanline wait -x 0 "$p.lease"
    kill -KILL $pid
    finished $pid 2>/dev/null
    fanline wait -x 30s "$p.lease" &
    echo $! >again.$store
}
each_store killed_start

# ---- one signal ----

single()
{
    p=$me.$store
    within "$store: no signal: expires in time" 700 250 sh -c \
        "fanline wait -x 250ms $p.none 2>err; [ \$? = 124 ]"
    check_file "$store: and says so" err "wait: signal '$p.none' was not released in time: the total was 0"
    check_err "$store: ... with what there was" 124 'A was 2$' \
        sh -c "notify -d 2 -c A $p.some && fanline wait -x 50ms -n 3 -c A $p.some"

    (sleep 0.3 && now >stamp && notify --set x=1 "$p.two") &
    check "$store: released by another process" 0 '{"x":"1"}' fanline wait -x 10s --print "$p.two"
    took=$(($(now) - $(cat stamp)))
    [ "$took" -lt 700 ]
    same "$store: at once ($took ms, starting programs included)" 0 $?

    check_status "$store: a count of 0 needs no signal" 0 fanline wait -n 0 "$p.zero"
    notify -d 7 "$p.seven"
    check_status "$store: 3 of 7" 0 fanline wait -x 0 -n 3 "$p.seven"
    check_status "$store: 4 of 4" 0 fanline wait -x 0 -n 4 "$p.seven"
    check_status "$store: none is left" 124 fanline wait -x 0 "$p.seven"
    notify -d -5 "$p.minus"
    check_status "$store: fewer than none" 124 fanline wait -x 0 -n 3 "$p.minus"

    notify -c ok -d 9 "$p.fail" && notify -c bad "$p.fail"
    check_err "$store: a condition of failure" 4 'bad>=1' \
        fanline wait --fail-on 'other>=1' --fail-on 'bad>=1' -n 10 "$p.fail"
    check_status "$store: takes nothing" 0 fanline wait -x 0 -n 10 "$p.fail"
    (sleep 0.2 && notify -c bad "$p.later") &
    check_status "$store: one that comes true" 4 fanline wait -x 10s --fail-on 'bad>=1' -n 5 "$p.later"

    echo 1 | notify -s "$p.cut" --end-mark >/dev/null 2>&1
    check_status "$store: a stream that was cut short" 4 fanline wait --end-mark -n 2 "$p.cut"
    fanline wait -x 1m "$p.asked" 2>err &
    pid=$!
    sleep 0.2
    kill -USR1 $pid
    ok "$store: USR1 asks how far it is" until_true 5 grep -q '^wait: 0 items' err
    notify "$p.asked"
    finished $pid
    same "$store: and ends nothing" 0 "$status"
    fanline wait -x 1m "$p.killed" 2>err &
    pid=$!
    sleep 0.2
    kill -TERM $pid
    finished $pid
    same "$store: TERM ends it" 143 "$status"
    check_file "$store: in silence" err ''
}
each_store single

# ---- several waiters ----

several()
{
    p=$me.$store
    for i in 1 2 3; do
        fanline wait -x 10s -n 3 -r 2 "$p.mn" &
        waiters="${waiters-} $!"
    done
    sleep 0.3
    notify -d 3 "$p.mn"
    sleep 0.4
    running=0
    for pid in $waiters; do kill -0 "$pid" 2>/dev/null && running=$((running + 1)); done
    same "$store: three signals release two of three" 1 $running
    notify -d 3 "$p.mn"
    sum=0
    for pid in $waiters; do
        finished "$pid"
        sum=$((sum + status))
    done
    waiters=
    same "$store: three more release the third" 0 $sum
    check_status "$store: and leave one ticket" 0 fanline wait -x 0 -n 3 -r 2 "$p.mn"
    check_status "$store: for two times two" 124 fanline wait -x 0 -n 3 -r 2 "$p.mn"

    seq 1 100 >items
    for i in 1 2 3 4; do
        fanline wait -q -x 2s -s "$p.share" <items >share$i 2>/dev/null &
        waiters="${waiters-} $!"
    done
    seq 1 150 | notify -B 7 -s "$p.share" >/dev/null
    for pid in $waiters; do finished "$pid"; done
    waiters=
    same "$store: 150 signals for four waiters" 150 "$(cat share[1-4] | wc -l | tr -d ' ')"
    for i in 1 2 3 4; do
        head -n "$(wc -l <share$i)" items | cmp -s - share$i || echo "share$i is out of order"
    done >disorder
    check_file "$store: each in its own order" disorder ''
}
each_store several

# ---- lines ----

lines()
{
    p=$me.$store
    printf '{"run":"%s.r","fragment.count":3,"n":1.10}\n' "$p" >orig
    printf '1\n2\n3\n' | notify -s "$p.r" >/dev/null
    check "$store: the count from the line" 0 "$(cat orig)" \
        sh -c "fanline wait -s '\${run}' -n '\${fragment.count}' -x 5s <orig"
    notify --set k=new --set l=new -d 2 "$p.copy"
    check "$store: attributes are added" 0 '{"k":"old","l":"new"}' \
        sh -c "echo '{\"k\":\"old\"}' | fanline wait -x 0 -s $p.copy"
    check "$store: or replace" 0 '{"k":"new","l":"new"}' \
        sh -c "echo '{\"k\":\"old\"}' | fanline wait -x 0 --copy=replace -s $p.copy"

    notify -d 2 "$p.a"
    printf '{"id":"b"}\n{"id":"a", "i":1}\n{"id":"a","i":2}\n{"i" : 3,"id":"a"}\n' >held
    check "$store: lines whose signal is there leave" 124 '{"id":"a","i":1}
{"id":"a","i":2}' sh -c "fanline wait -x 100ms -s '$p.\${id}' <held 2>err"
    grep '^{' err >lost
    check_file "$store: the others are on standard error, as they came" lost '{"id":"b"}
{"i" : 3,"id":"a"}'
    check_status "$store: --expired takes them" 0 \
        sh -c "fanline wait -x 0 -s '$p.\${id}' --expired=gone <held"
    check_file "$store: as they came" gone "$(cat held)"
    check "$store: a line that cannot wait" 1 '{"id":"c","n":0}' sh -c "printf '%s\n%s\n%s\n' \
        '{\"id\":\"c\",\"n\":\"x\"}' '{\"id\":\" \", \"n\":1}' '{\"id\":\"c\",\"n\":0}' |
        fanline wait -x 0 -s '\${id}' -n '\${n}' 2>err"
    grep '^{' err >lost
    check_file "$store: goes to standard error" lost '{"id":"c","n":"x"}
{"id":" ", "n":1}'
    check_status "$store: or to --failure" 0 sh -c "echo '{\"id\":\"c\",\"n\":\"x\"}' |
        fanline wait -q -x 0 -s '\${id}' -n '\${n}' --failure=bad"
    check_file "$store: exactly" bad '{"id":"c","n":"x"}'
    notify -c bad "$p.f"
    check_err "$store: lines of a failed signal" 4 '^\{"id":"f"\}$' sh -c \
        "echo '{\"id\":\"f\"}' | fanline wait -n 5 -s '$p.\${id}' --fail-on 'bad>=1'"
    check "$store: no lines" 0 '' fanline wait -s x
}
each_store lines

streaming()
{
    p=$me.$store
    mkfifo in.$store
    fanline wait -x 20s -s "$p.\${id}" --rejects=refused <in.$store >out.$store 2>err &
    pid=$!
    exec 9>in.$store
    printf '{"id":"a"}\nnonsense\n\n' >&9
    sleep 0.2
    check_file "$store: nothing leaves without a signal" out.$store ''
    notify "$p.a"
    ok "$store: a line leaves while input stays open" until_true 5 grep -q a out.$store
    printf '{"id":"b"}\n' >&9
    notify "$p.b"
    ok "$store: and the next" until_true 5 grep -q b out.$store
    exec 9>&-
    finished $pid
    same "$store: bad lines make it 1" 1 "$status"
    check_file "$store: and are kept" refused nonsense

    printf '{"id":"h1"}\n{"id": "h2"}\n' >held
    fanline wait -x never -s '${id}' --waiting=waiting <held >out 2>err &
    pid=$!
    sleep 0.3
    kill -USR1 $pid
    sleep 0.1
    kill -TERM $pid
    finished $pid
    same "$store: TERM while lines are held" 143 "$status"
    check_file "$store: writes them out" waiting "$(cat held)"
    ok "$store: and says nothing but what was asked" grep -qx 'wait: 0 items, .*' err
    fanline wait -x never -s '${id}' <held >out 2>err &
    pid=$!
    sleep 0.3
    kill -INT $pid 2>/dev/null
    kill -HUP $pid 2>/dev/null
    finished $pid
    same "$store: HUP as well" 129 "$status"
    check_file "$store: to standard error" err "$(cat held)"

    check_err "$store: bad input ends it, held lines are not lost" 1 '^\{"id": "h2"\}$' sh -c \
        "(cat held; echo x) | fanline wait -s '\${id}'"
    check_err "$store: so does input that was cut short" 1 'cut short' sh -c \
        "fanline wait --end-mark -s '\${id}' <held"
    check "$store: end marks add up" 1 '1
{"fanline.end":{"status":0,"items":1,"rejected":2}}' sh -c \
        "printf '1\n{\"fanline.end\":{\"status\":0,\"items\":1,\"rejected\":2}}\n' |
        fanline wait --end-mark -n 0 -s x 2>err"

    notify -d 2 "$p.full"
    check_err "$store: a full disk" 1 'No space left' sh -c "echo 1 | fanline wait -s $p.full >/dev/full"
    check_status "$store: takes no signal" 0 fanline wait -x 0 -n 2 "$p.full"
    seq 1 100000 | notify -s "$p.pipe" >/dev/null
    check "$store: an output that nobody reads" 0 1 sh -c \
        "seq 1 100000 | fanline wait -s $p.pipe 2>err | head -n 1"
    check_file "$store: ends it in silence" err ''
}
each_store streaming

# ---- a Redis that is away ----

if command -v redis-server >/dev/null && command -v redis-cli >/dev/null; then
    away=redis+unix://$PWD/away/redis.sock
    mkdir away
    within 'a server that does not come' 3000 900 sh -c \
        "fanline wait --store='$away' -x 1s a 2>err; [ \$? = 75 ]"
    fanline wait -x 20s --store="$away" late 2>err &
    pid=$!
    printf '1\n2\n' | notify --store="$away" -s late >passed 2>err.notify &
    writer=$!
    notify --store="$away" early 2>err.single &
    single=$!
    sleep 0.5
    start_redis away
    finished $writer
    same 'notify waits for the server' 0 "$status"
    finished $single
    same '... also with a single signal' 0 "$status"
    for form in notify single; do
        grep -Ec "^notify: (trying again for [13]0 s: store redis.unix:|the store has answered, after [0-9.]* s\$)" \
            err.$form
    done >said
    check_file '... and says so once, and when it has come' said '2
2'
    check_file '... and passes its lines then' passed '1
2'
    finished $pid
    same 'wait, too' 0 "$status"
    sed 's/[0-9.]* s$/N s/' err >said
    check_file '... and says so once, and when it has come' said \
        "wait: trying again: store $away?db=0: No such file or directory
wait: the store has answered, after N s"
    check_status 'every line was counted' 0 fanline wait --store="$away" -x 0 late

    printf '{"id":"x"}\n' >held
    fanline wait -x 20s --store="$away" -s '${id}' <held >out 2>err &
    pid=$!
    sleep 0.3
    kill "$redis_pid"
    sleep 0.5
    rm -f away/redis.sock
    start_redis away
    notify --store="$away" x
    finished $pid
    same 'a server that restarts' 0 "$status"
    check_file '... releases the lines that were held' out '{"id":"x"}'

    redis-cli -s away/redis.sock set 'fanline:{wrong}' x >/dev/null
    check_err 'a key of another type' 2 'WRONGTYPE' fanline wait --store="$away" -x 5s wrong
    check_err '... stops notify, too' 2 'WRONGTYPE' notify --store="$away" wrong
    redis-cli -s away/redis.sock script flush >/dev/null
    ok 'a server that forgot its scripts' notify --store="$away" flushed
    redis-cli -s away/redis.sock config set requirepass s3cret >/dev/null
    check_err 'no password' 2 'NOAUTH' notify --store="$away" a
    check_err 'a wrong one' 2 'WRONGPASS' notify --store="redis+unix://:s3kret@$PWD/away/redis.sock" a
    check_status '... which is not shown' 1 sh -c \
        "notify -v --store='redis+unix://:s3kret@$PWD/away/redis.sock' a 2>&1 | grep s3kret"
    ok 'the right one' notify --store="redis+unix://:s3cret@$PWD/away/redis.sock" a
    ok 'and another database' notify --store="redis+unix://:s3cret@$PWD/away/redis.sock?db=3" b
    check_status '... which is another store' 124 \
        fanline wait --store="redis+unix://:s3cret@$PWD/away/redis.sock" -x 0 b
    check_err 'a database that is not there' 2 'DB index' \
        notify --store="redis+unix://:s3cret@$PWD/away/redis.sock?db=99" b
else
    skip 'a Redis that is away' 'redis-server is not installed'
fi

killed_end()
{
    [ -f again.$store ] || return
    finished "$(cat again.$store)"
    same "$store: the lease of a killed waiter comes back" 0 "$status"
}
each_store killed_end

done_testing
