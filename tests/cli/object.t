#!/bin/sh
# lib/object against tests/stub/s3stub, which checks every signature: what goes over the wire, and what
# is made of answers that are slow, cut, wrong, late, elsewhere.

# shellcheck source=tests/cli/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/stub/stub.sh
. "$ROOT/tests/stub/stub.sh"

put()
{
    printf '%s' "$2" | object put "$1" >/dev/null
}

# big N: N bytes that differ everywhere.
big()
{
    awk -v n="$1" 'BEGIN { while (len < n) { line = sprintf("%d:%d\n", i, i * i++); len += length(line)
        printf "%s", line } }' | head -c "$1"
}

# ---- both dialects ----

for scheme in s3 oss; do
    check "$scheme: put" 0 '' sh -c "echo hello | object put $scheme://$scheme/a.txt"
    check "$scheme: read" 0 'hello' object read $scheme://$scheme/a.txt
    check "$scheme: head" 0 '6 "b1946ac92492d2347c6235b4d2611184"' object head $scheme://$scheme/a.txt
    check "$scheme: head of nothing" 0 'absent' object head $scheme://$scheme/nothing
    check "$scheme: an empty object" 0 '' sh -c ": | object put $scheme://$scheme/empty"
    check "$scheme: reads as empty" 0 '' object read $scheme://$scheme/empty
    check_err "$scheme: read of nothing" 1 \
        "^object: cannot read $scheme://$scheme/nothing: NoSuchKey: There is no such key\\. \\(HTTP 404" \
        object read $scheme://$scheme/nothing
    check_err "$scheme: a bucket that does not exist" 1 'cannot list .*NoSuchBucket' \
        object list $scheme://nobucket/
    # each with an odd byte; as they are sent, signed and listed
    odd=' a b|c+d|e%20f|g'\''h"|i*j(k)!|ü/日本|x//y/../z|/lead|n
l|?q=1&r#s;t@u:v,w=$[]{}\^`~'
    IFS='|'
    for key in $odd; do
        put "$scheme://odd-$scheme/$key" "<$key>"
        same "$scheme: key '$(printf '%s' "$key" | tr '\n' ' ')'" "<$key>" "$(object read "$scheme://odd-$scheme/$key")"
    done
    unset IFS
    same "$scheme: they are listed" '%20a%20b
/lead
?q=1&r#s;t@u:v,w=$[]{}\^`~
c+d
e%2520f
g'\''h"
i*j(k)!
n%0Al
x//y/../z
ü/日本' "$(object list $scheme://odd-$scheme/ | cut -d' ' -f1)"
    same "$scheme: with a prefix" 'x//y/../z' "$(object list "$scheme://odd-$scheme/x/" | cut -d' ' -f1)"
    same "$scheme: nothing with that prefix" '' "$(object list "$scheme://odd-$scheme/zz")"
done

requests >/dev/null
put s3://b/k '1
'
same 'S3: path style where the host is an address' 'PUT /b/k 200' "$(requests)"
put oss://b/kk '1
'
same 'OSS: virtual-hosted' 'b.oss-cn-a.test.localhost' \
    "$(cut -d' ' -f2 "$stub/log" | sed 's/:.*//')"
requests >/dev/null
check 'S3: virtual-hosted when told so' 0 '1' \
    env FANLINE_S3_STYLE=virtual "AWS_ENDPOINT_URL=http://localhost:$stub_port/" object read s3://b/k
same 'S3: with the bucket in the host' "GET b.localhost:$stub_port /k 200" "$(cat "$stub/log")"

# ---- listings ----

same 'a listing: its members' 'k0000002 2 "c81e728d9d4c2f636f067f89cc14862c" 2023-11-14T22:13:22Z STANDARD -' \
    "$(object list s3://many-3/ | sed -n 2p)"
