/*
 * count.h: what expressions give, as counts and ids.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_COUNT_H
#define FANLINE_SIGNAL_COUNT_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * TEXT, the value of an expression, as a whole number from MIN to MAX; WHAT names it in the
 * message. Spelled as NiFi takes it: digits with an optional sign, no blanks, no point
 * (reference/wait-notify.md D31, D32).  Returns 0, or -1 with E filled (ERR_DATA).
 */
int count_read(struct span text, const char *what, int64_t min, int64_t max, int64_t *out,
               struct err *e);

/*
 * Is ID empty or only white space: not to be used as a signal's id?  White space is what Java takes
 * for it, as NiFi does: not only that of ASCII, but no blank that forbids a line break (U+00A0).
 */
bool id_is_blank(struct span id);

/* How many bytes of an id, or a counter's name, a message shows: for "%.*s". */
int id_shown(struct span id);

#endif
