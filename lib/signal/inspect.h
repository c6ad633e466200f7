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

enum { INSPECT_COLUMNS = 9 };

/*
 * Rows of a table, which is laid out in pages: columns become wider from page to page, never
 * narrower.  Zero-initialised it is empty.
 */
struct inspect_table {
    struct buf cells; /* one after the other, each with its length before it */
    size_t rows;
    size_t widths[INSPECT_COLUMNS];
    bool headed;
};

/* Add the row of ID to the page. */
void inspect_add(struct inspect_table *t, struct span id, const struct store_facts *f, int64_t now);

/* Write the page, the first time under headings, and begin another one. */
void inspect_table(struct writer *w, struct inspect_table *t);

void inspect_table_release(struct inspect_table *t);

/* In sentences: what is there, who waits, and what they wait for. */
void inspect_explain(struct writer *w, struct span id, const struct store_facts *f, int64_t now);

#endif
