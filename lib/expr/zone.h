/*
 * zone.h: time zones that are named by a place, such as Europe/Berlin.
 *
 * Their rules are those of the tz database that the machine keeps in /usr/share/zoneinfo, in files
 * of the form that RFC 9636 describes (TZif).  The time zone of the machine itself, and TZ, mean
 * nothing here.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_ZONE_H
#define FANLINE_EXPR_ZONE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"

#include <stdint.h>

#define ZONE_NAME_MAX 15 /* bytes of an abbreviation, without the NUL behind it */

struct zone;

/* What clocks show somewhere at some moment. */
struct zone_time {
    int offset;                   /* seconds east of Greenwich */
    char name[ZONE_NAME_MAX + 1]; /* "CEST"; "-03" where there is no abbreviation */
};

/*
 * The zone NAME, which is distinguished by case, in memory of A.  NULL with E filled (ERR_DATA):
 * there is no such zone here, or its file is none or counts leap seconds.
 */
const struct zone *zone_open(struct arena *a, struct span name, struct err *e);

/* The zone that the bytes of such a FILE describe, in memory of A; NULL if they are none. */
const struct zone *zone_read(struct arena *a, struct span file);

/* At SECONDS since 1970 in UTC. */
struct zone_time zone_at(const struct zone *z, int64_t seconds);

/*
 * The moment at which clocks show LOCAL, seconds since 1970 as if they were UTC.  As in Java's
 * ZonedDateTime, of two such moments, in autumn, it is the first; where there is none, in spring,
 * it is later by what is left out.
 */
int64_t zone_to_utc(const struct zone *z, int64_t local);

#endif
