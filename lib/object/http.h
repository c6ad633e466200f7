/*
 * http.h: requests over HTTP, answered as streams.
 *
 * libcurl carries them; it is known only to http.c.  Several transfers may be under way at once:
 * all of them go on whenever one is waited for.  Connections are kept and used again.
 *
 * A failure that may pass (no connection, one that broke, silence) is ERR_LATER; whoever asked
 * decides whether to try again.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_HTTP_H
#define FANLINE_OBJECT_HTTP_H

#include "base/err.h"
#include "base/span.h"
#include "io/writer.h"
#include "object/settings.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct http;

/* SETTINGS is borrowed.  Returns 0, or -1 with E filled. */
int http_open(struct http **out, const struct object_settings *settings, struct err *e);

/* Legal on NULL. */
void http_close(struct http *h);

struct http_request {
    const char *method;
    const char *url;
    const char *const *headers; /* "name: value", NULL-terminated */
    struct span body;           /* for PUT and POST; borrowed until the transfer ends */
    bool follow;                /* redirections, as far as they lead to http: or https: */
    bool fresh;                 /* over a connection of its own: libcurl itself repeats nothing */
    bool sent;                  /* set by http_send: the server may have got it */
};

struct http_transfer;

/*
 * Send Q and wait for the status and the headers of the answer.  TIED is flushed before waiting,
 * here and in http_read; NULL for none; borrowed.  Returns 0 with *OUT, or -1 with E filled.
 */
int http_send(struct http *h, struct http_request *q, struct writer *tied,
              struct http_transfer **out, struct err *e);

/* The status of the final answer. */
long http_status(const struct http_transfer *t);

/* The value of the header NAME, empty if there is none; valid until the transfer ends. */
struct span http_header(const struct http_transfer *t, const char *name);

/*
 * Read at most CAP bytes of the body.  Returns how many; 0 at the end of a body that is whole; -1
 * with E filled.
 */
ssize_t http_read(struct http_transfer *t, char *at, size_t cap, struct err *e);

/* Done, wherever it is. Legal on NULL. */
void http_end(struct http_transfer *t);

#endif
