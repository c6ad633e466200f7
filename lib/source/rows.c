#include "source/rows.h"

#include "csv/table.h"
#include "source/split.h"
#include "json/text.h"

#include <string.h>

/* A table being read. */
struct rows {
    struct split *split;
    const struct rows_rules *rules;
    struct columns *columns;
    struct table table;
    struct table_record record;
    struct scan scan; /* for values that are JSON */
};

/* ---- what is refused ---- */

/* Refuse the record at hand for the reason in E, which has its position. 0 to go on, -1. */
static int refuse(struct rows *t, struct err *e)
{
    struct emit *m = &t->split->emit;
    e->pos.item = m->taken + 1;
    if (emit_refuse(m, e) < 0) {
        return -1;
    }
    return table_pass_by(&t->table, m->rules->rejects, e);
}

/* The record at hand has another number of fields than there are columns. -1 with E filled. */
static int say_ragged(const struct rows *t, struct err *e)
{
    size_t fields = t->record.count;
    size_t columns = t->columns->count;
    err_set(e, ERR_DATA, "the record has %zu field%s, but there are %zu column%s", fields,
            fields == 1 ? "" : "s", columns, columns == 1 ? "" : "s");
    table_position(&t->table, 0, e);
    return -1;
}

/* Put the record at hand aside. 0, or -1 with E filled. */
static int divert(struct rows *t, struct err *e)
{
    struct err why = {0};
    say_ragged(t, &why);
    why.pos.item = t->split->emit.taken + 1;
    emit_divert(&t->split->emit, &why);
    return table_pass_by(&t->table, t->rules->diverted, e);
}

static int check_utf8(const struct rows *t, struct err *e)
{
    size_t bad;
    if (text_is_utf8(t->record.raw, &bad)) {
        return 0;
    }
    err_set(e, ERR_DATA, "invalid UTF-8");
    table_position(&t->table, bad, e);
    return -1;
}

/* ---- objects ---- */

/* Copy LEN bytes, few as a rule, and return behind them. */
static inline char *copy(char *out, const char *at, size_t len)
{
    if (len >= 8 && len <= 16) {
        memcpy(out, at, 8);
        memcpy(out + len - 8, at + len - 8, 8);
    } else if (len >= 4 && len < 8) {
        memcpy(out, at, 4);
        memcpy(out + len - 4, at + len - 4, 4);
    } else if (len < 4) {
        for (size_t i = 0; i < len; i++) {
            out[i] = at[i];
        }
    } else {
        memcpy(out, at, len);
    }
    return out + len;
}

/* Put a record of which nothing needs an escape, and whose values are all strings. */
static void put_plain(struct rows *t)
{
    const struct table_record *r = &t->record;
    struct writer *w = t->split->emit.out;
    char *room = writer_room(w, t->columns->heads.len + r->raw.len + r->count + 1);
    char *out = room;
    for (size_t i = 0; i < r->count; i++) {
        struct span head = columns_head(t->columns, i);
        out = copy(out, head.at, head.len);
        out = copy(out, r->fields[i].at, r->fields[i].len);
        *out++ = '"';
    }
    *out++ = '}';
    writer_advance(w, (size_t)(out - room));
}

/* Put field INDEX of the record at hand, which is not as its type wants it. -1 with E filled. */
static int misfit(const struct rows *t, size_t index, struct err *e)
{
    struct span head = columns_head(t->columns, index);
    struct span raw = t->record.raw;
    const char *at = index < t->record.count ? t->record.fields[index].at : NULL;
    bool inside = at && at >= raw.at && at < raw.at + raw.len;
    err_prefix(e, "column %.*s", (int)(head.len - 3 < 80 ? head.len - 3 : 80), head.at + 1);
    table_position(&t->table, inside ? (size_t)(at - raw.at) : 0, e);
    return -1;
}

/* Put the value of a column that is there. 0, or -1 with E filled. */
static int put_value(struct rows *t, size_t index, struct span field, struct err *e)
{
    struct writer *w = t->split->emit.out;
    struct span head = columns_head(t->columns, index);
    writer_put(w, head.at, head.len - 1);
    if (t->columns->types[index].kind == TYPE_TEXT) {
        text_put(w, field);
        return 0;
    }
    return type_put(w, t->columns->types[index], field, &t->scan, e);
}

