/*
 * release.h: how many waiters a count releases.
 *
 * The arithmetic of reference/wait-notify.md 2.4, except that only the passes are converted that
 * the present waiters need, that a count below zero gives none, and that nothing overflows.  It
 * exists a second time in take.lua, for Redis; the same tests run over both.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_RELEASE_H
#define FANLINE_STORE_RELEASE_H

#include <stdint.h>

struct release {
    int64_t granted; /* waiters that may go */
    int64_t passes;  /* times `target` that leave the counter */
    int64_t tickets; /* left over for the next waiters */
};

/*
 * COUNT signals and TICKETS left over from before, for WANTED waiters, where TARGET signals (> 0)
 * release RELEASABLE waiters (> 0).  WANTED and RELEASABLE fit 31 bits, TICKETS lie below
 * RELEASABLE plus what leases gave back.
 */
struct release release_reckon(int64_t count, int64_t target, int64_t releasable, int64_t tickets,
                              int64_t wanted);

#endif
