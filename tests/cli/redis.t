#!/bin/sh
# Redis in all its forms: users and databases, TLS, sentinels, a cluster; and what is told of it.
. "$(dirname "$0")/lib.sh"
. "$ROOT/tests/cli/stores.sh"
if ! command -v redis-server >/dev/null || ! command -v redis-cli >/dev/null; then
    skip 'Redis' 'redis-server is not installed'
    done_testing
fi

# counts NAME: signals that are sent over FANLINE_STORE can be taken there.
counts()
{
    seq -f "{\"id\":\"$me.$1.%.0f\"}" 200 >lines
    ok "$1: 200 signals" sh -c "notify -s '\${id}' <lines | cmp - lines"
    ok "$1: release their lines" \
        sh -c "fanline wait -x 5s -s '\${id}' <lines | sort >out && sort lines | cmp - out"
    notify --once a "$me.$1.once" && notify --once a "$me.$1.once"
    counted "$1: a key counts once" "$me.$1.once" 1
    fanline wait -x 10s --print "$me.$1.wake" >out 2>err &
    waiter=$!
    sleep 0.2
    notify --set x=1 "$me.$1.wake"
    wait $waiter
    check_file "$1: a waiter is woken" out '{"x":"1"}'
    check_file "$1: in silence" err ''
}

# ---- users, passwords, databases ----

start_redis acl
redis_cli()
{
    redis-cli -s acl/redis.sock "$@" >/dev/null
}
redis_cli acl setuser fan on '>pass@word/' '~fanline:*' '&fanline:*' '+@all' -config
redis_cli acl setuser poor on '>pw' '~fanline:*' '&fanline:*' '+@all' -evalsha -eval
FANLINE_STORE="redis+unix://fan:pass%40word%2f@$PWD/acl/redis.sock?db=2"
export FANLINE_STORE
counts 'a user with a password'
same 'nothing is in another database' 0 "$(redis-cli -s acl/redis.sock -n 0 dbsize)"
check_err 'a user who may not' 2 'NOPERM' notify --store="redis+unix://poor:pw@$PWD/acl/redis.sock" a
check_err 'a user who is not there' 2 'WRONGPASS' \
    notify --store="redis+unix://who:pw@$PWD/acl/redis.sock" a
redis_cli acl setuser deaf on '>pw' '~fanline:*' resetchannels '+@all'
deaf="redis+unix://deaf:pw@$PWD/acl/redis.sock?db=2"
check_err 'a user who may not publish' 2 "NOPERM|executing the script can't publish" notify --store="$deaf" "$me.deaf"
check_status '... counts nothing' 124 fanline wait -q -x 0 "$me.deaf"
redis-cli -s acl/redis.sock -n 2 set "fanline:{$me.3}" x >/dev/null
check_err 'a key that is no signal, among others' 2 'WRONGTYPE' \
    sh -c "seq -f '{\"id\":\"$me.%.0f\"}' 5 | notify -s '\${id}'"
check_status '... and none of the others is counted' 124 \
    sh -c "seq -f '{\"id\":\"$me.%.0f\"}' 2 | fanline wait -q -x 0 -s '\${id}' 2>/dev/null | grep . && exit 1; exit 124"

seq -f "{\"id\":\"$me.key%.0f\"}" 9 >keys
notify -s '${id}' <keys >passed
redis-cli -s acl/redis.sock -n 2 set "fanline:{$me.key5}" x >/dev/null
check_err 'wait is asked for such a key, among others' 2 'WRONGTYPE' sh -c "fanline wait -q -s '\${id}' <keys >/dev/null"
redis-cli -s acl/redis.sock -n 2 del "fanline:{$me.key5}" >/dev/null
check '... and none of the others is taken' 124 8 \
    sh -c "fanline wait -q -x 0 -s '\${id}' <keys 2>/dev/null >out; code=\$?; grep -c . out; exit \$code"

# ---- many ids are one call ----

seq -f "{\"id\":\"$me.many%.0f\"}" 1000 >many
redis_cli config resetstat
notify -s '${id}' -B 500 <many | fanline wait -x 30s -s '${id}' | sort >out
check 'a thousand lines of as many ids are released' 0 '' sh -c 'sort many | cmp - out'
calls=$(redis-cli -s acl/redis.sock info commandstats | sed -n 's/^cmdstat_evalsha:calls=\([0-9]*\),.*/\1/p')
ok "... in few calls of scripts: $calls" [ "$calls" -lt 300 ]

# ---- what endangers signals is told, once ----

