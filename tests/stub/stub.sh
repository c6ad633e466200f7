# shellcheck shell=sh disable=SC2154,SC2100
# An object store for a test, after tests/cli/lib.sh:
#
#   . "$ROOT/tests/stub/stub.sh"
#
# starts tests/stub/s3stub in $stub, on port $stub_port, and stops it at exit.  s3:// (path style),
# oss:// (virtual-hosted, as OSS wants it) and $web, an address whose files need no signature, lead there.
#
#   fault LINE...     what is to go wrong next: see s3stub
#   requests          the requests since the last call, a line each: METHOD TARGET STATUS
#   object ARG...     tests/stub/object.c, to put things there
#
# POSIX sh.

for stub_name in $(env | sed -n 's/^\(AWS_[A-Z0-9_]*\)=.*/\1/p; s/^\(OSS_[A-Z0-9_]*\)=.*/\1/p'); do
    unset "$stub_name"
done
unset http_proxy https_proxy all_proxy HTTP_PROXY HTTPS_PROXY ALL_PROXY
PATH=${FANLINE_BIN%/*}/stub:$PATH

stub=$tap_home/stub
mkdir "$stub"
"$ROOT/tests/stub/s3stub" "$stub" >"$stub/port" 2>"$stub/errors" &
stub_pid=$!
at_exit "kill $stub_pid"
if ! until_true 10 test -s "$stub/port"; then
    echo 'Bail out! the stub of an object store did not start'
    cat "$stub/errors"
    exit 1
fi
stub_port=$(cat "$stub/port")
: >"$stub/log"
: >"$stub/faults"

AWS_ACCESS_KEY_ID=STUBKEY
AWS_SECRET_ACCESS_KEY=stub/Secret+Key=
AWS_REGION=stub-1
AWS_ENDPOINT_URL=http://127.0.0.1:$stub_port
OSS_ACCESS_KEY_ID=STUBKEY
OSS_ACCESS_KEY_SECRET=stub/Secret+Key=
OSS_REGION=cn-a
OSS_ENDPOINT=http://oss-cn-a.test.localhost:$stub_port
# shellcheck disable=SC2034 # for the tests
web=http://127.0.0.1:$stub_port/web
export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_REGION AWS_ENDPOINT_URL
export OSS_ACCESS_KEY_ID OSS_ACCESS_KEY_SECRET OSS_REGION OSS_ENDPOINT

fault()
{
    printf '%s\n' "$@" >"$stub/faults"
}

requests()
{
    cut -d' ' -f1,3,4 "$stub/log"
    : >"$stub/log"
}
