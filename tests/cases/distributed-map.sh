# shellcheck disable=SC2154 # variables of a case come by eval
# One case of a distributed Map, ./case.json, through mapflow and through the filters; see
# tests/cases/run.
#
# As a whole definition every case goes through mapflow: distributed-map-flow.sh.  What the filters
# can do by themselves also becomes a pipeline that runs stage by stage, so that each can be compared:
# mapsplit > items, itemconstruct > constructed, batcher > inputs, maprun > records, resultwrite.
# A Processor "Pass" is cat; one with fail_when is ./worker, which gives ErrorCode Code for such
# an input and hands on every other.  In `expect`, a string <...> stands for anything, a part
# of one for any text, and the Size of a result file is compared with the file.

set -u
bad=0

say()
{
    printf '%s; ' "$*"
    bad=1
}

ask()
{
    jq -r "$@" case.json
}

ask '.files | keys[]' >names

# The file NAME of the case.  "...N bytes..." stands for so many bytes, of the date that is expected,
# and "<names the data file...>" for a manifest that does, as OSS writes it.
make_file()
{
    mkdir -p "files/$(dirname "$1")"
    ask -j --arg name "$1" '.files[$name]' >"files/$1"
    size=$(sed -n 's/^\.\.\.\([0-9]*\) bytes\.\.\.$/\1/p' "files/$1")
    if [ -n "$size" ]; then
        head -c "$size" /dev/zero >"files/$1"
        touch -d "$(ask '.expect.item_inputs[0].LastModified')" "files/$1"
    elif grep -q '^<names the data file' "files/$1"; then
        jq '{destinationBucket: "bk", fileFormat: "CSV", fileSchema: "Bucket, Key", files:
            [.files | keys[] | select(endswith(".csv")) | {key: .}]}' case.json >"files/$1"
    fi
}

while IFS= read -r name; do
    make_file "$name"
done <names

# Is a value like that one?  A string <...>, or such a part of one, stands for any.
like='
    def like($want):
        if ($want | type) == "string" and ($want | test("^<.*>$")) then true
        elif ($want | type) == "string" and ($want | test("<.*>")) then
            type == "string" and
            startswith($want | split("<")[0]) and endswith($want | split(">")[-1])
        elif ($want | type) == "object" then
            type == "object" and keys == ($want | keys) and
            ([keys[] as $k | .[$k] | like($want[$k])] | all)
        elif ($want | type) == "array" then
            type == "array" and length == ($want | length) and
            ([keys[] as $k | .[$k] | like($want[$k])] | all)
        else . == $want end;'

# compare WHAT FILE MEMBER [JQ-OPTION]: JSON in FILE, as parsed, against a member of `expect`.
compare()
{
    want=$(jq -cS ".expect.$3" case.json)
    [ "$want" != null ] || return 0
    got=$(jq -cS ${4+"$4"} . "$2") || got='no JSON'
    printf '%s\n%s\n' "$want" "$got" |
        jq -es "$like"' .[0] as $want | .[1] | like($want)' >/dev/null ||
        say "$1: $got, expected $want"
}

# When an input fails, for jq.
condition()
{
    ask '.definition.Processor | if type == "object" then .fail_when // "false" else "false" end' |
        sed 's/^any item \(.*\)/any(.Items[]; .\1)/; s/\$Input\././g; s/\$\././g; s/\$/./g'
}

# Words of what is expected: of the whole definition, and of the filters one by one.  A case with
# another is not driven, and says so.
whole='["output", "item_inputs", "error", "status", "map_starts", "map_runs", "calls", "started_indexes",
    "manifest_keys", "result_files_keys", "manifest_entry_keys", "files_written", "record_subset",
    "bad", "good", "item_inputs_as_printed_in_seed_first"]'
single='["counts", "manifest", "failed_record", "succeed_record", "succeeded_indexes", "failed_index", "raw_items",
    "columns", "table", "with_percentage_40_instead", "sleeps_ms", "sleep_ranges_ms"]'
