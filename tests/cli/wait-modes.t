#!/bin/sh
# wait: one look for cron, releases that happen only once, counters as members, and what happens while the
# store is away.
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"

# members FILTER FILE: jq's FILTER over each line.
members()
{
    jq -c "$1" "$2"
}

# ---- one look ----

# shellcheck disable=SC2016 # for fanline
passes()
{
    p=$me.$store
    printf '{"id":"%s.a","n":1}\n{"id":"%s.b", "n":1.50}\n{"id":"%s.a","n":2}\n"text"\n' "$p" "$p" "$p" >lines
    notify "$p.a"
    check "$store: what is there leaves" 1 "{\"id\":\"$p.a\",\"n\":1}" \
        sh -c "fanline wait -q --mode=pass -s '\${id}' --waiting=waiting <lines 2>failed"
    same "$store: what has no id fails" '"text"' "$(grep -v ^wait failed)"
    check "$store: the others wait, with the time when they came" 0 "[\"$p.b\",true]
[\"$p.a\",true]" members '[.id,(."wait.start.timestamp"|tonumber>1700000000000)]' waiting
    ok "$store: their values keep their bytes" grep -q '"n":1.50,' waiting
    notify "$p.b"
    cp waiting again
    check "$store: the next pass releases without that" 0 "{\"id\":\"$p.b\",\"n\":1.50}" \
        fanline wait -q --mode=pass -s '${id}' --waiting=waiting <again
    sed 's/"wait.start.timestamp":"[0-9]*"/"wait.start.timestamp":"1700000000000"/' waiting >old
    notify "$p.a"
    check "$store: time runs on from when a line came" 0 '' \
        fanline wait -q --mode=pass -x 1h -s '${id}' --expired=expired <old
    check_file "$store: it expires without that, even if its signal is there" expired "{\"id\":\"$p.a\",\"n\":2}"
    counted "$store: which it does not take" "$p.a" 1
    check "$store: -B bounds the lines of an id" 124 1 \
        sh -c "notify -d 5 $p.many; seq 3 | fanline wait -q --mode=pass -B 1 -s $p.many 2>left"
    check_file "$store: ... without --waiting the others are on standard error" left '2
3
wait: 2 lines are still to wait'

    printf '{"id":"%s.p"}\n{"id":"%s.q"}\n' "$p" "$p" >lines
    notify "$p.q"
    fanline wait -q --mode=pass --penalty=1h -s '${id}' --waiting=waiting <lines >out
    check_file "$store: --penalty: what is there leaves" out "{\"id\":\"$p.q\"}"
    ok "$store: ... the other is set aside" grep -q '"wait.penalty.until":"[0-9]*"' waiting
    notify -d 2 "$p.p"
    cat waiting lines >again
    check "$store: ... and not looked at, nor are other lines of its id" 0 '' \
        fanline wait -q --mode=pass -s '${id}' --waiting=waiting <again
    sed 's/"wait.penalty.until":"[0-9]*"/"wait.penalty.until":"1700000000000"/' waiting >over
    fanline wait -q --mode=pass -s '${id}' --waiting=waiting <over >out
    same "$store: ... until its time is over" "{\"id\":\"$p.p\"}" "$(head -n 1 out)"
}

# ---- only once ----

# shellcheck disable=SC2016 # for fanline
once()
{
    p=$me.$store
    printf '{"id":"%s.1","from":"A"}\n{"id":"%s.1","from":"B"}\n{"id":"%s.2","from":"C"}\n' "$p" "$p" "$p" >lines
    notify -d 3 "$p.1" && notify "$p.2"
    check "$store: --release-once: the first line of each id" 0 "{\"id\":\"$p.1\",\"from\":\"A\"}
{\"id\":\"$p.2\",\"from\":\"C\"}" fanline wait --release-once -s '${id}' --duplicate=double <lines
    check_file "$store: ... the others are duplicates" double "{\"id\":\"$p.1\",\"from\":\"B\"}"
    check_err "$store: ... also in another process, and when signals come again" 1 \
        '2 lines were duplicates; the last: signal .* has been released before' \
        sh -c "notify -d 9 $p.1; head -n 2 lines | fanline wait -x 5s --release-once -s '\${id}' 2>&1 >out | tee double >&2; exit 1"
    check_status "$store: ... and for a single signal" 1 fanline wait --release-once -x 5s "$p.1"
    check_err "$store: ... which needs something to take" 2 'nothing is released only once' \
        fanline wait --release-once -n 0 "$p.1"
    for _ in 1 2 3 4 5; do
        fanline wait -q --release-once -x 20s "$p.race" 2>/dev/null &
        waiters="${waiters-} $!"
    done
    sleep 0.2
    notify -d 5 "$p.race"
    released=0
    for pid in $waiters; do
        wait "$pid" && released=$((released + 1))
    done
    waiters=
    same "$store: ... five who wait: one is released" 1 $released
}

# ---- what lines get ----

# shellcheck disable=SC2016 # for fanline
getting()
{
    p=$me.$store
    notify -c ok -d 5 --set k=v "$p.c" && notify -c 'not ok' -d 2 "$p.c"
    check "$store: --counters" 0 '{"n":1,"k":"v","wait.counter.not ok":"2","wait.counter.ok":"5","wait.counter.total":"7"}
{"n":2,"wait.counter.total":"x","k":"v","wait.counter.not ok":"2","wait.counter.ok":"5"}' \
        sh -c "printf '{\"n\":1}\n{\"n\":2,\"wait.counter.total\":\"x\"}\n' | fanline wait --counters -x 0 -n 3 -s $p.c |
            sed 's/\"wait.counter.total\":\"7\",\"k\"/\"wait.counter.total\":\"x\",\"k\"/'"
    check "$store: --print --counters" 0 '{"k":"v","wait.counter.not ok":"2","wait.counter.ok":"5","wait.counter.total":"1"}' \
        fanline wait --print --counters -x 0 "$p.c"
    notify -d 4 "$p.b"
    check "$store: -B 1 gives out as much as all at once" 0 '1
2
3
4' sh -c "seq 4 | fanline wait -B 1 -s $p.b"
    check_err "$store: a condition on the total" 4 'has failed: >=3' \
        sh -c "notify -d 3 $p.t; fanline wait -x 5s -n 9 --fail-on '>=3' $p.t"
    check_err "$store: a producer that died, in lines that wait for a counter" 4 'has failed: broken>=1' sh -c \
        "echo 1 | notify -s $p.died --end-mark >/dev/null 2>&1
        printf '1\n{\"fanline.end\":{\"status\":0,\"items\":1,\"rejected\":0}}\n' |
            fanline wait -x 1h --end-mark -c default -n 2 -s $p.died"
    check_err "$store: items that were rejected" 4 'has failed: rejected>=1' sh -c \
        "printf 'x\n1\n{\"fanline.end\":{\"status\":0,\"items\":2,\"rejected\":0}}\n' |
            notify -q --end-mark --rejects=/dev/null -s $p.rej >/dev/null 2>&1
        fanline wait -x 1h --fail-on 'rejected>=1' -n 2 $p.rej"
}

# ---- what is better than in NiFi ----

# shellcheck disable=SC2016 # for fanline
better()
{
    p=$me.$store
    notify -d 3 "$p.own"
    check "$store: each line is judged by its own values, those behind it wait" 0 '{"n":1}
{"n":2}' sh -c "printf '{\"n\":1}\n{\"n\":2}\n{\"n\":99}\n{\"n\":0}\n' |
        fanline wait -q -x 0 -n '\${n}' -s $p.own --expired=late"
    check_file "$store: ... the others are those" late '{"n":99}
{"n":0}'
    check "$store: a target of 0 needs no signal" 0 1 sh -c "echo 1 | fanline wait -n 0 -s $p.nothing"
    notify -d 10 "$p.cancel"
    printf '{"d":2}\n{"d":-2}\n{"d":5}\n{"d":0}\n{"d":3}\n' | notify -s "$p.cancel" -d '${d}' >passed
    counted "$store: deltas that cancel out, or are 0, clear nothing" "$p.cancel" 18
    notify "$p.second"
    check "$store: a line that waits holds up no other id" 0 '{"id":"second"}' \
        sh -c "printf '{\"id\":\"first\"}\n{\"id\":\"second\"}\n' |
            fanline wait -q -x 0 -s '$p.\${id}' --expired=late"
    notify -c A -d 2 "$p.both" && notify -c B "$p.both"
    check_status "$store: what waiters for the total took" 0 fanline wait -x 0 -n 3 "$p.both"
    check_status "$store: ... nobody takes from a counter" 124 fanline wait -q -x 0 -c A "$p.both"
    notify -d -5 "$p.minus"
    check_status "$store: a counter far below 0 releases nothing" 124 fanline wait -q -x 0 -n 2 "$p.minus"
    notify -d 7 "$p.minus"
    check_status "$store: ... until it has come up" 0 fanline wait -x 0 -n 2 "$p.minus"
}

# A producer dies while others wait an hour for what it signals.
dying()
{
    p=$me.$store
    mkfifo "from.$store"
    timeout 20 fanline wait -x 1h -n 100 "$p.dying" 2>"err.$store" &
    pid=$!
    FANLINE_END_MARK=1 notify -q -s "$p.dying" <"from.$store" >passed 2>/dev/null &
    writer=$!
    sh -c 'echo 1; exec sleep 60' >"from.$store" &
    producer=$!
    until_true 10 sh -c "signalctl show $p.dying | grep '\"total\":1,'"
    kill -9 $producer
    wait $producer 2>/dev/null
    wait $pid
    same "$store: when a producer is killed its waiters fail" 4 $?
    ok "$store: ... and are told" grep -q 'has failed: broken>=1' "err.$store"
    wait $writer
}
each_store better
each_store dying
each_store passes
each_store once
each_store getting

# ---- a store that is away ----

away="redis+unix:///nonexistent/s"
printf '{"id":"a"}\n{"id":" "}\n{"id":"b"}\n' >lines
check_err '--store-failure=exit: 75' 75 'No such file' fanline wait --store=$away --store-failure=exit a
check_err 'a pass does so by itself' 75 'No such file' sh -c "fanline wait --store=$away --mode=pass -s '\${id}' <lines"
check_status '--store-failure=failure: lines fail' 0 \
    sh -c "fanline wait -q --store=$away --store-failure=failure -s '\${id}' --failure=failed <lines"
sort failed >sorted
check_file '... all of them' sorted '{"id":" "}
{"id":"a"}
{"id":"b"}'
check_err '... and it is said' 1 '^wait: lines fail: store .*: No such file' \
    sh -c "fanline wait --store=$away --store-failure=failure -s '\${id}' <lines"
check_err 'notify --store-failure=exit: 75' 75 'No such file' \
    sh -c "notify --store=$away --store-failure=exit -s '\${id}' <lines"
check 'notify --store-failure=failure: lines fail' 0 '' \
    sh -c "notify -q --store=$away --store-failure=failure -s '\${id}' --failure=failed <lines"
sort failed >sorted
check_file '... all of them' sorted '{"id":" "}
{"id":"a"}
{"id":"b"}'

# ---- a Redis that goes away, and what it refuses ----

if ! command -v redis-server >/dev/null || ! command -v redis-cli >/dev/null; then
    skip 'a Redis that refuses' 'redis-server is not installed'
    done_testing
fi
mkfifo in
start_redis away
# shellcheck disable=SC2016 # for fanline
fanline wait -q --store="$redis_url" --store-failure=exit -s '${id}' <in >out 2>err &
pid=$!
exec 9>in
printf '{"id":"a"}\n{"id": "b"}\n' >&9
notify --store="$redis_url" a
ok '--store-failure=exit: a line is released' until_true 10 grep -q a out
kill -9 $redis_pid
wait $pid
same '... and the Redis killed: 75' 75 $?
ok '... the line that is held is not lost' grep -qx '{"id": "b"}' err
exec 9>&-

# refuses NAME ERROR FIX: a notify, and a wait that could take its signal, begin while the server in
# `refusing` answers ERROR; FIX ends that.  Both say so once, and get through.
refuses()
{
    refuses_name=$1 refuses_error=$2
    shift 2
    notify --store="$redis_url" "$refuses_name" 2>err.notify &
    refuses_notify=$!
    fanline wait --store="$redis_url" -x 60s "$refuses_name" 2>err.wait &
    refuses_wait=$!
    for who in notify wait; do
        ok "$refuses_name: $who says what it waits for" \
            until_true 5 grep -q "^$who: trying again.*$refuses_error" err.$who
    done
    "$@"
    wait $refuses_notify
    same "$refuses_name: notify gets through" 0 $?
    wait $refuses_wait
    same "$refuses_name: so does wait" 0 $?
    same "$refuses_name: and they say so" '1 1' \
        "$(grep -c 'trying again' err.notify) $(grep -c '^wait: the store has answered' err.wait)"
}

start_redis refusing --lua-time-limit 50 --busy-reply-threshold 50
cli()
{
    redis-cli -s refusing/redis.sock "$@" >/dev/null
}
for id in full replica busy alone; do
    notify --store="$redis_url" $id
done
cli config set maxmemory 1
refuses full OOM cli config set maxmemory 0
cli replicaof 127.0.0.1 1
refuses replica READONLY cli replicaof no one
redis-cli -s refusing/redis.sock eval 'while true do end' 0 >/dev/null 2>&1 &
until_true 10 sh -c 'redis-cli -s refusing/redis.sock ping | grep BUSY'
refuses busy BUSY cli script kill
cli config set min-replicas-to-write 3
refuses alone NOREPLICAS cli config set min-replicas-to-write 0
cli config set requirepass secret
check_err 'a password is no reason to wait' 2 'NOAUTH' notify --store="$redis_url" a
kill $redis_pid

# A cluster whose slots are nowhere yet.
start_redis_at_port refusing2 --cluster-enabled yes --port
redis_url=redis+cluster://127.0.0.1:$redis_port
slots()
{
    redis-cli -p "$redis_port" cluster addslotsrange 0 16383 >/dev/null
}
refuses scattered 'CLUSTERDOWN\|has no slots' slots

# One look takes the whole input first; a signal to end is heard meanwhile (137: it was not).
for line in x '{"id":"never"}'; do
    for mode in --mode=pass '--nifi --triggers=1'; do
        # shellcheck disable=SC2086 # words
        yes "$line" | timeout -k 10 0.3 "$FANLINE_BIN/wait" -q $mode --store "sqlite:$PWD/flood.db" \
            --rejects=/dev/null --waiting=/dev/null -s '${id}' >out 2>err
        same "wait $mode: TERM amid endless input: $line" 124 $?
    done
done

done_testing
