# shellcheck shell=sh disable=SC2034
# What the fault tests of notify and wait share besides redis.sh: a flow under disturbance.
#
#   lines_to_wait NAME IDS N writes the file NAME: N lines with numbers, over so many ids of that name
#   flow NAME COMMAND...     a wait holds the lines of a file while a notify signals for each of them,
#                            a few at a time; meanwhile COMMAND disturbs.  Both must end with 0, every
#                            line must pass notify in order, leave wait once, in the order of its id,
#                            and no signal may be left.
#   none_left NAME ID        nothing can be taken from ID any more
#   move_slots FROM TO N     from one server of start_cluster to another, by their numbers from 0 on
# The flow has 50 pieces of 40 lines.  What matches $flow_but may be left.  POSIX sh.

. "$(dirname "$0")/redis.sh"
needs_redis signals

lines_to_wait()
{
    seq "$3" | awk -v name="$1" -v ids="$2" \
        '{ printf "{\"id\":\"%s.%d\",\"n\":%d}\n", name, $1 % ids, $1 }' >"$1"
}

# The file $1, 40 lines at a time; the last of them when there is the file $flow_until, if that is set.
slowly()
{
    slowly_n=0
    while [ $slowly_n -lt 50 ]; do
        [ $slowly_n -lt 49 ] || [ -z "${flow_until-}" ] || until_true 40 test -e "$flow_until"
        sed -n "$((slowly_n * 40 + 1)),$((slowly_n * 40 + 40))p" "$1"
        slowly_n=$((slowly_n + 1))
        sleep "${flow_pause:-0.03}"
    done
}

# Numbers rise within each id.
in_order()
{
    awk -F'[":,}]+' '$5 + 0 <= last[$3] + 0 { print "out of order: " $0; bad = 1 }
        { last[$3] = $5 } END { exit bad }' "$1"
}

flow()
{
    flow_name=$1
    shift
    lines_to_wait "$flow_name" 50 2000
    # shellcheck disable=SC2016 # for fanline
    fanline wait -s '${id}' -x 60s <"$flow_name" >released 2>err.wait &
    flow_wait=$!
    # shellcheck disable=SC2016 # for fanline
    slowly "$flow_name" | notify -s '${id}' --store-failure=retry >passed 2>err.notify &
    flow_notify=$!
    at_exit "kill $flow_wait $flow_notify 2>/dev/null"
    "$@"
    flow_status=0
    wait $flow_notify || flow_status=$?
    same "$flow_name: notify ends with 0" 0 $flow_status || tap_note <err.notify
    flow_status=0
    wait $flow_wait || flow_status=$?
    same "$flow_name: wait ends with 0" 0 $flow_status || tap_note <err.wait
    ok "$flow_name: every line passes, in order" cmp "$flow_name" passed
    sort released >released.sorted
    sort "$flow_name" >expected.sorted
    ok "$flow_name: every line is released, once" cmp expected.sorted released.sorted
    ok "$flow_name: in the order of its id" in_order released
    check_status "$flow_name: ... nor is a release in doubt" 1 grep 'could not be confirmed' err.wait
    same "$flow_name: nothing is left" '' \
        "$(signalctl list --store="${direct:-$FANLINE_STORE}" 2>&1 |
            grep -e "\"$flow_name" -e '^signalctl:' | grep -v "${flow_but:-^$}")"
}

move_slots()
{
    redis-cli --cluster reshard 127.0.0.1:"$cluster_port" --cluster-yes --cluster-slots "$3" \
        --cluster-from "$(redis-cli -p $((cluster_port + $1)) cluster myid)" \
        --cluster-to "$(redis-cli -p $((cluster_port + $2)) cluster myid)" >move.log 2>&1
}

none_left()
{
    check_status "$1: no signal is left" 124 fanline wait -q -x 0 "$2"
}
