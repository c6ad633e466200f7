/*
 * Writing an object: one PUT, or an upload in parts (reference/distributed-map.md 5.2).
 */
#include "object/bucket.h"

#include "base/mem.h"
#include "digest/digest.h"
#include "object/xml.h"

#include <stdlib.h>
#include <string.h>

enum {
    PARTS_MAX = 10000,
    PARTS_ALIKE = 2000, /* after so many, parts are twice as large, */
    PART_MAX = 1 << 30  /* but not larger than this */
};

struct upload {
    struct writer out;
    struct object_client *client;
    struct url url;
    bool create;
    char *content_type; /* NULL: none */

    struct buf part; /* the bytes of the part at hand */
    uint64_t total;  /* bytes in all */
    size_t count;    /* parts that went up */
    struct buf list; /* of these, as XML */
    struct buf id;   /* of the upload in parts; empty: it has not begun */
    bool failed;
    struct err failure;
};

/* ---- requests ---- */

static int begin(struct upload *u, struct bucket_call *call, const char *method, struct err *e)
{
    return bucket_call_init(call, u->client, &u->url, "write", method, e);
}

static void say_type(const struct upload *u, struct bucket_call *call)
{
    if (u->content_type) {
        bucket_call_header(call, "content-type", span_text(u->content_type));
    }
}

static void say_create(const struct upload *u, struct bucket_call *call)
{
    if (u->create) {
        const struct sign_header *h = &call->bucket->dialect->create;
        bucket_call_header(call, h->name, h->value);
    }
}

/* Send CALL and let it go; its answer is in BODY.  0, or -1 with E filled. */
static int exchange(struct bucket_call *call, struct buf *body, struct err *e)
{
    struct http_transfer *t;
    int rc = request_fetch(&call->request, body, &t, e);
    if (rc == 0) {
        http_end(t);
    }
    return rc;
}

/* Was it refused because something is there? */
static bool is_taken(const struct upload *u, const struct bucket_call *call)
{
    return u->create &&
           (call->request.status == 412 || strcmp(call->code, "FileAlreadyExists") == 0);
}

/* Is what is there what we wrote: as long, and with an ETag that HASH is the beginning of? */
static bool is_ours(struct upload *u, struct span etag)
{
    struct object_facts facts;
    struct err ignored = {0};
    return bucket_head(u->client, &u->url, &facts, &ignored) == 1 && facts.size == u->total &&
           memmem(facts.etag, strlen(facts.etag), etag.at, etag.len);
}

static int add_doubt(const struct bucket_call *call, struct err *e)
{
    if (call->request.doubtful) {
        err_set(e, e->code, "%s; it is not known whether it was written all the same", e->text);
    }
    return -1;
}

/* ---- in one piece ---- */

static bool is_our_piece(struct upload *u)
{
    struct buf md5 = {0};
    bool ours = digest_hex(digest_find(SPAN_LIT("MD5")), buf_span(&u->part), &md5, NULL) == 0 &&
                is_ours(u, buf_span(&md5));
    buf_release(&md5);
    return ours;
}

static int put_whole(struct upload *u, struct err *e)
{
    struct bucket_call call;
    struct buf answer = {0};
    int rc = begin(u, &call, "PUT", e);
    if (rc == 0) {
        say_type(u, &call);
        say_create(u, &call);
        call.request.body = buf_span(&u->part);
        call.request.once = u->create;
        rc = exchange(&call, &answer, e);
        if (rc < 0 && is_taken(u, &call)) {
            rc = call.request.doubtful && is_our_piece(u) ? 0 : 1;
        } else if (rc < 0) {
            rc = add_doubt(&call, e);
        }
    }
    bucket_call_release(&call);
    buf_release(&answer);
    return rc;
}

/* ---- in parts ---- */

static void on_end(void *context, const char *path, struct span text)
{
    if (strcmp(path, "InitiateMultipartUploadResult/UploadId") == 0) {
        buf_add_span(context, text);
    }
}

