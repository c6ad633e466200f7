/*
 * variables.h: the environment of a command.
 *
 * The environment that is given, then FANLINE_INDEX, FANLINE_NAME, FANLINE_ATTEMPT,
 * FANLINE_SLOT and FANLINE_RUN of the item.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_VARIABLES_H
#define FANLINE_RUN_VARIABLES_H

#include "base/buf.h"
#include "base/span.h"

#include <stddef.h>
#include <stdint.h>

#define VARIABLES_OWN 5

struct variables {
    const char **at; /* NULL-terminated */
    size_t given;    /* of those at the beginning */
    struct buf text; /* of our own */
};

/*
 * Begin with a copy of the list GIVEN, whose texts are borrowed.  Left out are our own variables,
 * which are of an outer run there, and FANLINE_END_MARK: an item as standard input carries no end
 * mark.
 */
void variables_init(struct variables *v, const char *const *given);

/* Set our own for an item; v->at is valid until the next call. SLOT is from 1. */
void variables_set(struct variables *v, struct span run, uint64_t index, uint64_t attempt,
                   size_t slot);

/* For a worker, which stays: only FANLINE_SLOT and FANLINE_RUN. */
void variables_set_worker(struct variables *v, struct span run, size_t slot);

void variables_release(struct variables *v);

#endif
