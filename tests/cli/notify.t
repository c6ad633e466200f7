#!/bin/sh
# notify: signals are counted exactly, once or for each line, and lines pass when the store has them.
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"

# Looked at in the end, for notify tries for some seconds.
(
    status=0
    notify --store=redis+unix://u:s3cret@/nonexistent/s a 2>unreachable || status=$?
    echo "$status" >>unreachable
) &

# ---- how it is called ----

check_err 'no signal is named' 2 '^notify: no signal is named$' notify
check_err 'neither is a blank one' 2 'blank' notify ' '
check_err 'a signal and an expression' 2 'exclude each other' notify -s a b
check_err 'two signals' 2 'unexpected operand' notify a b
check_err 'an option that is not there' 2 'unknown option' notify --nosuch a
check_err 'an option without effect' 2 'no effect without --signal' notify -B 5 a
check_err 'a delta that is no number' 2 'delta: .*whole number' notify -d 5.0 a
check_err 'a delta beyond 64 bits' 2 '64 bits' notify -d 9223372036854775808 a
check_err 'an expression that is none' 2 '^notify: --signal: ' notify -s '${}' </dev/null
check_err 'a regular expression that is none' 2 '^notify: --attributes: ' notify -s a -a '(' </dev/null
check_err '--set without a value' 2 'NAME=VALUE' notify --set x a
check_err '--set with bytes that are not UTF-8' 2 'UTF-8' notify --set "$(printf 'x=\377')" a
check_err '--clear and --delta' 2 'exclude each other' notify --clear -d 2 a
check_err '--no-signal alone' 2 '--of or --set' notify --no-signal a

# ---- which store ----

check_err 'a scheme that is unknown' 2 'begins with none of sqlite:, redis://, rediss://, redis\+unix://, redis\+sentinel://, rediss\+sentinel://, redis\+cluster://, rediss\+cluster://$' \
    notify --store=mysql://u:s3cret@h a
check_status 'a password in a refused URL is not shown' 1 \
    sh -c 'notify --store=redis://u:s3cret@h:bad a 2>&1 | grep s3cret'
check_err 'a folder that is not there' 2 'No such file' notify --store=sqlite:no/s.db a
mkdir closed && chmod 500 closed
if [ "$(id -u)" = 0 ]; then
    skip 'a folder that cannot be written' 'root may write everywhere'
else
    check_err 'a folder that cannot be written' 2 'Permission denied' notify --store=sqlite:closed/s.db a
fi
echo 'not a database, but longer than its header would be if it were one ......................' >text
check_err 'a file that is no store' 2 'not a database' notify --store=sqlite:text a

ok 'the default store is in the home folder' notify home
same 'its folders belong to their owner' 700 "$(stat -c %a "$HOME/.local/state/fanline")"
same 'and so does the file' 600 "$(stat -c %a "$HOME/.local/state/fanline/store.db")"
check_status 'it keeps signals between processes' 0 fanline wait -x 0 home
check_err '-v says which' 0 "^notify: store: sqlite:$HOME/.local/state/fanline/store.db$" notify -v home
ok 'XDG_STATE_HOME is heeded' env XDG_STATE_HOME="$PWD/state" notify xdg
check_status '... and holds the signal' 0 env XDG_STATE_HOME="$PWD/state" fanline wait -x 0 xdg
check_status '... which is not at home' 124 fanline wait -x 0 xdg
ok 'neither HOME nor PATH is needed' env -i XDG_STATE_HOME="$PWD/state" "$FANLINE_BIN/notify" cron
printf 'sqlite:%s/named.db\n' "$PWD" >url
ok 'FANLINE_STORE_FILE names a file with the URL' env FANLINE_STORE_FILE=url notify named
check_status '... which --store overrides' 0 \
    env FANLINE_STORE_FILE=nosuch fanline wait --store="sqlite:$PWD/named.db" -x 0 named
check_err '... and must be there otherwise' 2 'cannot read nosuch' env FANLINE_STORE_FILE=nosuch notify a
echo >blank
check_err '... with something on its first line' 2 'blank does not begin with a URL' \
    env FANLINE_STORE_FILE=blank notify a
check_err '... and be a file' 2 'cannot read \.' env FANLINE_STORE_FILE=. notify a

# ---- what is counted ----

