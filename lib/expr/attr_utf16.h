/*
 * attr_utf16.h: offsets into UTF-8 text, counted as Java counts them.
 *
 * NiFi's length and indices are in UTF-16 units: a character beyond U+FFFF counts two
 * (reference/wait-notify.md 5.4).  Any bytes are taken: one that is not part of UTF-8 counts
 * as a character.
 *
 * For the files attr*.c only.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_ATTR_UTF16_H
#define FANLINE_EXPR_ATTR_UTF16_H

#include "base/buf.h"
#include "base/span.h"

#include <stdint.h>

/* The length of TEXT in UTF-16 units. */
int64_t utf16_length(struct span text);

/*
 * Add the units FROM (included) to TO (excluded) of TEXT to OUT; 0 <= FROM <= TO <= utf16_length.
 * Half of a character that was cut in two becomes U+FFFD.
 */
void utf16_cut(struct span text, int64_t from, int64_t to, struct buf *out);

/*
 * The character at AT, before END, and its length in bytes in *LEN: a code point, or for a byte
 * that is not part of UTF-8 its value and 1.
 */
uint32_t utf8_read(const char *at, const char *end, size_t *len);

/* Add the code point C in UTF-8. */
void utf8_add(struct buf *out, uint32_t c);

#endif
