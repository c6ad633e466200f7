/*
 * stamp.h: reads the times that records, definitions and listings state.
 *
 * Floor: ground.
 */
#ifndef FANLINE_BASE_STAMP_H
#define FANLINE_BASE_STAMP_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Nanoseconds since 1970 in *REAL of the time TEXT (RFC 3339), any offset, fractions to the
 * nanosecond, what is finer cut off.  False, and *REAL untouched, where TEXT is anything else, or a
 * year that is not within 1970 to 2199, so that all differences fit 64 bits.
 */
bool stamp_read(struct span text, int64_t *real);

#endif
