/*
 * A listing: the objects in a bucket, or the files in a folder, each a record as the service gives
 * it, member by member (reference/distributed-map.md 1.3).
 */
#include "base/clock.h"
#include "base/stamp.h"
#include "source/split.h"
#include "json/text.h"

#include <string.h>

static void put_text(struct writer *w, struct span head, struct span text)
{
    writer_put_span(w, head);
    text_put(w, text);
}

/* What STAMP, of RFC 3339 and in UTC, is without a fraction of a second. */
static void put_seconds(struct writer *w, struct span head, struct span stamp)
{
    const char *dot = stamp.len ? memchr(stamp.at, '.', stamp.len) : NULL;
    writer_put_span(w, head);
    writer_put_byte(w, '"');
    writer_put(w, stamp.at, dot ? (size_t)(dot - stamp.at) : stamp.len);
    writer_put_span(w, dot ? SPAN_LIT("Z\"") : SPAN_LIT("\""));
}

static struct span or_else(struct span text, struct span otherwise)
{
    return text.len > 0 ? text : otherwise;
}

/* Put E as an object. Its texts are UTF-8; what is not said is as it is with most objects. */
static void put_entry(struct writer *w, const struct object_entry *o)
{
    put_text(w, SPAN_LIT("{\"XMLName\":{\"Space\":\"\",\"Local\":\"Contents\"},\"Key\":"), o->key);
    put_text(w, SPAN_LIT(",\"Type\":"), or_else(o->type, SPAN_LIT("Normal")));
    writer_put_span(w, SPAN_LIT(",\"Size\":"));
    writer_put_u64(w, o->size);
    put_text(w, SPAN_LIT(",\"ETag\":"), o->etag);
    writer_put_span(w,
                    SPAN_LIT(",\"Owner\":{\"XMLName\":{\"Space\":\"\",\"Local\":\"\"},\"ID\":\"\","
                             "\"DisplayName\":\"\"}"));
    put_seconds(w, SPAN_LIT(",\"LastModified\":"), o->last_modified);
    put_text(w, SPAN_LIT(",\"StorageClass\":"), or_else(o->storage_class, SPAN_LIT("Standard")));
    put_text(w, SPAN_LIT(",\"RestoreInfo\":"), o->restore_info);
    writer_put_byte(w, '}');
}

/* When O was changed, in seconds; as it was said where that is no time. */
static void put_epoch(struct writer *w, const struct object_entry *o)
{
    int64_t real;
    if (stamp_read(o->last_modified, &real)) {
        writer_put_u64(w, (uint64_t)(real / CLOCK_SECOND));
    } else {
        text_put(w, o->last_modified);
    }
}

/* The same as AWS has it (2.2). */
static void put_aws_entry(struct writer *w, const struct object_entry *o)
{
    put_text(w, SPAN_LIT("{\"Etag\":"), o->etag);
    put_text(w, SPAN_LIT(",\"Key\":"), o->key);
    writer_put_span(w, SPAN_LIT(",\"LastModified\":"));
    put_epoch(w, o);
    writer_put_span(w, SPAN_LIT(",\"Size\":"));
    writer_put_u64(w, o->size);
    put_text(w, SPAN_LIT(",\"StorageClass\":"), or_else(o->storage_class, SPAN_LIT("STANDARD")));
    writer_put_byte(w, '}');
}

/* The object at hand is refused for the reason in E: its key is put aside. 0 to go on, -1. */
static int refuse(struct split *s, const struct object_entry *o, const struct err *e)
{
    struct writer *rejects = s->rules.lines.rejects;
    if (emit_refuse(&s->emit, e) < 0) {
        return -1;
    }
    writer_put_span(rejects, o->key);
    writer_put_byte(rejects, '\n');
    writer_commit(rejects);
    return 0;
}

static int emit_entry(struct split *s, const struct object_entry *o, struct err *e)
{
    size_t bad;
    if (!text_is_utf8(o->key, &bad)) {
        struct buf shown = {0};
        text_encode_lossy(&shown, o->key);
        err_set(e, ERR_DATA, "the name %s is not UTF-8, at its byte %zu", buf_text(&shown), bad);
        buf_release(&shown);
        return refuse(s, o, e);
    }
    emit_begin(&s->emit);
    (s->rules.listing == SPLIT_LISTING_AWS ? put_aws_entry : put_entry)(s->emit.out, o);
    return emit_end(&s->emit, SCAN_OBJECT, e);
}

/* The source of what is listed is the bucket, for AWS. */
static void name_bucket(struct split *s, const char *place)
{
    struct buf bucket = {0};
    const char *name = strstr(place, "://");
    buf_add(&bucket, place, name ? (size_t)(name + 3 - place) + strcspn(name + 3, "/") : 0);
    emit_source(&s->emit, buf_text(&bucket));
    buf_release(&bucket);
}

static int split_objects(struct split *s, const char *place, struct err *e)
{
    struct object_list *list;
    struct object_entry entry;
    struct object_list_options options = {
        .tied = s->emit.out, .follow = s->rules.follow_links, .etag = s->rules.etag};
    if (object_list_open(s->rules.client, place, &options, &list, e) < 0) {
        return -1;
    }
    if (s->rules.context == EMIT_AWS && object_is_url(place)) {
        name_bucket(s, place);
    }
    int got = 1;
    while (got > 0 && !emit_full(&s->emit)) {
        got = object_list_next(list, &entry, e);
        if (got > 0 && emit_entry(s, &entry, e) < 0) {
            got = -1;
        }
    }
    object_list_close(list);
    return got < 0 ? -1 : 0;
}

const struct format format_objects = {.name = "objects",
                                      .options = OPTION_ETAG | OPTION_FOLLOW | OPTION_LISTING,
                                      .split_place = split_objects};
