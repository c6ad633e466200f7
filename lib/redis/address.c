#include "redis/address.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

enum { REDIS_PORT = 6379, SENTINEL_PORT = 26379, DATABASE_MAX = 1 << 20, PORT_MAX = 65535 };

/* ---- texts ---- */

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

/* Cut what stands before the first C off the front of *REST; all of it where there is no C. */
static struct span cut(struct span *rest, char c)
{
    const char *at = find(*rest, c);
    struct span head = at ? before(*rest, at) : *rest;
    *rest = at ? behind(*rest, at + 1) : span_of(rest->at + rest->len, 0);
    return head;
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

static int read_number(struct span text, int64_t max, const char *what, int64_t *out, struct err *e)
{
    struct err ignored;
    return units_integer(text, 0, max, out, &ignored) < 0 ? bad(what, e) : 0;
}

/* ---- parts ---- */

/* Take "[user]:password@" off the front of *REST. */
static int take_login(struct login *login, struct span *rest, struct err *e)
{
    /* A slash may stand in a password, so it ends at the last '@'. */
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
    login->user = colon > secret.at ? unescape(before(secret, colon)) : NULL;
    login->password = unescape(behind(secret, colon + 1));
    if (!login->password || (colon > secret.at && !login->user)) {
        return bad("a bad %XX escape before the '@'", e);
    }
    return 0;
}

static void add_endpoint(struct address *a, struct peer p)
{
    a->endpoints = mem_resize(a->endpoints, a->count + 1, sizeof *a->endpoints);
    a->endpoints[a->count++] = p;
}

/* HOST, HOST:PORT, [HOST] or [HOST]:PORT. */
static int read_endpoint(struct address *a, struct span text, struct err *e)
{
    struct span host = text;
    struct span port = {0};
    const char *bracket = text.len && text.at[0] == '[' ? find(text, ']') : NULL;
    if (bracket) {
        host = span_of(text.at + 1, (size_t)(bracket - text.at - 1));
        port = behind(text, bracket + 1);
    } else if (find(text, ':')) {
        host = before(text, find(text, ':'));
        port = behind(text, host.at + host.len);
    }
    int64_t number = a->kind == ADDRESS_SENTINEL ? SENTINEL_PORT : REDIS_PORT;
    if (port.len > 0 && (port.at[0] != ':' || port.len == 1 ||
                         read_number(behind(port, port.at + 1), PORT_MAX, "", &number, NULL) < 0)) {
        return bad("a bad port", e);
    }
    struct peer p = {unescape(host), (int)number, NULL};
    if (!p.host || !*p.host) {
        free(p.host);
        return bad("no host", e);
    }
    add_endpoint(a, p);
    return 0;
}

static int read_endpoints(struct address *a, struct span text, struct err *e)
{
    do {
        if (read_endpoint(a, cut(&text, ','), e) < 0) {
            return -1;
        }
        if (text.len > 0 && a->kind == ADDRESS_SINGLE) {
            return bad("several hosts, which only redis+sentinel:// and redis+cluster:// take", e);
        }
    } while (text.len > 0);
    return 0;
}

static int read_database(struct address *a, struct span text, struct err *e)
{
    return text.len ? read_number(text, DATABASE_MAX, "a bad database number", &a->database, e) : 0;
}

/* What a parameter behind the question mark fills, NULL if there is none of that name here. */
static char **parameter(struct address *a, struct span name)
{
    const struct {
        struct span name;
        char **value;
        bool here;
    } list[] = {
        {SPAN_LIT("ca"), &a->ca, a->tls},
        {SPAN_LIT("cert"), &a->cert, a->tls},
        {SPAN_LIT("key"), &a->key, a->tls},
        {SPAN_LIT("name"), &a->name, a->tls},
        {SPAN_LIT("sentinel-user"), &a->sentinel_login.user, a->kind == ADDRESS_SENTINEL},
        {SPAN_LIT("sentinel-password"), &a->sentinel_login.password, a->kind == ADDRESS_SENTINEL},
    };
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i].here && span_equal(list[i].name, name)) {
            return list[i].value;
        }
    }
    return NULL;
}

static int read_query(struct address *a, struct span query, struct err *e)
{
    while (query.len > 0) {
        struct span value = cut(&query, '&');
        struct span name = cut(&value, '=');
        if (span_equal(name, SPAN_LIT("db"))) {
            if (read_database(a, value, e) < 0) {
                return -1;
            }
            continue;
        }
        char **out = parameter(a, name);
        if (!out || *out) {
            return bad("a parameter behind '?' that is not known there, or is there twice", e);
        }
        *out = unescape(value);
        if (!*out || !**out) {
            return bad("a parameter behind '?' without a value", e);
        }
    }
    if (!a->cert != !a->key) {
        return bad("one of cert= and key=, which go together", e);
    }
    return 0;
}

/* ---- forms ---- */

