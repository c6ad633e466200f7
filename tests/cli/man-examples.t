#!/bin/sh
# The EXAMPLES and the TUTORIAL of the manual pages are run, and what they print is what stands there.
#
# Literal blocks without a line `$ COMMAND` are not run.  Each page has a folder of its own, and its
# commands one shell.  Where a page names a Redis of its own invention, there is one for it; without a
# redis-server such a page is skipped.
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"
. "$ROOT/tests/cli/examples.sh"

# The literal blocks of examples in page $1, as text; a line with one blank ends each.
blocks()
{
    awk '/^\.Sh / { on = $2 == "EXAMPLES" || $2 == "TUTORIAL" }
         on && /^\.Bd -literal/ { block = 1; next }
         on && /^\.Ed/ { block = 0; print " "; next }
         on && block { print }' "$1" |
        sed -e 's/^\\&//' -e "s/\\\\(aq/'/g" -e 's/\\(dq/"/g' -e 's/\\(ha/^/g' -e 's/\\(ti/~/g' \
            -e 's/\\-/-/g' -e 's/\\e/\\/g'
}

FANLINE_STORE=sqlite:signals.db
for file in "$ROOT"/man/*.[1-8]; do
    page=${file##*/}
    mkdir "$page.d" && cd "$page.d" || exit 1
    export FANLINE_STORE
    blocks "$file" >"$tap_home/blocks"
    if ! grep -q '^\$ export FANLINE_STORE=redis://' "$tap_home/blocks"; then
        run_page
    elif command -v redis-server >/dev/null; then
        start_redis redis
        sed "s|^\(\$ export FANLINE_STORE=\)redis://.*|\1$redis_url|" "$tap_home/blocks" >"$tap_home/own"
        mv "$tap_home/own" "$tap_home/blocks"
        run_page
    else
        skip "$page" 'redis-server is not installed'
    fi
    FANLINE_STORE=sqlite:signals.db
    cd ..
done
done_testing
