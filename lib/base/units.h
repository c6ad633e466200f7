/*
 * units.h: numbers, durations and sizes as people write them.
 *
 * The whole text must be the value: "10x", " 5" and "" are errors that quote the
 * text.  All functions return 0, or -1 with E filled (ERR_USAGE) and *OUT untouched.
 *
 * Floor: ground.
 */
#ifndef FANLINE_BASE_UNITS_H
#define FANLINE_BASE_UNITS_H

#include "base/err.h"
#include "base/span.h"

#include <stdint.h>

/* A decimal integer with an optional sign, within MIN and MAX. */
int units_integer(struct span text, int64_t min, int64_t max, int64_t *out, struct err *e);

/* A decimal number of JSON's form without a sign, "0.5" or "1e3", of at most 39 characters. */
int units_number(struct span text, double *out, struct err *e);

/*
 * A duration, in nanoseconds: "500ms", "10s", "5 min", "1.5h", "2d", compound "1h30m", a bare "0",
 * and the unit words of NiFi in any case (reference/wait-notify.md 1.3): ns nano(s)
 * nanosecond(s), us, ms milli(s) millisecond(s), s sec(s) second(s), m min(s) minute(s),
 * h hr(s) hour(s), d day(s), w wk(s) week(s).  At most 292 years.
 */
int units_duration(struct span text, int64_t *out, struct err *e);

/*
 * A size in bytes: "4096", "64k", "1MiB", "2G".  k, m, g, t, with or without "iB" or "i", are
 * powers of 1024; with "B" alone ("1MB") powers of 1000.
 */
int units_size(struct span text, uint64_t *out, struct err *e);

/*
 * A percentage from 0 to 100 with an optional '%' and at most six decimals, in
 * millionths of a percent, so that comparisons are exact: "33" gives 33000000.
 */
int units_percent(struct span text, int64_t *out, struct err *e);

#endif
