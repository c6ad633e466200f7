#!/bin/sh
# Clients of a tunnel that come and go, and die (tunnel scenarios 2 to 4).
. "$(dirname "$0")/tunnel.sh"
durable_redis
fast
mark=7$$.5

# id TUNNEL TAG: of a client
id()
{
    tunnelctl clients "$1" | sed -n "s/.*\"client\":\"\([^\"]*\)\",\"tag\":\"$2\".*/\1/p"
}

# ---- come and go, while lines flow, and only what is given up is checkpointed (2, 3) ----

FANLINE_HEARTBEAT_TIMEOUT=5m FANLINE_CHECKPOINT_INTERVAL=10m
tunnelctl create p --type=stream -S sp --partitions=8
append 1 4000 sp
for n in 1 2 3 4; do
    client $n -n 20 p sh -c 'echo >>begun; cat; sleep 0.1; echo >>ended'
    case $n in
    1) shares='8 ' ;;
    2) shares='4 4 ' ;;
    3) shares='2 3 3 ' ;;
    4) shares='2 2 2 2 ' ;;
    esac
    ok "$n share eight channels, $shares" until_true 10 holds p "$shares"
done
same '... with the least moves' 8 "$(happened p '"to":"CLOSING"')"
for n in 1 2 3; do
    quit $n
    same 'a clean leave ends with 0' 0 $quit_status
    [ $n = 1 ] && shares='2 3 3 ' || shares='4 4 '
    [ $n = 3 ] && shares='8 '
    ok '... and its channels are taken over at once' until_true 10 holds p "$shares"
done
all_seen()
{
    [ "$(cat out.1 out.2 out.3 out.4 | sort -u | wc -l)" = 4000 ]
}
ok 'all is delivered' until_true 30 all_seen
quit 4
same '... and the last one has left' 0 $quit_status
cat out.1 out.2 out.3 out.4 >all
same '... nothing twice' 4000 "$(wc -l <all)"
at_least_once '... nothing less' all 4000
same '... no batch was broken off' "$(wc -l <begun)" "$(wc -l <ended)"
ok '... all is behind a checkpoint' lag p 0
rules_hold p

# ---- a leave that lasts longer than the timeout (3) ----

fast
FANLINE_HEARTBEAT_TIMEOUT=1500ms
tunnelctl create l --type=stream -S sl --partitions=2
client 5 --close-limit 60s l sh -c 'cat; echo >>waits; until [ -e go ]; do sleep 0.02; done'
ok 'a client' until_true 10 holds l '2 '
append 1 100 sl
ok '... whose commands take long' until_true 10 lines 2 waits
client 6 l cat
kill "$(pid 5)"
sleep 3 # twice the timeout
: >go
wait "$(pid 5)"
same '... is waited for after TERM' 0 $?
same '... and goes on living' 0 "$(happened l '"what":"expired"')"
ok '... its channels are taken over' until_true 10 holds l '2 '
at_least_once '... what it had in hand is delivered' out.5 100
same '... by nobody else' '' "$(cat out.6)"
quit 6
rules_hold l

# ---- killed and replaced, while outputs go with the checkpoints (4) ----

fast
tunnelctl create a --type=stream -S s --partitions=8
for n in 1 2 3 4; do
    client $n --to o -n 20 a sh -c 'sleep 0.1; cat'
done
ok 'four share eight' until_true 10 holds a '2 2 2 2 '
append 1 5000 s
for k in 0 1 2 3 4 5 6 7 8 9; do
    until_true 20 has_read a $((k * 450))
    n=$((k % 4 + 1))
    kill -9 "$(pid $n)"
    client $n --to o -n 20 a sh -c 'sleep 0.1; cat'
done
ok 'ten are killed: all is delivered' until_true 30 lag a 0
exactly_once '... exactly once, in order' o 5000
ok '... and shared as before' until_true 10 holds a '2 2 2 2 '
rules_hold a
for n in 1 2 3 4; do
    quit $n
done

# ---- killed, the outputs written: how much comes twice, and what is left of it (4) ----

tunnelctl create b --type=stream -S s2 --partitions=4
client 7 -n 20 b sh -c 'sleep 0.05; cat'
append 1 2000 s2
ok 'a client in the middle' until_true 20 lines 1400 out.7
kill -9 "$(pid 7)"
client 8 -n 20 b cat
ok 'it is killed: all is delivered' until_true 20 lag b 0
cat out.7 out.8 >both
at_least_once '... at least once' both 2000
# Of each channel twice at most what was delivered since a checkpoint, and a batch; on a slow machine more.
ok "... and little of it twice ($(($(wc -l <both) - 2000)))" [ "$(wc -l <both)" -lt 2700 ]
quit 8
client 9 b sleep $mark
append 2001 2001 s2
ok 'a command runs' until_true 10 pgrep -f "sleep $mark"
kill -9 "$(pid 9)"
gone()
{
    ! pgrep -f "sleep $mark"
}
ok '... and is gone with its client' until_true 10 gone

# ---- when (4) ----

FANLINE_HEARTBEAT_TIMEOUT=3s
tunnelctl create w --type=stream -S sw --partitions=2
client 1 --client-tag one w
client 2 --client-tag two w
ok 'two clients' until_true 10 holds w '1 1 '
killed=$(id w one)
at=$(now_ms)
kill -9 "$(pid 1)"
ok '... one is killed' until_true 20 holds w '2 '
took=$(($(tunnelctl events w | sed -n "s/.*\"id\":\"\([0-9]*\)-.*\"$killed\",\"what\":\"expired\".*/\1/p") - at))
ok "... and missed after the timeout, not much later ($took ms)" [ "$took" -gt 2000 -a "$took" -lt 6000 ]
kill -9 "$(pid 2)"
sleep 7 # more than twice the timeout
client 3 w
ok 'after all have died, and some time, a new one gets everything' until_true 20 holds w '2 '
quit 3
rules_hold w

done_testing