static void show(struct address *a, struct span scheme)
{
    struct buf b = {0};
    buf_add_span(&b, scheme);
    for (size_t i = 0; i < a->count; i++) {
        const struct peer *p = &a->endpoints[i];
        bool brackets = strchr(p->host, ':') != NULL;
        buf_printf(&b, brackets ? "%s[%s]:%d" : "%s%s:%d", i ? "," : "", p->host, p->port);
    }
    if (a->master) {
        buf_printf(&b, "/%s", a->master);
    }
    if (a->kind != ADDRESS_CLUSTER) {
        buf_printf(&b, "/%lld", (long long)a->database);
    }
    a->shown = mem_text(buf_text(&b));
    buf_release(&b);
}

static int parse_hosts(struct address *a, struct span scheme, struct span rest, struct err *e)
{
    if (take_login(&a->login, &rest, e) < 0) {
        return -1;
    }
    struct span path = cut(&rest, '?');
    struct span query = rest;
    struct span hosts = cut(&path, '/');
    if (read_endpoints(a, hosts, e) < 0) {
        return -1;
    }
    if (a->kind == ADDRESS_SENTINEL) {
        a->master = unescape(cut(&path, '/'));
        if (!a->master || !*a->master) {
            return bad("no name of a master behind the sentinels", e);
        }
    }
    if (read_database(a, path, e) < 0 || read_query(a, query, e) < 0) {
        return -1;
    }
    if (a->kind == ADDRESS_CLUSTER && a->database != 0) {
        return bad("a database, of which a cluster has only one", e);
    }
    show(a, scheme);
    return 0;
}

static int parse_socket(struct address *a, struct span scheme, struct span rest, struct err *e)
{
    bool has_login = rest.len > 0 && rest.at[0] != '/';
    if (has_login && take_login(&a->login, &rest, e) < 0) {
        return -1;
    }
    struct span path = cut(&rest, '?');
    struct peer p = {.path = unescape(path)};
    if (!p.path || p.path[0] != '/') {
        free(p.path);
        return bad("no absolute path of a socket", e);
    }
    add_endpoint(a, p);
    if (read_query(a, rest, e) < 0) {
        return -1;
    }
    struct buf b = {0};
    buf_add_span(&b, scheme);
    buf_printf(&b, "%s?db=%lld", p.path, (long long)a->database);
    a->shown = mem_text(buf_text(&b));
    buf_release(&b);
    return 0;
}

struct scheme {
    struct span prefix;
    enum address_kind kind;
    bool tls;
    int (*parse)(struct address *a, struct span scheme, struct span rest, struct err *e);
};

static const struct scheme schemes[] = {
    {SPAN_LIT("redis://"), ADDRESS_SINGLE, false, parse_hosts},
    {SPAN_LIT("rediss://"), ADDRESS_SINGLE, true, parse_hosts},
    {SPAN_LIT("redis+unix://"), ADDRESS_SINGLE, false, parse_socket},
    {SPAN_LIT("redis+sentinel://"), ADDRESS_SENTINEL, false, parse_hosts},
    {SPAN_LIT("rediss+sentinel://"), ADDRESS_SENTINEL, true, parse_hosts},
    {SPAN_LIT("redis+cluster://"), ADDRESS_CLUSTER, false, parse_hosts},
    {SPAN_LIT("rediss+cluster://"), ADDRESS_CLUSTER, true, parse_hosts},
};

static const struct scheme *scheme_of(struct span url)
{
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        if (span_starts(url, schemes[i].prefix)) {
            return &schemes[i];
        }
    }
    return NULL;
}

bool address_is(struct span url)
{
    return scheme_of(url) != NULL;
}

int address_parse(struct address *a, const char *text, struct err *e)
{
    struct span url = span_text(text);
    const struct scheme *s = scheme_of(url);
    *a = (struct address){0};
    if (!s) {
        return bad("no scheme of a Redis", e);
    }
    a->kind = s->kind;
    a->tls = s->tls;
    int rc = s->parse(a, s->prefix, behind(url, url.at + s->prefix.len), e);
    if (rc < 0) {
        address_release(a);
    }
    return rc;
}

/* ---- life ---- */

struct peer peer_of(struct span host, int port)
{
    return (struct peer){mem_copy(host.at, host.len), port, NULL};
}

struct peer peer_copy(const struct peer *from)
{
    return (struct peer){mem_text(from->host), from->port, mem_text(from->path)};
}

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

bool peer_equal(const struct peer *a, const struct peer *b)
{
    return a->port == b->port && same_text(a->host, b->host) && same_text(a->path, b->path);
}

void peer_release(struct peer *p)
{
    free(p->host);
    free(p->path);
    *p = (struct peer){0};
}

static void release_login(struct login *l)
{
    if (l->password) {
        explicit_bzero(l->password, strlen(l->password));
    }
    free(l->user);
    free(l->password);
}

void address_release(struct address *a)
{
    for (size_t i = 0; i < a->count; i++) {
        peer_release(&a->endpoints[i]);
    }
    free(a->endpoints);
    release_login(&a->login);
    release_login(&a->sentinel_login);
    free(a->master);
    free(a->ca);
    free(a->cert);
    free(a->key);
    free(a->name);
    free(a->shown);
    *a = (struct address){0};
}
