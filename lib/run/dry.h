/*
 * dry.h: what would be run, without running it.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_DRY_H
#define FANLINE_RUN_DRY_H

#include "base/buf.h"
#include "base/err.h"
#include "io/writer.h"
#include "run/run.h"
#include "json/lines.h"

#include <stdint.h>

/*
 * Write the command line of each item of IN to OUT, one a line, quoted so that a shell would make
 * the same arguments of it.  *WRITTEN counts them.  Returns 0, or -1 with E filled.
 */
int dry_lines(const struct run_rules *r, struct lines_in *in, struct writer *out, uint64_t *written,
              struct err *e);

/* Add ARG as one word of a shell. An LF becomes $'\n', so that the word stays on its line. */
void dry_quote(struct buf *b, struct span arg);

#endif
