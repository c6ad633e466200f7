#!/bin/sh
# JSONTestSuite's files of sure verdict, each as the document of $Input: y_ is taken, n_ is refused
# with its position.  The suite is not part of this project: FANLINE_JSON_SUITE names its folder.
. "$(dirname "$0")/lib.sh"

suite=${FANLINE_JSON_SUITE:-$ROOT/../shared/suites/json/test_parsing}
if [ ! -d "$suite" ]; then
    skip 'JSONTestSuite' "no folder $suite (name it by FANLINE_JSON_SUITE)"
    done_testing
fi

read_document()
{
    itemconstruct -i "$1" -t '{"d.$":"$Input"}' </dev/null
}

for file in "$suite"/y_*.json; do
    check "${file##*/}" 0 '' read_document "$file"
done
for file in "$suite"/n_*.json; do
    check_err "${file##*/}" 1 '^itemconstruct: .*:[0-9]+:[0-9]+ \(byte [0-9]+\): .' \
        read_document "$file"
done
same 'all 283 were there' 283 "$tap_count"
done_testing
