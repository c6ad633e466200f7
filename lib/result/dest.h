/*
 * dest.h: where the files of a run go.
 *
 * A destination is chosen once by its URL; what it is lies behind a table of functions, so that
 * another kind is another file (dest_folder.c is the one for folders) and a line in dest.c.
 *
 *     dest_place(&place, url, run); dest_open(&d, &place)
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
    int (*create)(struct dest *d, const char *name, struct dest_file *f, struct err *e);
    void (*hurry)(struct dest_file *f);
    int (*commit)(struct dest_file *f, struct err *e);
    void (*forget)(struct dest_file *f);
    int (*list)(struct dest *d, int (*take)(void *context, const char *name, struct err *e),
                void *context, struct err *e);
    int (*remove)(struct dest *d, const char *name, struct err *e);
    int (*read)(const char *place, struct reader *r, struct err *e);
    bool (*same)(const struct dest *d, const char *url);
    void (*close)(struct dest *d);
};

/* Can results go to URL, which may not be there yet? 0, or -1 with E filled (ERR_USAGE). */
int dest_check(const char *url, struct err *e);

/* Why NAME cannot be the name of a run's folder; NULL if it can. */
const char *dest_bad_run(struct span name);

/* Where the results of RUN lie in URL. P is empty before. */
void dest_place(struct dest_place *p, const char *url, const char *run);

/* Where the results are that the manifest at URL belongs to: its folder; P->url alone is set. */
void dest_place_of_manifest(struct dest_place *p, const char *url);

void dest_place_release(struct dest_place *p);

/*
 * Make the place ready to be written to by us alone.  P is borrowed.  Returns 0, or -1 with E
 * filled: also where another process writes there (ERR_LATER).  Either way D is to be closed.
 */
int dest_open(struct dest *d, const struct dest_place *p, struct err *e);

/* Is there a file NAME? 1 or 0, or -1 with E filled. */
int dest_holds(const struct dest *d, const char *name, struct err *e);

/* Begin the file NAME, which appears whole or not at all. 0, or -1 with E filled. */
int dest_create(struct dest *d, const char *name, struct dest_file *f, struct err *e);

/* Much has been written: let the disk begin with it, so that less is left to wait for at the end.
 */
void dest_hurry(struct dest_file *f);

/* Make it appear, durable. Either way F is closed. 0, or -1 with E filled. */
int dest_commit(struct dest_file *f, struct err *e);

/* Forget it. Legal on a zeroed F. */
void dest_abort(struct dest_file *f);

/* Tell TAKE the name of each file that is there. Returns 0, or -1 with E filled. */
int dest_list(struct dest *d, int (*take)(void *context, const char *name, struct err *e),
              void *context, struct err *e);

/* Take a file away; one that is not there is fine. 0, or -1 with E filled. */
int dest_remove(struct dest *d, const char *name, struct err *e);

/*
 * Begin to read the file at PLACE, a path or URL, which must outlive R.  Returns 0 with R, to be
 * released by the caller, or -1 with E filled.
 */
int dest_read(const char *place, struct reader *r, struct err *e);

/* Is D, which is open, the folder at URL? */
bool dest_is(const struct dest *d, const char *url);

/* Legal on a zeroed D. */
void dest_close(struct dest *d);

/* FOLDER/NAME; the caller frees it. */
char *dest_join(const char *folder, const char *name);

extern const struct dest_kind dest_folder;

#endif