same 'OSS: its members' 'k0000002 2 "c81e728d9d4c2f636f067f89cc14862c" 2023-11-14T22:13:22Z Standard Normal' \
    "$(object list oss://many-3/ | sed -n 2p)"
echo 3 >"$stub/page"
requests >/dev/null
same 'a listing in pages' "$(seq -f 'k%07.0f' 10)" "$(object list s3://many-10/ | cut -d' ' -f1)"
same 'a page each' '4' "$(requests | grep -c 'GET /many-10/')"
same 'a listing that ends with a page' "$(seq -f 'k%07.0f' 9)" \
    "$(object list oss://many-9/ | cut -d' ' -f1)"
put 's3://noencode/a b+c%d' ''
put 's3://noencode/n
l&<>' ''
same 'a server without encoding-type' 'a%20b+c%25d
n%0Al&<>' "$(object list s3://noencode/ | cut -d' ' -f1)"
for i in 1 2 3 4; do put "s3://noversion/$i" ''; done
check_err 'a server that cannot go on' 1 'there is more but not how to ask for it' \
    object list s3://noversion/
rm "$stub/page"
fault 'GET list-type html'
check 'a page that failed is asked for again' 0 \
    'k0000001 1 "c4ca4238a0b923820dcc509a6f75849b" 2023-11-14T22:13:21Z STANDARD -' \
    object list s3://many-1/
fault 'GET list-type truncate 100'
check_status 'a page that broke off is asked for again' 0 object list s3://many-5/

# ---- streams that break ----

big 300000 >big
object put s3://b/big <big
object put "oss://b/noetag-big" <big
for file in big noetag-big weak-big bare-big; do object put "s3://web/$file" <big; done
for place in s3://b/big oss://b/big "$web/big" "$web/noetag-big" "$web/weak-big"; do
    requests >/dev/null
    fault 'GET big truncate 100000' 'GET big truncate 1' 'GET big close' 'GET big status 503'
    object read "$place" >got 2>err
    same "$place: resumed where it broke" "0 $(cksum <big)" "$? $(cksum <got)"
    same "$place: by ranges" '200 206 closed 503 206' "$(requests | cut -d' ' -f3 | xargs)"
done
fault 'GET big truncate 100000' 'GET big norange'
object read s3://b/big >got
same 'a server that begins at the front again' "$(cksum <big)" "$(cksum <got)"
fault 'GET big truncate 100000' 'GET big mutate'
check_err 'an object that was replaced' 1 's3://b/big was replaced while it was read \(byte 100000\)' \
    object read s3://b/big
object put s3://b/big <big
fault 'GET big truncate 100000' 'GET big swap'
check_err 'also where the server does not see to it' 1 \
    's3://b/big was replaced while it was read \(byte 100000\)' object read s3://b/big
same 'what came before it broke has left' '100000' "$(object put s3://b/big <big
fault 'GET big truncate 100000' 'GET big mutate'
object read s3://b/big 2>/dev/null | wc -c | tr -d ' ')"
object put s3://b/big <big
fault 'GET big truncate 100000' 'GET big status 404 NoSuchKey'
check_err 'an object that was removed' 1 'cannot read s3://b/big: NoSuchKey' object read s3://b/big
fault 'GET bare-big truncate 100000'
check_err 'a page that cannot be resumed' 75 \
    'it broke off at byte 100000 .*gives nothing to tell by' object read "$web/bare-big"
fault 'GET big truncate 100000' 'GET big 9*close'
check_err 'a server that is gone' 75 'cannot read s3://b/big: .* \(tried 3 times\)$' \
    env AWS_MAX_ATTEMPTS=3 object read s3://b/big
fault 'GET big stall 100000'
same 'silence is a break' "$(cksum <big)" \
    "$(FANLINE_NET_TIMEOUT=300ms object read s3://b/big | cksum)"
fault 'GET big stall 0'
same 'silence before the first byte too' "$(cksum <big)" \
    "$(FANLINE_NET_TIMEOUT=300ms object read s3://b/big | cksum)"

