#!/bin/sh
# maprun killed with -9 at any moment: its guardian leaves no command and no child of one.
. "$(dirname "$0")/../cli/lib.sh"

# none TEXT: no process has TEXT in its command line, within five seconds.
none()
{
    tries=250
    while pgrep -f "$1" >/dev/null; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.02
    done
}

# A command that ignores TERM and has children; the marks are numbers of seconds nobody else sleeps.
mark=8$$.25
cat >stubborn.sh <<EOF
trap '' TERM HUP INT
sleep $mark &
sleep $mark | sleep $mark &
echo \$\$ >>pids
wait
wait
EOF

mkfifo fifo
sh -c 'echo $$ >runner; exec maprun -j4 sh stubborn.sh' <fifo >records &
exec 3>fifo
seq 10 >&3
ok 'four commands run' until_true 10 sh -c '[ -e pids ] && [ $(wc -l <pids) = 4 ]'
ok '... with their children' until_true 10 sh -c "[ \$(pgrep -f 'sleep $mark' | wc -l) -ge 12 ]"
guardian=$(pgrep -P "$(cat runner)" -x fanline-guard)
kill -9 "$(cat runner)"
wait $!
exec 3>&-
ok 'after kill -9 all of them are gone' none "sleep $mark"
ok '... the commands,' until_true 5 sh -c 'for pid in $(cat pids); do ! kill -0 $pid 2>/dev/null || exit 1; done'
ok '... and the guardian, too' until_true 5 sh -c "! kill -0 $guardian"

# At any moment: while commands are being started, ended and started again.
cat >moments.sh <<EOF
i=0
while [ \$i -lt 60 ]; do
    i=\$((i + 1))
    yes 1 | maprun -j6 --finish-all --shell 'sleep 0.01; exec sleep $mark' >/dev/null 2>&1 &
    first=\$!
    yes 1 | maprun -j6 --timeout 5ms --kill-after 2ms --finish-all sleep $mark >/dev/null 2>&1 &
    second=\$!
    sleep 0.0\$((i * 7 % 10))\$((i * 3 % 10))
    kill -KILL \$first \$second
    wait
done
EOF
ok 'killed at sixty moments' sh moments.sh
ok '... nothing is left' none "sleep $mark"

# The whole group killed at once, as by timeout -s KILL.
ok 'killed with its process group' sh -c "
    echo 1 | setsid sh -c 'echo \$\$ >group; exec maprun sh stubborn.sh' >/dev/null &
    until [ -s group ] && pgrep -f 'sleep $mark' >/dev/null; do sleep 0.02; done
    kill -9 -\$(cat group)"
ok '... nothing is left either' none "sleep $mark"

# What leaves its group is on its own, as the manual says.
ok 'what calls setsid escapes' sh -c "
    echo 1 | maprun --shell 'setsid sleep 3 >/dev/null 2>&1 & echo \$! >escaped' >/dev/null
    kill -0 \$(cat escaped) || pgrep -x sleep >/dev/null"

# Nothing of ours stays in the file system.
mkdir tmp
ok 'a large output in flight' sh -c '
    echo 1 | TMPDIR=$PWD/tmp maprun --shell "head -c 5000000 /dev/zero; echo full >written; sleep 60" >/dev/null &
    until [ -s written ]; do sleep 0.02; done
    kill -KILL $!'
same '... leaves no file' '' "$(ls tmp)"

done_testing
