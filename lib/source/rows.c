#include "csv/table.h"

#include "source/split.h"
#include "json/text.h"

/* Refuse the record at hand for the reason in E, which has its position. 0 to go on, -1. */
static int refuse(struct split *s, struct table *t, struct err *e)
{
    e->pos.item = s->emit.taken + 1;
    if (emit_refuse(&s->emit, e) < 0) {
        return -1;
    }
    return table_pass_by(t, s->rules.lines.rejects, e);
}

/* The columns' names from the first record, or that record passed over. 1, 0 at the end, -1. */
static int read_header(struct split *s, struct table *t, struct err *e)
{
    struct table_record record;
    bool given = s->rules.columns != NULL;
    if (given && s->rules.header != SPLIT_HEADER_SKIP) {
        return 1;
    }
    int got = table_next(t, &record, e);
    if (got > 0 && !given && columns_set(&s->columns, record.fields, record.count, e) < 0) {
        table_position(t, 0, e);
        return -1;
    }
    return got;
}

/* Check a record. 0, or -1 with E filled. */
static int check_row(const struct split *s, const struct table *t, const struct table_record *r,
                     struct err *e)
{
    size_t bad;
    if (r->count != s->columns.count) {
        err_set(e, ERR_DATA, "the record has %zu field%s, but there are %zu column%s", r->count,
                r->count == 1 ? "" : "s", s->columns.count, s->columns.count == 1 ? "" : "s");
        table_position(t, 0, e);
        return -1;
    }
    if (!text_is_utf8(r->raw, &bad)) {
        err_set(e, ERR_DATA, "invalid UTF-8");
        table_position(t, bad, e);
        return -1;
    }
    return 0;
}

/* Put a record that was checked into the output; as it is an object, nothing can be wrong with it.
 */
static int emit_row(struct split *s, const struct table_record *r, struct err *e)
{
    struct writer *w = s->emit.out;
    emit_begin(&s->emit);
    for (size_t i = 0; i < r->count; i++) {
        writer_put_span(w, columns_head(&s->columns, i));
        text_put(w, r->fields[i]);
    }
    writer_put_byte(w, '}');
    return emit_end(&s->emit, SCAN_OBJECT, e);
}

int split_rows(struct split *s, struct reader *r, char delimiter, struct err *e)
{
    struct table t;
    struct table_record record;
    struct table_rules rules = {.delimiter = ',',
                                .max_record_bytes = s->rules.lines.max_item_bytes};
    if (delimiter) {
        rules.delimiter = delimiter;
    }
    table_open(&t, r, &rules);
    int rc = read_header(s, &t, e);
    while (rc > 0 && !emit_full(&s->emit)) {
        rc = table_next(&t, &record, e);
        if (rc < 0 && e->code != ERR_DATA) {
            break;
        }
        if (rc < 0 || (rc > 0 && check_row(s, &t, &record, e) < 0)) {
            rc = refuse(s, &t, e) < 0 ? -1 : 1;
        } else if (rc > 0) {
            rc = emit_row(s, &record, e) < 0 ? -1 : 1;
        }
    }
    table_close(&t);
    return rc < 0 ? -1 : 0;
}
