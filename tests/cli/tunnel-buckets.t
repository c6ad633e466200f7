#!/bin/sh
# Base channels of objects in buckets: tunnelctl create --base=s3://..., oss://..., and clients that
# read them, against tests/stub/s3stub.

# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/stub/stub.sh
. "$ROOT/tests/stub/stub.sh"
# shellcheck source=tests/cli/stores.sh
. "$ROOT/tests/cli/stores.sh"
if ! command -v redis-server >/dev/null; then
    skip 'tunnels over buckets' 'redis-server is not installed'
    done_testing
fi
start_redis redis
FANLINE_STORE=$redis_url
FANLINE_HEARTBEAT_INTERVAL=150ms FANLINE_HEARTBEAT_TIMEOUT=900ms FANLINE_CHECKPOINT_INTERVAL=50ms
export FANLINE_STORE FANLINE_HEARTBEAT_INTERVAL FANLINE_HEARTBEAT_TIMEOUT FANLINE_CHECKPOINT_INTERVAL

member()
{
    sed -n "1s/.*\"$1\":\"\{0,1\}\([^,\"}]*\).*/\1/p"
}

put()
{
    object put "$1" >/dev/null
}

# 3000 lines of three objects: plain and cut in ranges, without a last newline and with a blank line,
# packed with a line longer than what is read at once.
seq 1 2000 | sed 's/.*/{"b":&}/' | put s3://data/one.jsonl
{
    seq 2001 2499 | sed 's/.*/{"b":&}/'
    printf '\n{"b":2500}'
} | put 'oss://data/odd name+%.jsonl'
{
    seq 2501 2999 | sed 's/.*/{"b":&}/'
    printf '{"b":3000,"long":"%0300000d"}\n' 0
} | gzip | put s3://data/three.gz
: | put s3://data/empty

check 'a tunnel over objects' 0 '' tunnelctl create b --type=base --base=s3://data/one.jsonl \
    --base='oss://data/odd name+%.jsonl' --base=s3://data/three.gz --base=s3://data/empty \
    --base-range=5000
# 2000 lines are 9 * 8 + 90 * 9 + 900 * 10 + 1001 * 11 = 20893 bytes, 500 are 499 * 11 + 1 + 10 = 5500.
same '... cut in ranges, but for what is packed' 8 "$(tunnelctl describe b | member channels)"
check_status 'they are read' 0 sh -c 'timeout 60 tunnelget -n 100 b >out 2>err'
same '... without a word' '' "$(cat err)"
same '... each line once' 3000 "$(wc -l <out)"
seq 3000 >expected
same '... all of them' "$(cat expected)" "$(sed 's/{"b":\([0-9]*\).*/\1/' out | sort -n)"
same '... the long one whole' 300000 "$(sed -n 's/.*"long":"\(0*\)".*/\1/p' out | tr -d '\n' | wc -c)"
check 'and no more: it is done' 0 '' timeout 60 tunnelget b

# A checkpoint is a place in the object: what was delivered is not asked for again.
tunnelctl create k --type=base --base=s3://data/one.jsonl --base=s3://data/three.gz
tunnelget -n 10 -j 1 k sh -c 'cat; sleep 0.02' >some 2>err &
client=$!
at_exit "kill $client 2>/dev/null"
in_the_middle()
{
    [ "$(wc -l <some)" -gt 300 ]
}
ok 'a client in the middle' until_true 20 in_the_middle
kill $client
wait $client
same '... that is asked to leave' 0 $?
requests >before
check_status '... and another that goes on' 0 sh -c 'timeout 60 tunnelget -n 100 k >rest'
same '... no line is lost or doubled' "$(sed '2001,2500d' expected)" \
    "$(sed 's/{"b":\([0-9]*\).*/\1/' some rest | sort -n)"

# What is not there, has changed, or cannot be told from another.
check_err 'no such object' 1 'there is no s3://data/no' tunnelctl create x --type=base --base=s3://data/no
check_err 'a bucket is no object' 2 'is a bucket' tunnelctl create x --type=base --base=s3://data
echo '[1]' | put s3://web/list.json
check_err 'a page of the web is none' 2 'it is a web address' \
    tunnelctl create x --type=base --base="$web/list.json"
