#!/bin/sh
# A file that has to outlive a power cut needs two things: its bytes on the disk, and its name in
# the folder.  Whoever makes such a file makes its folder durable too: seen by the system calls.
. "$(dirname "$0")/../cli/lib.sh"
export ASAN_OPTIONS=detect_leaks=0 # the search for leaks cannot look while strace does

if ! strace -o /dev/null -y true 2>/dev/null; then
    skip 'new files are durable by name' 'strace is not here, or may not look'
    done_testing
fi

# named NAME FOLDER COMMAND...: the command makes FOLDER durable.
named()
{
    name=$1 folder=$2
    shift 2
    rm -f trace
    tap_run strace -f -y -o trace -e trace=fsync,fdatasync "$@"
    [ "$tap_status" = 0 ] && grep -Eq "sync\([0-9]+<$PWD/$folder>(\) *= 0| <unfinished)" trace
    tap_result "$name" $? && return 0
    tap_show_command "$@"
    tap_show_err
    tap_note <trace
}
seq 3 >items
mkdir a b c d e
named 'a journal' a sh -c 'maprun --mode=standard --journal=a/journal -- true <items'
named 'a store' b notify --store="sqlite:$PWD/b/store.db" ready
named 'a spool' c sh -c "'$FANLINE_BIN/wait' --store='sqlite:$PWD/b/store.db' -s ready -r 0 --spool=c/spool <items"
named 'result files' d/r sh -c 'maprun -- true <items | resultwrite -o d --run-name r'
named '... and their folder' d sh -c 'maprun -- true <items | resultwrite -o d --run-name s'
named 'a file that takes the place of another' e sh -c 'echo "[1]" | mapsplit --original=e/x'
maprun --mode=standard --journal=a/journal -- true <items >/dev/null
strace -f -y -o trace -e trace=fsync maprun --mode=standard --journal=a/journal -- true <items >/dev/null
ok 'a journal that was there already has its name' sh -c '! grep -q "work/a>" trace'

done_testing
