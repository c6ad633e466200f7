# shellcheck shell=sh disable=SC2034,SC2154 # bad is the includer's
# Included by distributed-map.sh: the case as a whole definition, through mapflow.

mkdir -p flow/root/bk
jq -f "${0%/*}/distributed-map-flow.jq" case.json >flow/flow.json

# What a definition must not have is told by check, and nothing more is to be tried.
if [ "$(ask '.expect.error.class')" = definition ]; then
    mapflow check flow/flow.json >flow/faults
    [ $? = 2 ] || say "mapflow check finds nothing wrong"
    exit $bad
fi
if [ "$(ask '.expect | has("bad")')" = true ]; then
    jq -c '[.expect.bad[], .expect.good[]] | map(
        if test("<[0-9]+ characters>") then "x" * (capture("<(?<n>[0-9]+)").n | tonumber) else . end |
        if test("<U.0000") then "a\u0001" elif test("<U.007F") then "a\u007f" else . end)[]' case.json >flow/labels
    number=0
    while IFS= read -r label; do
        jq --argjson value "$label" '.States.Map.Label = $value' flow/flow.json >flow/labelled.json
        mapflow check flow/labelled.json >flow/faults
        status=$?
        number=$((number + 1))
        wanted=2
        [ $number -le "$(ask '.expect.bad | length')" ] || wanted=0
        [ $status = $wanted ] || say "mapflow check of the label $label: exit $status"
    done <flow/labels
fi

# Files of the case, by the names that the reader gives them.
flow_files()
{
    ask '.files | keys[]' | while IFS= read -r name; do
        mkdir -p "flow/root/bk/$(dirname "$name")"
        cp -p "files/$name" "flow/root/bk/$name"
    done
}

# The outcome of each attempt; a processor that fails when the input is as the case says.
flow_workers()
{
    ask '.definition.outcomes[]?' >flow/outcomes
    cat >flow/outcome <<'END'
echo >>tries
outcome=$(sed -n "$(wc -l <tries)p" outcomes)
[ "$outcome" != ok ] || exit 0
printf '{"ErrorCode":"%s"}\n' "$outcome"
exit 1
END
    ask '.definition.Processor | if type == "object" then .fail_when // "false" else "false" end' |
        condition >flow/when
    ask '.definition.Processor | if type == "object" then .Cause // empty else empty end' >flow/cause
    ask '.definition.Processor | if type == "object" then .Code // "Fail" else "" end' >flow/code
    cat >flow/worker <<'END'
input=$(cat)
if printf '%s\n' "$input" | jq -e -f when >/dev/null; then
    cat cause >&2
    printf '{"ErrorCode":"%s"}\n' "$(cat code)"
    exit 1
fi
printf '%s\n' "$input"
END
}

run_flow()
{
    (cd flow && mapflow run --bucket-root=root --trace=trace -i input.json "$1" >output 2>err)
}

