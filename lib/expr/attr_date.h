/*
 * attr_date.h: dates by patterns such as "yyyy-MM-dd'T'HH:mm:ss.SSSX".
 *
 * The letters are those of Java's date formats: y u (year) M L d D H k h K m s S a E z Z X
 * x; text
 * between single quotes is literal, and so is every other character.  Names are English. Dates are
 * milliseconds since 1970 in UTC; the time zone is UTC unless said otherwise, never that of the
 * machine.
 *
 * For the files attr*.c only.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_ATTR_DATE_H
#define FANLINE_EXPR_ATTR_DATE_H

#include "base/buf.h"
#include "base/span.h"
#include "expr/zone.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DATE_TEXT_MAX 48

struct date_zone {
    const struct zone *place; /* it has rules of its own; NULL: what follows always holds */
    int offset;               /* seconds east of Greenwich */
    char name[16];            /* "UTC", "GMT+02:00", "+02:00" */
};

/*
 * "UTC", "GMT", "UT", "Z", "+02:00", "-0530", "GMT+2", or else the name of a place, whose rules are
 * in memory of A. 0, or -1 with E filled (ERR_DATA).
 */
int date_zone(struct arena *a, struct span text, struct date_zone *zone, struct err *e);

/* DATE as Java prints one, "Wed Dec 31 12:00:04 UTC 2016", at OUT (DATE_TEXT_MAX); its length. */
size_t date_print(int64_t date, char *out);

/* Add DATE by PATTERN. NULL, or what is wrong with the pattern. */
const char *date_format(int64_t date, struct span pattern, const struct date_zone *zone,
                        struct buf *out);

/*
 * Read all of TEXT by PATTERN; ZONE is that of a text that names none.  NULL and *DATE, or what is
 * wrong. Fields that the pattern lacks are those of 1970-01-01 00:00.
 */
const char *date_parse(struct span text, struct span pattern, const struct date_zone *zone,
                       int64_t *date);

#endif
