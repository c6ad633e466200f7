#!/bin/sh
# itemconstruct: a template, expressions in it, and what moves leaves with its very bytes.
. "$(dirname "$0")/lib.sh"

keys='{"Key":1}
{"Key":2}
{"Key":3}'
printf '%s\n' "$keys" >keys
printf '{"FailedValue":4,"o":{"p":[7,8.0]},"Items":[1,2,3]}' >input.json

# ---- templates ----

check 'the ItemConstructor of the service' 0 '{"InputKey":"value","ConstructedKey":1}
{"InputKey":"value","ConstructedKey":2}
{"InputKey":"value","ConstructedKey":3}' \
    itemconstruct -e 'InputKey="value"' -e 'ConstructedKey.$=$Item.Key' <keys
check 'values of the whole run in each item' 0 '{"FailedValue":4,"Key":1}
{"FailedValue":4,"Key":2}
{"FailedValue":4,"Key":3}' \
    itemconstruct -i input.json -t '{"FailedValue.$":"$Input.FailedValue","Key.$":"$Item.Key"}' <keys
printf '{"Key":1}\n' >one
check 'members leave in the order of the template' 0 '{"z":1,"a":1,"m":{"y":0,"b":1}}' \
    itemconstruct -t '{"z.$":"$Item.Key","a":1,"m":{"y":0,"b.$":"$Item.Key"}}' <one
check 'sorted at every depth' 0 '{"a":1,"m":{"b":1,"y":0},"z":1}' \
    itemconstruct --sort-keys -t '{"z.$":"$Item.Key","a":1,"m":{"y":0,"b.$":"$Item.Key"}}' <one
printf '{\n  "a.$": "$Item.Key"\n}\n' >template
check 'a template from a file' 0 '{"a":1}' itemconstruct -t @template <one
check 'the item alone' 0 '{"v":{"Key":1}}' itemconstruct -t '{"v.$":"$Item"}' <one
check 'expressions in arrays, literals that only look like some' 0 \
    '[{"a":1},{"a":"$Item.Key"},"$Item"]' \
    itemconstruct -t '[{"a.$":"$Item.Key"},{"a":"$Item.Key"},"$Item"]' <one
check 'the spellings of the States Language' 0 '{"a":8.0,"i":0}' \
    itemconstruct -i input.json -t '{"a.$":"$.o.p[1]","i.$":"$$.Item.Index"}' <one
check 'the index counts from 0, blank lines not' 0 '{"i":0,"v":"a"}
{"i":1,"v":"b"}' \
    sh -c 'printf "\n\"a\"\n\n\"b\"" | itemconstruct -e "i.$=\$Context.Item.Index" -e "v.$=\$Item"'
check 'key and value of a split object' 0 '{"code":"aar","name":"Afar"}' \
    sh -c 'echo "{\"Key\":\"aar\",\"Value\":{\"name\":\"Afar\"}}" |
        itemconstruct -e "code.$=\$Context.Item.Key" -e "name.$=\$Context.Item.Value.name"'
check 'what mapsplit --context wraps' 0 '{"i":7,"s":"f","x":1}' \
    sh -c 'echo "{\"Index\":7,\"Source\":\"f\",\"Value\":{\"x\":1}}" |
        itemconstruct -e "i.$=\$Context.Item.Index" -e "s.$=\$Context.Item.Source" \
            -e "x.$=\$Context.Item.Value.x"'
printf '{"Execution":{"Name":"nightly","StartTime":"2026-01-02T03:04:05Z"},"Env":"test"}' >context
check 'the context from a file' 0 '{"n":"nightly","e":"test"}' \
    itemconstruct --context=context -e 'n.$=$Context.Execution.Name' -e 'e.$=$$.Env' <one
check 'the context of its own: one name for the whole run' 0 1 sh -c '
    itemconstruct -t "{\"n.$\":\"\$Context.Execution.Name\",\"t.$\":\"\$Context.Execution.StartTime\"}" <keys |
    grep -E "^\{\"n\":\"[0-9a-f-]{36}\",\"t\":\"[0-9]{4}-[0-9-]{5}T[0-9:]{8}\.[0-9]{3}Z\"\}$" |
    sort -u | wc -l | tr -d " "'

# ---- bytes ----

