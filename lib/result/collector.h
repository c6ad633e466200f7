/*
 * collector.h: one run of result_run.
 *
 * Floor: engines, inside the room result.
 */
#ifndef FANLINE_RESULT_COLLECTOR_H
#define FANLINE_RESULT_COLLECTOR_H

#include "base/buf.h"
#include "base/err.h"
#include "result/counts.h"
#include "result/files.h"
#include "result/output.h"
#include "result/redrive.h"
#include "result/result.h"
#include "result/roster.h"
#include "result/stats.h"
#include "result/stored.h"

#include <stdbool.h>

struct collector {
    struct lines_in *in;
    const struct result_options *o;
    struct writer *out;
    struct roster roster;
    struct counts counts;
    struct stats stats;
    bool tells; /* somebody wants to know the stats */
    struct output output;
    struct files files; /* not open before the name of the run is known */
    struct form form;   /* of the output */
    struct buf run;     /* name of the run, as text; empty while it is not known */
    struct stored before;
    struct redrive redrive;
    bool in_place; /* the run in `before` is changed where it is */
    struct buf scratch;
};

/* Count R. Returns 0, or -1 with E filled and nothing changed. */
int collector_count(struct collector *c, const struct record *r, struct err *e);

/* Write R, which was read from LINE and counted. PLACE matters to the output only. 0, or -1 with E.
 */
int collector_deliver(struct collector *c, const struct record *r, struct span line,
                      const struct roster_place *place, struct err *e);

/* R, or the options, say what the run is called: open its files. 0, or -1 with E filled. */
int collector_open(struct collector *c, const struct record *r, struct err *e);

/* ---- again.c: runs that were there before ---- */

/* The files are open: if there are results of that run, what comes is added. 0, or -1 with E. */
int again_append(struct collector *c, struct err *e);

/* Open the run of the manifest, and the files. Returns 0, or -1 with E filled. */
int again_open(struct collector *c, struct err *e);

/* R came in the second run. Returns 1; 0 if it belongs to nothing; -1 with E filled. */
int again_take(struct collector *c, const struct record *r, struct span line, struct err *e);

/* All have come: count and write what has become of everything. 0, or -1 with E filled. */
int again_merge(struct collector *c, struct err *e);

#endif
