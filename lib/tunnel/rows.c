#include "tunnel/rows.h"

#include "base/buf.h"
#include "base/mem.h"
#include "json/text.h"

#include <stdlib.h>
#include <string.h>

static void add_value(struct buf *out, const struct reply *value)
{
    if (value->kind == REPLY_NUMBER) {
        buf_add_i64(out, value->number);
    } else if (value->kind == REPLY_TEXT) {
        text_encode_lossy(out, value->text);
    } else {
        buf_add_text(out, "null");
    }
}

void rows_put_json(struct writer *w, const struct reply *row)
{
    struct buf line = {0};
    for (size_t i = 0; i + 1 < row->count; i += 2) {
        buf_add_byte(&line, i == 0 ? '{' : ',');
        text_encode_lossy(&line, row->items[i].text);
        buf_add_byte(&line, ':');
        add_value(&line, &row->items[i + 1]);
    }
    buf_add_text(&line, row->count < 2 ? "{}\n" : "}\n");
    writer_put_span(w, buf_span(&line));
    writer_commit(w);
    buf_release(&line);
}

static const struct reply *value_of(const struct reply *row, const char *name)
{
    for (size_t i = 0; i + 1 < row->count; i += 2) {
        if (span_equal(row->items[i].text, span_text(name))) {
            return &row->items[i + 1];
        }
    }
    return NULL;
}

/* What stands in a cell; control characters would break the table, or the terminal. */
static struct span cell(struct buf *out, const struct reply *value)
{
    buf_reset(out);
    if (value && value->kind == REPLY_NUMBER) {
        buf_add_i64(out, value->number);
    } else if (value && value->kind == REPLY_TEXT && value->text.len > 0) {
        buf_add_span(out, value->text);
    } else {
        buf_add_byte(out, '-');
    }
    for (size_t i = 0; i < out->len; i++) {
        unsigned char c = (unsigned char)out->at[i];
        out->at[i] = c < 0x20 || c == 0x7f ? '?' : out->at[i];
    }
    return buf_span(out);
}

static size_t width_of(const struct reply *rows, const char *name, struct buf *text)
{
    size_t width = strlen(name);
    for (size_t i = 0; i < rows->count; i++) {
        size_t n = cell(text, value_of(&rows->items[i], name)).len;
        width = n > width ? n : width;
    }
    return width;
}

static void put_cell(struct writer *w, struct span text, size_t width, bool last)
{
    writer_put_span(w, text);
    for (size_t n = text.len; !last && n < width + 2; n++) {
        writer_put_byte(w, ' ');
    }
}

void rows_put_table(struct writer *w, const struct reply *rows, const char *const *columns)
{
    struct buf text = {0};
    for (size_t row = 0; row <= rows->count; row++) {
        for (const char *const *name = columns; *name; name++) {
            struct span what =
                row == 0 ? span_text(*name) : cell(&text, value_of(&rows->items[row - 1], *name));
            struct buf scratch = {0};
            put_cell(w, what, name[1] ? width_of(rows, *name, &scratch) : 0, !name[1]);
            buf_release(&scratch);
        }
        writer_put_byte(w, '\n');
    }
    writer_commit(w);
    buf_release(&text);
}

/* ---- copies ---- */

void rows_begin(struct rows *r)
{
    r->all.kind = REPLY_LIST;
    r->all.items = mem_resize(r->all.items, r->all.count + 1, sizeof *r->all.items);
    r->all.items[r->all.count++] = (struct reply){.kind = REPLY_LIST};
}

void rows_add(struct rows *r, const struct reply *items, size_t count)
{
    struct reply *row = &r->all.items[r->all.count - 1];
    row->items = mem_resize(row->items, row->count + count, sizeof *row->items);
    for (size_t i = 0; i < count; i++) {
        struct reply *copy = &row->items[row->count++];
        *copy = items[i];
        if (copy->kind == REPLY_TEXT) {
            copy->text = span_of(mem_copy(items[i].text.at, items[i].text.len), items[i].text.len);
        }
    }
}

const struct reply *rows_all(const struct rows *r)
{
    return &r->all;
}

void rows_release(struct rows *r)
{
    for (size_t n = 0; n < r->all.count; n++) {
        struct reply *row = &r->all.items[n];
        for (size_t i = 0; i < row->count; i++) {
            if (row->items[i].kind == REPLY_TEXT) {
                free((char *)(uintptr_t)row->items[i].text.at);
            }
        }
        free(row->items);
    }
    free(r->all.items);
    *r = (struct rows){0};
}
