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

done_testing
