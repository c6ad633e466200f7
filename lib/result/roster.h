/*
 * roster.h: which executions have come, each once.
 *
 * An execution is known by its run and its index in it; records of several runs may come mixed
 * (several runners, one result).  One whose name does not end in its index is known by that name
 * too.  A record that names neither is taken to be new.
 *
 * Memory: about two bits for each execution, and 32 bytes for each whose name must be remembered.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_ROSTER_H
#define FANLINE_RESULT_ROSTER_H

#include "base/err.h"
#include "result/fingerprint.h"
#include "result/record.h"

#include <stddef.h>
#include <stdint.h>

#define ROSTER_RUNS_MAX 4096 /* runs in one stream */

struct roster_run;

struct roster {
    struct roster_run *runs;
    size_t run_count;
    size_t run_cap;
    size_t last; /* the run of the record before */
    struct fingerprint_set names;
};

/* The place of a record in the output: runs in the order in which they first came. */
struct roster_place {
    size_t run;
    uint64_t index;
};

/*
 * R comes. Returns 1 with its place; 0 if that execution came before; -1 with E filled (ERR_DATA):
 * beyond a limit.
 */
int roster_add(struct roster *t, const struct record *r, struct roster_place *place, struct err *e);

void roster_release(struct roster *t);

#endif
