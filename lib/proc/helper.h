/*
 * helper.h: a copy of this process that does one thing that may wait, beside a loop that must not.
 *
 * For calls of libraries that wait for a network, where heartbeats have to go on.  The helper is
 * forked; what it writes comes through a pipe, and at its end it says how it went.  It holds no
 * descriptor but these pipes and standard error, has the signals blocked that we have blocked, and
 * dies with us.
 *
 *     helper_start(&h, work, context, &e); … h.out is readable: read it until it ends …
 *     rc = helper_result(&h, &e); helper_stop(&h);
 *
 * Only in a program of one thread.  Floor: services.
 */
#ifndef FANLINE_PROC_HELPER_H
#define FANLINE_PROC_HELPER_H

#include "base/err.h"

/* One that is not there has -1 everywhere: HELPER_NONE. */
struct helper {
    int pidfd;
    int out;  /* what it writes; non-blocking; borrowed by whoever reads it */
    int said; /* how it went */
};

#define HELPER_NONE ((struct helper){-1, -1, -1})

/*
 * Start one that calls WORK with CONTEXT and the descriptor OUT to write to.  Returns 0, or -1 with
 * E filled and H none: ERR_LATER when the system is short of processes or descriptors for now.
 */
int helper_start(struct helper *h, int (*work)(void *context, int out, struct err *e),
                 void *context, struct err *e);

/*
 * `out` has ended: how did it go?  Returns what WORK returned, 0 or -1, with E as it filled it; one
 * that was killed failed with ERR_IO.  Waits until the helper has ended.
 */
int helper_result(struct helper *h, struct err *e);

/* End it, whatever it does. Legal on none. */
void helper_stop(struct helper *h);

#endif
