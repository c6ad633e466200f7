/*
 * retry.h: when to try again, and how long to wait before.
 *
 * Pauses grow exponentially with full jitter: before the Nth retry any length up to base * 2^(N-1)
 * is as likely, so that clients that failed together do not come back together.  A server that says
 * when (Retry-After) is waited for (reference/distributed-map.md 5.2).
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_RETRY_H
#define FANLINE_OBJECT_RETRY_H

#include "base/err.h"
#include "base/span.h"
#include "io/writer.h"
#include "object/settings.h"

#include <stdint.h>

struct retry {
    const struct object_settings *settings;
    const char *verb; /* "cannot VERB SHOWN", for who asks what is tried again */
    const char *shown;
    int64_t failures; /* in a row */
};

/*
 * What was tried failed with E.  If that may pass (ERR_LATER) and there are tries left, wait, after
 * flushing TIED (NULL for none), and return 0: try again.  Else return -1 with E, which says how
 * often it was tried.  AFTER is the value of a Retry-After header, empty for none.
 */
int retry_pause(struct retry *r, struct span after, struct writer *tied, struct err *e);

/* A date of HTTP ("Sun, 06 Nov 1994 08:49:37 GMT") on the real clock; -1: TEXT is none. */
int64_t retry_date(struct span text);

#endif
