#!/bin/sh
# maprun --mode=standard: what has succeeded is not run again, and is said again.
. "$(dirname "$0")/lib.sh"

cat >once.sh <<'END'
read -r x
echo "$x" >>ran
[ ! -e "bad$x" ] || exit 1
echo "{\"got\":$x}"
END
# ARGUMENT...: a run with the journal J.
cat >go.sh <<'END'
exec maprun --mode=standard --journal=J -k --emit=output "$@" sh once.sh
END

touch bad3
check 'a run in which one fails' 4 '{"got":1}
{"got":2}
{"ErrorCode":"ExitCode.1"}
{"got":4}' sh -c 'seq 4 | sh go.sh --finish-all 2>/dev/null'
rm bad3 ran
check 'only that is run again, and all records come' 0 '{"got":1}
{"got":2}
{"got":3}
{"got":4}' sh -c 'seq 4 | sh go.sh'
check_file '...' ran 3
rm ran
check 'nothing is left to run' 0 '4' sh -c 'seq 4 | sh go.sh | wc -l'
ok '...' test ! -e ran
check 'the order of the input does not matter' 0 '{"got":4}
{"got":7}
{"got":1}' sh -c 'printf "4\n7\n1\n" | sh go.sh'
check_file '... only what is new is run' ran 7
rm -f ran
check 'the same bytes again are another item' 0 '2' sh -c 'printf "7\n7\n" | sh go.sh | wc -l'
check_file '...' ran 7
check 'other bytes for the same value are another item' 0 '1' sh -c 'rm -f ran; echo 7.0 | sh go.sh >/dev/null; wc -l <ran'
check 'whole records keep what they were, with the names of this run' 0 '1' sh -c 'rm -f K
    seq 2 | maprun --mode=standard --journal=K --run-name=A -k cat >first
    seq 2 | maprun --mode=standard --journal=K --run-name=A -k cat >second
    cmp first second && { echo 2; echo 1; } | maprun --mode=standard --journal=K --run-name=B -k cat |
    grep -c "^{\"ExecutionName\":\"B:0\",\"FlowName\":\"\",\"Index\":0,\"Input\":2,\"Output\":2,"'
check 'without --run-name the name is taken up' 0 '1' sh -c 'rm -f K; for i in 1 2; do
    seq 3 | maprun --mode=standard --journal=K cat; done | sed "s/.*ExecutionName\":\"\([^:]*\):.*/\1/" | sort -u | wc -l'
check 'workers too' 0 '1
2
3' sh -c 'rm -f K; seq 2 | maprun --mode=standard --journal=K --worker=lines -k --emit=output cat >/dev/null
    seq 3 | maprun --mode=standard --journal=K --worker=lines -k --emit=output cat'

check_err 'another command is refused' 2 'is of another command' sh -c 'echo 1 | maprun --mode=standard --journal=J true'
check 'unless forced, and then keeps what succeeded' 0 '{"got":1}
"new"' sh -c 'printf "1\n99\n" | maprun --mode=standard --journal=J --force -k --emit=output echo new'
check_err 'no journal' 2 'belong together' maprun --mode=standard true
check_err 'a file that is none' 1 'no journal' sh -c 'echo "{\"a\":1}" >none; echo 1 | maprun --mode=standard --journal=none true'
check_file '... and is left alone' none '{"a":1}'
check_err 'a folder' 1 'cannot open the journal' maprun --mode=standard --journal=. true
check_err 'a full disk' 2 'no regular file' sh -c 'echo 1 | maprun --mode=standard --journal=/dev/full true'

# ---- a torn end ----

seq 3 | sh -c 'rm -f J ran; exec sh go.sh' >/dev/null
size=$(wc -c <J)
check 'a journal cut anywhere in its last line' 0 '' sh -c '
    last=$(tail -n 1 J | wc -c); i=1
    cp J whole
    while [ $i -lt $last ]; do
        head -c $(('"$size"' - i)) whole >J; rm -f ran
        seq 3 | sh go.sh >out && [ $(wc -l <out) = 3 ] && [ $(wc -l <ran) = 1 ] || { echo "cut by $i"; break; }
        i=$((i + 37))
    done'
check 'zeros at the end' 0 '3' sh -c 'cp whole J; head -c 5000 /dev/zero >>J; seq 3 | sh go.sh | wc -l'
check_err 'damage in the middle is no torn end' 1 'is damaged before byte' sh -c 'sed "2s/Key/K\ney/" whole >J; seq 3 | sh go.sh'

# ---- the lock ----

rm -f J
check_status 'a second run ends at once' 75 timeout 10 sh -c '
    echo 1 | maprun --mode=standard --journal=J --shell "touch runs; until [ -e stop ]; do sleep 0.02; done" >/dev/null &
    until [ -e runs ]; do sleep 0.02; done
    echo 1 | maprun --mode=standard --journal=J true; rc=$?; touch stop; wait; exit $rc'
check_status 'a run that was killed leaves no lock' 0 timeout 10 sh -c 'rm -f J runs
    echo 1 | maprun --mode=standard --journal=J --shell "touch runs; sleep 0.3" >/dev/null & pid=$!
    until [ -e runs ]; do sleep 0.02; done
    kill -9 $pid
    until echo 1 | maprun --mode=standard --journal=J --shell "touch runs; sleep 0.3"; do sleep 0.1; done'
check 'who has it can be read' 0 'true' sh -c 'head -n 1 J | jq ".Pid > 0 and (.Host | length > 0) and (.Started | endswith(\"Z\"))"'

# ---- an output that would be an end mark ----

echo '{"fanline.end":{"status":0,"items":1,"rejected":0}}' >mark
echo 2 >two
# shellcheck disable=SC2016
check 'in records an output may have the form of an end mark' 0 'Succeeded
Succeeded' sh -c 'printf "%s\n" "\"mark\"" "\"two\"" | maprun -j1 -k --mode=standard --journal=marks sh -c "echo \$1 >>runs; cat \$1" sh {} |
    sed "s/.*\"Status\":\"\([A-Za-z]*\)\".*/\1/"'
# shellcheck disable=SC2016
check 'replayed as an item of its own it is a failure' 4 '{"ErrorCode":"BadOutput"}
2' sh -c 'printf "%s\n" "\"mark\"" "\"two\"" |
    maprun -k --mode=standard --journal=marks --emit=output sh -c "echo \$1 >>runs; cat \$1" sh {}'
check_file '... that runs nothing again' runs 'mark
two'
# shellcheck disable=SC2016
check '... and is still a success in records' 0 '2' sh -c 'printf "%s\n" "\"mark\"" "\"two\"" |
    maprun --mode=standard --journal=marks sh -c "echo \$1 >>runs; cat \$1" sh {} | grep -c Succeeded'

done_testing
