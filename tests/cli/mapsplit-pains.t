#!/bin/sh
# mapsplit where other tools hurt: one input each, by the name it has in our collection of complaints
# about jq, csvkit, Miller and others, with what is right to do.
. "$(dirname "$0")/lib.sh"

# feed TEXT COMMAND...: the command with TEXT, in which printf's escapes count, as its input.
feed()
{
    # shellcheck disable=SC2059 # on purpose
    printf "$1" >fed
    shift
    "$@" <fed
}

# ---- json ----

check 'json-number-spelling: every number keeps its spelling' 0 '1.0
1.10
1e2
1E+2
-0
1e1000
100000000000000000000' feed '[1.0,1.10,1e2,1E+2,-0,1e1000,100000000000000000000]' mapsplit
check 'json-bigint: integers of any size, through all filters' 0 \
    '{"Items":[{"v":9007199254740993},{"v":12345678901234567890},{"v":-0}]}' \
    sh -c 'echo "[9007199254740993,12345678901234567890,-0]" | mapsplit | itemconstruct -t "{\"v.\$\":\"\$Item\"}" |
        maprun -k --emit=output cat | batcher -n 3'
for word in NaN -NaN Infinity -Infinity nan inf 0x1F 1_000 +1 .5 1. 01 1e; do
    check_err "json-nan: $word is no JSON" 1 ':1:[2-6] \(byte [1-5], item [12]\): ' feed "[$word]" mapsplit
done
check_err 'json-nul-byte: no value, and no end of the text' 1 ':1:3 \(byte 2, item 2\): ' feed '[1\000,2]' mapsplit
check_err 'json-nul-byte: behind a value' 1 ':1:2 \(byte 1, item 1\): ' feed '1\0002\n' mapsplit -f jsonl
check_err 'json-nul-byte: in a string' 1 ':1:4 \(byte 3, item 1\): ' feed '["a\000b"]' mapsplit
check 'json-nul-byte: escaped it passes' 0 '"a\u0000b"' feed '["a\\u0000b"]' mapsplit
check 'json-lone-surrogate: escapes pass, and what comes behind them' 0 '{"s":"\ud800"}
{"s":"\udc00x"}
{"s":"ok"}' feed '[{"s":"\\ud800"},{"s":"\\udc00x"},{"s":"ok"}]' mapsplit
check 'json-lone-surrogate: as a name that is looked up too' 0 '1' \
    feed '{"\\ud800":[1]}' mapsplit -p '$Input["\ud800"]'
check 'json-bom: skipped in JSON' 0 '1' feed '\357\273\277[1]' mapsplit
check 'json-bom: in JSON lines' 0 '{"a":1}' feed '\357\273\277{"a":1}\n' mapsplit
check 'json-bom: in CSV' 0 '{"a":"1"}' feed '\357\273\277a\n1\n' mapsplit -f csv
check_err 'json-bom: UTF-16 is an error that says so' 1 'is UTF-16' feed '\377\376{\0' mapsplit
check_err 'json-bom: UTF-16 with the other end first' 1 'is UTF-16' feed '\376\377\0{' mapsplit -f csv
check 'json-dup-keys: both members stay' 0 '{"b":1,"a":2,"b":3}' feed '{"b":1,"a":2,"b":3}' mapsplit
check 'json-dup-keys: each is an item of an object' 0 '{"Key":"b","Value":1}
{"Key":"a","Value":2}
{"Key":"b","Value":3}' feed '{"b":1,"a":2,"b":3}' mapsplit -f json
check_err 'json-dup-keys: an error by request, in any format' 1 \
    '^mapsplit: standard input:1:10 \(byte 9, item 2\): the name "b" comes twice in one object' \
    feed '[{"a":1},{"b":1,"a":2,"b":3}]' mapsplit --strict
check 'json-dup-keys: put aside by request' 1 '{"a":1}
{"b":{"b":[{"b":1},{"b":1}]}}' feed '[{"a":1},{"b":1,"a":2,"b":3},{"b":{"b":[{"b":1},{"b":1}]}}]' \
    mapsplit --strict --rejects=bad.json
check_file 'json-dup-keys: as it was' bad.json '{"b":1,"a":2,"b":3}'
check_err 'json-dup-keys: of two arrays of items only one can be meant' 1 '\$Input.I comes twice' \
    feed '{"I":[1],"I":[2]}' mapsplit -p '$Input.I'
