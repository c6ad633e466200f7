#!/bin/sh
# tunnelctl and tunnelput: streams, tunnels and what they tell; no client reads here.
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"
if ! command -v redis-server >/dev/null; then
    skip 'tunnels' 'redis-server is not installed'
    done_testing
fi
start_redis redis
FANLINE_STORE=$redis_url
export FANLINE_STORE

# member NAME: of the first line of standard input
member()
{
    sed -n "1s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"
}

# field TUNNEL CHANNEL NAME
field()
{
    tunnelctl describe "$1" | grep "\"channel\":\"$2\"" | member "$3"
}

check_err 'no command' 2 'command is needed' tunnelctl
check_err 'not over SQLite' 2 'need a Redis' tunnelctl --store=sqlite:x list
check_err 'an option that does nothing' 2 'limit has no effect on list' tunnelctl list --limit 3
check_err 'no kind' 2 'what kind' tunnelctl create a --stream=s
check_err 'no such stream' 2 'no such stream' tunnelctl create a --type=stream --stream=s
check_err 'no such tunnel' 2 "no tunnel 'a'" tunnelctl describe a
check 'nothing to list' 0 '' tunnelctl list
check_err 'a base tunnel has no stream' 2 'no --stream' \
    tunnelctl create a --type=base --stream=s --base=x
check_err 'a base that is not there' 1 'cannot read x' tunnelctl create a --type=base --base=x
check_err 'no end in the past of everything' 2 "'earliest' is not latest, a time" \
    tunnelctl create a --type=stream -S s --until earliest
check_err 'a strange time' 2 "'tomorrow' is not" tunnelctl create a --type=stream -S s --from tomorrow

check_err 'nor one that is still to come' 2 'stream s: the time to begin at is still to come' \
    tunnelctl create a --type=stream -S s --partitions=3 --from 2199-01-01T00:00:00Z
check_err '... which has made no stream' 2 'no such stream' tunnelctl create a --type=stream -S s

check 'a stream and its tunnel' 0 '' tunnelctl create a --type=stream -S s --partitions=3
check_err 'not twice' 2 'of that name already' tunnelctl create a --type=stream -S s
check_err 'nor of another source' 2 'of that name already' \
    tunnelctl create a --type=stream -S s2 --partitions=3
check_err 'partitions are for ever' 2 'it has 3 partitions' tunnelput -S s --partitions=4
same 'list' '{"tunnel":"a","source":"s","type":"stream","stage":"init","channels":3,"ownerless":3,"clients":0,"lag":0,"lagMs":0,"expired":0,"lost":0,' \
    "$(tunnelctl list | sed 's/"createdMs".*//')"
ok '... as a table' sh -c "tunnelctl list -f table | grep -Eq '^a +s +stream +init +3 +3 +0 +0 +0 +0 *$'"
if command -v script >/dev/null; then
    for what in list 'describe a' 'clients a' 'events a'; do
        ok "a table on a terminal: $what" sh -c "script -qec 'tunnelctl $what' /dev/null | sed -n 1p | grep -Eq '^(tunnel|client|id) '"
    done
fi
ok 'again and again' sh -c 'tunnelctl list --watch=20ms | sed 3q >out; [ "$(sort -u out | wc -l)" = 1 ] && [ "$(wc -l <out)" = 3 ]'

seq 500 | sed 's/.*/{"k":"k&","n":&}/' >lines
check 'append' 0 '' sh -c "tunnelput -S s --key '\${k}' <lines"
same 'lag is exact' 500 "$(tunnelctl describe a | member lag)"
redis_cli()
{
    redis-cli -s redis/redis.sock "$@"
}
redis_cli xrange 'fanline:tunnel:{s}:p:1' - + | grep '^{' >one
ok 'one key, one partition' [ -s one ]
tunnelput -S s --key '${k}' <lines
redis_cli xrange 'fanline:tunnel:{s}:p:1' - + | grep '^{' >two
check_file '... always the same, in order' two "$(cat one one)"
check_err 'a line without its key' 1 'has no key' sh -c "echo '{\"x\":1}' | tunnelput -S s --key '\${k}'"
check_err 'how many were appended' 0 '^tunnelput: 2 lines appended$' \
    sh -c 'tunnelctl create n --type=stream -S n --partitions=1; printf "1\n2\n" | tunnelput -v -S n'
