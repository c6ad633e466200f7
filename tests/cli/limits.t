#!/bin/sh
# Every filter where the system gives little: few descriptors, few processes.  It does its work, or
# says why it cannot and ends; it never waits for what will not come.
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"
export ASAN_OPTIONS=detect_leaks=0 # the search for leaks needs descriptors and a process of its own

printf '{"a":1}\n{"a":2}\n' >items
echo '[1,2]' >list.json
maprun -k --run-name=r true <items >records
FANLINE_STORE=sqlite:$PWD/store.db
export FANLINE_STORE
notify ready

# few LIMIT COMMAND...: with at most LIMIT open files; says how it ended: done, or refused.
cat >few <<'END'
limit=$1
shift
timeout -k 5 20 sh -c 'ulimit -n "$0" && exec "$@"' "$limit" "$@" <"${from:-items}" >got 2>said
rc=$?
if [ $rc = 0 ] && cmp -s got "${want:-got}"; then
    echo done
elif [ $rc = 1 ] && grep -q '^[a-z]*: .' said; then
    echo refused
else
    echo "at $limit: status $rc: $(head -n 1 said)"
fi
END

# survives NAME COMMAND...: with 4 to 20 open files it ends well or says why not, and 64 are enough.
survives()
{
    survivor=$1
    shift
    "$@" <"${from:-items}" >want 2>/dev/null
    for limit in 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 64; do
        want=want sh few $limit "$@"
    done >ends
    same "$survivor" "0 done" "$(grep -Evc '^(done|refused)$' ends) $(tail -n 1 ends)" ||
        grep -Ev '^(done|refused)$' ends | tap_note
}
from=list.json survives 'mapsplit, a list' mapsplit
survives 'mapsplit, a file' mapsplit list.json
survives itemconstruct itemconstruct -t '{"b.$":"$Item.a"}'
survives batcher batcher -n 2
survives evalexpr evalexpr '$Item.a'
survives maprun maprun -k --emit=output -j 4 -- cat
survives 'maprun, workers' maprun -k --emit=output -j 4 --worker=lines -- cat
survives 'maprun, fallbacks of workers' maprun -k --emit=output -j 4 --worker=lines --window=2 --catch '*=cat' -- \
    sh -c 'while read -r x; do echo "{\"ErrorCode\":\"E\"}"; done'
survives 'maprun, signs of life' maprun -k --emit=output -j 4 --heartbeat=10s -- cat
rm -f journal
survives 'maprun, a journal' maprun -k --emit=output -j 4 --mode=standard --journal=journal -- cat
from=records survives resultwrite resultwrite
survives 'notify, once' notify ready
survives 'notify, lines' notify -s ready
survives 'wait, once' "$FANLINE_BIN/wait" -x 5s ready
survives 'wait, lines' "$FANLINE_BIN/wait" -s ready -r 0 -x 5s
survives signalctl signalctl show nobody-signalled-this
echo '{"StartAt":"A","States":{"A":{"Type":"Task","Command":["cat"],"End":true}}}' >task.json
echo '{"StartAt":"A","States":{"A":{"Type":"Wait","Seconds":0,"End":true}}}' >pause.json
echo '{"StartAt":"A","States":{"A":{"Type":"Map","End":true,"ItemProcessor":{"StartAt":"B",
    "ProcessorConfig":{"Mode":"DISTRIBUTED","ExecutionType":"EXPRESS"},
    "States":{"B":{"Type":"Pass","End":true}}}}}}' >each.json
from=list.json survives 'mapflow, a task' mapflow run -i - task.json
from=list.json survives 'mapflow, a wait' mapflow run -i - pause.json
from=list.json survives 'mapflow, a distributed Map' mapflow run -i - each.json

if command -v redis-server >/dev/null; then
    start_redis redis
    store=$FANLINE_STORE FANLINE_STORE=$redis_url
    FANLINE_HEARTBEAT_INTERVAL=100ms FANLINE_HEARTBEAT_TIMEOUT=1500ms FANLINE_CHECKPOINT_INTERVAL=100ms
    export FANLINE_HEARTBEAT_INTERVAL FANLINE_HEARTBEAT_TIMEOUT FANLINE_CHECKPOINT_INTERVAL
    tunnelctl create t --type=stream -S s --partitions=1
    tunnelput -S s <items
    survives tunnelctl tunnelctl clients t
    survives tunnelput tunnelput -S s
    survives tunnelget sh -c 'tunnelctl seek t --from=earliest && exec tunnelget --drain t'
    survives 'notify, Redis' notify -s ready
    survives 'wait, Redis' "$FANLINE_BIN/wait" -s ready -n 0
    FANLINE_STORE=$store
fi

check_err 'too few descriptors for a command is said before anything is read' 1 \
    'the limit of open files is 9, too low to run a command: it takes [0-9]+' \
    sh -c 'ulimit -n 9; exec maprun -- cat' <items
mkfifo feed
cat >drop <<'END'
maprun -j 1 --run-name=r -- cat <feed >out 2>err &
exec 3>feed
head -n 1 items >&3
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ -s out ] && break
    sleep 0.1
done
prlimit --pid $! --nofile=5:5
printf '%s\n' 1 2 3 >&3
exec 3>&-
wait $!
rc=$?
sed 's/.*Status":"\([A-Za-z]*\).*/\1/' out | sort | uniq -c | awk '{ print $2, $1 }'
exit $rc
END
check 'a limit that drops while it runs ends the run; every item is accounted for' 75 'Pending 3
Succeeded 1' timeout 20 sh drop
ok '... and it says why' grep -q 'cannot start cat: Too many open files' err

# The limit of processes counts for others than root only, and for a user by all he runs.
nobody=$((20000 + $$ % 40000))
as_nobody="setpriv --reuid=$nobody --regid=$nobody --clear-groups"
if [ "$(id -u)" = 0 ] && $as_nobody "$FANLINE_BIN/maprun" --version >/dev/null 2>&1 && command -v prlimit >/dev/null; then
    check 'a shortage of processes is waited out' 0 '"here"
"here"' timeout 20 sh -c "prlimit --nproc=2:50 $as_nobody $FANLINE_BIN/maprun --emit=output -- /bin/echo here <items &
        sleep 0.7; $as_nobody prlimit --pid \$! --nproc=50:50; wait \$!"
    check_err 'no process for the guardian: try again later' 75 'cannot start the guardian: Resource' \
        sh -c "prlimit --nproc=1 $as_nobody $FANLINE_BIN/maprun -- /bin/true <items"
else
    skip 'a shortage of processes' 'it takes root, setpriv and prlimit'
fi

done_testing
