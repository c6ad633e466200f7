/*
 * lines.h: JSON Lines, as every filter of fanline reads and writes them.
 *
 * Here are the rules that hold for all filters (design: "Streams", "Valid or refused",
 * "End marks"): one JSON text a line; blank lines ignored, CR before LF is white
 * space, a byte order mark skipped; every line checked before it is handed on;
 * what is refused stops the filter or goes, byte for byte, to the rejects file; an
 * end mark is demanded where marks are on and written at the end.
 *
 *     struct lines_in in; lines_open(&in, &reader, &options);
 *     while ((got = lines_next(&in, &item, &e)) > 0) …
 *     if (got < 0) … else lines_finish(&in, &out, …)
 *
 * Floor: services, the top of the room json.
 */
#ifndef FANLINE_JSON_LINES_H
#define FANLINE_JSON_LINES_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "io/reader.h"
#include "io/writer.h"
#include "json/bulk.h"
#include "json/scan.h"
#include "json/unique.h"

#include <stdbool.h>
#include <stdint.h>

#define LINES_ITEM_DEFAULT (UINT64_C(256) << 20)

/* What the options say of a stream; see cli/stream.h for the options themselves. */
struct lines_rules {
    uint64_t max_depth;      /* SCAN_DEPTH_DEFAULT */
    uint64_t max_item_bytes; /* LINES_ITEM_DEFAULT */
    bool strict;             /* refuse objects that have two members of one name */
    bool end_mark;           /* demand one at the end of input, write one at the end of output */
    struct writer *rejects; /* where refused lines go; NULL: the first one ends the run; borrowed */
    const struct err *trouble; /* of the rejects: once it is filled, the run ends; may be NULL */
    /* Told of each refusal that does not end the run; may be NULL. */
    void (*report)(void *context, const struct err *e);
    void *context;
};

/*
 * The end mark of a stream: how its writer ended.  A stream is whole with the status 0, or 4 where
 * more failed than was tolerated; a writer that put lines aside (--rejects) has written a whole
 * stream.
 */
struct lines_mark {
    bool seen;
    int status;        /* 0, 4, or the exit status of a writer that failed */
    uint64_t items;    /* lines written */
    uint64_t rejected; /* refused by the writers so far, added up along the pipe */
};

struct lines_in {
    struct reader *reader; /* borrowed */
    struct lines_rules rules;
    struct lines_mark mark; /* of the input, once it was seen */
    uint64_t line;          /* of the item handed out last, from 1 */
    uint64_t items;         /* handed out so far */
    uint64_t rejected;      /* here, by any reason */
    struct scan scan;
    struct bulk bulk;   /* looks ahead */
    struct seams seams; /* of a line that it did not judge */
    struct buf compact;
    struct unique unique;
    struct span raw; /* the line of the item handed out last, as it came, without LF */
    uint64_t raw_at; /* its offset in the input */
    bool is_long;
    bool judged; /* the line handed out last was judged by bulk */
    bool started;
};

void lines_open(struct lines_in *in, struct reader *reader, const struct lines_rules *rules);

/*
 * The next item in *ITEM: valid, compact, one line; good until the next call.  Returns 1; 0 at the
 * end of a stream that was whole; -1 with E filled: a line was refused and there is no rejects
 * file, the input was cut short, or reading failed.  Items handed out before stay valid output.
 */
int lines_next(struct lines_in *in, struct span *item, struct err *e);

#define LINES_NONE 2

/*
 * As lines_next, but takes one line only: returns LINES_NONE after a line that gives no item
 * (blank, refused, the end mark) instead of reading on.  So it does not wait for input if a whole
 * line is there, which matters to filters that also wait for other things.
 */
int lines_step(struct lines_in *in, struct span *item, struct err *e);

/* Note the seams of each item from now on, for lines_seams. Say so before the first one. */
void lines_note(struct lines_in *in);

/*
 * The seams of the item handed out last, for walk_along; none where they are not known.  Good
 * until the next call of lines_next.
 */
struct seams_view lines_seams(const struct lines_in *in);

/*
 * The item handed out last is refused by the filter itself, for the reason in E (ERR_DATA).  Puts
 * the position on E.  With a rejects file: writes the line there, reports, returns 0: go on.
 * Without: returns -1 and E stands.
 */
int lines_refuse(struct lines_in *in, struct err *e);

/* Put the position of the item handed out last on E; COLUMN from 1 within its line. */
void lines_position(const struct lines_in *in, uint64_t column, struct err *e);

/*
 * The status a filter should end with that has read IN to its end without error: 1 with E
 * filled if lines were rejected, here or by filters before, else 4 if the mark said so, else 0.
 */
int lines_status(const struct lines_in *in, struct err *e);

void lines_close(struct lines_in *in);

/* Has ITEM, which is valid, the very form of an end mark? */
bool lines_is_mark(struct span item);

/*
 * May ITEM, which a filter has made and which is valid, be written?  One of the very form of an end
 * mark may not, for whoever reads the stream would take it for its end, nor one that nests deeper
 * than MAX_DEPTH, for nobody would read it.  Returns 0, or -1 with E filled (ERR_DATA).
 */
int lines_check_made(struct span item, uint64_t max_depth, struct err *e);

/*
 * May ITEM, which has been read, go LEVELS deeper into what a filter makes of it?  Returns 0, or -1
 * with E filled (ERR_DATA): it would nest deeper than MAX_DEPTH.
 */
int lines_check_room(struct span item, uint64_t levels, uint64_t max_depth, struct err *e);

/*
 * Does TEXT begin with the line of an end mark?  ENDED: nothing follows it.  Returns 1, 0, or
 * LINES_NONE where more of the text must come to tell.
 */
int lines_begins_mark(struct span text, bool ended);

/* Write and commit the end mark {"fanline.end":{…}}. */
void lines_put_mark(struct writer *w, const struct lines_mark *mark);

#endif
