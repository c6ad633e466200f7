/*
 * stored.h: the results of an earlier run, read back.
 *
 * Whatever the form of the files, each record comes as a line with real JSON, as the runner wrote
 * it, or, from files of seven members, as far as these tell: with its Index where the ExecutionName
 * states it, and ItemCount where the Input is a batch (fanline-records(5)).
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_STORED_H
#define FANLINE_RESULT_STORED_H

#include "base/err.h"
#include "base/span.h"
#include "object/object.h"
#include "result/catalog.h"
#include "result/form.h"
#include "result/record.h"
#include "json/lines.h"

#include <stdbool.h>

struct stored {
    char *url;                    /* of the folder; owned */
    struct object_client *client; /* borrowed */
    struct catalog catalog;
    bool any;         /* a record was read */
    struct form form; /* of the first record that was read; what is known by then */
};

/* Told of each record, which was read from LINE. Returns 0, or -1 with E filled: stop. */
typedef int stored_take(void *context, const struct record *r, struct span line, struct err *e);

/* Read the manifest at PLACE, a path or URL; its files lie beside it. 0, or -1 with E filled. */
int stored_open(struct stored *s, const char *place, struct object_client *client, struct err *e);

/*
 * Tell TAKE of all records of KIND, in the order of the files.  RULES give the limits for single
 * records.  Returns 0, or -1 with E filled: also where a file holds no records, but outputs alone.
 */
int stored_each(struct stored *s, enum catalog_kind kind, const struct lines_rules *rules,
                stored_take *take, void *context, struct err *e);

/* As stored_each, of all kinds. */
int stored_all(struct stored *s, const struct lines_rules *rules, stored_take *take, void *context,
               struct err *e);

void stored_close(struct stored *s);

#endif
