#!/bin/sh
# The rules that hold for every filter: streams, refusals with their place, end marks, descriptors,
# signals, options.  A program is known here by a command that takes and gives lines.
. "$(dirname "$0")/lib.sh"

mkdir run good
store=sqlite:$PWD/store.db

# filter NAME GOOD-LINE COMMAND...: how NAME is run as a filter, and a line that it takes.  More
# options go where COMMAND has the word OPTIONS.
filter()
{
    [ -x "$FANLINE_BIN/$1" ] || return 0
    printf '%s\n' "$2" >"good/$1"
    name=$1
    shift 2
    {
        echo '#!/bin/sh'
        printf 'exec'
        printf " '%s'" "$@" | sed "s/'OPTIONS'/\"\$@\"/"
    } >"run/$name"
    chmod +x "run/$name"
}
record='{"Input":1,"Output":{"a":1.10},"Status":"Succeeded"}'
filter batcher '{"a":1.10}' batcher -n 1 OPTIONS
filter itemconstruct '{"a":1.10}' itemconstruct -t '{"v.$":"$Item"}' OPTIONS
filter evalexpr '{"a":1.10}' evalexpr OPTIONS '$Item'
filter mapsplit '{"a":1.10}' mapsplit -f jsonl OPTIONS
filter maprun '{"a":1.10}' maprun -j 1 -k --emit=output --items=one OPTIONS -- cat
filter resultwrite "$record" resultwrite --wrap=lines OPTIONS
filter notify '{"id":"a"}' notify --store "$store" -s '${id}' OPTIONS
filter wait '{"id":"w"}' "$FANLINE_BIN/wait" --store "$store" -s '${id}' -n 0 OPTIONS
filters=$(ls run)
programs=$(ls "$FANLINE_BIN")

# quietly OUT COMMAND...: standard output into OUT, standard error into the file err; prints the status.
quietly()
{
    out=$1
    shift
    "$@" >"$out" 2>err
    echo $?
}

# What NAME has let out.  The lines that wait holds when it stops go to standard error, as no file for
# them is named.
written()
{
    cat got
    [ "$1" != wait ] || grep -v '^wait: ' err
}

# The messages of NAME.
messages()
{
    grep "^$1: " err
}

# refused NAME WHAT BAD-LINE COLUMN: a good line, this bad one, a good one.  What came before has been
# written, and the place is said.
refused()
{
    place="^$1: standard input:2:$4 \\(byte $(($(wc -c <"good/$1") + $4 - 1)), item 2\\): ."
    { cat "good/$1" && printf "$3\n" && cat "good/$1"; } >bad.in
    same "$1: $2: exit 1" 1 "$(quietly got "run/$1" <bad.in)"
    same "$1: $2: what came before is written" "$(cat "first.$1")" "$(written "$1")"
    ok "$1: $2: the place is said, in one line" \
        sh -c 'grep -Eq "$1" err && [ "$(grep -c "^$2: " err)" = 1 ] || { cat err; false; }' \
        sh "$place" "$1"
}

# ---- what all programs have ----

for p in $programs; do
    same "$p --help" 0 "$(quietly got "$FANLINE_BIN/$p" --help)"
    ok "$p --help: on standard output, and nothing else" \
        sh -c 'grep -q "^Usage: $1 \[OPTION" got && grep -q "^Example:" got && [ ! -s err ]' sh "$p"
    ok "$p --help: one screen" sh -c '[ "$(wc -l <got)" -le 60 ] && [ "$(wc -L <got)" -le 90 ]'
    same "$p --version" 0 "$(quietly got "$FANLINE_BIN/$p" --version)"
    ok "$p --version: one line" grep -Eqx "$p \(fanline\) [0-9]+\.[0-9]+\.[0-9]+" got
    same "$p --help: a full disk" 1 "$(quietly /dev/full "$FANLINE_BIN/$p" --help)"
    same "$p --help: a full disk is told" \
        "$p: cannot write standard output: No space left on device" "$(cat err)"
    check_err "$p: an unknown option" 2 "^$p: unknown option '--no-such-option'$" \
        "$FANLINE_BIN/$p" --no-such-option
    check_err "$p: an unknown letter" 2 "^$p: unknown option '-Z'$" "$FANLINE_BIN/$p" -Z
    check_err "$p: a slip of the pen" 2 "^$p: unknown option '--verison'; did you mean '--version'\?$" \
        "$FANLINE_BIN/$p" --verison=x
    check_err "$p: only the beginning" 2 "^$p: unknown option '--vers'; did you mean '--version'\?$" \
        "$FANLINE_BIN/$p" --vers
    check_err "$p: only one dash" 2 "^$p: unknown option '-h'; did you mean '--help'\?$" \
        "$FANLINE_BIN/$p" -help
