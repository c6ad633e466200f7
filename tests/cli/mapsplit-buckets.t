#!/bin/sh
# mapsplit on object stores and on the web: documents, tables, listings, inventories and results there,
# against tests/stub/s3stub.

# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/stub/stub.sh
. "$ROOT/tests/stub/stub.sh"

put()
{
    printf '%b' "$2" | object put "$1" >/dev/null
}

# ---- texts ----

for scheme in s3 oss; do
    put $scheme://data/job.json '{"v":1,"Items":[{"k":1},{"k":2}]}'
    check "$scheme: a document" 0 '{"k":1}
{"k":2}' mapsplit -p /Items --original=o $scheme://data/job.json
    ok "$scheme: its rest" grep -q '^{"v":1,"fragment.identifier":".*","fragment.count":2}$' o
    printf 'a\n"1"\n' | gzip | object put "$scheme://data/odd key+%.csv.gz" >/dev/null
    check "$scheme: a packed table with an odd name" 0 \
        '{"Index":0,"Source":"'"$scheme"'://data/odd key+%.csv.gz","Value":{"a":"1"}}' \
        mapsplit --context "$scheme://data/odd key+%.csv.gz"
    put "$scheme://data/job.json@v+1 é" '{"Items":[0]}'
    check "$scheme: a version of an object" 0 0 mapsplit -p /Items --object-version='v+1 é' $scheme://data/job.json
    fault 'GET job truncate 6'
    check "$scheme: which is resumed as that version" 0 0 \
        mapsplit -p /Items --object-version='v+1 é' $scheme://data/job.json
    check_err "$scheme: a version that is not there" 1 \
        "^mapsplit: cannot read $scheme://data/job.json: NoSuchVersion" \
        mapsplit --object-version=v2 $scheme://data/job.json
    check_err "$scheme: a listing has none" 2 'object-version has no effect on the format objects' \
        mapsplit --object-version=v2 $scheme://data/
    put "$scheme://data/load/a+ b.jsonl" '1\n2\n'
    put $scheme://data/load/c/ ''
    put $scheme://data/load/c/d.csv 'k\n3\n'
    put $scheme://data/loads.json '[4]'
    check "$scheme: --load: what is under a prefix" 0 \
        '{"Index":0,"Source":"'"$scheme"'://data/load/a+ b.jsonl","Value":1}
{"Index":1,"Source":"'"$scheme"'://data/load/a+ b.jsonl","Value":2}
{"Index":2,"Source":"'"$scheme"'://data/load/c/d.csv","Value":{"k":"3"}}
{"Index":3,"Source":"'"$scheme"'://data/loads.json","Value":4}' \
        mapsplit --load --context "$scheme://data/load"
    check_err "$scheme: a position in it" 1 "^mapsplit: $scheme://data/job.json:1:1 \\(byte 0" \
        mapsplit --require-array $scheme://data/job.json
    check_err "$scheme: an object that is not there" 1 \
        "^mapsplit: cannot read $scheme://data/no.json: NoSuchKey" mapsplit $scheme://data/no.json
    check "$scheme: several, with a file and standard input" 0 '1
2
3' sh -c "echo 2 >f.jsonl; printf 1 | object put $scheme://data/1.jsonl >/dev/null
        echo 3 | mapsplit -f jsonl $scheme://data/1.jsonl f.jsonl -"
done
put s3://web/list.json '[1,2]'
put s3://web/list.csv 'a\n1\n'
check 'an address tells the format by its path' 0 '{"a":"1"}' mapsplit "$web/list.csv?v=2"
check 'a page of the web' 0 '1
2' mapsplit "$web/list.json?token=secret"
check_err 'the query of an address is in no message' 1 "^mapsplit: cannot read $web/no.json\\?\\.\\.\\.: it does not exist" \
    mapsplit "$web/no.json?token=secret"

