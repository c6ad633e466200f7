/*
 * number.h: counts as text.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_NUMBER_H
#define FANLINE_RESULT_NUMBER_H

#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * A whole number from 0 on in *N, of digits only: no sign, point or exponent.  False, and *N
 * untouched, where TEXT is anything else or does not fit.
 */
bool number_read(struct span text, uint64_t *n);

#endif
