#include "source/columns.h"

#include "base/mem.h"
#include "csv/table.h"
#include "io/reader.h"
#include "json/text.h"

#include <stdlib.h>
#include <string.h>

/* A name and the column it stands in, from 0. */
struct name {
    struct span text;
    size_t column;
};

static int compare_names(const void *left, const void *right)
{
    const struct name *a = left;
    const struct name *b = right;
    size_t len = a->text.len < b->text.len ? a->text.len : b->text.len;
    int order = len ? memcmp(a->text.at, b->text.at, len) : 0;
    if (order != 0) {
        return order;
    }
    if (a->text.len != b->text.len) {
        return a->text.len < b->text.len ? -1 : 1;
    }
    return a->column < b->column ? -1 : 1;
}

/* Where the same name ends in the sorted NAMES that begins at FROM. */
static size_t same_until(const struct name *names, size_t count, size_t from)
{
    size_t to = from + 1;
    while (to < count && span_equal(names[to].text, names[from].text)) {
        to++;
    }
    return to;
}

/* Say which columns NAMES, which are the same, stand in. */
static void complain(struct buf *b, const struct name *names, size_t count)
{
    enum { SHOWN = 10 };
    buf_add_text(b, b->len ? "; column" : "column");
    buf_add_text(b, count > 1 ? "s" : "");
    for (size_t i = 0; i < count && i < SHOWN; i++) {
        buf_printf(b, "%s %zu", i == 0 ? "" : i + 1 == count ? " and" : ",", names[i].column + 1);
    }
    buf_add_text(b, count > SHOWN ? " and more" : "");
    if (names[0].text.len == 0) {
        buf_add_text(b, count > 1 ? " have no name" : " has no name");
    } else {
        buf_add_text(b, count == 2 ? " are both named " : " are all named ");
        text_encode(b, span_of(names[0].text.at, names[0].text.len > 80 ? 80 : names[0].text.len));
    }
}

/* Names that are empty or come more than once. 0, or -1 with E filled. */
static int check_names(const struct span *fields, size_t count, struct err *e)
{
    struct buf b = {0};
    struct name *names = mem_new(count, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = (struct name){fields[i], i};
    }
    qsort(names, count, sizeof *names, compare_names);
    for (size_t i = 0, to; i < count; i = to) {
        to = same_until(names, count, i);
        if (to - i > 1 || names[i].text.len == 0) {
            complain(&b, names + i, to - i);
        }
    }
    free(names);
    int rc = b.len ? err_set(e, ERR_DATA, "the header is ambiguous: %s", buf_text(&b)) : 0;
    buf_release(&b);
    return rc;
}

static int check_utf8(const struct span *names, size_t count, struct err *e)
{
    size_t bad;
    for (size_t i = 0; i < count; i++) {
        if (!text_is_utf8(names[i], &bad)) {
            return err_set(e, ERR_DATA, "invalid UTF-8 in the name of column %zu", i + 1);
        }
    }
    return 0;
}

int columns_set(struct columns *c, const struct span *names, size_t count, struct err *e)
{
    buf_reset(&c->text);
    c->count = 0;
    if (check_utf8(names, count, e) < 0 || check_names(names, count, e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        c->ends = mem_grow(c->ends, &c->cap, i, sizeof *c->ends);
        buf_add_byte(&c->text, i ? ',' : '{');
        text_encode(&c->text, names[i]);
        buf_add_byte(&c->text, ':');
        c->ends[i] = c->text.len;
    }
    c->count = count;
    return 0;
}

int columns_parse(struct columns *c, struct span text, struct err *e)
{
    struct reader r;
    struct table t;
    struct table_record record;
    struct table_rules rules = {.delimiter = ',', .max_record_bytes = UINT64_MAX};
    reader_init_text(&r, text, "--csv-headers");
    table_open(&t, &r, &rules);
    struct err why = {0};
    int rc = table_next(&t, &record, &why);
    if (rc == 0) {
        err_set(&why, ERR_DATA, "no names are given");
    } else if (rc > 0 && record.raw.len != text.len) {
        err_set(&why, ERR_DATA, "the names must be one line");
    } else if (rc > 0) {
        columns_set(c, record.fields, record.count, &why);
    }
    table_close(&t);
    reader_release(&r);
    return why.code ? err_set(e, ERR_USAGE, "--csv-headers: %s", why.text) : 0;
}

void columns_release(struct columns *c)
{
    buf_release(&c->text);
    free(c->ends);
    *c = (struct columns){0};
}
