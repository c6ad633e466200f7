/*
 * counts.h: how many executions, and items in them, ended in which way.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_COUNTS_H
#define FANLINE_RESULT_COUNTS_H

#include "base/err.h"
#include "result/record.h"

#include <stdint.h>

struct counts {
    uint64_t executions[RECORD_STATUSES];
    /*
     * The sums of ItemCount; all together fit 64 bits.  Single failures of a batch that succeeded
     * are Failed.
     */
    uint64_t items[RECORD_STATUSES];
};

/* Count R. Returns 0, or -1 with E filled (ERR_DATA) and nothing changed: the sum does not fit. */
int counts_add(struct counts *c, const struct record *r, struct err *e);

/* Of executions or items: all, and those that ran and did not succeed: Failed, TimedOut, Aborted.
 */
uint64_t counts_total(const uint64_t n[RECORD_STATUSES]);
uint64_t counts_failed(const uint64_t n[RECORD_STATUSES]);

/* Those that have a result: all but the Pending ones. */
uint64_t counts_ended(const uint64_t n[RECORD_STATUSES]);

#endif
