#!/bin/sh
# Clients of a tunnel that are stopped for a while, and go on as if nothing had been (tunnel scenarios 5,
# 6).
. "$(dirname "$0")/tunnel.sh"
durable_redis
fast
mark=7$$.5

# ---- stopped for longer than the timeout, with batches in hand (5) ----

tunnelctl create z --type=stream -S sz --partitions=4
client 1 -n 20 --on-shutdown 'echo $FANLINE_CHANNEL $FANLINE_VERSION >>shut' z \
    sh -c "echo >>in-hand; until [ -e go ]; do sleep 0.02; done; cat; : $mark"
ok 'a client' until_true 10 holds z '4 '
append 1 400 sz
ok '... has batches in hand' until_true 10 lines 4 in-hand
kill -STOP "$(pid 1)"
client 2 -n 20 z cat
ok '... is stopped: another one takes over' until_true 20 holds z '4 '
ok '... and delivers all' until_true 20 lag z 0
: >go
of_the_stopped()
{
    ! pgrep -f "^sh -c .*: $mark"
}
ok '... its commands end meanwhile' until_true 20 of_the_stopped
kill -CONT "$(pid 1)"
ok 'it goes on, notices and comes back' until_true 20 holds z '2 2 '
ok '... says so' grep -Eq 'connecting anew' err.1
same '... what it had in hand is not written' '' "$(cat out.1)"
ok '... its hooks have run' until_true 20 lines 4 shut
same '... once for each channel' 4 "$(sort -u shut | wc -l)"
append 401 800 sz
ok '... and it works on' until_true 20 lag z 0
ok '... with its share' [ -s out.1 ]
cat out.2 out.1 >both # the second one was the first to deliver
same '... nothing was delivered twice' 800 "$(wc -l <both)"
at_least_once '... nor lost' both 800
rules_hold z
quit 1
quit 2

# The same with outputs that go with the checkpoint, over and over.
tunnelctl create y --type=stream -S sy --partitions=4
for n in 3 4; do
    client $n --to oy -n 20 y sh -c 'sleep 0.05; cat'
done
ok 'two share four' until_true 10 holds y '2 2 '
append 1 4000 sy
for k in 1 2 3; do
    until_true 20 has_read y $((k * 600))
    kill -STOP "$(pid 3)"
    until_true 10 holds y '4 '
    kill -CONT "$(pid 3)"
    ok "stopped and back, $k" until_true 20 holds y '2 2 '
done
ok 'all is delivered' until_true 30 lag y 0
exactly_once '... exactly once, in order' oy 4000
rules_hold y
beats_pass 0
until_true 10 beats_pass 10
moves=$(happened y '')
ok 'time passes' until_true 10 beats_pass 20
same '... and nothing moves while nothing changes' "$moves" "$(happened y '')"
quit 3
quit 4

# ---- stopped for less than the timeout, ten times (6) ----

FANLINE_HEARTBEAT_TIMEOUT=1500ms
tunnelctl create x --type=stream -S sx --partitions=4
for n in 5 6; do
    client $n --to ox -n 20 x cat
done
ok 'two share four' until_true 10 holds x '2 2 '
opened=$(happened x '"to":"OPEN"')
longest=0
for k in 1 2 3 4 5 6 7 8 9 10; do
    append $((k * 100 - 99)) $((k * 100)) sx
    at=$(now_ms)
    kill -STOP "$(pid 5)"
    sleep 0.5
    kill -CONT "$(pid 5)"
    took=$(($(now_ms) - at))
    [ $took -lt $longest ] || longest=$took
    beats_pass 0
    until_true 10 beats_pass 4
done
ok 'all is delivered' until_true 20 lag x 0
exactly_once '... exactly once, in order' ox 1000
if [ $longest -gt 1000 ]; then
    skip 'stopped for less than the timeout' "the machine was too slow for it: $longest ms"
else
    same 'stopped for less than the timeout: nobody notices' "0 2 $opened" \
        "$(happened x '"what":"expired"') $(happened x '"what":"connect"') $(happened x '"to":"OPEN"')"
    same '... nor does the client' '' "$(cat err.5)"
fi
rules_hold x
quit 5
quit 6
done_testing