done

# ---- the stream as it comes ----

for p in $filters; do
    cp "good/$p" one.in
    cat "good/$p" "good/$p" >two.in
    "run/$p" <one.in >"first.$p"
    both=$(cat "first.$p" "first.$p")
    ok "$p: a line" test -s "first.$p"
    check "$p: two lines" 0 "$both" "run/$p" <two.in
    check "$p: no lines" 0 '' "run/$p" </dev/null
    check "$p: only blank lines" 0 '' sh -c 'printf "\n  \r\n\t\n" | "$1"' sh "run/$p"
    check "$p: CR LF" 0 "$both" sh -c 'awk "{ printf \"%s\\r\\n\", \$0 }" two.in | "$1"' sh "run/$p"
    check "$p: blank lines between" 0 "$both" sh -c 'sed G two.in | "$1"' sh "run/$p"
    check "$p: a byte order mark" 0 "$both" \
        sh -c '{ printf "\357\273\277"; cat two.in; } | "$1"' sh "run/$p"
    check "$p: the last line without LF" 0 "$both" \
        sh -c 'printf "%s" "$(cat two.in)" | "$1"' sh "run/$p"
    check "$p: white space between tokens goes" 0 "$both" \
        sh -c 'sed "s/[:,{}]/ & /g" two.in | "$1"' sh "run/$p"
    check "$p: locale-cron: whatever the locale" 0 "$both" env LC_ALL=tr_TR.UTF-8 "run/$p" <two.in
    check "$p: locale-cron: in the environment of cron" 0 "$both" \
        env -i PATH="$FANLINE_BIN:/usr/bin:/bin" "run/$p" <two.in
    same "$p: silent on success" 0 "$(quietly got "run/$p" <two.in)$(cat err)"
done

# ---- what is refused ----

deep=$(awk 'BEGIN { for (i = 0; i < 100000; i++) printf "[" }')
for p in $filters; do
    refused "$p" 'cut short' '{"a":[1,' 9
    refused "$p" 'no JSON' '{"a":x}' 6
    refused "$p" 'two values' '1 2' 3
    refused "$p" 'invalid UTF-8' '{"a":"\351"}' 8
    refused "$p" 'a NUL byte' '{"a":"\000"}' 7
    refused "$p" 'a NUL byte behind a value' '1\000' 2
    refused "$p" 'a byte order mark amid' '\357\273\277{}' 1
    refused "$p" 'a control sequence' '\033[31m' 1
    refused "$p" 'nested too deeply' "$deep" 10001

    export FANLINE_STRICT=1
    refused "$p" 'json-dup-keys: two members of one name, by request' '{"x":{"a":1,"\\u0061":2}}' 13
    unset FANLINE_STRICT
    check "$p: json-dup-keys: one name in many objects" 0 "$(cat "first.$p")" \
        "run/$p" --strict <"good/$p"

    { cat "good/$p" && printf '{"long":"%0200d"}\n' 0 && cat "good/$p"; } >bad.in
    same "$p: too large an item" 1 "$(quietly got "run/$p" --max-item-bytes=200 <bad.in)"
    ok "$p: too large an item: its place" \
        grep -Eq "^$p: standard input:2:1 .*longer than 200 bytes" err
    same "$p: too large an item: what came before is written" "$(cat "first.$p")" "$(written "$p")"
    check_err "$p: depth by the option" 1 "^$p: standard input:1:3 .*nested deeper" \
        sh -c 'echo "[[[0]]]" | "$1" --max-depth=2' sh "run/$p"
    check_err "$p: depth by the environment" 1 "^$p: standard input:1:3 .*nested deeper" \
        sh -c 'echo "[[[0]]]" | FANLINE_MAX_DEPTH=2 "$1"' sh "run/$p"
    check_err "$p: the option wins" 1 "^$p: standard input:1:2 .*nested deeper" \
        sh -c 'echo "[[[0]]]" | FANLINE_MAX_DEPTH=2 "$1" --max-depth=1' sh "run/$p"
