/*
 * tail.h: what a command complains about: passed on, and its end kept.
 *
 * Standard error of the commands goes to our own, in whole lines, so that those of several
 * commands do not mix; the last TAIL_KEPT bytes stay as the cause of a failure.  With
 * --line-buffer standard output passes in the same way.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_TAIL_H
#define FANLINE_RUN_TAIL_H

#include "base/buf.h"
#include "base/span.h"
#include "io/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TAIL_KEPT     ((size_t)4096)
#define TAIL_LINE_MAX ((size_t)1 << 20) /* bytes of a line; a longer one is passed on in pieces */

struct tail {
    struct buf text;
    size_t passed;   /* bytes of text that have been passed on */
    bool cut;        /* the text does not begin where the output did */
    uint64_t size;   /* bytes that have come in all */
    struct span tag; /* put before each line that is passed on; borrowed */
};

/* Read from FD, which does not block, once, passing on to OUT. False: all has come. *MORE: try
 * again. */
bool tail_read(struct tail *t, int fd, struct writer *out, bool *more);

/* All has come: pass on a last line without its end, with an LF. */
void tail_finish(struct tail *t, struct writer *out);

/* The last bytes, from the beginning of a line if one is near, without white space at the end. */
struct span tail_kept(const struct tail *t);

void tail_reset(struct tail *t);
void tail_release(struct tail *t);

#endif
