# shellcheck shell=sh disable=SC2034
# What fault tests have besides lib.sh: a Redis that keeps its data, and can die.
#
#   needs_redis TESTS      skips the tests of that name where there is no redis-server
#   durable_redis          starts a server; FANLINE_STORE is its URL
#   restart_redis SECONDS  kills it with -9, and starts it again after so long
#   redis_cli ARG...
#   proxy RULE...          starts proxy.c in front of the Redis; its store URL is in $proxy_url, its pid
#                          in $proxy_pid, what it says in the file proxy.out
# POSIX sh.

. "$(dirname "$0")/../cli/lib.sh"
. "$ROOT/tests/cli/stores.sh"

needs_redis()
{
    if ! command -v redis-server >/dev/null || ! command -v redis-cli >/dev/null; then
        skip "$1" 'redis-server is not installed'
        done_testing
    fi
}

durable_redis()
{
    start_redis redis --appendonly yes
    at_exit "kill -9 $redis_pid 2>/dev/null"
    FANLINE_STORE=$redis_url
    export FANLINE_STORE
}

restart_redis()
{
    kill -9 "$redis_pid"
    sleep "$1"
    redis=$("$ROOT/tests/redis-up" redis --appendonly yes) || return 1
    redis_pid=${redis##* }
    at_exit "kill -9 $redis_pid 2>/dev/null"
}

redis_cli()
{
    redis-cli -s redis/redis.sock "$@"
}

proxy()
{
    rm -f proxy.out
    "$FANLINE_BIN/../fault/proxy" "$PWD/redis/redis.sock" "$@" >proxy.out &
    proxy_pid=$!
    at_exit "kill $proxy_pid 2>/dev/null"
    until_true 5 test -s proxy.out
    proxy_url=redis://127.0.0.1:$(sed -n 1p proxy.out)
}
