#!/bin/sh
# A store that is a file: many processes on it at once, killed ones, and what becomes of the file itself.
. "$(dirname "$0")/../cli/lib.sh"
FANLINE_STORE=sqlite:$PWD/store.db
export FANLINE_STORE

# lines FROM TO: of 20 ids in turn
lines()
{
    seq "$1" "$2" | awk '{ printf "{\"id\":\"id%d\",\"n\":%d}\n", $1 % 20, $1 }'
}

# ---- sixteen who notify, four who wait ----

# 3200 signals for 3280 lines: of each of 20 ids four lines too many are there.
crowd()
{
    lines 1 3280 >held
    waits='' notifies='' crowd_status=0
    for n in 0 1 2 3; do
        # shellcheck disable=SC2016 # for fanline
        awk -v n="$n" 'NR % 4 == n' held |
            fanline wait -s '${id}' -x 60s --expired=expired.$n >released.$n 2>err.$n &
        waits="$waits $!"
    done
    for n in $(seq 16); do
        # shellcheck disable=SC2016 # for fanline
        lines $((n * 200 - 199)) $((n * 200)) | notify -s '${id}' -B 10 >passed.$n 2>err.notify.$n &
        notifies="$notifies $!"
    done
    at_exit "kill $waits $notifies 2>/dev/null"
    for pid in $notifies; do
        wait "$pid" || crowd_status=$?
    done
}

crowd
same 'all sixteen end with 0' 0 $crowd_status
same '... and pass on what they were given' "$(lines 1 3200 | sort | cksum)" \
    "$(cat passed.* | sort | cksum)"
ok 'as many lines leave as there were signals' until_true 60 \
    sh -c '[ "$(cat released.? | wc -l)" -ge 3200 ]'
ok '... and nothing is left to take' until_true 10 \
    sh -c 'signalctl list -f json | jq -es "all(.total == 0 or .total == null)"'
for pid in $waits; do
    kill "$pid"
    wait "$pid" 2>/dev/null
done
same '... each once' 3200 "$(cat released.? | sort -u | wc -l)"
same '... of each id its 160' '160' "$(cat released.? | cut -d'"' -f4 | sort | uniq -c |
    awk '{ print $1 }' | sort -u)"
same '... the others are still there' 80 "$(cat err.? | grep -c '"id"')"
same '... nobody complained' 0 "$(cat err.? err.notify.* | grep -vc '"id"')"

# ---- kill -9 in the middle ----

total()
{
    signalctl show "$1" -f json | jq '.total // 0'
}

# Fifty rounds: nothing that was passed on is missing, nothing is counted that was not there.
killed()
{
    seq 4000 >numbers
    killed_midway=0
    for n in $(seq 50); do
        : >passed # also if it is killed before it begins
        notify -s "kill$n" -B 20 <numbers >>passed 2>>err.killed &
        killed_pid=$!
        sleep "0.0$((n % 5))$((n % 7))"
        kill -9 $killed_pid 2>/dev/null
        wait $killed_pid 2>/dev/null
        killed_total=$(total "kill$n") killed_passed=$(grep -c . passed)
        if [ "$killed_total" -lt "$killed_passed" ] || [ "$killed_total" -gt 4000 ] ||
            [ $((killed_total % 20)) -ne 0 ]; then
            echo "round $n: $killed_total counted, $killed_passed passed on"
        fi
        [ "$killed_total" = 4000 ] || [ "$killed_total" = 0 ] || killed_midway=$((killed_midway + 1))
    done
}

killed >killed.out
same 'fifty who are killed: whole batches, and all that was passed on' '' "$(cat killed.out)"
ok '... some of them in the middle' [ $killed_midway -gt 0 ]
same '... the file is sound' ok "$(sqlite3 store.db 'PRAGMA integrity_check')"

# With keys what is repeated counts once.
lines 1 4000 >keyed
for n in 1 2 3; do
    # shellcheck disable=SC2016 # for fanline
    notify -s once --once '${n}' -B 20 <keyed >passed 2>>err.killed &
    killed_pid=$!
    sleep 0.03
    kill -9 $killed_pid 2>/dev/null
    wait $killed_pid 2>/dev/null
done
# shellcheck disable=SC2016 # for fanline
notify -s once --once '${n}' <keyed >passed
same 'with --once a repetition counts once' 4000 "$(total once)"

