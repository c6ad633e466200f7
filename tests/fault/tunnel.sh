# shellcheck shell=sh disable=SC2034
# What the fault tests of tunnels share besides redis.sh: clients by number, and the oracle.
#
#   fast               short intervals: 150 ms heartbeats, 900 ms timeout, 100 ms checkpoints
#   append FROM TO S   lines with numbers FROM to TO, of a hundred keys, into stream S
#   client N ARG...    starts tunnelget ARG... as client N, in $pid_N; its messages are in err.N
#   quit N             TERM to client N, and waits for it; its status is in $quit_status
#   holds T 'N N '     the clients of tunnel T hold so many channels, in order of these numbers
#   lag T N            the lag of tunnel T is N
#   has_read T N       at least N records of tunnel T are behind checkpoints
#   happened T TEXT    how many events of tunnel T have TEXT in them
#   lines N FILE       FILE has at least N lines
#   now_ms             the time, in milliseconds since 1970
#   beats_pass N       with until_true: Redis has been called N times more than at the first look
#   sunk S             the lines of the stream S, partition by partition
#   exactly_once NAME S N    1 to N are in S, each once, each key in order
#   at_least_once NAME FILE N  1 to N are in FILE, and first seen in order, by key
#   rules_hold T       versions rise, transitions are those of reference/tunnel.md 1.2, each with a why
#
# Where the scenarios of reference/tunnel-scenarios.md are:
#   1, 2, 15     tests/cli/tunnelget.t         9        tunnel-redis.t
#   2 to 4       tunnel-clients.t              10, 20a  tunnel-places.t
#   5, 6         tunnel-stopped.t              11       tunnel-wire.t
#   7, 8         tunnel-redis.t                12       tunnel-service.t
#   13, 14       tunnel-slow.t                 16       tunnel-clock.t
#   17, 18       tunnel-trim.t                 19       tunnel-scale.t, tests/bench/tunnel
#   20b          tunnel-soak
# and the invariants: I1 to I3 exactly_once and at_least_once; I4 and I6 rules_hold; I5 the sequence in
# tunnel-service.t; I7 tests/cli/tunnelget.t; I8 tunnel-trim.t; I9 hooks in tunnel-slow.t
# and tests/cli/tunnelget.t; I10 tunnel-clients.t, tunnel-scale.t.
# POSIX sh.

. "$(dirname "$0")/redis.sh"
needs_redis tunnels

calls_first=

fast()
{
    export FANLINE_HEARTBEAT_INTERVAL=150ms FANLINE_HEARTBEAT_TIMEOUT=900ms
    export FANLINE_CHECKPOINT_INTERVAL=100ms
}

append()
{
    awk -v from="$1" -v to="$2" 'BEGIN {
        for (i = from; i <= to; i++) printf "{\"k\":\"%d\",\"n\":%d}\n", i % 100, i }' |
        tunnelput -S "$3" --key '${k}'
}

client()
{
    client_n=$1
    shift
    tunnelget "$@" >>"out.$client_n" 2>>"err.$client_n" &
    eval "pid_$client_n=$!"
    at_exit "kill -9 $! 2>/dev/null"
}

pid()
{
    eval "echo \"\$pid_$1\""
}

quit()
{
    kill "$(pid "$1")"
    wait "$(pid "$1")"
    quit_status=$?
}

holds()
{
    [ "$(tunnelctl clients "$1" | sed -n 's/.*"channels":\([0-9]*\),.*"expired":0.*/\1/p' | sort |
        tr '\n' ' ')" = "$2" ]
}

lag()
{
    tunnelctl describe "$1" | sed -n 1p | grep -q "\"lag\":$2,"
}

has_read()
{
    [ "$(tunnelctl describe "$1" | sed -n 's/.*"count":\([0-9]*\).*/\1/p' |
        awk '{ n += $1 } END { print n + 0 }')" -ge "$2" ]
}

happened()
{
    tunnelctl events "$1" -n 10000 | grep -c "$2"
}

lines()
{
    [ "$(cat "$2" | wc -l)" -ge "$1" ]
}

now_ms()
{
    echo $(($(date +%s%N) / 1000000))
}

beats_pass()
{
    calls=$(redis_cli info commandstats | sed -n 's/^cmdstat_fcall:calls=\([0-9]*\).*/\1/p')
    [ -n "$calls_first" ] || calls_first=$calls
    [ "$calls" -ge $((calls_first + $1)) ] && calls_first=
}

sunk()
{
    for key in $(redis_cli keys "fanline:tunnel:{$1}:p:*" | sort); do
        redis_cli --raw xrange "$key" - + | grep '^{'
    done
}

# Numbers and order; `once`: nothing twice.
oracle()
{
    awk -F'[":,}]+' -v n="$1" -v once="$2" '
        seen[$5]++ { if (once) { print "twice: " $0; bad = 1 } next }
        $5 + 0 <= last[$3] + 0 { print "out of order: " $0; bad = 1 }
        { last[$3] = $5; count++ }
        END { if (count != n) { print count " of " n; bad = 1 } exit bad }'
}

exactly_once()
{
    sunk "$2" >sunk.lines
    oracle "$3" 1 <sunk.lines >oracle.says
    ok "$1" sh -c 'cat oracle.says; [ ! -s oracle.says ]'
}

at_least_once()
{
    cat "$2" | oracle "$3" '' >oracle.says
    ok "$1" sh -c 'cat oracle.says; [ ! -s oracle.says ]'
}

# Events come newest first.
rules_hold()
{
    tunnelctl events "$1" -n 10000 | awk -F'"' '
        { for (i = 2; i < NF; i += 4) f[$i] = $(i + 2) }
        f["what"] != "channel" { next }
        {
            move = f["from"] ">" f["to"]
            if (move !~ /^(>WAIT|WAIT>OPEN|OPEN>(CLOSING|CLOSE|TERMINATED|WAIT)|CLOSING>(CLOSE|TERMINATED|WAIT)|CLOSE>(OPEN|WAIT|TERMINATED)|WAIT>TERMINATED|TERMINATED>WAIT)$/)
                print "no such way: " $0
            if (f["channel"] in version && f["version"] + 0 >= version[f["channel"]] + 0)
                print "version did not rise: " $0
            if (f["channel"] in from && f["to"] != from[f["channel"]])
                print "a gap: " $0
            if (f["who"] == "")
                print "by nobody: " $0
            version[f["channel"]] = f["version"]; from[f["channel"]] = f["from"]
        }' >rules.say
    ok "rules of channels hold for $1" sh -c 'cat rules.say; [ ! -s rules.say ]'
}
