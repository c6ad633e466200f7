#!/bin/sh
# Files for lines that do not go to standard output, in every filter that has such: they are opened before
# anything else is done, and what they do not take goes to standard error, line by line.
. "$(dirname "$0")/lib.sh"
FANLINE_STORE=sqlite:$PWD/store.db
export FANLINE_STORE

# Ten thousand lines that are no JSON, 220 KB.
seq -f 'line %05.0f is refused' 10000 >bad
mkdir folder

# limited KILOBYTES COMMAND...: its files have at most that many.
limited()
{
    limited_size=$1
    shift
    (
        trap '' XFSZ
        ulimit -f $((limited_size * 2)) # of 512 bytes
        "$@"
    )
}

# lines_in FILE...: those of `bad` that are in them, in order.
lines_in()
{
    cat "$@" | grep '^"*line'
}

# came FILE: its lines are those of INPUT in the test at hand; with --rejects all that were read, for the
# run ends then.
came()
{
    if [ "$side_option" = --rejects ]; then
        [ -s "$1" ] && head -n "$(wc -l <"$1")" "$side_input" | cmp - "$1"
    else
        cmp "$side_input" "$1"
    fi
}

# has_open PID FOLDER: a process has a file open there.
has_open()
{
    find /proc/"$1"/fd -lname "*/$2/*" | grep -q .
}

# side NAME OPTION INPUT COMMAND...: OPTION=FILE gets all lines of INPUT; COMMAND is run with it.
side()
{
    side_name=$1 side_option=$2 side_input=$3
    shift 3
    check_err "$side_name: a folder that is not there" 1 'cannot write no/r: No such file' \
        "$@" "$side_option=no/r" <"$side_input"
    check_err "$side_name: a folder in the place of a file" 1 'cannot write folder: ' \
        "$@" "$side_option=folder" <"$side_input"
    if [ "$(id -u)" != 0 ]; then
        mkdir -p closed && chmod 500 closed
        check_err "$side_name: a folder that is closed" 1 'Permission denied' "$@" "$side_option=closed/r" \
            <"$side_input"
    fi

    "$@" -q "$side_option=/dev/full" <"$side_input" >out 2>err
    same "$side_name: a device that is full: 1" 1 $?
    lines_in err >lines
    ok "$side_name: ... all lines are on standard error" came lines
    same "$side_name: ... and it is said why" 1 "$(grep -c 'cannot write /dev/full: No space left' err)"

    limited 128 "$@" -q "$side_option=half" <"$side_input" 2>&1 >out | cat >err
    ok "$side_name: a disk that gets full: the file keeps whole lines" \
        sh -c '[ "$(wc -c <half)" -gt 100000 ] && [ -z "$(tail -c 1 half)" ]'
    lines_in half err >lines
    ok "$side_name: ... and the others are on standard error" came lines
    same "$side_name: ... and it is said why" 1 "$(grep -c 'cannot write half: File too large' err)"
    rm -f half

    mkdir gone && mkfifo in
    "$@" -q "$side_option=gone/r" <in >out 2>err &
    side_pid=$!
    exec 9>in
    ok "$side_name: ... which it has opened before anything else" until_true 10 has_open $side_pid gone
    rmdir gone 2>/dev/null || { rm -f gone/.fanline* && rmdir gone; }
    cat "$side_input" >&9
    exec 9>&-
    wait $side_pid
    same "$side_name: a file that cannot get its name: 1" 1 $?
    lines_in err >lines
    ok "$side_name: ... all lines are on standard error" came lines
    rm -f in store.db store.db-*
}

side batcher --rejects bad batcher -n 10
side evalexpr --rejects bad evalexpr '1'
side itemconstruct --rejects bad itemconstruct -t '{}'
# Where a command follows, options stand before it.
# shellcheck disable=SC2016 # for the inner shell
side maprun --rejects bad sh -c 'exec maprun "$@" -- cat' maprun
side mapsplit --rejects bad mapsplit -f jsonl
side resultwrite --rejects bad resultwrite
side notify --rejects bad notify -s x
side wait --rejects bad fanline wait -s x

# ---- those of notify and wait ----

# Lines of a set of texts, which can neither signal nor wait.
sed 's/.*/"&"/' bad >texts
side 'notify, failing lines' --failure texts notify -s x -d a
side 'wait, failing lines' --failure texts fanline wait -s x -n '${nosuch}'
side 'wait, lines that expire' --expired texts fanline wait -s x -x 0
side 'wait, lines that wait' --waiting texts fanline wait -s x --mode=pass

echo 1 >one
check_status 'a file that cannot be written' 1 notify -s early --failure=no/f <one
check_status '... means that nothing was signalled' 124 fanline wait -q -x 0 early
done_testing
