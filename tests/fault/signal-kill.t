#!/bin/sh
# wait and notify killed with -9 at the worst moments: between writing a line and confirming its
# release, and between the store's answer and passing a line on.
. "$(dirname "$0")/signal.sh"
durable_redis
direct=$FANLINE_STORE

# stopped_at WORD: the proxy has done its harm.
stopped_at()
{
    until_true 10 grep -q "$1" proxy.out
}

# The settling of leases: an argument of its script.
settling=$(printf '3\r\nend\r\n')

killed()
{
    kill -9 "$1" 2>/dev/null
    wait "$1" 2>/dev/null
}


# ---- wait: the lines are written, the release is not confirmed ----

proxy hold 2 "$settling"
notify -d 25 unconfirmed
seq 25 >lines
fanline wait --store="$proxy_url" -s unconfirmed -B 10 --lease=1s -x never <lines >first 2>err &
pid=$!
ok 'two leases are written, one is confirmed' stopped_at held
check_file '... and the lines are out' first "$(seq 20)"
killed $pid
check "then the rest is there, and the lease in doubt" 0 "$(seq 15)" \
    fanline wait -q -s unconfirmed -x 20s <<EOF_LINES
$(seq 15)
EOF_LINES
none_left 'unconfirmed' unconfirmed

# ---- the release is confirmed, the answer does not come ----

kill $proxy_pid
proxy mute 2 "$settling"
notify -d 25 confirmed
fanline wait --store="$proxy_url" -s confirmed -B 10 --lease=1s -x never <lines >first 2>err &
pid=$!
ok 'two leases are confirmed' stopped_at muted
killed $pid
check 'then five are left, and nothing is repeated' 0 "$(seq 5)" fanline wait -q -s confirmed -x 20s <<EOF_LINES
$(seq 5)
EOF_LINES
none_left 'confirmed' confirmed

# ---- with a spool nothing is repeated ----

kill $proxy_pid
proxy hold 2 "$settling"
notify -d 22 spooled
fanline wait --store="$proxy_url" -s spooled -B 10 --lease=1s -x never --spool=spool \
    <lines >first 2>err &
pid=$!
ok 'two leases are written' stopped_at held
killed $pid
check_file '... and the lines are out' first "$(seq 20)"
fanline wait -s spooled -x 20s --spool=spool >second 2>err &
pid=$!
ok 'the next run releases the next two' until_true 10 test -s second
notify -d 3 spooled
wait $pid
same '... and ends when the others come' 0 $?
check_file '... each line having left once' second "$(seq 21 25)"
none_left 'spooled' spooled
check_file '... and the spool is empty' spool ''

# ---- many ids in one call ----

kill $proxy_pid
proxy hold 1 "$settling"
lines_to_wait many 100 100
FANLINE_STORE=$direct
notify -s '${id}' <many >passed
fanline wait --store="$proxy_url" -s '${id}' --lease=1s -x never <many >first 2>err &
pid=$!
ok 'a hundred ids are released' stopped_at held
killed $pid
fanline wait -s '${id}' -x 20s <many >second
same '... and again, with the leases' 0 $?
ok '... all of them' sh -c 'sort second >a && sort many >b && cmp a b'
fanline wait -q -s '${id}' -x 0 <many >third 2>/dev/null
check_file '... and no more' third ''

# ---- notify: the store has the lines, they are not passed on ----

kill $proxy_pid
proxy mute 4 'fanline:{twice}'
seq 100 >lines
awk '{ printf "{\"k\":%d}\n", $1 }' lines >keyed
notify --store="$proxy_url" -s twice --once '${k}' -B 10 <keyed >passed 2>err &
pid=$!
ok 'notify has sent its fourth batch' stopped_at muted
killed $pid
check_status '... and passed on no line of it' 1 grep '"k":31}' passed
ok '... the store having four' sh -c 'signalctl show twice | grep -q "\"total\":40,"'
check 'sent again, all lines pass' 0 "$(cat keyed)" notify -s twice --once '${k}' -B 7 <keyed
counted '... and each counts once' twice 100

done_testing
