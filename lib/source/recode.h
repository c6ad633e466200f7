/*
 * recode.h: texts that are not UTF-8, below a reader.
 *
 * From here on the reader hands out UTF-8, and its offsets count that.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_RECODE_H
#define FANLINE_SOURCE_RECODE_H

#include "base/err.h"
#include "io/reader.h"

enum recode {
    RECODE_NOTHING, /* it is UTF-8, or refused where it is not */
    RECODE_LATIN1,  /* each byte is the code point of that number (ISO 8859-1) */
    RECODE_INVALID  /* each byte that is no part of UTF-8 becomes U+FFFD */
};

/* Have R recode what it has yet to hand out. */
void recode_reader(struct reader *r, enum recode how);

#endif
