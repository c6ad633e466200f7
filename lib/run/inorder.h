/*
 * inorder.h: what comes out of order leaves in order.
 *
 * Lines come with their numbers, each once, from 0 without a gap in the end.  What is next
 * goes straight on; the rest is kept until its turn.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_INORDER_H
#define FANLINE_RUN_INORDER_H

#include "base/buf.h"
#include "io/writer.h"

#include <stddef.h>
#include <stdint.h>

struct inorder {
    uint64_t next;     /* the number of the line that leaves next */
    struct buf *lines; /* a ring: of number N at N modulo cap; empty: not here yet */
    size_t cap;        /* a power of two, or 0 */
    size_t kept;       /* bytes kept now */
};

/*
 * The line NUMBER has been put into W and is not committed.  Commits it and all that follow it and
 * are here; or takes it out of W and keeps it.
 */
void inorder_add(struct inorder *o, uint64_t number, struct writer *w);

void inorder_release(struct inorder *o);

#endif
