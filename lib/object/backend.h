/*
 * backend.h: what a kind of place provides, and what all of them share.
 *
 * A backend is a table of functions, chosen by the scheme of a place; each function keeps the
 * contract of its namesake in object.h.  One that a kind of place cannot do is NULL.  Inside the
 * room object only.
 *
 * Floor: services.
 */
#ifndef FANLINE_OBJECT_BACKEND_H
#define FANLINE_OBJECT_BACKEND_H

#include "object/http.h"
#include "object/object.h"
#include "object/url.h"

struct bucket;

struct object_client {
    struct object_settings settings;
    struct http *http;      /* NULL until something asks for it: backend_http */
    struct bucket *buckets; /* those seen so far */
};

/* The transport of C, started now if it was not.  NULL with E filled where it cannot be. */
struct http *backend_http(struct object_client *c, struct err *e);

struct object_backend {
    const char *name; /* for messages: "a web address" */

    /* All but `head` may keep what U owns, leaving it empty. */
    int (*read)(struct object_client *c, struct url *u, struct reader *r, struct writer *tied,
                struct err *e);
    int (*read_version)(struct object_client *c, struct url *u, const char *version,
                        struct reader *r, struct writer *tied, struct err *e);
    int (*read_from)(struct object_client *c, struct url *u, uint64_t from, const char *etag,
                     struct reader *r, struct err *e);
    int (*head)(struct object_client *c, struct url *u, struct object_facts *facts, struct err *e);
    int (*list)(struct object_client *c, struct url *u, const struct object_list_options *options,
                struct object_list **out, struct err *e);
    int (*put)(struct object_client *c, struct url *u, const struct object_put_options *options,
               struct object_put *p, struct err *e);
};

extern const struct object_backend backend_path;
extern const struct object_backend backend_bucket;
extern const struct object_backend backend_web;
extern const struct object_backend backend_rooted;

/* A listing embeds this as its first member. */
struct object_list {
    int (*next)(struct object_list *l, struct object_entry *entry, struct err *e);
    void (*close)(struct object_list *l);
};

struct object_put_kind {
    int (*commit)(void *state, struct err *e);
    void (*forget)(void *state, struct err *e);
};

#endif
