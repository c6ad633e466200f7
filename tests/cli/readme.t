#!/bin/sh
# The examples of the README are run, and what they print is what stands there: all but those that run
# something beside them, whose output comes when it likes, and the tunnels (tests/fault/tunnel-readme.t).
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/examples.sh"

# Indented blocks, each ended by a line of one blank, without those that have a command in the background.
awk '/^## Over several machines/ { exit }
     /^    / { block = block substr($0, 5) "\n"; beside = beside || /^    \$ .* &( *#.*)?$/; next }
     block { if (!beside) printf "%s \n", block; block = ""; beside = 0 }' "$ROOT/README.md" >"$tap_home/blocks"
page=README
FANLINE_STORE=sqlite:signals.db
export FANLINE_STORE
ok 'there is something to run' [ "$(grep -c '^\$ ' "$tap_home/blocks")" -gt 15 ]
run_page
done_testing
