/*
 * base.h: base channels: files, and ranges of files, of JSON lines.
 *
 * A range owns the lines that begin in it: unless it begins at 0 it skips to behind the first
 * newline at or after the byte before it, and it reads on past its end to finish its last line
 * (reference/tunnel.md 6.4).  A file that is compressed is one channel, whose token is a place
 * in the plain text; it is read from the start again after an interruption.  Blank lines are no
 * records.
 *
 * Floor: engines.
 */
#ifndef FANLINE_TUNNEL_BASE_H
#define FANLINE_TUNNEL_BASE_H

#include "base/err.h"
#include "io/reader.h"
#include "tunnel/parcel.h"
#include "json/scan.h"

#include <stdbool.h>
#include <stdint.h>

#define BASE_MARK_MAX 96

/* What one base channel covers. */
struct base_part {
    const char *path; /* absolute */
    int64_t from;
    int64_t to;       /* the first byte that is not in it; -1: compressed, all of it */
    const char *mark; /* identity of the file: a changed file has another */
};

/* HEAR the parts that the file PATH is cut into, of RANGE bytes each. 0, or -1 with E filled. */
int base_cut(const char *path, uint64_t range,
             void (*hear)(void *context, const struct base_part *part), void *context,
             struct err *e);

/* A base channel that is being read. Zero-initialised it is legal to close. */
struct base_reader {
    struct reader reader;
    struct base_part part;
    struct scan scan;
    bool is_open;
};

/* Begin at byte AT of PART, which is borrowed. -1 with E filled: ERR_DATA if the file has changed.
 */
int base_open(struct base_reader *b, const struct base_part *part, int64_t at, struct err *e);

/*
 * Add at most COUNT records, or somewhat more than BYTES bytes, to BATCH.  Returns 1; 0 if with
 * them the channel is finished; -1 with E filled: also for a line that is no JSON.
 */
int base_read(struct base_reader *b, struct parcel *batch, size_t count, size_t bytes,
              struct err *e);

void base_close(struct base_reader *b);

#endif