check 'numbers, escapes and duplicates as they came' 0 \
    '{"v":[123456789012345678901234567890,1.10,1e400,-0,"\ud800\u00e9\/",{"a":1,"a":2}]}' \
    sh -c 'printf "%s\n" "[123456789012345678901234567890, 1.10, 1e400, -0, \"\\ud800\\u00e9\\/\",
{\"a\":1,\"a\":2}]" | tr "\n" " " | itemconstruct -e "v.$=\$Item"'
check 'of two members with one name the last counts' 0 '{"a":2}' \
    sh -c 'echo "{\"a\":1,\"\\u0061\":2}" | itemconstruct -e "a.$=\$Item.a"'
check 'literals of the template too' 0 '{"n":1.0e5,"s":"\u0041\/","b":7}' \
    itemconstruct -t '{ "n" : 1.0e5 , "s" : "\u0041\/" , "b.$" : "$Input.o.p[0]" }' -i input.json <one
awk 'BEGIN { printf "{\"k\":"; for (i = 0; i < 10000; i++) printf "7"; print "}" }' >long
check 'a number of ten thousand digits' 0 "$(cat long)" itemconstruct -e 'k.$=$Item.k' <long
awk 'BEGIN { printf "{\""; for (i = 0; i < 1000000; i++) printf "k"; print "\":1,\"a\":[2]}" }' >longkey
check 'a name of a megabyte beside the one asked for' 0 '{"a":[2]}' \
    itemconstruct -e 'a.$=$Item.a' <longkey
check 'the megabyte name itself' 0 "$(cut -c -1000005 longkey)}" \
    sh -c 'key=$(cut -c 3-1000002 longkey)
        printf "{\"%s.\$\":\"\$Item.%s\"}" "$key" "$key" >long.template
        itemconstruct -t @long.template <longkey'

# ---- nowhere ----

for template in '{"a":1,"a.$":"$Item"}' '{"b":[{"a.$":"$Item","c":2,"\u0061":1}]}' '{".$":"$Item","":1}'; do
    check_err "two members of one name: $template" 2 'become two members of one name' \
        itemconstruct -t "$template"
done
check_err 'a path that leads nowhere' 1 \
    '^itemconstruct: standard input:2:1 \(byte 10, item 2\): there is no \$Item\.Key' \
    sh -c 'printf "{\"Key\":1}\n{\"key\":2}\n{\"Key\":3}\n" | itemconstruct -e "a.$=\$Item.Key"'
check 'everything before it is written' 1 '{"a":1}' \
    sh -c 'printf "{\"Key\":1}\n{\"key\":2}\n{\"Key\":3}\n" | itemconstruct -e "a.$=\$Item.Key"'
check 'null where it is asked for' 0 '{"a":1}
{"a":null}' \
    sh -c 'printf "{\"Key\":1}\n{\"key\":2}\n" | itemconstruct -e "a.$=\$Item.Key?"'
check 'such an item goes to the rejects' 1 '{"a":1}
{"a":3}' \
    sh -c 'printf "{\"Key\":1}\n {\"key\":2}\r\n{\"Key\":3}\n" | itemconstruct -e "a.$=\$Item.Key" --rejects=bad'
check_file 'byte for byte' bad "$(printf ' {"key":2}\r')"
check_err 'a path that leads nowhere in the document' 1 'input\.json: there is no \$Input\.x' \
    itemconstruct -i input.json -e 'a.$=$Input.x' <one
check 'null there too' 0 '{"a":null}' itemconstruct -i input.json -e 'a.$=$Input.x?' <one

# ---- documents ----

check_err 'a document that is no JSON' 1 '^itemconstruct: bad\.json:2:1 \(byte 7\): ' \
    sh -c 'printf "{\"a\":1\n;}" >bad.json; itemconstruct -i bad.json -e "a.$=\$Input.a" <one'
check_err 'a document that is cut short' 1 'bad\.json:1:7 \(byte 6\): the text ends' \
    sh -c 'printf "{\"a\":1" >bad.json; itemconstruct -i bad.json -e "a.$=\$Input.a" <one'
check_err 'a document that is not there' 1 'cannot open nothing\.json: No such file' \
    itemconstruct -i nothing.json -e 'a.$=$Input.a' <one
check_err 'a folder' 1 'cannot read \.: Is a directory' itemconstruct -i . -e 'a.$=$Input.a' <one
check 'a document from a pipe' 0 '{"a":4}' \
    sh -c 'cat input.json | itemconstruct -i /dev/fd/3 -e "a.$=\$Input.FailedValue" 3<&0 <one'
check_err 'a document is needed' 2 'names? its document by --input' \
    itemconstruct -e 'a.$=$Input.a' <one

# ---- usage ----

check_err 'no template' 2 'either --template or --entry' itemconstruct <one
check_err 'two kinds of template' 2 'either --template or --entry' \
    itemconstruct -t '{}' -e a=1 <one
check_err 'an entry without a value' 2 "entry 'a': NAME=VALUE expected" itemconstruct -e a <one
check_err 'a template that is no JSON' 2 'template:1:6 \(byte 5\): ' itemconstruct -t '{"a":x}' <one
check_err 'an expression that is none' 2 'at character 7' itemconstruct -e 'a.$=$Item..b' <one
check_err 'an expression that is no string' 2 'must be an expression in a string' \
    itemconstruct -t '{"a.$":5}' <one
check_err 'an operand' 2 "unexpected operand 'keys'" itemconstruct -t '{}' keys
check 'entries: JSON where it is, else text' 0 '{"n":1.10,"s":"a b","j":{"k":[null]},"z":"007","e":""}' \
    itemconstruct -e n=1.10 -e 's=a b' -e 'j={"k":[null]}' -e z=007 -e e= <one

check 'how an item is made' 0 'item 2: {"Key":2}
  $Item.Key = 2
  result: {"a":2}' \
    sh -c 'itemconstruct --explain=2 -e "a.$=\$Item.Key" <keys 2>&1 >/dev/null'
done_testing
