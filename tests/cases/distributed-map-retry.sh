# shellcheck shell=sh disable=SC2034 # bad is the includer's
# Included by distributed-map.sh: a case of Retry or Catch.

ask '[.definition.Retry[]? | .IntervalSeconds = (.IntervalSeconds // 1) / 10 |
    if .MaxDelaySeconds then .MaxDelaySeconds /= 10 else . end]' >policy.json
# The error of each attempt, the last of them for all that follow; "ok" is none.
ask '.definition | (.outcomes // [.Processor.fail // .Retry[0].ErrorEquals[0]])[]' >outcomes
ask '.definition.Processor | if type == "object" then .Cause // empty else empty end' >cause
cat >processor <<'END'
outcome=$(sed -n "${FANLINE_ATTEMPT}p" outcomes)
[ -n "$outcome" ] || outcome=$(tail -n 1 outcomes)
[ "$outcome" != ok ] || exit 0
cat cause >&2
printf '{"ErrorCode":"%s"}\n' "$outcome"
exit 1
END
set -- --retry-policy=policy.json
# shellcheck disable=SC2016 # for jq
[ "$(ask '.definition | has("Catch")')" = false ] ||
    set -- "--catch=$(ask '.definition.Catch[0].ErrorEquals | join(",")')=jq -c '{Error,Cause}'"
echo 1 | maprun --log=log --emit=record "$@" sh ./processor >records 2>err
status=$?

expect()
{
    want=$(ask -c ".expect | $2")
    [ "$want" = null ] || [ "$want" = "$3" ] || say "$1: $3, expected $want"
}

expect starts '.map_starts // .calls' "$(jq -s 'map(select(.Fallback | not)) | length' log)"
expect error '.error.code' "$(jq -r '.ErrorCode' records)"
expect output '.output' "$(jq -cS '.Output' records | jq -c '{Error,Cause}' 2>/dev/null)"
expect delays '.sleeps_ms' "$(jq -cs 'map(.RetryMilliseconds | values | . * 10)' log)"
jq -s 'map(.RetryMilliseconds | values | . * 10)' log >delays
jq -e --slurpfile got delays '.expect.sleep_ranges_ms // empty |
    length == ($got[0] | length) and
    ([range(length) as $i | .[$i][0] <= $got[0][$i] and $got[0][$i] <= .[$i][1]] | all)' \
    case.json >verdict || [ ! -s verdict ] || say "delays $(jq -c . delays) are out of range"
want_status=4
[ "$(ask '.expect | has("output")')" = false ] || want_status=0
[ "$(ask '(.expect | has("error") | not) and (.definition.outcomes // [] | any(. == "ok"))')" = false ] ||
    want_status=0
[ $status = $want_status ] || say "maprun ended with $status: $(cat err)"
