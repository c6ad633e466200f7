#include "source/emit.h"

#include "source/trail.h"
#include "json/lines.h"
#include "json/text.h"

#include <string.h>

/* SOURCE as AWS would call it: what is no URL is the input of the state. */
static void put_aws_name(struct buf *out, const char *source)
{
    struct buf name = {0};
    bool in_bucket = strncmp(source, "s3://", 5) == 0;
    buf_add_text(&name, in_bucket ? "S3" : strstr(source, "://") ? source : "STATE_DATA");
    buf_add_text(&name, in_bucket ? source + 2 : "");
    text_encode_lossy(out, buf_span(&name));
    buf_release(&name);
}

void emit_source(struct emit *m, const char *source)
{
    m->taken = 0;
    buf_reset(&m->source);
    if (m->context == EMIT_AWS) {
        put_aws_name(&m->source, source);
    } else {
        text_encode_lossy(&m->source, span_text(source));
    }
}

static void put_context(struct emit *m)
{
    writer_put_span(m->out, SPAN_LIT("{\"Index\":"));
    writer_put_u64(m->out, m->count);
    writer_put_span(m->out, SPAN_LIT(",\"Source\":"));
    writer_put_span(m->out, buf_span(&m->source));
}

void emit_begin(struct emit *m)
{
    if (m->context != EMIT_BARE) {
        put_context(m);
        writer_put_span(m->out, SPAN_LIT(",\"Value\":"));
    }
}

void emit_begin_member(struct emit *m)
{
    if (m->context == EMIT_AWS) {
        put_context(m);
        writer_put_span(m->out, SPAN_LIT(",\"Key\""));
    } else {
        emit_begin(m);
        writer_put_span(m->out, SPAN_LIT("{\"Key\""));
    }
}

void emit_end_member(struct emit *m)
{
    if (m->context != EMIT_AWS) {
        writer_put_byte(m->out, '}');
    }
}

/* Add the fragment's members to the object that is pending. */
static void add_fragment(struct emit *m)
{
    struct writer *w = m->out;
    bool empty = writer_pending(w) == 2;
    w->len--; /* the closing brace */
    if (!empty) {
        writer_put_byte(w, ',');
    }
    writer_put_span(w, buf_span(&m->fragment));
    writer_put_u64(w, m->count);
    writer_put_span(w, buf_span(&m->tail));
    writer_put_byte(w, '}');
}

/* May the item that is pending leave? 0, or -1 with E filled. */
static int check_made(struct emit *m, struct err *e)
{
    size_t at;
    struct span item = span_of(m->out->at + m->out->ready, writer_pending(m->out));
    if (m->rules->strict && unique_check(&m->unique, item, &at, e) < 0) {
        return -1;
    }
    /* what is not wrapped is as deep as it was read */
    return lines_check_made(item, m->context == EMIT_BARE ? SCAN_DEPTH_ANY : m->rules->max_depth,
                            e);
}

int emit_end(struct emit *m, enum scan_kind kind, struct err *e)
{
    if (m->context != EMIT_BARE) {
        writer_put_byte(m->out, '}');
        kind = SCAN_OBJECT;
    }
    if (m->fragment.len > 0) {
        if (kind != SCAN_OBJECT) {
            return err_set(e, ERR_DATA,
                           "the item is %s: --fragment adds members, which only an object can have"
                           " (--context makes one of any item)",
                           trail_kind(kind));
        }
        add_fragment(m);
    }
    if (check_made(m, e) < 0) {
        return -1;
    }
    writer_put_byte(m->out, '\n');
    writer_commit(m->out);
    m->count++;
    m->taken++;
    if (m->counted) {
        m->counted(m->watcher, m->count);
    }
    return 0;
}

void emit_divert(struct emit *m, const struct err *e)
{
    m->rejected++;
    m->taken++;
    if (m->rules->report) {
        m->rules->report(m->rules->context, e);
    }
}

int emit_refuse(struct emit *m, const struct err *e)
{
    if (!m->rules->rejects) {
        return -1;
    }
    emit_divert(m, e);
    return 0;
}

void emit_release(struct emit *m)
{
    buf_release(&m->fragment);
    buf_release(&m->tail);
    buf_release(&m->source);
    unique_release(&m->unique);
}
