#include "signal/inspect.h"

#include "base/clock.h"
#include "base/mem.h"
#include "signal/plain.h"
#include "json/members.h"
#include "json/text.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- JSON ---- */

static void put_number(struct buf *b, const char *key, int64_t value, bool known)
{
    members_name(b, key);
    if (known) {
        buf_add_i64(b, value);
    } else {
        buf_add_text(b, "null");
    }
}

static void put_text(struct buf *b, const char *key, struct span value, bool known)
{
    members_name(b, key);
    if (known) {
        text_encode_lossy(b, value);
    } else {
        buf_add_text(b, "null");
    }
}

static void put_time(struct buf *b, const char *key, int64_t millis)
{
    char stamp[CLOCK_STAMP_MAX];
    put_text(b, key, span_text(clock_stamp(millis * CLOCK_MILLI, stamp)), millis != 0);
}

static void put_counters(struct buf *b, const struct store_entry *entry)
{
    members_open(b, "counters");
    for (size_t i = 0; i < entry->counter_count; i++) {
        buf_add_text(b, i ? "," : "");
        text_encode_lossy(b, entry->counters[i].name);
        buf_add_byte(b, ':');
        buf_add_i64(b, entry->counters[i].value);
    }
    buf_add_byte(b, '}');
}

static void put_attributes(struct buf *b, const struct store_entry *entry)
{
    members_open(b, "attributes");
    for (size_t i = 0; i < entry->attribute_count; i++) {
        buf_add_text(b, i ? "," : "");
        text_encode_lossy(b, entry->attributes[i].name);
        buf_add_byte(b, ':');
        text_encode_lossy(b, entry->attributes[i].value);
    }
    buf_add_byte(b, '}');
}

static void put_waiting(struct buf *b, const struct store_facts *f)
{
    members_name(b, "waiters");
    buf_add_byte(b, '[');
    for (size_t i = 0; i < f->waiting_count; i++) {
        const struct store_waiting *w = &f->waiting[i];
        buf_add_text(b, i ? ",{" : "{");
        put_text(b, "who", w->who, true);
        put_number(b, "lines", w->lines, true);
        put_text(b, "counter", w->counter, w->counter.len > 0);
        put_number(b, "target", w->target, w->target != STORE_STATED_TARGET);
        put_time(b, "since", w->since);
        buf_add_byte(b, '}');
    }
    buf_add_byte(b, ']');
}

void inspect_json(struct writer *w, struct span id, const struct store_facts *f, int64_t now)
{
    struct buf b = {0};
    buf_add_byte(&b, '{');
    put_text(&b, "id", id, true);
    put_counters(&b, &f->entry);
    put_number(&b, "total", f->total, f->found);
    put_number(&b, "target", f->target, f->target != STORE_NO_TARGET);
    put_number(&b, "tickets", f->tickets, true);
    put_number(&b, "leased", f->leased, true);
    put_number(&b, "once", f->once, true);
    put_attributes(&b, &f->entry);
    put_time(&b, "created", f->made);
    put_time(&b, "changed", f->changed);
    put_number(&b, "age", (now - f->changed) / 1000, f->changed != 0);
    put_time(&b, "expires", f->expires);
    put_number(&b, "ttl", (f->expires - now) / 1000, f->expires != 0);
    put_text(&b, "notifier", f->notifier, f->notifier.len > 0);
    put_time(&b, "released", f->released);
    put_waiting(&b, f);
    buf_add_text(&b, "}\n");
    writer_put_span(w, buf_span(&b));
    writer_commit(w);
    buf_release(&b);
}

/* ---- a table ---- */

enum {
    COLUMNS = INSPECT_COLUMNS,
    WIDTH_MAX = 40 /* of a column; what is longer moves the rest of its row */
};

static const char *const headings[COLUMNS] = {"ID",  "COUNTS", "TOTAL",   "TARGET",  "TICKETS",
                                              "AGE", "TTL",    "WAITING", "NOTIFIER"};

