/*
 * result.h: the face of the room: records in, results out.
 *
 * Either the output of the Map state goes to a writer (output.h), or the records go to files
 * (files.h), into a new run, into one that is there (APPEND), or in the place of what did not
 * succeed before (REDRIVE).  Then it is judged: did as many items come as expected, and did no more
 * fail than is tolerated?  Memory is bounded by the largest record and what roster.h and redrive.h
 * say.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RESULT_RESULT_H
#define FANLINE_RESULT_RESULT_H

#include "base/err.h"
#include "base/tolerance.h"
#include "io/writer.h"
#include "result/files.h"
#include "result/output.h"
#include "json/lines.h"

#include <stdbool.h>
#include <stdint.h>

/* All texts are borrowed, and so is the client. */
struct result_options {
    struct object_client *client;
    const char *dest;     /* where the files go; NULL: the output goes to the writer */
    const char *run_name; /* NULL: that of the first record, else a UUID */
    bool append;          /* there may be results of that run */
    const char *redrive;  /* a manifest; without `dest` its run is changed where it is */
    const char *expect;   /* how many items: see expect.h; NULL: any number */
    const char *temp;     /* folder for temporary files */
    enum output_wrap wrap;
    struct files_rules files;   /* without `dest` only the form counts */
    bool has_records;           /* the form of records was asked for, not just the default */
    bool has_type;              /* likewise of lines or not */
    struct tolerance tolerance; /* counted in executions (reference/distributed-map.md 1.7), */
    bool by_items;              /* or in the items of these (2.7) */
    const char *summary;        /* a file for the summary; "-": the writer; NULL: none is wanted */
    bool summary_table;         /* for the writer as a table */
    const char *report;         /* a file for the page; NULL: none is wanted */
    /* Told of each line: 0, or -1 with E filled to stop. May be NULL. */
    int (*passed)(void *watcher, uint64_t items, struct err *e);
    void *watcher;
};

struct result_outcome {
    uint64_t lines;     /* written to OUT */
    struct err verdict; /* ERR_FAILED: all is written, but more failed than is tolerated */
};

/* Do the options go together?  0, or -1 with E filled (ERR_USAGE). */
int result_check(const struct result_options *o, struct err *e);

/*
 * Read all records of IN and write the results.  A line that is no record is refused by
 * lines_refuse.  An execution that comes again is refused too, but does not end the run: it is told
 * to the report of IN's rules, and counts as rejected.  Returns 0 with R filled, or -1 with E
 * filled: then there is no new manifest, and the document in OUT has no end; except that a summary
 * or report that cannot be written is told when all else is done.
 */
int result_run(struct lines_in *in, const struct result_options *o, struct writer *out,
               struct result_outcome *r, struct err *e);

#endif
