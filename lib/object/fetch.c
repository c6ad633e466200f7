#include "object/fetch.h"

#include "base/mem.h"
#include "base/units.h"

#include <stdlib.h>
#include <string.h>

struct fetch {
    struct request *q;
    size_t extra_count; /* headers of Q that are not ours */
    struct http_transfer *transfer;
    uint64_t offset; /* of the next byte */
    uint64_t total;  /* of all bytes, where `sized` */
    uint64_t skip;   /* bytes to pass over: the server began at the front again */
    bool sized;
    struct buf etag;     /* of the object that we read; empty: it has none */
    struct buf modified; /* and its date */
    struct buf range;
    struct retry retry;
};

/* ---- what an answer says about itself ---- */

static bool read_number(struct span text, uint64_t *out)
{
    int64_t n;
    if (units_integer(text, 0, INT64_MAX, &n, NULL) < 0) {
        return false;
    }
    *out = (uint64_t)n;
    return true;
}

/* "bytes FIRST-LAST/TOTAL"; TOTAL may be "*". */
static bool read_range(struct span text, uint64_t *first, uint64_t *total, bool *sized)
{
    if (!span_starts(text, SPAN_LIT("bytes "))) {
        return false;
    }
    text = span_of(text.at + 6, text.len - 6);
    const char *dash = memchr(text.at, '-', text.len);
    const char *slash = memchr(text.at, '/', text.len);
    if (!dash || !slash || dash > slash) {
        return false;
    }
    struct span all = span_of(slash + 1, text.len - (size_t)(slash + 1 - text.at));
    *sized = read_number(all, total);
    return read_number(span_of(text.at, (size_t)(dash - text.at)), first);
}

static bool is_strong(const struct buf *etag)
{
    return etag->len > 0 && !span_starts(buf_span(etag), SPAN_LIT("W/"));
}

static void learn(struct fetch *f)
{
    buf_add_span(&f->etag, http_header(f->transfer, "etag"));
    buf_add_span(&f->modified, http_header(f->transfer, "last-modified"));
    f->sized = read_number(http_header(f->transfer, "content-length"), &f->total);
}

/* ---- going on after a break ---- */

static int replaced(const struct fetch *f, struct err *e)
{
    return err_set(e, ERR_IO, "%s was replaced while it was read (byte %llu)", f->q->shown,
                   (unsigned long long)f->offset);
}

static int not_resumable(const struct fetch *f, const char *why, struct err *e)
{
    return err_set(e, ERR_LATER, "cannot read %s: it broke off at byte %llu (%s), and %s",
                   f->q->shown, (unsigned long long)f->offset, e->text, why);
}

/* Ask for what is left, of the same object only. */
static void ask_for_rest(struct fetch *f)
{
    struct request *q = f->q;
    q->extra_count = f->extra_count;
    buf_reset(&f->range);
    buf_printf(&f->range, "bytes=%llu-", (unsigned long long)f->offset);
    q->extra[q->extra_count++] = (struct sign_header){"range", buf_span(&f->range)};
    if (is_strong(&f->etag)) {
        q->extra[q->extra_count++] = (struct sign_header){"if-match", buf_span(&f->etag)};
    } else if (f->modified.len > 0) {
        q->extra[q->extra_count++] =
            (struct sign_header){"if-unmodified-since", buf_span(&f->modified)};
    }
}

/* Is what answers still the same, and where does it begin? */
static int check_rest(struct fetch *f, struct err *e)
{
    uint64_t first = 0;
    uint64_t total = 0;
    bool sized = false;
    struct span etag = http_header(f->transfer, "etag");
    struct span modified = http_header(f->transfer, "last-modified");
    if (!span_equal(etag, buf_span(&f->etag)) ||
        (etag.len == 0 && !span_equal(modified, buf_span(&f->modified)))) {
        return replaced(f, e);
    }
    if (f->q->status == 206) {
        struct span range = http_header(f->transfer, "content-range");
        if (!read_range(range, &first, &total, &sized) || first > f->offset) {
            return err_set(e, ERR_DATA, "cannot read %s: asked for byte %llu on, got \"%.*s\"",
                           f->q->shown, (unsigned long long)f->offset, (int)range.len, range.at);
        }
    } else {
        sized = read_number(http_header(f->transfer, "content-length"), &total);
    }
    if (sized && f->sized && total != f->total) {
        return replaced(f, e);
    }
    f->total = sized ? total : f->total;
    f->sized = f->sized || sized;
    f->skip = f->offset - first;
    return 0;
}

