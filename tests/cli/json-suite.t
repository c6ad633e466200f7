#!/bin/sh
# JSONTestSuite, where it lies beside the checkout (or FANLINE_JSON_SUITE says where it is): every
# y_ file is taken, every n_ file is refused as bad data, and of an i_ file the verdict is one of
# the two.  Its files are not part of this project.
. "$(dirname "$0")/lib.sh"

suite=${FANLINE_JSON_SUITE:-$ROOT/../shared/suites/json}
[ -d "$suite/test_parsing" ] && suite=$suite/test_parsing
if ! ls "$suite"/y_*.json >/dev/null 2>&1; then
    skip 'JSONTestSuite' "no files in $suite"
    done_testing
fi

# An array or an object is a document; the few files with another value are a line of their own.
# A file without any text is an empty data set, and refused only with --require-items.
verdict()
{
    mapsplit -f json -p '$' ${2+"$2"} "$1" >out 2>err
    status=$?
    if [ $status = 1 ] && grep -q 'only come from an array or an object' err; then
        mapsplit -f jsonl "$1" >out 2>err
        status=$?
    fi
    case $status in
    0) echo taken ;;
    1) echo refused ;;
    *) echo "exit status $status" ;;
    esac
}

count=0
for file in "$suite"/[yni]_*.json; do
    name=${file##*/}
    case $name in
    n_*) got=$(verdict "$file" --require-items) ;;
    *) got=$(verdict "$file") ;;
    esac
    case $name,$got in
    y_*,taken | n_*,refused | i_*,taken | i_*,refused) ;;
    *) ok "$name: $got" false ;;
    esac
    count=$((count + 1))
done
ok "$count files" test "$count" -ge 318
done_testing
