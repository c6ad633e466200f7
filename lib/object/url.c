#include "object/url.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { BUCKET_MAX = 255 };

static const struct {
    const char *prefix;
    enum url_scheme scheme;
} schemes[] = {
    {"s3://", URL_S3},
    {"oss://", URL_OSS},
    {"http://", URL_WEB},
    {"https://", URL_WEB},
};

enum url_scheme url_scheme_of(const char *place)
{
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        if (strncasecmp(place, schemes[i].prefix, strlen(schemes[i].prefix)) == 0) {
            return schemes[i].scheme;
        }
    }
    return URL_PATH;
}

/* Is what HOST has behind its last colon, if it has one, a port? */
static bool has_clean_port(const char *host, size_t len)
{
    const char *colon = memrchr(host, ':', len);
    size_t behind = colon ? len - (size_t)(colon + 1 - host) : 0;
    return !colon || memchr(colon, ']', behind + 1) || strspn(colon + 1, "0123456789") >= behind;
}

/*
 * A web address as it may be seen: user and password, which stand before an '@' of the authority,
 * are left out, and of a query, which may be signed, only that there is one.  Of an address that is
 * so wrong that a password may be anywhere nothing is seen.
 */
static char *shown_address(const char *place)
{
    struct buf b = {0};
    const char *authority = strstr(place, "://") + 3;
    size_t len = strcspn(authority, "/?#");
    const char *at = memrchr(authority, '@', len);
    const char *host = at ? at + 1 : authority;
    size_t upto = strcspn(host, "?#");
    buf_add(&b, place, (size_t)(authority - place));
    if (has_clean_port(host, len - (size_t)(host - authority))) {
        buf_add(&b, host, upto);
        buf_add_text(&b, host[upto] == '?' ? "?..." : "");
    } else {
        buf_add_text(&b, "...");
    }
    char *text = mem_text(buf_text(&b));
    buf_release(&b);
    return text;
}

static bool is_bucket(const char *name, size_t len)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
    return len > 0 && len <= BUCKET_MAX && strspn(name, allowed) >= len && name[0] != '.' &&
           name[0] != '-';
}

static int parse_bucket(struct url *u, const char *place, struct err *e)
{
    const char *name = strstr(place, "://") + 3;
    size_t len = strcspn(name, "/");
    if (!is_bucket(name, len)) {
        return err_set(e, ERR_USAGE, "%s: %s", place,
                       len == 0 ? "a bucket must be named" : "this is no name of a bucket");
    }
    u->bucket = mem_copy(name, len);
    u->key = mem_text(name[len] ? name + len + 1 : "");
    return 0;
}

int url_parse(struct url *u, const char *place, struct err *e)
{
    *u = (struct url){.scheme = url_scheme_of(place), .given = place};
    if ((u->scheme == URL_S3 || u->scheme == URL_OSS) && parse_bucket(u, place, e) < 0) {
        return -1;
    }
    u->place = mem_text(place);
    u->shown = u->scheme == URL_WEB ? shown_address(place) : mem_text(place);
    return 0;
}

void url_release(struct url *u)
{
    free(u->bucket);
    free(u->key);
    free(u->place);
    free(u->shown);
    *u = (struct url){0};
}
