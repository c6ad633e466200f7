/*
 * record.h: what became of one execution, as the runner writes it.
 *
 * A record is a line of JSON, an object (fanline-records(5)).  It is read into
 * spans, in one pass: values that are moved keep their bytes.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_RECORD_H
#define FANLINE_RESULT_RECORD_H

#include "base/err.h"
#include "base/span.h"
#include "json/scan.h"

#include <stdbool.h>
#include <stdint.h>

/* The highest Index taken: a place in a sparse file must exist for each (order.h). */
#define RECORD_INDEX_MAX ((UINT64_C(1) << 39) - 1)

enum record_status {
    RECORD_SUCCEEDED,
    RECORD_FAILED,
    RECORD_TIMED_OUT,
    RECORD_ABORTED,
    RECORD_PENDING, /* never ran */
    RECORD_STATUSES
};

/* All spans lie in the line or are constants; all but run are JSON text. */
struct record {
    struct span name;    /* ExecutionName; "" where the line has none, as the other strings */
    struct span run;     /* the part RUN of an ExecutionName RUN:INDEX, still escaped; else empty */
    struct span flow;    /* FlowName */
    struct span input;   /* Input */
    struct span output;  /* Output; null for what is Pending and has none */
    struct span status;  /* Status, as it came */
    struct span started; /* StartedTime */
    struct span stopped; /* StoppedTime */
    struct span error;   /* ErrorCode, any JSON; empty where the line has none */
    struct span cause;   /* Cause, likewise */
    enum record_status kind;
    bool has_index;        /* by its Index or by its ExecutionName */
    bool states_index;     /* by its Index */
    uint64_t index;        /* at most RECORD_INDEX_MAX */
    uint64_t item_count;   /* ItemCount, 1 where the line has none */
    uint64_t failed_items; /* FailedItems, at most item_count; 0 where the line has none */
    uint64_t attempts;     /* Attempts, 0 where the line has no number there */
    uint64_t redrives;     /* RedriveCount, 0 where the line has none */
};

/*
 * Read LINE, valid compact JSON.  SEAMS are those of LINE where they are known, else none.
 * Returns 0, or -1 with E filled (ERR_DATA): it is no record.
 */
int record_read(struct record *r, struct span line, struct seams_view seams, struct err *e);

/* The text of a JSON string without its quotes, still escaped. */
static inline struct span record_inner(struct span string)
{
    return span_of(string.at + 1, string.len - 2);
}

#endif