# ---- trying again ----

: >"$stub/faults"
requests >/dev/null
fault 'PUT k status 500' 'PUT k status 503 SlowDown' 'PUT k close' 'PUT k status 429'
check_status 'what may pass is tried again' 0 sh -c 'echo 2 | object put s3://b/k'
same 'as often as needed' 'PUT /b/k 500
PUT /b/k 503
PUT /b/k closed
PUT /b/k 429
PUT /b/k 200' "$(requests)"
fault 'PUT k 9*status 503 SlowDown'
check_err 'given up after all tries' 75 \
    'cannot write s3://b/k: SlowDown: Asked for by the test\. \(HTTP 503, request STUB\) \(tried 5 times\)' \
    sh -c 'echo 2 | object put s3://b/k'
fault 'PUT k 9*status 400 RequestTimeout'
check_err 'a time-out of the request may pass' 75 'RequestTimeout' \
    env AWS_MAX_ATTEMPTS=2 sh -c 'echo 2 | object put s3://b/k'
for status in 400 403 404 409; do
    requests >/dev/null
    fault "PUT k 9*status $status Nope"
    check_err "$status stays" 1 "Nope: Asked for by the test\\. \\(HTTP $status" \
        sh -c 'echo 2 | object put s3://b/k'
    same "$status is asked for once" "PUT /b/k $status" "$(requests)"
done
fault 'GET k status 503 SlowDown Retry-After=1'
before=$(date +%s%N)
check_status 'Retry-After' 0 object read s3://b/k
ok 'it is waited for' test $((($(date +%s%N) - before) / 1000000)) -ge 1000
fault 'GET k status 503 SlowDown Retry-After=3600'
check_err 'Retry-After of an hour' 75 'SlowDown.* \(the server asks to come back in 3600 s\)' \
    object read s3://b/k
fault 'GET k html'
check_err 'a page of a proxy is not quoted' 75 \
    'cannot read s3://b/k: the server does not serve now \(HTTP 502, request STUB\)$' \
    env AWS_MAX_ATTEMPTS=1 object read s3://b/k
fault 'GET k status 503'
check_err 'what is tried again is told with -v' 0 '^object: cannot read s3://b/k: Fault: .*; trying again$' \
    object -v read s3://b/k
: >"$stub/faults"
check_err 'nobody listens' 75 "cannot read s3://b/k: Failed to connect to 127.0.0.1" \
    env AWS_ENDPOINT_URL=http://127.0.0.1:1 AWS_MAX_ATTEMPTS=2 object read s3://b/k

# ---- elsewhere, at another time ----

check_status 'S3: a bucket in another region' 0 sh -c 'echo far | object put s3://faraway/k'
check 'S3: is read there' 0 'far' object read s3://faraway/k
check 'S3: a HEAD, which has no body, too' 0 '4 "a5a6f2d6f8ae4c7a8a2d1ab4b0ec3a1b"' \
    sh -c 'object head s3://faraway/k | sed "s/\"[0-9a-f]*\"/\"a5a6f2d6f8ae4c7a8a2d1ab4b0ec3a1b\"/"'
check_status 'OSS: a bucket at another endpoint' 0 sh -c 'echo far | object put oss://faraway/k'
check 'OSS: is read there' 0 'far' object read oss://faraway/k
check_err 'OSS: but none in another domain' 1 'AccessDenied: Use the specified endpoint' \
    env OSS_ENDPOINT="http://oss-cn-a.other.localhost:$stub_port" object read oss://faraway/k
