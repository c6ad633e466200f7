/*
 * files.h: the results of a run as files.
 *
 * SUCCEED_0.json, FAILED_0.json where something failed, PENDING_0.json where something never ran,
 * the next number where a file would grow too large, and manifest.json, which is written last:
 * where it is, the results are whole.
 *
 *     files_open; files_put …; files_commit          (or files_release at any time)
 *
 * What is added to a run, or replaces a part of it, goes to files with new numbers, so that until
 * the new manifest takes the place of the old one, that one tells the truth.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_FILES_H
#define FANLINE_RESULT_FILES_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "io/writer.h"
#include "result/catalog.h"
#include "result/dest.h"
#include "result/form.h"
#include "result/record.h"

#include <stdbool.h>
#include <stdint.h>

struct files_rules {
    struct form form;
    uint64_t max_bytes; /* of a file, unless a single record is larger; 0: any number */
    uint64_t max_items; /* records in a file; 0: any number */
};

/* The file that records of one kind go to now. */
struct files_part {
    char *name; /* NULL: none is open */
    struct dest_file file;
    uint64_t records;
    uint64_t hurried; /* bytes when the disk was last told to begin */
};

struct files {
    struct files_rules rules;
    bool fresh;       /* there may be no manifest yet */
    struct dest dest; /* not open: F is not open */
    struct dest_place place;
    struct catalog catalog;     /* the files that are whole */
    size_t kept[CATALOG_KINDS]; /* of these, the first ones, which were there before */
    struct catalog old;         /* files that the next manifest will not name any more */
    struct files_part parts[CATALOG_KINDS];
    struct buf scratch;
};

/*
 * Results go to PLACE, which is moved into F.  CLIENT is borrowed.  Returns 0, or -1 with E filled,
 * see dest_open; either way F is to be released.
 */
int files_open(struct files *f, const struct files_rules *rules, struct dest_place *place,
               struct object_client *client, struct err *e);

/* There must be no results yet, now and when the manifest is written. 0, or -1 with E filled. */
int files_demand_new(struct files *f, struct err *e);

static inline bool files_is_open(const struct files *f)
{
    return f->dest.kind != NULL;
}

/* BEFORE, the manifest that is there, goes on being true: the next one names its files too. */
void files_keep(struct files *f, const struct catalog *before);

/* The files of KIND that were kept are to be replaced by what comes. */
void files_replace(struct files *f, enum catalog_kind kind);

/* Add the record R, which was read from LINE. Returns 0, or -1 with E filled. */
int files_put(struct files *f, const struct record *r, struct span line, struct err *e);

/* Make all files durable, the manifest last. Returns 0, or -1 with E filled: no new manifest then.
 */
int files_commit(struct files *f, struct err *e);

/* Write the line that says where the results are: {"MapRunName":…,"ResultWriterDetails":{…}}. */
void files_put_details(const struct files *f, struct writer *w);

/*
 * Forget what was not committed.  Where that fails and E, NULL for none, is set, E says so too.
 * Legal on a zeroed or a committed F.
 */
void files_release(struct files *f, struct err *e);

#endif
