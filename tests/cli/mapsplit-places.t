#!/bin/sh
# mapsplit on places: listings of folders, inventories, the results of a run; packed sources, counts.
. "$(dirname "$0")/lib.sh"

# ---- objects: a folder ----

mkdir -p tree/a/b tree/a-c
printf 'hello\n' >tree/a/b/x
: >tree/a-c/y
printf 'n' >'tree/a/we
ird'
ln -s a/b tree/link
ln -s x tree/a/b/again
mkfifo tree/pipe
TZ=UTC touch -d '2024-01-01 01:01:01.75' tree/a/b/x

check 'a record has the members of the seed in its order' 0 \
    '{"XMLName":{"Space":"","Local":"Contents"},"Key":"tree/a/b/x","Type":"Normal","Size":6,"ETag":"\"b1946ac92492d2347c6235b4d2611184\"","Owner":{"XMLName":{"Space":"","Local":""},"ID":"","DisplayName":""},"LastModified":"2024-01-01T01:01:01Z","StorageClass":"Standard","RestoreInfo":""}' \
    mapsplit -f objects --etag tree/a/b
keys()
{
    mapsplit "$@" | sed 's/.*"Key":\("[^"]*"\).*/\1/'
}
check 'in the order of bytes; a folder needs no -f; links, fifos passed over' 0 '"tree/a-c/y"
"tree/a/b/x"
"tree/a/we\nird"' keys tree
check 'links are followed if that is asked for' 0 '"tree/a-c/y"
"tree/a/b/again"
"tree/a/b/x"
"tree/a/we\nird"
"tree/link/again"
"tree/link/x"' keys tree --follow
mkdir -p root/bk/sub
: >root/bk/sub/a
for root in . ./ .//. ./. ../root "$PWD/root" "$PWD/root/."; do
    check "a bucket that is a folder in $root" 0 '"sub/a"' \
        sh -c "cd root && FANLINE_BUCKET_ROOT='$root' mapsplit -f objects s3://bk/su | sed 's/.*\"Key\":\(\"[^\"]*\"\).*/\1/'"
done
for folder in ./root .//root ././/./root root; do
    check "a folder as $folder" 0 '"root/bk/sub/a"' keys $folder
done
check 'below the working directory keys have no folder' 0 '"b/x"
"we\nird"' sh -c "cd tree/a && mapsplit -f objects . | sed 's/.*\"Key\":\(\"[^\"]*\"\).*/\1/'"
check 'no ETag without --etag' 0 '""' sh -c "mapsplit -n 1 tree | sed 's/.*\"ETag\":\(\"[^\"]*\"\).*/\1/'"
check '-n, --context, --fragment' 0 '"tree/a-c/y" {"fragment.identifier":"R","fragment.index":0}' sh -c '
    mapsplit -n 1 --context --fragment=R tree |
        sed "s/^{\"Index\":0,\"Source\":\"tree\",\"Value\":{.*\"Key\":\(\"[^\"]*\"\).*},\(\"frag.*\)/\1 {\2/"'
mkdir -p loaded/sub
echo '[1]' >loaded/a.json
echo '{"k":2}' >loaded/b.jsonl
: >loaded/empty
printf 'h\n3\n' >loaded/sub/c.csv
check '--load: what is in a folder, each by its name' 0 '{"Index":0,"Source":"loaded/a.json","Value":1}
{"Index":1,"Source":"loaded/b.jsonl","Value":{"k":2}}
{"Index":2,"Source":"loaded/sub/c.csv","Value":{"h":"3"}}' mapsplit --load --context loaded
check '--load: -n counts over all, and nothing more is read' 0 '1' mapsplit --load -n 1 loaded nowhere
check '--load: one file, and a folder' 0 '"[1]"
"h"
"3"' mapsplit --load -f lines loaded/a.json loaded/sub
check '--load: --original counts' 0 3 \
    sh -c 'mapsplit --load --fragment=R --context --original=o loaded >items && jq ".\"fragment.count\"" o'
ln -s ../a.json loaded/sub/link
check '--load: --follow' 0 '[1]
h
3
[1]' sh -c 'mapsplit --load -f lines --follow loaded/a.json loaded/sub | sed "s/\"//g"'
rm loaded/sub/link
check_err '--load: a folder that is not there' 1 'cannot list nowhere' mapsplit --load nowhere
check_err '--load: standard input' 2 'in folders and buckets, not -' mapsplit --load -f csv
check_err '--load: a format that reads places itself' 2 'load has no effect on the format objects' \
    mapsplit --load -f objects loaded
