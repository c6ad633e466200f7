#!/bin/sh
# maprun: how many at a time, how fast, and what changes that while it runs.
. "$(dirname "$0")/lib.sh"

# Most that ran at a time, for a command that enters and leaves the folder busy.
mkdir busy
cat >busy.sh <<'END'
mkdir busy/$$; ls busy | wc -l; sleep "${1:-0.05}"; rmdir busy/$$
END
n=$(nproc)
check '-j +N' 0 "$((n + 2))" sh -c 'seq 30 | maprun -j+2 --emit=output sh busy.sh 0.3 | sort -n | tail -n 1'
check '-j N%' 0 "$((n * 2))" sh -c 'seq 20 | maprun -j200% --emit=output sh busy.sh 0.3 | sort -n | tail -n 1'
check '-j -N is at least 1' 0 '1' sh -c 'seq 4 | maprun -j-100 --emit=output sh busy.sh 0.01 | sort -n | tail -n 1'
for bad in 0 x 5x +x %; do
    check_err "-j $bad" 2 'max-concurrency' maprun -j "$bad" true
done

took()
{
    start=$(date +%s%N)
    "$@" >/dev/null 2>&1
    echo $((($(date +%s%N) - start) / 1000000))
}
took sh -c 'seq 11 | maprun -j8 --rate=20/s true' >ms
ok '--rate: 11 starts at 20/s take half a second' sh -c '[ $(cat ms) -ge 480 ] && [ $(cat ms) -lt 2000 ]'
# While an item waits for its time, others end, and their places are free for it.
seq 2000 >two-thousand
for pace in --rate=1000/s --delay=1ms '--rate=1000/s --worker=lines --window=3'; do
    case $pace in *worker*) set -- cat ;; *) set -- sh -c 'read -r x; echo "$x"' ;; esac
    # shellcheck disable=SC2086
    maprun -j8 $pace "$@" <two-thousand |
        sed 's/.*"Index":\([0-9]*\),"Input":\([0-9]*\),"Output":\([0-9]*\),"Status":"Succeeded".*/\1 \2 \3/' >paced
    same "$pace: each item has its own record" '2000 0' \
        "$(awk '$1 + 1 == $2 && $2 == $3 && !seen[$1]++ { good++ } END { print good + 0, NR - good }' paced)"
done
took sh -c 'seq 4 | maprun -j8 --delay=150ms true' >ms
ok '--delay: 4 starts 150 ms apart' sh -c '[ $(cat ms) -ge 450 ] && [ $(cat ms) -lt 2000 ]'
took sh -c 'echo 1 | maprun --delay=200ms --retry "*:MaxAttempts=2,IntervalSeconds=0" false' >ms
ok '... also between tries' sh -c '[ $(cat ms) -ge 400 ]'
check_err 'a rate that is none' 2 '^maprun: --rate: ' maprun --rate=fast true
check 'a load that is never reached, memory that is there' 0 '3' sh -c 'seq 3 | maprun --load=10000 --memfree=1k true | wc -l'
check_status 'memory that is not: nothing starts, TERM is heard' 143 timeout 20 sh -c '
    seq 3 >in; maprun --memfree=1000T touch started <in & pid=$!; sleep 0.5; kill -TERM $pid; wait $pid'
ok '...' test ! -e started
check_err 'a load that is none' 2 '^maprun: --load: ' maprun --load=x true

# ---- while it runs ----

cat >grows.sh <<'END'
rm -rf busy; mkdir busy
seq 40 | maprun -j1 "$@" --emit=output sh busy.sh 0.1 >out & pid=$!
sleep 0.3
END
check '--control: the file is read when it changes' 0 '4' timeout 30 sh -c '
    echo 1 >control; . ./grows.sh; echo max-concurrency=4 >control; wait $pid; sort -n out | tail -n 1' sh --control=control
check '... down, too' 0 '1' timeout 30 sh -c 'rm -rf busy; mkdir busy; echo 4 >control
    seq 32 | maprun -j4 --control=control --emit=output sh busy.sh 0.1 >out & pid=$!
    sleep 0.3; echo 1 >control; wait $pid; tail -n 3 out | sort -n | tail -n 1'
check_err '... what cannot be understood is told' 0 "^maprun: control: 'speed' is nothing that can be set" \
    sh -c 'echo speed=5 >control; seq 2 | maprun --control=control true'
check_status '... tolerance' 0 timeout 30 sh -c 'echo tolerated-failure-count=5 >control
    seq 4 | maprun -j1 --control=control --shell "sleep 0.1; exit 1"'
check 'SIGUSR2 with a value' 0 '3' timeout 30 sh -c '. ./grows.sh; kill -q 3 -USR2 $pid 2>/dev/null || /bin/kill -q 3 -USR2 $pid; wait $pid; sort -n out | tail -n 1'
check 'SIGUSR2: one more' 0 '2' timeout 30 sh -c '. ./grows.sh; kill -USR2 $pid; wait $pid; sort -n out | tail -n 1'

# ---- stopped and continued ----

check 'stopped by TSTP, its commands stop; continued, they go on' 0 'T T
Succeeded' timeout 30 sh -c 'echo 1 >in; maprun --timeout=1500ms --shell "echo \$\$ >command; sleep 0.8; sleep 0.1" <in >out & pid=$!
    until [ -s command ]; do sleep 0.02; done
    kill -TSTP $pid; sleep 1.5
    echo $(ps -o state= -p $pid) $(ps -o state= -p $(cat command))
    kill -CONT $pid; wait $pid
    sed "s/.*\"Status\":\"\([A-Za-z]*\)\".*/\1/" out'

done_testing
