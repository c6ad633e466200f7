/*
 * attr_case.h: upper and lower case, whatever the locale.
 *
 * The mappings of Unicode 14 as Java's toUpperCase and toLowerCase have them outside of Turkish and
 * Lithuanian: a character may become several (U+00DF gives "SS"), and a capital sigma
 * that ends a word becomes the final one.  Simpler here: a word ends where the next
 * character is no letter with case.  Bytes that are not part of UTF-8 stay.
 *
 * For the files attr*.c only.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_ATTR_CASE_H
#define FANLINE_EXPR_ATTR_CASE_H

#include "base/buf.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

/* Add TEXT in upper, in lower case to OUT. */
void case_add_upper(struct buf *out, struct span text);
void case_add_lower(struct buf *out, struct span text);

/* Are A and B the same but for case, character by character (equalsIgnoreCase)? */
bool case_equal(struct span a, struct span b);

/* The one character that C becomes. */
uint32_t case_upper(uint32_t c);
uint32_t case_lower(uint32_t c);

#endif
