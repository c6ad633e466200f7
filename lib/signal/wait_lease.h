/*
 * wait_lease.h: what was granted, until the lines have gone and the store knows.
 *
 * Inside the room signal only: the part of wait.c that ends leases.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_WAIT_LEASE_H
#define FANLINE_SIGNAL_WAIT_LEASE_H

#include "signal/wait.h"

/* ASK, made at ASKED (clock_now), was granted something: it is to be confirmed, or given back. */
void wait_lease_add(struct wait *w, const struct store_ask *ask, int64_t asked, int64_t granted,
                    enum store_verb verb);

/* A lease of an earlier process, whose lines have left. */
void wait_lease_recall(struct wait *w, struct span id, struct span name);

/* Nothing of what was granted has gone. */
void wait_lease_return_all(struct wait *w);

/*
 * Confirm and give back what is left to settle.  Returns 0, also when the store is not reachable
 * (w->outage), or -1 with E filled.
 */
int wait_lease_settle(struct wait *w, struct err *e);

/* The lines are still being written: have all leases last longer. A failure shows at the settling.
 */
void wait_lease_renew(struct wait *w);

/* Let them run out by themselves. */
void wait_lease_forget_all(struct wait *w);

#endif
