#!/bin/sh
# Clients of a tunnel whose commands or pipes are slow, or hang (tunnel scenarios 13, 14).
. "$(dirname "$0")/tunnel.sh"
durable_redis
fast
mark=7$$.5

# ---- one channel is slow (13) ----

cat >by-turns <<'END'
#!/bin/sh
echo $FANLINE_CHANNEL >>served
cat >&3
END
cat >held <<'END'
#!/bin/sh
[ $FANLINE_CHANNEL != stream-0 ] || until [ -e go ]; do sleep 0.02; done
cat
END
chmod +x by-turns held
lag_of()
{
    tunnelctl describe "$1" | sed -n "s/.*\"channel\":\"$2\".*\"lag\":\([0-9]*\),.*/\1/p"
}
others_are_through()
{
    [ "$(tunnelctl describe a | grep -c '"channel":.*"lag":0,')" = 7 ]
}
tunnelctl create a --type=stream -S s --partitions=8
client 1 -n 10 a ./held
ok 'a client' until_true 10 holds a '8 '
append 1 2000 s
ok 'a slow channel holds up no other' until_true 20 others_are_through
ok '... its lag is shown' [ "$(lag_of a stream-0)" -gt 0 ]
beats_pass 0
ok '... heartbeats go on' until_true 10 beats_pass 12
same '... so that nobody expires' '0 1 1' \
    "$(happened a '"what":"expired"') $(happened a '"what":"connect"') $(tunnelctl clients a | grep -c '"expired":0')"
: >go
ok '... in the end all is through' until_true 20 lag a 0
quit 1
exactly_once_in_file()
{
    oracle "$3" 1 <"$2" >oracle.says
    ok "$1" sh -c 'cat oracle.says; [ ! -s oracle.says ]'
}
exactly_once_in_file '... once, in order' out.1 2000

# ---- fewer commands than channels (13) ----

append 2001 4000 s
client 2 -j 2 -n 5 a sh -c 'exec 3>&1; exec ./by-turns'
ok 'two commands serve eight channels' until_true 20 lag a 0
same '... in turn' 8 "$(sed 24q served | sort -u | wc -l)"
quit 2

# ---- a pipe that nobody reads (13) ----

tunnelctl create d --type=stream -S s4 --partitions=4
mkfifo pipe
tunnelget -n 10 d >pipe 2>err.d &
client_d=$!
at_exit "kill -9 $client_d 2>/dev/null"
exec 3<pipe
ok 'a client' until_true 10 holds d '4 '
awk 'BEGIN { for (pad = "ten bytes!"; length(pad) < 10000;) pad = pad pad
    for (i = 1; i <= 3000; i++) printf "{\"k\":\"%d\",\"n\":%d,\"pad\":\"%s\"}\n", i % 100, i, pad }' |
    tunnelput -S s4 --key '${k}'
beats_pass 0
ok 'a pipe that nobody reads holds up no heartbeats' until_true 10 beats_pass 20
same '... expires nobody' '0 1 1' \
    "$(happened d '"what":"expired"') $(happened d '"what":"connect"') $(tunnelctl clients d | grep -c '"expired":0')"
ok '... and holds lines back' sh -c "! tunnelctl describe d | sed -n 1p | grep '\"lag\":0,'"
# Four channels have a batch in hand, one after it and one on its way, of 100 kB each, and the output
# some hundred kB: of 31 MB.
if [ "${FANLINE_BIN#*release}" = "$FANLINE_BIN" ]; then
    skip '... in the store' 'sanitizers take memory'
else
    ok '... in the store' [ "$(sed -n 's/^VmHWM:[^0-9]*\([0-9]*\) kB/\1/p' /proc/$client_d/status)" -lt 20000 ]
fi
cat <&3 >out.d &
ok '... until it is read' until_true 20 lag d 0
kill $client_d
wait $client_d
exec 3<&-
exactly_once_in_file '... all of it, once' out.d 3000

# ---- a command that never ends, asked for its channel (14) ----

tunnelctl create c --type=stream -S s3 --partitions=2
client 8 --close-limit 600ms --on-shutdown "echo shut \$FANLINE_CHANNEL \$FANLINE_VERSION >>hooks" c \
    sh -c "cat; sleep $mark"
ok 'one client has both' until_true 10 holds c '2 '
printf '{"n":1}\n{"n":2}\n' | tunnelput -S s3
hang()
{
    [ "$(pgrep -fc "^sleep $mark")" = "$1" ]
}
ok 'its commands hang' until_true 10 hang 2
client 9 c cat
ok 'another one gets a channel by force' until_true 10 holds c '1 1 '
same '... an event tells' 1 "$(happened c '"why":"forced"')"
ok '... its command is killed' until_true 10 hang 1
ok '... the hook has run' until_true 10 [ -s hooks ]
ok '... the line is delivered' until_true 10 [ -s out.9 ]
same '... once' 1 "$(wc -l <out.9)"
same '... and not by the command that was killed' '' "$(cat out.8)"
beats_pass 0
ok '... time passes' until_true 10 beats_pass 10
same '... the hook has run once' 1 "$(wc -l <hooks)"
same 'the clients went on living' '0 2 2' \
    "$(happened c '"what":"expired"') $(happened c '"what":"connect"') $(tunnelctl clients c | grep -c '"expired":0')"
quit 8
same 'TERM waits for a batch as long as the limit says' 0 $quit_status
ok '... and no command is left' hang 0
same '... the hook has run for both channels' 'stream-0 stream-1 ' \
    "$(cut -d' ' -f2 hooks | sort | tr '\n' ' ')"
rules_hold c
quit 9
done_testing
