/* RFC 4180, by libcsv. */
#include "csv/dialect.h"
#include "csv/table.h"

#include "base/mem.h"

#include <csv.h>

#include <stdlib.h>

enum { BLOCK_MIN = 4096 }; /* libcsv's own step of 128 bytes makes long fields slow */

static int nothing_is_space(unsigned char c)
{
    (void)c;
    return 0;
}

static void *resize(void *at, size_t size)
{
    return mem_resize(at, size, 1);
}

static void open_parser(struct table *t)
{
    struct csv_parser *p = t->state = mem_new(1, sizeof *p);
    csv_init(p, CSV_STRICT | CSV_STRICT_FINI);
    csv_set_delim(p, (unsigned char)t->rules.delimiter);
    csv_set_space_func(p, nothing_is_space);
    csv_set_realloc_func(p, resize);
    csv_set_blk_size(p, BLOCK_MIN);
}

static void close_parser(struct table *t)
{
    csv_free(t->state);
    free(t->state);
}

static void field_ended(void *bytes, size_t len, void *context)
{
    table_field(context, span_of(bytes, len));
}

static void row_ended(int c, void *context)
{
    (void)c;
    table_row(context);
}

/* A quote within an unquoted field, which strict mode refuses, goes in by itself. */
static size_t feed(struct table *t, struct span piece)
{
    struct csv_parser *p = t->state;
    size_t done = 0;
    size_t held = csv_get_buffer_size(p);
    csv_set_blk_size(p, held < BLOCK_MIN ? BLOCK_MIN : held);
    while (done < piece.len) {
        done += csv_parse(p, piece.at + done, piece.len - done, field_ended, row_ended, t);
        if (done < piece.len && piece.at[done] != '"') {
            return done;
        }
        if (done < piece.len) {
            csv_set_opts(p, 0);
            done += csv_parse(p, piece.at + done, 1, field_ended, row_ended, t);
            csv_set_opts(p, CSV_STRICT | CSV_STRICT_FINI);
        }
    }
    return DIALECT_WHOLE;
}

static int finish(struct table *t)
{
    return csv_fini(t->state, field_ended, row_ended, t) == 0 ? 0 : -1;
}

const struct dialect dialect_rfc = {
    .open = open_parser, .feed = feed, .finish = finish, .close = close_parser};