unknown=$(ask ".expect | keys - $whole - $single | join(\" \")")
if [ -n "$unknown" ]; then
    say "this runner does not know $unknown"
    exit 1
fi

. "${0%/*}/distributed-map-flow.sh"

# Retry and Catch: a processor that fails as the case says, by the attempt, and what became of it.
# Delays are a tenth of what the case says, and are compared as the log tells them.
if [ "$(ask '.definition | has("Retry") or has("Catch")')" = true ] &&
    [ "$(ask '.definition.Processor | type == "object" and (.fail // "") == ""')" = false ]; then
    . "${0%/*}/distributed-map-retry.sh"
    exit $bad
fi

# What only whole definitions have goes no further: words that the filters know nothing of.
beyond=$(ask '.id as $id | .definition | [
    (keys - ["ItemsPath", "ItemReader", "ItemConstructor", "ItemBatcher", "MaxItems",
        "MaxConcurrency", "ToleratedFailureCount", "ToleratedFailurePercentage", "Processor",
        "ResultWriter", "InputPath", "ItemSelector", "Parameters", "ResultPath"])[],
    ((.ItemReader // {} | keys) - ["SourceType", "SourceParameters", "ReaderConfig", "InputType",
        "CSVHeaderLocation", "CSVHeaders", "CSVDelimiter", "MaxItems", "Resource", "Prefix"])[],
    ((.ItemBatcher // {} | keys)
        - ["MaxItemsPerBatch", "MaxInputBytesPerBatch", "BatchInput"])[],
    (.Processor | if type == "object" then keys - ["fail_when", "Code", "Cause"] else [] end)[],
    (select(tojson | test("\"\\$\\$\\.(State|Execution)|\\$Context")) | "$Context"),
    (select(.ResultWriter and (.ResultWriter.Parameters | not)) | "ResultWriter"),
    (select($id == "nested-inline") | $id)
    ] | join(" ")')
if [ -n "$beyond" ]; then
    [ "$(ask ".expect | (keys - ($whole - $single)) == []")" = true ] ||
        say "this runner does not know $beyond"
    exit $bad
fi

# What the definition says, as variables; absent things are empty.
eval "$(ask '
    def text: if . == null then "" elif type == "string" then . else tojson end;
    .definition as $d | ($d.ItemReader // {}) as $r | ($r.ReaderConfig // {}) as $c |
    {
        dialect: .dialect,
        items_path: $d.ItemsPath,
        source: ($r.SourceType // if $r.Resource // "" | test("list"; "i") then "listObjectsV2"
            else $r.InputType end),
        object: ($r.SourceParameters | .ObjectName // .Prefix? // null),
        listed: $r.Prefix,
        first: (.files | keys[0]),
        headers: (($c.CSVHeaders // $r.CSVHeaders) | if . then join(",") else null end),
        delimiter: (($r.CSVDelimiter // "") | ascii_downcase),
        max_items: ($d.MaxItems // $r.MaxItems),
        constructor: ($d.ItemConstructor // $d.ItemSelector // $d.Parameters),
        batch_items: $d.ItemBatcher.MaxItemsPerBatch,
        batch_bytes: $d.ItemBatcher.MaxInputBytesPerBatch,
        batch_input: $d.ItemBatcher.BatchInput,
        concurrency: $d.MaxConcurrency,
        count: $d.ToleratedFailureCount,
        percentage: $d.ToleratedFailurePercentage,
        cause: ($d.Processor | if type == "object" then .Cause else null end),
        fail_when: ($d.Processor | if type == "object" then .fail_when else null end),
        code: ($d.Processor | if type == "object" then .Code // "Fail" else null end),
        bucket: $d.ResultWriter.Parameters.Bucket,
        prefix: $d.ResultWriter.Parameters.Prefix
    } | to_entries[] | "\(.key)=\(.value | text | @sh)"')"

# What the state sees of the input; where its result goes (ResultPath) is not looked at.
ask -c '(.definition.InputPath // "$" | ltrimstr("$") | ltrimstr(".") | split(".")) as $path |
    .input | getpath($path)' >input.json
# stage OUTPUT INPUT COMMAND...: a stage that fails ends the flow.
stage()
{
    output=$1 input=$2
    shift 2
    "$@" <"$input" >"$output" 2>err && return
    status=$?
    if [ $status -gt 125 ] || [ "$(ask '.expect | has("error")')" = false ]; then
        say "$1: exit $status, $(cat err)"
    fi
    exit $bad
}

split()
{
    set -- ${max_items:+-n "$max_items"}
    case $source in
    '')
        [ "$dialect" = asl ] && [ "$(ask '.expect | has("error")')" = false ] || set -- "$@" --require-array
        mapsplit "$@" -f json ${items_path:+-p "$items_path"} input.json
        ;;
    OSS_CSV | CSV)
        [ "$dialect" != asl ] || set -- "$@" --backslash --ragged=cut --empty-names
        mapsplit "$@" -f csv ${delimiter:+--delimiter="$delimiter"} \
            ${headers:+--csv-headers="$headers" --header=none} "files/${object:-$first}"
        ;;
    listObjectsV2)
        FANLINE_BUCKET_ROOT=. mapsplit "$@" -f objects --etag --listing=aws "s3://files/$listed"
        ;;
    OSS_OBJECTS) (cd files && mapsplit "$@" -f objects --etag "$object") ;;
    OSS_INVENTORY_FILES) mapsplit "$@" -f inventory "files/${object:-$first}" ;;
    OSS_JSON_LIST | JSON) mapsplit "$@" -f json --require-array "files/${object:-$first}" ;;
    *)
        echo "no source $source" >&2
        return 126
        ;;
    esac
}

batch()
{
    case $batch_input in
    *'$Input'* | *'"$"'* | *'"$.'*) set -- -i input.json ;;
    *) set -- ;;
    esac
    batcher ${batch_items:+-n "$batch_items"} ${batch_bytes:+-b "$batch_bytes"} "$@" \
        ${batch_input:+--batch-input="$batch_input"}
}

# A member of `expect` must be among the records of FILE.
compare_record()
{
    [ "$(ask ".expect | has(\"$2\")")" = true ] || return 0
    jq -e --slurpfile all "$1" "$like . as \$case | [\$all[0][] | like(\$case.expect.$2)] | any" \
        case.json >/dev/null || say "$2: $(jq -c '.[0]' "$1")"
}

compare_files()
{
    run=results/map-run-name
    ask '.expect.manifest // empty | .ResultFiles | keys | join(" ")' >want
    jq -r '.ResultFiles | keys | join(" ")' $run/manifest.json >got
    cmp -s want got || say "manifest has $(cat got), expected $(cat want)"
    jq -r '.ResultFiles[][] | "\(.ObjectName) \(.Size)"' $run/manifest.json >got
    while read -r name size; do
        [ "$(wc -c <"results/$name")" = "$size" ] || say "Size of $name is not $size"
        ask '.expect.manifest.ResultFiles[][].ObjectName' |
            sed "s|<run>|map-run-name|; s|^$prefix||" | grep -Fqx "$name" ||
            say "unexpected file $name"
    done <got
    compare_record $run/FAILED_0.json failed_record
    compare_record $run/SUCCEED_0.json succeed_record
}

# A table of failures, items and thresholds instead of a flow: does the run fail?
tabled()
{
    ask '.expect.table[] | map(tostring) | join(" ")' >table
    while read -r failures total count percentage fails; do
        # shellcheck disable=SC2016 # for the worker
        seq "$total" | maprun --finish-all --tolerated-failure-count="$count" \
            --tolerated-failure-percentage="$percentage" \
            -- sh -c 'read -r n; [ "$n" -gt "$1" ]' worker "$failures" >records 2>err
        status=$?
        [ "$status" = "$([ "$fails" = true ] && echo 4 || echo 0)" ] ||
            say "$failures of $total failed, count $count, percentage $percentage: exit $status"
    done <table
}

if [ "$(ask '.expect | has("table")')" = true ]; then
    tabled
    exit $bad
fi
construct()
{
    case $constructor in
    *'$Input'* | *'"$"'* | *'"$.'*) itemconstruct --sort-keys -i input.json -t "$constructor" ;;
    *) itemconstruct --sort-keys -t "$constructor" ;;
    esac
}