(
    FANLINE_S3_STYLE=virtual AWS_ENDPOINT_URL=http://s3-a.test.localhost:$stub_port
    export FANLINE_S3_STYLE AWS_ENDPOINT_URL
    requests >/dev/null
    fault "GET k status 307 TemporaryRedirect Location=http://b.s3-b.test.localhost:$stub_port/k"
    object read s3://b/k >redirected 2>&1
    cut -d' ' -f2,4 "$stub/log" | sed 's/:[0-9]*//' >>redirected
    fault "GET k 9*status 307 TemporaryRedirect Location=http://b.s3-b.other.localhost:$stub_port/k"
    object read s3://b/k >>redirected 2>&1
)
: >"$stub/faults"
check_file 'a redirection is followed to a server of the same domain only' redirected '2
b.s3-a.test.localhost 307
b.s3-b.test.localhost 200
object: cannot read s3://b/k: TemporaryRedirect: Asked for by the test. (HTTP 307, request STUB)'
for skew in 3600 -86400; do
    echo $skew >"$stub/skew"
    check "a clock that differs by $skew s" 0 '2' object read s3://b/k
    check "OSS: a clock that differs by $skew s" 0 '1' object read oss://b/kk
done
rm "$stub/skew"

# ---- uploads ----

FANLINE_PART_SIZE=64k
export FANLINE_PART_SIZE
for scheme in s3 oss; do
    requests >/dev/null
    object put $scheme://$scheme/parts <big
    same "$scheme: in parts" 'POST 200 PUT 200 PUT 200 PUT 200 PUT 200 PUT 200 POST 200' \
        "$(requests | cut -d' ' -f1,3 | xargs)"
    same "$scheme: all of it" "$(cksum <big)" "$(object read $scheme://$scheme/parts | cksum)"
    head -c 65536 big >exact
    requests >/dev/null
    object put $scheme://$scheme/exact <exact
    same "$scheme: exactly one part is no upload in parts" 'PUT /exact 200' \
        "$(requests | sed 's, /s3/, /,')"
    fault 'PUT partNumber=2 close' 'PUT partNumber=3 status 500' 'PUT partNumber=4 lost' \
        'POST uploadId status 503' 'POST uploadId late InternalError'
    object put $scheme://$scheme/parts2 <big
    same "$scheme: parts are tried again" "0 $(cksum <big)" \
        "$? $(object read $scheme://$scheme/parts2 | cksum)"
    fault 'POST uploadId lost'
    check_status "$scheme: the answer to the end got lost" 0 object put $scheme://$scheme/parts3 <big
    requests >/dev/null
    fault 'PUT partNumber=3 status 403 AccessDenied'
    check_err "$scheme: a part is refused" 1 "cannot write $scheme://$scheme/parts4: AccessDenied" \
        object put $scheme://$scheme/parts4 <big
    ok "$scheme: the parts are taken back" sh -c "grep -q 'DELETE.* 204' '$stub/log'"
    same "$scheme: nothing is there" 'absent' "$(object head $scheme://$scheme/parts4)"
    fault 'POST uploadId late InvalidPart'
    check_err "$scheme: an error with status 200" 1 \
        "cannot write $scheme://$scheme/parts4: InvalidPart: Asked for by the test. \\(HTTP 200" \
        object put $scheme://$scheme/parts4 <big
    same "$scheme: nothing is there" 'absent' "$(object head $scheme://$scheme/parts4)"
    check_status "$scheme: aborted" 0 object put --abort $scheme://$scheme/parts5 <big
    same "$scheme: nothing is there" 'absent' "$(object head $scheme://$scheme/parts5)"
    fault 'PUT partNumber=2 status 403' 'DELETE . 9*status 403'
    check_err "$scheme: parts that stay are told" 1 'the parts that went up could not be taken back' \
        object put $scheme://$scheme/parts4 <big
    : >"$stub/faults"

    check "$scheme: create" 0 '' sh -c "echo 1 | object put --create $scheme://$scheme/new"
    check "$scheme: create does not replace" 0 'taken' \
        sh -c "echo 2 | object put --create $scheme://$scheme/new"
    check "$scheme: it is the first" 0 '1' object read $scheme://$scheme/new
    fault 'PUT new2 lost'
    check "$scheme: create whose answer got lost" 0 '' \
        sh -c "echo 1 | object put --create $scheme://$scheme/new2"
    check "$scheme: create in parts" 0 '' sh -c "object put --create $scheme://$scheme/new3 <big"
    check "$scheme: create in parts does not replace" 0 'taken' \
        sh -c "object put --create $scheme://$scheme/new3 <big"
    fault 'POST uploadId lost'
    check "$scheme: create in parts whose answer got lost" 0 '' \
        sh -c "object put --create $scheme://$scheme/new4 <big"
    check_err "$scheme: the outcome is not known" 75 'it is not known whether it was written' \
        env AWS_MAX_ATTEMPTS=1 sh -c "printf 'PUT new5 lost\n' >'$stub/faults'
            echo 1 | object put $scheme://$scheme/new5"
