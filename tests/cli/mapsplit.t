#!/bin/sh
# mapsplit: data sets become items, exactly; what is not valid is refused with its place.
. "$(dirname "$0")/lib.sh"

# ---- json: the array, paths, objects ----

check 'the elements of an array, compact' 0 '{"a":1}
[2,"x y"]
null' sh -c "printf '[ {\"a\" : 1}, [2, \"x y\"],\n null ]\n' | mapsplit"
check 'numbers keep their spelling' 0 '1.0
1.10
1e2
1E+2
-0
1e1000
100000000000000000000' sh -c "printf '[1.0,1.10,1e2,1E+2,-0,1e1000,100000000000000000000]' | mapsplit"
check 'lone surrogates pass as they are' 0 '{"s":"\ud800"}
{"s":"\udc00x"}
{"s":"ok"}' sh -c "printf '[{\"s\":\"\\\\ud800\"},{\"s\":\"\\\\udc00x\"},{\"s\":\"ok\"}]' | mapsplit"
check 'members of the same name stay, in their order' 0 '{"b":1,"a":2,"b":3}' \
    sh -c "printf '{\"b\":1,\"a\":2,\"b\":3}' | mapsplit"
printf '{"meta":{"v":1.0},"Items":[{"k":1},{"k":2}],"FailedValue":4}' >job.json
check 'a path to the array' 0 '{"k":1}
{"k":2}' mapsplit -p '$Input.Items' job.json
check 'a JSON Pointer' 0 '{"k":1}
{"k":2}' mapsplit -p /Items job.json
check 'the path $ and an object: one item a member' 0 '{"Key":"v","Value":1.0}' \
    mapsplit -p '$Input.meta' job.json
check 'any name in brackets, and an index' 0 '2' \
    sh -c "echo '{\"639-3\":[[1],[2]]}' | mapsplit -p '\$Input[\"639-3\"][1]'"
check 'so too without a path' 0 '{"Key":"meta","Value":{"v":1.0}}
{"Key":"Items","Value":[{"k":1},{"k":2}]}
{"Key":"FailedValue","Value":4}' mapsplit job.json
check 'and of what comes from standard input' 0 '{"Key":"a","Value":1}' \
    sh -c "echo '{\"a\":1}' | mapsplit -f json"
check_err 'unless only an array will do' 1 \
    '^mapsplit: job.json:1:1 \(byte 0\): \$Input is an object; --require-array demands an array' \
    mapsplit --require-array job.json
check_err 'also at the end of a path' 1 '\$Input\.meta is an object; --require-array' \
    mapsplit --require-array -p '$Input.meta' job.json
check '--require-array: an array' 0 '{"k":1}
{"k":2}' mapsplit --require-array -p /Items job.json
check_err 'a step that is missing is named' 1 'no \.Itms in \$Input$' \
    mapsplit -p '$Input.Itms' job.json
check_err 'a step that cannot be taken is named' 1 \
    '^mapsplit: job.json:1:14 \(byte 13\): .* cannot go on with \.w: \$Input\.meta\.v is a number' \
    mapsplit -p '$.meta.v.w' job.json
check 'a path that may lead nowhere' 0 '' mapsplit -p '$Input.Itms?' job.json
check_err 'items from a number' 1 '\$Input\.FailedValue is a number' \
    mapsplit -p '$Input.FailedValue' job.json
check_err 'the path begins at the document' 2 'begins with \$Input' \
    mapsplit -p '$Item.a' job.json
check 'the array comes twice: what has left stays' 1 1 \
    sh -c "echo '{\"a\":[1],\"a\":[2]}' | mapsplit -p /a"

# ---- -n ----

check 'no more than -n items' 0 '1
2' sh -c "echo '[1,2,3]' | mapsplit -n 2"
check 'nothing behind the last wanted item is read' 0 '1
2' sh -c "echo '[1,2,@' | mapsplit -n 2"
check '-n 0 is no limit' 0 '1
2' sh -c "echo '[1,2]' | mapsplit -n 0"
check '-n counts over all sources' 0 '{"k":1}
{"k":2}
{"k":1}' mapsplit -p /Items -n 3 job.json job.json nowhere.json

# ---- --fragment, --original, --context ----

check 'fragment members at the end of each object' 0 \
    '{"k":1,"fragment.identifier":"R","fragment.index":0}
{"k":2,"fragment.identifier":"R","fragment.index":1}' \
    mapsplit -p '$Input.Items' --fragment=R --original=orig.json job.json
check_file 'the rest of the document and the count' orig.json \
    '{"meta":{"v":1.0},"FailedValue":4,"fragment.identifier":"R","fragment.count":2}'
check 'an empty object gets them too' 0 '{"fragment.identifier":"R\"","fragment.index":0}' \
    sh -c "echo '[{}]' | mapsplit --fragment='R\"'"
ok 'without an ID it is a UUID, the same in all items and in --original' sh -c '
    mapsplit -p /Items --fragment --original=o job.json >items
    id=$(sed -n "s/.*identifier\":\"\([0-9a-f-]\{36\}\)\",.*/\1/p" items o | sort -u)
    [ "$(printf "%s" "$id" | wc -c)" = 36 ] && [ "$(grep -c "$id" items)" = 2 ]'
check_err 'what is no object cannot have them' 1 '\(byte 4, item 2\): the item is a number.*--context' \
    sh -c "echo '[{},5]' | mapsplit --fragment=R"
check '--context wraps any item' 0 '{"Index":0,"Source":"-","Value":5}
{"Index":1,"Source":"-","Value":{"a":1}}' sh -c "echo '[5,{\"a\":1}]' | mapsplit --context"
check '--context=aws: the members of an object have a Key' 0 \
    '{"Index":0,"Source":"STATE_DATA","Key":"a","Value":[1.0]}
{"Index":1,"Source":"STATE_DATA","Key":"","Value":{}}' \
    sh -c "echo '{\"a\": [1.0], \"\": {}}' | mapsplit -f json --context=aws"
check '--context=plain: they are items of their own' 0 '{"Index":0,"Source":"-","Value":{"Key":"a","Value":1}}' \
    sh -c "echo '{\"a\": 1}' | mapsplit -f json --context=plain"
check '--context=aws: elements, and the members of a fragment' 0 \
    '{"Index":0,"Source":"STATE_DATA","Value":{"Key":1,"Value":2},"fragment.identifier":"R","fragment.index":0}' \
    sh -c "echo '[{\"Key\":1,\"Value\":2}]' | mapsplit -f json --context=aws --fragment=R"
check 'and --fragment adds to the wrapping' 0 \
    '{"Index":0,"Source":"-","Value":5,"fragment.identifier":"R","fragment.index":0}' \
    sh -c "echo '[5]' | mapsplit --context --fragment=R"
check 'the index goes on over sources, each with its name' 0 \
    '{"Index":0,"Source":"a.json","Value":1}
{"Index":1,"Source":"b.json","Value":2}' \
    sh -c "echo '[1]' >a.json; echo '[2]' >b.json; mapsplit --context a.json b.json"
mapsplit -p /Items --fragment=R --original=two.json job.json job.json >/dev/null
check_file 'with several sources just the two members' two.json \
    '{"fragment.identifier":"R","fragment.count":4}'
echo '[1,2]' | mapsplit --original=two.json -n 1 >/dev/null
ok 'and with a document that is the array' \
    grep -Eq '^\{"fragment.identifier":"[0-9a-f-]{36}","fragment.count":1\}$' two.json
mapsplit -p /Items -n 1 --fragment=R --original=limited.json job.json >/dev/null
check_file '-n and --original: the rest of the document all the same' limited.json \
    '{"meta":{"v":1.0},"FailedValue":4,"fragment.identifier":"R","fragment.count":1}'
check_status 'a split that fails' 1 \
    sh -c "printf '{\"Items\":[1],\"z\":' | mapsplit -p /Items --original=none.json"
ok 'leaves no --original' test ! -e none.json
FANLINE_END_MARK=1 mapsplit -p /Items --fragment=R --original=marked.json job.json >items
check_file 'end marks: the items' items '{"k":1,"fragment.identifier":"R","fragment.index":0}
{"k":2,"fragment.identifier":"R","fragment.index":1}
{"fanline.end":{"status":0,"items":2,"rejected":0}}'
check_file 'and the original, a whole stream of one line' marked.json \
    '{"meta":{"v":1.0},"FailedValue":4,"fragment.identifier":"R","fragment.count":2}
{"fanline.end":{"status":0,"items":1,"rejected":0}}'
mark='{"fanline.end":{"status":0,"items":1,"rejected":0}}'
check 'a document of a filter, with its end mark' 0 '1
2' sh -c 'printf "[1,2]\n%s\n" "$1" | mapsplit -f json' sh "$mark"
check 'the same with a path, and without a line end' 0 '3' \
    sh -c 'printf "{\"a\":[3]} %s" "$1" | mapsplit -p /a' sh "$mark"
check 'a filter that had nothing to write' 0 '' \
    sh -c 'echo "$1" | sed s/1/0/ | mapsplit -f json --require-array' sh "$mark"
check_err 'one that failed behind its document' 1 'cut short: its writer ended with status 1$' \
    sh -c 'printf "[1]\n%s\n" "$1" | sed s/s\":0/s\":1/ | mapsplit -f json' sh "$mark"
check_err 'one that failed before it' 1 'cut short: its writer ended with status 1$' \
    sh -c 'echo "$1" | sed "s/s\":0/s\":1/; s/items\":1/items\":0/" | mapsplit -f json' sh "$mark"
check_err 'more documents than one' 1 'its end mark counts 2 lines, 1 came' \
    sh -c 'printf "[1]\n%s\n" "$1" | sed s/items\":1/items\":2/ | mapsplit -f json' sh "$mark"
check_err 'text behind the end mark' 1 'more lines behind the end mark' \
    sh -c 'printf "[1]\n%s\n[2]\n" "$1" | mapsplit -f json' sh "$mark"
check_err 'what is no end mark behind a document' 1 ':2:1 \(byte 4\): more text behind the value' \
    sh -c 'printf "[1]\n{\"fanline.end\":1}" | mapsplit -f json'
check 'what is no end mark is a document' 0 '{"Key":"fanline.end","Value":1}' \
    sh -c 'printf "{\"fanline.end\":1}" | mapsplit -f json'
check 'what was rejected before counts' 1 1 \
    sh -c 'printf "[1]\n%s\n" "$1" | sed s/d\":0/d\":3/ | mapsplit -f json 2>/dev/null' sh "$mark"
check 'end marks: a failure is in the mark' 1 '1
{"fanline.end":{"status":1,"items":1,"rejected":0}}' \
    sh -c "printf '[1,' | mapsplit --end-mark"

# ---- json: what is refused ----

check_err 'the place of a fault: line, column, byte, item' 1 \
    '^mapsplit: standard input:3:2 \(byte 9, item 3\): expected a value' \
    sh -c "printf '[1,\n 2,\n @]' | mapsplit"
check 'the items before it have left' 1 '1
2' sh -c "printf '[1,2,@' | mapsplit"
check_err 'a document cut short' 1 ':1:9 \(byte 8, item 2\): the text ends' \
    sh -c "printf '[1,{\"a\":' | mapsplit"
check_err 'invalid UTF-8' 1 ':1:4 \(byte 3, item 1\): invalid UTF-8' \
    sh -c "printf '[\"a\377\"]' | mapsplit"
check_err 'a NUL byte' 1 ':1:4 \(byte 3, item 2\): .*NUL' sh -c "printf '[1,\0]' | mapsplit"
check_err 'more text behind the document' 1 'more text behind the value.*-f jsonl' \
    sh -c "printf '[1]\n[2]\n' | mapsplit"
check_err 'UTF-16' 1 'UTF-16' sh -c "printf '\377\376[\0]\0' | mapsplit"
check 'a UTF-8 byte order mark is skipped' 0 '{"a":1}' \
    sh -c "printf '\357\273\277{\"a\":1}\n' | mapsplit"
check_err 'and counts in the offset' 1 ':1:2 \(byte 4, item 1\)' \
    sh -c "printf '\357\273\277[@' | mapsplit"
deep()
{
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) printf "["; for (i = 0; i < n; i++) printf "]" }'
}
deep 100000 >deep
check_err 'nesting of 100,000: depth and place' 1 \
    '^mapsplit: deep:1:10001 \(byte 10000, item 1\): nested deeper .*10000 open' mapsplit -f json deep
same 'unless it is allowed' "$(deep 99999)" "$(mapsplit -f json --max-depth=200000 deep)"
long=$(awk 'BEGIN { for (i = 0; i < 10000; i++) printf "7" }')
same 'a number of 10,000 digits' "$long.5e-$long" "$(echo "[$long.5e-$long]" | mapsplit)"
awk 'BEGIN { printf "[{\""; for (i = 0; i < 1048576; i++) printf "k"; printf "\":1}]" }' >key.json
same 'a name of 1 MB' "$(tr -d '[]' <key.json | cksum)" "$(mapsplit key.json | tr -d '\n' | cksum)"
check_err 'an item larger than the limit' 1 ':1:4 \(byte 3, item 2\): .*larger than 10 bytes' \
    sh -c "echo '[1,\"0123456789\",2]' | mapsplit --max-item-bytes=10"
check 'with --rejects the others go on' 1 '1
2' sh -c "echo '[1,\"0123456789\",2]' | mapsplit --max-item-bytes=10 --rejects=bad"
check_file 'and it is kept' bad '"0123456789"'

# ---- nothing ----

for what in '' ' \n\n' '[]' '{\n"a":[]}\n'; do
    check "no items of '$what'" 0 '' sh -c "printf '$what' | mapsplit $([ "$what" = '{\n"a":[]}\n' ] && echo -p /a)"
done
check_err 'is an error for --require-items' 1 'no items' sh -c "echo '[]' | mapsplit --require-items"
check 'empty input is no items for every format' 0 '' sh -c '
    for f in json jsonl csv tsv lines nul; do mapsplit -f $f </dev/null || exit; done'

# ---- jsonl ----

check 'JSON lines, by name' 0 '1
{"a":[2]}' sh -c "printf '1\n\n {\"a\" : [2]} \r\n' >l.ndjson; mapsplit l.ndjson"
printf '{"a":1}\n{"a":\n{"a":3}\n' >bad.jsonl
check 'a bad line stops the split' 1 '{"a":1}' mapsplit bad.jsonl
check_err 'with its place' 1 '^mapsplit: bad.jsonl:2:6 \(byte 13, item 2\): ' mapsplit bad.jsonl
check 'or is put aside' 1 '{"a":1}
{"a":3}' mapsplit --rejects=bad bad.jsonl
check_file 'byte for byte' bad '{"a":'
check_err 'and counted' 1 '1 of 3 lines were rejected' mapsplit --rejects=bad bad.jsonl
check 'a line that gets no fragment is put aside too' 1 \
    '{"a":1,"fragment.identifier":"R","fragment.index":0}
{"a":2,"fragment.identifier":"R","fragment.index":1}' \
    sh -c "printf '{\"a\":1}\n5\n{\"a\":2}' | mapsplit -f jsonl --fragment=R --rejects=bad --original=o"
check_file 'as it came' bad 5
check_file 'and not counted' o '{"fragment.identifier":"R","fragment.count":2}'
awk 'BEGIN { printf "{\"s\":\""; for (i = 0; i < 15000000; i++) printf "x"; print "\"}" }' >long.jsonl
same 'a line of 15 MB' "$(cksum <long.jsonl)" "$(mapsplit long.jsonl | cksum)"
check_err '-p is for documents' 2 'items-path has no effect on the format jsonl' \
    mapsplit -f jsonl -p /a bad.jsonl

# ---- csv ----

printf 'A,B,C\na1,b1,c1\n' >seed.csv
check 'the first row names the columns; all values are strings' 0 '{"A":"a1","B":"b1","C":"c1"}' \
    mapsplit seed.csv
check 'names given: all rows are data' 0 '{"x":"A","y":"B","z":"C"}
{"x":"a1","y":"b1","z":"c1"}' mapsplit --csv-headers=x,y,z seed.csv
check 'names given, the first row passed over' 0 '{"x":"a1","y":"b1","z":"c1"}' \
    mapsplit --csv-headers=x,y,z --header=skip seed.csv
check 'nothing is taken for a number or a bool' 0 \
    '{"zip":"00123","ver":"1.10","id":"12345678901234567890","b":"yes"}' \
    sh -c "printf 'zip,ver,id,b\n00123,1.10,12345678901234567890,yes\n' | mapsplit -f csv"
check 'a byte order mark before a quoted name, CRLF' 0 '{"id":"1","name":"x"}' \
    sh -c "printf '\357\273\277\"id\",name\r\n1,x\r\n' | mapsplit -f csv"
check 'quotes, delimiters and line ends in fields' 0 \
    '{"a":"x","b":"one, two (\"q\") and (\n)","c":" y "}' \
    sh -c "printf 'a,b,c\nx,\"one, two (\"\"q\"\") and (\n)\", y \n' | mapsplit -f csv"
check 'control characters and NUL become escapes' 0 '{"a":"\u0000\u001f\t\\"}' \
    sh -c "printf 'a\n\0\037\t\\\\\n' | mapsplit -f csv"
check 'a quote within an unquoted field is itself' 0 '{"a":"2","b":"a\"b"}' \
    sh -c "printf 'a,b\n2,a\"b\n' | mapsplit -f csv"
check 'rows of blanks and of empty fields, blank lines' 0 '{"a":"  ","b":""}
{"a":"","b":""}' sh -c "printf 'a,b\n  ,\n\n,\n' | mapsplit -f csv"
check 'the last row without a line end' 0 '{"a":"1"}
{"a":"2"}' sh -c "printf 'a\n1\n2' | mapsplit -f csv"
check 'tsv' 0 '{"a":"1,5","b":"2 "}' sh -c "printf 'a\tb\n1,5\t2 \n' | mapsplit -f tsv"
check 'a delimiter by name' 0 '{"a":"1","b":"2"}' \
    sh -c "printf 'a;b\n1;2\n' | mapsplit --delimiter=Semicolon"
check 'a delimiter as it is' 0 '{"a":"1","b":"2"}' sh -c "printf 'a|b\n1|2\n' | mapsplit --delimiter='|'"
check 'fragment members' 0 '{"a":"1","fragment.identifier":"R","fragment.index":0}' \
    sh -c "printf 'a\n1\n' | mapsplit -f csv --fragment=R --original=o"
check_file 'and the original of a table' o '{"fragment.identifier":"R","fragment.count":1}'
check '-n does not count the header' 0 '{"a":"1"}' sh -c "printf 'a\n1\n2\n' | mapsplit -f csv -n 1"
check 'each source has its own header' 0 '{"A":"a1","B":"b1","C":"c1"}
{"Z":"1"}' sh -c "printf 'Z\n1\n' >z.csv; mapsplit seed.csv z.csv"
check 'no rows' 0 '' sh -c "printf 'a,b\n' | mapsplit -f csv"

check_err 'columns that cannot be told apart' 1 \
    ':1:1 .*column 3 has no name; columns 1 and 2 are both named "a"' \
    sh -c "printf 'a,a,\n1,2,3\n' | mapsplit -f csv"
printf 'a,b\n1\n2,3,4\n5,6\n' >ragged.csv
check_err 'a short row' 1 '^mapsplit: ragged.csv:2:1 \(byte 4, item 1\): .* 1 field, .* 2 columns' \
    mapsplit ragged.csv
check 'short and long rows put aside' 1 '{"a":"5","b":"6"}' mapsplit --rejects=bad ragged.csv
check_file 'byte for byte' bad '1
2,3,4'
printf 'a,b\r\n1,"x"y\r\n2,"a\377"\r\n3,"p\r\nq"\r\n4,"open\r\n5,z\r\n' >quotes.csv
check_err 'text behind a closing quote' 1 '^mapsplit: quotes.csv:2:6 \(byte 10, item 1\): text behind' \
    mapsplit quotes.csv
check 'bad records put aside' 1 '{"a":"3","b":"p\r\nq"}' mapsplit --rejects=bad quotes.csv
same 'byte for byte, with their CRLF' "$(sed -n '2,3p;6,7p' quotes.csv | cksum)" "$(cksum <bad)"
check_err 'invalid UTF-8 in a field' 1 '^mapsplit: quotes.csv:3:5 \(byte 17, item 2\): invalid UTF-8' \
    mapsplit --rejects=bad quotes.csv
check_err 'a quote never closed: where it opened' 1 \
    '^mapsplit: quotes.csv:6:3 .*: the quote that opens here is never closed' \
    mapsplit --rejects=bad quotes.csv
check_err 'a record larger than the limit' 1 ':2:1 \(byte 2, item 1\): .*longer than 5 bytes' \
    sh -c "printf 'a\n123456\n' | mapsplit -f csv --max-item-bytes=5"
check_err '--header=none needs names' 2 'needs the columns' mapsplit --header=none seed.csv
check_err '--csv-headers and --header=first' 2 'both name' \
    mapsplit --header=first --csv-headers=a seed.csv
check_err 'names given twice' 2 'columns 1 and 2 are both named "a"' mapsplit --csv-headers=a,a seed.csv
check_err 'a delimiter of two characters' 2 'delimiter' mapsplit --delimiter=ab seed.csv
check_err 'a delimiter for what is no table' 2 'no effect on the format json' \
    mapsplit -f json --delimiter=tab job.json

# ---- lines, nul ----

check 'each line as a string' 0 '"a"
""
" b\t\""' sh -c "printf 'a\r\n\n b\t\"' | mapsplit -f lines"
check 'each record before a NUL as a string' 0 '"a\nb"
""
"c"' sh -c "printf 'a\nb\0\0c' | mapsplit -f nul"
check_err 'they must be UTF-8' 1 ':2:2 \(byte 4, item 2\): invalid UTF-8' \
    sh -c "printf 'a\0\nb\377' | mapsplit -f nul"
check 'bad lines put aside' 1 '"a"
"c"' sh -c "printf 'a\nb\377\nc\n' | mapsplit -f lines --rejects=bad"
same 'byte for byte' "$(printf 'b\377\n' | cksum)" "$(cksum <bad)"
check 'long ones too' 1 '"a"
"c"' sh -c "printf 'a\nbbbbbb\nc\n' | mapsplit -f lines --rejects=bad --max-item-bytes=3"
check_file 'whole' bad bbbbbb

# ---- which format ----

check 'a document by content' 0 '1' sh -c "printf '\n[1]' | mapsplit"
check 'JSON lines by content' 0 '{"a":1}
{"a":2}' sh -c "printf '{\"a\":1}\n{\"a\":2}\n' | mapsplit"
check_err 'an object over several lines may be meant in two ways' 1 'say with -p .* or -f json' \
    sh -c "printf '{\n\"a\":1}\n' | mapsplit"
check_err 'a delimiter is never guessed' 1 'say it with -f' sh -c "printf 'a,b\n1,2\n' | mapsplit"
check_err 'nor text told from JSON lines' 1 'say it with -f' sh -c "printf '1\n2\n' | mapsplit"
check 'but told by an option of tables' 0 '{"x":"1","y":"2"}' \
    sh -c "printf '1,2\n' | mapsplit --csv-headers=x,y"
check 'text by name' 0 '"1"' sh -c "echo 1 >t.txt; mapsplit t.txt"
awk 'BEGIN { printf "{\"s\":\""; for (i = 0; i < 1100000; i++) printf "x"; print "\"}" }' >one-line
check_err 'a first line that does not end' 1 'say which, -f json or -f jsonl' mapsplit one-line

# ---- sources ----

check 'several sources, standard input among them' 0 '1
3
2' sh -c "echo '[3]' | mapsplit a.json - b.json"
check 'a source that is not there: those before it have left' 1 '1' mapsplit a.json nowhere b.json
check_err 'and it is named' 1 '^mapsplit: cannot open nowhere: No such file' mapsplit a.json nowhere
check_err 'a folder is no text' 1 '^mapsplit: cannot read \.: it is a folder' mapsplit -f csv .
check_err 'a folder as standard input' 1 'is a folder' sh -c 'mapsplit <.'
check_err 'an unknown format' 2 'none of' mapsplit -f xml a.json
check_err 'a full disk' 1 'No space left' sh -c 'mapsplit a.json >/dev/full'
check_err 'a full disk for --original' 1 'No space left' mapsplit --original=/dev/full a.json
if [ -x /bin/bash ]; then
    check 'a reader that goes away ends it quietly' 141 '' /bin/bash -c \
        "awk 'BEGIN { printf \"[0\"; for (i = 1; i < 300000; i++) printf \",%d\", i; print \"]\" }' |
         { mapsplit 2>err; echo \$? >status; } | head -n 1 >/dev/null; exit \$(cat status)"
    check_file 'without a word' err ''
else
    skip 'a reader that goes away' 'needs bash'
fi

# ---- promptness ----

mkfifo slow
for step in '[{"a":1},' '{"Items":[{"a":1},' '{"a":1}
' 'a
1
'; do
    case $step in
    '[{'*) how='-f json' ;;
    '{"I'*) how='-p /Items' ;;
    '{'*) how='-f jsonl' ;;
    *) how='-f csv' ;;
    esac
    # shellcheck disable=SC2086 # options
    rm -f first
    mapsplit $how <slow >first 2>/dev/null &
    exec 3>slow
    printf '%s' "$step" >&3
    ok "the first item leaves before its writer goes on ($how)" until_true 5 test -s first
    exec 3>&-
    wait
done
mkfifo forked
mapsplit -f jsonl -n 1 <forked >first &
exec 3>forked
echo '{"a":1}' >&3
ok 'with -n the end of the source is not waited for' until_true 5 sh -c "! kill -0 $! 2>/dev/null"
exec 3>&-
wait
mapsplit -f jsonl <slow >shown 2>asked &
exec 3>slow
echo '{"a":1}' >&3
until_true 5 test -s shown
kill -USR1 $!
ok 'SIGUSR1 asks how far it is' until_true 5 grep -q '^mapsplit: 1 items, 8 B' asked
exec 3>&-
wait

# ---- against another reader of JSON, on real data ----

codes=/usr/share/iso-codes/json/iso_639-3.json
if [ -r $codes ] && command -v jq >/dev/null; then
    jq -c '."639-3"[]' $codes >want
    mapsplit -p '$Input["639-3"]' --original=o $codes >got
    ok 'the languages of ISO 639-3, as jq gives them' cmp want got
    same 'and nothing is left of the document' "$(wc -l <want | tr -d ' ')" \
        "$(jq '."fragment.count" | select(. > 7000)' o)"
    jq -c '."639-3"[0] | to_entries[] | {Key: .key, Value: .value}' $codes >want
    mapsplit -p '$Input["639-3"][0]' $codes >got
    ok 'the members of an object, as jq gives them' cmp want got
else
    skip 'the languages of ISO 639-3' 'needs iso-codes and jq'
fi

# ---- memory ----

awk 'BEGIN { printf "["; for (i = 0; i < 1000000; i++)
    printf "%s{\"id\":%d,\"name\":\"user %d\",\"x\":[1,2,{\"y\":null}]}", i ? "," : "", i, i
    print "]" }' >large.json
kib=$(peak mapsplit large.json)
ok "a large array takes little memory ($kib KiB)" test "$kib" -lt 32768
rm large.json

done_testing