stage items /dev/null split
compare 'items of the source' items raw_items -s
if [ -n "$constructor" ]; then
    stage inputs items construct
else
    mv items inputs
fi
if [ -n "$batch_items$batch_bytes$batch_input" ]; then
    mv inputs constructed
    stage inputs constructed batch
fi
compare 'inputs of the processor' inputs item_inputs -s

set -- cat
if [ -n "$fail_when" ]; then
    cat >worker <<'EOF'
input=$(cat)
if printf '%s\n' "$input" | jq -e "$1" >/dev/null; then
    printf '%s' "$3" >&2
    printf '{"ErrorCode":"%s"}\n' "$2"
    exit 1
fi
printf '%s\n' "$input"
EOF
    set -- sh ./worker "$(condition)" "$code" "$cause"
fi
by=
[ "$dialect" != asl ] || by=--tolerate-by=items
tolerance="${count:+--tolerated-failure-count=$count} ${percentage:+--tolerated-failure-percentage=$percentage}"
[ "${concurrency:-0}" != 0 ] || concurrency=2
# shellcheck disable=SC2086 # words on purpose
maprun -j "$concurrency" --run-name=map-run-name --flow-name=example $by $tolerance -- "$@" \
    <inputs >records 2>err
status=$?
case $status in
0) state=Succeeded ;;
4) state=Failed ;;
*) say "maprun: exit $status, $(cat err)"; exit 1 ;;
esac
echo "\"$state\"" >state
compare status state status
jq -s '{succeeded: map(select(.Status == "Succeeded")) | length,
    failed: map(select(.Status != "Succeeded")) | length}' records >counts