done
same 'no upload was left but those that could not be taken back' '2' \
    "$(find "$stub" -name 'upload-*' | wc -l | tr -d ' ')"
unset FANLINE_PART_SIZE

# ---- the web ----

put s3://web/page 'text'
check 'a page' 0 'text' sh -c "object read $web/page; echo"
check 'a redirection' 0 'text' sh -c "object read $web/redirect/3/page; echo"
check_err 'too many of them' 1 'cannot read .*: Maximum \(10\) redirects followed' \
    object read "$web/redirect/11/page"
check 'its facts' 0 '4 "1cb251ec0d568de6a929b520c4aed8d1"' object head "$web/page"
check 'no page' 0 'absent' object head "$web/nothing"
check_err 'no page' 1 'cannot read .*/web/nothing: it does not exist \(HTTP 404\)' \
    object read "$web/nothing"
check_err 'it cannot be listed' 2 'it is a web address' object list "$web/"
check_err 'it cannot be written' 2 'it is a web address' sh -c "echo 1 | object put $web/page"
check_err 'the query of an address is not shown' 1 "cannot read $web/nothing\\?\\.\\.\\.: it does not" \
    object read "$web/nothing?X-Amz-Signature=abcd#part"
printf 'hello\n' | gzip | object put s3://web/x.gz
printf 'world\n' | gzip >>more.gz
check 'unpacked while it comes' 0 'hello' object read --unpack "$web/x.gz"
fault 'GET x.gz truncate 10'
check 'also when it is resumed' 0 'hello' object read --unpack "$web/x.gz"

if command -v openssl >/dev/null; then
    openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 \
        -subj /CN=localhost -addext subjectAltName=DNS:localhost 2>/dev/null
    openssl s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem -WWW >tls.log 2>&1 &
    at_exit "kill $!"
    until_true 10 grep -q '^ACCEPT' tls.log
    tls_port=$(sed -n 's/^ACCEPT.*://p' tls.log)
    printf 'over TLS' >secure
    check 'TLS' 0 'over TLS' \
        sh -c "AWS_CA_BUNDLE=cert.pem object read https://localhost:$tls_port/secure; echo"
    check_err 'a certificate that nobody signed' 1 'cannot read https://localhost.*certificate' \
        object read "https://localhost:$tls_port/secure"
    check_err 'a file of authorities that is not there' 2 'cannot read https' \
        env AWS_CA_BUNDLE=nothing.pem object read "https://localhost:$tls_port/secure"
else
    skip 'TLS' 'there is no openssl'
fi

# ---- folders ----

