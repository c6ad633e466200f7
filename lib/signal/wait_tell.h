/*
 * wait_tell.h: telling the store who waits, for people who look (signalctl).
 *
 * Inside the room signal only.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_WAIT_TELL_H
#define FANLINE_SIGNAL_WAIT_TELL_H

#include "signal/wait.h"

/*
 * Tell of queues that are due and have waited for a while, and of ids that nothing waits for any
 * more. To be called about once a second.  That the store does not hear does not matter.
 */
void wait_tell(struct wait *w);

/* Nothing waits here any more. */
void wait_tell_end(struct wait *w);

#endif
