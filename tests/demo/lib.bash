# shellcheck shell=bash
# What both demos share: a scratch folder, the programs first in PATH, and `run`, which prints
# lines and then runs them.  What they print appears as comments: so the whole of a demo's output
# can be pasted into a shell, or any part of it.

set -euo pipefail
export LC_ALL=C
bin=${FANLINE_BIN:-$(dirname "${BASH_SOURCE[0]}")/../../build/release/bin}
bin=$(cd "$bin" && pwd -P)
PATH=$bin:$PATH
exec 3>&1
output=$(mktemp)
scratch=
waiter=
clean_up()
{
    status=$?
    [ $status = 0 ] || show_output
    # Released, the one who waits ends by itself.
    [ -z "$waiter" ] || notify "$RUN.done" || true
    cd / && rm -rf "$output" ${scratch:+"$scratch"}
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 141' PIPE
trap 'exit 143' TERM

show_output()
{
    sed 's/^/#> /' "$output" >&3
    : >"$output"
}

say()
{
    printf '\n# %s\n' "$@"
}

# run <<'EOF' ... EOF: text that is shown and then run here, variables and all.
run()
{
    local text
    text=$(cat)
    printf '%s\n' "$text"
    eval "$text" >"$output" 2>&1
    show_output
}

# same WHAT A B: numbers that must agree for the demo to succeed.
same()
{
    if [ "$2" != "$3" ]; then
        printf 'demo failed: %s: %s and %s\n' "$1" "$2" "$3" >&2
        exit 1
    fi
    printf '# %s: %s, as it should be\n' "$1" "$2"
}

run <<EOF
PATH=$bin:\$PATH
cd "\$(mktemp -d)"
EOF
scratch=$PWD
