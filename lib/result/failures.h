/*
 * failures.h: what went wrong, by ErrorCode.
 *
 * For each code: how often it came, the first Cause, and the first few Inputs.  Memory is bounded:
 * codes beyond FAILURES_MAX are counted together, and long texts are cut.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_FAILURES_H
#define FANLINE_RESULT_FAILURES_H

#include "base/buf.h"
#include "result/record.h"

#include <stddef.h>
#include <stdint.h>

#define FAILURES_MAX     200 /* codes */
#define FAILURES_SAMPLES 3   /* to a code */
#define FAILURES_CODE    256 /* bytes; longer texts are cut and end in "…" */
#define FAILURES_CAUSE   4096
#define FAILURES_INPUT   1024

/* All texts are UTF-8. */
struct failure_sample {
    struct buf name;  /* ExecutionName */
    struct buf input; /* JSON text */
};

struct failure {
    struct buf code;
    struct buf cause; /* empty: none was told */
    uint64_t executions;
    uint64_t items;
    struct failure_sample samples[FAILURES_SAMPLES];
    size_t sample_count;
};

struct failures {
    struct failure *list;
    size_t count;
    size_t cap;
    uint64_t other_executions; /* with further codes */
    uint64_t other_items;
};

/*
 * R ran and did not succeed.  Its code is its ErrorCode, else that of its Output, else its Status;
 * its cause likewise.
 */
void failures_add(struct failures *f, const struct record *r);

/* The most frequent first; of equals the one that came first. */
void failures_sort(struct failures *f);

void failures_release(struct failures *f);

#endif
