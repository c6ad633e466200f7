/*
 * types.h: what else than strings the fields of a table become.
 *
 * Only where it is asked for, column by column: nothing is ever guessed.  A value that does not fit
 * its type is refused; one that does leaves with the digits with which it came.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_TYPES_H
#define FANLINE_SOURCE_TYPES_H

#include "base/err.h"
#include "base/span.h"
#include "io/writer.h"
#include "json/scan.h"

#include <stdbool.h>
#include <stddef.h>

enum type_kind {
    TYPE_TEXT,
    TYPE_INT,    /* a JSON integer as it is canonical: no -0, no 007, no 1.0; any length */
    TYPE_NUMBER, /* a JSON number */
    TYPE_BOOL,   /* true or false, in any case */
    TYPE_JSON,   /* any JSON value; leaves without white space between tokens */
    TYPE_KEY     /* a text, URL-encoded: decoded, a string */
};

struct type {
    enum type_kind kind;
    bool optional; /* an empty field becomes null */
};

/* A column's name and its type. */
struct types_entry {
    struct span name; /* owned */
    struct type type;
};

/* Which columns have which type. Owns its memory; zero-initialised there are none. */
struct types {
    struct types_entry *entries;
    size_t count;
    size_t cap;
};

/*
 * Add what TEXT says: NAME:TYPE,NAME:TYPE,… as one CSV record with commas; the last colon counts.
 * TYPE is int, number, bool or json, with a '?' behind it where fields may be empty.  0, or -1 with
 * E filled (ERR_USAGE).
 */
int types_parse(struct types *t, struct span text, struct err *e);

/* The type of the column NAME; NULL: a string. */
const struct type *types_find(const struct types *t, struct span name);

void types_release(struct types *t);

/*
 * Put FIELD as a value of TYPE, which is not TYPE_TEXT.  SCAN has been initialised.  0, or -1 with
 * E filled (ERR_DATA, no position) and nothing put: it does not fit.
 */
int type_put(struct writer *w, struct type type, struct span field, struct scan *scan,
             struct err *e);

#endif
