#!/bin/sh
# What the README says of tunnels: its commands are run as they stand, by the shell, and print what it
# says that they print.  The command for "each of three machines" is run three times.
. "$(dirname "$0")/tunnel.sh"
if ! command -v jq >/dev/null; then
    skip 'the README' 'jq is not installed'
    done_testing
fi
durable_redis
FANLINE_HEARTBEAT_INTERVAL=300ms FANLINE_HEARTBEAT_TIMEOUT=10s
export FANLINE_HEARTBEAT_INTERVAL FANLINE_HEARTBEAT_TIMEOUT

sed -n '/^## Over several machines/,/^## [^O]/s/^    //p' "$ROOT/README.md" >section
# Only lines behind an output are output; a file that is shown is made.
sed -n '/^\$ cat job.json/{n;p;}' section >job.json
printf '#!/bin/sh\n%s\n' "$(sed -n 's/^(`.\/work` is `\(.*\)` here.*/\1/p' "$ROOT/README.md")" >work
chmod +x work
grep -v '^\$ ' section >expected
sed -n 's/^\$ //p' section | grep -v '^export FANLINE_STORE=' |
    awk '/^tunnelget jobs/ { for (i = 0; i < 3; i++) print $0 "\necho $! >>workers"; next } { print }' >script
ok 'there is something to run' [ "$(wc -l <script)" -gt 10 ]
timeout 120 sh script >got 2>err
same 'the commands end well' 0 $?
check_file 'they print what the README says' got "$(cat expected)"
same 'without a word' '' "$(cat err)"
for worker in $(cat workers); do
    kill "$worker"
done
ok 'the workers leave' until_true 20 holds jobs ''
rules_hold jobs
rules_hold 'done'
done_testing
