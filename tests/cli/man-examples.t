#!/bin/sh
# The EXAMPLES and the TUTORIAL of the manual pages are run, and what they print is what stands there.
#
# In a literal block a line `$ COMMAND` is run, with the lines that follow it up to the next one or
# the end of the block as what a terminal would show; a command goes on where its line ends in a
# backslash or a bar.  `$ cat FILE` of a file that is not there yet makes it.  Other blocks are not
# run.  Each page has a folder of its own, and its commands one shell.  Where a page names a Redis of
# its own invention, there is one for it; without a redis-server such a page is skipped.
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"

# The literal blocks of examples in page $1, as text; a line with one blank ends each.
blocks()
{
    awk '/^\.Sh / { on = $2 == "EXAMPLES" || $2 == "TUTORIAL" }
         on && /^\.Bd -literal/ { block = 1; next }
         on && /^\.Ed/ { block = 0; print " "; next }
         on && block { print }' "$1" |
        sed -e 's/^\\&//' -e "s/\\\\(aq/'/g" -e 's/\\(dq/"/g' -e 's/\\(ha/^/g' -e 's/\\(ti/~/g' \
            -e 's/\\-/-/g' -e 's/\\e/\\/g'
}

# Run the command at hand and compare.
run_command()
{
    [ -n "$command" ] || return 0
    shown=$(printf '%s' "$command" | tr -s '\\\n ' ' ')
    if [ "${command#cat }" != "$command" ] && [ ! -e "${command#cat }" ]; then
        cp "$tap_home/shown" "${command#cat }"
    else
        result=0
        eval "$command" >"$tap_home/got" 2>&1 3<&- || result=$?
        if [ "$result" = 127 ] && grep -q 'not found' "$tap_home/got"; then
            skip "$page: $shown" 'it uses a program that is not here'
        else
            ok "$page: $shown" diff -u "$tap_home/shown" "$tap_home/got"
        fi
    fi
    command=
}

run_page()
{
    command=
    more=
    while IFS= read -r line <&3; do
        if [ -n "$more" ]; then
            command="$command
$line"
        elif [ "$line" = ' ' ]; then
            run_command
            continue
        elif [ "${line#\$ }" != "$line" ]; then
            run_command
            command=${line#\$ }
            : >"$tap_home/shown"
        else
            [ -z "$command" ] || printf '%s\n' "$line" >>"$tap_home/shown"
            continue
        fi
        more=
        case $line in
        *\\ | *\|) more=1 ;;
        esac
    done 3<"$tap_home/blocks"
}

FANLINE_STORE=sqlite:signals.db
for file in "$ROOT"/man/*.[1-8]; do
    page=${file##*/}
    mkdir "$page.d" && cd "$page.d" || exit 1
    export FANLINE_STORE
    blocks "$file" >"$tap_home/blocks"
    if ! grep -q '^\$ export FANLINE_STORE=redis://' "$tap_home/blocks"; then
        run_page
    elif command -v redis-server >/dev/null; then
        start_redis redis
        sed "s|^\(\$ export FANLINE_STORE=\)redis://.*|\1$redis_url|" "$tap_home/blocks" >"$tap_home/own"
        mv "$tap_home/own" "$tap_home/blocks"
        run_page
    else
        skip "$page" 'redis-server is not installed'
    fi
    FANLINE_STORE=sqlite:signals.db
    cd ..
done
done_testing
