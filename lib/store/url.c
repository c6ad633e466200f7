#include "store/url.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/span.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

enum { REDIS_PORT = 6379, DATABASE_MAX = 1 << 20, PORT_MAX = 65535 };

static struct span before(struct span s, const char *end)
{
    return span_of(s.at, (size_t)(end - s.at));
}

static struct span behind(struct span s, const char *start)
{
    return span_of(start, (size_t)(s.at + s.len - start));
}

static const char *find(struct span s, char c)
{
    return s.len ? memchr(s.at, c, s.len) : NULL;
}

static int hex(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    int low = c | 0x20;
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* TEXT without its %XX escapes, as a C string of the caller's; NULL if there is a NUL or a bad one.
 */
static char *unescape(struct span text)
{
    char *out = mem_copy(text.at, text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c == '%') {
            int high = i + 2 < text.len ? hex(text.at[i + 1]) : -1;
            int low = i + 2 < text.len ? hex(text.at[i + 2]) : -1;
            c = high >= 0 && low >= 0 ? (char)(high * 16 + low) : '\0';
            i += 2;
        }
        if (c == '\0') {
            free(out);
            return NULL;
        }
        out[len++] = c;
    }
    out[len] = '\0';
    return out;
}

static int bad(const char *what, struct err *e)
{
    return err_set(e, ERR_USAGE, "the URL of the store has %s", what);
}

/* Take "[user]:password@" off the front of *REST. */
static int take_secret(struct store_url *url, struct span *rest, struct err *e)
{
    const char *at = rest->len ? memrchr(rest->at, '@', rest->len) : NULL;
    if (!at) {
        return 0;
    }
    struct span secret = before(*rest, at);
    *rest = behind(*rest, at + 1);
    const char *colon = find(secret, ':');
    if (!colon) {
        return bad("a user without ':' and a password", e);
    }
    url->user = colon > secret.at ? unescape(before(secret, colon)) : NULL;
    url->password = unescape(behind(secret, colon + 1));
    if (!url->password || (colon > secret.at && !url->user)) {
        return bad("a bad %XX escape before the '@'", e);
    }
    return 0;
}

static int read_number(struct span text, int64_t max, const char *what, int64_t *out, struct err *e)
{
    struct err ignored;
    if (units_integer(text, 0, max, out, &ignored) < 0) {
        return bad(what, e);
    }
    return 0;
}

/* HOST, HOST:PORT or [HOST]:PORT. */
static int read_address(struct store_url *url, struct span address, struct err *e)
{
    struct span host = address;
    struct span port = {0};
    const char *bracket = address.len && address.at[0] == '[' ? find(address, ']') : NULL;
    if (bracket) {
        host = span_of(address.at + 1, (size_t)(bracket - address.at - 1));
        port = behind(address, bracket + 1);
    } else if (find(address, ':')) {
        host = before(address, find(address, ':'));
        port = behind(address, host.at + host.len);
    }
    url->host = unescape(host);
    if (!url->host || !*url->host) {
        return bad("no host", e);
    }
    int64_t number = REDIS_PORT;
    if (port.len > 0 && (port.at[0] != ':' || port.len == 1 ||
                         read_number(behind(port, port.at + 1), PORT_MAX, "", &number, NULL) < 0)) {
        return bad("a bad port", e);
    }
    url->port = (int)number;
    return 0;
}

static int parse_redis(struct store_url *url, struct span rest, struct err *e)
{
    /* A slash may stand in a password, so the secret ends at the last '@'. */
    if (take_secret(url, &rest, e) < 0) {
        return -1;
    }
    const char *slash = find(rest, '/');
    struct span database = slash ? behind(rest, slash + 1) : (struct span){0};
    if (read_address(url, slash ? before(rest, slash) : rest, e) < 0) {
        return -1;
    }
    if (database.len > 0 &&
        read_number(database, DATABASE_MAX, "a bad database number", &url->database, e) < 0) {
        return -1;
    }
    struct buf b = {0};
    buf_printf(&b, find(span_text(url->host), ':') ? "redis://[%s]:%d/%lld" : "redis://%s:%d/%lld",
               url->host, url->port, (long long)url->database);
    url->shown = mem_copy(b.at, b.len);
    buf_release(&b);
    return 0;
}

static int parse_unix(struct store_url *url, struct span rest, struct err *e)
{
    bool has_secret = rest.len > 0 && rest.at[0] != '/';
    if (has_secret && take_secret(url, &rest, e) < 0) {
        return -1;
    }
    const char *mark = find(rest, '?');
    struct span query = mark ? behind(rest, mark + 1) : (struct span){0};
    url->path = unescape(mark ? before(rest, mark) : rest);
    if (!url->path || url->path[0] != '/') {
        return bad("no absolute path of a socket", e);
    }
    if (mark &&
        (!span_starts(query, SPAN_LIT("db=")) ||
         read_number(behind(query, query.at + 3), DATABASE_MAX, "", &url->database, NULL) < 0)) {
        return bad("something other than ?db=N behind the path", e);
    }
    struct buf b = {0};
    buf_printf(&b, "redis+unix://%s?db=%lld", url->path, (long long)url->database);
    url->shown = mem_copy(b.at, b.len);
    buf_release(&b);
    return 0;
}

static int parse_sqlite(struct store_url *url, struct span rest, struct err *e)
{
    if (rest.len == 0) {
        return bad("no path", e);
    }
    url->path = mem_copy(rest.at, rest.len);
    struct buf b = {0};
    buf_printf(&b, "sqlite:%s", url->path);
    url->shown = mem_copy(b.at, b.len);
    buf_release(&b);
    return 0;
}

struct scheme {
    const char *prefix;
    enum store_scheme scheme;
    int (*parse)(struct store_url *url, struct span rest, struct err *e);
};

static const struct scheme schemes[] = {
    {"redis://", STORE_REDIS, parse_redis},
    {"redis+unix://", STORE_REDIS_UNIX, parse_unix},
    {"sqlite:", STORE_SQLITE, parse_sqlite},
};

/* No scheme that is known: say so without a word of what follows it. */
static int refuse_scheme(struct span text, struct err *e)
{
    static const char *const later[] = {"rediss:", "redis+sentinel:", "redis+cluster:"};
    for (size_t i = 0; i < sizeof later / sizeof *later; i++) {
        if (span_starts(text, span_text(later[i]))) {
            return err_set(e, ERR_USAGE, "stores of the kind %s// are not built in", later[i]);
        }
    }
    return err_set(e, ERR_USAGE,
                   "the URL of the store does not begin with redis://, "
                   "redis+unix:// or sqlite:");
}

int store_url_parse(struct store_url *url, const char *text, struct err *e)
{
    *url = (struct store_url){0};
    struct span all = span_text(text);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        struct span prefix = span_text(schemes[i].prefix);
        if (!span_starts(all, prefix)) {
            continue;
        }
        url->scheme = schemes[i].scheme;
        int rc = schemes[i].parse(url, span_of(all.at + prefix.len, all.len - prefix.len), e);
        if (rc < 0) {
            store_url_release(url);
        }
        return rc;
    }
    return refuse_scheme(all, e);
}

void store_url_release(struct store_url *url)
{
    free(url->user);
    if (url->password) {
        explicit_bzero(url->password, strlen(url->password));
    }
    free(url->password);
    free(url->host);
    free(url->path);
    free(url->shown);
    *url = (struct store_url){0};
}
