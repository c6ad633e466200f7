/*
 * A text as a CSV table, in both dialects: what is read and what is refused make up the whole text
 * but for blank lines; each record stands for itself: read alone it has the same fields, a refused
 * one is refused again; and the lane gives what the dialect gives.
 */
#include "csv/table.h"

#include "base/buf.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Read RAW alone; it must give RECORD, or, if RECORD is NULL, nothing but a fault. */
static void check_alone(struct span raw, const struct table_rules *rules,
                        const struct table_record *record)
{
    struct reader r;
    struct table t;
    struct table_record again;
    struct err e = {0};
    reader_init_text(&r, raw, "alone");
    table_open(&t, &r, rules);
    int got = table_next(&t, &again, &e);
    assert(got == (record ? 1 : -1));
    if (record) {
        assert(again.count == record->count && again.count > 0);
        for (size_t i = 0; i < again.count; i++) {
            assert(span_equal(again.fields[i], record->fields[i]));
        }
    } else {
        assert(e.code == ERR_DATA && e.text[0] && e.pos.line > 0 && e.pos.byte < raw.len);
    }
    table_close(&t);
    reader_release(&r);
}

static bool is_blank(char c)
{
    return c == '\n' || c == '\r';
}

/* PART is the next of the text at *AT, blank lines apart. */
static void check_next(struct span text, size_t *at, struct span part)
{
    while (*at < text.len && is_blank(text.at[*at])) {
        ++*at;
    }
    assert(part.len > 0 && part.len <= text.len - *at);
    assert(memcmp(text.at + *at, part.at, part.len) == 0);
    *at += part.len;
}

static void check_refused(struct table *t, struct span text, size_t *at)
{
    struct writer w;
    struct err e = {0};
    writer_init(&w, -1, "rejects");
    assert(table_pass_by(t, &w, &e) == 0);
    struct span raw = span_of(w.at, w.ready);
    assert(raw.len > 0 && raw.at[raw.len - 1] == '\n');
    check_alone(raw, &t->rules, NULL);
    while (is_blank(text.at[*at])) {
        ++*at;
    }
    bool added = raw.len > text.len - *at; /* the LF that the text itself lacks at its end */
    check_next(text, at, span_of(raw.at, raw.len - added));
    writer_release(&w);
}

/* A plain record needs no escape in JSON. */
static void check_plain(const struct table_record *record)
{
    for (size_t i = 0; record->plain && i < record->count; i++) {
        for (size_t k = 0; k < record->fields[i].len; k++) {
            char c = record->fields[i].at[k];
            assert((signed char)c >= 0x20 && c != '"' && c != '\\');
        }
    }
}

static void check_text(struct span text, const struct table_rules *rules)
{
    struct reader r;
    struct table t;
    struct table_record record;
    struct err e = {0};
    size_t at = 0;
    int got;
    reader_init_text(&r, text, "text");
    table_open(&t, &r, rules);
    while ((got = table_next(&t, &record, &e)) != 0) {
        if (got > 0) {
            check_next(text, &at, record.raw);
            check_alone(record.raw, rules, &record);
            check_plain(&record);
        } else {
            check_refused(&t, text, &at);
        }
    }
    for (; at < text.len; at++) {
        assert(is_blank(text.at[at]));
    }
    table_close(&t);
    reader_release(&r);
}

/* The lane and the dialect, side by side. */
static void compare(struct span text, const struct table_rules *rules)
{
    struct table_rules thorough = *rules;
    struct reader readers[2];
    struct table tables[2];
    struct table_record records[2];
    struct err e = {0};
    int got;
    thorough.thorough = true;
    reader_init_text(&readers[0], text, "lane");
    reader_init_text(&readers[1], text, "dialect");
    table_open(&tables[0], &readers[0], rules);
    table_open(&tables[1], &readers[1], &thorough);
    do {
        got = table_next(&tables[0], &records[0], &e);
        assert(table_next(&tables[1], &records[1], &e) == got);
        if (got > 0) {
            assert(records[0].count == records[1].count);
            assert(span_equal(records[0].raw, records[1].raw));
            for (size_t i = 0; i < records[0].count; i++) {
                assert(span_equal(records[0].fields[i], records[1].fields[i]));
            }
        } else if (got < 0) {
            assert(table_pass_by(&tables[0], NULL, &e) == table_pass_by(&tables[1], NULL, &e));
        }
    } while (got != 0);
    for (int i = 0; i < 2; i++) {
        table_close(&tables[i]);
        reader_release(&readers[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = span_of((const char *)data, size);
    for (int backslash = 0; backslash < 2; backslash++) {
        struct table_rules rules = {
            .delimiter = ',', .backslash = backslash, .max_record_bytes = 1000};
        check_text(text, &rules);
        compare(text, &rules);
    }
    return 0;
}
