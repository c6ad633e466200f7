#!/bin/sh
# Every program in surroundings that are not as usual: no folder for temporary files, or one that
# takes nothing; a current folder that is gone; closed descriptors; an odd time zone or locale; all
# signals ignored or blocked; little stack.  It does what it always does, or says why it cannot.
# shellcheck disable=SC2016,SC2317 # inner shells expand; functions are run by their names
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"
export ASAN_OPTIONS=detect_leaks=0 # the search for leaks prints where our messages go, and needs more stack

here=$(pwd -P)
mkdir run in out status work
FANLINE_STORE=sqlite:$here/store.db
export FANLINE_STORE

# row NAME INPUT COMMAND...: a use of a program; INPUT is a file, COMMAND works from any folder.  What
# it writes to its standard output and how it ends in usual surroundings is what is expected.
row()
{
    name=$1
    cp "$2" "in/$name"
    shift 2
    {
        echo '#!/bin/sh'
        printf 'exec timeout -k 5 60'
        printf " '%s'" "$@"
        echo
    } >"run/$name"
    chmod +x "run/$name"
    "run/$name" <"in/$name" >"out/$name" 2>err
    echo $? >"status/$name"
}

printf '{"a":1}\n{"a":2}\n' >items
echo '[1,2]' >list
seq 3 >three
printf '"%s"\n' /no/such /nor/this >places
xs()
{
    head -c "$1" /dev/zero | tr '\0' x
}
for i in 4 3 2 1 0; do
    printf '{"Index":%d,"Input":1,"Output":"%s","Status":"Succeeded"}\n' $i "$(xs 2000000)"
done >early
seq 1500 | sed "s/.*/{\"id\":\"n&\",\"x\":\"$(xs 2000)\"}/" >held
echo "\"$(xs 3000000)\"" >large
cat >large.json <<EOF
{"StartAt":"A","States":{"A":{"Type":"Task","End":true,"Command":["cat","$here/large"]}}}
EOF
echo '{"StartAt":"A","States":{"A":{"Type":"Pass","Result":[1,"é"],"End":true}}}' >pass.json
notify ready 2>err
mkdir files
echo x >files/f
TZ=UTC touch -d '2024-05-01 01:02:03' files/f

row batcher items batcher -n 2
row evalexpr items evalexpr '$Item.a'
row evalexpr-text /dev/null evalexpr --null-input '${literal("é"):toUpper()}'
row fanline /dev/null "$FANLINE_BIN/fanline"
row fanline-filter items "$FANLINE_BIN/fanline" batcher -n 1
row itemconstruct items itemconstruct -t '{"é.$":"$Item.a"}'
row mapflow /dev/null mapflow run "$here/pass.json"
row mapflow-check /dev/null mapflow check "$here/pass.json"
row maprun three maprun -k -j2 --emit=output -- cat
row maprun-shell three maprun -k --emit=output --shell 'read x; echo $((x * 2))'
row maprun-workers three maprun -k -j2 --worker=lines --emit=output -- cat
row maprun-fails three maprun -k --tolerated-failure-count=3 --emit=output --timeout=10s -- sh -c 'exit 7'
row maprun-journal three maprun -k --emit=output --mode=standard --journal="$here/journal" -- cat
row mapsplit list mapsplit
row mapsplit-file /dev/null mapsplit "$here/list"
row mapsplit-folder /dev/null mapsplit -f objects "$here/files"
row notify items notify -s "each"
row notify-once /dev/null notify once
row resultwrite early resultwrite
row resultwrite-files early sh -c 'rm -rf "$1" && exec resultwrite -o "$1" --run-name=r' sh "$here/results"
row signalctl /dev/null signalctl show nobody-signalled-this
row wait items "$FANLINE_BIN/wait" -s ready -n 0
row wait-once /dev/null "$FANLINE_BIN/wait" -n 0 ready
row wait-late /dev/null "$FANLINE_BIN/wait" -x 0 never
if command -v redis-server >/dev/null; then
    start_redis redis
    FANLINE_HEARTBEAT_INTERVAL=100ms FANLINE_HEARTBEAT_TIMEOUT=1500ms FANLINE_CHECKPOINT_INTERVAL=100ms
    export FANLINE_HEARTBEAT_INTERVAL FANLINE_HEARTBEAT_TIMEOUT FANLINE_CHECKPOINT_INTERVAL
    redis_row()
    {
        FANLINE_STORE=$redis_url row "$@"
        sed -i "s|^exec|FANLINE_STORE=$redis_url exec|" "run/$1"
    }
    FANLINE_STORE=$redis_url tunnelctl create t --type=stream -S s --partitions=1 2>err
    FANLINE_STORE=$redis_url tunnelctl create o --type=stream -S other --partitions=1 2>err
    FANLINE_STORE=$redis_url tunnelput -S s <items 2>err
    redis_row tunnelctl /dev/null tunnelctl clients t
    redis_row tunnelput items tunnelput -S other
    redis_row tunnelget /dev/null sh -c 'tunnelctl seek "$1" --from=earliest && exec tunnelget --drain "$1"' sh t
    redis_row notify-redis items notify -s each
    redis_row wait-redis items "$FANLINE_BIN/wait" -s ready -n 0