# ---- nothing is left of what is removed ----

lines 1 300 >each
# shellcheck disable=SC2016 # for fanline
{
    notify -s 'used.${n}' -a n <each >passed
    fanline wait -x 30s -s 'used.${n}' <each >released
    same 'what is used up leaves no rows behind' '' "$(sqlite3 store.db 'PRAGMA foreign_key_check')"
    notify -s 'part.${n}' -d 2 --set a=b <each >passed
    fanline wait -x 30s -n 2 -r 3 -s 'part.${n}' <each >released
}
notify --ttl 1ms --set a=b -c x late
signalctl delete part.1
signalctl --nifi set nifi '{"counts":{"A":1},"attributes":{"k":"v"},"releasableCount":1}'
echo '{}' | fanline wait --nifi --triggers 1 -c A -s nifi >nifi.out
sleep 0.01
notify after
same '... nor what is deleted or out of time' '' \
    "$(sqlite3 store.db 'PRAGMA foreign_key_check')"
same '... and entries with tickets stay' 299 "$(signalctl list | grep -c '"id":"part\.')"
same '... but no others' 0 "$(signalctl list | grep -c '"id":"\(used\|late\|part.1\)[."]')"

# ---- whose file it is ----

same 'the file and what lies beside it are its owner'"'"'s alone' '' \
    "$(find . -name 'store.db*' ! -perm 600)"

# ---- what is no store ----

# refused NAME FILE STATUS ERE: with the message, and the file stays as it is
refused()
{
    cksum "$2" >before
    check_err "$1" "$3" "$4" notify --store="sqlite:$2" a
    cksum "$2" >after
    ok '... and is left as it is' cmp before after
    same '... and nothing is put beside it' "$2" "$(echo "$2"*)"
}

yes | head -c 5000 >text
refused 'a text' text 2 'sqlite:text.*file is not a database|text: file is not a database'
sqlite3 foreign 'CREATE TABLE t (x); INSERT INTO t VALUES (1)'
refused "another program's database" foreign 2 "no store of fanline"
sqlite3 numbered 'CREATE TABLE t (x); PRAGMA user_version=2'
refused '... with a version like ours' numbered 2 "no store of fanline"
sqlite3 marked 'PRAGMA application_id=7; CREATE TABLE t (x); DROP TABLE t'
refused '... without tables, but marked' marked 2 "no store of fanline"

notify --store=sqlite:damaged a
sqlite3 damaged 'PRAGMA wal_checkpoint(TRUNCATE)' >checkpoint.out
rm -f damaged-wal damaged-shm
dd if=/dev/zero of=damaged bs=4096 seek=1 count=40 conv=notrunc 2>dd.err
check_err 'a damaged store' 1 'the file is damaged' notify --store=sqlite:damaged a

# ---- a file that is taken away ----

# A waiter of the file's first life is released in its second.
fanline wait -x 60s reborn 2>err &
waiter=$!
at_exit "kill $waiter 2>/dev/null"
# shellcheck disable=SC2016 # for sh
ok 'somebody waits' until_true 10 sh -c '[ -e store.db-wake ] && sleep 0.2'
rm -f store.db*
sleep 0.1
notify reborn
ok 'a store that was deleted and made anew releases who waited before' \
    until_true 30 sh -c "! kill -0 $waiter 2>/dev/null"
wait $waiter
same '... with 0' 0 $?
same '... mode 600' '' "$(find . -name 'store.db*' ! -perm 600)"

# A stream that notifies goes on in the new file.
mkfifo input
# shellcheck disable=SC2016 # for fanline
notify -s stream <input >streamed &
stream=$!
exec 8>input
echo 1 >&8
ok 'a stream has begun' until_true 10 test -s streamed
rm -f store.db*
echo 2 >&8
exec 8>&-
wait $stream
same 'a stream goes on in the new file' 1 "$(total stream)"

# ---- one file under two names ----

mkdir real
ln -s real/store.db link.db
notify --store=sqlite:real/store.db first
fanline wait --store=sqlite:link.db -x 60s linked &
waiter=$!
at_exit "kill $waiter 2>/dev/null"
ok 'the log of a link lies beside the file' until_true 10 test -e real/store.db-wake
notify --store=sqlite:real/store.db linked
wait $waiter
same 'a waiter under one name is woken under the other' 0 $?

done_testing