mkdir -p "tree/a" "tree/b/.hidden" && cd tree || exit 1
touch a/1 a.txt a-z "b/.hidden/n
l" b/z "$(printf 'b/\377')" && ln -s a link && ln -s nowhere broken && mkfifo pipe && ln -s .. b/up
printf 'hello\n' >a/1
cd ..
same 'a folder: all files, in the order of bytes' 'tree/a-z
tree/a.txt
tree/a/1
tree/b/.hidden/n%0Al
tree/b/z' "$(object list tree | cut -d' ' -f1 | grep -v "$(printf '\377')")"
same 'a folder: and that is all but for what is no UTF-8' '6' "$(object list tree | wc -l | tr -d ' ')"
same 'a folder: a slash at the end' 'tree/a/1' "$(object list tree/a/ | cut -d' ' -f1)"
same 'a folder: from within' 'a/1' "$(cd tree && object list . | cut -d' ' -f1 | sed -n 3p)"
same 'a file' 'tree/a/1 6 "b1946ac92492d2347c6235b4d2611184"' \
    "$(object list --etag tree/a/1 | cut -d' ' -f1-3)"
check_err 'links are followed when asked: a chain that leads back' 1 \
    'cannot list tree/b/up: Too many levels' object list --follow tree
rm tree/b/up
check_err 'one that leads nowhere' 1 'cannot list tree/broken: No such file' \
    object list --follow tree
rm tree/broken
same 'links are followed' 'tree/link/1' \
    "$(object list --follow tree | cut -d' ' -f1 | grep link)"
check_err 'no such folder' 1 'cannot list nowhere: No such file' object list nowhere
check 'a file is written, with its folder' 0 '' sh -c 'echo 1 | object put new/folder/file'
check 'a file is read' 0 '1' object read new/folder/file
check 'a file is not replaced' 0 'taken' sh -c 'echo 2 | object put --create new/folder/file'
check 'it is the first' 0 '1' object read new/folder/file
check 'it is replaced' 0 '' sh -c 'echo 2 | object put new/folder/file'
check 'a put that is aborted' 0 '' sh -c 'echo 3 | object put --abort new/folder/file'
check 'it stays' 0 '2' object read new/folder/file
check 'its facts' 0 '2 -' object head new/folder/file
check 'no file' 0 'absent' object head new/folder/nothing
check_err 'a folder is no file' 1 'cannot read tree: it is a folder' object read tree

# ---- keys ----

check_err 'a wrong secret' 2 'SignatureDoesNotMatch: The signature does not match' \
    env AWS_SECRET_ACCESS_KEY=wrong object read s3://b/k
check_err 'a key id that does not exist' 2 'InvalidAccessKeyId' \
    env AWS_ACCESS_KEY_ID=NOBODY object read s3://b/k
check 'a session token' 0 '2' env AWS_SESSION_TOKEN=stub/token+= object read s3://b/k
check 'OSS: a session token' 0 '1' env OSS_SESSION_TOKEN=stub/token+= object read oss://b/kk
check_err 'a session token that is wrong' 2 'InvalidToken' \
    env AWS_SESSION_TOKEN=other object read s3://b/k
check_err 'half a key' 2 'AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not' \
    env -u AWS_SECRET_ACCESS_KEY object read s3://b/k
check_err 'no key' 2 "there is no access key for s3: set AWS_ACCESS_KEY_ID.*$HOME/.aws/credentials" \
    env -u AWS_ACCESS_KEY_ID -u AWS_SECRET_ACCESS_KEY object read s3://b/k
check_err 'OSS: no key' 2 'there is no access key for oss: set OSS_ACCESS_KEY_ID' \
    env -u OSS_ACCESS_KEY_ID -u OSS_ACCESS_KEY_SECRET object read oss://b/k
check 'no key, for all to read' 0 'text' env FANLINE_NO_SIGN_REQUEST=1 \
    sh -c 'object read s3://web/page; echo'
