/*
 * side.h: where lines go that are not for standard output.
 *
 * To the file that an option names, or, if none does, to standard error, so that they are not lost.
 * They also go there from the first line on that the file does not take, or all of them if it
 * cannot be given its name in the end; that is told at once, and makes the side fail when it is
 * closed.  Nothing else ends then: whoever puts lines aside goes on, unless it looks at
 * `trouble`.
 *
 * Floor: programs.
 */
#ifndef FANLINE_CLI_SIDE_H
#define FANLINE_CLI_SIDE_H

#include "cli/cli.h"
#include "io/outfile.h"

#include <stdbool.h>

struct cli_side {
    const struct cli_program *program;
    struct outfile file;
    struct writer lines;  /* for the file */
    struct writer errors; /* standard error */
    struct writer *out;   /* put the lines here; NULL: not open */
    uint64_t whole;       /* bytes of the file up to the end of its last whole line */
    bool named;           /* by an option */
    bool early;           /* set it to give the file its name with the first line, not in the end */
    struct err trouble;   /* filled when the file takes no more */
};

/*
 * PATH is the argument of the option; NULL: not given.  P (borrowed) is for messages.  S must not
 * move until it is closed.  Returns 0, or -1 with E filled: the file cannot be written.
 */
int cli_side_open(struct cli_side *s, const struct cli_program *p, const char *path, struct err *e);

/* Write the rest and give the file its name. Returns 0, or -1 with E filled. */
int cli_side_close(struct cli_side *s, struct err *e);

/* Give up: the file stays as it was. Legal on a zeroed S. */
void cli_side_abort(struct cli_side *s);

/* Would A and B, both open, write over each other? */
bool cli_side_same(const struct cli_side *a, const struct cli_side *b);

#endif
