# shellcheck shell=sh disable=SC2034
# What tests of notify and wait have besides lib.sh: the stores that they run over.
#
#   each_store FUNCTION    runs it for SQLite and for Redis, with FANLINE_STORE set and $store naming the
#                          kind.  Redis is that of FANLINE_TEST_REDIS, or one of our own; without a
#                          redis-server it is skipped.  $me is part of every id, for Redis is shared.
#   start_redis NAME       starts a server of our own; its URL in $redis_url, its pid in $redis_pid
#   counted NAME ID N [OPTION...]   exactly N signals were there to take from ID (and they are taken)
# POSIX sh.

me=t$$

start_redis()
{
    mkdir -p "$1"
    redis=$("$ROOT/tests/redis-up" "$1") || return 1
    redis_url=${redis% *} redis_pid=${redis##* }
    at_exit "kill $redis_pid 2>/dev/null"
}

each_store()
{
    store=SQLite
    FANLINE_STORE=sqlite:$PWD/store.db
    export FANLINE_STORE
    "$1"
    store=Redis
    if [ -n "${FANLINE_TEST_REDIS-}" ]; then
        FANLINE_STORE=$FANLINE_TEST_REDIS
    elif ! command -v redis-server >/dev/null; then
        skip "$1 over Redis" 'redis-server is not installed'
        return
    else
        [ -n "${own_redis-}" ] || { start_redis redis && own_redis=$redis_url; }
        FANLINE_STORE=$own_redis
    fi
    "$1"
}

counted()
{
    counted_name=$1 counted_id=$2 counted_n=$3
    shift 3
    check_status "$counted_name: at least $counted_n" 0 \
        fanline wait -q -x 0 -n "$counted_n" "$@" "$counted_id"
    check_status "$counted_name: and no more" 124 fanline wait -x 0 "$@" "$counted_id"
}
