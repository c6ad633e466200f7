/*
 * tally.h: what has come so far, each execution counted once.
 *
 * An execution is known by its run and its index in it; records of several runs may come mixed
 * (several runners, one result).  A record that names no index at all is taken to be new.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_TALLY_H
#define FANLINE_RESULT_TALLY_H

#include "base/err.h"
#include "result/record.h"

#include <stddef.h>
#include <stdint.h>

#define TALLY_RUNS_MAX 4096 /* runs in one stream */

struct tally_run;

struct tally {
    uint64_t records[RECORD_STATUSES];
    uint64_t items; /* the sum of ItemCount */
    struct tally_run *runs;
    size_t run_count;
    size_t run_cap;
    size_t last; /* the run of the record before */
};

/* The place of a record in the output: runs in the order in which they first came. */
struct tally_place {
    size_t run;
    uint64_t index;
};

/*
 * Count R. Returns 1 with its place; 0 if that execution was counted before: nothing is changed;
 * -1 with E filled (ERR_DATA): beyond a limit.
 */
int tally_add(struct tally *t, const struct record *r, struct tally_place *place, struct err *e);

/* Executions in all, and those that ran and did not succeed: Failed, TimedOut, Aborted. */
uint64_t tally_total(const struct tally *t);
uint64_t tally_failed(const struct tally *t);

void tally_release(struct tally *t);

#endif
