/*
 * The escapes of AWS Step Functions (reference/distributed-map.md 2.2): beside quoted fields, a
 * backslash before a backslash, a quote or the delimiter makes that an ordinary character, and
 * before any other it is dropped; a quote written twice is one also in an unquoted field.  A quote
 * may be escaped singly, which AWS has work in pairs only.
 */
#include "csv/dialect.h"
#include "csv/table.h"

#include "base/mem.h"

#include <stdlib.h>

enum where {
    AT_START, /* of a field */
    BARE,
    BARE_QUOTE, /* behind a quote in an unquoted field: is it written twice? */
    QUOTED,
    CLOSED /* behind a quote in a quoted field: does that end here? */
};

struct escapes {
    enum where where;
    bool escaped; /* behind a backslash */
    bool begun;   /* something of the record came */
};

static void open_escapes(struct table *t)
{
    t->state = mem_new(1, sizeof(struct escapes));
}

static void close_escapes(struct table *t)
{
    free(t->state);
}

static void end_field(struct table *t, struct escapes *s)
{
    if (s->where == BARE_QUOTE) {
        buf_add_byte(&t->text, '"');
    }
    table_field(t, span_of(NULL, 0));
    s->where = AT_START;
}

static void end_row(struct table *t, struct escapes *s)
{
    end_field(t, s);
    table_row(t);
    *s = (struct escapes){0};
}

/* A character that stands for itself. */
static void add_plain(struct table *t, struct escapes *s, char c)
{
    if (s->where == BARE_QUOTE) {
        buf_add_byte(&t->text, '"'); /* it was a single one */
    }
    buf_add_byte(&t->text, c);
    s->where = s->where == QUOTED ? QUOTED : BARE;
}

static void take_quote(struct table *t, struct escapes *s)
{
    static const enum where next[] = {[AT_START] = QUOTED,
                                      [BARE] = BARE_QUOTE,
                                      [BARE_QUOTE] = BARE,
                                      [QUOTED] = CLOSED,
                                      [CLOSED] = QUOTED};
    if (s->where == BARE_QUOTE || s->where == CLOSED) {
        buf_add_byte(&t->text, '"'); /* written twice */
    }
    s->where = next[s->where];
}

/* Take C, which no backslash precedes. False: it stands behind a closing quote. */
static bool take(struct table *t, struct escapes *s, char c)
{
    bool ends_row = c == '\n' || c == '\r';
    if (c == '"') {
        take_quote(t, s);
    } else if (ends_row && s->where != QUOTED) {
        end_row(t, s);
    } else if (c == t->rules.delimiter && s->where != QUOTED) {
        end_field(t, s);
    } else if (s->where == CLOSED) {
        return false;
    } else if (c == '\\') {
        s->escaped = true;
    } else {
        add_plain(t, s, c);
    }
    return true;
}

static bool can_be_escaped(const struct table *t, char c)
{
    return c == '\\' || c == '"' || c == t->rules.delimiter;
}

static size_t feed(struct table *t, struct span piece)
{
    struct escapes *s = t->state;
    for (size_t i = 0; i < piece.len && !t->row_done; i++) {
        char c = piece.at[i];
        bool escaped = s->escaped && can_be_escaped(t, c);
        s->escaped = false;
        s->begun = true;
        if (escaped) {
            add_plain(t, s, c);
        } else if (!take(t, s, c)) {
            return i;
        }
    }
    return DIALECT_WHOLE;
}

static int finish(struct table *t)
{
    struct escapes *s = t->state;
    if (s->where == QUOTED) {
        return -1;
    }
    if (s->begun) {
        end_row(t, s);
    }
    return 0;
}

const struct dialect dialect_backslash = {
    .open = open_escapes, .feed = feed, .finish = finish, .close = close_escapes};
