#include "object/bucket.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

static const struct dialect dialects[] = {
    {.scheme = URL_S3,
     .name = "s3",
     .date = "x-amz-date",
     .hash = "x-amz-content-sha256",
     .token = "x-amz-security-token",
     .request = "x-amz-request-id",
     .region = "x-amz-bucket-region",
     .create = {"if-none-match", {"*", 1}},
     .hashes_body = true,
     .account = account_s3,
     .host = "s3.",
     .domain = ".amazonaws.com",
     .default_region = "us-east-1",
     .sign = sign_s3},
    {.scheme = URL_OSS,
     .name = "oss",
     .date = "x-oss-date",
     .hash = "x-oss-content-sha256",
     .token = "x-oss-security-token",
     .request = "x-oss-request-id",
     .region = "x-oss-bucket-region",
     .create = {"x-oss-forbid-overwrite", {"true", 4}},
     .bare_query = true,
     .account = account_oss,
     .host = "oss-",
     .domain = ".aliyuncs.com",
     .sign = sign_oss},
};

static const struct dialect *dialect_of(enum url_scheme scheme)
{
    size_t i = 0;
    while (dialects[i].scheme != scheme) {
        i++;
    }
    return &dialects[i];
}

static bool is_region(struct span name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    for (size_t i = 0; i < name.len; i++) {
        if (name.at[i] == '\0' || !strchr(allowed, name.at[i])) {
            return false;
        }
    }
    return name.len > 0 && name.len < 64;
}

/* The host that the dialect's provider has in REGION. */
static void put_host(const struct dialect *d, struct span region, struct buf *out)
{
    buf_add_text(out, d->host);
    buf_add_span(out, region);
    buf_add_text(out, d->domain);
    if (d->scheme == URL_S3 && span_starts(region, SPAN_LIT("cn-"))) {
        buf_add_text(out, ".cn");
    }
}

/* Set the endpoint from what the account says, or from the region. */
static int set_endpoint(struct bucket *b, struct err *e)
{
    const struct dialect *d = b->dialect;
    const struct account *a = &b->account;
    bool oss = d->scheme == URL_OSS;
    if (a->endpoint) {
        return endpoint_set(&b->endpoint, a->endpoint, b->name, a->style, oss, e);
    }
    const char *region = a->region ? a->region : d->default_region;
    if (!region) {
        return err_set(e, ERR_USAGE, "no endpoint is set for oss: set OSS_ENDPOINT or OSS_REGION");
    }
    if (!is_region(span_text(region))) {
        return err_set(e, ERR_USAGE, "'%.64s' is no name of a region", region);
    }
    struct buf host = {0};
    put_host(d, span_text(region), &host);
    int rc = endpoint_set(&b->endpoint, buf_text(&host), b->name, a->style, oss, e);
    buf_release(&host);
    return rc;
}

static int set_region(struct bucket *b, struct err *e)
{
    struct span told = endpoint_region(&b->endpoint);
    if (b->account.region) {
        b->region = mem_text(b->account.region);
    } else if (told.len > 0) {
        b->region = mem_copy(told.at, told.len);
    } else if (b->dialect->default_region) {
        b->region = mem_text(b->dialect->default_region);
    } else {
        return err_set(e, ERR_USAGE, "no region is set for oss: set OSS_REGION");
    }
    return 0;
}

struct bucket *bucket_of(struct object_client *c, const struct url *u, struct err *e)
{
    for (struct bucket *b = c->buckets; b; b = b->next) {
        if (b->dialect->scheme == u->scheme && strcmp(b->name, u->bucket) == 0) {
            return b;
        }
    }
    struct bucket *b = mem_new(1, sizeof *b);
    b->dialect = dialect_of(u->scheme);
    b->name = mem_text(u->bucket);
    if (b->dialect->account(&b->account, &c->settings, e) < 0 || set_endpoint(b, e) < 0 ||
        set_region(b, e) < 0) {
        bucket_free(b);
        return NULL;
    }
    b->next = c->buckets;
    c->buckets = b;
    return b;
}

static bool moved_region(struct bucket *b, struct span region)
{
    if (!is_region(region) || span_equal(region, span_text(b->region))) {
        return false;
    }
    free(b->region);
    b->region = mem_copy(region.at, region.len);
    if (endpoint_is_aws(&b->endpoint)) {
        struct buf host = {0};
        put_host(b->dialect, region, &host);
        endpoint_move(&b->endpoint, buf_span(&host), "");
        buf_release(&host);
    }
    return true;
}

static bool moved_host(struct bucket *b, struct span host)
{
    if (host.len == 0 || !endpoint_trusts(&b->endpoint, host)) {
        return false;
    }
    char *before = mem_text(b->endpoint.host);
    endpoint_move(&b->endpoint, host, b->name);
    bool is_new = strcmp(before, b->endpoint.host) != 0;
    struct span region = endpoint_region(&b->endpoint);
    if (is_new && region.len > 0) {
        free(b->region);
        b->region = mem_copy(region.at, region.len);
    }
    free(before);
    return is_new;
}

bool bucket_moved(struct bucket *b, struct span region, struct span host)
{
    return moved_region(b, region) || moved_host(b, host);
}

void bucket_free(struct bucket *b)
{
    account_release(&b->account);
    endpoint_release(&b->endpoint);
    free(b->region);
    free(b->name);
    free(b);
}
