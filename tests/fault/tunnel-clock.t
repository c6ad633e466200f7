#!/bin/sh
# Clocks that are wrong, or set while they run (scenario 16): Redis's, and a client's.
. "$(dirname "$0")/tunnel.sh"
shim=$FANLINE_BIN/../fault/clock.so
if ! [ -f "$shim" ]; then
    skip 'clocks that are wrong' "$shim is not built"
    done_testing
fi
set_clock()
{
    echo "$1" >offset.new
    mv offset.new offset
}
CLOCK_OFFSET=$PWD/offset
export CLOCK_OFFSET
set_clock 0
started=$(LD_PRELOAD=$shim; export LD_PRELOAD; mkdir redis; "$ROOT/tests/redis-up" redis --appendonly yes)
redis_pid=${started##* }
at_exit "kill -9 $redis_pid 2>/dev/null"
FANLINE_STORE=${started% *}
export FANLINE_STORE
fast
same 'Redis can be told another time' 1 \
    "$(set_clock 600; redis_cli time | awk -v now="$(date +%s)" 'NR == 1 { print ($1 - now > 500) }')"
set_clock 0

versions()
{
    tunnelctl describe a | sed -n 's/.*"version":\([0-9]*\).*/\1/p' | sort -n
}
expired()
{
    tunnelctl events a -n 10000 | grep -c '"what":"expired"'
}

# ---- Redis: forward, and back (a) ----

tunnelctl create a --type=stream -S s --partitions=4
for n in 1 2; do
    client $n --to o -n 20 a sh -c 'sleep 0.05; cat'
done
ok 'two share four' until_true 20 holds a '2 2 '
append 1 1000 s
set_clock 600
append 1001 2000 s
ok 'ten minutes forward: all is delivered' until_true 60 lag a 0
same '... nobody expired' 0 "$(expired)"
ok '... the service took it for an absence' sh -c "tunnelctl events a -n 1000 | grep '\"what\":\"shift\"'"
highest=$(versions | tail -n 1)
set_clock 0
append 2001 3000 s
ok 'and back: all is delivered' until_true 60 lag a 0
same '... nobody expired' 0 "$(expired)"
tunnelctl schedule a '*' suspend
ok '... channels are asked back' until_true 20 holds a '0 0 '
tunnelctl schedule a '*' open
ok '... and given' until_true 20 holds a '2 2 '
ok '... under versions that rose' [ "$(versions | head -n 1)" -gt "$highest" ]
exactly_once 'all of it exactly once, in order' o 3000
same 'ages are not negative' 0 "$(tunnelctl describe a | grep -c '"[a-zA-Z]*Ms":-')"
kill -9 "$(pid 1)"
set_clock 620
ok 'who has died expires when the time has come again' until_true 60 holds a '4 '
rules_hold a
quit 2

# ---- clients an hour off (b) ----

set_clock 0
tunnelctl create b --type=stream -S s2 --partitions=4
if [ "${FANLINE_BIN#*release}" = "$FANLINE_BIN" ]; then
    skip 'clients whose clocks are wrong' 'sanitizers want to be loaded first'
else
    echo 3600 >ahead
    echo -3600 >behind
    for off in ahead behind; do
        CLOCK_OFFSET=$PWD/$off LD_PRELOAD=$shim tunnelget --to o2 -n 20 b cat 2>err.$off &
        at_exit "kill -9 $! 2>/dev/null"
        eval "$off=$!"
    done
    ok 'an hour ahead, an hour behind: they share' until_true 20 holds b '2 2 '
    append 1 1000 s2
    ok '... all is delivered' until_true 60 lag b 0
    for hours in -1 2; do
        echo $((hours * 3600)) >offset.new
        mv offset.new ahead
        beats_pass 0
        ok "... set to $hours hours while it runs: heartbeats go on" until_true 20 beats_pass 10
        append $((1001 + (hours + 1) / 3 * 500)) $((1500 + (hours + 1) / 3 * 500)) s2
        ok '... all is delivered' until_true 60 lag b 0
    done
    exactly_once '... exactly once, in order' o2 2000
    same '... without a word' '' "$(cat err.ahead err.behind)"
    # shellcheck disable=SC2154
    kill "$ahead" "$behind"
    wait "$ahead" && wait "$behind"
    same '... and they leave with 0' 0 $?
    rules_hold b
fi
done_testing
