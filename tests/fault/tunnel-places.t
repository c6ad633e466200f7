#!/bin/sh
# Tunnels over a cluster whose slots move (scenario 20), and over a network that goes away (10).
. "$(dirname "$0")/tunnel.sh"
fast

# ---- a cluster; two sources in different slots; one moves while it is read ----

ok 'a cluster' start_cluster
FANLINE_STORE=redis+cluster://127.0.0.1:$cluster_port
export FANLINE_STORE
at_port()
{
    port=$1
    shift
    redis-cli -p "$port" "$@"
}
tunnelctl create a --type=stream -S '{one}' --partitions=4
tunnelctl create b --type=stream -S '{two}' --partitions=4
check_err 'outputs in another slot' 2 'in another slot of the cluster' tunnelget --to '{three}' a
for n in 1 2; do
    client $n --to '{one}.out' -n 20 a sh -c 'sleep 0.05; cat'
    client 1$n --to '{two}.out' -n 20 b sh -c 'sleep 0.05; cat'
done
ok 'shares of one source' until_true 5 holds a '2 2 '
ok '... and of another' until_true 5 holds b '2 2 '
append 1 1500 '{one}'
append 1 1500 '{two}'
slot=$(at_port "$cluster_port" cluster keyslot '{one}')
node_id()
{
    at_port "$1" cluster myid
}
holder()
{
    for p in 0 1 2; do
        at_port $((cluster_port + p)) exists 'fanline:tunnel:{one}:src' 2>&1 | grep -qx 1 &&
            echo $((cluster_port + p))
    done
}
from=$(holder)
to=$cluster_port
[ "$from" != "$to" ] || to=$((cluster_port + 1))
at_port "$to" cluster setslot "$slot" importing "$(node_id "$from")" >setslot
at_port "$from" cluster setslot "$slot" migrating "$(node_id "$to")" >>setslot
# Functions do not move with a slot: who calls them there loads them.
while keys=$(at_port "$from" cluster getkeysinslot "$slot" 100) && [ -n "$keys" ]; do
    # shellcheck disable=SC2086 # words
    at_port "$from" migrate 127.0.0.1 "$to" '' 0 5000 keys $keys >>setslot
done
for p in "$to" "$from" $cluster_port $((cluster_port + 1)) $((cluster_port + 2)); do
    at_port "$p" cluster setslot "$slot" node "$(node_id "$to")" >>setslot
done
same 'the slot has moved' "$to" "$(holder)"
ok 'all of the source that moved is delivered' until_true 20 lag a 0
ok '... and of the other' until_true 20 lag b 0
for s in one two; do
    for key in 0 1 2 3; do
        for p in 0 1 2; do
            at_port $((cluster_port + p)) --raw xrange "fanline:tunnel:{$s}.out:p:$key" - + 2>&1
        done
    done | grep '^{' >sunk.lines
    oracle 1500 1 <sunk.lines >oracle.says
    ok "source $s: exactly once, in order" sh -c 'cat oracle.says; [ ! -s oracle.says ]'
done
for n in 1 2 11 12; do
    quit $n
    same "client $n leaves with 0" 0 $quit_status
done
rules_hold a
rules_hold b

# ---- a network that goes away: a client in a network of its own ----

space=fanline-$$
inside=fan$$i outside=fan$$o
if [ "$(id -u)" != 0 ] || ! command -v ip >/dev/null || ! ip netns add $space 2>/dev/null; then
    skip 'a network that goes away' 'needs root and network namespaces'
    done_testing
fi
at_exit "ip netns del $space; ip link del $outside 2>/dev/null"
network()
{
    ip link add $outside type veth peer name $inside && ip link set $inside netns $space &&
        ip addr add 10.213.77.1/30 dev $outside && ip link set $outside up &&
        ip netns exec $space ip addr add 10.213.77.2/30 dev $inside &&
        ip netns exec $space ip link set $inside up
}
if ! network 2>/dev/null; then
    skip 'a network that goes away' 'needs a pair of virtual links'
    done_testing
fi
FANLINE_HEARTBEAT_TIMEOUT=3s
start_redis_at_port redis --bind 10.213.77.1 --protected-mode no --appendonly yes --port
FANLINE_STORE=$redis_url
tunnelctl create n --type=stream -S ns --partitions=4
client 1 --to no -n 20 n sh -c 'sleep 0.05; cat'
client_n=2
ip netns exec $space "$FANLINE_BIN/tunnelget" --store "redis://10.213.77.1:$redis_port" \
    --to no -n 20 n sh -c 'sleep 0.05; cat' 2>err.2 &
away=$!
at_exit "kill -9 $away 2>/dev/null"
ok 'two clients' until_true 5 holds n '2 2 '
append 1 2000 ns
ip link set $outside down
sleep 0.5
ip link set $outside up
beats_pass 0
until_true 20 beats_pass 10
same 'gone for a moment: nothing moves' 0 "$(tunnelctl events n -n 1000 | grep -c '"what":"expired"')"
ip link set $outside down
ok 'gone: the other one takes over' until_true 20 holds n '4 '
ok '... and it has noticed by itself' until_true 10 grep -q 'lease is over' err.2
ip link set $outside up
ok 'back: it is among them again' until_true 20 holds n '2 2 '
ok 'all is delivered' until_true 20 lag n 0
exactly_once '... exactly once, in order' no 2000
kill $away
wait $away
same 'it leaves with 0' 0 $?
quit 1
rules_hold n
done_testing
