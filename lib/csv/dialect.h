/*
 * dialect.h: what a way of quoting provides to the reader of records.
 *
 * Inside the room csv only.  A dialect is given a record in pieces, of which only the last can have
 * a line end outside of quotes, and says table_field and table_row.
 *
 * Floor: services.
 */
#ifndef FANLINE_CSV_DIALECT_H
#define FANLINE_CSV_DIALECT_H

#include "base/span.h"

#include <stddef.h>
#include <stdint.h>

struct table;

#define DIALECT_WHOLE SIZE_MAX

struct dialect {
    /* Ready for a record, with T's rules; T->state is NULL before. */
    void (*open)(struct table *t);

    /*
     * Take PIECE.  Returns DIALECT_WHOLE, or the offset in it of text that stands behind the
     * closing quote of a field.
     */
    size_t (*feed)(struct table *t, struct span piece);

    /* The input ends.  Says table_row if there was a record.  -1: within quotes, else 0. */
    int (*finish)(struct table *t);

    void (*close)(struct table *t);
};

extern const struct dialect dialect_rfc;       /* libcsv's */
extern const struct dialect dialect_backslash; /* AWS's */

/* The field at hand has ended, with these bytes more than table_text has put already. */
void table_field(struct table *t, struct span bytes);

/* The record has ended. */
void table_row(struct table *t);

#endif
