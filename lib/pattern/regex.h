/*
 * regex.h: regular expressions, in the notation of Java.
 *
 * Patterns are compiled once and matched by PCRE2 over UTF-8.  Where PCRE2 reads a text otherwise
 * than java.util.regex does, the text is translated first, or refused: never does a pattern
 * silently mean something else.  \d \w \s \b are ASCII, as in Java.  What remains different:
 *
 * - (?i) ignores the case of all letters; Java only does so with (?iu).
 * - A line also ends at U+000B and U+000C (for '.', '^', '$').
 * - Lookbehind must have a fixed length in each of its alternatives.
 * - Refused: unions and intersections of classes ([a[b]], [a&&b]), the flags d and U, \N{name},
 *   properties that PCRE2 does not know (blocks: \p{InGreek}; \p{javaLowerCase}).
 *
 * A match that backtracks too often, or takes too much memory, ends with an error, not a hang.
 * A pattern may be used by one thread at a time.
 *
 * Floor: services.
 */
#ifndef FANLINE_PATTERN_REGEX_H
#define FANLINE_PATTERN_REGEX_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>

struct regex;

enum regex_use {
    REGEX_WHOLE, /* it must match the whole text */
    REGEX_PART   /* any part of the text will do */
};

/* Compile TEXT. 0 and *OUT, which regex_free frees; -1 with E filled (ERR_USAGE). */
int regex_compile(struct regex **out, struct span text, enum regex_use use, struct err *e);

/* Does P match TEXT?  1 or 0, or -1 with E filled (ERR_DATA): a limit was met, or TEXT is no UTF-8.
 */
int regex_matches(const struct regex *p, struct span text, struct err *e);

/*
 * The first place in TEXT, from the offset FROM on, that matches, as *HIT, which lies in TEXT.  1,
 * 0 if there is none, -1 with E filled.
 */
int regex_find(const struct regex *p, struct span text, size_t from, struct span *hit,
               struct err *e);

/*
 * The first match in TEXT that begins at the offset FROM or later, as *HIT, which lies in TEXT.  1,
 * or 0 if there is none, or -1 with E filled (ERR_DATA).
 */
int regex_find(const struct regex *p, struct span text, size_t from, struct span *hit,
               struct err *e);

/*
 * Add TEXT to OUT with each match (ALL), or the first one, replaced.  In REPLACEMENT, as Java has
 * it: $1 or ${name} is what a group matched, as many digits as make the number of a group; '\'
 * takes the next character as it is.  Matches are sought as Java does: after an empty one a
 * character is passed over. 0, or -1 with E filled (ERR_DATA) and OUT as it was.
 */
int regex_replace(const struct regex *p, struct span text, struct span replacement, bool all,
                  struct buf *out, struct err *e);

void regex_free(struct regex *p);

#endif
