#!/bin/sh
# Who waits sleeps: nothing is looked at again and again, and yet nothing is waited for in vain.
. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/cli/stores.sh"

waits()
{
    signalctl show "$1" -f json | jq -e '.waiters | length == 1' >shown
}

switches()
{
    awk '/voluntary/ { n += $2 } END { print n }' "/proc/$waiter/status"
}

idle()
{
    fanline wait -x 10m "$me.idle" &
    waiter=$!
    at_exit "kill $waiter 2>/dev/null"
    ok "$store: the store learns who waits" until_true 20 waits "$me.idle"
    sleep 1.5 # until then it may have something to tell
    before=$(switches)
    sleep 3
    same "$store: who waits does not wake up" "$before" "$(switches)"
    notify "$me.idle"
    wait $waiter
    same "$store: ... but for a signal" 0 $?
}

# A release that another one does not confirm comes back when its lease is over, long before the
# round that looks for lost wake-ups.
unconfirmed()
{
    notify "$me.lease"
    mkfifo "stuck.$store"
    # a reader that reads nothing: the released line does not fit the pipe
    awk -v id="$me.lease" 'BEGIN { printf "{\"id\":\"%s\",\"pad\":\"", id; for (i = 0; i < 3000000; i++) printf "x"
        print "\"}" }' >large
    # shellcheck disable=SC2016 # for fanline
    fanline wait -s '${id}' -x 10m --lease 3s <large >"stuck.$store" 2>err.stuck &
    stuck=$!
    at_exit "kill -9 $stuck 2>/dev/null"
    exec 7<"stuck.$store"
    ok "$store: one holds a lease" until_true 20 \
        sh -c "signalctl show '$me.lease' -f json | jq -e '.leased == 1' >shown"
    timeout 60 fanline wait -x 10m "$me.lease" 7<&- &
    waiter=$!
    at_exit "kill $waiter 2>/dev/null"
    ok "$store: another one waits" until_true 20 waits "$me.lease"
    kill -9 $stuck
    exec 7<&-
    wait $stuck 2>/dev/null
    ok "$store: what the first did not confirm releases the other" until_true 15 \
        sh -c "! kill -0 $waiter 2>/dev/null"
    wait $waiter
    same "$store: ... with 0" 0 $?
}

each_store idle
each_store unconfirmed
done_testing
