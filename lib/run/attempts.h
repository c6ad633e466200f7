/*
 * attempts.h: a log of every attempt, for people and programs who want to know more than records
 * say.
 *
 * One line of JSON for each attempt, written at its end by one write to a file opened for
 * appending: so several runs may share a log, and a crash tears no line but the last.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_ATTEMPTS_H
#define FANLINE_RUN_ATTEMPTS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "run/outcome.h"

#include <stdint.h>

struct attempts {
    int fd;     /* -1: nobody wants it */
    int number; /* errno of a write that failed, 0 if none has */
    struct buf line;
    struct span run; /* name of the run; borrowed */
};

/* One attempt, or one run of a fallback, that has ended. */
struct attempt {
    uint64_t index;
    uint64_t number; /* from 1 */
    size_t slot;     /* from 1 */
    enum outcome_status status;
    struct span code; /* JSON string; empty where nothing failed */
    int exit_code;    /* -1: none */
    int signal;       /* 0: none */
    int64_t started;  /* clock_real */
    int64_t stopped;
    uint64_t output; /* bytes it printed */
    int64_t retry;   /* nanoseconds until the next attempt; -1: there is none */
    bool fallback;
};

/* Log to FILE, appending; NULL: no log. Returns 0, or -1 with E filled. */
int attempts_open(struct attempts *log, const char *file, struct span run, struct err *e);

void attempts_put(struct attempts *log, const struct attempt *a);

/* Close it. Returns 0, or -1 with E filled if anything could not be written. */
int attempts_close(struct attempts *log, struct err *e);

#endif
