/*
 * capture.h: what a command has written, small or large.
 *
 * Output is kept in memory, and from CAPTURE_MEMORY bytes on in a file without a name, which
 * is gone when we are.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_CAPTURE_H
#define FANLINE_RUN_CAPTURE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

#define CAPTURE_MEMORY ((size_t)1 << 20)

struct capture {
    struct buf memory; /* the end, or all of it */
    uint64_t size;     /* bytes in all */
    int fd;            /* the file, if has_file */
    bool has_file;
    char *map; /* the file as memory, while its span is out */
};

enum capture_read { CAPTURE_MORE, CAPTURE_WAIT, CAPTURE_END, CAPTURE_FAILED };

/*
 * Read from FD, which does not block, once.  CAPTURE_MORE: there may be more; CAPTURE_WAIT: not
 * now; CAPTURE_END: all has come; CAPTURE_FAILED: the bytes cannot be kept (E says why).  A file,
 * if it becomes necessary, is made in FOLDER.
 */
enum capture_read capture_read(struct capture *c, int fd, const char *folder, struct err *e);

/* All bytes in *ALL, valid until the next call for C. Returns 0, or -1 with E filled. */
int capture_all(struct capture *c, struct span *all, struct err *e);

/* Empty it for the next command; keeps a moderate amount of memory. */
void capture_reset(struct capture *c);

void capture_release(struct capture *c);

#endif
