#include "object/bucket.h"

#include "base/base64.h"
#include "base/clock.h"
#include "digest/digest.h"
#include "object/fault.h"

#include <stdlib.h>
#include <string.h>

enum { SKEW_MAX = 300 }; /* seconds that a server may be off before we sign by its clock */

/* ---- writing ---- */

static struct span kept(struct request *q, struct buf *b)
{
    struct span s = arena_copy(&q->arena, buf_span(b));
    buf_release(b);
    return s;
}

static struct span digest_text(struct request *q, struct span name, bool base64)
{
    struct buf b = {0};
    unsigned char bytes[DIGEST_BYTES_MAX];
    size_t len;
    if (digest_bytes(digest_find(name), q->body, bytes, &len, NULL) == 0) {
        if (base64) {
            base64_encode(&b, span_of((const char *)bytes, len));
        } else {
            digest_put_hex(&b, bytes, len);
        }
    }
    return kept(q, &b);
}

/* What the headers say about the body; returns the hash that is signed. */
static const char *put_checksum(struct request *q, const struct dialect *d)
{
    if (d->hashes_body) {
        struct span hash = digest_text(q, SPAN_LIT("SHA-256"), false);
        request_header(q, d->hash, hash);
        return hash.at;
    }
    if (q->body.len > 0) {
        struct span md5 = digest_text(q, SPAN_LIT("MD5"), true);
        if (md5.len > 0) { /* there are systems that forbid it */
            request_header(q, "content-md5", md5);
        }
    }
    request_header(q, d->hash, SPAN_LIT("UNSIGNED-PAYLOAD"));
    return "UNSIGNED-PAYLOAD";
}

/* The path that is signed: S3 takes the one that is sent, OSS always /bucket/key. */
static struct span signed_path(struct bucket_call *call, struct span path)
{
    struct buf b = {0};
    if (call->bucket->dialect->scheme == URL_S3) {
        return path;
    }
    buf_printf(&b, "/%s/", call->bucket->name);
    escape_put(&b, call->key, true);
    return kept(&call->request, &b);
}

static void put_signature(struct bucket_call *call, struct span path, struct span query)
{
    struct request *q = &call->request;
    const struct bucket *b = call->bucket;
    const struct dialect *d = b->dialect;
    struct object_key key = {b->account.id, b->account.secret, b->account.token};
    char stamp[SIGN_STAMP_MAX];
    sign_stamp(clock_real() + b->skew, stamp);
    request_header(q, d->date, span_text(stamp));
    const char *payload = put_checksum(q, d);
    if (key.token) {
        request_header(q, d->token, span_text(key.token));
    }
    struct sign_request what = {.method = q->method,
                                .resource = signed_path(call, path),
                                .query = query,
                                .headers = q->headers,
                                .header_count = q->header_count,
                                .payload = payload,
                                .stamp = stamp,
                                .region = b->region,
                                .key = &key};
    struct buf authorization = {0};
    d->sign(&what, &authorization);
    request_header(q, "authorization", kept(q, &authorization));
}

static int write_call(struct request *q, struct err *e)
{
    struct bucket_call *call = (struct bucket_call *)q;
    const struct bucket *b = call->bucket;
    struct buf host = {0};
    struct buf path = {0};
    struct buf query = {0};
    struct buf url = {0};
    (void)e;
    endpoint_put_host(&b->endpoint, b->name, &host);
    endpoint_put_path(&b->endpoint, b->name, call->key, &path);
    escape_query(&query, call->query, call->query_count, b->dialect->bare_query);
    buf_printf(&url, "%s://%s%s", b->endpoint.scheme, buf_text(&host), buf_text(&path));
    buf_printf(&url, "%s%s", query.len > 0 ? "?" : "", buf_text(&query));
    q->url = kept(q, &url).at;
    request_header(q, "host", kept(q, &host));
    for (size_t i = 0; i < q->extra_count; i++) {
        request_header(q, q->extra[i].name, q->extra[i].value);
    }
    struct span sent_path = kept(q, &path);
    struct span sent_query = kept(q, &query);
    if (b->account.id) {
        put_signature(call, sent_path, sent_query);
    }
    return 0;
}

/* ---- understanding what went wrong ---- */

/* A refusal by a server whose clock is far from ours: sign by its clock. */
static bool adjust_clock(struct bucket *b, long status, const struct http_transfer *t)
{
    int64_t theirs = retry_date(http_header(t, "date"));
    int64_t off = theirs - (clock_real() + b->skew);
    if (status != 403 || theirs < 0 ||
        (off < SKEW_MAX * CLOCK_SECOND && off > -SKEW_MAX * CLOCK_SECOND)) {
        return false;
    }
    b->skew += off;
    return true;
}

