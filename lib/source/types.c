#include "source/types.h"

#include "base/mem.h"
#include "csv/table.h"
#include "io/reader.h"
#include "source/key.h"
#include "json/text.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- which column has which ---- */

static int parse_kind(struct span text, enum type_kind *kind)
{
    static const struct {
        struct span name;
        enum type_kind kind;
    } kinds[] = {{{"int", 3}, TYPE_INT},
                 {{"number", 6}, TYPE_NUMBER},
                 {{"bool", 4}, TYPE_BOOL},
                 {{"json", 4}, TYPE_JSON}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (span_equal(text, kinds[i].name)) {
            *kind = kinds[i].kind;
            return 0;
        }
    }
    return -1;
}

static void add(struct types *t, struct span name, struct type type)
{
    t->entries = mem_grow(t->entries, &t->cap, t->count, sizeof *t->entries);
    t->entries[t->count++] =
        (struct types_entry){span_of(mem_copy(name.at, name.len), name.len), type};
}

/* Take one NAME:TYPE. 0, or -1 with E filled. */
static int parse_entry(struct types *t, struct span text, struct err *e)
{
    struct type type = {0};
    const char *colon = text.len ? memrchr(text.at, ':', text.len) : NULL;
    size_t len = colon ? (size_t)(colon - text.at) : text.len;
    struct span kind = colon ? span_of(colon + 1, text.len - len - 1) : span_of("", 0);
    type.optional = kind.len > 0 && kind.at[kind.len - 1] == '?';
    kind.len -= type.optional;
    if (parse_kind(kind, &type.kind) < 0) {
        return err_set(e, ERR_USAGE,
                       "--types: '%.*s' is no NAME:TYPE where the type is int, number, bool or"
                       " json, or one of these with a '?'",
                       (int)(text.len < 80 ? text.len : 80), text.at);
    }
    if (types_find(t, span_of(text.at, len))) {
        return err_set(e, ERR_USAGE, "--types: the column '%.*s' has two types",
                       (int)(len < 80 ? len : 80), text.at);
    }
    add(t, span_of(text.at, len), type);
    return 0;
}

int types_parse(struct types *t, struct span text, struct err *e)
{
    struct reader r;
    struct table table;
    struct table_record record;
    struct err why = {0};
    struct table_rules rules = {.delimiter = ',', .max_record_bytes = UINT64_MAX};
    reader_init_text(&r, text, "--types");
    table_open(&table, &r, &rules);
    int rc = table_next(&table, &record, &why);
    if (rc <= 0 || record.raw.len != text.len) {
        rc = err_set(e, ERR_USAGE, "--types: %s",
                     why.code ? why.text : "it must be one line of NAME:TYPE");
    }
    for (size_t i = 0; rc > 0 && i < record.count; i++) {
        rc = parse_entry(t, record.fields[i], e) < 0 ? -1 : 1;
    }
    table_close(&table);
    reader_release(&r);
    return rc < 0 ? -1 : 0;
}

const struct type *types_find(const struct types *t, struct span name)
{
    for (size_t i = 0; i < t->count; i++) {
        if (span_equal(t->entries[i].name, name)) {
            return &t->entries[i].type;
        }
    }
    return NULL;
}

void types_release(struct types *t)
{
    for (size_t i = 0; i < t->count; i++) {
        free((char *)(uintptr_t)t->entries[i].name.at);
    }
    free(t->entries);
    *t = (struct types){0};
}

/* ---- values ---- */

/* Does FIELD not fit, being no WHAT? Returns -1. */
static int misfit(struct span field, const char *what, struct err *e)
{
    enum { SHOWN = 40 };
    return err_set(e, ERR_DATA, "'%.*s%s' is no %s", (int)(field.len < SHOWN ? field.len : SHOWN),
                   field.at, field.len < SHOWN ? "" : "...", what);
}

static bool is_digits(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] < '0' || text.at[i] > '9') {
            return false;
        }
    }
    return text.len > 0;
}

static int put_int(struct writer *w, struct span field, struct err *e)
{
    bool negative = field.len > 0 && field.at[0] == '-';
    struct span digits = span_of(field.at + negative, field.len - negative);
    bool zero_first = digits.len > 0 && digits.at[0] == '0';
    if (!is_digits(digits) || (zero_first && (digits.len > 1 || negative))) {
        return misfit(field, "canonical integer", e);
    }
    writer_put_span(w, field);
    return 0;
}

static int put_number(struct writer *w, struct span field, struct scan *scan, struct err *e)
{
    bool begins = field.len > 0 && (field.at[0] == '-' || is_digits(span_of(field.at, 1)));
    if (!begins || scan_check(scan, field.at, field.len) < 0 || scan->spaces) {
        return misfit(field, "JSON number", e);
    }
    writer_put_span(w, field);
    return 0;
}

static int put_bool(struct writer *w, struct span field, struct err *e)
{
    static const struct span values[] = {{"true", 4}, {"false", 5}};
    for (size_t i = 0; i < 2; i++) {
        if (field.len == values[i].len && strncasecmp(field.at, values[i].at, field.len) == 0) {
            writer_put_span(w, values[i]);
            return 0;
        }
    }
    return misfit(field, "bool, which is true or false", e);
}

static int put_json(struct writer *w, struct span field, struct scan *scan, struct err *e)
{
    size_t len;
    if (scan_compact(scan, field.at, field.len, writer_room(w, field.len), &len) < 0) {
        return misfit(field, "JSON", e);
    }
    writer_advance(w, len);
    return 0;
}

int type_put(struct writer *w, struct type type, struct span field, struct scan *scan,
             struct err *e)
{
    if (type.optional && field.len == 0) {
        writer_put_span(w, SPAN_LIT("null"));
        return 0;
    }
    switch (type.kind) {
    case TYPE_INT:
        return put_int(w, field, e);
    case TYPE_NUMBER:
        return put_number(w, field, scan, e);
    case TYPE_BOOL:
        return put_bool(w, field, e);
    case TYPE_JSON:
        return put_json(w, field, scan, e);
    case TYPE_KEY:
        return key_put(w, field, e);
    default:
        text_put(w, field);
        return 0;
    }
}
