/*
 * wait_arrive.h: lines that come to wait.
 *
 * Inside the room signal only: the part of wait.c that evaluates lines.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_WAIT_ARRIVE_H
#define FANLINE_SIGNAL_WAIT_ARRIVE_H

#include "signal/wait.h"

/*
 * ITEM has come in: it is held, or goes at once to where lines go that cannot wait or whose time is
 * over.  Returns 0, or -1 with E filled: it cannot be kept.
 */
int wait_arrive(struct wait *w, struct span item, struct err *e);

/* Hold the lines that an earlier process left in the spool. 0, or -1 with E filled. */
int wait_recall(struct wait *w, struct err *e);

#endif
