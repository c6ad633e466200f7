/*
 * bucket.h: requests to a bucket: addressed, signed, redirected, understood.
 *
 * S3 and OSS are dialects of one protocol; in what they differ is in a table.  What is
 * learned about a bucket, its region, the server that has it, how its clock differs from ours, is
 * kept for the requests that follow.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_BUCKET_H
#define FANLINE_OBJECT_BUCKET_H

#include "object/account.h"
#include "object/backend.h"
#include "object/endpoint.h"
#include "object/escape.h"
#include "object/request.h"

#define BUCKET_QUERY_MAX 6

struct dialect {
    enum url_scheme scheme;
    const char *name; /* "s3" */

    /* names of headers */
    const char *date;
    const char *hash;
    const char *token;
    const char *request; /* of an answer: the server's name for the request */
    const char *region;  /* of an answer: where the bucket is */

    struct sign_header create; /* refuses to replace what is there */
    bool bare_query;           /* "uploads" and not "uploads=" */
    bool hashes_body;          /* the SHA-256 of a body is signed; else it has its MD5 with it */

    int (*account)(struct account *a, const struct object_settings *s, struct err *e);
    const char *host;           /* of a region: what stands before its name, */
    const char *domain;         /* and behind it */
    const char *default_region; /* NULL: there is none */
    void (*sign)(const struct sign_request *q, struct buf *out);
};

struct bucket {
    struct bucket *next;
    const struct dialect *dialect;
    char *name;
    struct account account;
    struct endpoint endpoint;
    char *region;
    int64_t skew; /* of the server's clock from ours, in nanoseconds */
};

/* The bucket of U, made ready the first time it is asked for.  NULL with E filled. */
struct bucket *bucket_of(struct object_client *c, const struct url *u, struct err *e);

void bucket_free(struct bucket *b);

/* The server says that it is in REGION, or to be found at HOST; empty: it does not.  True: that was
 * new. */
bool bucket_moved(struct bucket *b, struct span region, struct span host);

/* A request about KEY in BUCKET; about the bucket itself where KEY is empty. */
struct bucket_call {
    struct request request; /* first: the functions of its kind get at the rest */
    struct bucket *bucket;
    struct span key;                            /* borrowed */
    struct escape_pair query[BUCKET_QUERY_MAX]; /* borrowed */
    size_t query_count;
    struct url owned; /* released with the call; may be empty */
    char code[64];    /* what the server called its last refusal; "" where it did not say */
};

/*
 * Get ready to ask METHOD of the object U.  VERB as in struct request; both, and what U owns, are
 * borrowed.  Returns 0, or -1 with E filled.  Legal to release either way.
 */
int bucket_call_init(struct bucket_call *call, struct object_client *c, const struct url *u,
                     const char *verb, const char *method, struct err *e);

/* Add a pair to the query, a header to the request; borrowed. */
void bucket_call_ask(struct bucket_call *call, const char *name, struct span value);
void bucket_call_header(struct bucket_call *call, const char *name, struct span value);

void bucket_call_release(struct bucket_call *call);

/* ---- what a bucket provides, each in its file (see backend.h) ---- */

int bucket_read(struct object_client *c, struct url *u, struct reader *r, struct writer *tied,
                struct err *e);
int bucket_read_version(struct object_client *c, struct url *u, const char *version,
                        struct reader *r, struct writer *tied, struct err *e);
int bucket_read_from(struct object_client *c, struct url *u, uint64_t from, const char *etag,
                     struct reader *r, struct err *e);
int bucket_head(struct object_client *c, struct url *u, struct object_facts *facts, struct err *e);
int bucket_list(struct object_client *c, struct url *u, const struct object_list_options *options,
                struct object_list **out, struct err *e);
int bucket_put(struct object_client *c, struct url *u, const struct object_put_options *options,
               struct object_put *p, struct err *e);

#endif