FANLINE_STORE=$redis_url
redis_cli config set maxmemory 500mb
redis_cli config set maxmemory-policy allkeys-lru
check_err 'a server that evicts' 0 '^notify: .*evicts .*allkeys-lru' notify a
check_err 'wait tells it too' 0 '^wait: .*evicts .*allkeys-lru' fanline wait -x 0 a
seq 1000 | notify -B 10 -s many 2>err >/dev/null
same '... once' 1 "$(grep -c evicts err)"
check_status '... and not with -q' 1 sh -c 'notify -q a 2>&1 | grep evicts'
redis_cli config set maxmemory-policy noeviction
redis_cli config set save ''
check_err 'a server that keeps nothing' 0 'keeps nothing on disk' notify a
redis_cli config set appendonly yes
check 'a server that does' 0 '' sh -c 'notify a 2>&1'
kill "$redis_pid"

# ---- TLS ----

# Make certificates signed by CA: certify CA NAME SUBJECT-ALT-NAMES
certify()
{
    printf 'subjectAltName=%s\n' "$3" >"$2.ext"
    openssl req -newkey rsa:2048 -nodes -keyout "$2.key" -out "$2.csr" -subj "/CN=$2" 2>/dev/null &&
        openssl x509 -req -in "$2.csr" -CA "$1.pem" -CAkey "$1.key" -CAcreateserial -days 2 \
            -out "$2.pem" -extfile "$2.ext" 2>/dev/null
}

if ! command -v openssl >/dev/null; then
    skip 'TLS' 'openssl is not installed'
else
    for ca in ca other; do
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -keyout $ca.key -out $ca.pem \
            -subj "/CN=$ca" 2>/dev/null
    done
    certify ca server DNS:localhost,IP:127.0.0.1 && certify ca client DNS:client
    start_redis_at_port tls --port 0 --tls-cert-file "$PWD/server.pem" \
        --tls-key-file "$PWD/server.key" \
        --tls-ca-cert-file "$PWD/ca.pem" --tls-auth-clients no --tls-port
    FANLINE_STORE="rediss://localhost:$redis_port?ca=$PWD/ca.pem"
    counts 'TLS'
    counts_url="rediss://127.0.0.1:$redis_port"
    ok 'an address in the certificate' notify --store="$counts_url?ca=ca.pem" a
    check_err 'an authority that is not known' 2 'certificate of the server is refused' \
        notify --store="$counts_url" a
    check_err 'another authority' 2 'certificate of the server is refused' \
        notify --store="$counts_url?ca=other.pem" a
    check_err 'another name' 2 'refused: .*mismatch' \
        notify --store="rediss://127.0.0.2:$redis_port?ca=ca.pem" a
    ok 'a name that is expected' notify --store="rediss://127.0.0.2:$redis_port?ca=ca.pem&name=localhost" a
    ok 'SSL_CERT_FILE is heeded' env SSL_CERT_FILE="$PWD/ca.pem" notify --store="$counts_url" a
    check_err 'a list that is not there' 2 'nosuch.pem' notify --store="$counts_url?ca=nosuch.pem" a
    check_err 'no TLS where it is needed' 75 'closed|reset|no answer' \
        notify --store="redis://localhost:$redis_port" a
    redis-cli -s tls/redis.sock config set tls-auth-clients yes >/dev/null
    check_err 'a server that asks who we are' 2 'certificate required' \
        notify --store="$counts_url?ca=ca.pem" a
    ok 'and is told' notify --store="$counts_url?ca=ca.pem&cert=client.pem&key=client.key" a
    kill "$redis_pid"
fi

# ---- sentinels ----

start_sentinels
FANLINE_STORE=redis+sentinel://$sentinels/main
counts 'sentinels'
check_err 'a master that is not known' 2 'know no master' \
    notify --store="redis+sentinel://$sentinels/other" a
ok 'a sentinel that is away does not matter' \
    notify --store="redis+sentinel://127.0.0.1:1,$sentinels/main" a

# ---- a cluster ----

if ! start_cluster; then
    ok 'a cluster starts' false
    done_testing
    exit
fi
FANLINE_STORE=redis+cluster://127.0.0.1:$cluster_port
counts 'a cluster'
ok 'signals are spread over all servers' sh -c "
    for n in 1 2 3; do redis-cli -s cluster\$n/redis.sock dbsize; done >sizes; ! grep -qx 0 sizes"
check_err 'a cluster has one database' 2 'only one' notify --store="$FANLINE_STORE/3" a

done_testing
