/*
 * inspect.h: what is known of a signal, told to people and programs.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_INSPECT_H
#define FANLINE_SIGNAL_INSPECT_H

#include "io/writer.h"
#include "store/facts.h"

/*
 * One JSON line: {"id":…,"counters":{…},"total":N,"target":N|null,"tickets":N,"leased":N,"once":N,
 * "attributes":{…},"created":…,"changed":…,"age":seconds,"expires":…,"ttl":seconds,"notifier":…,
 * "released":…,"waiters":[{"who":…,"lines":N,"counter":…,"target":…,"since":…}]}; what is not known
 * is null.  NOW is in ms since 1970.
 */
void inspect_json(struct writer *w, struct span id, const struct store_facts *f, int64_t now);

/* Rows of a table, which is laid out when all of them are there. */
struct inspect_table {
    struct buf cells; /* one after the other, each with its length before it */
    size_t rows;
};

/* Add the row of ID. */
void inspect_add(struct inspect_table *t, struct span id, const struct store_facts *f, int64_t now);

/* Write the table under its headings, and forget the rows. */
void inspect_table(struct writer *w, struct inspect_table *t);

/* In sentences: what is there, who waits, and what they wait for. */
void inspect_explain(struct writer *w, struct span id, const struct store_facts *f, int64_t now);

#endif