static int begin_parts(struct upload *u, struct err *e)
{
    static const struct xml_reader reader = {.end = on_end};
    struct bucket_call call;
    struct buf answer = {0};
    int rc = begin(u, &call, "POST", e);
    if (rc == 0) {
        say_type(u, &call);
        bucket_call_ask(&call, "uploads", (struct span){0});
        rc = exchange(&call, &answer, e);
    }
    if (rc == 0 && xml_read(buf_span(&answer), &reader, &u->id, e) == 0 && u->id.len == 0) {
        err_set(e, ERR_DATA, "the server gives the upload no name");
    }
    if (rc == 0 && u->id.len == 0) {
        rc = request_fail(&call.request, e);
    }
    bucket_call_release(&call);
    buf_release(&answer);
    return rc;
}

/* Note that a part went up. */
static void list_part(struct upload *u, struct span etag)
{
    buf_printf(&u->list, "<Part><PartNumber>%zu</PartNumber><ETag>", ++u->count);
    for (size_t i = 0; i < etag.len; i++) {
        char c = etag.at[i];
        const char *escape = c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : NULL;
        buf_add(&u->list, escape ? escape : &c, escape ? strlen(escape) : 1);
    }
    buf_add_text(&u->list, "</ETag></Part>");
}

static int ask_for_part(struct upload *u, struct bucket_call *call, struct err *e)
{
    struct http_transfer *t;
    struct buf answer = {0};
    char number[24];
    number[buf_digits(number, u->count + 1)] = '\0';
    bucket_call_ask(call, "partNumber", span_text(number));
    bucket_call_ask(call, "uploadId", buf_span(&u->id));
    call->request.body = buf_span(&u->part);
    int rc = request_fetch(&call->request, &answer, &t, e);
    buf_release(&answer);
    if (rc < 0) {
        return -1;
    }
    struct span etag = http_header(t, "etag");
    if (etag.len == 0) {
        err_set(e, ERR_DATA, "the server gives a part no ETag");
        rc = request_fail(&call->request, e);
    } else {
        list_part(u, etag);
    }
    http_end(t);
    return rc;
}

/* Send the part at hand. 0, or -1 with E filled. */
static int send_part(struct upload *u, struct err *e)
{
    struct bucket_call call;
    if (u->count == PARTS_MAX) {
        return err_set(e, ERR_IO, "cannot write %s: %llu bytes do not fit into %d parts",
                       u->url.shown, (unsigned long long)u->total, PARTS_MAX);
    }
    if (u->id.len == 0 && begin_parts(u, e) < 0) {
        return -1;
    }
    int rc = begin(u, &call, "PUT", e);
    if (rc == 0) {
        rc = ask_for_part(u, &call, e);
    }
    bucket_call_release(&call);
    buf_reset(&u->part);
    return rc;
}

static bool are_our_parts(struct upload *u)
{
    struct buf end = {0};
    buf_printf(&end, "-%zu\"", u->count);
    bool ours = is_ours(u, buf_span(&end));
    buf_release(&end);
    return ours;
}

/* How a refusal to complete the upload is to be taken: 0, 1, or -1 with E filled. */
static int judge_refusal(struct upload *u, const struct bucket_call *call, struct err *e)
{
    bool doubtful = call->request.doubtful;
    if (is_taken(u, call)) {
        return doubtful && are_our_parts(u) ? 0 : 1;
    }
    if (doubtful && call->request.status == 404 && are_our_parts(u)) {
        return 0; /* the upload is gone because it was completed, and the answer got lost */
    }
    return add_doubt(call, e);
}