flow_compare()
{
    [ "$(ask ".expect | has(\"$2\")")" = false ] || compare "mapflow: $1" "$3" "$2"
}

# One of the names of a failure in standard error.
flow_error()
{
    code=$(ask '.expect.error.code // empty')
    # JSONata is not spoken here: what goes wrong in it is what goes wrong in a path.
    [ "$code" != States.QueryEvaluationError ] || code=States.Runtime
    [ -z "$code" ] || grep -q "failed: $code" flow/err ||
        say "mapflow: no error $code: $(cat flow/err)"
}

# What the children got, which Pass handed on: the output, or where ResultPath puts it.
flow_inputs()
{
    [ "$(ask '.definition | has("ResultWriter")')" = false ] || return 0
    jq --slurpfile case case.json '$case[0].definition.ResultPath as $path |
        if $path then getpath($path | ltrimstr("$.") | split(".")) else . end |
        if type == "object" and ($case[0].dialect == "cloudflow") then .Items else . end' \
        flow/output >flow/inputs
    flow_compare 'inputs of the processor' item_inputs flow/inputs
}

# The files that the writer wrote, in the form of AWS.
flow_written()
{
    results=$(find flow/root -name manifest.json)
    if [ -n "$(ask '.expect.manifest_keys // empty')" ]; then
        jq keys "$results" >flow/got
        flow_compare 'keys of the manifest' manifest_keys flow/got
        jq '.ResultFiles | keys' "$results" >flow/got
        flow_compare 'keys of the files' result_files_keys flow/got
    fi
    if [ -n "$(ask '.expect.manifest_entry_keys // empty')" ]; then
        jq '.ResultFiles.SUCCEEDED[0] | keys' "$results" >flow/got
        flow_compare 'keys of a file' manifest_entry_keys flow/got
        find "${results%/*}" -type f | sed 's|flow/root/bk/p/[^/]*|p/<RUN>|' | sort |
            jq -R . | jq -s . >flow/got
        flow_compare 'files' files_written flow/got
    fi
    if [ -n "$(ask '.expect.record_subset // empty')" ]; then
        jq -e --slurpfile case case.json '.[0] as $got | $case[0].expect.record_subset | to_entries |
            all(.value == $got[.key])' "${results%/*}/SUCCEEDED_0.json" >flow/got ||
            say "mapflow: the record is $(cat "${results%/*}/SUCCEEDED_0.json")"
    fi
}

flow_counts()
{
    want=$(ask '.expect.map_starts // empty')
    [ -z "$want" ] || [ "$want" = "$(jq -s 'map(select(.State == "Map"))[0].Attempts' flow/trace)" ] ||
        say "mapflow: the Map began another number of times than $want"
    want=$(ask '.expect.map_runs // empty')
    [ -z "$want" ] || [ "$want" = "$(jq -s 'map(select(.State == "Map")) | length' flow/trace)" ] ||
        say "mapflow: the Map ran another number of times than $want"
    want=$(ask '.expect.calls // empty')
    [ -z "$want" ] || [ "$want" = "$(wc -l <flow/tries)" ] || say "mapflow: not $want calls"
    jq -s 'map(select(.Item != null) | .Item) | sort' flow/trace >flow/got 2>flow/err
    flow_compare 'indexes that started' started_indexes flow/got
}

# Does the case run at all, and within seconds?
if [ "$(ask '.expect | has("bad") or has("table") or has("sleeps_ms") or has("sleep_ranges_ms")')" = false ]; then
    flow_files
    flow_workers
    jq -c 'if .definition.child_outputs then .definition.child_outputs
        elif .definition.ItemReader | type == "object" and has("MaxItems") then
            (.input | if type == "object" then . else {} end) + {max: .definition.ItemReader.MaxItems}
        else .input end' case.json >flow/input.json
    run_flow flow.json
    status=$?
    if [ "$(ask '.expect | has("error") or .status == "Failed"')" = true ]; then
        [ $status = 1 ] || [ $status = 4 ] || say "mapflow run: exit $status, $(cat flow/err)"
        flow_error
    elif [ $status = 0 ]; then
        flow_compare output output flow/output
        [ "$(ask '.expect | has("item_inputs")')" = false ] || flow_inputs
        flow_written
    else
        say "mapflow run: exit $status, $(cat flow/err)"
    fi
    flow_counts
    if [ "$(ask '.expect | has("with_percentage_40_instead")')" = true ]; then
        jq '.States.Map |= (del(.ToleratedFailureCount) | .ToleratedFailurePercentage = 40)' \
            flow/flow.json >flow/other.json
        run_flow other.json || say "mapflow, with 40 percent instead: $(cat flow/err)"
        jq -e 'length == 3 and .[0].Status == "FAILED"' flow/output >/dev/null ||
            say "mapflow, with 40 percent instead: $(cat flow/output)"
    fi
fi