check_err 'and else refused' 1 'AccessDenied: Anonymous access' \
    env FANLINE_NO_SIGN_REQUEST=1 object read s3://b/k
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_ENDPOINT_URL AWS_REGION
unset OSS_ACCESS_KEY_ID OSS_ACCESS_KEY_SECRET OSS_ENDPOINT OSS_REGION
mkdir "$HOME/.aws"
cat >"$HOME/.aws/credentials" <<EOF
[default]
aws_access_key_id = STUBKEY
aws_secret_access_key = stub/Secret+Key=
[wrong]
aws_access_key_id = STUBKEY
aws_secret_access_key = x
[session]
aws_access_key_id=STUBKEY
aws_secret_access_key=stub/Secret+Key=
aws_session_token=stub/token+=
EOF
cat >"$HOME/.aws/config" <<EOF
# of all profiles
[default]
region = stub-1
endpoint_url = http://127.0.0.1:$stub_port
[profile wrong]
endpoint_url = http://127.0.0.1:$stub_port
[profile session]
region = stub-1
endpoint_url = http://localhost:$stub_port
s3 =
    addressing_style = virtual
EOF
cat >"$HOME/.ossutilconfig" <<EOF
[default]
accessKeyID = STUBKEY
accessKeySecret = stub/Secret+Key=
region = cn-a
endpoint = http://oss-cn-a.test.localhost:$stub_port
EOF
check 'the files of the AWS tools' 0 '2' object read s3://b/k
requests >/dev/null
check 'a profile' 0 '2' env AWS_PROFILE=session object read s3://b/k
same 'with a style' "b.localhost:$stub_port" "$(cut -d' ' -f2 "$stub/log")"
check_err 'another profile' 2 'SignatureDoesNotMatch' env AWS_PROFILE=wrong object read s3://b/k
check_err 'no such profile' 2 'there is no profile nobody for s3' \
    env AWS_PROFILE=nobody object read s3://b/k
check 'the file of ossutil' 0 '1' object read oss://b/kk
cp "$HOME/.aws/credentials" elsewhere
check_err 'files elsewhere' 2 'SignatureDoesNotMatch' \
    env AWS_PROFILE=wrong AWS_SHARED_CREDENTIALS_FILE=elsewhere object read s3://b/k
check 'cron has no HOME' 0 'absent' env -u HOME object head nothing

# ---- what makes no sense ----

check_err 'no bucket' 2 's3://: a bucket must be named' object read s3://
check_err 'no object' 2 's3://b/ is a bucket and not an object in one' object read s3://b/
check_err 'no name of a bucket' 2 'this is no name of a bucket' object read 's3://a b/c'
check_err 'an endpoint that is none' 2 'the endpoint of a store must be http' \
    env AWS_ENDPOINT_URL=ftp://x object read s3://b/k
check_err 'a number that is none' 2 'AWS_MAX_ATTEMPTS: ' \
    env AWS_MAX_ATTEMPTS=many object read s3://b/k
check_err 'a style that is none' 2 'FANLINE_S3_STYLE: .x. is none of auto, path, virtual' \
    env FANLINE_S3_STYLE=x object read s3://b/k

# ---- secrets ----

fault 'GET k quote'
check_err 'what the server quotes is hidden' 1 'AccessDenied: Bad: \*{16} \*{12} .*authorization: \*\*\*' \
    env AWS_PROFILE=session object read s3://b/k
cp "$tap_home/err" quoted
ok 'no secret in a message' sh -c '! grep -F -e stub/Secret -e stub/token quoted'
ok 'no signature in a message' sh -c '! grep -E "[0-9a-f]{64}" quoted | grep -v x-amz-content-sha256'
check_err 'no password either' 1 'cannot read http://127.0.0.1:[0-9]*/web/nothing: ' \
    object read "http://me:pass-word@127.0.0.1:$stub_port/web/nothing"
ok 'it is not shown' sh -c "! grep -q pass-word '$tap_home/err'"
check_err 'nor one in a URL that is wrong' 2 'cannot read http://\.\.\.: ' \
    object read "http://me:pass-word/x@127.0.0.1:1/"
ok 'it is not shown' sh -c "! grep -q pass-word '$tap_home/err'"

done_testing