static int complete_parts(struct upload *u, struct err *e)
{
    struct bucket_call call;
    struct buf body = {0};
    struct buf answer = {0};
    buf_printf(&body, "<CompleteMultipartUpload>%s</CompleteMultipartUpload>", buf_text(&u->list));
    int rc = begin(u, &call, "POST", e);
    if (rc == 0) {
        say_create(u, &call);
        bucket_call_header(&call, "content-type", SPAN_LIT("application/xml"));
        bucket_call_ask(&call, "uploadId", buf_span(&u->id));
        call.request.body = buf_span(&body);
        call.request.once = true;
        call.request.late_fault = true;
        rc = exchange(&call, &answer, e);
        if (rc < 0) {
            rc = judge_refusal(u, &call, e);
        }
    }
    bucket_call_release(&call);
    buf_release(&answer);
    buf_release(&body);
    return rc;
}

/* Take back the parts that went up. 0, or -1 with E filled. */
static int abort_parts(struct upload *u, struct err *e)
{
    struct bucket_call call;
    struct buf answer = {0};
    int rc = begin(u, &call, "DELETE", e);
    if (rc == 0) {
        bucket_call_ask(&call, "uploadId", buf_span(&u->id));
        call.request.accepts[0] = 404;
        rc = exchange(&call, &answer, e);
    }
    bucket_call_release(&call);
    buf_release(&answer);
    return rc;
}

/* ---- the sink ---- */

static size_t part_size(const struct upload *u)
{
    size_t first = (size_t)u->client->settings.part_bytes;
    size_t size = first << (u->count / PARTS_ALIKE);
    return size < PART_MAX ? size : first > PART_MAX ? first : PART_MAX;
}

static int take(void *state, const char *at, size_t n)
{
    struct upload *u = state;
    while (n > 0 && !u->failed) {
        size_t room = part_size(u) - u->part.len;
        size_t step = n < room ? n : room;
        buf_add(&u->part, at, step);
        u->total += step;
        at += step;
        n -= step;
        if (n > 0) { /* the last part waits for the commit: it may be the only one */
            u->failed = send_part(u, &u->failure) < 0;
        }
    }
    return u->failed ? -1 : 0;
}

static int why(void *state, struct err *e)
{
    const struct upload *u = state;
    *e = u->failure;
    return -1;
}

static void free_upload(struct upload *u)
{
    writer_release(&u->out);
    url_release(&u->url);
    free(u->content_type);
    buf_release(&u->part);
    buf_release(&u->list);
    buf_release(&u->id);
    free(u);
}

static int finish(struct upload *u, struct err *e)
{
    if (writer_flush(&u->out, e) < 0) {
        return -1;
    }
    if (u->id.len == 0) {
        return put_whole(u, e);
    }
    return send_part(u, e) < 0 ? -1 : complete_parts(u, e);
}

/* Nothing is to become of U; if E says why, it also says where parts stay. */
static void take_back(struct upload *u, struct err *e)
{
    struct err other = {0};
    if (u->id.len > 0 && abort_parts(u, &other) < 0 && e && e->code != ERR_NONE) {
        err_set(e, e->code, "%s; the parts that went up could not be taken back", e->text);
    }
}

static int commit(void *state, struct err *e)
{
    struct upload *u = state;
    int rc = finish(u, e);
    if (rc != 0) {
        take_back(u, rc < 0 ? e : NULL);
    }
    free_upload(u);
    return rc;
}

static void forget(void *state, struct err *e)
{
    take_back(state, e);
    free_upload(state);
}

int bucket_put(struct object_client *c, struct url *u, const struct object_put_options *options,
               struct object_put *p, struct err *e)
{
    static const struct writer_sink sink = {take, why};
    static const struct object_put_kind kind = {commit, forget};
    if (!u->key[0]) {
        return err_set(e, ERR_USAGE, "%s is a bucket and not an object in one", u->shown);
    }
    if (!bucket_of(c, u, e)) {
        return -1;
    }
    struct upload *up = mem_new(1, sizeof *up);
    up->client = c;
    up->url = *u;
    up->create = options->create;
    up->content_type = mem_text(options->content_type);
    *u = (struct url){0};
    writer_init_sink(&up->out, &sink, up, up->url.shown);
    *p = (struct object_put){.out = &up->out, .kind = &kind, .state = up};
    return 0;
}
