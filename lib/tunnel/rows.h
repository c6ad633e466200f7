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

/* Put ROW as a JSON object, a line of its own. */
void rows_put_json(struct writer *w, const struct reply *row);

/*
 * Put the list ROWS, all of the same names, as a table with a heading: of the COLUMNS up to a
 * NULL, those that there are.
 */
void rows_put_table(struct writer *w, const struct reply *rows, const char *const *columns);

#endif
