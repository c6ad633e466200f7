/*
 * option.h: which options have an effect on which formats.
 *
 * An option that would have none is an error, so that nobody believes in it.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_OPTION_H
#define FANLINE_SOURCE_OPTION_H

#include "base/err.h"
#include "source/format.h"

struct split_rules;

/* A bit for each option that not all formats have a use for. */
enum option {
    OPTION_PATH = 1 << 0,
    OPTION_REQUIRE_ARRAY = 1 << 1,
    OPTION_DELIMITER = 1 << 2,
    OPTION_COLUMNS = 1 << 3,
    OPTION_HEADER = 1 << 4,
    OPTION_RAGGED = 1 << 5,
    OPTION_DEDUPE = 1 << 6,
    OPTION_EMPTY_NAMES = 1 << 7,
    OPTION_TYPES = 1 << 8,
    OPTION_BACKSLASH = 1 << 9,
    OPTION_ENCODING = 1 << 10,
    OPTION_INVALID = 1 << 11,
    OPTION_ETAG = 1 << 12,
    OPTION_FOLLOW = 1 << 13,
    OPTION_RAW_KEYS = 1 << 14,
    OPTION_STATUS = 1 << 15,
    OPTION_LISTING = 1 << 16
};

#define OPTION_TABLE                                                                               \
    (OPTION_COLUMNS | OPTION_HEADER | OPTION_RAGGED | OPTION_DEDUPE | OPTION_EMPTY_NAMES |         \
     OPTION_TYPES | OPTION_BACKSLASH)

#define OPTION_RECODE (OPTION_ENCODING | OPTION_INVALID)

/*
 * The format that what R says belongs to: for a source whose name tells nothing.  NULL: it tells
 * nothing.
 */
const struct format *option_format(const struct split_rules *r);

/* Has all that R says an effect on F? 0, or -1 with E filled (ERR_USAGE). */
int option_check(const struct split_rules *r, const struct format *f, struct err *e);

#endif
