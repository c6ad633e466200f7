/*
 * url.h: a place, taken apart.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_URL_H
#define FANLINE_OBJECT_URL_H

#include "base/err.h"

enum url_scheme { URL_PATH, URL_S3, URL_OSS, URL_WEB };

/* Owns its texts; zero-initialised it is empty and legal to release. */
struct url {
    enum url_scheme scheme;
    char *bucket;      /* s3, oss */
    char *key;         /* s3, oss: all behind the bucket's slash, "" for none */
    char *place;       /* as it was given, */
    const char *given; /* and the caller's own text of that */
    char *shown;       /* for messages: without user, password, query and fragment */
};

/* The scheme of PLACE, written in any case. */
enum url_scheme url_scheme_of(const char *place);

/* Take PLACE apart.  Returns 0, or -1 with E filled (ERR_USAGE): no bucket, or a name that can be
 * none. */
int url_parse(struct url *u, const char *place, struct err *e);

void url_release(struct url *u);

#endif
