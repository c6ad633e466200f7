#!/bin/sh
# make install and uninstall: what lies where, and that it runs from there.
. "$(dirname "$0")/lib.sh"

build=${FANLINE_BIN%/bin}
if [ ! -f "$build/flags" ]; then
    skip 'make install' 'not a build folder'
    done_testing
fi
san=
case $build in */san*) san=1 ;; esac

install_to()
{
    make -s -C "$ROOT" --no-print-directory B="${build#"$ROOT"/}" SAN=$san PREFIX=/usr DESTDIR="$PWD/$1" \
        "$2" LINK_WAIT="${3-}" >log 2>&1 || cat log
}

filters=$(cd "$ROOT/cmd" && ls ./*.c | sed 's|^\./||; s|\.c$||')
public=$(echo "$filters" | grep -vx wait)

install_to dest install
same 'bindir has a link for each but wait' "$public" "$(ls dest/usr/bin)"
same 'libexecdir has them all' "$filters" "$(ls dest/usr/libexec/fanline)"
same 'nothing else is outside share and libexec' 'bin
libexec
share' "$(ls dest/usr)"
same 'links are relative' ../libexec/fanline/fanline "$(readlink dest/usr/bin/fanline)"
same 'each man page' "$(cd "$ROOT/man" && ls)" "$(find dest/usr/share/man -type f | sed 's|.*/||' | sort)"
ok 'bash finds the completion of a filter by its name' \
    test -f dest/usr/share/bash-completion/completions/batcher
ok 'and none for wait' test ! -e dest/usr/share/bash-completion/completions/wait
check 'the dispatcher finds a filter from where it was put' 0 '{"Items":[1,2]}' \
    sh -c 'printf "1\n2\n" | env -i PATH=/nowhere dest/usr/bin/fanline batcher -n 2'
install_to dest uninstall
same 'uninstall takes it all away' '' "$(find dest -type f -o -type l)"

install_to dest install 1
same 'LINK_WAIT=1 links wait too' "$filters" "$(ls dest/usr/bin)"
rm dest/usr/bin/wait 2>/dev/null
echo foreign >dest/usr/bin/wait
install_to dest uninstall
same 'a file of that name that is not ours stays' foreign "$(cat dest/usr/bin/wait)"
done_testing
