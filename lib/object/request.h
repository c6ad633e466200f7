/*
 * request.h: one request, tried until it is answered or given up.
 *
 * What kinds of requests differ in, how they are addressed and signed and what their failures mean,
 * is in a table of functions; the loop of tries, pauses and messages is here, once.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_REQUEST_H
#define FANLINE_OBJECT_REQUEST_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "io/writer.h"
#include "object/http.h"
#include "object/retry.h"
#include "object/settings.h"
#include "object/sign.h"

#include <stdbool.h>
#include <stddef.h>

#define REQUEST_EXTRA_MAX 4

struct request;

struct request_kind {
    /* Before each try: set q->url and say request_header for each header.  0, or -1 with E filled.
     */
    int (*write)(struct request *q, struct err *e);

    /*
     * The answer T, with BODY, is none that q->accepts.  Fill E with what it means, ERR_LATER if
     * that may pass. Returns true if something has been put right, so that it is worth a try at
     * once.
     */
    bool (*judge)(struct request *q, const struct http_transfer *t, struct span body,
                  struct err *e);

    /* Free Q and what it is part of. */
    void (*release)(struct request *q);
};

struct request {
    const struct request_kind *kind;
    struct http *http;
    const struct object_settings *settings;
    struct writer *tied; /* flushed before waiting; NULL for none */

    /* "cannot VERB SHOWN: …"; borrowed */
    const char *verb;
    const char *shown;

    const char *method;
    struct span body; /* borrowed */
    bool follow;      /* redirections */
    bool once;        /* done twice it is not the same: it must be known whether it was done */
    bool late_fault;  /* an <Error> may also come with status 200 */
    struct sign_header extra[REQUEST_EXTRA_MAX]; /* headers of this request; borrowed */
    size_t extra_count;
    long accepts[3]; /* statuses that are answers too, beside 200 to 299; 0: none */

    /* written for each try */
    const char *url;
    struct sign_header headers[SIGN_HEADERS_MAX];
    size_t header_count;
    struct arena arena;

    /* how it went */
    long status;   /* of the last answer; 0: there was none */
    bool sent;     /* the last try may have reached the server */
    bool doubtful; /* a try failed in which the server may have done what was asked */
};

/* Add a header; NAME, in lower case, is borrowed, VALUE copied. */
void request_header(struct request *q, const char *name, struct span value);

/*
 * Send Q until there is an answer.  Returns 0 with *OUT, whose body is to be read and which the
 * caller ends; -1 with E filled.
 */
int request_send(struct request *q, struct http_transfer **out, struct err *e);

/*
 * The same, with the whole body of the answer in BODY, replacing what was there; at most
 * REQUEST_BODY_MAX bytes.
 */
int request_fetch(struct request *q, struct buf *body, struct http_transfer **out, struct err *e);

#define REQUEST_BODY_MAX ((size_t)64 << 20)

/* Put "cannot VERB SHOWN: " before E, unless the fault is the tied writer's.  Returns -1. */
int request_fail(const struct request *q, struct err *e);

#endif
