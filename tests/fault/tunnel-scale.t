#!/bin/sh
# Many channels and clients, all of them restarted at once, more clients than channels (scenario 19).
# How long a heartbeat takes is told by tests/bench/tunnel.
. "$(dirname "$0")/tunnel.sh"
durable_redis
FANLINE_HEARTBEAT_INTERVAL=1s FANLINE_HEARTBEAT_TIMEOUT=20s
export FANLINE_HEARTBEAT_INTERVAL FANLINE_HEARTBEAT_TIMEOUT

# each_holds TUNNEL CLIENTS N: so many clients hold N channels each
each_holds()
{
    tunnelctl clients "$1" | awk -v want="$2" -v each="$3" '
        /"expired":0/ { clients++; if (!index($0, "\"channels\":" each ",")) bad = 1 }
        END { exit clients != want || bad }'
}
events()
{
    tunnelctl events "$1" -n 10000 | grep -c "$2"
}

tunnelctl create wide --type=stream -S w --partitions=256
started=
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    client $n --to wide.out wide
    started="$started $!"
done
ok '256 channels, 16 clients: shared evenly' until_true 60 each_holds wide 16 16
moves=$(events wide '"what":"channel"')
beats_pass 0
until_true 30 beats_pass 48
same '... and then at rest' "$moves" "$(events wide '"what":"channel"')"
append 1 5000 w
ok '... all is read' until_true 60 lag wide 0
before=$(events wide '"to":"OPEN"')
# shellcheck disable=SC2086 # words
kill $started
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    wait "$(pid $n)"
done
since=$(date +%s%N)
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    client $n --to wide.out wide
done
ok 'all restarted at once: shared evenly again' until_true 60 each_holds wide 16 16
after=$(events wide '"to":"OPEN"')
joined=$(tunnelctl clients wide | sed -n 's/.*"sinceMs":\([0-9]*\),.*/\1/p' | sort -n | tail -n 1)
# Who comes alone gets all, and what it has to give up again is told by its next heartbeat: once, if
# the others have come by then.
[ $((joined - since / 1000000)) -gt 900 ] && skip 'moves' 'the machine was too slow for a restart at once' ||
    ok "... with moves for a restart, and no more ($((after - before)))" [ $((after - before)) -le 512 ]
append 5001 6000 w
ok '... all is read' until_true 60 lag wide 0
exactly_once '... exactly once, in order' wide.out 6000
same '... Redis was never busy with us' 0 "$(cat err.* | grep -c BUSY)"
rules_hold wide
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    kill "$(pid $n)"
done
for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    wait "$(pid $n)"
done

# ---- more clients than channels ----

tunnelctl create few --type=stream -S f --partitions=8
for n in $(seq 101 164); do
    client "$n" --client-tag "c$n" few
done
one_each()
{
    [ "$(tunnelctl clients few | sed -n 's/.*"channels":\([0-9]*\),.*"expired":0.*/\1/p' | sort | uniq -c |
        awk '{ printf "%d*%d ", $1, $2 }')" = '56*0 8*1 ' ]
}
ok '64 clients for 8 channels, 56 of them idle' until_true 60 one_each
idle=$(tunnelctl clients few | sed -n 's/.*"tag":"c\([0-9]*\)",.*"channels":0,.*/\1/p' | head -n 1)
for n in $(seq 101 164); do
    [ "$n" = "$idle" ] || kill "$(pid "$n")"
done
ok '... each of which can take over' until_true 60 holds few '8 '
quit "$idle"
done_testing
