#include "object/bucket.h"

#include "base/mem.h"
#include "object/fetch.h"

const struct object_backend backend_bucket = {.name = "a bucket",
                                              .read = bucket_read,
                                              .read_version = bucket_read_version,
                                              .read_from = bucket_read_from,
                                              .head = bucket_head,
                                              .list = bucket_list,
                                              .put = bucket_put};

/* An object must have a name. */
static int need_key(const struct url *u, struct err *e)
{
    return u->key[0] ? 0
                     : err_set(e, ERR_USAGE, "%s is a bucket and not an object in one", u->shown);
}

/* A request for what U has, which moves into it.  NULL with E filled. */
static struct request *ask(struct object_client *c, struct url *u, struct err *e)
{
    if (need_key(u, e) < 0) {
        return NULL;
    }
    struct bucket_call *call = mem_new(1, sizeof *call);
    if (bucket_call_init(call, c, u, "read", "GET", e) < 0) {
        call->request.kind->release(&call->request);
        return NULL;
    }
    call->owned = *u;
    *u = (struct url){0};
    return &call->request;
}

int bucket_read(struct object_client *c, struct url *u, struct reader *r, struct writer *tied,
                struct err *e)
{
    struct request *q = ask(c, u, e);
    if (!q) {
        return -1;
    }
    q->tied = tied;
    return fetch_open(q, r, e);
}

int bucket_read_version(struct object_client *c, struct url *u, const char *version,
                        struct reader *r, struct writer *tied, struct err *e)
{
    struct request *q = ask(c, u, e);
    if (!q) {
        return -1;
    }
    q->tied = tied;
    bucket_call_ask((struct bucket_call *)q, "versionId", span_text(version));
    return fetch_open(q, r, e);
}

int bucket_read_from(struct object_client *c, struct url *u, uint64_t from, const char *etag,
                     struct reader *r, struct err *e)
{
    struct request *q = ask(c, u, e);
    return q ? fetch_open_from(q, from, etag, r, e) : -1;
}

int bucket_head(struct object_client *c, struct url *u, struct object_facts *facts, struct err *e)
{
    struct bucket_call call;
    if (need_key(u, e) < 0) {
        return -1;
    }
    int rc = bucket_call_init(&call, c, u, "look at", "HEAD", e);
    if (rc == 0) {
        rc = fetch_facts(&call.request, facts, e);
    }
    bucket_call_release(&call);
    return rc;
}
