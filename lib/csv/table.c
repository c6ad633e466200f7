#include "csv/table.h"

#include "base/mem.h"

#include <csv.h>

#include <stdlib.h>
#include <string.h>

enum { BLOCK_MIN = 4096 }; /* libcsv's own step of 128 bytes makes long fields slow */

static int nothing_is_space(unsigned char c)
{
    (void)c;
    return 0;
}

static void *resize(void *at, size_t size)
{
    return mem_resize(at, size, 1);
}

static void parser_start(struct table *t)
{
    csv_init(t->parser, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_delim(t->parser, (unsigned char)t->rules.delimiter);
    csv_set_space_func(t->parser, nothing_is_space);
    csv_set_realloc_func(t->parser, resize);
    csv_set_blk_size(t->parser, BLOCK_MIN);
}

void table_open(struct table *t, struct reader *reader, const struct table_rules *rules)
{
    *t = (struct table){.reader = reader, .rules = *rules};
    t->place = t->next = (struct place){1, reader->offset};
    t->parser = mem_new(1, sizeof *t->parser);
    parser_start(t);
}

void table_close(struct table *t)
{
    if (t->parser) {
        csv_free(t->parser);
        free(t->parser);
    }
    buf_release(&t->text);
    free(t->ends);
    free(t->fields);
    *t = (struct table){0};
}

/* ---- what libcsv tells ---- */

static void field_ended(void *bytes, size_t len, void *context)
{
    struct table *t = context;
    buf_add(&t->text, bytes, len);
    t->ends = mem_grow(t->ends, &t->ends_cap, t->count, sizeof *t->ends);
    t->ends[t->count++] = t->text.len;
}

static void row_ended(int c, void *context)
{
    (void)c;
    ((struct table *)context)->row_done = true;
}

/* ---- positions ---- */

void table_position(const struct table *t, size_t offset, struct err *e)
{
    struct place p = t->place;
    struct span raw = reader_bytes(t->reader);
    place_pass(&p, span_of(raw.at, offset < raw.len ? offset : raw.len), t->reader->offset);
    place_put(&p, t->reader->name, t->reader->offset + offset, 0, e);
}

/* Where the quote opened in which the parsed part of the record ends; SIZE_MAX if in none. */
static size_t open_quote(const struct table *t)
{
    enum { AT_START, BARE, QUOTED, CLOSED } state = AT_START;
    const char *raw = reader_bytes(t->reader).at;
    size_t opened = SIZE_MAX;
    for (size_t i = 0; i < t->parsed; i++) {
        if (state == QUOTED) {
            state = raw[i] == '"' ? CLOSED : QUOTED;
        } else if (raw[i] == '"' && state != BARE) {
            opened = state == AT_START ? i : opened; /* else it was doubled: the field goes on */
            state = QUOTED;
        } else {
            state = raw[i] == t->rules.delimiter ? AT_START : BARE;
        }
    }
    return state == QUOTED ? opened : SIZE_MAX;
}

/* ---- records ---- */

/* Leave the record at hand behind. */
static void forget(struct table *t)
{
    reader_take(t->reader, t->parsed);
    t->place = t->next;
    t->parsed = 0;
    t->row_done = false;
    t->count = 0;
    buf_reset(&t->text);
    if (t->broken) {
        csv_free(t->parser);
        parser_start(t);
        t->broken = false;
    }
}

/* N more bytes of the record are parsed; a LF can only be the last of them. */
static void parsed(struct table *t, size_t n)
{
    t->parsed += n;
    if (n > 0 && reader_bytes(t->reader).at[t->parsed - 1] == '\n') {
        t->next.line++;
        t->next.line_at = t->reader->offset + t->parsed;
    }
}

/*
 * The bytes of [at, at + left) up to and with the first line end, all if there is none.  A CR at
 * the very end stays out, for a LF may follow; so the result may be 0.
 */
static size_t piece_length(const char *at, size_t left, bool at_end)
{
    const char *lf = memchr(at, '\n', left);
    size_t len = lf ? (size_t)(lf - at) + 1 : left;
    const char *cr = memchr(at, '\r', len);
    if (!cr) {
        return len;
    }
    size_t upto = (size_t)(cr - at) + 1;
    if (upto < left) {
        return upto + (cr[1] == '\n');
    }
    return at_end ? upto : upto - 1;
}

/* The next bytes to parse: at most one line, so at most one record. 1, 0 at the end, -1. */
static int next_piece(struct table *t, struct span *piece, struct err *e)
{
    for (;;) {
        struct span all = reader_bytes(t->reader);
        if (all.len > t->parsed) {
            piece->at = all.at + t->parsed;
            piece->len = piece_length(piece->at, all.len - t->parsed, t->reader->at_end);
            if (piece->len > 0) {
                return 1;
            }
        }
        int got = reader_fill(t->reader, e);
        if (got < 0 || (got == 0 && all.len == t->parsed)) {
            return got;
        }
    }
}

static bool is_line_end(struct span piece)
{
    return piece.at[0] == '\n' || piece.at[0] == '\r';
}

/* Refuse the record for the byte at OFFSET of it. */
static int fault(struct table *t, size_t offset, struct err *e)
{
    t->broken = true;
    table_position(t, offset, e);
    return -1;
}

static int too_long(struct table *t, struct err *e)
{
    size_t opened = open_quote(t);
    err_set(e, ERR_DATA, "the record is longer than %llu bytes (--max-item-bytes)%s",
            (unsigned long long)t->rules.max_record_bytes,
            opened == SIZE_MAX ? "" : "; the quote that opens here is not closed");
    return fault(t, opened == SIZE_MAX ? 0 : opened, e);
}

/* Parse PIECE. A quote within an unquoted field, which strict mode refuses, goes in by itself. */
static int feed(struct table *t, struct span piece, struct err *e)
{
    size_t done = 0;
    size_t held = csv_get_buffer_size(t->parser);
    csv_set_blk_size(t->parser, held < BLOCK_MIN ? BLOCK_MIN : held);
    while (done < piece.len) {
        done += csv_parse(t->parser, piece.at + done, piece.len - done, field_ended, row_ended, t);
        if (done < piece.len && piece.at[done] != '"') {
            parsed(t, done);
            err_set(e, ERR_DATA,
                    "text behind the closing quote of a field"
                    " (a quote within a quoted field is written twice)");
            return fault(t, t->parsed, e);
        }
        if (done < piece.len) {
            csv_set_opts(t->parser, 0);
            done += csv_parse(t->parser, piece.at + done, 1, field_ended, row_ended, t);
            csv_set_opts(t->parser, CSV_STRICT | CSV_STRICT_FINI);
        }
    }
    parsed(t, piece.len);
    return t->parsed > t->rules.max_record_bytes ? too_long(t, e) : 0;
}

/* The input has ended: within a record? */
static int finish(struct table *t, struct err *e)
{
    if (csv_fini(t->parser, field_ended, row_ended, t) == 0) {
        return t->row_done;
    }
    err_set(e, ERR_DATA, "the quote that opens here is never closed");
    return fault(t, open_quote(t), e);
}

static void deliver(struct table *t, struct table_record *record)
{
    if (t->count > t->fields_cap) {
        t->fields_cap = t->ends_cap;
        t->fields = mem_resize(t->fields, t->fields_cap, sizeof *t->fields);
    }
    size_t from = 0;
    for (size_t i = 0; i < t->count; i++) {
        t->fields[i] = span_of(t->text.at + from, t->ends[i] - from);
        from = t->ends[i];
    }
    record->fields = t->fields;
    record->count = t->count;
    record->raw = span_of(reader_bytes(t->reader).at, t->parsed);
}

int table_next(struct table *t, struct table_record *record, struct err *e)
{
    forget(t);
    while (!t->row_done) {
        struct span piece;
        int got = next_piece(t, &piece, e);
        if (got > 0 && t->parsed == 0 && is_line_end(piece)) {
            parsed(t, piece.len);
            forget(t);
            continue;
        }
        if (got > 0) {
            got = feed(t, piece, e) < 0 ? -1 : 1;
        } else if (got == 0) {
            got = finish(t, e);
        }
        if (got <= 0) {
            return got;
        }
    }
    deliver(t, record);
    return 1;
}

/* Copy and take the rest of the line that the parser stopped in. */
static int pass_line(struct table *t, struct writer *copy, struct err *e)
{
    for (;;) {
        struct span more = reader_bytes(t->reader);
        const char *lf = more.len ? memchr(more.at, '\n', more.len) : NULL;
        size_t len = lf ? (size_t)(lf - more.at) + 1 : more.len;
        if (copy) {
            writer_put(copy, more.at, len);
            writer_commit(copy);
        }
        reader_take(t->reader, len);
        if (lf) {
            t->next.line++;
            t->next.line_at = t->reader->offset;
            t->place = t->next;
            return 0;
        }
        int got = reader_fill(t->reader, e);
        if (got <= 0) {
            return got;
        }
    }
}

int table_pass_by(struct table *t, struct writer *copy, struct err *e)
{
    struct span raw = span_of(reader_bytes(t->reader).at, t->parsed);
    bool whole = raw.len > 0 && raw.at[raw.len - 1] == '\n';
    bool in_line = t->broken && !whole;
    if (copy) {
        writer_put_span(copy, raw);
    }
    forget(t);
    if (in_line && pass_line(t, copy, e) < 0) {
        return -1;
    }
    if (copy) {
        if (copy->len > 0 && copy->at[copy->len - 1] != '\n') {
            writer_put_byte(copy, '\n');
        }
        writer_commit(copy);
    }
    return 0;
}
