/*
 * catalog.h: which result files a run has, and the manifest that says so.
 *
 * Names and forms are those of the service (reference/distributed-map.md 1.6; fanline-records(5)),
 * or those of AWS (2.8), which are only written.  The manifest of a run that was re-driven has the
 * member RedriveCount besides.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_CATALOG_H
#define FANLINE_RESULT_CATALOG_H

#include "base/err.h"
#include "base/span.h"
#include "io/writer.h"
#include "result/record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CATALOG_MANIFEST "manifest.json"

/* Kinds of files, in the order of the manifest. */
enum catalog_kind { CATALOG_FAILED, CATALOG_PENDING, CATALOG_SUCCEED, CATALOG_KINDS };

struct catalog_file {
    char *name; /* without the folder: SUCCEED_0.json */
    uint64_t size;
};

struct catalog_list {
    struct catalog_file *files;
    size_t count;
    size_t cap;
    uint64_t next; /* number for the next file: higher than any here */
};

enum catalog_style { CATALOG_CLOUDFLOW, CATALOG_AWS };

struct catalog {
    enum catalog_style style;
    struct catalog_list lists[CATALOG_KINDS];
    uint64_t redrives; /* how often the run was re-driven */
    char *bucket;      /* DestinationBucket; owned; may be NULL before it is known */
    char *folder;      /* what all ObjectNames begin with, without the slash; owned; likewise */
    char *run;         /* MapRunName; owned; likewise */
    char *flow;        /* FlowName, which AWS's name of the run has; owned; NULL: not known */
};

/* In which files a record of this status goes. */
enum catalog_kind catalog_kind_of(enum record_status status);

/* The name for the next file of KIND: one number higher than all that are there; to be freed. */
char *catalog_next_name(const struct catalog *c, enum catalog_kind kind, bool lines);

/* Is NAME one that catalog_next_name gives, for any number? */
bool catalog_names_result(const char *name);

/* There is a file NAME, which is copied, of SIZE bytes. */
void catalog_add(struct catalog *c, enum catalog_kind kind, const char *name, uint64_t size);

/*
 * The names of all files, sorted, for catalog_is_among; the array is to be freed, the names are
 * C's.
 */
const char **catalog_names(const struct catalog *c, size_t *count);
bool catalog_is_among(const char *const *names, size_t count, const char *name);

/* The list of KIND moves from FROM to the end of that of C; FROM gives no name again. */
void catalog_move(struct catalog *c, struct catalog *from, enum catalog_kind kind);

/* Put the manifest, which has no newline at its end. Bucket, folder and run must be known. */
void catalog_put(const struct catalog *c, struct writer *w);

/* Put what names the run: "MapRunName":NAME, or "MapRunArn":ARN. */
void catalog_put_run(const struct catalog *c, struct writer *w);

/* FOLDER/NAME as a JSON string. */
void catalog_put_object_name(const struct catalog *c, const char *name, struct writer *w);

/*
 * Read the manifest TEXT into C, which is empty.  The names of its files are taken without what
 * stands before the last slash: where the files are is known from where the manifest is.  Returns
 * 0, or -1 with E filled (ERR_DATA).
 */
int catalog_read(struct catalog *c, struct span text, struct err *e);

void catalog_release(struct catalog *c);

#endif
