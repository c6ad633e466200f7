# shellcheck shell=sh disable=SC2034,SC2154
# Examples in documents, run: what is between lib.sh and a test of a document.
#
#   run_page    runs the examples in the file $tap_home/blocks, here and in this shell; $page is what
#               they are called in the report
#
# A line `$ COMMAND` is run, with the lines that follow it up to the next one or the end of the block,
# a line of one blank, as what a terminal would show; a command goes on where its line ends in a
# backslash or a bar.  `$ cat FILE` of a file that is not there yet makes it.  A terminal shows two
# streams, and which comes first where several programs run is nobody's promise; so what is shown must
# be the lines of standard error and those of standard output, each in their order.  POSIX sh.

# shown_is OUT ERR SHOWN: without the lines of ERR, SHOWN is OUT.
shown_is()
{
    awk 'FILENAME == ARGV[1] { said[++last] = $0; next }
        next_one < last && $0 == said[next_one + 1] { next_one++; next }
        { print }
        END { while (next_one < last) print "not shown: " said[++next_one] }' "$2" "$3" >"$tap_home/without"
    diff -u "$tap_home/without" "$1"
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
        eval "$command" >"$tap_home/got" 2>"$tap_home/said" 3<&- || result=$?
        if [ "$result" = 127 ] && grep -q 'not found' "$tap_home/said"; then
            skip "$page: $shown" 'it uses a program that is not here'
        else
            ok "$page: $shown" shown_is "$tap_home/got" "$tap_home/said" "$tap_home/shown"
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
