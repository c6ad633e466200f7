#!/bin/sh
# --nifi: notify and wait as NiFi does, and over the entries that NiFi itself keeps in Redis, both ways.  What
# they do with lines is in tests/cases.
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"

# ---- how it is called ----

for option in --clear --once=a --of=1 --store-failure=exit; do
    check_err "notify --nifi $option" 2 "nifi has no ${option%%=*}" notify --nifi $option -s a
done
check_err 'notify --nifi --no-signal' 2 'nifi has no --no-signal' notify --nifi --no-signal --set a=b a
for option in '--fail-on=a>=1' --counters --release-once --store-failure=exit --spool=s; do
    check_err "wait --nifi $option" 2 "nifi has no ${option%%=*}" fanline wait --nifi "$option" -s a
done
check_err 'triggers without --nifi' 2 'triggers needs --nifi' notify --triggers 1 -s a
for count in stated 2147483648 -1 x; do
    check_err "a target that NiFi's Wait refuses: $count" 2 '^wait: --count: ' fanline wait --nifi -n $count a
done
check 'a target that is an expression is not looked at beforehand' 0 '' sh -c "
    echo '{\"sig\":\"$me.x\"}' >x; fanline wait --nifi --store=sqlite:x.db --triggers 1 --waiting=y \\
        -n '\${literal(\"x\")}' -s '\${sig}' <x"
check_err '--left without --nifi' 2 'left needs --nifi' fanline wait --left=l -s a

# ---- the store of the other programs ----

single()
{
    p=$me.$store
    notify --nifi -d 3 "$p.a"
    check_status "$store: three of four" 124 fanline wait --nifi -x 100ms -n 4 "$p.a"
    notify "$p.a"
    check "$store: four, from both" 0 '{"wait.counter.default":"4","wait.counter.total":"4"}' \
        fanline wait --nifi --print -x 5s -n 4 "$p.a"
    check "$store: it is used up" 0 '[{},null]' \
        sh -c "signalctl show $p.a | jq -c '[.counters,.total]'"
    fanline wait --nifi -x 20s "$p.b" &
    pid=$!
    sleep 0.2
    notify --nifi "$p.b"
    wait $pid
    same "$store: who waits is woken" 0 $?
    printf '{"id":"%s.c","n":1}\n{"id":"%s.c","n":2}\n' "$p" "$p" >lines
    check "$store: lines are marked" 0 "{\"id\":\"$p.c\",\"n\":1,\"notified\":\"true\"}
{\"id\":\"$p.c\",\"n\":2,\"notified\":\"true\"}" notify --nifi -s '${id}' <lines
    check "$store: and get what is known, before it was taken" 0 \
        "{\"id\":\"$p.c\",\"n\":1,\"wait.counter.default\":\"2\",\"wait.counter.total\":\"2\"}
{\"id\":\"$p.c\",\"n\":2,\"wait.counter.consumed\":\"-2\",\"wait.counter.default\":\"2\",\"wait.counter.total\":\"0\"}" \
        fanline wait --nifi -x 5s -s '${id}' <lines
    for _ in 1 2 3 4; do
        seq 25 | notify --nifi -q -s "$p.race" >/dev/null &
        writers="${writers-} $!"
    done
    for pid in $writers; do wait "$pid"; done
    writers=
    counted "$store: four who change it at once" "$p.race" 100
}
each_store single

# ---- the entries of a NiFi ----

if ! command -v redis-server >/dev/null || ! command -v redis-cli >/dev/null; then
    skip 'entries of a NiFi' 'redis-server is not installed'
    done_testing
fi
start_redis own
FANLINE_STORE="$redis_url?entries=nifi"
cli()
{
    redis-cli -s own/redis.sock "$@"
}

check 'a script notifies a Wait of NiFi' 0 '' notify --nifi --set file=a.csv order-1
check '... as NiFi would' 0 '{"counts":{"default":1},"attributes":{"file":"a.csv"},"releasableCount":0}' \
    cli get order-1
same '... for ever, as NiFi does' -1 "$(cli ttl order-1)"
cli set order-2 '{"counts":{"ok":2,"consumed":-1},"attributes":{"a":"b"},"releasableCount":1}' ex 500 >/dev/null
notify --nifi -c ok -d 5 order-2
check 'to what NiFi has written it adds' 0 \
    '{"counts":{"consumed":-1,"ok":7},"attributes":{"a":"b"},"releasableCount":1}' cli get order-2
ok '... and lets it live as long as before' sh -c '[ "$1" -gt 400 ] && [ "$1" -le 500 ]' - "$(cli ttl order-2)"
notify --nifi --ttl=1h order-2
ok '... or as long as it is told' sh -c '[ "$1" -gt 3500 ] && [ "$1" -le 3600 ]' - "$(cli ttl order-2)"

cli set order-3 '{"counts":{"default":3},"attributes":{"file":"b.csv"},"releasableCount":0}' >/dev/null
check 'a script waits for a Notify of NiFi' 0 \
    '{"file":"b.csv","wait.counter.default":"3","wait.counter.total":"3"}' \
    fanline wait --nifi --print -x 5s -n 3 order-3
same '... and takes the entry away' 0 "$(cli exists order-3)"
fanline wait --nifi -x 20s order-4 &
pid=$!
sleep 0.2
cli set order-4 '{"counts":{"default":1},"attributes":{},"releasableCount":0}' >/dev/null
wait $pid
same '... also one that comes later, of which NiFi tells nobody' 0 $?
cli set order-5 '{"counts":{"default":7},"attributes":{},"releasableCount":0}' >/dev/null
fanline wait --nifi -x 5s -n 3 -c default order-5
check 'what it leaves NiFi can read' 0 '{"counts":{"default":1},"attributes":{},"releasableCount":1}' cli get order-5
cli set order-6 'no entry' >/dev/null
check_err 'what is no entry' 1 'no form that is known' fanline wait --nifi -x 5s order-6
check 'is left alone' 0 'no entry' cli get order-6
cli hset order-7 a b >/dev/null
check_err 'a key of another type' 1 'WRONGTYPE' notify --nifi order-7
check_err 'without --nifi' 2 'can only be used with --nifi' notify order-1
check_err '... neither wait' 2 'can only be used with --nifi' fanline wait -x 5s order-1

done_testing
