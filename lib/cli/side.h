/*
 * side.h: where lines go that are not for standard output.
 *
 * To the file that an option names, or, if none does, to standard error, so that they are
 * not lost.
 *
 * Floor: programs.
 */
#ifndef FANLINE_CLI_SIDE_H
#define FANLINE_CLI_SIDE_H

#include "io/outfile.h"

#include <stdbool.h>

struct cli_side {
    struct outfile file;
    struct writer errors;
    struct writer *out; /* put the lines here */
    bool named;         /* by an option */
};

/* PATH is the argument of the option; NULL: not given. Returns 0, or -1 with E filled. */
int cli_side_open(struct cli_side *s, const char *path, struct err *e);

/* Write the rest and give the file its name. Returns 0, or -1 with E filled. */
int cli_side_close(struct cli_side *s, struct err *e);

/* Give up: the file stays as it was. Legal on a zeroed S. */
void cli_side_abort(struct cli_side *s);

#endif
