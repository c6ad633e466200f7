/*
 * base.h: base channels: files or objects in buckets, and ranges of them, of JSON lines.
 *
 * A range owns the lines that begin in it: unless it begins at 0 it skips to behind the first
 * newline at or after the byte before it, and it reads on past its end to finish its last line
 * (reference/tunnel.md 6.4).  What is compressed is one channel, whose token is a place in the
 * plain text; it is read from the start again after an interruption.  Blank lines are no records.
 *
 * Floor: engines.
 */
#ifndef FANLINE_TUNNEL_BASE_H
#define FANLINE_TUNNEL_BASE_H

#include "base/err.h"
#include "io/reader.h"
#include "object/object.h"
#include "proc/helper.h"
#include "tunnel/parcel.h"
#include "json/scan.h"

#include <stdbool.h>
#include <stdint.h>

#define BASE_MARK_MAX 192

/* What one base channel covers. */
struct base_part {
    const char *path; /* absolute, or the URL of an object */
    int64_t from;
    int64_t to;       /* the first byte that is not in it; -1: compressed, all of it */
    const char *mark; /* identity of the source: a changed one has another */
};

/* What there is to know of a source before it is cut. */
struct base_facts {
    uint64_t size;
    bool packed; /* compressed */
    char mark[BASE_MARK_MAX];
};

/*
 * HEAR the parts that the file or object PATH is cut into, of RANGE bytes each.  Waits for the
 * network if need be.  0, or -1 with E filled.
 */
int base_cut(const char *path, uint64_t range, struct object_client *objects,
             void (*hear)(void *context, const struct base_part *part), void *context,
             struct err *e);

/* Does R, of which nothing was taken, read something compressed?  1, 0, or -1 with E filled. */
int base_is_packed(struct reader *r, struct err *e);

/* A base channel that is being read. Zero-initialised it is legal to close. */
struct base_reader {
    struct reader reader;
    struct base_part part;
    struct scan scan;
    struct helper helper; /* that reads an object */
    bool is_open;
    bool mid_line; /* the line that is read began in the part before */
    bool heard;    /* how the helper ended */
    bool dry;      /* nothing more of it for now */
};

/*
 * Begin at byte AT of PART, which is borrowed, as OBJECTS is.  -1 with E filled: ERR_DATA if the
 * file has changed.
 */
int base_open(struct base_reader *b, const struct base_part *part, int64_t at,
              struct object_client *objects, struct err *e);

/* What becomes readable when there is more to read; -1: there is always more. */
int base_fd(const struct base_reader *b);

/*
 * Add at most COUNT records, or somewhat more than BYTES bytes, to BATCH.  Never waits: fewer, and
 * even none, where there is no more for now.  Returns 1; 0 if with them the channel is finished; -1
 * with E filled: also for a line that is no JSON, and for an object that has changed (ERR_DATA).
 */
int base_read(struct base_reader *b, struct parcel *batch, size_t count, size_t bytes,
              struct err *e);

void base_close(struct base_reader *b);

#endif
