/* ListObjectsV2 (reference/distributed-map.md 5.2): the objects of a bucket, a page at a time. */
#include "object/bucket.h"

#include "base/mem.h"
#include "base/units.h"
#include "object/stamp.h"
#include "object/xml.h"

#include <stdlib.h>
#include <string.h>

/* What a page says about an object. */
enum member { KEY, SIZE, ETAG, MODIFIED, CLASS, TYPE, RESTORE, MEMBERS };

static const char *const member_paths[MEMBERS] = {
    "ListBucketResult/Contents/Key",          "ListBucketResult/Contents/Size",
    "ListBucketResult/Contents/ETag",         "ListBucketResult/Contents/LastModified",
    "ListBucketResult/Contents/StorageClass", "ListBucketResult/Contents/Type",
    "ListBucketResult/Contents/RestoreInfo"};

/* Where a text lies in page.text. */
struct place_of {
    size_t at;
    size_t len;
};

struct row {
    struct place_of members[MEMBERS];
};

struct listing {
    struct object_list list; /* first */
    struct object_client *client;
    struct url url;
    struct writer *tied;

    /* the page at hand */
    struct buf text;
    struct row *rows;
    size_t count;
    size_t cap;
    size_t next;
    bool is_listing;  /* the answer is one */
    bool encoded;     /* keys are percent-encoded */
    bool truncated;   /* another page follows */
    struct buf token; /* that begins there */

    bool begun;
    struct buf answer;
    struct buf before; /* the token of the page at hand, to see that it goes on */
    struct buf key;
    struct buf modified;
};

/* ---- reading a page ---- */

static void on_begin(void *context, const char *path)
{
    struct listing *l = context;
    if (strcmp(path, "ListBucketResult/Contents") == 0) {
        l->rows = mem_grow(l->rows, &l->cap, l->count, sizeof *l->rows);
        l->rows[l->count++] = (struct row){0};
    }
}

static void keep_member(struct listing *l, const char *path, struct span text)
{
    for (size_t i = 0; i < MEMBERS; i++) {
        if (strcmp(path, member_paths[i]) == 0) {
            l->rows[l->count - 1].members[i] = (struct place_of){l->text.len, text.len};
            buf_add_span(&l->text, text);
            return;
        }
    }
}

static void on_end(void *context, const char *path, struct span text)
{
    struct listing *l = context;
    if (strncmp(path, "ListBucketResult/Contents/", 26) == 0) {
        keep_member(l, path, text);
    } else if (strcmp(path, "ListBucketResult/IsTruncated") == 0) {
        l->truncated = span_equal(text, SPAN_LIT("true"));
    } else if (strcmp(path, "ListBucketResult/NextContinuationToken") == 0) {
        buf_add_span(&l->token, text);
    } else if (strcmp(path, "ListBucketResult/EncodingType") == 0) {
        l->encoded = span_equal(text, SPAN_LIT("url"));
    } else if (strcmp(path, "ListBucketResult") == 0) {
        l->is_listing = true;
    }
}

static int parse_page(struct listing *l, struct err *e)
{
    static const struct xml_reader reader = {.begin = on_begin, .end = on_end};
    l->count = l->next = 0;
    l->is_listing = l->encoded = l->truncated = false;
    buf_reset(&l->text);
    buf_reset(&l->token);
    if (xml_read(buf_span(&l->answer), &reader, l, e) < 0) {
        return -1;
    }
    if (!l->is_listing) {
        return err_set(e, ERR_DATA, "the answer is no listing of objects");
    }
    if (l->truncated && l->token.len == 0) {
        return err_set(e, ERR_DATA,
                       "the server says that there is more but not how to ask for it (it may not"
                       " know ListObjectsV2)");
    }
    if (l->truncated && span_equal(buf_span(&l->token), buf_span(&l->before))) {
        return err_set(e, ERR_DATA,
                       "the server sends the same part of the listing again and again");
    }
    return 0;
}

