/*
 * rows.h: what the service tells, made into lines for programs or a table for people.
 *
 * A row is a list of names and values in turn: texts, whole numbers, or nothing.
 *
 * Floor: engines.
 */
#ifndef FANLINE_TUNNEL_ROWS_H
#define FANLINE_TUNNEL_ROWS_H

#include "io/writer.h"
#include "redis/reply.h"

/* Rows that were copied. Zero-initialised it is empty, and legal to release. */
struct rows {
    struct reply all; /* a list of lists */
};

/* Begin another row. */
void rows_begin(struct rows *r);

/* Add COUNT names and values to the last one. */
void rows_add(struct rows *r, const struct reply *items, size_t count);

/* All of them; valid until the next is begun. */
const struct reply *rows_all(const struct rows *r);

void rows_release(struct rows *r);

/* Put ROW as a JSON object, a line of its own. */
void rows_put_json(struct writer *w, const struct reply *row);

/*
 * Put the list ROWS, all of the same names, as a table with a heading: of the COLUMNS up to a
 * NULL, those that there are.
 */
void rows_put_table(struct writer *w, const struct reply *rows, const char *const *columns);

#endif
