#include "tunnel/base_object.h"

#include "io/fd.h"
#include "io/unpack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- looking ---- */

static int is_packed(struct object_client *objects, const char *place, const char *etag,
                     struct err *e)
{
    struct reader r;
    if (object_read_from(objects, place, 0, etag, &r, e) < 0) {
        return -1;
    }
    int rc = base_is_packed(&r, e);
    reader_release(&r);
    return rc;
}

int base_object_look(struct object_client *objects, const char *place, struct base_facts *facts,
                     struct err *e)
{
    struct object_facts o;
    int rc = object_head(objects, place, &o, e);
    if (rc <= 0) {
        return rc < 0 ? -1 : err_set(e, ERR_IO, "there is no %s", place);
    }
    if (!o.sized || o.etag[0] == '\0') {
        return err_set(e, ERR_DATA, "%s has no size or no ETag: nothing tells if it changes",
                       place);
    }
    *facts = (struct base_facts){.size = o.size};
    snprintf(facts->mark, sizeof facts->mark, "%llu:%s", (unsigned long long)o.size, o.etag);
    rc = o.size > 0 ? is_packed(objects, place, o.etag, e) : 0;
    facts->packed = rc > 0;
    return rc < 0 ? -1 : 0;
}

/* ---- reading ---- */

struct errand {
    struct object_client *objects;
    const struct base_part *part;
    uint64_t at;
};

/* Pass on what R reads, but for its first SKIP bytes. */
static int pass_on(struct reader *r, uint64_t skip, int out, struct err *e)
{
    for (;;) {
        struct span bytes = reader_bytes(r);
        size_t over = bytes.len < skip ? bytes.len : (size_t)skip;
        skip -= over;
        if (fd_write(out, span_of(bytes.at + over, bytes.len - over)) < 0) {
            return 0; /* nobody wants the rest */
        }
        reader_take(r, bytes.len);
        int got = reader_fill(r, e);
        if (got <= 0) {
            return got < 0 || skip == 0
                       ? got
                       : err_set(e, ERR_DATA, "source changed: %s is shorter", r->name);
        }
    }
}

static int run_errand(void *context, int out, struct err *e)
{
    const struct errand *a = context;
    const char *colon = strchr(a->part->mark, ':');
    bool packed = a->part->to < 0;
    struct reader r;
    if (object_read_from(a->objects, a->part->path, packed ? 0 : a->at, colon ? colon + 1 : "", &r,
                         e) < 0) {
        return -1;
    }
    int rc = packed ? reader_unpack(&r, e) : 0;
    rc = rc < 0 ? -1 : pass_on(&r, packed ? a->at : 0, out, e);
    reader_release(&r);
    return rc;
}

int base_object_start(struct helper *h, struct object_client *objects, const struct base_part *part,
                      int64_t at, struct err *e)
{
    struct errand errand = {objects, part, (uint64_t)at};
    return helper_start(h, run_errand, &errand, e);
}