counting()
{
    p=$me.$store
    notify "$p.one" && notify -d 3 "$p.one" && notify -d -2 "$p.one"
    counted "$store: one at a time" "$p.one" 2
    notify -c good "$p.c" && notify -c bad -d 2 "$p.c"
    counted "$store: by counter" "$p.c" 2 -c bad
    check_status "$store: the other counter is still there" 0 fanline wait -x 0 -c good "$p.c"

    printf '{"Status":"Succeeded","ItemCount":100}\n{"Status":"Failed","ItemCount":7}\n' >records
    check "$store: lines pass on" 0 "$(cat records)" \
        sh -c "notify -s $p.r -c '\${Status}' -d '\${ItemCount}' <records"
    counted "$store: Failed" "$p.r" 7 -c Failed
    counted "$store: Succeeded" "$p.r" 100 -c Succeeded
    for size in 1 7 100 1000; do
        seq -f '{"x":%.0f}' -100 150 | notify -B $size -s "$p.b$size" -d '${x}' >/dev/null
        counted "$store: 250 lines, $size at a time" "$p.b$size" 6275
    done
    check "$store: the id from the line" 0 '{"id":"a"}
{"id":"b"}
{"id":"a"}' sh -c "printf '{\"id\":\"a\"}\n{\"id\":\"b\"}\n{\"id\":\"a\"}\n' | notify -s '$p.\${id}'"
    counted "$store: a" "$p.a" 2
    counted "$store: b" "$p.b" 1

    notify -d 9007199254740993 "$p.big"
    counted "$store: 2^53+1" "$p.big" 9007199254740993
    notify -d 9223372036854775807 "$p.most"
    check_err "$store: beyond 64 bits" 1 'would leave 64 bits' notify "$p.most"
    counted "$store: 2^63-1 is unchanged" "$p.most" 9223372036854775807

    i=0
    while [ $i -lt 8 ]; do
        seq 200 | notify -B 1 -s "$p.many" >/dev/null &
        writers="${writers-} $!"
        i=$((i + 1))
    done
    for writer in $writers; do wait "$writer"; done
    writers=
    counted "$store: 8 writers, 200 each" "$p.many" 1600
}
each_store counting

repeating()
{
    p=$me.$store
    printf '{"k":"a"}\n{"k":"b"}\n{"k":"a"}\n' >keys
    check "$store: lines with known keys pass as well" 0 "$(cat keys)" \
        sh -c "notify -s $p.once --once '\${k}' <keys"
    notify -s "$p.once" --once '${k}' <keys >/dev/null
    notify --once b "$p.once"
    counted "$store: each key counts once" "$p.once" 2
    notify --once a "$p.once"
    check_status "$store: also after the release" 124 fanline wait -x 0 "$p.once"
}
each_store repeating

stating()
{
    p=$me.$store
    notify --set manifest='results/a "b".json' --set x= "$p.set" && notify --set x=2 -d 0 "$p.set"
    check "$store: attributes" 0 '{"manifest":"results/a \"b\".json","x":"2"}' \
        fanline wait -x 0 --print "$p.set"
    printf '{"col7":1.50,"not.col7":2,"colour":{"a" : [1]},"col8":null,"col9":"\\u00e4"}\n' |
        notify -s "$p.re" -a 'col\d*' >/dev/null
    check "$store: attributes by a pattern of the whole name" 0 '{"col7":"1.50","col9":"ä"}' \
        fanline wait -x 0 --print "$p.re"
    notify --no-signal --of 2 "$p.of" && notify "$p.of"
    check_status "$store: one of two" 124 fanline wait -x 0 -n stated "$p.of"
    notify "$p.of"
    check_status "$store: two of two" 0 fanline wait -x 0 -n stated "$p.of"
    notify --no-signal --of 0 "$p.of0"
    check_status "$store: none of none" 0 fanline wait -x 0 -n stated "$p.of0"
    notify -d 5 "$p.gate"
    check_status "$store: a gate is open" 0 fanline wait -x 0 -r 0 -n 5 "$p.gate"
    check_status "$store: and stays open" 0 fanline wait -x 0 -r 0 -n 5 "$p.gate"
    notify --clear "$p.gate"
    check_status "$store: until it is cleared" 124 fanline wait -x 0 -r 0 -n 5 "$p.gate"
    notify --ttl 300ms "$p.ttl" && sleep 0.5
    check_status "$store: a signal whose time is over" 124 fanline wait -x 0 "$p.ttl"
}
each_store stating

# ---- lines that cannot signal ----

failing()
{
    p=$me.$store
    printf '{"n":1}\n{"n": "2 rows"}\n{"n":5.0}\n{"n":"0x1"}\n{"n":3}\n' >lines
    check "$store: the others pass" 1 '{"n":1}
{"n":3}' sh -c "notify -s $p.f -d '\${n}' <lines 2>err"
    grep '^{' err >lost
    check_file "$store: those that fail are on standard error, exactly" lost '{"n": "2 rows"}
{"n":5.0}
{"n":"0x1"}'
    check_err "$store: with the place" 1 '^notify: standard input:2:1 .byte 8, item 2.: delta: ' \
        sh -c "notify -s $p.f2 -d '\${n}' <lines >out"
    check "$store: --failure takes them" 0 '{"n":1}
{"n":3}' sh -c "notify -q -s $p.f3 -d '\${n}' --failure=failed <lines"
    check_file "$store: exactly" failed '{"n": "2 rows"}
{"n":5.0}
{"n":"0x1"}'
    counted "$store: they signal nothing" "$p.f3" 4
    check_err "$store: blank ids" 1 '2 lines could not signal' \
        sh -c "printf '{\"id\":\" \"}\n{}\n{\"id\":\"$p.ok\"}\n' | notify -q -s '\${id}'"
    check "$store: bad JSON stops, what came before is signalled" 1 '1
2' sh -c "printf '1\n2\nx\n3\n' | notify -s $p.j 2>/dev/null"
    counted "$store: two" "$p.j" 2
    check "$store: --rejects goes on" 1 '1
2
3' sh -c "printf '1\n2\nx\n3\n' | notify -q -s $p.k --rejects=bad 2>/dev/null"
    check_file "$store: and keeps them" bad x
    counted "$store: three" "$p.k" 3
}
each_store failing

# ---- hostile ids ----

hostile()
{
    p=$me.$store
    {
        printf '{"id":"%s{}"}\n{"id":"%s{a}{b}"}\n{"id":"{%s"}\n{"id":"%%7B%s"}\n' "$p" "$p" "$p" "$p"
        printf '{"id":"%s\\u0000a"}\n{"id":"%s\\u0000b"}\n{"id":" %s "}\n' "$p" "$p" "$p"
        printf '{"id":"%s\\r\\n"}\n{"id":"%s\\ud83d\\ude00ä"}\n{"id":"%s${id}"}\n' "$p" "$p" "$p"
        printf '{"id":"%s' "$p" && head -c 1000000 /dev/zero | tr '\0' x && printf '"}\n'
    } >ids
    ok "$store: they are signalled" sh -c "notify -s '\${id}' <ids | cmp - ids"
    ok "$store: each releases its own line" sh -c "fanline wait -x 0 -s '\${id}' <ids | cmp - ids"
    check_status "$store: and no other" 124 sh -c "fanline wait -q -x 0 -s '\${id}' <ids 2>/dev/null"
    notify "$p\${x}{y}"
    check_status "$store: an operand is taken as it is" 0 fanline wait -x 0 "$p\${x}{y}"
}
each_store hostile

# ---- streams ----

streaming()
{
    p=$me.$store
    mkfifo in.$store
    notify -s "$p.s" <in.$store >out.$store 2>err.$store &
    reader=$!
    exec 9>in.$store
    printf '1\n\n{"half":' >&9
    ok "$store: a line leaves while the next is awaited" until_true 5 grep -q 1 out.$store
    check_status "$store: and is signalled" 0 fanline wait -x 5s "$p.s"
    kill -USR1 $reader
    ok "$store: USR1 asks how far it is" until_true 5 grep -q '^notify: 1 items' err.$store
    printf '1}\n' >&9
    exec 9>&-
    wait $reader
    check_file "$store: then the next" out.$store '1
{"half":1}'

    check "$store: end marks" 1 '1
2
{"fanline.end":{"status":0,"items":2,"rejected":3}}' sh -c "printf '1\n2\n{\"fanline.end\":{\"status\":0,\"items\":2,\"rejected\":3}}\n' |
        notify --end-mark -s $p.m 2>err"
    counted "$store: items rejected before" "$p.m" 3 -c rejected
    check_status "$store: bad lines here" 1 sh -c \
        "printf '1\nx\n{\"fanline.end\":{\"status\":0,\"items\":2,\"rejected\":1}}\n' |
        notify -q --end-mark --rejects=/dev/null -s $p.x 2>/dev/null"
    counted "$store: add to them" "$p.x" 2 -c rejected
    check_err "$store: a stream cut short" 1 'cut short' sh -c "printf '1\n' | notify --end-mark -s $p.w"
    counted "$store: is told to who waits" "$p.w" 1 -c broken
    check_status "$store: also before its first line" 1 \
        sh -c "notify --end-mark -s $p.v </dev/null 2>/dev/null"
    counted "$store: where the id is known" "$p.v" 1 -c broken

    check_err "$store: a full disk" 1 'No space left' sh -c "echo 1 | notify -s $p.full >/dev/full"
    check "$store: an output that nobody reads" 0 1 sh -c "yes 1 | notify -s $p.pipe | head -n 1"
    check "$store: an empty stream" 0 '' notify -s "$p.empty"
}
each_store streaming

until_true 20 grep -q '^[0-9]' unreachable
check_file 'a server that is not there' unreachable \
    'notify: trying again for 10 s: store redis+unix:///nonexistent/s?db=0: No such file or directory
notify: store redis+unix:///nonexistent/s?db=0: No such file or directory
75'

done_testing
