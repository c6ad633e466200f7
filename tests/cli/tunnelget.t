#!/bin/sh
# tunnelget: what a client does when nothing goes wrong around it, and with records that do.
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"
if ! command -v redis-server >/dev/null; then
    skip 'tunnels' 'redis-server is not installed'
    done_testing
fi
start_redis redis
FANLINE_STORE=$redis_url
FANLINE_HEARTBEAT_INTERVAL=100ms FANLINE_HEARTBEAT_TIMEOUT=1500ms FANLINE_CHECKPOINT_INTERVAL=100ms
export FANLINE_STORE FANLINE_HEARTBEAT_INTERVAL FANLINE_HEARTBEAT_TIMEOUT FANLINE_CHECKPOINT_INTERVAL

redis_cli()
{
    redis-cli -s redis/redis.sock "$@"
}

# member NAME: of the first line of standard input
member()
{
    sed -n "1s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"
}

# lines FROM TO: with a key, one of ten
lines()
{
    seq "$1" "$2" | sed 's/.*\(.\)/{"k":"&","n":&}/; s/"k":"[0-9]*\([0-9]\)"/"k":"\1"/'
}

put()
{
    lines "$1" "$2" | tunnelput -S "$3" --key '${k}'
}

# stream NAME: the lines of a stream, partition by partition
stream()
{
    for key in $(redis_cli keys "fanline:tunnel:{$1}:p:*" | sort); do
        redis_cli xrange "$key" - + | grep '^{'
    done
}

# ordered: standard input has, for each of the ten keys, rising numbers
ordered()
{
    awk -F'[":,}]+' '$5 + 0 <= last[$3] + 0 { bad = 1 } { last[$3] = $5 } END { exit bad }'
}

check_err 'no tunnel is named' 2 'no tunnel is named' tunnelget
check_err 'no such tunnel' 2 "no tunnel 'x'" tunnelget x
check_err 'a timeout that is too short' 2 'three times' tunnelget --heartbeat-timeout 200ms x
check_err 'an option where the command begins' 2 "'--poison=skip' stands where the command begins" \
    tunnelget --drain x --poison=skip true
check_err 'policies need a command' 2 'poison has no effect' tunnelget --poison=skip x

tunnelctl create t --type=stream -S s --partitions=4
put 1 500 s
check_status 'to standard output' 0 sh -c 'tunnelget --drain t >out'
ok '... all of it' sh -c "sort out >a; seq 1 500 | wc -l; [ \$(sort -u a | wc -l) = 500 ] && [ \$(wc -l <a) = 500 ]"
ok '... in order' ordered <out
check '... once: a second run has nothing' 0 '' tunnelget --drain t
check_err 'a command that is not there' 127 'nowhere: command not found' \
    sh -c 'echo 1 | tunnelput -S s; tunnelget --drain t ./nowhere'
check 'what was not delivered is still there' 0 '1' tunnelget --drain t

put 491 492 s
check 'the name may come before the options' 0 '"k":"1"
"k":"2"' sh -c 'tunnelget t --drain -n 1 -- grep -o "\"k\":\"[12]\"" | sort'
put 493 494 s
check '... and the command without a mark' 0 '"k":"3"
"k":"4"' sh -c 'tunnelget t --drain grep -o "\"k\":\"[34]\"" | sort'
put 495 496 s
check '... or behind them' 0 '"k":"5"
"k":"6"' sh -c 'tunnelget --drain t -- grep -o "\"k\":\"[56]\"" | sort'
put 501 600 s
check_status 'a command for each batch' 0 sh -c 'tunnelget --drain -n 7 t -- sh -c "cat; echo >&2" >out 2>err'
same '... its output is passed on' 100 "$(sort -u out | wc -l)"
ok '... what it complains of, too' grep -q '^$' err
put 601 700 s
check 'exactly once, into a stream' 0 '' tunnelget --drain --to o -n 7 t cat
same '... with as many partitions' 4 "$(redis_cli hget 'fanline:tunnel:{o}:src' partitions)"
same '... all of it' 100 "$(stream o | sort -u | wc -l)"
ok '... in order' sh -c 'cat' <out
stream o >out
ok '... in order' ordered <out
put 701 702 s
check 'and without a command' 0 '' tunnelget --drain --to o t
same '... copies' 102 "$(stream o | sort -u | wc -l)"
put 703 704 s
tunnelget --attempts 1 --to o t echo x 2>err &
client=$!
ok 'outputs have to be JSON' until_true 20 grep -q 'stuck: its output is not JSON' err
kill $client
wait $client
same '... else they go nowhere' 102 "$(stream o | sort -u | wc -l)"
# What failed is not given to anybody at once.
nothing_waits()
{
    ! tunnelctl describe "$1" | grep '"notBeforeMs":[1-9]'
}
until_true 20 nothing_waits t
check_status '... and are tried again' 0 sh -c 'tunnelget --drain t >x'
same '... from the line on that they came of' 2 "$(wc -l <x)"

