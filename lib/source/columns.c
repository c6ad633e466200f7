#include "source/columns.h"

#include "base/arena.h"
#include "base/mem.h"
#include "csv/table.h"
#include "io/reader.h"
#include "json/text.h"

#include <stdlib.h>

/* Every name that has a type must be among NAMES. 0, or -1 with E filled. */
static int check_types(const struct types *types, const struct span *names, size_t count,
                       struct err *e)
{
    for (size_t i = 0; i < types->count; i++) {
        struct span name = types->entries[i].name;
        size_t at = 0;
        while (at < count && !span_equal(names[at], name)) {
            at++;
        }
        if (at == count) {
            return err_set(e, ERR_DATA, "--types: there is no column '%.*s'",
                           (int)(name.len < 80 ? name.len : 80), name.at);
        }
    }
    return 0;
}

/* Take NAMES, which are all different, and their types. */
static void take(struct columns *c, const struct span *names, size_t count,
                 const struct types *types)
{
    if (count > c->cap) {
        c->cap = count;
        c->ends = mem_resize(c->ends, count, sizeof *c->ends);
        c->types = mem_resize(c->types, count, sizeof *c->types);
    }
    for (size_t i = 0; i < count; i++) {
        const struct type *type = types_find(types, names[i]);
        buf_add_byte(&c->heads, i ? ',' : '{');
        text_encode(&c->heads, names[i]);
        buf_add_text(&c->heads, ":\"");
        c->ends[i] = c->heads.len;
        c->types[i] = type ? *type : (struct type){0};
        c->typed = c->typed || type;
    }
    c->count = count;
}

int columns_set(struct columns *c, const struct span *names, size_t count,
                const struct header_rules *rules, const struct types *types, struct err *e)
{
    struct arena arena = {0};
    struct span *own = mem_new(count, sizeof *own);
    buf_reset(&c->heads);
    c->count = 0;
    c->typed = false;
    int rc = header_resolve(names, count, rules, own, &arena, e);
    if (rc == 0) {
        rc = check_types(types, own, count, e);
    }
    if (rc == 0) {
        take(c, own, count, types);
    }
    free(own);
    arena_release(&arena);
    return rc;
}

int columns_parse(struct columns *c, struct span text, const struct header_rules *rules,
                  const struct types *types, struct err *e)
{
    struct reader r;
    struct table t;
    struct table_record record;
    struct table_rules as = {.delimiter = ',', .max_record_bytes = UINT64_MAX};
    reader_init_text(&r, text, "--csv-headers");
    table_open(&t, &r, &as);
    struct err why = {0};
    int rc = table_next(&t, &record, &why);
    if (rc == 0) {
        err_set(&why, ERR_DATA, "no names are given");
    } else if (rc > 0 && record.raw.len != text.len) {
        err_set(&why, ERR_DATA, "the names must be one line");
    } else if (rc > 0) {
        columns_set(c, record.fields, record.count, rules, types, &why);
    }
    table_close(&t);
    reader_release(&r);
    return why.code ? err_set(e, ERR_USAGE, "--csv-headers: %s", why.text) : 0;
}

void columns_type(struct columns *c, size_t index, struct type type)
{
    c->types[index] = type;
    c->typed = true;
}

bool columns_have(const struct columns *c, struct span name)
{
    for (size_t i = 0; i < c->count; i++) {
        struct span head = columns_head(c, i);
        if (span_equal(span_of(head.at + 1, head.len - 3), name)) {
            return true;
        }
    }
    return false;
}

void columns_release(struct columns *c)
{
    buf_release(&c->heads);
    free(c->ends);
    free(c->types);
    *c = (struct columns){0};
}