tunnelctl create c --type=base --base=s3://data/one.jsonl
echo '{"b":0}' | put s3://data/one.jsonl
tunnelget c >out 2>err &
client=$!
ok 'an object that has changed' until_true 20 grep -q 'stuck: source changed: s3://data/one.jsonl' err
kill $client
wait $client
same '... delivers nothing' '' "$(cat out)"
seq 1 2000 | sed 's/.*/{"b":&}/' | put s3://data/one.jsonl
check_status 'the same bytes again are the same object' 0 sh -c 'timeout 60 tunnelget c >out'
same '... and all is delivered' 2000 "$(wc -l <out)"

# A server that says nothing for longer than a lease does not hold up the heartbeats.
tunnelctl create s --type=base --base=s3://data/one.jsonl
fault 'GET one.jsonl stall 6000'
check_status 'a server falls silent' 0 \
    sh -c 'FANLINE_NET_TIMEOUT=2s timeout 60 tunnelget s >out 2>err'
same '... nobody connects anew' '' "$(grep 'connecting anew' err)"
same '... and all is delivered once' '2000 2000' "$(sort -u out | wc -l) $(wc -l <out)"

# Objects that break off, and more of them than are read at a time.
tunnelctl create broken --type=base --base=s3://data/one.jsonl
fault 'GET one.jsonl truncate 10000' 'GET one.jsonl close'
check_status 'a connection that breaks goes on' 0 sh -c 'timeout 60 tunnelget broken >out'
same '... and all is delivered once' '2000 2000' "$(sort -u out | wc -l) $(wc -l <out)"
set --
for n in $(seq 40); do
    echo "$n" | put "s3://data/many/$n"
    set -- "$@" --base="s3://data/many/$n"
done
tunnelctl create many --type=base "$@"
check 'forty objects' 0 "$(seq 40)" sh -c 'timeout 60 tunnelget many | sort -n'

# Killed, a client leaves no helper behind.
tunnelctl create d --type=base --base=s3://data/one.jsonl
fault 'GET one.jsonl stall 6000'
tunnelget d >out 2>err &
client=$!
helpers()
{
    pgrep -P $client fanline-helper >helper
}
ok 'a helper reads' until_true 5 helpers
kill -9 $client
wait $client 2>err
gone()
{
    ! kill -0 "$(cat helper)" 2>err
}
ok '... and ends with its client' until_true 5 gone

# Buckets that are folders: their files are told apart by size, inode and date.
mkdir -p root/data
seq 1 2000 | sed 's/.*/{"b":&}/' >root/data/one.jsonl
seq 2001 3000 | sed 's/.*/{"b":&}/' | gzip >root/data/two.gz
FANLINE_BUCKET_ROOT=$PWD/root
export FANLINE_BUCKET_ROOT
tunnelctl create r --type=base --base=s3://data/one.jsonl --base=oss://data/two.gz --base-range=5000
same 'folders for buckets: cut in ranges' 6 "$(tunnelctl describe r | member channels)"
tunnelget -n 10 -j 1 r sh -c 'cat; sleep 0.02' >some 2>err &
client=$!
at_exit "kill $client 2>/dev/null"
ok '... they are read' until_true 20 in_the_middle
kill $client
wait $client
check_status '... and read on by another client' 0 sh -c 'timeout 60 tunnelget -n 100 r >rest'
same '... each line once' "$(seq 3000)" "$(sed 's/{"b":\([0-9]*\).*/\1/' some rest | sort -n)"
tunnelctl create y --type=base --base=s3://data/one.jsonl
cp root/data/one.jsonl new && mv new root/data/one.jsonl
tunnelget y >out 2>err &
client=$!
at_exit "kill $client 2>/dev/null"
ok '... another file is another object' until_true 20 \
    grep -q 'stuck: source changed: s3://data/one.jsonl' err
kill $client
wait $client
same '... of which nothing is delivered' '' "$(cat out)"
check_err '... none is none' 1 'there is no s3://data/none' tunnelctl create z --type=base --base=s3://data/none
done_testing