/* The host of a Location. */
static struct span host_of(struct span location)
{
    const char *mark = location.len > 0 ? memmem(location.at, location.len, "://", 3) : NULL;
    if (!mark) {
        return (struct span){0};
    }
    size_t skip = (size_t)(mark + 3 - location.at);
    struct span rest = span_of(location.at + skip, location.len - skip);
    const char *slash = rest.len > 0 ? memchr(rest.at, '/', rest.len) : NULL;
    return slash ? span_of(rest.at, (size_t)(slash - rest.at)) : rest;
}

static bool follow(struct bucket *b, long status, const struct http_transfer *t,
                   const struct fault *f)
{
    struct span region = http_header(t, b->dialect->region);
    struct span host = span_text(f->endpoint);
    if (host.len == 0 && (status == 301 || status == 307)) {
        host = host_of(http_header(t, "location"));
    }
    return bucket_moved(b, region.len > 0 ? region : span_text(f->region), host);
}

/* Overwrite what is SECRET in TEXT. */
static void redact(char *text, struct span secret)
{
    char *hit = text;
    while (secret.len > 0 && (hit = memmem(hit, strlen(hit), secret.at, secret.len))) {
        memset(hit, '*', secret.len);
        hit += secret.len;
    }
}

/* A server may quote in its message whatever we sent. */
static void redact_fault(struct bucket_call *call, struct fault *f)
{
    const struct request *q = &call->request;
    const struct account *a = &call->bucket->account;
    redact(f->message, a->secret ? span_text(a->secret) : (struct span){0});
    redact(f->message, a->token ? span_text(a->token) : (struct span){0});
    for (size_t i = 0; i < q->header_count; i++) {
        struct span value = q->headers[i].value;
        if (strcmp(q->headers[i].name, "authorization") == 0) {
            redact(f->message, value);
            const char *equals = memrchr(value.at, '=', value.len);
            redact(f->message, equals ? span_text(equals + 1) : (struct span){0});
        }
    }
}

static const char *meaning(long status)
{
    return status == 301 || status == 307   ? "the bucket is elsewhere"
           : status == 400                  ? "the server finds the request wrong"
           : status == 401 || status == 403 ? "access is denied"
           : status == 404                  ? "it does not exist"
           : status == 412                  ? "it is not as it was asked to be"
           : status >= 500                  ? "the server does not serve now"
                                            : "the server refuses";
}

static bool judge_call(struct request *q, const struct http_transfer *t, struct span body,
                       struct err *e)
{
    struct bucket_call *call = (struct bucket_call *)q;
    struct bucket *b = call->bucket;
    struct span id = http_header(t, b->dialect->request);
    struct fault f;
    fault_read(&f, body);
    redact_fault(call, &f);
    memcpy(call->code, f.code, sizeof call->code);
    struct buf text = {0};
    if (f.code[0]) {
        buf_printf(&text, "%s: %.400s", f.code, f.message);
    } else {
        buf_add_text(&text, meaning(q->status));
    }
    buf_printf(&text, " (HTTP %ld%s%.*s)", q->status, id.len > 0 ? ", request " : "",
               id.len < 64 ? (int)id.len : 64, id.len > 0 ? id.at : "");
    err_set(e, fault_class(&f, q->status), "%s", buf_text(&text));
    buf_release(&text);
    return follow(b, q->status, t, &f) || adjust_clock(b, q->status, t);
}

static void free_call(struct request *q)
{
    bucket_call_release((struct bucket_call *)q);
    free(q);
}

/* ---- the face ---- */

int bucket_call_init(struct bucket_call *call, struct object_client *c, const struct url *u,
                     const char *verb, const char *method, struct err *e)
{
    static const struct request_kind kind = {
        .write = write_call, .judge = judge_call, .release = free_call};
    *call = (struct bucket_call){.key = span_text(u->key)};
    call->request = (struct request){
        .kind = &kind, .settings = &c->settings, .verb = verb, .shown = u->shown, .method = method};
    call->request.http = backend_http(c, e);
    call->bucket = call->request.http ? bucket_of(c, u, e) : NULL;
    return call->bucket ? 0 : request_fail(&call->request, e);
}

void bucket_call_ask(struct bucket_call *call, const char *name, struct span value)
{
    if (call->query_count < BUCKET_QUERY_MAX) {
        call->query[call->query_count++] = (struct escape_pair){name, value};
    }
}

void bucket_call_header(struct bucket_call *call, const char *name, struct span value)
{
    if (call->request.extra_count < REQUEST_EXTRA_MAX) {
        call->request.extra[call->request.extra_count++] = (struct sign_header){name, value};
    }
}

void bucket_call_release(struct bucket_call *call)
{
    arena_release(&call->request.arena);
    url_release(&call->owned);
}
