/*
 * syncer.h: make a file durable while we go on.
 *
 * fdatasync takes milliseconds in which nothing could be started; so a thread does it.  The thread
 * does nothing else and shares nothing but this struct; it is the one thread of the runner.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_SYNCER_H
#define FANLINE_RUN_SYNCER_H

#include "base/err.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

struct syncer {
    int file; /* borrowed */
    int wake; /* for the thread */
    int done; /* readable when a sync has ended */
    pthread_t thread;
    bool started;
    bool busy; /* a sync has been begun and its end not been noticed */
    atomic_bool stop;
    atomic_int number; /* errno of a sync that failed; 0: none has */
};

/* Get ready for FILE. S must not move. Returns 0, or -1 with E filled. */
int syncer_open(struct syncer *s, int file, struct err *e);

/* Begin to make durable what has been written until now; S must not be busy. */
void syncer_begin(struct syncer *s);

/* Has it ended? Returns 1; 0: not yet; -1 with E filled: it failed. */
int syncer_ended(struct syncer *s, struct err *e);

/* Wait for what is under way and end the thread. Legal on a zeroed S. */
void syncer_close(struct syncer *s);

#endif
