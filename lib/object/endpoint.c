#include "object/endpoint.h"

#include "base/mem.h"
#include "object/escape.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* HOST without ":port". */
static struct span without_port(struct span host)
{
    const char *colon = host.len > 0 ? memrchr(host.at, ':', host.len) : NULL;
    bool bracket = host.len > 0 && host.at[host.len - 1] == ']';
    return colon && !bracket ? span_of(host.at, (size_t)(colon - host.at)) : host;
}

/* Is HOST in the domain DOMAIN? */
static bool ends_in(struct span host, const char *domain)
{
    size_t len = strlen(domain);
    host = without_port(host);
    return host.len > len && host.at[host.len - len - 1] == '.' &&
           strncasecmp(host.at + host.len - len, domain, len) == 0;
}

static bool is_aws(struct span host)
{
    return ends_in(host, "amazonaws.com") || ends_in(host, "amazonaws.com.cn");
}

static bool is_aliyun(struct span host)
{
    return ends_in(host, "aliyuncs.com");
}

/* An address and no name: it begins with '[' or ends in a digit. */
static bool is_address(struct span host)
{
    host = without_port(host);
    char last = host.len > 0 ? host.at[host.len - 1] : '\0';
    return last == ']' || (last >= '0' && last <= '9');
}

/* Can BUCKET be one label of a host name, as the certificates of AWS want it? */
static bool is_label(const char *bucket)
{
    return strspn(bucket, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(bucket);
}

static bool choose_style(struct span host, const char *bucket, enum object_style style, bool oss)
{
    if (style != OBJECT_STYLE_AUTO) {
        return style == OBJECT_STYLE_VIRTUAL;
    }
    if (is_address(host)) {
        return false;
    }
    return oss || is_aliyun(host) || (is_aws(host) && is_label(bucket));
}

int endpoint_set(struct endpoint *ep, const char *url, const char *bucket, enum object_style style,
                 bool oss, struct err *e)
{
    const char *mark = strstr(url, "://");
    const char *host = mark ? mark + 3 : url;
    size_t scheme_len = mark ? (size_t)(mark - url) : 0;
    size_t host_len = strcspn(host, "/?#");
    const char *path = host + host_len;
    size_t path_len = strlen(path);
    bool known = !mark || (scheme_len == 4 && strncasecmp(url, "http", 4) == 0) ||
                 (scheme_len == 5 && strncasecmp(url, "https", 5) == 0);
    if (!known || host_len == 0 || memchr(host, '@', host_len) || strpbrk(path, "?#")) {
        return err_set(e, ERR_USAGE, "the endpoint of a store must be http://HOST or https://HOST");
    }
    while (path_len > 0 && path[path_len - 1] == '/') {
        path_len--;
    }
    endpoint_release(ep);
    ep->scheme = mark ? mem_copy(url, scheme_len) : mem_text("https");
    ep->host = mem_copy(host, host_len);
    ep->path = mem_copy(path, path_len);
    ep->virtual = choose_style(span_of(host, host_len), bucket, style, oss);
    return 0;
}

/* "/x" of ":port" and such: what HOST has behind its name. */
static struct span port_of(struct span host)
{
    struct span name = without_port(host);
    return span_of(host.at + name.len, host.len - name.len);
}

void endpoint_move(struct endpoint *ep, struct span host, const char *bucket)
{
    struct buf b = {0};
    size_t len = strlen(bucket);
    if (host.len > len + 1 && host.at[len] == '.' && memcmp(host.at, bucket, len) == 0) {
        host = span_of(host.at + len + 1, host.len - len - 1);
    }
    struct span port = port_of(host);
    buf_add_span(&b, without_port(host));
    buf_add_span(&b, port.len > 0 ? port : port_of(span_text(ep->host)));
    free(ep->host);
    ep->host = mem_copy(b.at, b.len);
    buf_release(&b);
}

/* The last two labels of HOST; empty if it has fewer, or is an address. */
static struct span domain_of(struct span host)
{
    host = without_port(host);
    const char *last = host.len > 0 ? memrchr(host.at, '.', host.len) : NULL;
    if (!last || is_address(host)) {
        return (struct span){0};
    }
    const char *before = memrchr(host.at, '.', (size_t)(last - host.at));
    size_t skip = before ? (size_t)(before + 1 - host.at) : 0;
    return span_of(host.at + skip, host.len - skip);
}

bool endpoint_trusts(const struct endpoint *ep, struct span host)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:";
    struct span ours = domain_of(span_text(ep->host));
    struct span theirs = domain_of(host);
    for (size_t i = 0; i < host.len; i++) {
        if (host.at[i] == '\0' || !strchr(allowed, host.at[i])) {
            return false;
        }
    }
    return ours.len > 0 && ours.len == theirs.len && strncasecmp(ours.at, theirs.at, ours.len) == 0;
}

/* The first label of HOST, which is shortened by it. */
static struct span next_label(struct span *host)
{
    const char *dot = host->len > 0 ? memchr(host->at, '.', host->len) : NULL;
    size_t len = dot ? (size_t)(dot - host->at) : host->len;
    struct span label = span_of(host->at, len);
    len += dot != NULL;
    *host = span_of(host->at + len, host->len - len);
    return label;
}

/* S without PREFIX; empty if it does not begin with that. */
static struct span behind(struct span s, struct span prefix)
{
    return span_starts(s, prefix) ? span_of(s.at + prefix.len, s.len - prefix.len)
                                  : (struct span){0};
}

/*
 * Names that tell: s3.REGION.amazonaws.com, s3.dualstack.REGION.amazonaws.com,
 * s3-REGION.amazonaws.com, oss-REGION.aliyuncs.com, oss-REGION-internal.aliyuncs.com, and
 * s3.oss-REGION.aliyuncs.com (whose region is "oss-REGION": reference/distributed-map.md 5.3).
 */
struct span endpoint_region(const struct endpoint *ep)
{
    static const struct span internal = {"-internal", 9};
    struct span host = without_port(span_text(ep->host));
    if (!is_aws(host) && !is_aliyun(host)) {
        return (struct span){0};
    }
    struct span label = next_label(&host);
    if (span_equal(label, SPAN_LIT("s3"))) {
        label = next_label(&host);
        label = span_equal(label, SPAN_LIT("dualstack")) ? next_label(&host) : label;
    } else {
        struct span s3 = behind(label, SPAN_LIT("s3-"));
        label = s3.len > 0 ? s3 : behind(label, SPAN_LIT("oss-"));
    }
    if (label.len > internal.len &&
        span_starts(span_of(label.at + label.len - internal.len, internal.len), internal)) {
        label.len -= internal.len;
    }
    return span_equal(label, SPAN_LIT("amazonaws")) ? (struct span){0} : label;
}

bool endpoint_is_aws(const struct endpoint *ep)
{
    return is_aws(span_text(ep->host));
}

void endpoint_put_host(const struct endpoint *ep, const char *bucket, struct buf *out)
{
    if (ep->virtual) {
        buf_add_text(out, bucket);
        buf_add_byte(out, '.');
    }
    buf_add_text(out, ep->host);
}

void endpoint_put_path(const struct endpoint *ep, const char *bucket, struct span key,
                       struct buf *out)
{
    buf_add_text(out, ep->path);
    buf_add_byte(out, '/');
    if (!ep->virtual) {
        buf_add_text(out, bucket);
        buf_add_byte(out, '/');
    }
    escape_put(out, key, true);
}

void endpoint_release(struct endpoint *ep)
{
    free(ep->scheme);
    free(ep->host);
    free(ep->path);
    *ep = (struct endpoint){0};
}
