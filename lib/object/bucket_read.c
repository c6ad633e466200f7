#include "object/bucket.h"

#include "base/mem.h"
#include "object/fetch.h"

const struct object_backend backend_bucket = {.name = "a bucket",
                                              .read = bucket_read,
                                              .head = bucket_head,
                                              .list = bucket_list,
                                              .put = bucket_put};

/* An object must have a name. */
static int need_key(const struct url *u, struct err *e)
{
    return u->key[0] ? 0
                     : err_set(e, ERR_USAGE, "%s is a bucket and not an object in one", u->shown);
}

int bucket_read(struct object_client *c, struct url *u, struct reader *r, struct writer *tied,
                struct err *e)
{
    if (need_key(u, e) < 0) {
        return -1;
    }
    struct bucket_call *call = mem_new(1, sizeof *call);
    if (bucket_call_init(call, c, u, "read", "GET", e) < 0) {
        call->request.kind->release(&call->request);
        return -1;
    }
    call->owned = *u;
    *u = (struct url){0};
    call->request.tied = tied;
    return fetch_open(&call->request, r, e);
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
