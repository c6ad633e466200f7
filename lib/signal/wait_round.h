/*
 * wait_round.h: looks at queues without being told, in case a wake-up was lost.
 *
 * Wake-ups are pushed, and what else releases lines has a time that is known, so the round goes
 * slowly.  It goes once a second where the store cannot wake, and while the store was not told yet
 * who waits and who does not.
 *
 * Inside the room signal only.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_WAIT_ROUND_H
#define FANLINE_SIGNAL_WAIT_ROUND_H

#include "signal/wait.h"

/* If it is time, let the next queues be looked at, and tell the store of those that wait. */
void wait_round(struct wait *w);

/* The time of the next one. */
int64_t wait_round_at(const struct wait *w);

/* How long it may take until each queue has had its turn. */
int64_t wait_round_time(const struct wait *w);

/* How long to wait between looks at what STORE holds, whose wake-ups are listened to. */
int64_t wait_round_pause(struct store *store);

#endif