check_err '... also before a bad line' 1 '^tunnelput: 1 lines appended$' \
    sh -c 'printf "1\nx\n" | tunnelput -v -S n'
tunnelctl delete n
check_err 'what came before a bad line is there' 1 'standard input:2' \
    sh -c 'printf "1\nx\n" | tunnelput -S s'
same '... counted' 1001 "$(tunnelctl describe a | member lag)"
check 'rejects' 1 '' sh -c 'printf "1\nx\n2\n" | tunnelput -S s --rejects=bad'
check_file '... are kept' bad x
same '... and the others appended' 1003 "$(tunnelctl describe a | member lag)"

# An append that is made again under its number does nothing.
append=$(redis_cli function list | grep -o 'fanline_[0-9a-f]*_append')
for n in 1 1 2 1; do
    redis_cli fcall "$append" 1 'fanline:tunnel:{s}:src' me $n 0 '"again"' >out
done
same 'a repeated append counts once' 1005 "$(tunnelctl describe a | member lag)"

# The library is gone, as on a server that came back empty; the next call loads it.
redis_cli function flush >out
check_status 'the library is loaded again' 0 tunnelctl describe a

tunnelctl create early --type=stream -S s --from=earliest
tunnelctl create late --type=stream -S s
same 'earliest' 1005 "$(tunnelctl describe early | member lag)"
same 'latest' 0 "$(tunnelctl describe late | member lag)"
check 'seek one channel' 0 '' tunnelctl seek late stream-1 --from=earliest
same '... alone' "$(field early stream-1 lag)" "$(tunnelctl describe late | member lag)"
check_err 'seek into what is to come' 2 'the time to begin at is still to come' \
    tunnelctl seek late --from=2199-01-01T00:00:00Z
same '... changes nothing' "$(field early stream-1 lag)" "$(tunnelctl describe late | member lag)"
check_err 'the end of a word is none' 2 "--from: 't' is not latest, earliest, a time" \
    tunnelctl seek late --from=t
check_err 'no such channel' 2 'no such tunnel or channel' tunnelctl seek late stream-9 --from=latest
check 'trim keeps what is unread' 0 '{"freed":0,"lost":0}' tunnelctl trim s
check 'suspend' 0 '' tunnelctl schedule a stream-0 suspend
same '... is shown' 1 "$(field a stream-0 suspended)"
check 'terminate' 0 '' tunnelctl schedule a '*' terminate
same '... is final' 'done' "$(tunnelctl describe a | member stage)"
ok 'retention' sh -c 'tunnelctl trim s --max-length=10 | grep "\"lost\":[1-9]"'
same '... marks who has lost' 1 "$(tunnelctl describe early | member expired)"
same '... and how many' 975 "$(tunnelctl describe early | member lost)"
tunnelctl seek early --from=earliest
same '... until it is sought' 0 "$(tunnelctl describe early | member expired)"
same '... and says so' seek "$(tunnelctl events early -n 1 | member what)"

printf '1\n2\n\n3' >file
check 'a base tunnel' 0 '' tunnelctl create b --type=base --base=file --base-range=3
same '... of ranges' 2 "$(tunnelctl describe b | member channels)"
check_err '... cannot be sought as a stream' 2 'it has no stream channels' tunnelctl seek b --from=earliest
check_err '... nor to another place' 2 'back to earliest only' tunnelctl seek b base-1 --from=latest
check '... but back' 0 '' tunnelctl seek b base-1 --from=earliest
ok 'a table' sh -c "tunnelctl describe -f table b | grep '^base-1 *WAIT '"
check 'delete' 0 '' tunnelctl delete a
check_err '... is final' 2 "no tunnel 'a'" tunnelctl delete a

redis_cli config set maxmemory 1 >out
echo 1 | tunnelput -S s 2>err &
writer=$!
ok 'a full server is waited for' until_true 5 grep -q 'OOM.*trying again' err
redis_cli config set maxmemory 0 >out
wait $writer
same '... and then has the line' 0 $?
done_testing