/* Reading failed with E. 0 if it goes on, -1 with E filled. */
static int resume(struct fetch *f, struct err *e)
{
    struct request *q = f->q;
    if (e->code != ERR_LATER) {
        return request_fail(q, e);
    }
    if (!is_strong(&f->etag) && f->modified.len == 0) {
        return not_resumable(f, "the server gives nothing to tell by that it is still the same", e);
    }
    http_end(f->transfer);
    f->transfer = NULL;
    if (retry_pause(&f->retry, (struct span){0}, q->tied, e) < 0) {
        return request_fail(q, e);
    }
    ask_for_rest(f);
    if (request_send(q, &f->transfer, e) < 0) {
        return q->status == 412 || q->status == 416 ? replaced(f, e) : -1;
    }
    return check_rest(f, e);
}

/* ---- the source ---- */

static ssize_t read_some(struct reader *r, char *at, size_t cap, struct err *e)
{
    struct fetch *f = r->state;
    if (!f->transfer) {
        return err_set(e, ERR_IO, "cannot read %s: it failed before", f->q->shown);
    }
    for (;;) {
        ssize_t n = http_read(f->transfer, at, cap, e);
        if (n < 0) {
            if (resume(f, e) < 0) {
                return -1;
            }
        } else if (n == 0) {
            return f->skip == 0 && (!f->sized || f->offset == f->total) ? 0 : replaced(f, e);
        } else if ((uint64_t)n <= f->skip) {
            f->skip -= (uint64_t)n;
        } else {
            size_t fresh = (size_t)n - (size_t)f->skip;
            memmove(at, at + f->skip, fresh);
            f->skip = 0;
            f->offset += fresh;
            f->retry.failures = 0;
            return (ssize_t)fresh;
        }
    }
}

static void release(void *state)
{
    struct fetch *f = state;
    http_end(f->transfer);
    f->q->kind->release(f->q);
    buf_release(&f->etag);
    buf_release(&f->modified);
    buf_release(&f->range);
    free(f);
}

/* What will read the answer to Q, which it owns. */
static struct fetch *new_fetch(struct request *q)
{
    struct fetch *f = mem_new(1, sizeof *f);
    *f = (struct fetch){
        .q = q, .extra_count = q->extra_count, .retry = {q->settings, q->verb, q->shown, 0}};
    return f;
}

static const struct reader_source source = {.read = read_some, .release = release};

int fetch_open(struct request *q, struct reader *r, struct err *e)
{
    struct http_transfer *t;
    if (request_send(q, &t, e) < 0) {
        q->kind->release(q);
        return -1;
    }
    struct fetch *f = new_fetch(q);
    f->transfer = t;
    learn(f);
    reader_init_source(r, &source, f, q->shown, q->tied);
    return 0;
}

/* The ETag has changed. */
static int changed(const struct fetch *f, struct err *e)
{
    return err_set(e, ERR_DATA, "source changed: %s is not the object that it was", f->q->shown);
}

int fetch_open_from(struct request *q, uint64_t from, const char *etag, struct reader *r,
                    struct err *e)
{
    struct fetch *f = new_fetch(q);
    buf_add_text(&f->etag, etag);
    f->offset = from;
    ask_for_rest(f);
    int rc = request_send(q, &f->transfer, e);
    if (rc < 0 && (q->status == 412 || q->status == 416)) {
        changed(f, e);
    } else if (rc == 0 && !span_equal(http_header(f->transfer, "etag"), buf_span(&f->etag))) {
        rc = changed(f, e); /* a server that does not know the condition */
    }
    if (rc < 0 || check_rest(f, e) < 0) {
        release(f);
        return -1;
    }
    reader_init_source(r, &source, f, q->shown, q->tied);
    r->offset = from;
    return 0;
}

int fetch_facts(struct request *q, struct object_facts *facts, struct err *e)
{
    struct http_transfer *t;
    q->accepts[0] = 404;
    if (request_send(q, &t, e) < 0) {
        return -1;
    }
    struct span etag = http_header(t, "etag");
    *facts = (struct object_facts){0};
    facts->sized = read_number(http_header(t, "content-length"), &facts->size);
    if (etag.len > 0 && etag.len < sizeof facts->etag) {
        memcpy(facts->etag, etag.at, etag.len);
    }
    http_end(t);
    return q->status != 404;
}