# workers
tunnelctl create w --type=stream -S ws --partitions=3
put 1 300 ws
check_status 'workers that stay' 0 sh -c '
    tunnelget --drain -j 2 -n 7 --worker=lines w \
        sh -c "echo >>started; while read -r l; do echo \"\$l\"; done" >out'
same '... answer every line' 300 "$(sort -u out | wc -l)"
same '... once' 300 "$(wc -l <out)"
ok '... in order' ordered <out
same '... and are few' 2 "$(wc -l <started)"
put 301 320 ws
check_err 'one that dies has failed' 0 'record at .* is skipped: exit status 5' sh -c '
    tunnelget --drain --attempts 2 --poison=skip --worker=lines w \
        sh -c "while read -r l; do case \$l in *:307}) exit 5 ;; esac; echo \"\$l\"; done" >out'
same '... for one line' 19 "$(sort -u out | wc -l)"
ok '... in order' ordered <out
put 321 340 ws
check 'exactly once' 0 '' tunnelget --drain --to wo --worker=lines w \
    sh -c 'while read -r l; do echo "$l"; done'
same '... too' 20 "$(stream wo | wc -l)"

# hooks and the environment
until_true 20 nothing_waits t
put 705 706 s
check_status 'hooks' 0 sh -c '
    tunnelget --drain --on-open "echo open \$FANLINE_CHANNEL >>hooks" \
        --on-shutdown "echo shut \$FANLINE_CHANNEL >>hooks" t \
        sh -c "echo \$FANLINE_TUNNEL \$FANLINE_CHANNEL \$FANLINE_VERSION" >out'
same '... each once for each channel' 'open stream-0 open stream-1 open stream-2 open stream-3 shut stream-0 shut stream-1 shut stream-2 shut stream-3' \
    "$(sort hooks | tr '\n' ' ' | sed 's/ $//')"
ok '... commands know where they are' grep -Eq '^t stream-[0-3] [0-9]{13}$' out

# poison (scenario 15)
tunnelctl create p --type=stream -S ps --partitions=1
cat >picky <<'END'
#!/bin/sh
tee seen.$$ | grep -v '"n":13}' | cat
if grep -q '"n":13}' seen.$$; then
    echo 'thirteen!' >&2
    exit 3
fi
END
chmod +x picky
put 1 30 ps
check_err 'dead letters' 0 'goes to the dead letters: exit status 3: thirteen!' \
    sh -c 'tunnelget --drain --poison=dlq --attempts 2 p ./picky >out'
same '... only what failed' 29 "$(sort -u out | wc -l)"
ok '... the rest in order' ordered <out
same '... with what and why' '{"k":"3","n":13} stream-0 exit status 3: thirteen! ' \
    "$(redis_cli xrange 'fanline:tunnel:{ps}:t:p:dlq' - + | sed -n '3p;5p;9,10p' | tr '\n' ' ')"
put 13 13 ps
check_err 'skip' 0 'is skipped' sh -c 'tunnelget --drain --poison=skip --attempts 1 p ./picky'
put 13 14 ps
tunnelget --attempts 1 p ./picky >out 2>err &
client=$!
failed_twice()
{
    [ "$(tunnelctl describe p | sed -n 2p | member failures)" -ge 3 ]
}
ok 'stop: is tried again and again' until_true 5 failed_twice
ok '... says why' sh -c "tunnelctl describe p | grep 'thirteen'"
ok '... told' grep -q 'channel stream-0 is stuck: exit status 3: thirteen!' err
kill $client
wait $client
same '... and TERM ends it with 0' 0 $?
check '... nothing is lost' 0 '{"k":"3","n":13}
{"k":"4","n":14}' tunnelget --drain p

