/*
 * nesting.h: how deep JSON nests.
 *
 * Readers measure that as they go (scan.h, bulk.h).  This is for who puts a value that has been
 * read into another one, which must not get deeper than those who read it take.
 *
 * Floor: services.
 */
#ifndef FANLINE_JSON_NESTING_H
#define FANLINE_JSON_NESTING_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Does the valid JSON text VALUE nest deeper than DEPTH?  A scalar has the depth 0, an array of
 * scalars 1.  Looks at nothing where VALUE has not even the bytes for that.
 */
bool nesting_exceeds(struct span value, uint64_t depth);

#endif
