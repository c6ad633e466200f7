/*
 * results.h: the statuses of records, for those that are to be run again.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_RESULTS_H
#define FANLINE_SOURCE_RESULTS_H

#include "base/err.h"
#include "base/span.h"

/* A bit for each status; fanline-records(5). */
enum results_status {
    RESULTS_SUCCEEDED = 1 << 0,
    RESULTS_FAILED = 1 << 1,
    RESULTS_TIMED_OUT = 1 << 2,
    RESULTS_ABORTED = 1 << 3,
    RESULTS_PENDING = 1 << 4
};

/* All but those that succeeded. */
#define RESULTS_UNDONE (RESULTS_FAILED | RESULTS_TIMED_OUT | RESULTS_ABORTED | RESULTS_PENDING)

/* The status TEXT, in any case, also as AWS writes it (TIMED_OUT). 0: it is none. */
unsigned results_status(struct span text);

/* Take a list, "Failed,Pending". 0, or -1 with E filled (ERR_USAGE). */
int results_statuses(const char *text, unsigned *statuses, struct err *e);

#endif
