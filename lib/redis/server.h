/*
 * server.h: a Redis, wherever it is: one server, the master that sentinels name, or a cluster.
 *
 * Calls are sent in one go to whom they belong, and their answers taken in order.  Redirections
 * (MOVED, ASK, TRYAGAIN) are followed, a script that the server does not know is sent in full.
 * Connections are made when they are needed; after a failure (ERR_LATER) the next call makes
 * them anew, asking sentinels and cluster again who is who.
 *
 *     struct server *s = server_new(&address);
 *     struct calls calls = {.script = &script, .count = n, .ask = …, .answer = …, .context = …};
 *     if (server_run(s, &calls, &e) < 0) …
 *
 * Floor: services.
 */
#ifndef FANLINE_REDIS_SERVER_H
#define FANLINE_REDIS_SERVER_H

#include "base/err.h"
#include "redis/address.h"
#include "redis/command.h"
#include "redis/link.h"
#include "redis/reply.h"
#include "redis/script.h"

#include <stddef.h>

struct server;

/* What A, which it takes over and leaves empty, leads to. Nothing is connected yet. */
struct server *server_new(struct address *a);

/* Legal on NULL. */
void server_free(struct server *s);

/* Where it is, without secrets; borrowed. */
const char *server_shown(const struct server *s);

/* From now on waiting ends with ERR_LATER when the descriptor STOP is readable. -1: none. */
void server_stop_at(struct server *s, int stop);

/*
 * TELL is called once, after the first connection was made, with each sentence about what in the
 * server's configuration endangers data: that it evicts, that it keeps nothing on disk.
 */
void server_concerns(struct server *s, void (*tell)(void *context, const char *text),
                     void *context);

/* Several calls, of a script or of commands. */
struct calls {
    const struct script *script; /* NULL: ask gives whole commands */
    size_t count;

    /*
     * Put call I together.  Of a script, C has its name already: add the number of keys, the keys
     * (command_key) and the arguments.  Of a command, begin with command_start.  May be asked more
     * than once for the same call.
     */
    void (*ask)(void *context, size_t i, struct command *c);

    /* The reply to call I, which is no error. 0, or -1 with E filled. */
    int (*answer)(void *context, size_t i, const struct reply *r, struct err *e);
    void *context;
};

/*
 * Make the calls, those of one slot in order.  Returns 0, or -1 with E filled: some of them may
 * have been made.
 */
int server_run(struct server *s, const struct calls *calls, struct err *e);

/*
 * A connection of its own, to the server that has KEY (empty: to any), for subscriptions and
 * commands that block.  The caller closes it, before S is freed.  0, or -1 with E filled.
 */
int server_connect(struct server *s, struct span key, struct link **out, struct err *e);

/*
 * VISIT each server that holds data (not the replicas) with its link, until it returns other than
 * 0.  Returns what it returned; -1 with E filled if one cannot be reached.
 */
int server_each(struct server *s, int (*visit)(void *context, struct link *l, struct err *e),
                void *context, struct err *e);

#endif
