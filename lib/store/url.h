/*
 * url.h: where a store is.
 *
 *     redis://[[user]:password@]host[:port][/database]
 *     redis+unix://[[user]:password@]/path/of/socket[?db=database]
 *     sqlite:path
 *
 * User, password and path may have %XX escapes (path: not for sqlite, where it is a plain
 * file name).  An IPv6 address stands in brackets.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_URL_H
#define FANLINE_STORE_URL_H

#include "base/err.h"

#include <stdint.h>

enum store_scheme { STORE_REDIS, STORE_REDIS_UNIX, STORE_SQLITE };

/* Owns its texts; zero-initialised it is empty and legal to release. */
struct store_url {
    enum store_scheme scheme;
    char *user;     /* NULL: none */
    char *password; /* NULL: none */
    char *host;     /* STORE_REDIS */
    char *path;     /* of the socket or the file */
    int port;
    int64_t database;
    char *shown; /* as a URL without user and password, for messages */
};

/*
 * Parse TEXT.  Returns 0, or -1 with E filled (ERR_USAGE); the message never quotes a
 * password.
 */
int store_url_parse(struct store_url *url, const char *text, struct err *e);

void store_url_release(struct store_url *url);

#endif
