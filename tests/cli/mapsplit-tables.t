#!/bin/sh
# mapsplit on tables: the dialects, what is done about headers and rows that do not fit, types,
# encodings.
. "$(dirname "$0")/lib.sh"

# table TEXT ARG...: a split of TEXT, in which printf's escapes count.
table()
{
    # shellcheck disable=SC2059 # on purpose
    printf "$1" >table.csv
    shift
    mapsplit -f csv "$@" table.csv
}

# ---- rows of another length ----

ragged='a,b\n1\n2,3,4\n5,6\n'
check_err 'a ragged row ends the split' 1 ':2:1 \(byte 4, item 1\): the record has 1 field' \
    table "$ragged"
check '--ragged=pad: missing fields are empty, surplus ones named by their number' 0 \
    '{"a":"1","b":""}
{"a":"2","b":"3","3":"4"}
{"a":"5","b":"6"}' table "$ragged" --ragged=pad
check 'and not as a column is named' 0 '{"3":"x","b":"y","3_2":"z","4":"w"}' \
    table '3,b\nx,y,z,w\n' --ragged=pad
check '--ragged=cut: surplus fields are dropped' 0 '{"a":"1","b":""}
{"a":"2","b":"3"}
{"a":"5","b":"6"}' table "$ragged" --ragged=cut
check '--ragged=divert: put aside, the others go on' 1 '{"a":"5","b":"6"}' \
    table "$ragged" --ragged=divert --rejects=bad
check_file 'byte for byte' bad '1
2,3,4'
table "$ragged" --ragged=divert -q >/dev/null 2>err
check_file 'without a file for them to standard error' err '1
2,3,4
mapsplit: 2 of 3 lines were rejected'
check_err 'each with a word' 1 ':3:1 \(byte 6, item 2\): the record has 3 fields, but there are 2' \
    table "$ragged" --ragged=divert
check_err 'but other faults end it' 1 '^mapsplit: table.csv:2:4' \
    table 'a,b\n"1"x,2\n' --ragged=divert
check_err 'no effect on JSON' 2 'ragged has no effect on the format json' \
    mapsplit -f json --ragged=pad x

# ---- headers ----

check '--dedupe-header: numbers that no other column has' 0 \
    '{"a":"1","a_2":"2","a_3":"3","4":"4"}' table 'a,a_2,a,\n1,2,3,4\n' --dedupe-header
check 'a, a_2' 0 '{"a":"1","a_2":"2","3":"3"}' table 'a,a,\n1,2,3\n' --dedupe-header
check '--empty-names' 0 '{"H1":"x","":"y"}' table 'H1,\nx,y\n' --empty-names
check_err 'but no two of them' 1 'columns 1 and 2 have no name' table ',\nx,y\n' --empty-names
check 'for names that are given too' 0 '{"a":"1","a_2":"2"}' \
    table '1,2\n' --csv-headers=a,a --dedupe-header
check_err 'the header does not help itself' 1 'both named "a" \(see --dedupe-header\)' \
    table 'a,a\n1,2\n'

# ---- types ----

check 'types, column by column; digits stay' 0 \
    '{"id":12345678901234567890,"x":1.10,"ok":true,"doc":{"a":[1.0]},"zip":"00123"}' \
    table 'id,x,ok,doc,zip\n12345678901234567890,1.10,TRUE,"{ ""a"": [1.0] }",00123\n' \
    --types=id:int,x:number --types=ok:bool,doc:json
check_err 'a value that does not fit, and its place' 1 \
    '^mapsplit: table.csv:3:3 \(byte 10, item 2\): column "n": '"'007'"' is no canonical integer' \
    table 'a,n\nx,7\ny,007\n' --types=n:int
check 'or put aside' 1 '{"a":"x","n":7}' table 'a,n\nx,7\ny,007\n' --types=n:int --rejects=bad
check_file 'as it came' bad 'y,007'
check_err 'within a quoted field' 1 ':2:4 \(byte 9, item 1\): .*no JSON number' \
    table 'a,"n"\n1,"x"\n' --types=n:number
