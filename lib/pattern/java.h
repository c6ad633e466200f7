/*
 * java.h: from Java's notation of regular expressions to that of PCRE2.
 *
 * For the room pattern only.
 *
 * Floor: services.
 */
#ifndef FANLINE_PATTERN_JAVA_H
#define FANLINE_PATTERN_JAVA_H

#include "base/buf.h"
#include "base/span.h"

/*
 * Add the translation of TEXT to OUT.  Returns NULL, or a text that says what is refused, with *AT
 * the offset in TEXT.  Errors that PCRE2 finds as well are left to it.
 */
const char *java_translate(struct span text, struct buf *out, size_t *at);

#endif