static int ask_for_page(struct listing *l, struct bucket_call *call, struct err *e)
{
    struct http_transfer *t;
    struct buf page = {0};
    buf_add_i64(&page, l->client->settings.page);
    call->key = (struct span){0};
    call->request.tied = l->tied;
    bucket_call_ask(call, "list-type", SPAN_LIT("2"));
    bucket_call_ask(call, "encoding-type", SPAN_LIT("url"));
    bucket_call_ask(call, "max-keys", buf_span(&page));
    if (l->url.key[0]) {
        bucket_call_ask(call, "prefix", span_text(l->url.key));
    }
    if (l->before.len > 0) {
        bucket_call_ask(call, "continuation-token", buf_span(&l->before));
    }
    int rc = request_fetch(&call->request, &l->answer, &t, e);
    if (rc == 0) {
        http_end(t);
    }
    buf_release(&page);
    return rc;
}

/* Get the next page, which begins at l->token. */
static int next_page(struct listing *l, struct err *e)
{
    struct bucket_call call;
    buf_reset(&l->before);
    buf_add_span(&l->before, buf_span(&l->token));
    int rc = bucket_call_init(&call, l->client, &l->url, "list", "GET", e);
    if (rc == 0) {
        rc = ask_for_page(l, &call, e);
    }
    if (rc == 0 && parse_page(l, e) < 0) {
        rc = request_fail(&call.request, e);
    }
    bucket_call_release(&call);
    l->begun = true;
    return rc;
}

/* ---- handing out ---- */

static struct span member(const struct listing *l, const struct row *r, enum member m)
{
    return r->members[m].len > 0 ? span_of(l->text.at + r->members[m].at, r->members[m].len)
                                 : (struct span){0};
}

static int wrong(const struct listing *l, const char *what, struct span text, struct err *e)
{
    return err_set(e, ERR_DATA, "cannot list %s: the server names an object of the %s '%.*s'",
                   l->url.shown, what, text.len < 200 ? (int)text.len : 200,
                   text.len > 0 ? text.at : "");
}

static int fill_entry(struct listing *l, const struct row *r, struct object_entry *entry,
                      struct err *e)
{
    int64_t size;
    struct span key = member(l, r, KEY);
    struct span number = member(l, r, SIZE);
    if (units_integer(number, 0, INT64_MAX, &size, NULL) < 0) {
        return wrong(l, "size", number, e);
    }
    buf_reset(&l->key);
    if (key.len == 0 || (l->encoded && !escape_undo(&l->key, key))) {
        return wrong(l, "key", key, e);
    }
    buf_reset(&l->modified);
    stamp_normalise(member(l, r, MODIFIED), &l->modified);
    *entry = (struct object_entry){.key = l->encoded ? buf_span(&l->key) : key,
                                   .size = (uint64_t)size,
                                   .etag = member(l, r, ETAG),
                                   .last_modified = buf_span(&l->modified),
                                   .storage_class = member(l, r, CLASS),
                                   .type = member(l, r, TYPE),
                                   .restore_info = member(l, r, RESTORE)};
    return 1;
}

static int next_object(struct object_list *list, struct object_entry *entry, struct err *e)
{
    struct listing *l = (struct listing *)list;
    while (l->next == l->count) {
        if (l->begun && !l->truncated) {
            return 0;
        }
        if (next_page(l, e) < 0) {
            return -1;
        }
    }
    return fill_entry(l, &l->rows[l->next++], entry, e);
}

static void close_listing(struct object_list *list)
{
    struct listing *l = (struct listing *)list;
    url_release(&l->url);
    free(l->rows);
    buf_release(&l->text);
    buf_release(&l->token);
    buf_release(&l->answer);
    buf_release(&l->before);
    buf_release(&l->key);
    buf_release(&l->modified);
    free(l);
}

int bucket_list(struct object_client *c, struct url *u, const struct object_list_options *options,
                struct object_list **out, struct err *e)
{
    struct listing *l = mem_new(1, sizeof *l);
    *l = (struct listing){
        .list = {next_object, close_listing}, .client = c, .url = *u, .tied = options->tied};
    *u = (struct url){0};
    if (next_page(l, e) < 0) {
        close_listing(&l->list);
        return -1;
    }
    *out = &l->list;
    return 0;
}
