#include "object/sign.h"

#include "digest/digest.h"
#include "digest/hmac.h"

#include <stdlib.h>
#include <time.h>

enum { DAY = 8 }; /* digits of a stamp that name the day */

/* In what the two versions differ. */
struct version {
    const char *name;    /* AWS4-HMAC-SHA256 */
    const char *seed;    /* before the secret, where the key is derived */
    const char *service; /* s3 */
    const char *end;     /* of the scope: aws4_request */
};

char *sign_stamp(int64_t real, char out[SIGN_STAMP_MAX])
{
    time_t seconds = (time_t)(real / CLOCK_SECOND);
    struct tm t;
    gmtime_r(&seconds, &t);
    strftime(out, SIGN_STAMP_MAX, "%Y%m%dT%H%M%SZ", &t);
    return out;
}

static void put_hash(struct buf *out, struct span data)
{
    unsigned char bytes[DIGEST_BYTES_MAX];
    size_t len = 0;
    (void)digest_bytes(digest_find(SPAN_LIT("SHA-256")), data, bytes, &len, NULL);
    digest_put_hex(out, bytes, len);
}

/* A value as it is signed: no blanks around it, one for several within. */
static void put_value(struct buf *out, struct span v)
{
    bool blank = false;
    size_t start = out->len;
    for (size_t i = 0; i < v.len; i++) {
        if (v.at[i] == ' ' || v.at[i] == '\t') {
            blank = true;
            continue;
        }
        if (blank && out->len > start) {
            buf_add_byte(out, ' ');
        }
        blank = false;
        buf_add_byte(out, v.at[i]);
    }
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct sign_header *)a)->name, ((const struct sign_header *)b)->name);
}

/* The headers of Q that are signed (all, if ALL), sorted, to OUT; returns how many. */
static size_t choose_headers(const struct sign_request *q, bool all,
                             struct sign_header out[SIGN_HEADERS_MAX])
{
    size_t n = 0;
    for (size_t i = 0; i < q->header_count && n < SIGN_HEADERS_MAX; i++) {
        const char *name = q->headers[i].name;
        if (all || strncmp(name, "x-oss-", 6) == 0 || strcmp(name, "content-md5") == 0 ||
            strcmp(name, "content-type") == 0) {
            out[n++] = q->headers[i];
        }
    }
    qsort(out, n, sizeof *out, by_name);
    return n;
}

static void put_names(struct buf *out, const struct sign_header *headers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        buf_add_text(out, i > 0 ? ";" : "");
        buf_add_text(out, headers[i].name);
    }
}

/* The canonical request: one part a line. */
static void put_canonical(struct buf *out, const struct sign_request *q,
                          const struct sign_header *headers, size_t count, bool named)
{
    buf_printf(out, "%s\n", q->method);
    buf_add_span(out, q->resource);
    buf_add_byte(out, '\n');
    buf_add_span(out, q->query);
    buf_add_byte(out, '\n');
    for (size_t i = 0; i < count; i++) {
        buf_add_text(out, headers[i].name);
        buf_add_byte(out, ':');
        put_value(out, headers[i].value);
        buf_add_byte(out, '\n');
    }
    buf_add_byte(out, '\n');
    put_names(out, headers, named ? count : 0);
    buf_printf(out, "\n%s", q->payload);
}

static void put_scope(struct buf *out, const struct version *v, const struct sign_request *q)
{
    buf_printf(out, "%.*s/%s/%s/%s", DAY, q->stamp, q->region, v->service, v->end);
}

/* The signature of the canonical request CANONICAL, in hexadecimal digits, to OUT. */
static void put_signature(struct buf *out, const struct version *v, const struct sign_request *q,
                          struct span canonical)
{
    struct buf text = {0};
    struct buf secret = {0};
    buf_printf(&text, "%s\n%s\n", v->name, q->stamp);
    put_scope(&text, v, q);
    buf_add_byte(&text, '\n');
    put_hash(&text, canonical);
    buf_printf(&secret, "%s%s", v->seed, q->key->secret);

    unsigned char code[HMAC_BYTES];
    struct span key = span_of((const char *)code, sizeof code);
    hmac_sha256(buf_span(&secret), span_of(q->stamp, DAY), code);
    hmac_sha256(key, span_text(q->region), code);
    hmac_sha256(key, span_text(v->service), code);
    hmac_sha256(key, span_text(v->end), code);
    hmac_sha256(key, buf_span(&text), code);
    digest_put_hex(out, code, sizeof code);
    buf_release(&secret);
    buf_release(&text);
}

static void put_credential(struct buf *out, const struct version *v, const struct sign_request *q)
{
    buf_printf(out, "%s Credential=%s/", v->name, q->key->id);
    put_scope(out, v, q);
}

void sign_s3(const struct sign_request *q, struct buf *out)
{
    static const struct version v = {"AWS4-HMAC-SHA256", "AWS4", "s3", "aws4_request"};
    struct sign_header headers[SIGN_HEADERS_MAX] = {0};
    struct buf canonical = {0};
    size_t count = choose_headers(q, true, headers);
    put_canonical(&canonical, q, headers, count, true);
    put_credential(out, &v, q);
    buf_add_text(out, ",SignedHeaders=");
    put_names(out, headers, count);
    buf_add_text(out, ",Signature=");
    put_signature(out, &v, q, buf_span(&canonical));
    buf_release(&canonical);
}

void sign_oss(const struct sign_request *q, struct buf *out)
{
    static const struct version v = {"OSS4-HMAC-SHA256", "aliyun_v4", "oss", "aliyun_v4_request"};
    struct sign_header headers[SIGN_HEADERS_MAX] = {0};
    struct buf canonical = {0};
    size_t count = choose_headers(q, false, headers);
    put_canonical(&canonical, q, headers, count, false);
    put_credential(out, &v, q);
    buf_add_text(out, ",Signature=");
    put_signature(out, &v, q, buf_span(&canonical));
    buf_release(&canonical);
}