/* Put a field for which there is no column, under its number, which no column has as its name. */
static void put_surplus(struct rows *t, size_t index)
{
    struct writer *w = t->split->emit.out;
    struct buf name = {0};
    for (size_t number = 1;; number++) {
        buf_reset(&name);
        buf_printf(&name, number == 1 ? "\"%zu\"" : "\"%zu_%zu\"", index + 1, number);
        if (!columns_have(t->columns, buf_span(&name))) {
            break;
        }
    }
    writer_put_byte(w, ',');
    writer_put_span(w, buf_span(&name));
    writer_put_byte(w, ':');
    text_put(w, t->record.fields[index]);
    buf_release(&name);
}

/* Put the record at hand as an object. 0, or -1 with E filled. */
static int put_object(struct rows *t, struct err *e)
{
    const struct table_record *r = &t->record;
    for (size_t i = 0; i < t->columns->count; i++) {
        struct span field = i < r->count ? r->fields[i] : span_of("", 0);
        if (put_value(t, i, field, e) < 0) {
            return misfit(t, i, e);
        }
    }
    for (size_t i = t->columns->count; i < r->count && t->rules->ragged == ROWS_RAGGED_PAD; i++) {
        put_surplus(t, i);
    }
    writer_put_byte(t->split->emit.out, '}');
    return 0;
}

/* Have the record at hand leave. 0, or -1 with E filled: it is refused. */
static int emit_record(struct rows *t, struct err *e)
{
    struct emit *m = &t->split->emit;
    bool even = t->record.count == t->columns->count;
    if (!even && t->rules->ragged == ROWS_RAGGED_FAIL) {
        return say_ragged(t, e);
    }
    if (!t->record.plain && check_utf8(t, e) < 0) {
        return -1;
    }
    emit_begin(m);
    if (even && t->record.plain && !t->columns->typed) {
        put_plain(t);
    } else if (put_object(t, e) < 0) {
        writer_rollback(m->out);
        return -1;
    }
    return emit_end(m, SCAN_OBJECT, e);
}

/* ---- tables ---- */

/* The columns' names from the first record, or that record passed over. 1, 0 at the end, -1. */
static int read_header(struct rows *t, bool skip, struct err *e)
{
    bool given = t->columns->count > 0;
    if (given && !skip) {
        return 1;
    }
    int got = table_next(&t->table, &t->record, e);
    if (got > 0 && !given &&
        columns_set(t->columns, t->record.fields, t->record.count, &t->rules->names,
                    &t->rules->types, e) < 0) {
        table_position(&t->table, 0, e);
        return -1;
    }
    return got;
}

/* Read a record and have it leave, or put it aside. 1, 0 at the end, -1 with E filled. */
static int step(struct rows *t, struct err *e)
{
    int got = table_next(&t->table, &t->record, e);
    if (got == 0 || (got < 0 && e->code != ERR_DATA)) {
        return got;
    }
    bool ragged = got > 0 && t->record.count != t->columns->count;
    if (ragged && t->rules->ragged == ROWS_RAGGED_DIVERT) {
        return divert(t, e) < 0 ? -1 : 1;
    }
    if (got < 0 || emit_record(t, e) < 0) {
        return refuse(t, e) < 0 ? -1 : 1;
    }
    return 1;
}

int rows_split(struct split *s, struct reader *r, char delimiter, struct columns *columns,
               bool skip, struct err *e)
{
    struct rows t = {.split = s, .rules = &s->rules.rows, .columns = columns};
    struct table_rules rules = {.delimiter = delimiter,
                                .backslash = t.rules->backslash,
                                .max_record_bytes = s->rules.lines.max_item_bytes};
    table_open(&t.table, r, &rules);
    /* a cell lies one deeper in its row */
    uint64_t deepest = s->rules.lines.max_depth;
    scan_init(&t.scan, deepest > 0 ? deepest - 1 : 0);
    int rc = read_header(&t, skip, e);
    while (rc > 0 && !emit_full(&s->emit)) {
        rc = step(&t, e);
    }
    scan_release(&t.scan);
    table_close(&t.table);
    return rc < 0 ? -1 : 0;
}
