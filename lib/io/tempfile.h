/*
 * tempfile.h: a file without a name.
 *
 * It is gone when its descriptor is closed, also when the process is killed.
 *
 * Floor: ground.
 */
#ifndef FANLINE_IO_TEMPFILE_H
#define FANLINE_IO_TEMPFILE_H

#include "base/err.h"

/*
 * Open an empty file in FOLDER for reading and writing, only for this user.  Returns its
 * descriptor, close-on-exec and the caller's to close, or -1 with E filled.
 */
int tempfile_open(const char *folder, struct err *e);

#endif
