#!/bin/sh
# What the service makes of calls that come twice, late, from strangers, from the dead and from very
# many (tunnel scenarios 4, 12), called without a client.
. "$(dirname "$0")/tunnel.sh"
durable_redis

# service TUNNEL SOURCE: call FUNCTION ARG... is of that tunnel from now on
service()
{
    called=$1 source=$2
    prefix=$(redis_cli function list | grep -o 'fanline_[0-9a-f]*_beat')
}
call()
{
    f=$1
    shift
    redis_cli fcall "${prefix%beat}$f" 1 "fanline:tunnel:{$source}:src" "$called" "$@"
}

# ---- heartbeats twice, and late (12) ----

tunnelctl create e --type=stream -S s5 --partitions=2
service e s5
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
same '... under its number is no other either' FENCED \
    "$(call checkpoint me stream-0 "$now" 1 6-0 1 '' 0 0 | sed -n 1p)"
same '... nor with a number left out' FENCED \
    "$(call checkpoint me stream-0 "$now" 3 6-0 1 '' 0 0 | sed -n 1p)"
same '... under an old version is refused' FENCED \
    "$(call checkpoint me stream-0 "$version" 2 6-0 1 '' 0 0 | sed -n 1p)"
same '... by another as well' GONE "$(call checkpoint you stream-0 "$now" 2 6-0 1 '' 0 0 | sed -n 1p)"
for _ in 1 2; do
    call checkpoint me stream-0 "$now" 2 6-0 0 '' 0 1 '{"d":1}' 6-0 why >out
done
same 'a dead letter comes once, with its checkpoint' 1 "$(redis_cli xlen 'fanline:tunnel:{s5}:t:e:dlq')"
call connect you 5000 5000 100 tag host >out
same 'a checkpoint by another who is known is refused' FENCED \
    "$(call checkpoint you stream-0 "$now" 3 6-0 1 '' 0 0 | sed -n 1p)"
call beat you 1 '' 0 LEAVING '' stream-0 $((now + 1)) CLOSE '' >out
same 'a report by a stranger is nothing' "$now" "$(call beat me 5 | grep -A1 stream-0 | sed -n 2p)"
call beat me 6 stream-0 $((now + 1)) CLOSE '' >out
same 'who is leaving is given nothing' 0 "$(call beat you 2 '' 0 LEAVING '' | grep -c stream-)"
call leave me >out
same '... even if nobody else is left' 0 "$(call beat you 3 '' 0 LEAVING '' | grep -c stream-)"
same 'a channel that is not read to its end is not TERMINATED by a word' 0 \
    "$(call connect he 5000 5000 100 tag host >out
    version=$(call beat he 1 | grep -A1 stream-0 | sed -n 2p)
    call beat he 2 stream-0 $((version + 1)) TERMINATED '' >out
    tunnelctl describe e | grep -c TERMINATED)"
rules_hold e

# ---- who comes back, and says who it was ----

tunnelctl create b --type=stream -S sb --partitions=2
service b sb
call connect me 60000 60000 100 tag host >out
same 'a client has all' 2 "$(call beat me 1 | grep -c stream-)"
call connect again 60000 60000 100 tag host nobody me >out
same '... also when it comes back under another id' 2 "$(call beat again 1 | grep -c stream-)"
same '... and the old one is no more' GONE "$(call beat me 2 | sed -n 1p)"
rules_hold b

# ---- the dead, among clients of other habits (4) ----

# The silence of one who is dead proves no absence of Redis, however short its timeout was.
tunnelctl create m --type=stream -S sm --partitions=2
service m sm
call connect dead 300 300 100 tag host >out
call beat dead 1 >out
same 'a client has all' 2 "$(grep -c stream- out)"
call connect slow 60000 60000 100 tag host >out
beats=0
slow_has()
{
    sleep 0.2 # more than half of what the dead one bears
    beats=$((beats + 1))
    [ "$(call beat slow $beats | grep -c stream-)" = "$1" ]
}
ok '... it dies: one who is heard more rarely takes over' until_true 1 slow_has 2
same '... because it expired' 1 "$(tunnelctl events m | grep -c '"who":"dead","what":"expired"')"
rules_hold m

# ---- more channels than a call has room for arguments ----

seq 1 9000 | sed 's/.*/1/' >base
tunnelctl create many --type=base --base=base --base-range=2
service many many
call connect me 60000 60000 100000 tag host >out
for n in 1 2 3 4; do
    same "heartbeat $n of one who has nine thousand" 9000 "$(call beat me $n | grep -c '^base-')"
done
done_testing
