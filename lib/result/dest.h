/*
 * dest.h: where the files of a run go.
 *
 * A destination is chosen once by its URL; what it is lies behind a table of functions, so that
 * another kind is another file (dest_folder.c, dest_bucket.c) and a line in dest.c.
 *
 *     dest_place(&place, url, run); dest_open(&d, &place, client)
 *     dest_create(&d, name, &file); writer_put(file.out, …); dest_commit(&file)   (or dest_abort)
 *     dest_close(&d)
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_DEST_H
#define FANLINE_RESULT_DEST_H

#include "base/err.h"
#include "base/span.h"
#include "io/reader.h"
#include "io/writer.h"
#include "object/object.h"

#include <stdbool.h>

/* The place of one run. All texts are owned. */
struct dest_place {
    char *url;    /* of the run's folder, without a slash at the end; NULL: not known */
    char *bucket; /* DestinationBucket */
    char *folder; /* what an ObjectName begins with, without the slash */
    char *run;    /* MapRunName */
};

struct dest_kind;

struct dest {
    const struct dest_kind *kind; /* NULL: not open */
    const char *url;              /* of the run's folder; borrowed from its place */
    struct object_client *client; /* for buckets; borrowed */
    void *state;                  /* of its kind */
    bool keep;                    /* there are whole results: dest_close takes nothing away */
};

/* A file on its way. Zeroed: none. */
struct dest_file {
    const struct dest_kind *kind;
    struct writer *out; /* put the bytes here */
    void *state;
};

/* What one kind of destination does; the contracts are those of the functions below. */
struct dest_kind {
    int (*check)(const char *url, struct err *e);
    void (*place)(struct dest_place *p, const char *url, const char *run);
    int (*open)(struct dest *d, struct err *e);
    int (*holds)(const struct dest *d, const char *name, struct err *e);
    int (*create)(struct dest *d, const char *name, bool fresh, struct dest_file *f, struct err *e);
    void (*hurry)(struct dest_file *f);
    int (*commit)(struct dest_file *f, struct err *e);
    void (*forget)(struct dest_file *f, struct err *e);
    int (*list)(struct dest *d, int (*take)(void *context, const char *name, struct err *e),
                void *context, struct err *e);
    int (*remove)(struct dest *d, const char *name, struct err *e);
    bool (*same)(const struct dest *d, const char *url);
    void (*close)(struct dest *d);
};

/* Can results go to URL, which may not be there yet? 0, or -1 with E filled (ERR_USAGE). */
int dest_check(const char *url, struct err *e);

/* Why NAME cannot be the name of a run's folder; NULL if it can. */
const char *dest_bad_run(struct span name);

/* Where the results of RUN lie in URL. P is empty before. */
void dest_place(struct dest_place *p, const char *url, const char *run);

/* The folder that the file at PLACE, a path or URL, lies in; to be freed. */
char *dest_folder_of(const char *place);

void dest_place_release(struct dest_place *p);

/*
 * Make the place ready to be written to; a folder by us alone.  P and CLIENT are borrowed.  Returns
 * 0, or -1 with E filled: also where another process writes to that folder (ERR_LATER).  Either way
 * D is to be closed.
 */
int dest_open(struct dest *d, const struct dest_place *p, struct object_client *client,
              struct err *e);

/* Is there a file NAME? 1 or 0, or -1 with E filled. */
int dest_holds(const struct dest *d, const char *name, struct err *e);

/*
 * Begin the file NAME, which appears whole or not at all; FRESH: in a bucket it may not replace one
 * that is there by then.  0, or -1 with E filled.
 */
int dest_create(struct dest *d, const char *name, bool fresh, struct dest_file *f, struct err *e);

/* Much has been written: let the disk begin with it, so that less is left to wait for at the end.
 */
void dest_hurry(struct dest_file *f);

/* Make it appear, durable. Either way F is closed. 0, or -1 with E filled. */
int dest_commit(struct dest_file *f, struct err *e);

/* Forget it. Where that fails and E, NULL for none, is set, E says so too. Legal on a zeroed F. */
void dest_abort(struct dest_file *f, struct err *e);

/*
 * Tell TAKE the name of each file that is there; of none in a bucket, where nothing is ever taken
 * away.  Returns 0, or -1 with E filled.
 */
int dest_list(struct dest *d, int (*take)(void *context, const char *name, struct err *e),
              void *context, struct err *e);

/* Take a file away, but not out of a bucket; one that is not there is fine. 0, or -1 with E filled.
 */
int dest_remove(struct dest *d, const char *name, struct err *e);

/* Is D, which is open, the folder at URL? */
bool dest_is(const struct dest *d, const char *url);

/* Legal on a zeroed D. */
void dest_close(struct dest *d);

/* FOLDER/NAME; the caller frees it. */
char *dest_join(const char *folder, const char *name);

extern const struct dest_kind dest_folder;
extern const struct dest_kind dest_bucket;

#endif
