/*
 * stats.h: what summary and report tell of a run, gathered as its records pass.
 *
 * Memory is bounded, below 1 MiB, however many records there are.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_STATS_H
#define FANLINE_RESULT_STATS_H

#include "base/buf.h"
#include "result/failures.h"
#include "result/record.h"
#include "result/sketch.h"
#include "result/timeline.h"

#include <stddef.h>
#include <stdint.h>

#define STATS_SAMPLES 240 /* executions that are kept one by one while there are no more */

/* One execution. */
struct stats_sample {
    int64_t start; /* since 1970, in ns */
    int64_t stop;
    enum record_status status;
    struct buf name; /* ExecutionName, as text */
};

struct stats {
    uint64_t attempts; /* of all executions together */
    uint64_t unstated; /* executions that do not state their attempts */
    uint64_t ended;    /* executions that ran */
    uint64_t
        untimed;     /* of these, without times that could be read, or that end before they begin */
    struct buf flow; /* FlowName of the first record that has one, as text */
    struct sketch durations;
    struct timeline timeline;
    struct failures failures;
    struct stats_sample *samples; /* of the executions with times, the first STATS_SAMPLES */
    size_t sample_count;
};

void stats_add(struct stats *s, const struct record *r);

void stats_release(struct stats *s);

#endif
