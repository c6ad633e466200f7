#!/bin/sh
# resultwrite -o s3://… and oss://…: results in a bucket, large ones in parts, the manifest last.
# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/stub/stub.sh
. "$ROOT/tests/stub/stub.sh"
AWS_MAX_ATTEMPTS=2
export AWS_MAX_ATTEMPTS

# records FROM TO STATUS: one of 1000 bytes each
records()
{
    awk -v a="$1" -v b="$2" -v s="$3" 'BEGIN {
        pad = sprintf("%0850d", 0)
        for (i = a; i <= b; i++)
            printf "{\"ExecutionName\":\"r:%d\",\"FlowName\":\"f\",\"Index\":%d,\"Input\":%d,\"Output\":\"%s\",\"Status\":\"%s\",\"StartedTime\":\"\",\"StoppedTime\":\"\"}\n", i, i, i, pad, s
    }'
}
{
    records 0 2 Succeeded
    records 3 3 Failed
} >first
keys()
{
    object list "$1" | cut -d' ' -f1 | tr '\n' ' '
}

resultwrite -o local --run-name r --tolerated-failure-count=1 <first >/dev/null
for scheme in s3 oss; do
    requests >/dev/null
    check "$scheme: where the results are" 0 \
        "{\"MapRunName\":\"r\",\"ResultWriterDetails\":{\"Bucket\":\"of-$scheme\",\"Key\":\"a/b/r/manifest.json\"}}" \
        resultwrite -o $scheme://of-$scheme/a/b/ --run-name r --tolerated-failure-count=1 <first
    same "$scheme: the manifest goes up last" 'manifest.json' \
        "$(requests | grep PUT | tail -n 1 | sed 's/.*r\/\([a-z.]*\)[? ].*/\1/')"
    same "$scheme: what is there" 'a/b/r/FAILED_0.json a/b/r/SUCCEED_0.json a/b/r/manifest.json ' \
        "$(keys $scheme://of-$scheme/a/)"
    for file in FAILED_0.json SUCCEED_0.json; do
        object read $scheme://of-$scheme/a/b/r/$file >got
        ok "$scheme: $file is as in a folder" cmp "local/r/$file" got
    done
    same "$scheme: ObjectName is the whole key" \
        "$(sed "s/\"local\"/\"of-$scheme\"/; s/\"ObjectName\":\"/&a\\/b\\//g" local/r/manifest.json)" \
        "$(object read $scheme://of-$scheme/a/b/r/manifest.json)"
    check_err "$scheme: they are not written again" 1 \
        "the results of the run r are there already: $scheme://of-$scheme/a/b/r/manifest.json" \
        resultwrite -o $scheme://of-$scheme/a/b --run-name r --tolerated-failure-count=1 <first
    check_status "$scheme: without a prefix" 0 \
        resultwrite -o $scheme://bare-$scheme --run-name r --tolerated-failure-count=1 <first
    same "$scheme: the run is the first folder" 'r/FAILED_0.json r/SUCCEED_0.json r/manifest.json ' \
        "$(keys $scheme://bare-$scheme/)"
done

# ---- large ones ----

records 0 14999 Succeeded >many
export FANLINE_PART_SIZE=5MiB
requests >/dev/null
check_status 'more than a part' 0 resultwrite -o s3://bkt --run-name large <many
same 'goes up in parts, then the manifest' 'POST PUT PUT PUT POST PUT' \
    "$(requests | grep -v '^HEAD' | cut -d' ' -f1 | paste -sd' ')"
resultwrite -o local --run-name large <many >/dev/null
object read s3://bkt/large/SUCCEED_0.json >got
ok 'which are the file' cmp local/large/SUCCEED_0.json got

fault 'PUT partNumber=2 9*status 500'
check_err 'a part that cannot be written' 75 'cannot (write|put) s3://bkt/broken/SUCCEED_0.json|HTTP 500' \
    resultwrite -o s3://bkt --run-name broken <many
same 'the upload is aborted' 1 "$(requests | grep -c '^DELETE /bkt/broken/SUCCEED_0.json?uploadId=')"
same 'and nothing is there' '' "$(keys s3://bkt/broken/)"
fault
mkfifo slow
resultwrite -o s3://bkt --run-name stopped <slow &
pid=$!
exec 4>slow
cat many >&4
until_true 10 grep -q 'partNumber=2' "$stub/log"
kill $pid
wait $pid
same 'TERM ends it by that signal' 143 $?
exec 4>&-
same 'the upload is aborted too' 1 "$(requests | grep -c '^DELETE /bkt/stopped/SUCCEED_0.json?uploadId=')"
same 'and nothing is there either' '' "$(keys s3://bkt/stopped/)"
check_err 'fewer items than expected' 1 '20000 items were expected, 15000 came' \
    resultwrite -o s3://bkt --run-name few --expect=20000 <many
same 'leave nothing' '' "$(keys s3://bkt/few/)"

# ---- adding, re-driving ----

records 4 4 Succeeded >more_records
check 'a run is added to' 0 \
    '{"MapRunName":"r","ResultWriterDetails":{"Bucket":"of-s3","Key":"a/b/r/manifest.json"}}' \
    resultwrite -o s3://of-s3/a/b --run-name r --append-run --expect=5 --tolerated-failure-count=1 <more_records
resultwrite -o local --run-name r --append-run --tolerated-failure-count=1 <more_records >/dev/null
same 'as in a folder' "$(sed 's/"local"/"of-s3"/; s/"ObjectName":"/&a\/b\//g' local/r/manifest.json)" \
    "$(object read s3://of-s3/a/b/r/manifest.json)"
records 3 3 Succeeded >again
check 'a run is re-driven where it is' 0 \
    '{"MapRunName":"r","ResultWriterDetails":{"Bucket":"of-s3","Key":"a/b/r/manifest.json"}}' \
    resultwrite --redrive=s3://of-s3/a/b/r/manifest.json --expect=5 <again
resultwrite --redrive=local/r/manifest.json <again >/dev/null
same 'as in a folder' "$(sed 's/"local"/"of-s3"/; s/"ObjectName":"/&a\/b\//g' local/r/manifest.json)" \
    "$(object read s3://of-s3/a/b/r/manifest.json)"
same 'nothing is taken away' 'a/b/r/FAILED_0.json a/b/r/SUCCEED_0.json a/b/r/SUCCEED_1.json a/b/r/SUCCEED_2.json a/b/r/manifest.json ' \
    "$(keys s3://of-s3/a/)"
check 'or into a folder' 0 \
    '{"MapRunName":"r","ResultWriterDetails":{"Bucket":"here","Key":"r/manifest.json"}}' \
    resultwrite --redrive=oss://of-oss/a/b/r/manifest.json -o here --records=full <again
same 'with all records' 4 "$(sed 's/},{/}\n{/g' here/r/SUCCEED_0.json | grep -c r:)"
check_status 'or from a folder into a bucket' 0 \
    resultwrite --redrive=here/r/manifest.json -o oss://of-oss/new --report=page.html </dev/null
same 'there' 'new/r/SUCCEED_0.json new/r/manifest.json ' "$(keys oss://of-oss/new/)"
ok 'a page tells where' grep -Fq 'In <code>oss://of-oss/new/r</code>' page.html
same 'without links that lead nowhere' 0 "$(grep -c '<a href' page.html)"

# ---- what goes wrong ----

check_err 'a bucket that is not there' 1 'NoSuchBucket' resultwrite -o s3://nobucket --run-name r <first
(
    AWS_SECRET_ACCESS_KEY=wrong
    export AWS_SECRET_ACCESS_KEY
    check_err 'a wrong key' 1 'access is denied' resultwrite -o s3://bkt --run-name x <first
    exit $tap_failed
) || tap_failed=$((tap_failed + 1))
tap_count=$((tap_count + 1))
check_err 'a manifest that appears meanwhile' 1 \
    'another process has written the results to s3://bkt/race meanwhile' sh -c '
        { cat first; sleep 0.5; object put s3://bkt/race/manifest.json <first; } |
            resultwrite -o s3://bkt --run-name race'
same 'is not replaced' "$(cat first)" "$(object read s3://bkt/race/manifest.json)"

done_testing
