# One case of attribute expressions, ./case.json, through evalexpr; see tests/cases/run.
#
# The attributes are the one line of input.  `valid` false must be refused before any line is read
# (exit 2), an `error` otherwise on the line (exit 1); else the output is `value`.  The
# environment is empty, so that no variable takes the place of a missing attribute.

set -u
bad=0

say()
{
    printf '%s; ' "$*"
    bad=1
}

# The expression may end in newlines and hold anything: a mark keeps its end.
expr=$(jq -j '.expr + "."' case.json)
expr=${expr%.}
jq -c .attributes case.json |
    env -i PATH="$PATH" ${ASAN_OPTIONS:+"ASAN_OPTIONS=$ASAN_OPTIONS"} \
        ${UBSAN_OPTIONS:+"UBSAN_OPTIONS=$UBSAN_OPTIONS"} \
        evalexpr --nifi --attributes -- "$expr" >out 2>err
status=$?

want=$(jq -r 'if .valid == false then 2 elif has("error") then 1 else 0 end' case.json)
[ "$status" = "$want" ] || say "$expr: exit $status, not $want: $(cat err)"
if [ "$want" = 0 ]; then
    jq -c .value case.json >want
    # compared as values, for a text can be written in more than one way as JSON
    jq -e -n --slurpfile got out --slurpfile want want '$got == $want' >/dev/null ||
        say "$expr: gave $(cat out), not $(cat want)"
elif [ -s out ]; then
    say "$expr: gave $(cat out)"
fi
exit $bad