awk 'BEGIN { for (i = 0; i < 60000; i++) printf "{\"id\":%d,\"text\":\"item %d\"}\n", i, i }' >big.jsonl
object put s3://data/big.jsonl <big.jsonl >/dev/null
fault 'GET big truncate 100000' 'GET big close' 'GET big status 503' 'GET big truncate 500000'
mapsplit s3://data/big.jsonl >got 2>err
same 'a stream that breaks and is resumed: every item, once' "0 $(cksum <big.jsonl)" "$? $(cksum <got)"
fault 'GET big truncate 100000' 'GET big mutate'
check_err 'an object that was replaced meanwhile' 1 's3://data/big.jsonl was replaced while it was read' \
    mapsplit s3://data/big.jsonl
gzip -k big.jsonl
object put s3://data/big.jsonl.gz <big.jsonl.gz >/dev/null
fault 'GET big truncate 50000'
mapsplit s3://data/big.jsonl.gz >got 2>err
same 'a packed one too' "0 $(cksum <big.jsonl)" "$? $(cksum <got)"
fault 'GET big 99*close'
check_err 'a server that is gone: later' 75 'cannot read s3://data/big.jsonl' \
    env AWS_MAX_ATTEMPTS=2 mapsplit s3://data/big.jsonl
: >"$stub/faults"
check_err 'a key that the server does not know: configuration' 2 'InvalidAccessKeyId' \
    env AWS_ACCESS_KEY_ID=WHO mapsplit s3://data/job.json
check_err 'no message has a secret in it' 2 'SignatureDoesNotMatch' \
    env AWS_SECRET_ACCESS_KEY=hush-hush sh -c 'mapsplit s3://data/job.json 2>err; status=$?
        cat err >&2; grep -q hush err && exit 9; exit $status'

# ---- listings ----

put s3://lists/pre/o1 hello
put s3://lists/pre/o2 ''
put s3://lists/other ''
check 'what begins with a prefix' 0 '2' sh -c 'mapsplit -f objects s3://lists/pre | wc -l | tr -d " "'
ok 'the members of the seed, as the server says them' sh -c '
    mapsplit -n 1 s3://lists/pre/ >item
    grep -q "^{\"XMLName\":{\"Space\":\"\",\"Local\":\"Contents\"},\"Key\":\"pre/o1\",\"Type\":\"Normal\",\"Size\":5,\"ETag\":\"\\\\\"5d41402abc4b2a76b9719d911017c592\\\\\"\",\"Owner\":{\"XMLName\":{\"Space\":\"\",\"Local\":\"\"},\"ID\":\"\",\"DisplayName\":\"\"},\"LastModified\":\"20..-..-..T..:..:..Z\",\"StorageClass\":\"STANDARD\",\"RestoreInfo\":\"\"}\$" item'
check 'that of OSS' 0 \
    '{"XMLName":{"Space":"","Local":"Contents"},"Key":"k0000002","Type":"Normal","Size":2,"ETag":"\"c81e728d9d4c2f636f067f89cc14862c\"","Owner":{"XMLName":{"Space":"","Local":""},"ID":"","DisplayName":""},"LastModified":"2023-11-14T22:13:22Z","StorageClass":"Standard","RestoreInfo":""}' \
    sh -c 'mapsplit oss://many-3/ | sed -n 2p'
echo 100 >"$stub/page"
requests >/dev/null
same 'pages' 1000 "$(mapsplit s3://many-1000/ | wc -l | tr -d ' ')"
same 'ten of them' 10 "$(requests | grep -c 'GET /many-1000/')"
same 'no more are asked for than -n needs' '{"i":0} 1' \
    "$(mapsplit -n 150 s3://many-1000/ | wc -l | sed 's/ *150/{"i":0}/') $(requests | grep -c 'GET /many-1000/' | sed 's/2/1/')"
rm "$stub/page"
put 's3://lists/n
l' ''
check 'a key with a newline' 0 '"n\nl"' \
    sh -c 'mapsplit -f objects s3://lists/n | sed "s/.*\"Key\":\(\"[^\"]*\"\).*/\1/"'
