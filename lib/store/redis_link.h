/*
 * redis_link.h: a connection to a Redis server.
 *
 * Commands are put together as texts, sent in one go, and their replies read in order.  What fails
 * on the way closes the link and is ERR_LATER; what the server refuses is ERR_USAGE where asking
 * again cannot help (password, rights, a key of another type), ERR_LATER where it may
 * (loading, read-only replica, out of memory), else ERR_IO.
 *
 * Inside the room store only.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_REDIS_LINK_H
#define FANLINE_STORE_REDIS_LINK_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "store/url.h"

#include <hiredis/hiredis.h>
#include <stdint.h>

/* Zero-initialised it is closed. */
struct redis_link {
    redisContext *context;
    const char *shown; /* of the server, for messages; borrowed */
};

/* A command under construction; owns its memory. */
struct redis_command {
    struct buf body;
    size_t count; /* of its words */
};

void command_start(struct redis_command *c, const char *name);
void command_add(struct redis_command *c, struct span word);
void command_add_text(struct redis_command *c, const char *word);
void command_add_number(struct redis_command *c, int64_t number);
void command_release(struct redis_command *c);

/* Connect, log in and choose the database. 0, or -1 with E filled and the link closed. */
int link_open(struct redis_link *l, const struct store_url *url, struct err *e);

/* Legal on a closed link. */
void link_close(struct redis_link *l);

/* Put C behind what is to be sent. */
void link_put(struct redis_link *l, const struct redis_command *c);

/*
 * Send what was put, if it was not sent yet, and read the next reply, which freeReplyObject frees.
 * NULL with E filled if that failed; an error of the server is a reply.
 */
redisReply *link_reply(struct redis_link *l, struct err *e);

/* Fill E from the error reply R. Returns -1. */
int link_refused(const struct redis_link *l, const redisReply *r, struct err *e);

/*
 * Read what has come without waiting.  Returns 1 with a message in *OUT for the caller to free, 0
 * if there is none, -1 with E filled and the link closed.
 */
int link_heard(struct redis_link *l, redisReply **out, struct err *e);

#endif