check 'json-dup-keys: the last one counts where a name is looked up' 0 '{"x":3}' \
    feed '{"b":1,"a":2,"b":3}' itemconstruct -e 'x.$=$Item.b'
check 'json-badline: the error is that of line 2' 1 '{"a":1}' \
    feed '{"a":1}\n{"a":\n{"a":3}\n' mapsplit -f jsonl
check_err 'json-badline: with its number' 1 '^mapsplit: standard input:2:6 \(byte 13, item 2\)' \
    feed '{"a":1}\n{"a":\n{"a":3}\n' mapsplit -f jsonl
check 'json-badline: put aside, the others come' 1 '{"a":1}
{"a":3}' feed '{"a":1}\n{"a":\n{"a":3}\n' mapsplit -f jsonl --rejects=bad.jsonl
check_file 'json-badline: as it was' bad.jsonl '{"a":'
check_err 'json-badline: with a count' 1 '^mapsplit: 1 of 3 lines were rejected' \
    feed '{"a":1}\n{"a":\n{"a":3}\n' mapsplit -f jsonl --rejects=bad.jsonl
for input in '' ' \n\n ' '[]'; do
    check "json-e-empty: '$input' is no items and no error" 0 '' feed "$input" mapsplit -f json
    check_err "json-e-empty: '$input' is one for --require-items" 1 'there are no items' \
        feed "$input" mapsplit -f json --require-items
done
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "["; for (i = 0; i < 100000; i++) printf "]" }' >deep
check_err 'json-deep-nesting: depth and place' 1 \
    ':1:10001 \(byte 10000, item 1\): nested deeper .*in 10000 open arrays' mapsplit -f json deep
same 'json-deep-nesting: the limit can be raised' 199998 \
    "$(mapsplit -f json --max-depth=1000000 deep | tr -d '\n' | wc -c | tr -d ' ')"
awk 'BEGIN { printf "{\"s\":\""; for (i = 0; i < 15000000; i++) printf "x"; print "\"}" }' >long
same 'json-long-line: a line of 15 MB passes' "$(cksum <long)" "$(mapsplit -f jsonl long | cksum)"
check_err 'json-long-line: unless the limit says otherwise' 1 '^mapsplit: long:1:1 .*longer than 1048576' \
    mapsplit -f jsonl --max-item-bytes=1M long

# 200 MB of an array on one line, with a byte that does not belong there.
{
    printf '['
    yes '{"id":12345678,"text":"some length","more":[1,2]}' | tr '\n' ',' | head -c 200000000
    printf '@]'
} >events
check_err 'json-error-position: on one long line' 1 \
    ":1:200000002 \\(byte 200000001, item 4000001\\): expected .*, at '@\\]'$" sh -c 'mapsplit -f json events >/dev/null'

# As a filter of standard input, to the fault at its end.
# shellcheck disable=SC2016 # for the inner shell
kib=$(peak sh -c 'mapsplit -f json; [ $? = 1 ]' <events 2>err)
ok "json-array-memory: $kib KiB for 200 MB" test "$kib" -lt 32768
rm events
mkfifo fifo
exec 3<>fifo
mapsplit <fifo >first 3>&- &
printf '[{"a":1},{"a":2},' >&3
ok 'json-array-memory: the first item is out after a few bytes' until_true 5 grep -q '"a":2' first
kill $!
wait $! 2>/dev/null
exec 3>&-

# ---- csv ----

check 'csv-inference: nothing is taken for what it looks like' 0 \
    '{"zip":"00123","ver":"1.10","id":"12345678901234567890","b":"yes"}' \
    feed 'zip,ver,id,b\n00123,1.10,12345678901234567890,yes\n' mapsplit -f csv
check 'csv-inference: but by request, exactly' 0 \
    '{"zip":"00123","ver":1.10,"id":12345678901234567890,"b":"yes"}' \
    feed 'zip,ver,id,b\n00123,1.10,12345678901234567890,yes\n' mapsplit -f csv \
    --types=ver:number,id:int
check_err 'csv-inference: an integer that is not canonical is refused' 1 "'00123' is no canonical" \
    feed 'zip\n00123\n' mapsplit -f csv --types=zip:int
