#!/bin/sh
# A Redis that dies, hangs, and whose answers are cut off, under notify and wait: everything is counted
# and released exactly once.
. "$(dirname "$0")/signal.sh"
durable_redis

flow undisturbed true

# ---- killed, with its data kept ----

restart_twice()
{
    for n in 1 2; do
        sleep 0.4
        restart_redis 0.2
    done
}
flow killed restart_twice

# ---- hangs for three seconds ----

hang()
{
    sleep 0.5
    kill -STOP "$redis_pid"
    sleep 3
    kill -CONT "$redis_pid"
}
flow hangs hang

# ---- answers that are cut off ----

# The proxy counts pieces that it received: every third of them.
proxy cut 3 'fanline:{' 60
# That nobody waits any longer is told twice; where both are cut off, notes of it, but no signal, run out.
direct=$FANLINE_STORE FANLINE_STORE=$proxy_url
flow_but='"total":null'
flow cut true
flow_but=
FANLINE_STORE=$direct
same '... which has happened' 1 "$(($(grep -c cut proxy.out) >= 20))"

# ---- wake-ups that are lost ----

fanline wait -x 60s woken &
pid=$!
until_true 10 sh -c 'redis-cli -s redis/redis.sock pubsub numsub fanline:0:wake | tail -n 1 | grep -qx 1'
redis_cli client kill type pubsub >/dev/null
notify woken
wait $pid
same 'a waiter whose ears were cut off finds its signal all the same' 0 $?

# ---- how long the server knows a batch that was not answered ----

known_for()
{
    redis_cli pttl "$(redis_cli keys "fanline:{$1}:run:*")"
}
echo 1 | notify -s minute >passed
echo 1 | notify -s hour --store-failure=retry >passed
same 'a minute, for notify gives up before' 1 "$(($(known_for minute) > 30000 && $(known_for minute) <= 60000))"
same 'an hour, if it does not' 1 "$(($(known_for hour) > 3000000))"

# ---- the very first answers are cut off ----

kill $proxy_pid
proxy cut 1 'maxmemory-policy' 0
lines_to_wait first 10 10
ok 'a connection that breaks while its server is looked over' \
    timeout 8 sh -c "notify --store='$proxy_url' -s '\${id}' <first | cmp first -"
ok '... costs nothing' sh -c "fanline wait -x 0 -s '\${id}' <first | cmp first -"
same '... and has happened' cut "$(tail -n 1 proxy.out)"

done_testing
