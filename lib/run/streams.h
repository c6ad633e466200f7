/*
 * streams.h: what flows between us and the command of a job.
 *
 * The item goes to its standard input; its standard output is kept (capture.h), or passed on
 * line by line with --line-buffer; its standard error is passed on (tail.h); on descriptor 3 it
 * gives signs of life where these are asked for.
 *
 * Floor: engines.  Part of job.c, apart for its size.
 */
#ifndef FANLINE_RUN_STREAMS_H
#define FANLINE_RUN_STREAMS_H

#include "base/err.h"
#include "run/job.h"

#include <stdbool.h>

void streams_init(struct job *j);

/* The command of J has been started: watch its streams. Returns 0, or -1 with E filled. */
int streams_open(struct job *j, struct err *e);

/* The command has ended: read what its pipes still hold. */
void streams_drain(struct job *j);

/* Is there nobody left who could write? */
bool streams_are_quiet(const struct job *j);

/* Close them, and pass on a last line. */
void streams_close(struct job *j);

/* Forget what has come, for the next command. */
void streams_reset(struct job *j);

/* Go on with an output that was held back because ours was not taken. */
void streams_resume(struct job *j);

void streams_release(struct job *j);

#endif