check_err 'a version of a file' 2 'cannot read a version of loaded/a.json: it is a path' \
    mapsplit --object-version=1 loaded/a.json
check_err 'a version of an object in a folder' 2 'it is a bucket in a folder' \
    env FANLINE_BUCKET_ROOT=root mapsplit -f json --object-version=1 s3://bk/sub/a
check_err 'a version of several' 2 'object-version is of one object' \
    mapsplit -f json --object-version=1 s3://bk/a s3://bk/b
check_err 'an option of listings: --listing' 2 'listing has no effect on the format json' \
    mapsplit --listing=aws -f json tree
check_err 'a folder that is not there' 1 '^mapsplit: cannot list nowhere: No such file' \
    mapsplit -f objects nowhere
check_err 'an option of listings' 2 'etag has no effect on the format json' \
    mapsplit --etag -f json tree
mkdir odd
: >"odd/$(printf 'b\377d')"
: >odd/fine
check_err 'as the name of a source it cannot be stated' 2 \
    '^mapsplit: --context: the name odd/b.*d is not UTF-8 at byte 5' mapsplit --context -f lines odd/b*d
check 'a source may have it all the same' 0 '' mapsplit -f lines odd/b*d
check_err 'a name that is not UTF-8 is reported' 1 '^mapsplit: the name "odd/b.*d" is not UTF-8, at its byte 5' \
    mapsplit odd
check 'or put aside, and the others go on' 1 '"odd/fine"' sh -c "
    mapsplit -q --rejects=bad odd >items; status=\$?
    sed 's/.*\"Key\":\(\"[^\"]*\"\).*/\1/' items; exit \$status"
same 'byte for byte' "$(printf 'odd/b\377d\n' | cksum)" "$(cksum <bad)"
if [ -r /proc/self/status ]; then
    mkdir many
    (cd many && seq 20000 | sed 's/^/f/' | xargs touch)
    same 'twenty thousand files' 20000 "$(mapsplit many | wc -l | tr -d ' ')"
fi

# ---- inventory ----

# part FILE TEXT: a part of an inventory, packed if its name says so.
part()
{
    mkdir -p "$(dirname "$1")"
    case $1 in
    *.gz) printf '%b' "$2" | gzip -n >"$1" ;;
    *) printf '%b' "$2" >"$1" ;;
    esac
}

# entry KEY FILE: the manifest's entry of it.
entry()
{
    printf '{"key":"%s","size":%s,"MD5checksum":"%s"}' "$1" "$(wc -c <"$2" | tr -d ' ')" \
        "$(md5sum <"$2" | cut -c1-32)"
}

at=dest/src/daily
part $at/data/one.csv.gz '"bk","a%20b%2Bc+d%C3%A9/e","12"\n"bk","q""uote","0"\n'
part $at/data/two.csv '"bk","plain","1"\n'
mkdir -p $at/2024-01-01T01-01Z
manifest=$at/2024-01-01T01-01Z/manifest.json
s3='"sourceBucket":"src","destinationBucket":"arn:aws:s3:::other","version":"2016-11-30",
"creationTimestamp":"1514944800000","fileFormat":"CSV","fileSchema":"Bucket, Key, Size"'
printf '{%s,"files":[%s,%s]}\n' "$s3" "$(entry $at/data/one.csv.gz $at/data/one.csv.gz)" \
    "$(entry $at/data/two.csv $at/data/two.csv)" >$manifest

inventory='{"Bucket":"bk","Key":"a b+c dé/e","Size":"12"}
{"Bucket":"bk","Key":"q\"uote","Size":"0"}
{"Bucket":"bk","Key":"plain","Size":"1"}'
check 'parts in their order, packed or not; keys are decoded' 0 "$inventory" \
    mapsplit -f inventory $manifest
check 'unless they are wanted as they are' 0 '{"Bucket":"bk","Key":"a%20b%2Bc+d%C3%A9/e","Size":"12"}' \
    mapsplit -f inventory -n 1 --raw-keys $manifest
check 'the members of a run' 0 \
    '{"Bucket":"bk","Key":"plain","Size":"1","fragment.identifier":"R","fragment.index":2}' \
    sh -c "mapsplit -f inventory --fragment=R --original=o $manifest | tail -n 1"
