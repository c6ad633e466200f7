#!/bin/sh
# signalctl: what is known of signals, as JSON lines, as a table, in sentences; and putting them right.
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"
unset FANLINE_TEST_REDIS # gc takes away what others have put there

# ---- how it is called ----

check_err 'no command' 2 '^signalctl: no command is named$' signalctl
check_err 'a command that is none' 2 "there is no command 'lst'" signalctl lst
check_err 'no id' 2 'show takes one ID or more' signalctl show
check_err 'a blank id' 2 'blank' signalctl show ' '
check_err 'no value' 2 'set takes an ID and a value' signalctl set a
check_err 'a value that is no number' 2 'whole number' signalctl set a 1.5
check_err 'an operand too many' 2 'list takes no operands' signalctl list a
check_err 'an option that the command does not have' 2 'no effect with show' signalctl -c x show a
check_err 'another one' 2 'no effect with list' signalctl --older-than=1h list

# facts FILTER ID: jq's FILTER over what is shown of ID.
facts()
{
    signalctl show "$2" | jq -c "$1"
}

looking()
{
    p=$me.$store
    check "$store: an id that is not there" 0 '[{},null,null,0,0,0,{},null,null,null,null,null,null,[]]' \
        facts '[.counters,.total,.target,.tickets,.leased,.once,.attributes,.created,.changed,.age,.expires,.ttl,.notifier,.waiters]' \
        "$p.none"
    notify -c good -d 7 --of 10 --set by=me --once k "$p.full" && notify -c 'bad one' -d -2 "$p.full"
    check "$store: counters, total, target, keys, attributes" 0 \
        '[{"bad one":-2,"good":7},5,10,1,{"by":"me"}]' \
        facts '[.counters,.total,.target,.once,.attributes]' "$p.full"
    check "$store: who, when, until when" 0 '[true,true,true,true]' \
        facts '[(.notifier|test(":[0-9]+$")),(.created<=.changed),(.age<60),(.ttl>86000 and .ttl<=86400)]' "$p.full"
    notify --ttl=never "$p.ever"
    check "$store: a signal that lives for ever" 0 '[null,null]' facts '[.expires,.ttl]' "$p.ever"
    notify -d 3 "$p.left" && fanline wait -x 0 -n 3 -r 2 "$p.left"
    check "$store: a ticket that is left over" 0 '[0,1]' facts '[.total,.tickets]' "$p.left"
    notify "$p.past" && fanline wait -x 0 --release-once "$p.past"
    check "$store: a signal that was released once" 0 'true' facts '.released!=null' "$p.past"
    signalctl list | jq -r .id | grep "^$p" >listed
    check_file "$store: all of them in the list, in order" listed "$(printf '%s\n' "$p.ever" "$p.full" "$p.left" "$p.past")"
    check "$store: in NiFi's form" 0 \
        "{\"id\":\"$p.full\",\"counts\":{\"bad one\":-2,\"good\":7},\"attributes\":{\"by\":\"me\"},\"releasableCount\":0}" \
        signalctl --nifi show "$p.full"
    signalctl -f table show "$p.full" "$p.none" >table
    same "$store: a table has a row each, below its headings" "ID COUNTS TOTAL TARGET TICKETS AGE TTL WAITING NOTIFIER
$p.full bad one=-2 good=7 5 10 -
$p.none - - - - - - - -" "$(tr -s ' ' <table | sed 's/ [0-9]*s 2[0-9]h - [^ ]*$//')"
    check "$store: -f json on a terminal" 0 true sh -c \
        "script -qec \"signalctl -f json show $p.full\" /dev/null </dev/null | jq '.id==\"$p.full\"'"
    ok "$store: a table on a terminal" sh -c \
        "script -qec 'signalctl show $p.full' /dev/null </dev/null | grep '^ID  *COUNTS '"
    notify "$(printf '%s.\033[31mred\n' "$p")"
    check_status "$store: what would spoil a terminal is not shown" 1 \
        sh -c "signalctl -f table list | grep '[[:cntrl:]]\\[31m'"
    odd=$(printf '%s\n\302\233\033]0;t\007\342\200\256' "$p.odd")
    notify -c "$(printf 'a\tb')" --set "x=$(printf '\033[2J')" "$odd"
    check "$store: ... but spelled out, in a table" 0 "$p.odd\\n\\u009b\\x1b]0;t\\x07\\u202e a\\tb=1" \
        sh -c 'signalctl -f table show "$1" | tail -n 1 | cut -d" " -f1,3' sh "$odd"
    signalctl explain "$odd" >explained
    ok "$store: ... and in sentences" grep -Fqx "signal '$p.odd\\n\\u009b\\x1b]0;t\\x07\\u202e':" explained
    check_err "$store: ... and not in messages" 124 "^wait: signal '$p.odd.[?][?][?]]0;t[?]" \
        fanline wait -x 0 -n 9 "$odd"
    signalctl delete "$odd"
}
each_store looking

