#!/bin/sh
# Items that nest nearly as deep as is taken, through all the filters that make more of them.
. "$(dirname "$0")/lib.sh"

# nested DEPTH ID: an array of that depth around a name
nested()
{
    awk -v n="$1" -v id="$2" 'BEGIN {
        while (length(s) < n) s = s "["
        t = s
        gsub(/\[/, "]", t)
        print s "\"" id "\"" t
    }'
}

# around LIMIT: items of the depths LIMIT-5 to LIMIT+1, named by what is between
around()
{
    for off in 5 4 3 2 1 0; do nested $(($1 - off)) "under$off"; done
    nested $(($1 + 1)) over1
}

# names FILE...: what items are in there, once for each time
names()
{
    grep -ho 'under[0-9]\|over[0-9]' "$@" | sort
}

# taken FILTER ARG...: what it takes of ./items, as names in one line; "refused" behind them if what
# it has written is not taken by others, or if the rest is not what it puts aside
taken()
{
    rm -f back
    filter=$1
    shift
    "$filter" --rejects=back "$@" <items >taken.out 2>taken.err
    names taken.out | uniq | tr '\n' ' '
    names taken.out back | uniq >taken.all
    names items | cmp -s - taken.all && mapsplit -f jsonl taken.out >/dev/null || echo refused
}

# every NAME FILE...: each of ./items is in one of them
every()
{
    name=$1
    shift
    same "$name" "$(names items)" "$(names "$@" | uniq)"
}

for limit in 8 10000; do
    export FANLINE_MAX_DEPTH=$limit
    around $limit >items

    same "mapsplit takes what is $limit deep" \
        'under0 under1 under2 under3 under4 under5 ' "$(taken mapsplit -f jsonl)"
    same 'mapsplit --context makes it one deeper' \
        'under1 under2 under3 under4 under5 ' "$(taken mapsplit -f jsonl --context)"
    same 'itemconstruct as deep as the template says' \
        'under2 under3 under4 under5 ' "$(taken itemconstruct -t '{"a":{"b.$":"$Item"}}')"
    same 'evalexpr' \
        'under1 under2 under3 under4 under5 ' "$(taken evalexpr 'toArray($Item)')"
    same 'batcher makes it two deeper, and puts nothing else aside' \
        'under2 under3 under4 under5 ' "$(taken batcher -n 3)"
    same 'maprun makes it one deeper' \
        'under1 under2 under3 under4 under5 ' "$(taken maprun -- true)"
    same 'maprun, if just the output is written' \
        'under0 under1 under2 under3 under4 under5 ' "$(taken maprun --emit=output -- cat)"
    same 'an output that is too deep is text' '"under0' \
        "$(printf '1\n' | maprun -j 1 --emit=output -- sh -c 'head -6 items | tail -1' |
            grep -o '"under0')"
    same 'the same in a record' '\"under0' \
        "$(printf '1\n' | maprun -j 1 -- sh -c 'head -6 items | tail -1' | grep -o '.."under0' |
            tr -d '[')"

    rm -f r1 r2 r3 r4 r5
    mapsplit -f jsonl --rejects=r1 items 2>e1 |
        itemconstruct -e 'a.$=$Item' --rejects=r2 2>e2 |
        batcher -n 2 --rejects=r3 2>e3 |
        maprun --rejects=r4 -- cat 2>e4 |
        resultwrite --rejects=r5 >result 2>e5
    every "each item of the pipe is in the result or put aside ($limit)" result r1 r2 r3 r4
    same 'nothing is refused at the end of it' '' "$(cat r5 2>/dev/null)"
    same 'what comes out' 'under4 under5 ' "$(names result | uniq | tr '\n' ' ')"
    same 'what is put aside, where' 'over1 | under0 | under1 under2 | under3 ' \
        "$(for r in r1 r2 r3 r4; do names $r | tr '\n' ' '; echo '| '; done | tr -d '\n' |
            sed 's/| $//')"
    same 'the place is told' "$(cat <<EOF
batcher: standard input:4:1 (byte N, item 4): what is made of it would be nested deeper than the limit (--max-depth)
EOF
)" "$(sed -n 's/byte [0-9]*/byte N/; 1p' e3)"
done

export FANLINE_MAX_DEPTH=4
check_err 'a BatchInput that is too deep in a batch' 1 \
    '^batcher: --batch-input is nested deeper in a batch than the limit' \
    batcher -n 1 --batch-input='{"a":{"b":{"c":{}}}}'
printf 'a\n"[[[1]]]"\n"[[[[1]]]]"\n' >typed.csv
check_err 'a cell that is too deep in its row' 1 'row 3|typed.csv:3' \
    mapsplit -f csv --types=a:json typed.csv
nested 4 under0 >items
FANLINE_MAX_DEPTH=5 maprun --mode=standard --journal=j -- true <items >/dev/null
FANLINE_MAX_DEPTH=20000
nested 15000 under0 >items
rm -f j
maprun --mode=standard --journal=j -- true <items >/dev/null
same 'a journal is read again, however deep its records are' 1 \
    "$(maprun --mode=standard --journal=j -- true <items | wc -l | tr -d ' ')"

done_testing
