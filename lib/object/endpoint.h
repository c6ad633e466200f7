/*
 * endpoint.h: which server has a bucket, and how it is addressed there.
 *
 * An endpoint is a URL, "https://s3.eu-west-1.amazonaws.com"; a bucket stands before its
 * host (virtual-hosted) or behind it (path style).  Where the style is not told:
 *   - a host that is an address, and any that neither AWS nor OSS runs: path style;
 *   - OSS (which refuses path style: reference/distributed-map.md 5.3): virtual-hosted;
 *   - AWS: virtual-hosted where the bucket's name can be one label of a host name, else path style.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_ENDPOINT_H
#define FANLINE_OBJECT_ENDPOINT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "object/settings.h"

#include <stdbool.h>

/* Owns its texts; zero-initialised it is empty and legal to release. */
struct endpoint {
    char *scheme; /* "https" */
    char *host;   /* with ":port" where one was given */
    char *path;   /* "", or "/something": what the bucket or key comes behind */
    bool virtual; /* the bucket is part of the host */
};

/*
 * Take URL, "https://" if it has no scheme, for BUCKET.  Returns 0, or -1 with E filled
 * (ERR_USAGE): only http: and https:, no user, no query.
 */
int endpoint_set(struct endpoint *ep, const char *url, const char *bucket, enum object_style style,
                 bool oss, struct err *e);

/*
 * Go to HOST instead; the scheme and, unless it has one, the port stay.  BUCKET is taken off its
 * front; "" for nothing.
 */
void endpoint_move(struct endpoint *ep, struct span host, const char *bucket);

/*
 * May a server at EP send us on to HOST?  It may to one under the same domain (the last two
 * labels), for what we send is signed by our key.
 */
bool endpoint_trusts(const struct endpoint *ep, struct span host);

/* The region that a host name of AWS or OSS tells; empty if it tells none. */
struct span endpoint_region(const struct endpoint *ep);

/* Does AWS run it, so that the host depends on the region? */
bool endpoint_is_aws(const struct endpoint *ep);

/* The host to say in a request about BUCKET, added to OUT. */
void endpoint_put_host(const struct endpoint *ep, const char *bucket, struct buf *out);

/* The path of KEY in BUCKET, in the spelling of escape.h, added to OUT. */
void endpoint_put_path(const struct endpoint *ep, const char *bucket, struct span key,
                       struct buf *out);

void endpoint_release(struct endpoint *ep);

#endif
