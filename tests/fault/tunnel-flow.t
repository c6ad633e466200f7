#!/bin/sh
# The whole kit over several clients, one of which is killed: mapsplit and tunnelput on one side, maprun
# behind tunnelget, its records exactly once in a stream, notify, wait and resultwrite at the end.
. "$(dirname "$0")/tunnel.sh"
durable_redis
fast

awk 'BEGIN { printf "{\"Items\":["; for (i = 1; i <= 300; i++) printf "%s{\"Key\":%d}", (i > 1 ? "," : ""), i
    print "]}" }' >job.json
cat >work <<'END'
#!/bin/sh
sleep 0.02
read -r item
case $item in *'"Key":7'[,}]*) exit 3 ;; esac
echo '{"ok":true}'
END
chmod +x work
tunnelctl create items --type=stream -S items --partitions=6
tunnelctl create records --type=stream -S records --partitions=6
# shellcheck disable=SC2016 # for tunnelget's shell
for n in 1 2 3; do
    client $n --to records -n 10 items sh -c 'exec maprun -j 2 --tolerated-failure-percentage 100 \
        --run-name "R.$FANLINE_CHANNEL.$FANLINE_TOKEN" -- ./work'
done
ok 'three workers' until_true 5 holds items '2 2 2 '
# shellcheck disable=SC2016 # for notify
(tunnelget records 2>err.collect & echo $! >collector; wait $!) |
    notify -s R -c '${Status}' -d '${ItemCount}' --once '${ExecutionName}' >collected &
collector=$!
mapsplit -p '$Input.Items' --fragment=R --original=orig.json job.json | tunnelput -S items
until_true 20 has_read items 60
kill -9 "$(pid 1)"
# shellcheck disable=SC2016 # for wait
check_status 'all items are done' 0 sh -c \
    'fanline wait -s R -n "\${fragment.count}" -x 30s <orig.json >released'
kill "$(cat collector)"
wait $collector
same 'their records, exactly once' 300 "$(grep -o '"Key":[0-9]*' collected | sort -u | wc -l)"
same '... no more' 300 "$(wc -l <collected)"
check_status 'the results' 0 sh -c 'resultwrite -o results --run-name R --expect=orig.json \
    --tolerated-failure-percentage 1 <collected >map'
same '... of all that succeeded' 299 "$(mapsplit results/R/SUCCEED_0.json | wc -l)"
same '... and the one that failed' 1 "$(mapsplit results/R/FAILED_0.json | wc -l)"
quit 2
quit 3
rules_hold items
rules_hold records
done_testing
