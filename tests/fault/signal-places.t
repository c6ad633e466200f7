#!/bin/sh
# notify and wait over servers that change places: a slot of a cluster that is moved, a master that dies
# and is replaced by its replica.
. "$(dirname "$0")/signal.sh"

# ---- a cluster; slots move while it is used ----

ok 'a cluster' start_cluster
FANLINE_STORE=redis+cluster://127.0.0.1:$cluster_port
export FANLINE_STORE
move_around()
{
    sleep 0.3
    move_slots 0 1 700 && move_slots 1 2 700 && move_slots 2 0 700 && kill -0 "$flow_notify" && echo moved >moves
}
flow_pause=0.1 flow_until=moves
flow moved move_around
flow_until=
check_file '... slots having moved meanwhile' moves moved

# ---- a slot that nobody serves ----

# Only its owner can give a slot up: another server would learn of it again.
slot=$(redis-cli -p "$cluster_port" cluster keyslot 'fanline:{down}')
for owner in 0 1 2; do
    redis-cli -p $((cluster_port + owner)) get 'fanline:{down}' 2>&1 | grep -q MOVED || break
done
ok 'the owner gives the slot up' redis-cli -e -p $((cluster_port + owner)) cluster delslots "$slot"
ok 'the cluster is down' until_true 10 sh -c \
    "redis-cli -p $((cluster_port + owner)) get 'fanline:{down}' 2>&1 | grep CLUSTERDOWN"
echo 1 | notify -s down --store-failure=retry 2>err.notify >passed &
pid=$!
ok 'notify says what it waits for' until_true 10 grep -q 'trying again: ' err.notify
redis-cli -p $((cluster_port + owner)) cluster addslots "$slot" >/dev/null
wait $pid
same '... and gets through when it is up' 0 $?
counted '... once' down 1
kill $cluster_pids 2>/dev/null

# ---- a master that dies ----

start_sentinels
FANLINE_STORE=redis+sentinel://$sentinels/main
master_at()
{
    redis-cli -p "$sentinel_port" sentinel get-master-addr-by-name main | sed -n 2p
}
replica_is_there()
{
    redis-cli -p "$(master_at)" wait 1 1000 | grep -q 1
}
lines_to_wait dies 50 1000
# shellcheck disable=SC2016 # for fanline
fanline wait -s '${id}' -x 60s <dies >released 2>err.wait &
waiter=$!
head -n 500 dies | notify -s '${id}' >/dev/null
# shellcheck disable=SC2016 # for the inner shell
ok 'half of the lines leave' until_true 20 sh -c '[ "$(wc -l <released)" = 500 ]'
ok '... and a replica knows' until_true 20 replica_is_there
old=$(master_at)
kill -9 "$(redis-cli -p "$old" info server | sed -n 's/^process_id:\([0-9]*\).*/\1/p')"
# shellcheck disable=SC2016 # for fanline
tail -n 500 dies | notify -s '${id}' --once '${n}' --store-failure=retry >passed 2>err.notify
same 'notify goes on with the next master' 0 $?
# The sentinel that is asked may not be the one that led the change; it hears of it a little later.
another_master()
{
    [ "$(master_at)" != "$old" ]
}
ok '... which is another one' until_true 20 another_master
same '... and says so, and that it answers' 2 "$(grep -Ec 'trying again|has answered' err.notify)"
check 'sent again, nothing counts twice' 0 "$(cat passed)" \
    sh -c "tail -n 500 dies | notify -s '\${id}' --once '\${n}'"
wait $waiter
same 'wait releases the others' 0 $?
sort released >released.sorted
sort dies >expected.sorted
ok '... each line once' cmp expected.sorted released.sorted
ok '... in the order of its id' in_order released
same '... and nothing is left' '' "$(signalctl list | grep '"dies')"

done_testing
