/*
 * admin.h: what operators do with tunnels.
 *
 * Floor: engines.
 */
#ifndef FANLINE_TUNNEL_ADMIN_H
#define FANLINE_TUNNEL_ADMIN_H

#include "io/writer.h"
#include "object/object.h"
#include "tunnel/service.h"

#include <stdint.h>

/* What a tunnel is to be. All texts are borrowed. */
struct tunnel_plan {
    const char *name;
    const char *kind;         /* base, stream, base-and-stream */
    const char *stream;       /* NULL: there is none */
    int64_t partitions;       /* that the stream is made with; 0: it is there */
    const char *from;         /* latest, earliest, or milliseconds since 1970 */
    const char *until;        /* the same, where reading ends; "": nowhere */
    const char *const *bases; /* files, and URLs of objects in buckets */
    size_t base_count;
    struct object_client *objects; /* to look at them; NULL: no buckets */
    uint64_t range;                /* bytes of a file that make a channel */
};

/*
 * Make a tunnel.  Where the stream begins is settled before the files are looked at, so that
 * nothing falls between (reference/tunnel.md 6.5).  0, or -1 with E filled.
 */
int tunnel_create(struct service *s, const struct tunnel_plan *plan, const char *who,
                  struct err *e);

/* Forget tunnel NAME; its source stays. */
int tunnel_delete(struct service *s, const char *name, struct err *e);

/* HEAR each tunnel's name and source. 0, or -1 with E filled. */
int tunnel_each(struct service *s,
                int (*hear)(void *context, struct span name, struct span source, struct err *e),
                void *context, struct err *e);

/*
 * Call FUNCTION (service.lua) for tunnel NAME with COUNT further arguments; the answer, if any,
 * goes to HEAR (may be NULL).  0, or -1 with E filled.
 */
int tunnel_ask(struct service *s, const char *function, const char *name,
               const char *const *arguments, size_t count,
               int (*hear)(void *context, const struct reply *r, struct err *e), void *context,
               struct err *e);

/* The same for a source, which has no name of a tunnel as first argument. */
int tunnel_ask_source(struct service *s, const char *function, struct span source,
                      const char *const *arguments, size_t count,
                      int (*hear)(void *context, const struct reply *r, struct err *e),
                      void *context, struct err *e);

#endif