done

# ---- rejects ----

printf 'x\r\n {"a":\377}\n"\000"\n{' >bad.lines
for p in $filters; do
    { cat "good/$p" && sed '$d' bad.lines && cat "good/$p" && printf '{'; } >bad.in
    same "$p: rejects: exit 1" 1 "$(quietly got "run/$p" --rejects=bad.got <bad.in)"
    { cat bad.lines && echo; } >bad.want
    ok "$p: rejects: byte for byte" cmp bad.want bad.got
    same "$p: rejects: the others pass" "$(cat "first.$p" "first.$p")" "$(cat got)"
    same "$p: rejects: each is told, and how many" "5 $p: 4 of 6 lines were rejected" \
        "$(wc -l <err | tr -d ' ') $(tail -n 1 err)"
    same "$p: rejects: quietly" "1 $p: 4 of 6 lines were rejected" \
        "$(quietly got "run/$p" -q --rejects=bad.got <bad.in) $(cat err)"
    same "$p: rejects: none" 0 "$(quietly got "run/$p" --rejects=none.got <"good/$p")"
    check_file "$p: rejects: none: an empty file" none.got ''
    check_err "$p: rejects: a folder" 1 "^$p: cannot write \.: it is a folder" \
        "run/$p" --rejects=. <"good/$p"
    check_err "$p: rejects: a full disk" 1 "^$p: cannot write /dev/full: No space left" \
        "run/$p" --rejects=/dev/full <bad.in
    same "$p: rejects: a full disk, endless input" "1 $p: cannot write /dev/full: No space left on device" \
        "$(yes x | quietly got timeout 20 "run/$p" -q --rejects=/dev/full) $(head -n 1 err)"
    same "$p: rejects: ... which do not get lost" x "$(grep -v "^$p: " err | sort -u)"
    echo 'before' >log
    "run/$p" -q --rejects=/dev/stderr <bad.in >got 2>>log || :
    { echo before && cat bad.want && echo "$p: 4 of 6 lines were rejected"; } >bad.log
    ok "$p: rejects: beside the messages" cmp bad.log log
done

# Of one kind of message ten are shown; the counts are those of all.
for p in $filters; do
    {
        yes x | head -n 1015
        printf '{"a":1\n{"a":\n'
    } >bad.in
    same "$p: many rejects: exit 1" 1 "$(quietly got "run/$p" --rejects=bad.got <bad.in)"
    ok "$p: many rejects: byte for byte" cmp bad.in bad.got
    same "$p: many rejects: ten of a kind, the others by number" "15
$p: more messages of this kind are only counted (-v shows all)
$p: and 1005 more: expected a value
$p: 1017 of 1017 lines were rejected" "$(wc -l <err | tr -d ' ')
$(sed -n '11p;14,$p' err)"
    same "$p: many rejects: -v shows all" "1018 0" \
        "$(run/$p -v --rejects=bad.got <bad.in 2>&1 >got | grep -c "^$p: .* reject\|^$p: standard input") $(
            run/$p -v --rejects=bad.got <bad.in 2>&1 >got | grep -c 'more')"
    same "$p: many rejects: -q shows none" "$p: 1017 of 1017 lines were rejected" \
        "$(run/$p -q --rejects=bad.got <bad.in 2>&1 >got)"
done
awk 'BEGIN { print "a,b"; for (i = 0; i < 12; i++) print i % 2 ? "1,2,3,4" : "1,2,3" }' >bad.csv
same 'many rejects: messages that differ in numbers are of a kind' \
    'mapsplit: and 2 more: the record has N fields, but there are N columns' \
    "$(mapsplit --rejects=bad.got bad.csv 2>&1 | grep 'and .* more')"
