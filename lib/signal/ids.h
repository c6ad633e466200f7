/*
 * ids.h: things by signal id.
 *
 * What is to be found by an id begins with a `struct id_node`.
 *
 * Floor: engines.  The table owns its buckets, not the nodes; the node owns the copy of its id.
 */
#ifndef FANLINE_SIGNAL_IDS_H
#define FANLINE_SIGNAL_IDS_H

#include "base/span.h"

#include <stddef.h>
#include <stdint.h>

struct id_node {
    struct id_node *next; /* in the bucket */
    uint64_t hash;
    struct span id;
};

struct ids {
    struct id_node **buckets;
    size_t size; /* of buckets, a power of two; 0 before the first id */
    size_t count;
    uint64_t seed; /* so that nobody can choose ids that meet in one bucket */
};

/* The node of ID, NULL if there is none. */
struct id_node *ids_find(const struct ids *t, struct span id);

/* Put NODE in for ID, of which it gets a copy; ID must not be in yet. */
void ids_add(struct ids *t, struct id_node *node, struct span id);

/* Take NODE out and free its copy of the id; the node itself is the caller's. */
void ids_remove(struct ids *t, struct id_node *node);

/* Any node, NULL when empty: for emptying the table with ids_remove. */
struct id_node *ids_any(const struct ids *t);

/* Free the buckets; all nodes must be out. */
void ids_release(struct ids *t);

#endif
