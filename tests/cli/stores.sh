# shellcheck shell=sh disable=SC2034
# What tests of notify and wait have besides lib.sh: the stores that they run over.
#
#   each_store FUNCTION    runs it for SQLite and for Redis, with FANLINE_STORE set and $store naming the
#                          kind.  Redis is that of FANLINE_TEST_REDIS, or one of our own; without a
#                          redis-server it is skipped.  $me is part of every id, for Redis is shared.
#   start_redis NAME [OPTION...]   starts a server of our own; its URL in $redis_url, its pid in
#                          $redis_pid; its files and socket are in the folder NAME
#   start_redis_at_port NAME OPTION...   the same at a free port, which is put behind the last OPTION;
#                          it is in $redis_port
#   start_cluster          three servers of a cluster, in cluster1 to cluster3; $cluster_port is the
#                          first one's port, the others follow it
#   start_sentinels        a master "main" and a replica in master and replica, looked after by three
#                          sentinels; $sentinels has their hosts and ports for a URL
#   counted NAME ID N [OPTION...]   exactly N signals were there to take from ID (and they are taken)
# POSIX sh.

me=t$$

start_redis()
{
    redis_name=$1
    shift
    mkdir -p "$redis_name"
    redis=$("$ROOT/tests/redis-up" "$redis_name" "$@") || return 1
    redis_url=${redis% *} redis_pid=${redis##* }
    at_exit "'$ROOT/tests/redis-down' $redis_pid"
}

# Below the ports that the system gives to clients.
some_port()
{
    redis_port=$((11000 + $(od -An -N2 -tu2 /dev/urandom) % 10000))
}

start_redis_at_port()
{
    for redis_try in 1 2 3 4 5; do
        some_port
        start_redis "$@" "$redis_port" 2>redis-up.err && return
    done
    cat redis-up.err >&2
    return "$redis_try"
}

start_cluster()
{
    for cluster_try in 1 2 3 4 5; do
        some_port
        cluster_port=$redis_port cluster_pids=
        rm -rf cluster1 cluster2 cluster3
        for n in 1 2 3; do
            start_redis cluster$n --cluster-enabled yes --cluster-node-timeout 2000 \
                --port $((cluster_port + n - 1)) --repl-diskless-sync-delay 0 2>redis-up.err ||
                break
            cluster_pids="$cluster_pids $redis_pid"
        done
        [ "$(echo "$cluster_pids" | wc -w)" -eq 3 ] &&
            timeout 20 redis-cli --cluster create 127.0.0.1:$cluster_port 127.0.0.1:$((cluster_port + 1)) \
            127.0.0.1:$((cluster_port + 2)) --cluster-yes >cluster.log 2>&1 &&
            until_true 10 cluster_is_up 1 && until_true 10 cluster_is_up 2 &&
            until_true 10 cluster_is_up 3 && return
        # a port was taken, or a server of another test answered: the next try begins anew
        # shellcheck disable=SC2086 # several
        [ -z "$cluster_pids" ] || "$ROOT/tests/redis-down" $cluster_pids
    done
    cat redis-up.err cluster.log >&2
    return "$cluster_try"
}

cluster_is_up()
{
    redis-cli -s cluster"$1"/redis.sock cluster info | grep -q cluster_state:ok
}

start_sentinels()
{
    start_redis_at_port master --repl-diskless-sync-delay 0 --port
    master_port=$redis_port master_pid=$redis_pid
    start_redis_at_port replica --replicaof 127.0.0.1 "$master_port" --port
    sentinels=
    for n in 1 2 3; do
        some_port
        mkdir -p sentinel$n
        printf '%s\n' "port $redis_port" "bind 127.0.0.1" "dir $PWD/sentinel$n" \
            "sentinel monitor main 127.0.0.1 $master_port 2" \
            'sentinel down-after-milliseconds main 1000' 'sentinel failover-timeout main 3000' \
            >sentinel$n/conf
        redis-server sentinel$n/conf --sentinel >sentinel$n/log 2>&1 </dev/null &
        at_exit "kill $! 2>/dev/null"
        sentinels=$sentinels${sentinels:+,}127.0.0.1:$redis_port
        sentinel_port=$redis_port
    done
    until_true 20 sentinels_agree
}

# Do they know each other and the replica?
sentinels_agree()
{
    redis-cli -p "$sentinel_port" sentinel ckquorum main | grep -q '^OK 3' &&
        redis-cli -p "$sentinel_port" sentinel replicas main | grep -q ip
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
