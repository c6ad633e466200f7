#include "tunnel/rows.h"

#include "base/buf.h"
#include "json/text.h"

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