check 'a field that may be empty' 0 '{"n":null}
{"n":1}' table 'n\n""\n1\n' '--types=n:int?'
check_err 'an empty field is no integer' 1 "'' is no canonical integer" table 'n,m\n,1\n' --types=n:int
check_err 'nor is one that is padded' 1 'column "m": .* is no canonical integer' \
    table 'n,m\n1\n' --ragged=pad --types=m:int
check 'a padded one may be null' 0 '{"n":"1","m":null}' table 'n,m\n1\n' --ragged=pad '--types=m:int?'
check_err 'a column that is not there' 1 "^mapsplit: table.csv:1:1 .*--types: there is no column 'x'" \
    table 'a\n1\n' --types=x:int
check_err 'not in the names that are given either' 2 "there is no column 'x'" \
    table '1\n' --csv-headers=a --types=x:int
check_err 'a type that there is not' 2 "'a:float' is no NAME:TYPE" table 'a\n1\n' --types=a:float
check_err 'two types' 2 "the column 'a' has two types" table 'a\n1\n' --types=a:int,a:bool
check 'a name with a comma and a colon' 0 '{"a,b:c":1}' \
    table '"a,b:c"\n1\n' '--types="a,b:c:int"'
check_err 'a value that is JSON with white space between lines' 1 'is no JSON' \
    table 'a\n"{"\n' --types=a:json

# ---- the escapes of AWS ----

check 'a backslash escapes itself, a quote and the delimiter' 0 \
    '{"path":"C:\\dir\\a.exe","x":"p,q \"r\""}' table 'path,x\nC:\\\\dir\\\\a.exe,p\\,q \\"r\\"\n' --backslash
check 'and is dropped before anything else' 0 '{"a":"xyz"}' table 'a\nx\\yz\n' --backslash
check 'a quote written twice in an unquoted field' 0 '{"a":"{\"k\":\"v\"}"}' \
    table 'a\n{""k"":""v""}\n' --backslash
check 'without the option it is a character' 0 '{"a":"x\\yz"}' table 'a\nx\\yz\n'
check_err 'it cannot be the delimiter too' 2 "backslash can't be the delimiter" \
    table 'a\n' --backslash --delimiter='\'

# ---- encodings ----

check_err 'what is not UTF-8' 1 '^mapsplit: table.csv:2:1 \(byte 2, item 1\): invalid UTF-8' \
    table 'a\n\377\n'
check 'is Latin-1' 0 '{"a":"ÿé"}' table 'a\n\377\351\n' --encoding=latin1
check 'or replaced' 0 '{"a":"x��y","b":"é"}' table 'a,b\nx\377\376y,\303\251\n' --invalid=replace
check 'in lines too' 0 '"é"' sh -c "printf '\351\n' | mapsplit -f lines --encoding=latin1"
check 'names of columns too' 0 '{"é":"1"}' table '\351\n1\n' --encoding=latin1
check_err 'not both' 2 'every byte is valid' table 'a\n' --encoding=latin1 --invalid=replace
check_err 'JSON is UTF-8' 2 'encoding has no effect on the format json' \
    mapsplit -f json --encoding=latin1 x

# ---- records and what lies in them ----

check 'NUL in a field' 0 '{"a":"x\u0000y"}' table 'a\nx\0y\n'
check_err 'a record larger than the limit, and the quote that made it so' 1 \
    '^mapsplit: table.csv:3:3 \(byte 10, item 2\): .*longer than 9 bytes.*the quote that opens here' \
    table 'a,b\n1,2\n3,"456789\n7,8\n' --max-item-bytes=9
check 'rejected, and the rest goes on' 1 '{"a":"1","b":"2"}
{"a":"7","b":"8"}' table 'a,b\n1,2\n3,"456789\n7,8\n' --max-item-bytes=9 --rejects=bad