awk 'BEGIN { for (i = 0; i < 12; i++) printf "{\"id\":\"%c\"}\n", 97 + i }' >names.in
same 'many rejects: messages that differ in what they quote are of a kind' 1 \
    "$(itemconstruct -t '{"v.$":"intAdd($Item.id,1)"}' --rejects=bad.got <names.in 2>&1 | grep -c 'and 2 more')"

# ---- files that have another use ----

# A file that is written takes the place of what had its name: it would be lost.
for p in $filters; do
    cp "good/$p" src
    ln -sf src link
    ln -f src hard
    for other in src ./src link hard; do
        check_err "$p: --rejects is standard input, $other" 2 \
            "^$p: --rejects and standard input are one file: $other" "run/$p" --rejects=$other <src
    done
    for option in $("$FANLINE_BIN/$p" --help | sed -n 's/.* --\([a-z-]*\)\(\[=\|=.*|\|=\)\(FILE\|MANIFEST\).*/\1/p'); do
        [ "$option" = rejects ] || check_err "$p: --rejects is the file of --$option" 2 \
            "^$p: (--$option and --rejects|--rejects and --$option) are one file: " \
            "run/$p" "--$option=src" --rejects=link </dev/null
    done
    check_err "$p: standard output is standard input" 2 \
        "^$p: standard output and standard input are one file" sh -c '"$1" <src >>src' sh "run/$p"
    check_err "$p: --rejects is standard output" 2 "^$p: --rejects and standard output are one file: out" \
        sh -c '"$1" --rejects=out <src >out' sh "run/$p"
    same "$p: --rejects is standard error" "2 $p: --rejects and standard error are one file: err" \
        "$(quietly got "run/$p" --rejects=err <src) $(head -n 1 err)"
    check_file "$p: the file is as it was" src "$(cat "good/$p")"
    check "$p: devices have many uses" 0 '' "run/$p" --rejects=/dev/null </dev/null
    check "$p: a log takes both" 0 '' \
        sh -c '"$1" --rejects=/dev/stderr <src >log 2>&1' sh "run/$p"
done
check_err 'mapsplit: an output is a source' 2 '^mapsplit: --original and the source are one file: src' \
    mapsplit /dev/null src --original=src
check_err 'mapsplit: two outputs that are not there yet' 2 '--original and --rejects are one file: ./new' \
    mapsplit --rejects=new --original=./new
check_err 'mapsplit: a source is standard output' 2 'standard output and the source are one file: src' \
    sh -c 'mapsplit src >>src'
check_err 'mapsplit: a descriptor that writes to a source' 2 'the source are one file: /dev/fd/3' \
    sh -c 'mapsplit src --rejects=/dev/fd/3 3>>src'
check 'mapsplit: what is only read may be read twice' 0 '1
1' sh -c 'echo 1 >twice && mapsplit -f jsonl twice twice'
check_err 'itemconstruct: an output is the template' 2 '--rejects and --template are one file: src' \
    itemconstruct -t @src --rejects=src
check_err 'batcher: an output is the template' 2 '--rejects and --batch-input are one file: src' \
    batcher --batch-input=@src --rejects=src
check_err 'notify: an output is the store' 2 '--failure and --store are one file: src' \
    notify --store=sqlite:src --failure=src -s a

# "-" is no file, unless the option says otherwise.
mkdir dash
cd dash || exit 1
for p in $programs; do
    for option in $("$FANLINE_BIN/$p" --help |
        sed -nE 's/^  ....(--[a-z-]+)\[?=([A-Z]+\|)?(FILE|MANIFEST|FOLDER|DIR|DEST)(\]| |\||$).*/\1/p'); do
        case $p$option in
        mapflow--input | resultwrite--summary) continue ;;
        mapflow--actions) want='--actions cannot be standard input' ;;
        *) want="$option: '-' names nothing here: say ./-" ;;
        esac
        set --
        [ "$p" != mapflow ] || set -- run ../src
        check_err "$p: $option=-" 2 "^$p: $want" "$FANLINE_BIN/$p" "$option=-" "$@" </dev/null
    done
