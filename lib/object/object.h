/*
 * object.h: files and objects, wherever they are; the face of the room object.
 *
 * A place is
 *     a path                      a file or a folder
 *     s3://BUCKET/KEY             an object of S3 or of what speaks like it
 *     oss://BUCKET/KEY            an object of Alibaba's OSS, by its own protocol
 *     http://…, https://…         whatever is there; it can be read and nothing else
 * With settings.root buckets are folders: s3://BUCKET/KEY is the file ROOT/BUCKET/KEY, and oss://
 * too. KEY is taken literally, with any byte: nothing in it is decoded, "?" and "#" are part of it.
 *
 * All calls may wait: for the network, and where a request failed in a way that passes, before it
 * is tried again (reference/distributed-map.md 5.2).  Faults that stay are reported with what the
 * server said about them; no message has a key, a signature, a token, or the query of a URL in it.
 * Codes: ERR_LATER where the service could not be reached or does not serve now, ERR_USAGE for
 * settings and places that are wrong (also: no such key id, a signature that does not match),
 * ERR_IO for what is not there or not allowed, ERR_DATA for answers that make no sense.
 *
 * Floor: services.
 */
#ifndef FANLINE_OBJECT_OBJECT_H
#define FANLINE_OBJECT_OBJECT_H

#include "base/err.h"
#include "base/span.h"
#include "io/reader.h"
#include "io/writer.h"
#include "object/settings.h"

#include <stdbool.h>
#include <stdint.h>

/* Connections, keys and what has been learned about buckets; for one thread. */
struct object_client;

/*
 * Get ready.  Looks at nothing yet: key files are read and servers asked when a place wants it.
 * SETTINGS is copied, its texts are borrowed.  Returns 0, or -1 with E filled.
 */
int object_client_open(struct object_client **out, const struct object_settings *settings,
                       struct err *e);

/* After everything that was opened with C. Legal on NULL. */
void object_client_close(struct object_client *c);

/* Is PLACE a URL of one of the schemes above?  If not it is a path. */
bool object_is_url(const char *place);

/* ---- reading ---- */

/*
 * Begin to read PLACE.  On success R reads its bytes as they are stored (reader_unpack and
 * reader_skip_bom are the caller's to say) and is the caller's to release; TIED as in reader_init.
 * r->name is what to call it in messages.  PLACE is borrowed until then.
 *
 * A connection that breaks is resumed where it broke, and no byte comes twice; an object that
 * was replaced meanwhile is an error (its ETag tells).  Without an ETag or a date of its last
 * change a page cannot be resumed: an error.  http: redirections are followed.
 *
 * Returns 0, or -1 with E filled and R empty: also for a folder, and for what is not there.
 */
int object_read(struct object_client *c, const char *place, struct reader *r, struct writer *tied,
                struct err *e);

/*
 * As object_read, of that VERSION of an object in a bucket, by the id that the service has given
 * it; borrowed as long as R is read.  Places of other kinds: ERR_USAGE.
 */
int object_read_version(struct object_client *c, const char *place, const char *version,
                        struct reader *r, struct writer *tied, struct err *e);

/*
 * As object_read, of an object in a bucket, from byte FROM on.  ETAG is the one that it must have:
 * an object that has another by now is an error of ERR_DATA.  r->offset begins at FROM.  Places of
 * other kinds: ERR_USAGE.
 */
int object_read_from(struct object_client *c, const char *place, uint64_t from, const char *etag,
                     struct reader *r, struct err *e);

/* ---- asking ---- */

#define OBJECT_ETAG_MAX 128

struct object_facts {
    uint64_t size;
    bool sized;                 /* size is known: always but for http */
    char etag[OBJECT_ETAG_MAX]; /* with its quotes; "" where there is none.  With settings.root it
                                   is made of size, inode and date: it tells a file from another
                                   one, but is no hash, and is not what a listing says */
};

/*
 * What is known about PLACE.  Returns 1; 0 where nothing is there; -1 with E filled.  A folder is
 * nothing.
 */
int object_head(struct object_client *c, const char *place, struct object_facts *facts,
                struct err *e);

/* ---- listing ---- */

struct object_list;

struct object_list_options {
    struct writer *tied; /* flushed before waiting; NULL for none; borrowed */
    bool follow;         /* folders: symbolic links lead on; else they are passed over */
    bool etag;           /* folders: read the files to know the MD5 of each */
};

/* All spans are valid until the next call. What a server did not say, or a folder cannot know, is
 * empty. */
struct object_entry {
    struct span key;           /* any bytes but NUL, also newlines and what is no UTF-8 */
    uint64_t size;             /* in bytes */
    struct span etag;          /* with its quotes */
    struct span last_modified; /* RFC 3339, UTC ("…Z"); a fraction without zeros at its end */
    struct span storage_class; /* "STANDARD" */
    struct span type;          /* OSS: "Normal", "Multipart", … */
    struct span restore_info;
};

/*
 * List what is at PLACE.
 *
 * s3, oss: the objects whose keys begin with what PLACE has behind the bucket, in the server's
 * order (S3's: of bytes), a page at a time.
 *
 * A path: the regular files in that folder and all below it, in the order of the bytes of their
 * keys, just as S3 would list them; hidden files too; no symbolic links (unless followed), fifos,
 * sockets, devices.  The key of a file is its path as one would open it: PLACE/relative/path,
 * without PLACE where that is ".".  A file is listed as itself alone.  What cannot be read is an
 * error; a chain of links that leads back into itself too.  Memory: the names in the folders on the
 * way from PLACE to the file at hand.
 *
 * Returns 0 with *OUT, the caller's to close, or -1 with E filled.
 */
int object_list_open(struct object_client *c, const char *place,
                     const struct object_list_options *options, struct object_list **out,
                     struct err *e);

/* The next object. Returns 1; 0 at the end; -1 with E filled. */
int object_list_next(struct object_list *l, struct object_entry *entry, struct err *e);

/* Legal on NULL. */
void object_list_close(struct object_list *l);

/* ---- writing ---- */

struct object_put_options {
    bool create;              /* refuse to replace what is there */
    const char *content_type; /* NULL: none is said */
};

/* An object that appears whole or not at all. Zero-initialised it is legal to abort. */
struct object_put {
    struct writer *out; /* put the bytes here; its errors come from the commit too */
    const struct object_put_kind *kind;
    void *state;
};

/*
 * Begin to write PLACE.  OPTIONS may be NULL.
 *
 * A path: as outfile.h; the folders above it are made.
 *
 * s3, oss: up to settings.part_bytes go as one PUT at the commit; more goes up in parts of that
 * size as it is put (from the 2001st on in parts twice as large, and so on up to 1 GiB: at most
 * 10,000). Memory: one part. Each request has a checksum that the server compares.
 *
 * Returns 0, or -1 with E filled.
 */
int object_put_open(struct object_client *c, const char *place,
                    const struct object_put_options *options, struct object_put *p, struct err *e);

/*
 * All bytes have been put and committed to the writer: make the object appear.  Either way P is
 * closed and empty afterwards.  Returns 0: it is there, durable.  1: something was there already
 * and options.create forbids to replace it.  -1 with E filled: PLACE is as before, unless the
 * message says that it is not known; parts that went up have been taken back, as far as the server
 * could be reached.
 */
int object_put_commit(struct object_put *p, struct err *e);

/*
 * Forget it: PLACE stays as it was, parts that went up are taken back.  Where that fails and E,
 * NULL for none, is set, E says so too.  Legal on an empty P.
 */
void object_put_abort(struct object_put *p, struct err *e);

#endif
