#!/bin/sh
# A Redis that dies, comes back, hangs, is full, and refuses, under the clients of a tunnel (scenarios
# 7, 8, 9).
. "$(dirname "$0")/tunnel.sh"
durable_redis
fast

# ---- killed, with its data kept (7) ----

FANLINE_HEARTBEAT_TIMEOUT=5s
tunnelctl create a --type=stream -S s --partitions=6
for n in 1 2 3; do
    client $n --to o -n 20 a sh -c 'sleep 0.05; cat'
done
ok 'three share six' until_true 10 holds a '2 2 2 '
append 1 4000 s
for n in 1 2 3 4 5; do
    until_true 20 has_read a $((n * 500))
    restart_redis 0.3
done
ok 'killed five times: the clients are as they were' until_true 20 holds a '2 2 2 '
ok '... and all is delivered' until_true 30 lag a 0
same '... nobody expired' 0 "$(happened a '"what":"expired"')"
same '... nobody connected anew' 3 "$(happened a '"what":"connect"')"
exactly_once '... exactly once, in order' o 4000
rules_hold a
for n in 1 2 3; do
    quit $n
    same "client $n leaves with 0" 0 $quit_status
done

# ---- hangs for longer than the timeout (8) ----

fast
tunnelctl create b --type=stream -S s2 --partitions=6
for n in 1 2 3; do
    client 1$n --to o2 -n 20 b sh -c 'sleep 0.1; cat'
done
ok 'three share six' until_true 10 holds b '2 2 2 '
append 1 4000 s2
until_true 20 has_read b 300
kill -STOP "$redis_pid"
all_noticed()
{
    for n in 11 12 13; do
        grep -q 'the lease is over' err.$n || return 1
    done
}
ok 'a silence: each client stops when its lease is over' until_true 10 all_noticed
sleep 2
kill -CONT "$redis_pid"
ok '... and comes back' until_true 10 holds b '2 2 2 '
ok 'the service notes that it was away' [ "$(happened b '"what":"shift"')" -ge 1 ]
same '... and takes nobody for dead' 0 "$(happened b '"what":"expired"')"
ok '... each has connected anew, and no storm' [ "$(happened b '"what":"connect"')" -le 9 ]
ok 'all is delivered' until_true 30 lag b 0
exactly_once '... exactly once, in order' o2 4000
rules_hold b

# ---- full: what lets it run empty goes on ----

tunnelctl create c --type=stream -S s3 --partitions=2
append 1 500 s3
redis_cli config set maxmemory 1 >out
client 4 c
ok 'a full server is read' until_true 10 lag c 0
same '... all of it' 500 "$(wc -l <out.4)"
ok '... and freed' sh -c "tunnelctl trim s3 | grep -q '\"freed\":[1-9]'"
append 501 600 s3 2>err.put &
writer=$!
ok '... while who fills it waits' until_true 10 grep -q 'OOM.*trying again' err.put
same '... and is told of, by nobody else' '' "$(cat err.4)"
redis_cli config set maxmemory 0 >out
wait $writer
same '... and gets through' 0 $?
ok '... to the reader' until_true 10 lag c 0

# Outputs need room: they wait for it.
tunnelctl create d --type=stream -S s3
client 5 --to o3 d
ok 'a client' until_true 10 holds d '2 '
tunnelctl schedule d '*' suspend
ok '... that has to wait' until_true 10 holds d '0 '
append 601 610 s3
redis_cli config set maxmemory 1 >out
tunnelctl schedule d '*' open
ok 'outputs find no room' until_true 10 grep -q 'OOM.*trying again' err.5
same '... and are not there' '' "$(sunk o3)"
redis_cli config set maxmemory 0 >out
ok '... until there is some' until_true 10 lag d 0
same '... once' 10 "$(sunk o3 | wc -l)"

# ---- refuses to write for a while ----

redis_cli replicaof 127.0.0.1 1 >out
ok 'a heartbeat that is refused: the client says why' until_true 10 grep -q 'READONLY.*trying again' err.4
redis_cli replicaof no one >out
ok '... and goes on' until_true 10 beats_pass 5
append 611 620 s3
ok '... at its work' until_true 10 lag c 0
for n in 4 5 11 12 13; do
    quit $n
    same "client $n leaves with 0" 0 $quit_status
done

# ---- the end of its journal is lost (9) ----

versions()
{
    tunnelctl describe e | sed -n 's/.*"version":\([0-9]*\).*/\1/p' | sort -n
}
rose_over()
{
    [ "$(versions | head -n 1)" -gt "$1" ]
}
taken_back()
{
    [ "$(tunnelctl describe e | grep -c '"owner":null')" = 6 ]
}
tunnelctl create e --type=stream -S s5 --partitions=6
for n in 1 2 3; do
    client 2$n --to o5 -n 20 e cat
done
ok 'three share six' until_true 10 holds e '2 2 2 '
append 1 4000 s5
ok 'all is delivered' until_true 20 lag e 0
for bytes in 700 65536; do
    append 4001 4100 s5
    ok "before $bytes bytes are lost" until_true 10 lag e 0
    highest=$(versions | tail -n 1)
    kill -9 "$redis_pid"
    journal=$(ls redis/appendonlydir/*.incr.aof)
    truncate -s $(($(wc -c <"$journal") - bytes)) "$journal"
    redis=$("$ROOT/tests/redis-up" redis --appendonly yes)
    redis_pid=${redis##* }
    at_exit "kill -9 $redis_pid 2>/dev/null"
    tunnelctl schedule e '*' open # or it may have forgotten that
    ok '... the clients go on' until_true 20 holds e '2 2 2 '
    tunnelctl schedule e '*' suspend
    ok '... channels are taken back' until_true 10 taken_back
    tunnelctl schedule e '*' open
    ok '... and versions rise over those that were lost' until_true 10 rose_over "$highest"
    ok '... nothing is missing' until_true 20 lag e 0
done
sunk o5 | sort -u >sunk.lines
ok 'what came out is all but what the journal had lost' [ "$(wc -l <sunk.lines)" -ge 3000 ]
append 5001 6000 s5
ok 'and the work goes on' until_true 20 lag e 0
sunk o5 | grep -E '"n":(5...|6000)}' >sunk.lines
same '... once' '1000 1000' "$(wc -l <sunk.lines) $(sort -u sunk.lines | wc -l)"
for n in 21 22 23; do
    quit $n
    same "client $n leaves with 0" 0 $quit_status
done

# ---- it comes back empty ----

tunnelctl create f --type=stream -S s6 --partitions=1
client 6 f
ok 'a client' until_true 10 holds f '1 '
kill -9 "$redis_pid"
rm -rf redis/appendonlydir redis/dump.rdb
append 1 10 s6 2>err.put &
writer=$!
ok 'without a server a producer waits' until_true 10 grep -q 'trying again' err.put
redis=$("$ROOT/tests/redis-up" redis --appendonly yes)
redis_pid=${redis##* }
at_exit "kill -9 $redis_pid 2>/dev/null"
wait "$(pid 6)"
same 'without its data a client ends with 2' 2 $?
ok '... and says why' grep -q 'tunnel f is gone' err.6
wait $writer
same '... a producer as well' 2 $?
ok '... and says why' grep -q 'stream s6: there is no such stream' err.put
done_testing