# Thousands of signals: a page after the other, in little memory.
crowded()
{
    p=$me.$store.crowd
    seq 10000 12499 | sed "s/.*/{\"id\":\"$p-&\"}/" >crowd
    # shellcheck disable=SC2016 # for notify
    notify -s '${id}' -c '${id}' <crowd >out
    signalctl -f table list >table
    same "$store: a table of 2500 has one heading" 1 "$(grep -c '^ID ' table)"
    same "$store: ... a row each, in order" "$(jq -r .id crowd | cksum)" \
        "$(grep -o "^$p-[0-9]*" table | cksum)"
    same "$store: ... and columns that stand below each other" 1 \
        "$(grep "^$p-" table | sed 's/=1 .*//' | awk '{ print length($0) }' | sort -u | wc -l)"
    same "$store: as JSON lines the same" "$(jq -r .id crowd | cksum)" \
        "$(signalctl list | jq -r .id | grep "^$p-" | cksum)"
    check "$store: who looks at the head only does not wait for the rest" 0 1 \
        sh -c 'signalctl list | head -n 1 | wc -l'
    jq -r .id crowd | xargs signalctl delete
    same "$store: all are deleted" 0 "$(signalctl list | grep -c "\"$p-")"
}
each_store crowded

explaining()
{
    p=$me.$store
    ok "$store: nothing is there" sh -c "signalctl explain $p.none | grep 'nothing is there: nobody has notified it'"
    printf '{"n":1}\n{"n":2}\n' >two
    notify -c ok -d 3 "$p.why"
    fanline wait -x 60s -n 5 -c ok -s "$p.why" <two >out 2>err &
    pid=$!
    ok "$store: who waits is told" until_true 10 sh -c \
        "signalctl show $p.why | jq -e '.waiters[0].lines==2 and .waiters[0].target==5 and .waiters[0].counter==\"ok\"'"
    signalctl explain "$p.why" >why
    ok "$store: for what, and what is missing" \
        grep -q 'holds 2 lines for .*: the first needs 5 of the counter ok, 2 are missing$' why
    ok "$store: who notified last" grep -q '^  last notified [0-9]*s ago by .*:[0-9]*$' why
    ok "$store: a deleted signal is still waited for" sh -c \
        "signalctl delete $p.why; signalctl show $p.why | jq -e '.total==null'"
    notify -c ok -d 10 "$p.why"
    wait $pid
    same "$store: ... and can come again" 0 $?
    fanline wait -x 60s -n stated "$p.stated" &
    pid=$!
    ok "$store: a target that nobody has stated" until_true 10 sh -c \
        "signalctl explain $p.stated | grep 'nobody has stated yet'"
    notify --of 1 "$p.stated"
    wait $pid
    printf 'x\n' | notify -q --end-mark --rejects=/dev/null -s "$p.cut" >out 2>err
    ok "$store: a stream that was cut short" sh -c "signalctl explain $p.cut | grep 'was cut short (counter broken)'"
    ok "$store: ... and lost items" sh -c "signalctl explain $p.cut | grep 'were rejected (counter rejected)'"
}
each_store explaining