done
check_err 'a file that is read as @-' 2 "^batcher: --batch-input: '-' names nothing here: say ./-$" \
    batcher -n 1 --batch-input=@-
check_err 'what is written may go to standard error' 2 '--log: .* say ./- or /dev/stderr$' maprun --log=- true
check_err 'by a variable' 2 "^mapflow: FANLINE_BUCKET_ROOT: '-' names nothing here" \
    env FANLINE_BUCKET_ROOT=- mapflow run ../src
same 'no such file is made' '' "$(ls -A)"
check 'one that is really named so' 1 '{"Items":[1]}' sh -c '{ echo 1; echo x; } | batcher -n 1 -q --rejects=./-'
check_file '... has the line' ./- x
check_err 'a template is no file' 2 '^itemconstruct: template:1:2 ' itemconstruct -t -
cd ..

# ---- end marks ----

mark()
{
    printf '{"fanline.end":{"status":%s,"items":%s,"rejected":%s}}\n' "$@"
}
for p in $filters; do
    { cat "good/$p" "good/$p" && mark 0 2 0; } >marked.in
    both=$(cat "first.$p" "first.$p" && mark 0 2 0)
    check "$p: end mark" 0 "$both" "run/$p" --end-mark <marked.in
    check "$p: end mark by the environment" 0 "$both" env FANLINE_END_MARK=1 "run/$p" <marked.in
    check "$p: end mark: no lines" 0 "$(mark 0 0 0)" sh -c 'echo "$2" | "$1" --end-mark' sh \
        "run/$p" "$(mark 0 0 0)"
    check "$p: end mark that nobody asked for is no item" 0 "$(cat "first.$p" "first.$p")" \
        "run/$p" <marked.in
    sed 1d marked.in >short.in
    check_err "$p: end mark: a line is missing" 1 "^$p: .*cut short: its end mark counts 2 lines" \
        "run/$p" --end-mark <short.in
    check_err "$p: end mark: also where nobody asked" 1 "^$p: .*cut short" "run/$p" <short.in
    sed 's/"status":0/"status":1/' marked.in >failed.in
    check_err "$p: end mark: the writer failed" 1 "^$p: .*cut short: its writer ended with status 1" \
        "run/$p" --end-mark <failed.in
    { cat marked.in && cat "good/$p"; } >behind.in
    check_err "$p: end mark: more behind it" 1 "^$p: standard input:4:1 .*behind the end mark" \
        "run/$p" --end-mark <behind.in
    sed 's/"rejected":0/"rejected":3/' marked.in >rejected.in
    check "$p: end mark: rejected lines are added up" 1 \
        "$(cat "first.$p" "first.$p" && mark 0 2 4)" \
        sh -c '{ echo x && sed "s/\"items\":2/\"items\":3/" rejected.in; } |
            "$1" -q --end-mark --rejects=/dev/null' sh "run/$p"
    check_err "$p: end mark: rejected lines before are told" 1 "^$p: 3 lines were rejected by the filters before" \
        "run/$p" --end-mark <rejected.in
    [ "$p" != mapsplit ] || continue # a data set need not have one
    check_err "$p: end mark: missing" 1 "^$p: .*cut short: it has no end mark \(after 1 lines\)" \
        "run/$p" --end-mark <"good/$p"
    same "$p: end mark: missing: exit 1" 1 "$(quietly got "run/$p" --end-mark <"good/$p")"
    same "$p: end mark: missing: what came is written" "$(cat "first.$p")" \
        "$(written "$p" | grep -v fanline.end)"
done

# ---- descriptors ----

