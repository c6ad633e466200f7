#!/bin/sh
# Answers that do not come although requests arrive, at a checkpoint and at a heartbeat (scenario 11).
. "$(dirname "$0")/tunnel.sh"
durable_redis
fast
FANLINE_HEARTBEAT_TIMEOUT=6s

# silent NAME TEXT TUNNEL: what has TEXT in it is answered twice, and then no more on that connection
silent()
{
    proxy mute 3 "$2"
    tunnelctl create "$3" --type=stream -S "$3.in" --partitions=2
    append 1 1000 "$3.in"
    client "$3" --store "$proxy_url" --to "$3.out" -n 20 "$3" cat
    ok "$1: all is delivered" until_true 60 lag "$3" 0
    ok '... and that has happened' until_true 20 grep -q muted proxy.out
    beats_pass 0
    ok '... heartbeats go on' until_true 20 beats_pass 8
    exactly_once '... exactly once, in order' "$3.out" 1000
    same '... and counted once' 1000 "$(tunnelctl describe "$3" |
        sed -n 's/.*"count":\([0-9]*\).*/\1/p' | awk '{ n += $1 } END { print n }')"
    same '... under the same id' 1 "$(tunnelctl events "$3" -n 1000 | grep -c '"what":"connect"')"
    same '... which kept its channels' 2 "$(tunnelctl events "$3" -n 1000 | grep -c '"to":"OPEN"')"
    same '... and was never taken for a stranger' 0 "$(grep -c 'given to another' "err.$3")"
    quit "$3"
    same '... until it leaves, with 0' 0 $quit_status
    rules_hold "$3"
    kill "$proxy_pid"
}

silent 'an answer to a checkpoint is lost' _deliver a
silent 'an answer to a heartbeat is lost' _beat b
silent 'an answer to a read is lost' XRANGE c

# What a producer appended and was not told of is not appended again.
proxy mute 3 _append
tunnelctl create p --type=stream -S p.in --partitions=2
FANLINE_STORE=$proxy_url append 1 3000 p.in 2>err.put
same 'an answer to a producer is lost: it ends well' 0 $?
same '... and that has happened' muted "$(sed -n 2p proxy.out)"
exactly_once '... each line is appended once, in order' p.in 3000
kill "$proxy_pid"
done_testing
