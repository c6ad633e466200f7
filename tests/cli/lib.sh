# What every test in tests/cli has: TAP output, a scratch folder, comparisons that are exact.
#
#   . "$(dirname "$0")/lib.sh"
#   check 'two items' 0 '1
#   2' sh -c 'echo "[1,2]" | mapsplit'
#   done_testing
#
# The programs under test come from $FANLINE_BIN (default: build/release/bin of this checkout),
# which is first in PATH.  The test runs in an empty scratch folder that goes away at exit, with
# standard input from /dev/null, LC_ALL=C, HOME in the scratch folder and no FANLINE_ variable of
# the caller's but FANLINE_BIN, FANLINE_TEST_* and FANLINE_JSON_SUITE.  $ROOT is the checkout.
#
#   check NAME STATUS STDOUT COMMAND...   exit status and standard output are exactly these; to
#                                         STDOUT a final newline is added unless it is empty
#   check_status NAME STATUS COMMAND...   exit status only
#   check_err NAME STATUS ERE COMMAND...  exit status, and a line of standard error matches ERE
#   check_file NAME FILE TEXT             the file holds exactly TEXT (final newline as in check)
#   same NAME EXPECTED ACTUAL             two strings are equal
#   ok NAME COMMAND...                    the command succeeds
#   skip NAME REASON                      counts as passed, and says why it did not run
#   until_true SECONDS COMMAND...         tries again every 20 ms; 1 when it never succeeds
#   peak COMMAND...                       prints the most memory that the command had, in KiB, and
#                                         nothing if it fails; its output goes nowhere
#   at_exit COMMAND                       shell text to run at the end, last given first
#   done_testing                          last: prints the plan
#
# COMMAND is a program and its arguments; a pipeline goes through `sh -c '...'`.  A status above
# 128 (death by a signal, a crash) passes only where exactly that status was asked for.
# POSIX sh.

set -u
LC_ALL=C
export LC_ALL
unset CDPATH

for tap_name in $(env | sed -n 's/^\(FANLINE_[A-Z0-9_]*\)=.*/\1/p'); do
    case $tap_name in
    FANLINE_BIN | FANLINE_TEST_* | FANLINE_JSON_SUITE) ;;
    *) unset "$tap_name" ;;
    esac
done

