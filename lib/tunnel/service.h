/*
 * service.h: the service side of tunnels, which is a function library inside Redis.
 *
 * The library's text is service.lua.  Its functions have the hash of that text in their names,
 * so that programs of different versions never call each other's; who calls one that the server
 * does not know loads it, on every server that holds data.  Functions survive a restart, as
 * data do.
 *
 * Everything of one source lies in one slot of a cluster: its keys begin with
 * fanline:tunnel:{SOURCE}:, or, where the name of the source has a hash tag of its own, with
 * fanline:tunnel:SOURCE:.  Which source a tunnel has is told by the hash fanline:tunnels.
 *
 * Floor: engines.
 */
#ifndef FANLINE_TUNNEL_SERVICE_H
#define FANLINE_TUNNEL_SERVICE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "redis/server.h"

#include <stdbool.h>

struct service {
    struct server *server;
    struct script library;
    bool is_cluster;
};

/* URL is one of redis/address.h, else E is filled (ERR_USAGE). Returns 0, or -1. */
int service_open(struct service *s, const char *url, struct err *e);

/* Legal on a zeroed S. */
void service_close(struct service *s);

/* ROOT of the keys of SOURCE, into OUT, which is emptied first. */
void service_root(struct buf *out, struct span source);

/* Begin a call of FUNCTION for the source whose ROOT that is; the arguments follow. */
void service_start(const struct service *s, struct command *c, const char *function,
                   struct span root);

/* Does E, of a call, say that the server does not know the library? */
bool service_is_unknown(const struct err *e);

/* Load the library. 0, or -1 with E filled. */
int service_load(struct service *s, struct err *e);

/*
 * Send C, a call of a function, which may be sent twice.  The answer, good until the next call, is
 * handed to ANSWER (may be NULL) if its first word is OK; another word is an error: ERR_USAGE.
 * 0, or -1 with E filled.
 */
int service_call(struct service *s, const struct command *c,
                 int (*answer)(void *context, const struct reply *r, struct err *e), void *context,
                 struct err *e);

/* Send C, a plain command; the reply is handed to ANSWER. 0, or -1 with E filled. */
int service_ask(struct service *s, const struct command *c,
                int (*answer)(void *context, const struct reply *r, struct err *e), void *context,
                struct err *e);

/* The source of tunnel NAME into *SOURCE; -1 with E filled: ERR_USAGE if there is no such tunnel.
 */
int service_find(struct service *s, struct span name, struct buf *source, struct err *e);

/* The first word of an answer; empty if it is none. */
struct span service_word(const struct reply *r);

#endif