for p in $filters; do
    cp "good/$p" one.in
    full="$p: cannot write standard output: No space left on device"
    same "$p: out-dev-full: a full disk" "1 $full" "$(quietly /dev/full "run/$p" <one.in) $(messages "$p")"
    same "$p: a full disk, noticed amid" "1 $full" \
        "$({ cat one.in && sleep 0.2 && cat one.in; } | quietly /dev/full "run/$p") $(messages "$p")"
    same "$p: a full disk, endless input" "1 $full" \
        "$(yes "$(cat one.in)" | quietly /dev/full timeout 20 "run/$p") $(messages "$p")"
    same "$p: standard input closed" "1 $p: cannot read standard input: Bad file descriptor" \
        "$(quietly got "run/$p" <&-) $(cat err)"
    check_err "$p: standard input is a folder" 1 "^$p: cannot read standard input: .* a (directory|folder)" \
        sh -c '"$1" <.' sh "run/$p"
    check_err "$p: standard output closed" 1 "^$p: cannot write standard output: Bad file" \
        sh -c '"$1" <one.in >&-' sh "run/$p"
    check "$p: standard error closed" 0 "$(cat "first.$p")" sh -c '"$1" <one.in 2>&-' sh "run/$p"
    check_status "$p: standard error closed, and a message" 1 sh -c 'echo x | "$1" 2>&-' sh "run/$p"
    for ignored in '' "trap '' PIPE;"; do
        sh -c "$ignored"' { yes "$(cat one.in)" 2>/dev/null |
            { "$1"; echo $? >status; } 2>err; } | head -n 1 >got' sh "run/$p"
        same "$p: out-broken-pipe: nobody reads${ignored:+, SIGPIPE ignored}" "141 $(cat "first.$p")" \
            "$(cat status) $(cat err got)"
    done
done

# A file that may not grow is like a full disk. notify and wait need more than that for their store.
for p in $filters; do
    case $p in notify | wait) continue ;; esac
    yes "$(cat "good/$p")" | head -n 200 >many.in
    same "$p: a limit of file sizes" "1 $p: cannot write standard output: File too large" \
        "$(ulimit -f 1 && "run/$p" <many.in >limited.out 2>limited.err
            echo "$? $(head -n 1 limited.err)")"
done

# ---- time and signals ----

mkfifo in
mkdir aside
for p in $filters; do
    rm -f got err
    "run/$p" --rejects=aside/bad <in >got 2>err &
    pid=$!
    exec 3>in
    cat "good/$p" >&3
    ok "$p: a line leaves while the input stays open" until_true 5 test -s got
    kill -USR1 "$pid"
    ok "$p: USR1: a line about it" until_true 5 grep -Eq "^$p: [0-9]+ items?, " err
    kill -TERM "$pid"
    wait "$pid" 2>/dev/null
    same "$p: TERM" 143 $?
    exec 3>&-
    rm -f aside/bad
    same "$p: TERM: nothing half made is left" '' "$(ls -A aside)"
    same "$p: TERM: what was done is written" "$(cat "first.$p")" "$(cat got)"
done

# Input that never pauses, of which nothing comes out.
for p in $filters; do
    for line in x ''; do
        yes "$line" >in 2>/dev/null &
        timeout -k 20 0.2 "run/$p" -q --rejects=/dev/null <in >got 2>err
        same "$p: TERM amid endless lines '$line': no KILL is needed" 124 $?
        wait
    done
done

# ---- options ----

for p in $filters; do
    for value in 0 -1 10x 1.5 99999999999999999999; do
        check_err "$p: --max-depth=$value" 2 "^$p: --max-depth: " "run/$p" --max-depth="$value"
    done
    check_err "$p: --max-item-bytes=10x" 2 "^$p: --max-item-bytes: " "run/$p" --max-item-bytes=10x
    check_err "$p: FANLINE_MAX_DEPTH=x" 2 "^$p: FANLINE_MAX_DEPTH: " \
        env FANLINE_MAX_DEPTH=x "run/$p"
    check_err "$p: FANLINE_END_MARK=2" 2 "^$p: FANLINE_END_MARK: " env FANLINE_END_MARK=2 "run/$p"
    check_err "$p: an argument is missing" 2 "^$p: --rejects needs an argument: FILE" \
        "$FANLINE_BIN/$p" --rejects
    check_err "$p: an argument that is not taken" 2 "^$p: --quiet takes no argument" \
        "$FANLINE_BIN/$p" --quiet=1
