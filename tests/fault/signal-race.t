#!/bin/sh
# Waits that race for the same tickets, and signals whose time runs out: never one release too many, never
# one too few.
. "$(dirname "$0")/signal.sh"
unset FANLINE_TEST_REDIS # gc takes away what others have put there

# ---- two waits, a hundred ids each, over and over ----

# race NAME OPTION...: two waits hold ten lines each of a hundred ids, for which notify tells of 3 to 17
# signals, a part of them only while they wait.
race()
{
    race_name=$1
    shift
    awk -v me="$me.$store.$race_name" 'BEGIN {
        for (n = 0; n < 10; n++) for (i = 0; i < 100; i++) printf "{\"id\":\"%s.%d\",\"n\":%d}\n", me, i, n
    }' >held
    awk -v me="$me.$store.$race_name" 'BEGIN {
        for (i = 0; i < 100; i++) for (n = 0; n < 3 + i % 15; n++) printf "{\"id\":\"%s.%d\"}\n", me, i
    }' >signals
    head -n 400 signals | notify -q -s '${id}' >/dev/null
    racers=
    for n in 1 2; do
        fanline wait -q -s '${id}' -x 1s --expired=gone$n "$@" <held >out$n 2>err$n &
        racers="$racers $!"
    done
    tail -n +401 signals | notify -q -s '${id}' >/dev/null
    for pid in $racers; do
        wait "$pid" || echo "a wait ended with $?"
    done >failed
    check_file "$store: $race_name: both end with 0" failed ''
}

# released_of PASS RELEASABLE: what the signals release, of twenty lines for each id.
released_of()
{
    awk -v pass="$1" -v releasable="$2" -v name="$me.$store.$race_name" 'BEGIN {
        for (i = 0; i < 100; i++) {
            most = int((3 + i % 15) / pass) * releasable
            if (most > 20) most = 20
            if (most) print name "." i, most
        }
    }' | sort
}

races()
{
    race single
    cat out1 out2 | sed 's/.*"id":"\([^"]*\)".*/\1/' | sort | uniq -c | awk '{ print $2, $1 }' | sort >got
    check_file "$store: each signal releases one line of the two" got "$(released_of 1 1)"
    race one-by-one -B 1
    cat out1 out2 | sed 's/.*"id":"\([^"]*\)".*/\1/' | sort | uniq -c | awk '{ print $2, $1 }' | sort >got
    check_file "$store: also if they ask for one line at a time" got "$(released_of 1 1)"
    race several -n 3 -r 2
    cat out1 out2 | sed 's/.*"id":"\([^"]*\)".*/\1/' | sort | uniq -c | awk '{ print $2, $1 }' | sort >got
    check_file "$store: three signals release two lines" got "$(released_of 3 2)"
    race once --release-once --duplicate=double
    cat out1 out2 | sed 's/.*"id":"\([^"]*\)".*/\1/' | sort | uniq -c | awk '{ print $1 }' | uniq -c |
        tr -s ' ' >got
    check_file "$store: with --release-once one line of all" got ' 100 1'
}
each_store races

# ---- a gc that comes in between ----

# shellcheck disable=SC2016 # for fanline
collects()
{
    p=$me.$store.gc
    awk 'BEGIN { for (i = 0; i < 300; i++) print "{\"d\":1}\n{\"d\":-1}"; print "{\"d\":7}" }' |
        notify -B 1 -s "$p" -d '${d}' >/dev/null &
    pid=$!
    while kill -0 $pid 2>/dev/null; do
        signalctl gc
    done
    wait $pid
    counted "$store: signals under a gc" "$p" 7
}
each_store collects

# ---- a time to live that runs out ----

lives()
{
    p=$me.$store.ttl
    notify --ttl 300ms -d 5 "$p.alone"
    notify --ttl 1s "$p.held"
    fanline wait -n 2 -x 20s "$p.held" &
    pid=$!
    notify --ttl 300ms --once a "$p.once"
    sleep 1.6
    check_status "$store: a signal that nobody waits for is gone" 124 fanline wait -q -x 0 "$p.alone"
    notify "$p.alone"
    counted "$store: and begins at 0" "$p.alone" 1
    notify --once a "$p.once"
    counted "$store: so do its keys" "$p.once" 1
    notify --ttl 1s "$p.held"
    wait $pid
    same "$store: one that is waited for lives on" 0 $?
    check_status "$store: and is gone then" 124 fanline wait -q -x 0 "$p.held"
}
each_store lives

done_testing