/* A length of time as people say it. */
static void add_time(struct buf *b, int64_t millis)
{
    int64_t seconds = millis < 0 ? 0 : millis / 1000;
    if (seconds < 120) {
        buf_printf(b, "%llds", (long long)seconds);
    } else if (seconds < 7200) {
        buf_printf(b, "%lldmin", (long long)(seconds / 60));
    } else if (seconds < 172800) {
        buf_printf(b, "%lldh", (long long)(seconds / 3600));
    } else {
        buf_printf(b, "%lldd", (long long)(seconds / 86400));
    }
}

static void add_cell(struct inspect_table *t, struct buf *cell)
{
    if (cell->len == 0) {
        buf_add_byte(cell, '-');
    }
    buf_add(&t->cells, (const char *)&cell->len, sizeof cell->len);
    buf_add_span(&t->cells, buf_span(cell));
    buf_reset(cell);
}

static int64_t lines_waiting(const struct store_facts *f)
{
    int64_t lines = 0;
    for (size_t i = 0; i < f->waiting_count; i++) {
        lines += f->waiting[i].lines;
    }
    return lines;
}

static void add_counts(struct buf *b, const struct store_facts *f)
{
    for (size_t i = 0; i < f->entry.counter_count; i++) {
        buf_add_text(b, i ? " " : "");
        plain_add(b, f->entry.counters[i].name);
        buf_printf(b, "=%lld", (long long)f->entry.counters[i].value);
    }
}

void inspect_add(struct inspect_table *t, struct span id, const struct store_facts *f, int64_t now)
{
    struct buf cell = {0};
    plain_add(&cell, id);
    add_cell(t, &cell);
    add_counts(&cell, f);
    add_cell(t, &cell);
    if (f->found) {
        buf_add_i64(&cell, f->total);
    }
    add_cell(t, &cell);
    if (f->target != STORE_NO_TARGET) {
        buf_add_i64(&cell, f->target);
    }
    add_cell(t, &cell);
    if (f->tickets + f->leased != 0) {
        buf_add_i64(&cell, f->tickets + f->leased);
    }
    add_cell(t, &cell);
    if (f->changed) {
        add_time(&cell, now - f->changed);
    }
    add_cell(t, &cell);
    if (f->expires) {
        add_time(&cell, f->expires - now);
    } else if (f->found) {
        buf_add_text(&cell, "ever");
    }
    add_cell(t, &cell);
    if (f->waiting_count) {
        buf_add_i64(&cell, lines_waiting(f));
    }
    add_cell(t, &cell);
    plain_add(&cell, f->notifier);
    add_cell(t, &cell);
    buf_release(&cell);
    t->rows++;
}

static struct span next_cell(const struct inspect_table *t, size_t *at)
{
    size_t len;
    memcpy(&len, t->cells.at + *at, sizeof len);
    struct span cell = span_of(t->cells.at + *at + sizeof len, len);
    *at += sizeof len + len;
    return cell;
}

static void put_cell(struct writer *w, struct span cell, size_t width, bool last)
{
    writer_put_span(w, cell);
    size_t n = plain_width(cell);
    for (size_t to = n < width ? width + 2 : n + 2; !last && n < to; n++) {
        writer_put_byte(w, ' ');
    }
    if (last) {
        writer_put_byte(w, '\n');
    }
}

/* Widen the columns to what the rows need, but not for single long cells. */
static void widen(struct inspect_table *t)
{
    size_t at = 0;
    for (int c = 0; c < COLUMNS; c++) {
        size_t width = plain_width(span_text(headings[c]));
        t->widths[c] = width > t->widths[c] ? width : t->widths[c];
    }
    for (size_t i = 0; i < t->rows * COLUMNS; i++) {
        size_t width = plain_width(next_cell(t, &at));
        if (width > t->widths[i % COLUMNS] && width <= WIDTH_MAX) {
            t->widths[i % COLUMNS] = width;
        }
    }
}

void inspect_table(struct writer *w, struct inspect_table *t)
{
    size_t at = 0;
    widen(t);
    for (int c = 0; c < COLUMNS && !t->headed; c++) {
        put_cell(w, span_text(headings[c]), t->widths[c], c == COLUMNS - 1);
    }
    t->headed = true;
    for (size_t i = 0; i < t->rows * COLUMNS; i++) {
        put_cell(w, next_cell(t, &at), t->widths[i % COLUMNS], i % COLUMNS == COLUMNS - 1);
    }
    writer_commit(w);
    buf_reset(&t->cells);
    t->rows = 0;
}

