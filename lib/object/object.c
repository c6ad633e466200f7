#include "object/object.h"

#include "base/mem.h"
#include "object/backend.h"
#include "object/bucket.h"

#include <stdlib.h>

int object_client_open(struct object_client **out, const struct object_settings *settings,
                       struct err *e)
{
    (void)e;
    *out = mem_new(1, sizeof **out);
    (*out)->settings = *settings;
    return 0;
}

void object_client_close(struct object_client *c)
{
    if (!c) {
        return;
    }
    while (c->buckets) {
        struct bucket *next = c->buckets->next;
        bucket_free(c->buckets);
        c->buckets = next;
    }
    http_close(c->http);
    free(c);
}

struct http *backend_http(struct object_client *c, struct err *e)
{
    if (!c->http && http_open(&c->http, &c->settings, e) < 0) {
        return NULL;
    }
    return c->http;
}

bool object_is_url(const char *place)
{
    return url_scheme_of(place) != URL_PATH;
}

static const struct object_backend *backend_of(const struct object_client *c, const struct url *u)
{
    bool rooted = c->settings.root && *c->settings.root;
    return u->scheme == URL_PATH  ? &backend_path
           : u->scheme == URL_WEB ? &backend_web
           : rooted               ? &backend_rooted
                                  : &backend_bucket;
}

static int cannot(const struct url *u, const struct object_backend *b, const char *what,
                  struct err *e)
{
    return err_set(e, ERR_USAGE, "cannot %s %s: it is %s", what, u->shown, b->name);
}

int object_read(struct object_client *c, const char *place, struct reader *r, struct writer *tied,
                struct err *e)
{
    struct url u;
    *r = (struct reader){.fd = -1};
    int rc = url_parse(&u, place, e);
    if (rc == 0) {
        rc = backend_of(c, &u)->read(c, &u, r, tied, e);
    }
    url_release(&u);
    return rc;
}

int object_read_version(struct object_client *c, const char *place, const char *version,
                        struct reader *r, struct writer *tied, struct err *e)
{
    struct url u;
    *r = (struct reader){.fd = -1};
    int rc = url_parse(&u, place, e);
    if (rc == 0) {
        const struct object_backend *b = backend_of(c, &u);
        rc = b->read_version ? b->read_version(c, &u, version, r, tied, e)
                             : cannot(&u, b, "read a version of", e);
    }
    url_release(&u);
    return rc;
}

int object_read_from(struct object_client *c, const char *place, uint64_t from, const char *etag,
                     struct reader *r, struct err *e)
{
    struct url u;
    *r = (struct reader){.fd = -1};
    int rc = url_parse(&u, place, e);
    if (rc == 0) {
        const struct object_backend *b = backend_of(c, &u);
        rc = b->read_from ? b->read_from(c, &u, from, etag, r, e)
                          : cannot(&u, b, "read a part of", e);
    }
    url_release(&u);
    return rc;
}

int object_head(struct object_client *c, const char *place, struct object_facts *facts,
                struct err *e)
{
    struct url u;
    int rc = url_parse(&u, place, e);
    if (rc == 0) {
        rc = backend_of(c, &u)->head(c, &u, facts, e);
    }
    url_release(&u);
    return rc;
}

int object_list_open(struct object_client *c, const char *place,
                     const struct object_list_options *options, struct object_list **out,
                     struct err *e)
{
    static const struct object_list_options defaults = {0};
    struct url u;
    *out = NULL;
    int rc = url_parse(&u, place, e);
    if (rc == 0) {
        const struct object_backend *b = backend_of(c, &u);
        rc = b->list ? b->list(c, &u, options ? options : &defaults, out, e)
                     : cannot(&u, b, "list", e);
    }
    url_release(&u);
    return rc;
}

int object_list_next(struct object_list *l, struct object_entry *entry, struct err *e)
{
    *entry = (struct object_entry){0};
    return l->next(l, entry, e);
}

void object_list_close(struct object_list *l)
{
    if (l) {
        l->close(l);
    }
}

int object_put_open(struct object_client *c, const char *place,
                    const struct object_put_options *options, struct object_put *p, struct err *e)
{
    static const struct object_put_options defaults = {0};
    struct url u;
    *p = (struct object_put){0};
    int rc = url_parse(&u, place, e);
    if (rc == 0) {
        const struct object_backend *b = backend_of(c, &u);
        rc =
            b->put ? b->put(c, &u, options ? options : &defaults, p, e) : cannot(&u, b, "write", e);
    }
    url_release(&u);
    return rc;
}

int object_put_commit(struct object_put *p, struct err *e)
{
    int rc = p->kind->commit(p->state, e);
    *p = (struct object_put){0};
    return rc;
}

void object_put_abort(struct object_put *p, struct err *e)
{
    if (p->kind) {
        p->kind->forget(p->state, e);
    }
    *p = (struct object_put){0};
}