same 'a whole bucket' 3 "$(mapsplit s3://many-3 | wc -l | tr -d ' ')"
check_err 'a bucket that is not there' 1 'cannot list s3://nobucket/: NoSuchBucket' \
    mapsplit s3://nobucket/
check_err 'the web has no listings' 2 "cannot list $web/" mapsplit -f objects "$web/"

# ---- inventories ----

# entry KEY: the manifest's entry of the file that is here under its last name.
entry()
{
    printf '{"key":"%s","size":%s,"MD5checksum":"%s"}' "$1" "$(wc -c <"${1##*/}" | tr -d ' ')" \
        "$(md5sum <"${1##*/}" | cut -c1-32)"
}

printf '"bk","a%%20b","1"\n"bk","c","2"\n' | gzip >x.csv.gz
printf '"bk","d","3"\n' >y.csv
items='{"Bucket":"bk","Key":"a b","Size":"1"}
{"Bucket":"bk","Key":"c","Size":"2"}
{"Bucket":"bk","Key":"d","Size":"3"}'
for scheme in s3 oss; do
    case $scheme in
    s3) destination=arn:aws:s3:::elsewhere ;;
    *) destination=elsewhere ;;
    esac
    printf '{"destinationBucket":"%s","fileFormat":"CSV","fileSchema":"Bucket, Key, Size","files":[%s,%s]}' \
        $destination "$(entry dest/data/x.csv.gz)" "$(entry dest/data/y.csv)" |
        object put $scheme://main/dest/2024/manifest.json >/dev/null
    object put $scheme://elsewhere/dest/data/x.csv.gz <x.csv.gz >/dev/null
    object put $scheme://elsewhere/dest/data/y.csv <y.csv >/dev/null
    check "$scheme: parts in the bucket that the manifest states" 0 "$items" \
        mapsplit -f inventory $scheme://main/dest/2024/manifest.json
    printf '"bk","D","3"\n' | object put $scheme://elsewhere/dest/data/y.csv >/dev/null
    check_err "$scheme: a part that has changed" 1 \
        "^mapsplit: $scheme://elsewhere/dest/data/y.csv has the MD5" \
        mapsplit -f inventory $scheme://main/dest/2024/manifest.json
done
printf '{"destinationBucket":"gone","fileSchema":"Bucket, Key, Size","files":[%s]}' "$(entry p/y.csv)" |
    object put s3://main/copied.json >/dev/null
object put s3://main/p/y.csv <y.csv >/dev/null
check 'where they are not there: beside the manifest' 0 '{"Bucket":"bk","Key":"d","Size":"3"}' \
    mapsplit -f inventory s3://main/copied.json
fault 'GET x.csv truncate 10' 'GET y.csv status 503'
object put s3://elsewhere/dest/data/y.csv <y.csv >/dev/null
check 'parts that break are resumed, and their digest is right' 0 "$items" \
    mapsplit -f inventory s3://main/dest/2024/manifest.json
printf '{"fileSchema":"Bucket, Key, Size","files":[%s]}' "$(entry p/y.csv)" |
    object put s3://web/manifest.json >/dev/null
check_err 'a manifest of the web' 2 'a manifest is read from a file or a bucket' \
    mapsplit -f inventory "$web/manifest.json"

# ---- results ----

put s3://results/p/r/manifest.json \
    '{"DestinationBucket":"results","MapRunName":"r","ResultFiles":{"FAILED":[{"ObjectName":"p/r/FAILED_0.json","Size":1}],"SUCCEED":[]}}'
printf '%s' '[{"ExecutionName":"r:0","FlowName":"","Input":"{\"k\":1}","Output":"{}","Status":"Failed"}]' |
    object put s3://results/p/r/FAILED_0.json >/dev/null
check 'the results of a run' 0 '{"k":1}' mapsplit -f results s3://results/p/r/manifest.json

# ---- memory ----

few=$(peak mapsplit s3://many-2000/)
many=$(peak mapsplit s3://many-30000/)
ok "a listing of 30,000 objects takes no more memory than one of 2,000 ($many, $few KiB)" \
    test "$many" -lt $((few + 4096))

done_testing
