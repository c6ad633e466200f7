#!/bin/sh
# Clients of a tunnel that die, stop and hang (tunnel scenarios 3 to 6, 13, 14), and heartbeats that
# come twice (12).
. "$(dirname "$0")/tunnel.sh"
durable_redis
fast

# ---- killed, stopped, replaced, while outputs go with the checkpoints (4, 5, 6) ----

tunnelctl create a --type=stream -S s --partitions=8
for n in 1 2 3 4; do
    client $n --to o -n 20 a sh -c 'sleep 0.1; cat'
done
ok 'four share eight' until_true 3 holds a '2 2 2 2 '
append 1 6000 s
for n in 1 2 3; do
    sleep 0.4
    kill -9 "$(pid $n)"
    client $n --to o -n 20 a sh -c 'sleep 0.1; cat'
done
kill -STOP "$(pid 4)"
sleep 0.3
kill -CONT "$(pid 4)"
sleep 0.5
same 'stopped for less than the timeout: nobody notices' 0 "$(tunnelctl events a -n 10000 |
    grep -c "\"who\":\"$(tunnelctl clients a | sed -n '1s/.*"client":"\([^"]*\).*/\1/p')\",\"what\":\"expired\"")"
kill -STOP "$(pid 4)"
sleep 1.6
kill -CONT "$(pid 4)"
ok 'all is delivered' until_true 20 lag a 0
exactly_once '... exactly once, in order' o 6000
ok 'the client that was stopped came back' until_true 3 holds a '2 2 2 2 '
ok '... after it had noticed' grep -Eq 'connecting anew' err.4
rules_hold a
sleep 0.6
moves=$(tunnelctl events a -n 10000 | wc -l)
sleep 1
same 'nothing moves while nothing changes' "$moves" "$(tunnelctl events a -n 10000 | wc -l)"
quit 1
same 'a clean leave ends with 0' 0 $quit_status
ok '... and its channels are taken over' until_true 1 holds a '2 3 3 '
for n in 2 3 4; do
    quit $n
done
same '... of all' 8 "$(tunnelctl describe a | sed -n '1s/.*"ownerless":\([0-9]*\).*/\1/p')"

# ---- to files: at least once, and a command dies with its client ----

tunnelctl create b --type=stream -S s2 --partitions=4
mark=7$$.5
client 5 -n 50 b sh -c "cat; sleep 0.05"
append 1 2000 s2
sleep 0.3
kill -9 "$(pid 5)"
client 6 -n 50 b cat
started=$(date +%s%N)
ok 'a client that was killed is replaced' until_true 5 holds b '4 '
took=$((($(date +%s%N) - started) / 1000000))
ok "... within timeout and interval, twice at most ($took ms)" [ $took -lt 2600 ]
ok '... and all is delivered' until_true 10 lag b 0
cat out.5 out.6 >both
at_least_once '... at least once' both 2000
quit 6
client 7 b sleep $mark
append 2001 2001 s2
ok 'a command runs' until_true 3 pgrep -f "sleep $mark"
kill -9 "$(pid 7)"
gone()
{
    ! pgrep -f "sleep $mark"
}
ok '... and is gone with its client' until_true 2 gone

# ---- a command that never ends, asked for its channel (14) ----

tunnelctl create c --type=stream -S s3 --partitions=2
client 8 --close-limit 600ms --on-shutdown "echo shut \$FANLINE_CHANNEL >>hooks" c \
    sh -c "grep -q '\"n\":1}' && sleep $mark; true"
ok 'one client has both' until_true 3 holds c '2 '
printf '{"n":1}\n{"n":1}\n' | tunnelput -S s3
ok 'its commands hang' until_true 3 pgrep -f "sleep $mark"
client 9 c cat
ok 'another one gets a channel by force' until_true 4 holds c '1 1 '
ok '... an event tells' sh -c "tunnelctl events c -n 1000 | grep '\"why\":\"forced\"'"
ok '... its command is killed' until_true 3 sh -c "[ \$(pgrep -fc '^sleep $mark') -le 1 ]"
ok '... the hook has run' until_true 3 [ -s hooks ]
same '... once' 1 "$(wc -l <hooks)"
ok '... the line is delivered' until_true 3 grep -q '"n":1}' out.9
same 'the clients went on living' 0 "$(tunnelctl events c -n 1000 | grep -c '"what":"expired"')"
rules_hold c
kill -9 "$(pid 8)"
quit 9

# ---- slow and blocked (13) ----

tunnelctl create d --type=stream -S s4 --partitions=2
mkfifo pipe
tunnelget -n 10 d >pipe 2>err.d &
client_d=$!
exec 3<pipe
append 1 150000 s4
sleep 1.5
same 'a pipe that nobody reads expires nobody' 0 \
    "$(tunnelctl events d -n 1000 | grep -c '"what":"expired"')"
ok '... and holds lines back' sh -c "! tunnelctl describe d | sed -n 1p | grep '\"lag\":0,'"
cat <&3 >out.d &
ok '... until it is read' until_true 10 lag d 0
kill $client_d
wait $client_d
exec 3<&-
at_least_once '... all of it' out.d 150000

# ---- heartbeats twice, and late (12) ----

tunnelctl create e --type=stream -S s5 --partitions=2
prefix=$(redis_cli function list | grep -o 'fanline_[0-9a-f]*_beat')
call()
{
    f=$1
    shift
    redis_cli fcall "${prefix%beat}$f" 1 'fanline:tunnel:{s5}:src' e "$@"
}
call connect me 5000 5000 100 tag host >out
same 'an id is taken once' TAKEN "$(call connect me 5000 5000 100 tag host)"
call beat me 1 >first
version=$(sed -n 4p first)
call beat me 1 >again
same 'a heartbeat that comes twice changes nothing' "$(cat first)" "$(cat again)"
call beat me 2 stream-0 $((version + 1)) CLOSE '' >out
call beat me 3 >third
now=$(grep -A1 stream-0 third | sed -n 2p)
ok 'closed, and given again' [ "$now" -gt $((version + 1)) ]
call beat me 4 stream-0 $((version + 1)) CLOSE '' >out
same 'an old report is nothing' "$now" "$(grep -A1 stream-0 out | sed -n 2p)"
call beat me 2 stream-0 $((now + 1)) CLOSE '' >out
same 'nor is a late heartbeat' "$now" "$(grep -A1 stream-0 out | sed -n 2p)"
same 'a checkpoint' 'OK stream-0 1' \
    "$(call checkpoint me stream-0 "$now" 1 5-0 3 '' 0 0 | tr '\n' ' ' | sed 's/ $//')"
same '... again is no other' 'OK stream-0 1' \
    "$(call checkpoint me stream-0 "$now" 1 5-0 3 '' 0 0 | tr '\n' ' ' | sed 's/ $//')"
same '... counts once' 3 "$(tunnelctl describe e | sed -n '2s/.*"count":\([0-9]*\).*/\1/p')"
same '... under an old version is refused' FENCED \
    "$(call checkpoint me stream-0 "$version" 2 6-0 1 '' 0 0 | sed -n 1p)"
same '... by another as well' GONE "$(call checkpoint you stream-0 "$now" 2 6-0 1 '' 0 0 | sed -n 1p)"
call connect you 5000 5000 100 tag host >out
call beat you 1 '' 0 LEAVING '' >out
call beat me 5 stream-0 $((now + 1)) CLOSE '' >out
same 'who is leaving is given nothing' 0 "$(call beat you 2 '' 0 LEAVING '' | grep -c stream-)"
call leave me >out
same '... even if nobody else is left' 0 "$(call beat you 3 '' 0 LEAVING '' | grep -c stream-)"
rules_hold e
done_testing
