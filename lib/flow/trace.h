/*
 * trace.h: what every state got and gave, for people who look into a flow.
 *
 * One line of JSON for each state, written when it is left, by one write to a file that is opened
 * for appending: processors of one run share it.
 *
 *     {"State":"Outer/Inner","Type":"Pass","Execution":"…","Item":N,"Input":…,"Output":…,
 *      "EnteredTime":"…","ExitedTime":"…","Attempts":N}          ErrorCode and Cause if it failed
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_TRACE_H
#define FANLINE_FLOW_TRACE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stdint.h>

struct trace {
    int fd;     /* -1: not open */
    int number; /* errno of a write that failed; 0: none has */
    struct buf line;
};

struct trace_entry {
    struct span state; /* its path */
    struct span type;
    struct span execution;
    int64_t item; /* of the Map around it; -1: there is none */
    struct span input;
    struct span output; /* empty: none */
    struct span code;   /* JSON string; empty: it did not fail */
    struct span cause;
    int64_t entered; /* clock_real */
    int64_t exited;
    uint64_t attempts;
};

/* Append to FILE. Returns 0, or -1 with E filled. */
int trace_open(struct trace *t, const char *file, struct err *e);

void trace_put(struct trace *t, const struct trace_entry *entry);

/* Close it. Returns 0, or -1 with E filled if anything could not be written. */
int trace_close(struct trace *t, struct err *e);

#endif