check 'csv-bom: before a quoted name, with CRLF' 0 '{"id":"1","name":"x"}' \
    feed '\357\273\277"id",name\r\n1,x\r\n' mapsplit -f csv
check 'csv-embedded-newline: a line feed, or CR and LF, are as they were' 0 '{"a":"x\r\ny","b":"q\"q"}
{"a":"l\nm","b":"2"}' feed 'a,b\r\n"x\r\ny","q""q"\r\n"l\nm",2\r\n' mapsplit -f csv
check_err 'csv-embedded-newline: lines are counted, not rows' 1 ':5:1 \(byte 13, item 2\): ' \
    feed 'a,b\n"x\n\ny",2\n1\n' mapsplit -f csv
check_err 'csv-ragged: both counts and the line' 1 \
    ':2:1 \(byte 4, item 1\): the record has 1 field, but there are 2 columns' \
    feed 'a,b\n1\n2,3,4\n5,6\n' mapsplit -f csv
check 'csv-ragged: padded, and nothing lost' 0 '{"a":"1","b":""}
{"a":"2","b":"3","3":"4"}
{"a":"5","b":"6"}' feed 'a,b\n1\n2,3,4\n5,6\n' mapsplit -f csv --ragged=pad
check 'csv-ragged: put aside' 1 '{"a":"5","b":"6"}' \
    feed 'a,b\n1\n2,3,4\n5,6\n' mapsplit -f csv --ragged=divert --rejects=bad
check_err 'csv-dup-header: which columns' 1 \
    'column 3 has no name; columns 1 and 2 are both named "a"' feed 'a,a,\n1,2,3\n' mapsplit -f csv
check 'csv-dup-header: names that do not clash' 0 '{"a":"1","a_3":"2","a_2":"3"}' \
    feed 'a,a,a_2\n1,2,3\n' mapsplit -f csv --dedupe-header
quotes='a,b\n1,"x"y\n2,a"b\n3,"open\n4,z\n'
check_err 'csv-bad-quote: text behind a closing quote' 1 ':2:6 \(byte 9, item 1\): text behind' \
    feed "$quotes" mapsplit -f csv
check 'csv-bad-quote: a quote in an unquoted field is itself' 1 '{"a":"2","b":"a\"b"}' \
    feed "$quotes" mapsplit -f csv --rejects=bad
check_err 'csv-bad-quote: the line where a quote opened' 1 \
    ':4:3 \(byte 19, item 3\): the quote that opens here is never closed' \
    feed "$quotes" mapsplit -f csv --rejects=bad
for input in '' 'a,b\n'; do
    check "csv-empty: '$input' is no items" 0 '' feed "$input" mapsplit -f csv
    check_err "csv-empty: '$input' is an error for --require-items" 1 'there are no items' \
        feed "$input" mapsplit -f csv --require-items
done
check_err 'csv-invalid-utf8: the record and the byte' 1 ':2:1 \(byte 2, item 1\): invalid UTF-8' \
    feed 'a\n\377\n' mapsplit -f csv
check 'csv-invalid-utf8: converted' 0 '{"a":"ÿ"}' feed 'a\n\377\n' mapsplit -f csv --encoding=latin1
check 'csv-invalid-utf8: substituted' 0 '{"a":"�"}' feed 'a\n\377\n' mapsplit -f csv --invalid=replace

# ---- lines, sources ----

check 'last-line: without its newline' 0 '"a"
"b"' feed 'a\nb' mapsplit -f lines
check 'last-line: with it' 0 '"a"
"b"' feed 'a\nb\n' mapsplit -f lines
check 'last-line: of JSON lines' 0 '1
2' feed '1\n2' mapsplit -f jsonl
check 's3-ls-parse: keys keep their blanks, prefixes are no objects' 0 \
    '{"Key":"my file  2.yaml","Size":603,"LastModified":"2024-05-01T01:02:03"}' \
    feed '2024-05-01 01:02:03        603 my file  2.yaml\n                           PRE sub/\n' \
    mapsplit -f s3ls
check 's3-ls-parse: what s3api prints is a document' 0 '{"Key":"my file  2.yaml","Size":603}' \
    feed '{"Contents":[{"Key":"my file  2.yaml","Size":603}]}' mapsplit -p '$Input.Contents'

done_testing