fi
rows=$(ls run)

# What takes room in the folder for temporary files: it may be refused where there is none.
row large-output three maprun -k --emit=output -n 1 -- cat "$here/large"
row large-ahead three maprun -k -j3 --emit=output --shell "read x; [ \$x != 1 ] || sleep 0.2; cat $here/large $here/large $here/large"
row large-value /dev/null mapflow run "$here/large.json"
row large-waiting early "$FANLINE_BIN/wait" -s ready -n 0 --max-memory=1k
row large-held held "$FANLINE_BIN/wait" -s never -x 0 --max-memory=1k --expired=/dev/fd/1
row large-early early resultwrite --wrap=lines
large=$(cd run && echo large*)

for r in $rows $large; do
    ok "$r: usual surroundings" grep -qx '0\|124' "status/$r"
done

# as_usual WHAT ROW RUNNER...: RUNNER runs what is behind it in odd surroundings; ROW does there what it does.
as_usual()
{
    what=$1 r=$2
    shift 2
    "$@" "$here/run/$r" <"in/$r" >got 2>err
    rc=$?
    same "$r: $what" "$(cat "status/$r") $(cksum <"out/$r")" "$rc $(cksum <got)" || tap_note <err
}

# or_refused WHAT ROW RUNNER...: or it ends with status 1 or 4, and says why.
or_refused()
{
    what=$1 r=$2
    shift 2
    "$@" "$here/run/$r" <"in/$r" >got 2>err
    rc=$?
    echo "$rc $(grep -m1 '^[a-z]*: ' err)" >said
    if [ $rc = "$(cat "status/$r")" ] && cmp -s "out/$r" got; then
        ok "$r: $what: as always" true
    else
        ok "$r: $what: status $rc, and it says why" grep -Eq "^[14] [a-z]+: " said || tap_note <err
    fi
}

gone()
{
    (
        mkdir "$here/gone"
        cd "$here/gone" || exit 1
        rmdir "$here/gone"
        exec "$@"
    )
}

