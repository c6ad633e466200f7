/*
 * address.h: where a Redis is, and how to get in.
 *
 *     redis://[[user]:password@]host[:port][/database]
 *     rediss://…                                         the same over TLS
 *     redis+unix://[[user]:password@]/path/of/socket[?db=database]
 *     redis+sentinel://[[user]:password@]host[:port][,host[:port]...]/master[/database]
 *     redis+cluster://[[user]:password@]host[:port][,host[:port]...]
 *     rediss+sentinel://…, rediss+cluster://…            these over TLS
 *
 * User, password, path and master may have %XX escapes.  An IPv6 address stands in brackets. Behind
 * a question mark, joined by '&': ca=FILE (whom to trust; else the system's list), cert=FILE and
 * key=FILE (who we are), name=HOST (whom the certificate must name; else the host), for TLS;
 * sentinel-user= and sentinel-password=, for sentinels that ask for them.
 *
 * Floor: services.
 */
#ifndef FANLINE_REDIS_ADDRESS_H
#define FANLINE_REDIS_ADDRESS_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum address_kind {
    ADDRESS_SINGLE,
    ADDRESS_SENTINEL, /* the endpoints are sentinels, which know the master */
    ADDRESS_CLUSTER   /* the endpoints are some of its nodes */
};

struct peer {
    char *host; /* NULL: a unix socket */
    int port;
    char *path; /* of the socket */
};

struct login {
    char *user;     /* NULL: none */
    char *password; /* NULL: none */
};

/* Owns its texts; zero-initialised it is empty and legal to release. */
struct address {
    enum address_kind kind;
    struct peer *endpoints;
    size_t count;
    struct login login;
    struct login sentinel_login;
    char *master; /* ADDRESS_SENTINEL: its name */
    int64_t database;
    bool tls;
    char *ca, *cert, *key, *name; /* NULL: not given */
    char *shown;                  /* as a URL without secrets, for messages */
};

/* Does URL begin with a scheme of the list above? */
bool address_is(struct span url);

/*
 * Parse TEXT, for which address_is holds.  Returns 0, or -1 with E filled (ERR_USAGE); the message
 * never quotes a password.
 */
int address_parse(struct address *a, const char *text, struct err *e);

void address_release(struct address *a);

/* HOST and PORT (a copy is made), or another's endpoint. The caller releases it. */
struct peer peer_of(struct span host, int port);
struct peer peer_copy(const struct peer *from);
bool peer_equal(const struct peer *a, const struct peer *b);
void peer_release(struct peer *p);

#endif
