/* Plain text: lines, and records before NUL bytes, each an item that is a string. */
#include "source/texts.h"
#include "base/place.h"

#include "source/split.h"
#include "json/text.h"

#include <string.h>

/* A text at hand, and where it stands. */
struct texts {
    struct reader *reader;
    char stop;
    texts_put *put;
    uint64_t at;        /* offset of its first byte */
    struct place place; /* of that byte */
    struct place next;  /* behind what was read of the text */
    struct span raw;
    bool is_long;
};

/* Copy to W what was not collected of a text that is too long. 0, or -1 with E filled. */
static int copy_rest(struct texts *t, struct writer *w, struct err *e)
{
    while (t->is_long) {
        struct span more = reader_bytes(t->reader);
        const char *hit = more.len ? memchr(more.at, t->stop, more.len) : NULL;
        size_t len = hit ? (size_t)(hit - more.at) : more.len;
        place_pass(&t->next, span_of(more.at, len), t->reader->offset);
        writer_put(w, more.at, len);
        writer_commit(w);
        reader_take(t->reader, hit ? len + 1 : len);
        int got = hit ? 0 : reader_fill(t->reader, e);
        if (got < 0) {
            return -1;
        }
        t->is_long = got > 0;
    }
    return 0;
}

/* Refuse the text at hand for its byte at OFFSET. 0 to go on, -1. */
static int refuse(struct split *s, struct texts *t, size_t offset, struct err *e)
{
    struct writer *w = s->rules.lines.rejects;
    struct place p = t->place;
    place_pass(&p, span_of(t->raw.at, offset), t->at);
    place_put(&p, t->reader->name, t->at + offset, s->emit.taken + 1, e);
    if (emit_refuse(&s->emit, e) < 0) {
        return -1;
    }
    writer_put_span(w, t->raw);
    if (copy_rest(t, w, e) < 0) {
        return -1;
    }
    writer_put_byte(w, t->stop);
    writer_commit(w);
    return 0;
}

static int emit_text(struct split *s, struct texts *t, struct err *e)
{
    struct span text = t->raw;
    size_t bad = 0;
    if (t->is_long) {
        err_set(e, ERR_DATA, "the %s is longer than %llu bytes (--max-item-bytes)",
                t->stop ? "line" : "record", (unsigned long long)s->rules.lines.max_item_bytes);
        return refuse(s, t, 0, e);
    }
    if (!text_is_utf8(text, &bad)) {
        err_set(e, ERR_DATA, "invalid UTF-8");
        return refuse(s, t, bad, e);
    }
    if (t->stop == '\n' && text.len > 0 && text.at[text.len - 1] == '\r') {
        text.len--;
    }
    if (t->put(s, text, e) < 0) {
        writer_rollback(s->emit.out);
        return refuse(s, t, 0, e);
    }
    return 0;
}

/* Fetch the next text into t->raw. 1, 0 at the end, -1 with E filled. */
static int next_text(struct texts *t, uint64_t max, struct err *e)
{
    t->place = t->next;
    t->at = t->reader->offset;
    int got = reader_until(t->reader, t->stop, max, &t->raw, &t->is_long, e);
    if (got > 0 && t->stop == '\n') {
        t->next.line++;
        t->next.line_at = t->reader->offset;
    } else if (got > 0) {
        place_pass(&t->next, t->raw, t->at);
    }
    return got;
}

int texts_split(struct split *s, struct reader *r, char stop, texts_put *put, struct err *e)
{
    struct texts t = {.reader = r, .stop = stop, .put = put, .next = {1, r->offset}};
    int got = 1;
    while (got > 0 && !emit_full(&s->emit)) {
        got = next_text(&t, s->rules.lines.max_item_bytes, e);
        if (got > 0 && emit_text(s, &t, e) < 0) {
            got = -1;
        }
    }
    return got < 0 ? -1 : 0;
}

/* An item that is the text. */
static int put_string(struct split *s, struct span text, struct err *e)
{
    emit_begin(&s->emit);
    text_put(s->emit.out, text);
    return emit_end(&s->emit, SCAN_STRING, e);
}

static int split_lines(struct split *s, struct reader *r, struct err *e)
{
    return texts_split(s, r, '\n', put_string, e);
}

static int split_nul(struct split *s, struct reader *r, struct err *e)
{
    return texts_split(s, r, '\0', put_string, e);
}

const struct format format_lines = {
    .name = "lines", .endings = ".txt", .options = OPTION_RECODE, .split_text = split_lines};

const struct format format_nul = {.name = "nul", .options = OPTION_RECODE, .split_text = split_nul};
