/*
 * files.h: the results of a run in a folder.
 *
 * DEST/RUN/ holds SUCCEED_0.json, FAILED_0.json where something failed, PENDING_0.json where
 * something never ran, and manifest.json, which is written last: where it is, the results are
 * whole.  Forms and names are those of the service (reference/distributed-map.md 1.6;
 * fanline-records(5)).
 *
 *     files_open; files_put …; files_commit          (or files_release at any time)
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_FILES_H
#define FANLINE_RESULT_FILES_H

#include "base/err.h"
#include "base/span.h"
#include "io/outfile.h"
#include "io/writer.h"
#include "result/record.h"

#include <stdbool.h>
#include <stdint.h>

enum files_kind { FILES_FAILED, FILES_PENDING, FILES_SUCCEED, FILES_KINDS };

enum files_form {
    FILES_CLOUDFLOW, /* the service's seven members, Input and Output as JSON text in strings */
    FILES_FULL       /* the record as it came */
};

struct files {
    enum files_form form;
    char *dest;                       /* as given, without slashes at the end; NULL: not open */
    char *run;                        /* name of the run and of its folder */
    char *path;                       /* DEST/RUN */
    int folder;                       /* its descriptor, which holds a lock on it */
    bool is_ours;                     /* the folder was made here */
    struct outfile file[FILES_KINDS]; /* not open before the first record of its kind */
    uint64_t size[FILES_KINDS];       /* of what was committed */
};

/* Why NAME cannot be the name of a run's folder; NULL if it can. */
const char *files_bad_name(struct span name);

/* Is DEST a folder that results can go to, there or not yet? 0, or -1 with E filled (ERR_USAGE). */
int files_check_dest(const char *dest, struct err *e);

/*
 * Make the folder DEST/RUN, DEST too if it is missing, and lock it.  Returns 0, or -1 with E
 * filled: also where the folder has a manifest already, or another process is writing there
 * (ERR_LATER).
 */
int files_open(struct files *f, const char *dest, const char *run, enum files_form form,
               struct err *e);

/* Add the record R, which was read from LINE. Returns 0, or -1 with E filled. */
int files_put(struct files *f, const struct record *r, struct span line, struct err *e);

/* Make all files durable, the manifest last. Returns 0, or -1 with E filled: no manifest then. */
int files_commit(struct files *f, struct err *e);

/* Write the line that says where the results are: {"MapRunName":…,"ResultWriterDetails":{…}}. */
void files_put_details(const struct files *f, struct writer *w);

/* Forget what was not committed. Legal on a zeroed or a committed F. */
void files_release(struct files *f);

#endif
