/*
 * A stream of lines, behind a byte that chooses the chunks.  Read whole or in chunks it gives the
 * same; every item is JSON, compact, one line; and no line is lost: with a rejects file each is an
 * item, a reject as it came, blank, or the end mark.
 */
#include "json/lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ITEM_MAX = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Hands TEXT out in pieces. */
struct pieces {
    struct span text;
    size_t at;
    size_t chunk;
};

static ssize_t read_piece(struct reader *r, char *at, size_t cap, struct err *e)
{
    struct pieces *p = r->state;
    size_t left = p->text.len - p->at;
    size_t n = left < p->chunk ? left : p->chunk;
    (void)e;
    n = n < cap ? n : cap;
    memcpy(at, p->text.at + p->at, n);
    p->at += n;
    return (ssize_t)n;
}

static void release(void *state)
{
    (void)state;
}

/* Keeps what is written. */
static int keep(void *state, const char *at, size_t n)
{
    buf_add_span(state, span_of(at, n));
    return 0;
}

static int never(void *state, struct err *e)
{
    (void)state;
    (void)e;
    assert(!"a buffer that failed");
    return -1;
}

/* All that can be told of a stream, as text. */
static void report(void *context, const struct err *e)
{
    assert(e->code == ERR_DATA && e->text[0] && e->pos.line > 0 && e->pos.column > 0);
    buf_printf(context, "(%llu:%llu %llu %llu)", (unsigned long long)e->pos.line,
               (unsigned long long)e->pos.column, (unsigned long long)e->pos.byte,
               (unsigned long long)e->pos.item);
}

static void check_item(struct scan *s, struct span item)
{
    char *copy = malloc(item.len);
    assert(copy && item.len > 0);
    memcpy(copy, item.at, item.len);
    assert(scan_check(s, copy, item.len) == 0 && !s->spaces);
    assert(!memchr(copy, '\n', item.len));
    free(copy);
}

static void read_all(struct reader *r, struct writer *rejects, bool end_mark, struct buf *out)
{
    struct lines_rules rules = {.max_depth = 9,
                                .max_item_bytes = ITEM_MAX,
                                .end_mark = end_mark,
                                .rejects = rejects,
                                .report = report,
                                .context = out};
    struct lines_in in;
    struct scan s;
    struct span item;
    struct err e = {0};
    int got;
    scan_init(&s, 9);
    lines_open(&in, r, &rules);
    while ((got = lines_next(&in, &item, &e)) > 0) {
        assert(e.code == ERR_NONE);
        check_item(&s, item);
        buf_add_byte(out, '[');
        buf_add_span(out, item);
        buf_add_byte(out, ']');
    }
    buf_printf(out, "%d %s", got, e.text);
    if (got == 0) {
        buf_printf(out, " %d", lines_status(&in, &e));
    } else {
        assert(e.code == ERR_DATA);
    }
    lines_close(&in);
    scan_release(&s);
}

static void check_stream(struct span text, size_t chunk, bool with_rejects, bool end_mark)
{
    static const struct reader_source source = {.read = read_piece, .release = release};
    static const struct writer_sink sink = {keep, never};
    struct buf out[2] = {{0}}, kept[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        struct reader r;
        struct pieces pieces = {.text = text, .chunk = chunk};
        struct writer rejects;
        writer_init_sink(&rejects, &sink, &kept[i], "rejects");
        if (i == 0) {
            reader_init_text(&r, text, "text");
        } else {
            reader_init_source(&r, &source, &pieces, "text", NULL);
        }
        read_all(&r, with_rejects ? &rejects : NULL, end_mark, &out[i]);
        reader_release(&r);
        writer_release(&rejects);
    }
    assert(span_equal(buf_span(&out[0]), buf_span(&out[1])));
    assert(span_equal(buf_span(&kept[0]), buf_span(&kept[1])));
    for (int i = 0; i < 2; i++) {
        buf_release(&out[i]);
        buf_release(&kept[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0) {
        struct span text = span_of((const char *)data + 1, size - 1);
        check_stream(text, data[0] % 64 + 1U, data[0] & 64, data[0] & 128);
    }
    return 0;
}