ROOT=$(cd "$(dirname "$0")" && pwd -P)
while [ -n "$ROOT" ] && [ ! -f "$ROOT/lib/LAYERS" ]; do
    ROOT=${ROOT%/*}
done
FANLINE_BIN=${FANLINE_BIN:-$ROOT/build/release/bin}
if ! FANLINE_BIN=$(cd "$FANLINE_BIN" 2>/dev/null && pwd -P); then
    echo "Bail out! no folder of built programs: run make, or set FANLINE_BIN"
    exit 1
fi
PATH=$FANLINE_BIN:$PATH
export ROOT FANLINE_BIN PATH

tap_count=0
tap_failed=0
tap_at_exit=
tap_home=$(mktemp -d "${TMPDIR:-/tmp}/fanline-test.XXXXXX") || exit 1

tap_cleanup()
{
    eval "$tap_at_exit"
    cd / && rm -rf "$tap_home"
}
trap tap_cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

mkdir "$tap_home/work" "$tap_home/home" && cd "$tap_home/work" || exit 1
HOME=$tap_home/home
export HOME
unset XDG_STATE_HOME XDG_CONFIG_HOME XDG_RUNTIME_DIR
exec </dev/null

# Lines of standard input as diagnostics.
tap_note()
{
    sed -e 's/^/#   /' -e '50q'
}

# tap_result NAME STATUS: prints the verdict and returns it; diagnostics are the caller's to print.
tap_result()
{
    tap_count=$((tap_count + 1))
    if [ "$2" = 0 ]; then
        printf 'ok %d - %s\n' "$tap_count" "$1"
        return 0
    fi
    tap_failed=$((tap_failed + 1))
    printf 'not ok %d - %s\n' "$tap_count" "$1"
    return 1
}

# Runs a command; status in tap_status, streams in files.
tap_run()
{
    tap_status=0
    "$@" >"$tap_home/out" 2>"$tap_home/err" || tap_status=$?
}

tap_show_command()
{
    printf '# command:'
    printf ' %s' "$@" | tr '\n' ' '
    echo
}

tap_show_err()
{
    [ -s "$tap_home/err" ] || return 0
    echo '# standard error:'
    tap_note <"$tap_home/err"
}

tap_show_diff()
{
    echo '# standard output or file, expected (-) and got (+):'
    diff -u "$1" "$2" | sed 1,2d | tap_note
}

tap_expect()
{
    if [ -n "$1" ]; then printf '%s\n' "$1"; fi >"$tap_home/want"
}

check()
{
    tap_name=$1 tap_want=$2
    tap_expect "$3"
    shift 3
    tap_run "$@"
    if [ "$tap_status" = "$tap_want" ] && cmp -s "$tap_home/want" "$tap_home/out"; then
        tap_result "$tap_name" 0
        return 0
    fi
    tap_result "$tap_name" 1
    tap_show_command "$@"
    [ "$tap_status" = "$tap_want" ] || echo "# exit status $tap_status, expected $tap_want"
    cmp -s "$tap_home/want" "$tap_home/out" || tap_show_diff "$tap_home/want" "$tap_home/out"
    tap_show_err
    return 1
}

check_status()
{
    tap_name=$1 tap_want=$2
    shift 2
    tap_run "$@"
    [ "$tap_status" = "$tap_want" ]
    tap_result "$tap_name" $? && return 0
    tap_show_command "$@"
    echo "# exit status $tap_status, expected $tap_want"
    tap_show_err
    return 1
}

check_err()
{
    tap_name=$1 tap_want=$2 tap_pattern=$3
    shift 3
    tap_run "$@"
    [ "$tap_status" = "$tap_want" ] && grep -Eq -e "$tap_pattern" "$tap_home/err"
    tap_result "$tap_name" $? && return 0
    tap_show_command "$@"
    [ "$tap_status" = "$tap_want" ] || echo "# exit status $tap_status, expected $tap_want"
    grep -Eq -e "$tap_pattern" "$tap_home/err" ||
        printf '# no line of standard error matched: %s\n' "$tap_pattern"
    tap_show_err
    return 1
}

check_file()
{
    tap_expect "$3"
    [ -f "$2" ] && cmp -s "$tap_home/want" "$2"
    tap_result "$1" $? && return 0
    if [ -f "$2" ]; then
        tap_show_diff "$tap_home/want" "$2"
    else
        echo "# no such file: $2"
    fi
    return 1
}

same()
{
    [ "$2" = "$3" ]
    tap_result "$1" $? && return 0
    echo '# expected:'
    printf '%s\n' "$2" | tap_note
    echo '# got:'
    printf '%s\n' "$3" | tap_note
    return 1
}

ok()
{
    tap_name=$1
    shift
    tap_run "$@"
    tap_result "$tap_name" "$tap_status" && return 0
    tap_show_command "$@"
    echo "# exit status $tap_status"
    tap_note <"$tap_home/out"
    tap_show_err
    return 1
}

skip()
{
    tap_count=$((tap_count + 1))
    printf 'ok %d - %s # SKIP %s\n' "$tap_count" "$1" "$2"
}

until_true()
{
    tap_tries=$(($1 * 50))
    shift
    while ! "$@" >/dev/null 2>&1; do
        tap_tries=$((tap_tries - 1))
        [ "$tap_tries" -gt 0 ] || return 1
        sleep 0.02
    done
}

peak()
{
    # A sanitizer would keep what is freed.
    tap_peak=$(ASAN_OPTIONS=${ASAN_OPTIONS-}:quarantine_size_mb=1 "$FANLINE_BIN/../bench/measure" "$@") &&
        echo "${tap_peak##* }"
}

at_exit()
{
    tap_at_exit="$1
$tap_at_exit"
}

done_testing()
{
    echo "1..$tap_count"
    [ "$tap_failed" = 0 ]
    exit
}