check_file 'and the original of an inventory' o '{"fragment.identifier":"R","fragment.count":3}'
check 'the manifest from standard input' 0 "$inventory" sh -c "mapsplit -f inventory <$manifest"
gzip -k $manifest
check 'a packed one' 0 "$inventory" mapsplit -f inventory $manifest.gz
mkdir -p copy/2024 copy/data flat
cp $at/data/* copy/data && cp $manifest copy/2024 && cp $at/data/* $manifest flat
check 'a copy of the last folders' 0 "$inventory" \
    sh -c 'cd copy/2024 && mapsplit -f inventory manifest.json'
check 'a copy in one folder' 0 "$inventory" mapsplit -f inventory flat/manifest.json
rm flat/two.csv
check_err 'a part that is not there' 1 \
    "^mapsplit: flat/manifest.json: the file '$at/data/nowhere' that it names is neither in" \
    sh -c "sed 's/two.csv/nowhere/' flat/manifest.json >flat/m && mv flat/m flat/manifest.json
        mapsplit -f inventory flat/manifest.json"

oss='"creationTimestamp":"1642994594","destinationBucket":"destbucket","fileFormat":"CSV",
"fileSchema":"Bucket, Key","sourceBucket":"srcbucket","version":"2019-09-01"'
part inv/data/x.csv '"bk","n1"\n"bk","n2"\n'
mkdir -p inv/2024-01-01T01-01Z
printf '{%s,"files":[{"MD5checksum":"%s","key":"inv/data/x.csv","size":20}]}' "$oss" \
    "$(md5sum <inv/data/x.csv | cut -c1-32 | tr a-f A-F)" >inv/2024-01-01T01-01Z/manifest.json
check 'that of OSS, with its digest in capitals' 0 '{"Bucket":"bk","Key":"n1"}
{"Bucket":"bk","Key":"n2"}' mapsplit -f inventory inv/2024-01-01T01-01Z/manifest.json
printf '"bk","n1"\n"bk","n3"\n' >inv/data/x.csv
check_err 'a part that has changed' 1 \
    '^mapsplit: inv/data/x.csv has the MD5 [0-9a-f]{32}, but by its manifest [0-9a-f]{32}$' \
    mapsplit -f inventory inv/2024-01-01T01-01Z/manifest.json
printf '"bk","n1"\n' >inv/data/x.csv
check_err 'a part that is cut' 1 'has 10 bytes, but by its manifest it has 20' \
    mapsplit -f inventory inv/2024-01-01T01-01Z/manifest.json

# manifest TEXT: one of its own.
own()
{
    printf '%s' "$1" >own.json
    shift
    mapsplit -f inventory "$@" own.json
}
part own.csv '"bk","%GG"\n"bk","%FF"\n"bk","ok"\n'
check_err 'a key that is not encoded' 1 '^mapsplit: own.csv:1:7 .*column "Key": the key is not URL-encoded' \
    own '{"fileSchema":"Bucket, Key","files":[{"key":"own.csv"}]}'
check 'keys that are no good put aside' 1 '{"Bucket":"bk","Key":"ok"}' \
    own '{"fileSchema":"Bucket, Key","files":[{"key":"own.csv"}]}' --rejects=bad -q
check_file 'as they came' bad '"bk","%GG"
"bk","%FF"'
check_err 'another number of columns' 1 'has 2 fields, but there are 3 columns' \
    own '{"fileSchema":"Bucket, Key, Size","files":[{"key":"own.csv"}]}'
check_err 'Parquet' 1 'the inventory is Parquet; only CSV' \
    own '{"fileFormat":"Parquet","fileSchema":"message","files":[]}'
check_err 'no files' 1 'has no files' own '{"fileSchema":"Bucket"}'
check_err 'no schema' 1 'has no fileSchema' own '{"files":[]}'
check_err 'a schema with a name twice' 1 '^mapsplit: own.json: fileSchema: .*both named "Key"' \
    own '{"fileSchema":"Key, Key","files":[]}'
check 'an empty inventory' 0 '' own '{"fileSchema":"Bucket, Key","files":[]}'
check_err 'a manifest that is not JSON' 1 '^mapsplit: own.json:1:2 \(byte 1\)' own '{,}'
check_err 'a key that leads out' 1 "cannot look for the file '../own.csv' on disk" \
    own '{"fileSchema":"Bucket, Key","files":[{"key":"../own.csv"}]}'
check 'types of columns' 0 '{"Bucket":"bk","Key":"q\"uote","Size":0}' \
    sh -c "mapsplit -f inventory --types=Size:int $manifest | sed -n 2p"
check_err 'but not of one that is not there' 1 "fileSchema: --types: there is no column 'size'" \
    mapsplit -f inventory --types=size:int $manifest
check_err 'no effect on tables' 2 'raw-keys has no effect on the format csv' \
    mapsplit -f csv --raw-keys own.csv

# ---- results ----

run=11111111-2222-3333-4444-555555555555
cat >records <<EOF
{"ExecutionName":"$run:0","FlowName":"f","Index":0,"Input":{"k":1.10},"Output":"done","Status":"Succeeded","StartedTime":"","StoppedTime":"","Attempts":1,"ItemCount":1}
{"ExecutionName":"$run:1","FlowName":"f","Index":1,"Input":"a \\"b\\"","Output":{"ErrorCode":"E"},"Status":"Failed","StartedTime":"","StoppedTime":"","Attempts":1,"ItemCount":1}
{"ExecutionName":"$run:2","FlowName":"f","Index":2,"Input":{"Items":[1,2]},"Output":{"ErrorCode":"Timeout"},"Status":"TimedOut","StartedTime":"","StoppedTime":"","Attempts":1,"ItemCount":2}
{"ExecutionName":"$run:3","FlowName":"f","Index":3,"Input":1e400,"Output":{"ErrorCode":"Stopped"},"Status":"Aborted","StartedTime":"","StoppedTime":"","Attempts":1,"ItemCount":1}
{"ExecutionName":"$run:4","FlowName":"f","Index":4,"Input":{"k":5},"Output":null,"Status":"Pending","StartedTime":"","StoppedTime":"","Attempts":0,"ItemCount":1}
EOF
for form in cloudflow full; do
    for type in json jsonl; do
        resultwrite -q -o results --run-name=$form-$type --records=$form --type=$type \
            --tolerated-failure-count=9 <records >/dev/null 2>&1
        made=results/$form-$type/manifest.json
        check "$form, $type: the inputs of what did not succeed" 0 '"a \"b\""
{"Items":[1,2]}
1e400
{"k":5}' mapsplit -f results $made
        check "$form, $type: of some" 0 '1e400
{"k":5}' mapsplit -f results --status=Pending,aborted $made
        check "$form, $type: of what succeeded" 0 '{"k":1.10}' \
            mapsplit -f results --status=Succeeded $made
    done
done
check '-n and fragments' 0 '{"Items":[1,2],"fragment.identifier":"R","fragment.index":0}' \
    mapsplit -f results -n 1 --status=TimedOut --fragment=R $made
check_err 'a status that there is not' 2 "'done' is none of Succeeded" \
    mapsplit -f results --status=Failed,done $made
check_err 'another document' 1 'own.json is no manifest of results: it has no ResultFiles' \
    sh -c 'echo "{}" >own.json; mapsplit -f results own.json'
check_err 'a file that is gone' 1 '^mapsplit: cannot open results/full-json/FAILED_0.json: No such' \
    sh -c 'rm results/full-json/FAILED_0.json; mapsplit -f results results/full-json/manifest.json'
printf '[{"Status":"Failed","Input":"{","Output":"x"},{"Status":"Failed","Input":"2","Output":"x"},3]' \
    >results/cloudflow-json/FAILED_0.json
check_err 'an Input that is not JSON' 1 \
    '^mapsplit: results/cloudflow-json/FAILED_0.json: record 1: its Input is a string that holds no JSON' \
    mapsplit -f results --status=Failed results/cloudflow-json/manifest.json
check 'records that are no good put aside' 1 '2' \
    mapsplit -f results --status=Failed --rejects=bad -q results/cloudflow-json/manifest.json
check_file 'as they are' bad '{"Status":"Failed","Input":"{","Output":"x"}
3'
mkdir aws
printf '%s' '[{"Input":"{\"n\":1}","Status":"FAILED","Error":"E"},{"Input":"7","Status":"TIMED_OUT"}]' \
    >aws/FAILED_0.json
printf '{"DestinationBucket":"b","ResultFiles":{"FAILED":[{"Key":"p/aws/FAILED_0.json","Size":1}],
    "PENDING":[],"SUCCEEDED":[]}}' >aws/manifest.json
check 'the manifest of AWS' 0 '{"n":1}
7' mapsplit -f results aws/manifest.json

# ---- s3ls ----

listing='2024-05-01 01:02:03        603 my file  2.yaml
                           PRE sub/
2024-12-31 23:59:59 1234567890123  lead
'
check 'keys keep their blanks, prefixes are no objects' 0 \
    '{"Key":"my file  2.yaml","Size":603,"LastModified":"2024-05-01T01:02:03"}
{"Key":" lead","Size":1234567890123,"LastModified":"2024-12-31T23:59:59"}' \
    sh -c "printf '$listing' | mapsplit -f s3ls"
check_err 'what is no such line' 1 ':1:1 \(byte 0, item 1\): this is no line of' \
    sh -c "echo '2024-05-01 01:02:03    1.2 KiB x' | mapsplit -f s3ls"

# ---- packed sources ----

printf '[{"a":1},{"a":2}]\n' >doc.json
gzip -k doc.json
check 'gzip, by name' 0 '{"a":1}
{"a":2}' mapsplit doc.json.gz
check 'gzip on standard input' 0 '{"a":1}
{"a":2}' sh -c 'mapsplit <doc.json.gz'
check 'gzip through a pipe' 0 '{"a":1}
{"a":2}' sh -c 'cat doc.json.gz | mapsplit'
cp doc.json.gz lying.json
check 'whatever its name is' 0 '{"a":1}
{"a":2}' mapsplit lying.json
printf 'a\n1\n' | gzip >t.csv.gz
printf '2\n' | gzip >>t.csv.gz
check 'all members; the name before .gz tells the format' 0 '{"a":"1"}
{"a":"2"}' mapsplit t.csv.gz
head -c 30 doc.json.gz >cut.json.gz
check_err 'a stream that is cut short' 1 'cut.json.gz: the gzip data is cut short' mapsplit cut.json.gz
if command -v zstd >/dev/null; then
    zstd -q doc.json
    check 'zstd' 0 '{"a":1}
{"a":2}' mapsplit doc.json.zst
else
    skip 'zstd' 'needs zstd'
fi
mkfifo slow
exec 3<>slow
mapsplit -f json -n 1 <slow >first 2>/dev/null &
cat doc.json.gz >&3
ok 'a packed source through a slow pipe' until_true 5 test -s first
wait
exec 3>&-
exec 3<>slow
mapsplit <slow >shown 2>asked 3>&- &
splitter=$!
cat doc.json.gz >&3
until_true 5 test -s shown
kill -USR1 $splitter
ok 'SIGUSR1 asks how far it is, also where it waits for packed input' \
    until_true 5 grep -q "^mapsplit: 2 items, $(wc -c <doc.json.gz | tr -d ' ') B" asked
kill $splitter
wait $splitter 2>/dev/null
exec 3>&-

# ---- counts ----

echo '{"meta":1,"Items":[{"a":1},{"a":2},{"a":3}]}' >job.json
check 'each item states how many there are' 0 \
    '{"a":1,"fragment.identifier":"R","fragment.index":0,"fragment.count":2}
{"a":2,"fragment.identifier":"R","fragment.index":1,"fragment.count":2}' \
    mapsplit --count -n 2 -p /Items --fragment=R --original=o job.json
check_file 'and the original' o '{"meta":1,"fragment.identifier":"R","fragment.count":2}'
check 'which is there before the first item leaves' 0 '{"meta":1,"fragment.identifier":"R","fragment.count":3}' \
    sh -c 'rm o; mapsplit --count -p /Items --fragment=R --original=o job.json | { read -r item; cat o; }'
check_err 'else it is told' 0 '^mapsplit: 6 items$' mapsplit --count -p /Items job.json job.json
check 'standard input, from where it stands' 0 '2
3' sh -c "printf '1\n2\n3\n' >n; { read -r line; mapsplit -q --count -f jsonl 2>/dev/null; } <n"
check_err 'an inventory too' 0 '^mapsplit: 3 items$' mapsplit --count -f inventory $manifest
check_err 'what cannot be read twice' 2 'standard input is no regular file' \
    sh -c 'cat job.json | mapsplit --count -p /Items'
check_err 'a folder may change' 2 'tree is no regular file' mapsplit --count tree
check 'a fault ends it before any item leaves' 1 '' sh -c "printf '[1,2,@' >b; mapsplit -f json --count b"
check 'with --rejects what is refused is not counted' 1 '{"a":1,"fragment.identifier":"R","fragment.index":0,"fragment.count":1}' \
    sh -c "printf '{\"a\":1}\n{\n' >l; mapsplit -q -f jsonl --count --fragment=R --rejects=bad l"
check_file 'and put aside once' bad '{'

done_testing
