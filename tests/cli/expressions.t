#!/bin/sh
# The examples of fanline-expressions(7) give what they say: each line `.Dl EXPR \(-> VALUE` for the line
# of attributes that stands above them in the page.

. "$(dirname "$0")/lib.sh"

# The text of man page lines.
plain()
{
    sed -e "s/\\\\(aq/'/g" -e 's/\\(dq/"/g' -e 's/\\(ss/ß/g' -e 's/\\e/\\/g'
}

page=$ROOT/man/fanline-expressions.7
sed -n '/^The examples below/,/^\.Ed/p' "$page" | sed -n '/^[ {]/p' | plain | tr -d '\n' >line
echo >>line
ok 'the page has a line of attributes' grep -q '^{.*}$' line
sed -n 's/^\.Dl \(\${.* \\(-> .*\)$/\1/p' "$page" | plain >examples
ok 'the page has examples' [ "$(wc -l <examples)" -ge 50 ]
while IFS= read -r example; do
    expr=${example%% '\(-> '*}
    check "$expr" 0 "\"$(printf '%s' "${example#*'\(-> '}" | sed 's/[\"]/\\&/g')\"" \
        sh -c 'evalexpr --attributes -- "$1" <line' sh "$expr"
done <examples

# Options without effect are errors.
echo '{}' >nothing.json
for filter in "itemconstruct -t {}" "evalexpr 1" "batcher -n 1" "batcher -n 1 --batch-input={}"; do
    check_err "$filter: --input" 2 'input has no effect' $filter -i nothing.json
done
for filter in "itemconstruct -t {}" "evalexpr 1"; do
    check_err "$filter: --context" 2 'context has no effect' $filter --context=nothing.json
done

# Of a long expression the part is shown in which the fault lies.
check_err 'a long expression' 2 "expression '[.]{3}1[,1]*[?][,2]*[.]{3}': .* at character 602$" \
    evalexpr "[$(printf '1,%.0s' $(seq 300))?$(printf ',2%.0s' $(seq 300))]"

done_testing
