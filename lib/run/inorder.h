/*
 * inorder.h: what comes out of order leaves in order.
 *
 * Lines come with their numbers, each once, from 0 without a gap in the end.  What is next
 * goes straight on; the rest is kept until its turn: up to INORDER_MEMORY bytes in memory, what
 * is more in a file without a name.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_INORDER_H
#define FANLINE_RUN_INORDER_H

#include "io/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define INORDER_MEMORY ((size_t)16 << 20)
#define INORDER_AHEAD  ((uint64_t)1 << 20) /* lines ahead of the next: 24 bytes each */

/* A line that waits. */
struct inorder_line {
    char *at; /* in memory; NULL: in the file, if len is not 0 */
    off_t offset;
    size_t len; /* 0: it is not here yet */
};

struct inorder {
    const char *folder;         /* for the file; NULL: everything stays in memory; borrowed */
    uint64_t next;              /* the number of the line that leaves next */
    uint64_t ahead;             /* lines kept now */
    size_t kept;                /* bytes kept in memory now */
    struct inorder_line *lines; /* a ring: of number N at N modulo cap */
    size_t cap;                 /* a power of two, or 0 */
    int fd;                     /* the file, if has_file */
    bool has_file;
    bool disk_full;   /* it takes no more, and everything stays in memory */
    off_t end;        /* of the file */
    uint64_t in_file; /* lines in it */
};

/*
 * The line NUMBER has been put into W and is not committed.  Commits it and all that follow it and
 * are here; or takes it out of W and keeps it.  Returns 0, or -1 with E filled: a line cannot be
 * read back.
 */
int inorder_add(struct inorder *o, uint64_t number, struct writer *w, struct err *e);

/* Is so much kept that nothing new should be started? */
bool inorder_is_full(const struct inorder *o);

void inorder_release(struct inorder *o);

#endif
