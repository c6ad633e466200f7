#!/bin/sh
# What is freed and what is not, gaps, and lag (scenarios 17 and 18).
. "$(dirname "$0")/tunnel.sh"
durable_redis
fast

# of TUNNEL NAME: a member of what describe says of the whole
of()
{
    tunnelctl describe "$1" | sed -n "1s/.*\"$2\":\"\{0,1\}\([^,\"}]*\).*/\1/p"
}
# kept S, used S: lines in the stream S, and bytes
kept()
{
    for key in $(redis_cli keys "fanline:tunnel:{$1}:p:*"); do
        redis_cli xlen "$key"
    done | awk '{ n += $1 } END { print n }'
}
used()
{
    for key in $(redis_cli keys "fanline:tunnel:{$1}:p:*"); do
        redis_cli memory usage "$key" samples 0
    done | awk '{ n += $1 } END { print n }'
}

# ---- two tunnels, one of which nobody serves (17) ----

tunnelctl create quick --type=stream -S s --partitions=2
tunnelctl create idle --type=stream -S s
append 1 2000 s
check_status 'one of two tunnels reads' 0 sh -c 'tunnelget --drain quick >out.quick'
check 'what the other one needs is not freed' 0 '{"freed":0,"lost":0}' tunnelctl trim s
same '... all is there' 2000 "$(kept s)"
before=$(used s)
tunnelctl delete idle
tunnelctl trim s >out
ok 'without it most is freed' [ "$(kept s)" -le 400 ]
ok '... and memory falls' [ "$(used s)" -lt $((before / 2)) ]
same '... nobody has lost anything' '0 0' "$(of quick expired) $(of quick lost)"

# ---- trimmed by others, behind the back of a tunnel ----

tunnelctl create gap --type=stream -S g --partitions=1
append 1 1000 g
redis_cli xtrim 'fanline:tunnel:{g}:p:0' MAXLEN 10 >out
same 'a gap: the tunnel is EXPIRED' '1 990' "$(of gap expired) $(of gap lost)"
client 1 gap
ok '... an event tells' until_true 20 sh -c \
    "tunnelctl events gap | grep '\"what\":\"expired\".*990 records were trimmed unread'"
append 1001 1005 g
beats_pass 0
until_true 20 beats_pass 6
same '... it does not jump' 0 "$(wc -c <out.1)"
tunnelctl seek gap --from=earliest
ok '... but goes on from where it is sent' until_true 20 lag gap 0
same '... with what is there' "$(seq 991 1005 | tr '\n' ' ')" \
    "$(sed 's/.*"n":\([0-9]*\).*/\1/' out.1 | sort -n | tr '\n' ' ')"
ok '... an event tells who, from where and to where' sh -c \
    "tunnelctl events gap | grep '\"who\":\"tunnelctl@.*\"what\":\"seek\",.*\"from\":\"[0-9]*-[0-9]*\",\"to\":\"0-0\"'"
same '... and it is EXPIRED no more' '0 0' "$(of gap expired) $(of gap lost)"

# A client that is reading meets the gap as well.
append 1006 1500 g
ok 'a client is at its work' until_true 20 lag gap 0
kill -STOP "$(pid 1)"
append 1501 1600 g
redis_cli xtrim 'fanline:tunnel:{g}:p:0' MAXLEN 5 >out
kill -CONT "$(pid 1)"
ok '... and stops at a gap' until_true 20 grep -q 'expired: 95 records were trimmed unread' err.1
same '... reads nothing behind it' 0 "$(grep -c '"n":1600}' out.1)"
quit 1
rules_hold gap

# ---- a base that is not read yet keeps what came to the stream since ----

echo '{"k":"0","n":0}' >base
tunnelctl create both --type=base-and-stream --base base -S p --partitions=1
tunnelctl create other --type=stream -S p
append 1 500 p
check_status 'another tunnel reads' 0 sh -c 'tunnelget --drain other >out'
tunnelctl trim p >out
same 'a base that is still to be read keeps the stream' 500 "$(kept p)"

# ---- lag (18) ----

tunnelctl create l --type=stream -S ls --partitions=4
append 1 1000 ls
same 'what nobody reads is behind, exactly' 1000 "$(of l lag)"
age=$(of l lagMs)
older()
{
    [ "$(of l lagMs)" -gt "$age" ]
}
ok '... and gets older' until_true 20 older
same '... nobody has its channels' '4 0' "$(of l ownerless) $(of l clients)"
client 2 l
ok 'read, there is no lag' until_true 20 lag l 0
same '... and no age' 0 "$(of l lagMs)"
(
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        tunnelctl describe l
        sleep 0.05
    done
) >described &
describing=$!
client 3 l
append 1001 3000 ls
kill "$(pid 3)"
wait $describing
same 'while channels move it is never negative, never unknown' 0 \
    "$(grep -Ec '"(lag|lagMs|statusAgeMs)":(-|null)' described)"
same '... and asked for often' 20 "$(grep -c '"tunnel":"l"' described)"
wait "$(pid 3)"
ok '... in the end all is read' until_true 20 lag l 0
# What Redis tells of a group that has read all of it, but not what was trimmed away before (tunnel.md
# 6.8): until 7.2 it counts that for ever.  So it is not used.
tunnelctl create x --type=stream -S xs --partitions=1
key='fanline:tunnel:{xs}:p:0'
redis_cli xgroup create "$key" theirs 0 >out
append 1 5 xs
client 4 x
ok 'five lines are read' until_true 20 lag x 0
redis_cli xreadgroup group theirs me count 1 streams "$key" '>' >out
redis_cli xtrim "$key" maxlen 1 >out
redis_cli xreadgroup group theirs me count 10 streams "$key" '>' >out
same 'a stream that was trimmed since: nothing is behind' '0 0' "$(of x lag) $(of x lost)"
theirs=$(redis_cli xinfo groups "$key" | tail -n 1)
[ "$theirs" = 0 ] && skip "... as Redis's own group says" 'this Redis counts well' ||
    same "... though Redis's own group has read all as well, and says" 3 "$theirs"
quit 4

kill -9 "$(pid 2)"
lone()
{
    [ "$(of l clients)" = 0 ] && [ "$(tunnelctl describe l | grep -c '"ownerExpired":1')" = 4 ]
}
ok 'a client that died alone is shown as expired, though nobody called' until_true 20 lone
done_testing