compare counts counts counts
jq -s 'sort_by(.Index) | map(select(.Status != "Pending").Index)' records >started
compare 'indexes that started' started started_indexes
jq -s 'sort_by(.Index) | map(select(.Status == "Succeeded").Index)' records >succeeded
compare 'indexes that succeeded' succeeded succeeded_indexes
jq -s 'map(select(.Status == "Failed").Index)[0]' records >first_failed
compare 'index that failed' first_failed failed_index

wrap=object
[ "$dialect" = cloudflow ] || wrap='array --records=aws'
# shellcheck disable=SC2086 # words on purpose
resultwrite --wrap=$wrap $by $tolerance <records >output 2>err
[ $? = $status ] || say "resultwrite ended other than maprun: $(cat err)"
[ "$(ask '.definition | has("ResultPath")')" = true ] || compare output output output
if [ -n "$bucket" ]; then
    # shellcheck disable=SC2086 # words on purpose
    resultwrite -o results --run-name=map-run-name $tolerance <records >output 2>err
    [ $? = $status ] || say "resultwrite -o ended other than maprun: $(cat err)"
    compare_files
fi
if [ "$(ask '.expect | has("error")')" = true ] && [ $state = Succeeded ]; then
    say 'no error'
fi
if [ "$(ask '.expect | has("with_percentage_40_instead")')" = true ]; then
    maprun $by --tolerated-failure-percentage=40 -- "$@" <inputs >records 2>err ||
        say "with 40 percent instead: $(cat err)"
fi
exit $bad