done
# Arguments become part of what is written, but for names of files and what a shell reads.
for p in $programs; do
    for option in $("$FANLINE_BIN/$p" --help | grep -Ev '[=|](FILE|PLACE|MANIFEST|DIR|FOLDER|URL|CMD|STRING|TOKEN|ERRORS=)' |
        sed -n 's/^  ....--\([a-z-]*\)\(\[=\|=\).*/\1/p'); do
        check_err "$p: --$option: bytes that are no UTF-8" 2 "^$p: --$option: " \
            "$FANLINE_BIN/$p" "--$option=$(printf 'a\377')"
    done
done
# A message shows only the ends of a very long word, and so the reason behind it too.
long=$(awk 'BEGIN { for (i = 0; i < 600; i++) printf "word%d", i % 10 }')
for p in $programs; do
    for argument in "--$long" "$long" $("$FANLINE_BIN/$p" --help |
        sed -n "s/^  ....\\(--[a-z-]*\\)\\(\\[=\\|=\\).*/\\1=$long/p"); do
        "$FANLINE_BIN/$p" "$argument" </dev/null >got 2>err
        ok "$p: a long word in ${argument%%word*}" awk 'length > 600 { bad = 1 } END { exit bad }' err
    done
done
check_err 'the reason behind a long word' 2 \
    "^batcher: --oversize: 'word0[a-z0-9]*\.\.\.[a-z0-9]*9' is none of fail, alone, reject$" \
    batcher --oversize="$long"
check_err 'the reason behind a long name of a file' 1 '^mapsplit: cannot open word0.*word9: File name too long$' \
    mapsplit "$long"
for p in notify wait signalctl tunnelctl evalexpr; do
    [ ! -x "$FANLINE_BIN/$p" ] || check_err "$p: an operand that is no UTF-8" 2 "^$p: 'a.' is not UTF-8 at byte 1" \
        "$FANLINE_BIN/$p" "$(printf 'a\377')"
done
check_err 'evalexpr: a variable that is no UTF-8' 1 "^evalexpr: the variable 'ODD' is not UTF-8 at byte 1" \
    env ODD="$(printf 'a\377')" evalexpr --null-input '${ODD}'
check_err 'evalexpr: a name for any of several' 1 "^evalexpr: the variable 'ODD' is not UTF-8" \
    env ODD="$(printf 'a\377')" evalexpr --null-input '${anyAttribute("ODD"):equals("a")}'
check_err 'evalexpr: base64 of what is no UTF-8' 1 '^evalexpr: .*base64Decode: the result is not UTF-8' \
    evalexpr --null-input '${literal("/w=="):base64Decode()}'
check_err 'evalexpr: a URL of what is no UTF-8' 1 '^evalexpr: .*urlDecode: the result is not UTF-8' \
    evalexpr --null-input '${literal("%e9"):urlDecode()}'

for p in batcher mapsplit maprun; do
    [ -x "run/$p" ] || continue
    for value in -1 10x 1.5 '' 99999999999999999999; do
        check_err "$p: -n '$value'" 2 "^$p: (-n|--max-items): " "run/$p" -n "$value"
    done
done

# ---- a pipe of them, without pipefail ----

check 'marks: a line that was rejected far up is told at the end' 1 '{"Items":[{"v":1},{"v":3}]}
{"fanline.end":{"status":0,"items":1,"rejected":1}}' \
    sh -c 'export FANLINE_END_MARK=1
        { printf "1\nx\n3\n" | mapsplit -q -f jsonl --rejects=bad |
            itemconstruct -t "{\"v.$\":\"\$Item\"}" | batcher -n 10; } 2>err'
check 'marks: a writer that died is noticed at the end' 1 '{"Items":[{"v":1}]}' \
    sh -c 'export FANLINE_END_MARK=1
        { { echo 1 | mapsplit -f jsonl | sed \$d; } |
            itemconstruct -t "{\"v.$\":\"\$Item\"}" | batcher -n 10 | sed \$d; } 2>/dev/null;
        echo 1 | itemconstruct -t "{}" 2>/dev/null | batcher -n 1 2>/dev/null >/dev/null'
done_testing
