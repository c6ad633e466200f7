#include "object/backend.h"

#include "base/mem.h"
#include "object/fetch.h"
#include "object/request.h"

#include <stdlib.h>
#include <string.h>

/* A request to a web address. */
struct page {
    struct request request; /* first: the functions of its kind get at the rest */
    struct url url;
};

static int write_page(struct request *q, struct err *e)
{
    (void)e;
    q->url = ((struct page *)q)->url.place;
    for (size_t i = 0; i < q->extra_count; i++) {
        request_header(q, q->extra[i].name, q->extra[i].value);
    }
    return 0;
}

static bool judge_page(struct request *q, const struct http_transfer *t, struct span body,
                       struct err *e)
{
    static const long passing[] = {408, 429, 500, 502, 503, 504};
    (void)t, (void)body;
    enum err_code code = ERR_IO;
    for (size_t i = 0; i < sizeof passing / sizeof *passing; i++) {
        code = q->status == passing[i] ? ERR_LATER : code;
    }
    const char *text = q->status == 401 || q->status == 403   ? "access is denied"
                       : q->status == 404 || q->status == 410 ? "it does not exist"
                       : q->status >= 500                     ? "the server does not serve now"
                                                              : "the server refuses";
    err_set(e, code, "%s (HTTP %ld)", text, q->status);
    return false;
}

static void free_page(struct request *q)
{
    struct page *p = (struct page *)q;
    arena_release(&q->arena);
    url_release(&p->url);
    free(p);
}

/* A request for U, which moves into it.  NULL with E filled. */
static struct page *new_page(struct object_client *c, struct url *u, const char *method,
                             struct err *e)
{
    static const struct request_kind kind = {
        .write = write_page, .judge = judge_page, .release = free_page};
    struct http *http = backend_http(c, e);
    if (!http) {
        return NULL;
    }
    struct page *p = mem_new(1, sizeof *p);
    p->url = *u;
    *u = (struct url){0};
    p->request = (struct request){.kind = &kind,
                                  .http = http,
                                  .settings = &c->settings,
                                  .verb = "read",
                                  .shown = p->url.shown,
                                  .method = method,
                                  .follow = true};
    return p;
}

static int read_page(struct object_client *c, struct url *u, struct reader *r, struct writer *tied,
                     struct err *e)
{
    struct page *p = new_page(c, u, "GET", e);
    if (!p) {
        return -1;
    }
    p->request.tied = tied;
    return fetch_open(&p->request, r, e);
}

static int head_page(struct object_client *c, struct url *u, struct object_facts *facts,
                     struct err *e)
{
    struct page *p = new_page(c, u, "HEAD", e);
    if (!p) {
        return -1;
    }
    p->request.accepts[1] = 405; /* there are servers that answer no HEAD */
    p->request.accepts[2] = 501;
    int rc = fetch_facts(&p->request, facts, e);
    if (rc == 1 && p->request.status >= 300) {
        *facts = (struct object_facts){0};
    }
    free_page(&p->request);
    return rc;
}

const struct object_backend backend_web = {
    .name = "a web address", .read = read_page, .head = head_page};
