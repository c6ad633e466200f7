/*
 * dial.h: connect a socket, in time.
 *
 * Inside the room redis only.
 *
 * Floor: services.
 */
#ifndef FANLINE_REDIS_DIAL_H
#define FANLINE_REDIS_DIAL_H

#include "base/err.h"
#include "redis/address.h"

#include <stdint.h>

/*
 * A non-blocking socket that is connected to P.  STOP is as in link.h.  -1 with E filled:
 * ERR_LATER; ERR_USAGE where it is forbidden; ERR_IO where we may open no more files.
 */
int dial(const struct peer *p, int64_t deadline, int stop, struct err *e);

/*
 * Wait until FD is ready for EVENTS (POLLIN, POLLOUT).  Returns 0, or -1 with E filled (ERR_LATER)
 * at the deadline, or when STOP is readable.
 */
int dial_wait(int fd, short events, int64_t deadline, int stop, struct err *e);

/* Fill E for errno NUMBER, not with ERR_LATER where trying again cannot help. Returns -1. */
int dial_failed(int number, struct err *e);

#endif
