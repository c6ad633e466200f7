/*
 * expect.h: how many items there should be.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_EXPECT_H
#define FANLINE_RESULT_EXPECT_H

#include "base/err.h"
#include "json/lines.h"

#include <stdint.h>

/*
 * The number of items that TEXT states: itself, if it is all digits; else it names a file with one
 * line, an object whose member "fragment.count" is the number (what `mapsplit --original` writes),
 * perhaps with an end mark behind it.  RULES give the limits for that line.  Returns 0, or -1 with
 * E filled.
 */
int expect_read(const char *text, const struct lines_rules *rules, uint64_t *count, struct err *e);

#endif
