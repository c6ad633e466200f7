#!/bin/sh
# The test library tests itself: what passes, what fails, and what it says.
. "$(dirname "$0")/lib.sh"

# Runs the text of standard input as a test of its own; its output is in ./log.
inner()
{
    mkdir -p inner/lib
    : >inner/lib/LAYERS
    { echo '. "$LIB"'; cat; echo done_testing; } >inner/t
    LIB=$ROOT/tests/cli/lib.sh sh inner/t >log 2>&1
}

check 'status and output are equal' 0 'a
b' printf 'a\nb\n'
check 'no output at all' 0 '' true
check 'a status is compared exactly' 3 '' sh -c 'exit 3'
check 'death by a signal, asked for' 143 '' sh -c 'kill -TERM $$'
check 'the programs come first in PATH' 0 "$FANLINE_BIN" sh -c 'echo "${PATH%%:*}"'
check 'standard input is empty' 0 '' cat
check 'standard input can be given' 0 'x' cat <<'EOF'
x
EOF
check_status 'status alone' 7 sh -c 'echo noise; exit 7'
check_err 'a pattern on standard error' 1 '^t: [0-9]+$' sh -c 'echo t: 12 >&2; exit 1'
printf 'one\n' >file
check_file 'the text of a file' file one
same 'strings' 'a b' 'a b'
ok 'a command that succeeds' test -f file
ok 'the scratch folder holds only what the test made' test "$(ls)" = file
ok 'until_true waits' until_true 5 sh -c 'echo >>tries; test "$(wc -l <tries)" -ge 3'
ok 'until_true gives up' sh -c '! (. "$1"; until_true 0 false)' "$ROOT/tests/cli/lib.t" "$ROOT/tests/cli/lib.sh"

# One row: what makes a check fail, and a piece of what is said about it.
fails()
{
    inner_status=0
    printf '%s\n' "$3" | inner || inner_status=$?
    same "$1: fails" 1 "$inner_status"
    ok "$1: says so" grep -Fq -e "$2" log
    ok "$1: is counted" grep -Fqx -e "not ok 1 - n" log
}
fails 'another status' '# exit status 1, expected 0' "check n 0 '' false"
fails 'a crash' '# exit status 139, expected 1' "check n 1 '' sh -c 'kill -SEGV \$\$'"
fails 'a missing newline' 'No newline at end of file' "check n 0 a printf a"
fails 'other output' '#   +b' "check n 0 a echo b"
fails 'standard error is shown' '#   boo' "check n 0 '' sh -c 'echo boo >&2; exit 1'"
fails 'a pattern that is not there' 'matched: zz' "check_err n 0 zz true"
fails 'a file that is not there' 'no such file: zz' "check_file n zz a"
fails 'other strings' '#   b' "same n a b"
fails 'a command that fails' '# exit status 1' "ok n false"

echo "at_exit 'echo first'; at_exit 'echo last'; skip n because" | inner
check_file 'skip, the plan, and what is done at exit' log 'ok 1 - n # SKIP because
1..1
last
first'
echo 'echo "$undefined"; echo reached' | inner
same 'an unset variable ends the test without a plan' '' "$(grep -e '^1\.\.' -e reached log)"
echo 'pwd; echo "$HOME"' | inner
for folder in $(sed -n '1,2p' log); do
    ok "nothing is left of ${folder##*/}" test ! -e "$folder"
done
FANLINE_STORE=x FANLINE_TEST_REDIS=y inner <<'EOF'
echo "${FANLINE_STORE-none} ${FANLINE_TEST_REDIS-none}"
EOF
same 'settings of the caller are not seen' 'none y' "$(sed -n 1p log)"

# ---- how unit tests are run ----

cat >crash <<'EOF'
#!/bin/sh
mkdir "$TMPDIR/fanline-unit.left" && : >"$TMPDIR/fanline-unit.left/file"
echo "$TMPDIR" >"$where"
kill -SEGV $$
EOF
chmod +x crash
mkdir tmp
check_status 'run-unit: a crash is a failure' 1 \
    env TMPDIR="$PWD/tmp" where="$PWD/where" "$ROOT/tests/run-unit" counts ./crash
check_file 'run-unit: it is counted' counts '0 1 0'
ok 'run-unit: the program had a folder of its own' sh -c 'case $(cat where) in "$PWD"/tmp/?*) ;; *) false ;; esac'
same 'run-unit: what it left there is gone' '' "$(ls -A tmp)"

done_testing