changing()
{
    p=$me.$store
    notify -c a -d 3 --set x=1 "$p.c" && notify -c b "$p.c"
    signalctl -c a set "$p.c" 9223372036854775806
    check "$store: a counter is set" 0 '[{"a":9223372036854775806,"b":1}]' \
        sh -c "signalctl show $p.c | sed 's/.*\\(\"counters\":{[^}]*}\\).*/\\1/; s/\"counters\":\\(.*\\)/[\\1]/'"
    check_err "$store: not beyond 64 bits in all" 1 'would leave 64 bits' signalctl -c a set "$p.c" 9223372036854775807
    signalctl -c a clear "$p.c"
    check "$store: a counter is cleared" 0 '[{"a":0,"b":1},{"x":"1"}]' facts '[.counters,.attributes]' "$p.c"
    signalctl clear "$p.c"
    check "$store: all are" 0 '[{"a":0,"b":0},0,{"x":"1"}]' facts '[.counters,.total,.attributes]' "$p.c"
    signalctl set "$p.new" 4
    counted "$store: a signal is made" "$p.new" 4
    signalctl set "$p.wake" 0
    fanline wait -x 20s "$p.wake" &
    pid=$!
    signalctl set "$p.wake" 1
    wait $pid
    same "$store: setting releases who waits" 0 $?
    signalctl --nifi set "$p.n" '{"counts":{"A":2,"consumed":-1},"attributes":{"k":"v"},"releasableCount":3}'
    check "$store: a whole signal of NiFi's" 0 \
        "{\"id\":\"$p.n\",\"counts\":{\"A\":2,\"consumed\":-1},\"attributes\":{\"k\":\"v\"},\"releasableCount\":3}" \
        signalctl --nifi show "$p.n"
    check_err "$store: what is none" 2 'no form that is known' signalctl --nifi set "$p.n" '{"counts":1}'
    notify --once a "$p.d" && signalctl delete "$p.d" && notify --once a "$p.d"
    counted "$store: deleted with the keys of --once" "$p.d" 1
}
each_store changing

collecting()
{
    p=$me.$store
    notify "$p.used" && notify --clear "$p.zero" && notify -d 2 "$p.two" && notify --ttl 100ms "$p.over"
    notify -d 3 "$p.ticket" && fanline wait -x 0 -n 3 -r 2 "$p.ticket"
    notify -c a "$p.held" && notify -c a -d -1 "$p.held"
    fanline wait -x 60s "$p.held" &
    pid=$!
    until_true 10 sh -c "signalctl show $p.held | jq -e '.waiters|length==1'"
    sleep 0.2
    ok "$store: gc" signalctl -v gc
    check "$store: ... takes away what is of no use" 0 "$p.held
$p.ticket
$p.two
$p.used" sh -c "signalctl list | jq -r .id | grep -e '^$p.used' -e '^$p.zero' -e '^$p.two' -e '^$p.over' -e '^$p.ticket' -e '^$p.held'"
    notify "$p.held"
    wait $pid
    same "$store: ... and nothing that is waited for" 0 $?
    sleep 1.1
    notify "$p.young"
    signalctl --older-than=1s gc
    check "$store: --older-than takes what was not notified for so long" 0 "$p.young" \
        sh -c "signalctl list | jq -r .id | grep -e '^$p.two' -e '^$p.young'"
}
each_store collecting

# ---- what is no signal, and what NiFi keeps ----

if command -v redis-server >/dev/null; then
    start_redis strange
    notify --store="$redis_url" a && notify --store="$redis_url" c
    redis-cli -s strange/redis.sock set 'fanline:{b}' 'something else' >/dev/null
    check_err 'an id that is no signal' 1 'WRONGTYPE' signalctl --store="$redis_url" list
    check 'does not keep the others from the list' 1 'a
c' sh -c "signalctl --store='$redis_url' list 2>err >listed; status=\$?; jq -r .id listed; exit \$status"
    ok '... and is counted' grep -q '^signalctl: 1 ids are no signals$' err
    check_status '... nor from gc' 1 signalctl --store="$redis_url" --older-than=0 gc
    check_status '... alone it is an error' 1 signalctl --store="$redis_url" show b
    start_redis foreign
    redis-cli -s foreign/redis.sock set order-1 '{"counts":{"A":2},"attributes":{"k":"v"},"releasableCount":0}' >/dev/null
    redis-cli -s foreign/redis.sock set order-0 'of somebody else' >/dev/null
    check 'entries of a NiFi, among other things' 0 '{"id":"order-1","counts":{"A":2},"attributes":{"k":"v"},"releasableCount":0}' \
        signalctl --nifi --store="$redis_url?entries=nifi" list
    check_err 'are not changed without --nifi' 2 'only be used with --nifi' \
        signalctl --store="$redis_url?entries=nifi" set order-1 5
    redis-cli -s foreign/redis.sock set order-2 '{"counts":{"A":0},"attributes":{},"releasableCount":0}' >/dev/null
    check 'gc takes away what is used up' 0 '' signalctl --store="$redis_url?entries=nifi" gc
    same '... and nothing else' 'order-0 order-1' \
        "$(redis-cli -s foreign/redis.sock keys '*' | sort | tr '\n' ' ' | sed 's/ $//')"
fi

done_testing
