/*
 * facts.h: what there is to tell about a run, once all is written.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_FACTS_H
#define FANLINE_RESULT_FACTS_H

#include "base/err.h"
#include "result/counts.h"
#include "result/files.h"
#include "result/stats.h"

/* All is borrowed. */
struct facts {
    const char *run; /* its name; "" where nothing names it */
    const struct counts *counts;
    const struct stats *stats; /* failures sorted */
    const struct files *files; /* NULL: the output went to standard output */
    const struct err *verdict; /* set: the run failed */
    bool exceeded;             /* more failed than is tolerated */
    uint64_t rejected;         /* lines that were refused */
};

#endif
