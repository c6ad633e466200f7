/*
 * near.h: what was probably meant by a name that is not known.
 *
 *     struct near n = near_to(name); for (each name there is) near_offer(&n, it); … n.best
 *
 * Floor: ground.
 */
#ifndef FANLINE_BASE_NEAR_H
#define FANLINE_BASE_NEAR_H

#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

struct near {
    struct span name;
    struct span best; /* of those offered so far that are near, the nearest; empty: there is none */
    bool part;        /* it is near too if it begins with the name */
    size_t distance;  /* of the best; from the first one on it must be below this */
};

/* Begin with NAME, which is borrowed. */
struct near near_to(struct span name);

/* The same for a NAME of which perhaps only the beginning was written, of at least three letters.
 */
struct near near_to_part(struct span name);

/*
 * Here is a CANDIDATE, borrowed.  It is near if few letters must be put in, left out, replaced or
 * swapped with their neighbour: one for every three in NAME, at least one.  Case costs nothing.
 */
void near_offer(struct near *n, struct span candidate);

#endif