# Twelve texts as in the csv-spectrum suite of npm, in our own words.
check 'spectrum: commas in quotes' 0 '{"name":"Ada","at":"12 Low St., rear","zip":"08123"}' \
    table 'name,at,zip\nAda,"12 Low St., rear",08123'
check 'spectrum: empty quotes' 0 '{"a":"1","b":"","c":""}
{"a":"2","b":"3","c":"4"}' table 'a,b,c\n1,"",""\n2,3,4'
check 'spectrum: empty quotes, CRLF' 0 '{"a":"1","b":"","c":""}
{"a":"2","b":"3","c":"4"}' table 'a,b,c\r\n1,"",""\r\n2,3,4'
check 'spectrum: escaped quotes' 0 '{"a":"1","b":"so \"so\" so"}
{"a":"3","b":"4"}' table 'a,b\n1,"so ""so"" so"\n3,4\n'
check 'spectrum: JSON in a field' 0 '{"k":"1","v":"{\"t\": \"P\", \"c\": [2.0, 0.5]}"}' \
    table 'k,v\n1,"{""t"": ""P"", ""c"": [2.0, 0.5]}"\n'
check 'spectrum: bare quotes in an unquoted field' 0 '{"no":"7","at":"37°36'"'"'37.8\"N 121°2'"'"'W"}' \
    table 'no,at\n7,37\302\26036'"'"'37.8"N 121\302\2602'"'"'W'
check 'spectrum: newlines' 0 '{"a":"1","b":"2"}
{"a":"once upon \na time","b":"5"}' table 'a,b\n1,2\n"once upon \na time",5\n'
check 'spectrum: newlines, CRLF' 0 '{"a":"1","b":"2"}
{"a":"once upon \r\na time","b":"5"}' table 'a,b\r\n1,2\r\n"once upon \r\na time",5\r\n'
check 'spectrum: quotes and newlines' 0 '{"a":"1","b":"so \n\"so\" \nso"}
{"a":"3","b":"4"}' table 'a,b\n1,"so \n""so"" \nso"\n3,4\n'
check 'spectrum: simple' 0 '{"a":"1","b":"2"}' table 'a,b\n1,2\n'
check 'spectrum: simple, CRLF' 0 '{"a":"1","b":"2"}' table 'a,b\r\n1,2\r\n'
check 'spectrum: UTF-8' 0 '{"a":"1","b":"2"}
{"a":"4","b":"ʤ"}' table 'a,b\n1,2\n4,\312\244'

# The suite itself, if its unpacked folder is named.
spectrum=${FANLINE_TEST_CSV_SPECTRUM-}
if [ -d "$spectrum/csvs" ] && command -v jq >/dev/null; then
    for file in "$spectrum"/csvs/*.csv; do
        name=$(basename "$file" .csv)
        if [ "$name" = location_coordinates ]; then
            skip "csv-spectrum: $name" 'its JSON is of another table than its CSV'
            continue
        fi
        jq -cS '.[]' "$spectrum/json/$name.json" >want
        mapsplit "$file" | jq -cS . >got
        ok "csv-spectrum: $name" cmp want got
    done
else
    skip 'the csv-spectrum suite' 'name its unpacked npm package by FANLINE_TEST_CSV_SPECTRUM'
fi

# ---- with what else there is ----

check 'several tables, one header given' 0 '{"Index":0,"Source":"one.csv","Value":{"k":"1"}}
{"Index":1,"Source":"two.csv","Value":{"k":"2"}}' sh -c '
    echo 1 >one.csv; echo 2 >two.csv; mapsplit --context --csv-headers=k one.csv two.csv'
check '-n over several tables' 0 '{"a":"1"}
{"a":"2"}' sh -c "printf 'a\n1\n2\n3\n' >t.csv; mapsplit -n 2 t.csv t.csv"

done_testing
