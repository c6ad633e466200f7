/*
 * rows.h: the records of tables become objects.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_ROWS_H
#define FANLINE_SOURCE_ROWS_H

#include "base/err.h"
#include "io/reader.h"
#include "io/writer.h"
#include "source/columns.h"
#include "source/types.h"

#include <stdbool.h>

struct split;

/* Where the names of columns come from. */
enum rows_header {
    ROWS_HEADER_DEFAULT, /* none where names are given, else first */
    ROWS_HEADER_FIRST,   /* the first record has the names */
    ROWS_HEADER_NONE,    /* all records are data */
    ROWS_HEADER_SKIP     /* the first record is neither */
};

/* What is done about a record with fewer or more fields than there are columns. */
enum rows_ragged {
    ROWS_RAGGED_FAIL,  /* it is refused */
    ROWS_RAGGED_PAD,   /* missing fields are "", surplus ones are named by their number, from 1 */
    ROWS_RAGGED_CUT,   /* missing fields are "", surplus ones are dropped (AWS) */
    ROWS_RAGGED_DIVERT /* it is put aside */
};

/* What the options say of tables. Everything is borrowed. */
struct rows_rules {
    char delimiter; /* 0: none was given */
    const char
        *columns; /* names, as one CSV record with the delimiter ','; NULL: none were given */
    enum rows_header header;
    enum rows_ragged ragged;
    struct header_rules names;
    struct types types;
    bool backslash;          /* AWS's escapes; see csv/table.h */
    struct writer *diverted; /* where records go with ROWS_RAGGED_DIVERT */
};

/*
 * Split the table R, of which the records are separated by DELIMITER.  COLUMNS are its columns, or,
 * where they are empty, those of its first record, which are put there.  SKIP: the first record is
 * passed over.  0, or -1 with E filled.
 */
int rows_split(struct split *s, struct reader *r, char delimiter, struct columns *columns,
               bool skip, struct err *e);

#endif
