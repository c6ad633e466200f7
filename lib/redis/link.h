/*
 * link.h: a connection to one Redis server.
 *
 * Commands are put behind one another, sent in one go, and their replies read in order.  What fails
 * on the way breaks the link and is ERR_LATER; what the server refuses is ERR_USAGE where asking
 * again cannot help (password, rights, a key of another type), ERR_LATER where it may (loading,
 * read-only replica, out of memory), else ERR_IO.
 *
 *     if (link_open(&l, &login, &e) < 0) …
 *     link_put(l, &c); link_put(l, &d);
 *     r = link_reply(l, &e); r = link_reply(l, &e);
 *
 * Floor: services.
 */
#ifndef FANLINE_REDIS_LINK_H
#define FANLINE_REDIS_LINK_H

#include "base/err.h"
#include "redis/address.h"
#include "redis/command.h"
#include "redis/reply.h"

#include <stdbool.h>
#include <stdint.h>

/* How a link is opened. Borrowed for the call, the address until link_close. */
struct link_plan {
    const struct address *address; /* for TLS and messages */
    const struct peer *to;
    const struct login *login;
    int64_t database;
    int stop; /* a descriptor that is readable when nobody cares any more: ends waiting; -1: none */
};

struct link;

/* Connect, log in and choose the database. 0, or -1 with E filled. */
int link_open(struct link **out, const struct link_plan *plan, struct err *e);

/* Legal on NULL. */
void link_close(struct link *l);

/* Put C behind what is to be sent. */
void link_put(struct link *l, const struct command *c);

/*
 * Send what was put, if it was not sent yet, and wait for the next reply, which is good until the
 * next call with L.  NULL with E filled if that failed: L is broken, and stays so; an error of the
 * server is a reply.
 */
const struct reply *link_reply(struct link *l, struct err *e);

/* As link_reply, for a command that answers late: at most until DEADLINE (clock_now). */
const struct reply *link_reply_by(struct link *l, int64_t deadline, struct err *e);

/*
 * Send what was put as far as it goes, and read what has come, without waiting.  Returns 1 with
 * the next reply in *OUT, good until the next call; 0 if there is none; -1 with E filled: broken.
 */
int link_heard(struct link *l, const struct reply **out, struct err *e);

/* Send C, which must succeed; its reply is left for a look at it. NULL with E filled if not. */
const struct reply *link_demand(struct link *l, const struct command *c, struct err *e);

/* Fill E from the error reply R. Returns -1. */
int link_refused(const struct link *l, const struct reply *r, struct err *e);

/* Of use after a failure only: is it to be closed? */
bool link_is_broken(const struct link *l);

/* For poll(): readable when there is something to hear. */
int link_fd(const struct link *l);

#endif
