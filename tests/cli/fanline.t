#!/bin/sh
# fanline: the list of filters, and one of them by its name, found beside fanline.
. "$(dirname "$0")/lib.sh"

filters=$(cd "$FANLINE_BIN" && printf '%s\n' * | grep -vx fanline)
fanline=$FANLINE_BIN/fanline

# ---- the list ----

check 'without a name: the filters' 0 "$filters" sh -c 'fanline | sed "s/ .*//"'
check 'one line each, with a summary' 1 '' sh -c 'fanline | grep -Ev "^[a-z]+ +[A-Z].{10,60}"'
check_status 'the list on a full disk' 1 sh -c 'fanline >/dev/full'
check_status 'nobody reads the list' 141 sh -c "trap '' PIPE
    { sleep 0.3; fanline; echo \$? >status; } | :; exit \$(cat status)"

# ---- running one ----

check 'a filter by its name' 0 '{"Items":[1,2]}' sh -c 'printf "1\n2\n" | fanline batcher -n 2'
check 'its own help' 0 'Usage: batcher [OPTION...]' sh -c 'fanline batcher --help | head -n 1'
check 'all of its arguments, as they are' 0 '{"v":1,"a":"x  y"}' \
    sh -c 'echo 1 | fanline itemconstruct -e "v.$=\$Item" -e "a=x  y" --'
check_status 'its exit status' 2 fanline batcher
check_status 'its exit status, 1' 1 sh -c 'echo x | fanline batcher -n 1'
check_err 'its name in messages' 2 '^batcher: ' fanline batcher
check_err 'wait, which every shell has' 2 '^wait: ' fanline wait
check_err 'options before the name are ours' 2 "^fanline: unknown option '-n'" fanline -n 1 batcher
check 'version' 0 "$(batcher --version | sed s/batcher/fanline/)" fanline --version
check_err 'an unknown name' 2 "^fanline: there is no filter 'nothing'" fanline nothing
check_err 'a misspelt name' 2 "^fanline: there is no filter 'mapspilt'; did you mean 'mapsplit'\?$" fanline mapspilt 1
check_err 'the beginning of a name' 2 "^fanline: there is no filter 'batch'; did you mean 'batcher'\?$" fanline batch
check_err 'help for a misspelt name' 2 "^fanline: there is no filter 'wiat'; did you mean 'wait'\?$" fanline help wiat
check_err 'a misspelt help' 2 "^fanline: there is no filter 'hlep'; did you mean 'help'\?$" fanline hlep
check_err 'a name near to none' 2 "^fanline: there is no filter 'nothing'$" fanline nothing
for row in 'signalctl lsit list' 'tunnelctl creat create' 'mapflow chek check'; do
    # shellcheck disable=SC2086 # three words
    set -- $row
    check_err "a misspelt command of $1" 2 "^$1: there is no command '$2'; did you mean '$3'\?$" "$1" "$2"
    check_err "a command that is near to none of $1" 2 "^$1: there is no command 'xyzzy'$" "$1" xyzzy
done
check_err 'an unknown name, and how to go on' 2 "^fanline: see 'fanline --help'" fanline nothing
for name in fanline ../bin/batcher /bin/true '' Batcher batcher/ help/; do
    check_err "no filter: '$name'" 2 '^fanline: there is no filter' fanline "$name"
done

# ---- where it is found ----

mkdir other
printf '#!/bin/sh\necho from PATH\n' >other/batcher
chmod +x other/batcher
cp other/batcher batcher
check 'beside fanline, not by PATH' 0 '{"Items":[1]}' \
    sh -c 'echo 1 | PATH=$PWD/other:$PATH "$1" batcher -n 1' sh "$fanline"
check 'nor in the folder at hand' 0 '{"Items":[1]}' sh -c 'echo 1 | "$1" batcher -n 1' sh "$fanline"
ln -s "$fanline" link
check 'beside the program that a link leads to' 0 '{"Items":[1]}' \
    sh -c 'echo 1 | ./link batcher -n 1'
check 'without PATH' 0 '{"Items":[1]}' \
    sh -c 'echo 1 | env -i "$1" batcher -n 1' sh "$fanline"
mkdir -p tree/bin tree/libexec/fanline alone
cp "$fanline" tree/bin/
cp "$FANLINE_BIN/batcher" tree/libexec/fanline/
cp "$fanline" alone/
check 'or in libexec' 0 '{"Items":[1]}' sh -c 'echo 1 | tree/bin/fanline batcher -n 1'
check_err 'not there' 127 '^fanline: cannot run batcher: No such file or directory' alone/fanline batcher
mkdir alone/batcher
check_err 'not to be run' 126 '^fanline: cannot run batcher: ' alone/fanline batcher

# ---- manual pages ----

printf '#!/bin/sh\necho man "$@"\n' >other/man
chmod +x other/man
check 'help' 0 'man 1 batcher' sh -c 'PATH=$PWD/other:$PATH alone/fanline help batcher'
check 'help, our own' 0 'man 1 fanline' sh -c 'PATH=$PWD/other:$PATH alone/fanline help'
mkdir -p tree/share/man/man1
: >tree/share/man/man1/batcher.1
check 'help, the page installed with it' 0 "man $PWD/tree/bin/../share/man/man1/batcher.1" \
    sh -c 'PATH=$PWD/other:$PATH tree/bin/fanline help batcher'
check_err 'help for nothing' 2 "^fanline: there is no filter 'nothing'" fanline help nothing
check_err 'no man' 127 '^fanline: cannot run man: No such file' env PATH=/nowhere "$fanline" help batcher
done_testing
