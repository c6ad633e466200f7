/*
 * reply.h: what a Redis answers.
 *
 * Floor: services.  reply.c alone knows the reader of hiredis.
 */
#ifndef FANLINE_REDIS_REPLY_H
#define FANLINE_REDIS_REPLY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum reply_kind {
    REPLY_NOTHING, /* nil */
    REPLY_TEXT,
    REPLY_STATUS, /* "OK" and the like, in text */
    REPLY_ERROR,  /* the message in text */
    REPLY_NUMBER,
    REPLY_LIST
};

/* Texts have a NUL behind them. */
struct reply {
    enum reply_kind kind;
    struct span text;
    int64_t number;
    struct reply *items;
    size_t count; /* of items */
};

/* Is R an error that begins with WORD? */
bool reply_is_error(const struct reply *r, const char *word);

/* The number that a text, or a number, gives. 0, or -1 with E filled (reply_strange). */
int reply_integer(const struct reply *r, int64_t *out, struct err *e);

/* Fill E: a reply of a form that was not to be expected. Returns -1. */
int reply_strange(struct err *e);

struct redisReader;

/* Bytes from a server, made into replies. */
struct replies {
    struct redisReader *reader;
    struct arena memory; /* of the reply at hand */
    struct reply first;
};

void replies_init(struct replies *r);

/* These bytes have come. */
void replies_feed(struct replies *r, struct span bytes);

/*
 * The next reply in *OUT, good until the next call.  Returns 1, 0 if none is complete, -1 if that
 * is not the protocol of a Redis: *WHY tells.
 */
int replies_next(struct replies *r, const struct reply **out, const char **why);

void replies_release(struct replies *r);

#endif
