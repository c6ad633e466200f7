#include "source/header.h"

#include "base/buf.h"
#include "base/mem.h"
#include "json/text.h"

#include <stdlib.h>
#include <string.h>

/* A name and the column it stands in, from 0. */
struct name {
    struct span text;
    size_t column;
    bool made; /* by us, for a column without a name */
};

/* By text; of the same texts first what was there, then by column. */
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
    if (a->made != b->made) {
        return a->made ? 1 : -1;
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

/* Names, sorted, that do not tell columns apart. 0, or -1 with E filled. */
static int check_names(const struct name *names, size_t count, bool empty, struct err *e)
{
    struct buf b = {0};
    for (size_t i = 0, to; i < count; i = to) {
        to = same_until(names, count, i);
        if (to - i > 1 || (names[i].text.len == 0 && !empty)) {
            complain(&b, names + i, to - i);
        }
    }
    int rc = 0;
    if (b.len > 0) {
        rc =
            err_set(e, ERR_DATA, "the header is ambiguous: %s (see --dedupe-header)", buf_text(&b));
    }
    buf_release(&b);
    return rc;
}

/* Is TEXT among the sorted NAMES? */
static bool is_among(const struct name *names, size_t count, struct span text)
{
    size_t low = 0;
    struct name wanted = {.text = text};
    while (low < count) {
        size_t middle = low + (count - low) / 2;
        if (span_equal(names[middle].text, text)) {
            return true;
        }
        if (compare_names(&names[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            count = middle;
        }
    }
    return false;
}

/*
 * Names for the columns of [from, to), which all have the same: the first keeps it, the others get
 * numbers, with which no other has been named.
 */
static void number_names(const struct name *names, size_t count, size_t from, size_t to,
                         struct span *out, struct arena *arena)
{
    struct buf b = {0};
    size_t number = 2;
    for (size_t i = from + 1; i < to; i++) {
        do {
            buf_reset(&b);
            buf_add_span(&b, names[from].text);
            buf_printf(&b, "_%zu", number++);
        } while (is_among(names, count, buf_span(&b)));
        out[names[i].column] = arena_copy(arena, buf_span(&b));
    }
    buf_release(&b);
}

/* A column without a name is named by its number. */
static void name_by_number(struct name *name, struct arena *arena)
{
    char digits[20];
    name->text = arena_copy(arena, span_of(digits, buf_digits(digits, name->column + 1)));
    name->made = true;
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

int header_resolve(const struct span *fields, size_t count, const struct header_rules *rules,
                   struct span *out, struct arena *arena, struct err *e)
{
    if (check_utf8(fields, count, e) < 0) {
        return -1;
    }
    struct name *names = mem_new(count, sizeof *names);
    int rc = 0;
    for (size_t i = 0; i < count; i++) {
        names[i] = (struct name){fields[i], i, false};
        if (fields[i].len == 0 && rules->dedupe && !rules->empty) {
            name_by_number(&names[i], arena);
        }
        out[i] = names[i].text;
    }
    qsort(names, count, sizeof *names, compare_names);
    if (!rules->dedupe) {
        rc = check_names(names, count, rules->empty, e);
    }
    for (size_t i = 0, to; rules->dedupe && i < count; i = to) {
        to = same_until(names, count, i);
        number_names(names, count, i, to, out, arena);
    }
    free(names);
    return rc;
}
