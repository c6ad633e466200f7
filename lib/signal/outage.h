/*
 * outage.h: a store that does not answer: when it is tried again, and what is told of it.
 *
 * Attempts come at growing intervals of random length, so that those who lost it together do not
 * come back together.  Told is what lasts: a connection that can be made again at once is no news.
 *
 * Inside the room signal only.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_OUTAGE_H
#define FANLINE_SIGNAL_OUTAGE_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

/* Zero-initialised: it answers, as far as is known. */
struct outage {
    int64_t since;    /* the first failure (clock_now); 0: there is none */
    int64_t pause;    /* before the next attempt, at most */
    int64_t retry_at; /* the next attempt (clock_now) */
    bool told;
};

static inline bool outage_is_on(const struct outage *o)
{
    return o->since != 0;
}

/*
 * It has failed: o->retry_at is set.  Returns true, once in an outage, if people are to be told:
 * at the second failure, or AT_ONCE.
 */
bool outage_note(struct outage *o, bool at_once);

/* It has answered. Returns true with E filled if people, who were told of the outage, are to know.
 */
bool outage_end(struct outage *o, struct err *e);

#endif
