/*
 * outcome.h: what became of one item, as a line of JSON.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_OUTCOME_H
#define FANLINE_RUN_OUTCOME_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/span.h"
#include "io/writer.h"
#include "run/ledger.h"
#include "run/run.h"
#include "json/scan.h"

#include <stdint.h>

enum outcome_status {
    OUTCOME_SUCCEEDED,
    OUTCOME_FAILED,
    OUTCOME_TIMED_OUT,
    OUTCOME_ABORTED,
    OUTCOME_PENDING
};

enum outcome_output {
    OUTPUT_NULL,
    OUTPUT_JSON,  /* moved as it is */
    OUTPUT_LOOSE, /* JSON with white space, which goes */
    OUTPUT_TEXT,  /* becomes a JSON string */
    OUTPUT_ERROR  /* {"ErrorCode":…} */
};

/* All spans are borrowed. */
struct outcome {
    uint64_t index;
    uint64_t item_count;
    struct ledger_key key; /* in the journal */
    uint64_t failed_items; /* single failures within a batch that ended well */
    uint64_t attempts;
    struct span input; /* compact JSON */
    enum outcome_status status;
    enum outcome_output kind;
    struct span output; /* as `kind` says */
    int64_t started;    /* clock_real; 0: never */
    int64_t stopped;
    struct span code;   /* ErrorCode: a JSON string with its quotes; empty where nothing failed */
    struct span cause;  /* Cause: any bytes */
    struct span caught; /* the ErrorCode that a fallback answered for, with its quotes; or empty */
    int exit_code;      /* -1: none */
    int signal;         /* 0: none */
};

/* What all records of a run begin with, made once. */
struct outcome_names {
    struct buf head;          /* {"ExecutionName":"RUN: */
    struct buf flow;          /* ","FlowName":"…","Index": */
    struct clock_text *stamp; /* its own */
};

/* "Succeeded", "Failed", … */
struct span outcome_status_name(enum outcome_status status);

void outcome_names_make(struct outcome_names *n, const struct run_rules *r);
void outcome_names_release(struct outcome_names *n);

/*
 * What is the output ALL of a command that ended well?  Fills kind and output of O.  Returns false
 * if FORMAT demands JSON and it is none.
 */
bool outcome_take_output(struct outcome *o, struct span all, enum run_format format,
                         struct scan *s);

/*
 * Put a line into W, not committed, that replays RECORD, a record of an earlier run, for the item
 * INDEX of this one: it gets the names of this run.
 */
void outcome_replay(struct writer *w, uint64_t index, struct span record,
                    const struct outcome_names *n, enum run_emit emit);

/* Put the line of O into W, not committed. S is for compacting. */
void outcome_put(struct writer *w, const struct outcome *o, const struct outcome_names *n,
                 enum run_emit emit, struct scan *s);

/*
 * Is the output of O, written as an item of its own, of the form of an end mark?  Whoever reads it
 * would take it for the end (json/lines.h).
 */
bool outcome_is_mark(const struct outcome *o, struct scan *s);

/*
 * Does the output of O, the command having ended well, report single failures of its batch:
 * {"ItemFailures":[{"Index":N,…},…],…}, counted from 0 in Items?  Fills failed_items.  False if
 * they name no item of the batch.
 */
bool outcome_take_failures(struct outcome *o, enum run_items mode);

/* How many items are in ITEM: the number of a batch's Items, else 1. False: no batch where it must
 * be. */
bool outcome_count_items(struct span item, enum run_items mode, uint64_t *count);

#endif