# Of the signals that can be, all are ignored, or all are blocked.
cat >ignoring.pl <<'EOF'
use POSIX;
my $how = shift;
my @signals = grep { $_ != 9 && $_ != 19 && $_ != 32 && $_ != 33 } 1 .. 64;
if ($how eq 'ignored') {
    POSIX::sigaction($_, POSIX::SigAction->new('IGNORE')) for @signals;
} else {
    POSIX::sigprocmask(POSIX::SIG_BLOCK, POSIX::SigSet->new(@signals));
}
exec { $ARGV[0] } @ARGV;
EOF
stack()
{
    (
        # shellcheck disable=SC3045 # where it is not there, all is as usual
        ulimit -s 256 2>/dev/null
        exec "$@"
    )
}
unmasked()
{
    (
        umask 777 && exec "$@"
    )
}
: >file
for r in $rows; do
    as_usual 'a current folder that is gone' "$r" gone
    as_usual 'no temporary folder' "$r" env TMPDIR=/no/such
    as_usual 'a temporary folder that is a file' "$r" env TMPDIR="$here/file"
    as_usual 'a temporary folder of odd bytes' "$r" env TMPDIR="$(printf '/a\377')"
    as_usual 'a time zone that is none' "$r" env TZ=:/no/such
    as_usual 'a time zone far away' "$r" env TZ=XYZ-14:30
    as_usual 'a locale that is none' "$r" env LC_ALL=xx_YY.odd LANGUAGE=xx
    as_usual 'a locale of odd bytes' "$r" env LC_ALL="$(printf 'a\377/')" LANG=
    as_usual 'no variables' "$r" env -i PATH="$FANLINE_BIN:/usr/bin:/bin" FANLINE_STORE="$FANLINE_STORE" \
        ASAN_OPTIONS=$ASAN_OPTIONS
    as_usual 'little stack' "$r" stack
    as_usual 'new files that nobody may read' "$r" unmasked
    for how in ignored blocked; do
        as_usual "all signals $how" "$r" perl ignoring.pl $how
    done
done
for r in $large; do
    as_usual 'a current folder that is gone' "$r" gone
    or_refused 'no temporary folder' "$r" env TMPDIR=/no/such
    or_refused 'a temporary folder that is a file' "$r" env TMPDIR="$here/file"
done

# As somebody who may not write there; on a file system that has no room.
if [ "$(id -u)" != 0 ]; then
    mkdir closed
    chmod 500 closed
    for r in $large; do
        or_refused 'a temporary folder that takes nothing' "$r" env TMPDIR="$here/closed"
    done
fi
cat >full <<'EOF'
mount -t tmpfs -o size=16k none "$1" && shift && exec "$@"
EOF
mkdir small
if unshare -m sh full small true 2>/dev/null; then
    for r in $rows; do
        as_usual 'a temporary folder without room' "$r" unshare -m env TMPDIR="$here/small" sh full small
    done
    for r in $large; do
        or_refused 'a temporary folder without room' "$r" unshare -m env TMPDIR="$here/small" sh full small
    done
else
    skip 'a temporary folder without room' 'it takes the right to mount'
fi
same 'no temporary file is left behind' '' "$(find small closed -mindepth 1 2>/dev/null)"

# ---- closed descriptors ----

# A program that does not read or write has no need of them; the others say so.
for r in $rows; do
    sh -c '"$1" <&-' sh "run/$r" >got 2>err
    rc=$?
    if [ -s "in/$r" ]; then
        same "$r: standard input closed" "1 read standard input: Bad file descriptor" \
            "$rc $(sed -n 's/^[a-z]*: cannot \(read .*\)/\1/p' err)" || tap_note <err
    else
        same "$r: standard input closed" "$(cat "status/$r")" $rc
    fi
    sh -c '"$1" >&-' sh "run/$r" <"in/$r" 2>err
    rc=$?
    if [ -s "out/$r" ]; then
        same "$r: standard output closed" "1 write standard output: Bad file descriptor" \
            "$rc $(sed -n 's/^[a-z]*: cannot \(write .*\)/\1/p' err)" || tap_note <err
    else
        same "$r: standard output closed" "$(cat "status/$r")" $rc
    fi
    sh -c '"$1" 2>&-' sh "run/$r" <"in/$r" >got
    same "$r: standard error closed" "$(cat "status/$r")" $?
    ok "$r: standard error closed: it writes what it always writes" cmp "out/$r" got
    sh -c '"$1" <&- >&- 2>&-' sh "run/$r"
    same "$r: all closed" "$(cat "in/$r" "out/$r" | head -c 1 | grep -q . && echo 1 || cat "status/$r")" $?
done
check 'no message went into the store' 0 1 sh -c 'notify -s whole <items >got && signalctl show whole | grep -c "\"total\":2,"'

done_testing
