/*
 * fd.h: descriptors that have no reader or writer around them.
 *
 * Floor: ground.
 */
#ifndef FANLINE_IO_FD_H
#define FANLINE_IO_FD_H

#include "base/span.h"

#include <sys/types.h>

/* Close *FD unless it is -1, which it is afterwards. */
void fd_close(int *fd);

/*
 * Write all BYTES to FD, which is not non-blocking: a write that stopped short, or for a signal, is
 * gone on with.  Returns 0, or -1 with errno set.
 */
int fd_write(int fd, struct span bytes);

/*
 * Read the beginning of the file PATH, at most SIZE bytes of it: for small files that the kernel
 * or a person writes.  Does not wait for the writer of a fifo.  Returns how many bytes there are
 * at OUT, or -1 with errno set.
 */
ssize_t fd_read_file(const char *path, char *out, size_t size);

#endif