# The same with two channels and two clients, of which none can do it.
tunnelctl create pp --type=stream -S pps --partitions=2
put 1 40 pps
for n in 1 2; do
    tunnelget --attempts 1 pp ./picky >"out.pp$n" 2>"err.pp$n" &
    eval "client$n=$!"
done
failed_often()
{
    [ "$(tunnelctl describe pp | sed -n '2,$s/.*"failures":\([0-9]*\).*/\1/p' | sort -n | tail -n 1)" -ge 5 ]
}
ok 'a line that nobody can deliver' until_true 20 failed_often
same '... holds up its own channel only' 1 "$(tunnelctl describe pp | sed -n '2,$p' | grep -c '"lag":0,')"
same '... is tried again after delays that double' '' "$(tunnelctl events pp -n 1000 | tac |
    sed -n 's/.*"id":"\([0-9]*\)-.*"channel":"\([^"]*\)",.*"to":"\([A-Z]*\)",.*"why":\(.*\)}/\1 \2 \3 \4/p' |
    awk '$3 == "CLOSE" && $4 ~ /exit/ { closed[$2] = $1; delay[$2] = delay[$2] ? delay[$2] * 2 : 100 }
        $3 == "OPEN" && closed[$2] && $1 < closed[$2] + delay[$2] { print "early: " $0 }')"
ok '... is told of once by each, or when others went well since' \
    [ "$(cat err.pp1 err.pp2 | grep -c 'is stuck')" -le 3 ]
# shellcheck disable=SC2154 # client1, client2
kill "$client1" "$client2"
wait "$client1"
wait "$client2"

# timeout(1) sends each signal twice; a client that holds nothing is gone between the two.
tunnelctl create q --type=stream -S qs --partitions=1
statuses=
for _ in 1 2 3 4 5 6 7 8; do
    timeout 60 tunnelget --client-tag q q &
    ok 'a client of q' until_true 10 sh -c "tunnelctl clients q | grep '\"tag\":\"q\"'"
    kill $!
    wait $!
    statuses="$statuses$? "
done
same 'an echo of TERM changes no exit status' '0 0 0 0 0 0 0 0 ' "$statuses"

# base, and base and stream (scenario 1)
seq 1 2000 | sed 's/.*/{"b":&}/' >base1
printf '\n{"b":2001}\r\n\n{"b":2002}' >base2
printf '{"b":2003,"long":"%070000d"}\n{"b":2004}\n' 0 | gzip >base3.gz
tunnelctl create b --type=base --base base1 --base base2 --base-range=1000
check_status 'a base is read' 0 sh -c 'timeout 60 tunnelget -n 50 b >out'
same '... each line once' 2002 "$(wc -l <out)"
same '... all of them' 2002 "$(sort -u out | wc -l)"
check 'and no more: it is done' 0 '' timeout 60 tunnelget b
same '... all channels TERMINATED' 'done' "$(tunnelctl describe b | member stage)"
tunnelctl create bs --type=base-and-stream --base base1 --base base3.gz -S s --from=latest
put 800 820 s
check_status 'base, then stream' 0 sh -c 'timeout 60 tunnelget --drain -n 50 bs >out'
same '... all' 2023 "$(sort -u out | wc -l)"
same '... the base first' 0 "$(sed -n '2003,$p' out | grep -c '"b"')"
ok '... an event tells of the change' sh -c "tunnelctl events bs | grep 'last base channel TERMINATED'"
tunnelctl create c --type=base --base base1
echo '{"b":0}' >>base1
tunnelget c >out 2>err &
client=$!
ok 'a file that has changed' until_true 20 grep -q 'stuck: source changed: ' err
kill $client
wait $client
same '... delivers nothing' '' "$(cat out)"
printf '1\nx\n2\n' >bad
tunnelctl create bad --type=base --base bad
tunnelget bad >out.bad 2>err.bad &
client=$!
ok 'a line that is no JSON' until_true 10 grep -q 'ends before byte 4 is not JSON' err.bad
ok '... is not passed by' until_true 10 sh -c "tunnelctl describe bad | grep '\"failures\":[2-9]'"
kill $client
wait $client
check_file '... what comes before it is delivered, once' out.bad 1

