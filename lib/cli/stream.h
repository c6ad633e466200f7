/*
 * stream.h: the options and the plumbing that all stream filters share.
 *
 * A filter puts `struct cli_stream stream` into its options struct, adds
 * CLI_STREAM_TABLE to its tables, and gets --end-mark, --rejects, --max-depth, --max-item-bytes,
 * --strict, --progress, -q and -v with the same meaning everywhere.
 *
 *     struct cli_stream_io io;
 *     if (cli_stream_open(&io, &program, &o.stream, &e) < 0) return cli_fail(…);
 *     lines_open(&in, &io.reader, &io.rules);  …  io.out …
 *     return cli_stream_close(&io, rc, &e, items, &in);
 *
 * Floor: programs. Only cmd/ includes it.
 */
#ifndef FANLINE_CLI_STREAM_H
#define FANLINE_CLI_STREAM_H

#include "cli/cli.h"
#include "cli/kinds.h"
#include "cli/progress.h"
#include "cli/side.h"
#include "io/reader.h"
#include "io/writer.h"
#include "json/lines.h"

struct cli_stream {
    bool end_mark;
    const char *rejects; /* file name or NULL */
    int64_t max_depth;
    uint64_t max_item_bytes;
    bool strict;
    bool quiet;
    bool verbose;
    int progress; /* enum progress_when */
};

#define CLI_STREAM_DEFAULTS                                                                        \
    {                                                                                              \
        .max_depth = SCAN_DEPTH_DEFAULT, .max_item_bytes = LINES_ITEM_DEFAULT                      \
    }

#define CLI_STREAM_COUNT 8

extern const struct cli_option cli_stream_options[];

/* For the tables of a program whose options struct is STRUCT with a member `stream`. */
#define CLI_STREAM_TABLE(STRUCT)                                                                   \
    {                                                                                              \
        cli_stream_options, CLI_STREAM_COUNT, offsetof(STRUCT, stream)                             \
    }

struct cli_stream_io {
    const struct cli_program *program;
    struct reader reader; /* standard input, tied to `out` */
    struct writer out;    /* standard output */
    struct cli_side rejects;
    struct lines_rules rules;
    struct progress progress; /* say progress_count(&io.progress, items) for each item */
    struct kinds kinds;       /* of messages about single lines */
    bool verbose;
};

/* IO must not move between open and close: its reader and its messages refer to it. */
int cli_stream_open(struct cli_stream_io *io, const struct cli_program *p,
                    const struct cli_stream *o, struct err *e);

/*
 * The end of a filter.  RC < 0: E says why it failed.  Otherwise RC is its exit status so far.
 * Adds what IN (may be NULL) says: rejected lines, a mark of the writer before; commits the rejects
 * file; writes the end mark with ITEMS lines where marks are on; flushes; prints E.  Returns the
 * exit status.  Rejected lines make that 1, but the mark's is that of a whole stream: it counts
 * them.
 */
int cli_stream_close(struct cli_stream_io *io, int rc, struct err *e, uint64_t items,
                     struct lines_in *in);

#endif
