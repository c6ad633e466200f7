#include "csv/table.h"

#include "base/mem.h"
#include "csv/dialect.h"

#include <stdlib.h>
#include <string.h>

void table_open(struct table *t, struct reader *reader, const struct table_rules *rules)
{
    *t = (struct table){.reader = reader, .rules = *rules};
    t->lane.delimiter = rules->delimiter;
    t->lane.stop = rules->backslash ? '\\' : '"';
    t->place = t->next = (struct place){1, reader->offset};
    t->dialect = rules->backslash ? &dialect_backslash : &dialect_rfc;
    t->dialect->open(t);
}

void table_close(struct table *t)
{
    if (t->dialect) {
        t->dialect->close(t);
    }
    buf_release(&t->text);
    free(t->ends);
    free(t->lane.fields);
    *t = (struct table){0};
}

/* ---- what the dialect tells ---- */

void table_field(struct table *t, struct span bytes)
{
    buf_add_span(&t->text, bytes);
    t->ends = mem_grow(t->ends, &t->ends_cap, t->count, sizeof *t->ends);
    t->ends[t->count++] = t->text.len;
}

void table_row(struct table *t)
{
    t->row_done = true;
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
        if (t->rules.backslash && raw[i] == '\\') {
            state = state == AT_START ? BARE : state;
            i++;
        } else if (state == QUOTED) {
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
        t->dialect->close(t);
        t->dialect->open(t);
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

/* Parse PIECE. */
static int feed(struct table *t, struct span piece, struct err *e)
{
    size_t done = t->dialect->feed(t, piece);
    if (done != DIALECT_WHOLE) {
        parsed(t, done);
        err_set(e, ERR_DATA,
                "text behind the closing quote of a field"
                " (a quote within a quoted field is written twice)");
        return fault(t, t->parsed, e);
    }
    parsed(t, piece.len);
    return t->parsed > t->rules.max_record_bytes ? too_long(t, e) : 0;
}

/* The input has ended: within a record? */
static int finish(struct table *t, struct err *e)
{
    if (t->dialect->finish(t) == 0) {
        return t->row_done;
    }
    err_set(e, ERR_DATA, "the quote that opens here is never closed");
    return fault(t, open_quote(t), e);
}

/* Lay out the fields that the dialect told. */
static void lay_out(struct table *t)
{
    struct lane *l = &t->lane;
    if (t->count > l->cap) {
        l->cap = t->ends_cap;
        l->fields = mem_resize(l->fields, l->cap, sizeof *l->fields);
    }
    size_t from = 0;
    const char *text = buf_text(&t->text);
    for (size_t i = 0; i < t->count; i++) {
        l->fields[i] = span_of(text + from, t->ends[i] - from);
        from = t->ends[i];
    }
    l->count = t->count;
    l->plain = false;
}

/* Take the next record by the lane, if that can. */
static bool by_lane(struct table *t)
{
    struct span all = reader_bytes(t->reader);
    if (t->rules.thorough || all.len == 0 || is_line_end(all)) {
        return false;
    }
    t->lane.at_end = t->reader->at_end;
    size_t len = lane_split(&t->lane, all);
    if (len == 0 || len > t->rules.max_record_bytes) {
        return false;
    }
    parsed(t, len);
    return true;
}

/* Have the dialect take the next record. 1, 0 at the end, -1 with E filled. */
static int by_dialect(struct table *t, struct err *e)
{
    while (!t->row_done) {
        struct span piece;
        int got = next_piece(t, &piece, e);
        if (got > 0 && t->parsed == 0 && is_line_end(piece)) {
            parsed(t, piece.len);
            forget(t);
            if (by_lane(t)) {
                return 1;
            }
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
    lay_out(t);
    return 1;
}

int table_next(struct table *t, struct table_record *record, struct err *e)
{
    forget(t);
    int got = by_lane(t) ? 1 : by_dialect(t, e);
    if (got > 0) {
        *record = (struct table_record){.fields = t->lane.fields,
                                        .count = t->lane.count,
                                        .raw = span_of(reader_bytes(t->reader).at, t->parsed),
                                        .plain = t->lane.plain};
    }
    return got;
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