# a stream that ends, where it is or at a time
tunnelctl create u0 --type=stream -S us --partitions=2
put 1 10 us
tunnelctl create u --type=stream -S us --from=earliest --until=latest
put 11 20 us
same 'a stream up to now' 10 "$(tunnelctl describe u | member lag)"
check_status '... is read' 0 sh -c 'timeout 60 tunnelget -n 3 u >out'
same '... so far' "$(seq 1 10 | tr '\n' ' ')" \
    "$(sed 's/.*"n":\([0-9]*\).*/\1/' out | sort -n | tr '\n' ' ')"
same '... and is done' 'done' "$(tunnelctl describe u | member stage)"
check '... for good' 0 '' timeout 60 tunnelget u
tunnelctl create empty --type=stream -S ue --partitions=2 --until=latest
check '... also an empty one' 0 '' timeout 60 tunnelget empty
soon=$(($(date +%s) + 2))
tunnelctl create v --type=stream -S us --until=${soon}000
put 21 25 us
same '... or up to a time to come' 5 "$(tunnelctl describe v | member lag)"
timeout 60 tunnelget v >out &
client=$!
ok '... what is there comes at once' until_true 10 sh -c '[ $(wc -l <out) = 5 ]'
until_true 20 sh -c "[ \$(date +%s) -ge $soon ]"
put 26 30 us
wait $client
same '... ends then' 0 $?
same '... without what came later' 5 "$(wc -l <out)"
same '... and has no lag' 0 "$(tunnelctl describe v | member lag)"
tunnelctl create u2 --type=stream -S us --from=earliest --until=${soon}000
same '... or up to a time that is over' 25 "$(tunnelctl describe u2 | member lag)"
check_status '... is read' 0 sh -c 'timeout 60 tunnelget u2 >out'
same '... so far' 25 "$(wc -l <out)"
tunnelctl create u3 --type=stream -S us --from=earliest --until=latest
put 31 40 us
for name in u0 u v u2; do
    tunnelctl delete $name
done
tunnelctl trim us --max-length=1 >out
same 'of what was trimmed only that counts which was to be read' 30 \
    "$(tunnelctl describe u3 | member lost)"

# several clients (scenarios 2 and 3)
owned()
{
    tunnelctl clients "$1" | sed 's/.*"channels":\([0-9]*\),.*/\1/' | sort | tr '\n' ' '
}
holds()
{
    [ "$(owned "$1")" = "$2" ]
}
tunnelctl create m --type=stream -S ms --partitions=8
pids=
for shares in '8 ' '4 4 ' '2 3 3 ' '2 2 2 2 '; do
    tunnelget m >"out.${#pids}" &
    pids="$pids $!"
    ok "shares $shares" until_true 3 holds m "$shares"
done
same '... with the least moves' 8 "$(tunnelctl events m -n 1000 | grep -c '"to":"CLOSING"')"
put 1 1000 ms
all_out()
{
    [ "$(cat out.? out.?? | sort -u | wc -l)" = 1000 ]
}
ok 'all together read everything' until_true 5 all_out
same '... once' 1000 "$(cat out.? out.?? | wc -l)"
first=${pids# }
first=${first%% *}
kill "$first"
wait "$first"
same 'a client leaves with 0' 0 $?
ok '... others take over' until_true 3 holds m '2 3 3 '
tunnelctl schedule m stream-0 suspend
ok 'suspend' until_true 20 sh -c 'tunnelctl describe m | grep stream-0 | grep CLOSE'
tunnelctl schedule m stream-0 open
ok '... and open' until_true 3 holds m '2 3 3 '
put 1001 1100 ms
is_read()
{
    [ "$(tunnelctl describe "$1" | member lag)" = 0 ]
}
ok 'all is read' until_true 20 is_read m
ok 'seek' tunnelctl seek m --from=earliest
ok '... all is read again' until_true 20 is_read m
same '... delivers again' 2 "$(cat out.? out.?? | grep -c '"n":1050}')"
# shellcheck disable=SC2086 # words
kill ${pids#*"$first"}
wait
done_testing
