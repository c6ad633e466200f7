/*
 * visible.h: characters that cannot be seen, or that move others about, shown as escapes.
 *
 * Texts in records may be made by anybody.  A control character can rewrite a terminal, a
 * bidirectional mark can make a name look like another one.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_VISIBLE_H
#define FANLINE_RESULT_VISIBLE_H

#include "base/span.h"
#include "io/writer.h"

#include <stdbool.h>
#include <stdint.h>

#define VISIBLE_NONE UINT32_MAX

/*
 * Take the next piece off REST, which is UTF-8: *PLAIN is what can be shown as it is, and *HIDDEN
 * the character behind it that cannot, VISIBLE_NONE if there is none: REST is empty then.  False at
 * the end.
 */
bool visible_next(struct span *rest, struct span *plain, uint32_t *hidden);

/* "\u202e", or "\u{e0001}": the escape of C at OUT, which has room for 12 bytes with the NUL. */
const char *visible_escape(uint32_t c, char out[12]);

/* The beginning of TEXT, which is UTF-8: at most MAX bytes, whole characters. */
struct span visible_head(struct span text, size_t max);

/* TEXT on one line of a terminal: all that is hidden, and line breaks, as escapes. */
void visible_put(struct writer *w, struct span text);

#endif
