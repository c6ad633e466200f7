/*
 * wait_look.h: asking the store about held lines, and what follows from the answer.
 *
 * Inside the room signal only: the part of wait.c that talks to the store.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_WAIT_LOOK_H
#define FANLINE_SIGNAL_WAIT_LOOK_H

#include "signal/wait.h"

/*
 * Ask about the queues that are due, as many as fit one call; release or fail lines accordingly.
 * Returns 0, also when the store is not reachable (w->outage); 1 when told to stop; or -1 with E
 * filled.
 */
int wait_look(struct wait *w, struct err *e);

/*
 * The store has failed for the reason WHY: if it may come back, note when to try again and return
 * 0, else, or where outages end the run, put WHY into E and return -1.
 */
int wait_note_failure(struct wait *w, const struct err *why, struct err *e);

/* The store has answered. */
void wait_note_answer(struct wait *w);

void wait_report(const struct wait *w, const struct err *e);

/*
 * Write X to OUT (may be NULL) as it came, but without members of ours, and let it go.  Returns 0,
 * or -1 with E filled.
 */
int wait_let_go(struct wait *w, struct waiter *x, struct writer *out, struct err *e);

#endif
