/*
 * url.h: where a store is.
 *
 *     sqlite:path                  a plain file name
 *     redis://… and its like       redis/address.h
 *
 * Behind the question mark of the latter, entries=nifi stands for entries in the form that NiFi's
 * Redis service gives them (reference/wait-notify.md 6.1), to share them with a NiFi.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_URL_H
#define FANLINE_STORE_URL_H

#include "base/err.h"
#include "redis/address.h"

enum store_scheme { STORE_REDIS, STORE_REDIS_NIFI, STORE_SQLITE };

/* Owns its texts; zero-initialised it is empty and legal to release. */
struct store_url {
    enum store_scheme scheme;
    struct address redis;
    char *path;  /* of the file */
    char *shown; /* as a URL without user and password, for messages */
};

/*
 * Parse TEXT.  Returns 0, or -1 with E filled (ERR_USAGE); the message never quotes a
 * password.
 */
int store_url_parse(struct store_url *url, const char *text, struct err *e);

void store_url_release(struct store_url *url);

#endif