void inspect_table_release(struct inspect_table *t)
{
    buf_release(&t->cells);
    *t = (struct inspect_table){0};
}

/* ---- sentences ---- */

static int64_t count_of(const struct store_facts *f, struct span counter)
{
    if (counter.len == 0) {
        return f->total;
    }
    for (size_t i = 0; i < f->entry.counter_count; i++) {
        if (span_equal(f->entry.counters[i].name, counter)) {
            return f->entry.counters[i].value;
        }
    }
    return 0;
}

static void explain_entry(struct buf *b, const struct store_facts *f, int64_t now)
{
    if (!f->found) {
        buf_add_text(b, "  nothing is there: nobody has notified it, what was there has been "
                        "used up, or its time was over\n");
        return;
    }
    buf_add_text(b, "  counts: ");
    add_counts(b, f);
    buf_printf(b, "%s; total %lld\n", f->entry.counter_count ? "" : "none", (long long)f->total);
    if (f->target != STORE_NO_TARGET) {
        buf_printf(b, "  the target is stated: %lld\n", (long long)f->target);
    }
    if (f->tickets) {
        buf_printf(b, "  tickets that an earlier release left over: %lld\n", (long long)f->tickets);
    }
    if (f->leased) {
        buf_printf(b, "  lines that are just being released: %lld\n", (long long)f->leased);
    }
    if (f->released) {
        buf_add_text(b, "  released once, ");
        add_time(b, now - f->released);
        buf_add_text(b, " ago: with --release-once nothing more leaves\n");
    }
    if (f->changed) {
        buf_add_text(b, "  last notified ");
        add_time(b, now - f->changed);
        buf_add_text(b, " ago by ");
        plain_add(b, f->notifier);
        buf_add_byte(b, '\n');
    }
    buf_add_text(b, f->expires ? "  it lives for another " : "  it lives for ever");
    if (f->expires) {
        add_time(b, f->expires - now);
    }
    buf_add_byte(b, '\n');
}

static void explain_waiting(struct buf *b, const struct store_facts *f,
                            const struct store_waiting *w, int64_t now)
{
    int64_t count = count_of(f, w->counter);
    int64_t target = w->target == STORE_STATED_TARGET ? f->target : w->target;
    buf_add_text(b, "  ");
    plain_add(b, w->who);
    buf_printf(b, " holds %lld line%s for ", (long long)w->lines, w->lines == 1 ? "" : "s");
    add_time(b, now - w->since);
    buf_add_text(b, ": the first needs ");
    if (target < 0) {
        buf_add_text(b, "the stated target, which nobody has stated yet (notify --of)\n");
        return;
    }
    buf_printf(b, "%lld of ", (long long)target);
    if (w->counter.len > 0) {
        buf_add_text(b, "the counter ");
        plain_add(b, w->counter);
    } else {
        buf_add_text(b, "the total");
    }
    if (count < target) {
        buf_printf(b, ", %lld %s missing\n", (long long)(target - count),
                   target - count == 1 ? "is" : "are");
    } else {
        buf_add_text(b, ", which are there: it leaves when it is looked at next\n");
    }
}

void inspect_explain(struct writer *w, struct span id, const struct store_facts *f, int64_t now)
{
    struct buf b = {0};
    buf_add_text(&b, "signal '");
    plain_add(&b, id);
    buf_add_text(&b, "':\n");
    explain_entry(&b, f, now);
    if (count_of(f, SPAN_LIT("broken")) > 0) {
        buf_add_text(&b, "  a stream that signals it was cut short (counter broken): who waits for "
                         "the total fails\n");
    }
    if (count_of(f, SPAN_LIT("rejected")) > 0) {
        buf_add_text(&b, "  items of its stream were rejected (counter rejected)\n");
    }
    for (size_t i = 0; i < f->waiting_count; i++) {
        explain_waiting(&b, f, &f->waiting[i], now);
    }
    if (f->waiting_count == 0) {
        buf_add_text(&b, "  nobody has said to wait for it in the last minutes\n");
    }
    writer_put_span(w, buf_span(&b));
    writer_commit(w);
    buf_release(&b);
}
