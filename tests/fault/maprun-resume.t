#!/bin/sh
# maprun with a journal, killed with -9 at any moment and run again until it ends: every item is
# there in the end, none that was written down as succeeded ran again, and at most those in flight
# ran twice.
. "$(dirname "$0")/../cli/lib.sh"

seq 1500 >items
cat >count.sh <<'END'
read -r x
echo "$x" >>ran
echo "$x"
END
cat >until_done.sh <<'END'
kills=0
while :; do
    maprun -j3 --mode=standard --journal=J "$@" <items >records 2>err & pid=$!
    # on a busy machine more time is needed to come any further
    ( sleep $((kills / 100)).0$(( (kills * 7) % 10 ))$(( (kills * 3) % 10 )); kill -9 $pid ) 2>/dev/null & killer=$!
    wait $pid
    rc=$?
    kill $killer 2>/dev/null
    wait $killer 2>/dev/null
    [ $rc = 137 ] || break
    kills=$((kills + 1))
    [ $kills -lt 200 ] || exit 9
done
echo $kills >kills
exit $rc
END
for how in '' '--worker=lines --window=4'; do
    rm -f J ran
    if [ -z "$how" ]; then
        command='sh count.sh'
    else
        command='sh -c "while read -r x; do echo \$x >>ran; sleep 0.001; echo \$x; done"'
    fi
    check_status "killed again and again${how:+, $how}" 0 timeout 120 sh -c "sh until_done.sh $how $command"
    echo "# killed $(cat kills) times"
    same '... every item has its record' 1500 "$(sed 's/.*"Input":\([0-9]*\),.*/\1/' records | sort -u | wc -l)"
    same '... which says it succeeded' 1500 "$(grep -c '"Status":"Succeeded"' records)"
    most=$((1500 + $(cat kills) * 12))
    ok '... at most those in flight ran twice' test "$(wc -l <ran)" -le $most
    same '... and all ran' 1500 "$(sort -u ran | wc -l)"
done

# What was said to have succeeded was written down before: killed while somebody reads.
rm -f J ran
ok 'what left is not run again' timeout 60 sh -c '
    maprun -j2 --mode=standard --journal=J sh count.sh <items 2>/dev/null | head -n 50 |
        sed "s/.*\"Input\":\([0-9]*\),.*/\1/" >left
    mv ran before
    maprun -j2 --mode=standard --journal=J sh count.sh <items >records
    ! sort ran | join - left | grep .'
done_testing
