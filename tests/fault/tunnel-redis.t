#!/bin/sh
# A Redis that dies, comes back, and hangs, under the clients of a tunnel (scenarios 7, 8, 9).
. "$(dirname "$0")/tunnel.sh"
durable_redis
fast

tunnelctl create a --type=stream -S s --partitions=6
for n in 1 2 3; do
    client $n --to o -n 20 a sh -c 'sleep 0.1; cat'
done
ok 'three share six' until_true 3 holds a '2 2 2 '
append 1 4000 s

# ---- killed, with its data kept (7) ----

for n in 1 2; do
    sleep 0.5
    restart_redis 0.3
done
ok 'the clients are as they were' until_true 5 holds a '2 2 2 '
same '... nobody expired' 0 "$(tunnelctl events a -n 10000 | grep -c '"what":"expired"')"

# ---- hangs for longer than the timeout (8) ----

kill -STOP "$redis_pid"
sleep 2
kill -CONT "$redis_pid"
ok 'after a silence they come back' until_true 10 holds a '2 2 2 '
ok 'the service notes that it was away' sh -c "tunnelctl events a -n 10000 | grep '\"what\":\"shift\"'"
ok 'all is delivered' until_true 20 lag a 0
exactly_once '... exactly once, in order' o 4000
rules_hold a

# ---- the end of its journal is lost (9) ----

versions()
{
    tunnelctl describe a | sed -n 's/.*"version":\([0-9]*\).*/\1/p' | sort -n | tail -n 1
}
append 4001 4100 s
ok 'some more' until_true 5 lag a 0
highest=$(versions)
kill -9 "$redis_pid"
journal=$(ls redis/appendonlydir/*.incr.aof)
truncate -s $(($(wc -c <"$journal") - 700)) "$journal"
redis=$("$ROOT/tests/redis-up" redis --appendonly yes)
redis_pid=${redis##* }
at_exit "kill -9 $redis_pid 2>/dev/null"
ok 'the clients go on' until_true 10 holds a '2 2 2 '
tunnelctl schedule a '*' suspend
sleep 0.5
tunnelctl schedule a '*' open
ok '... and versions rise over those that were lost' \
    until_true 5 sh -c "[ \$(tunnelctl describe a | sed -n 's/.*\"version\":\([0-9]*\).*/\1/p' | sort -n | head -n 1) -gt $highest ]"
ok 'nothing is missing' until_true 10 lag a 0
sunk o | sort -u >sunk.lines
ok '... but what the journal had lost' [ "$(wc -l <sunk.lines)" -ge 4000 ]
for n in 1 2 3; do
    quit $n
    same "client $n leaves with 0" 0 $quit_status
done
done_testing
