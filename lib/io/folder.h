/*
 * folder.h: folders that are there to stay.
 *
 * Floor: ground.
 */
#ifndef FANLINE_IO_FOLDER_H
#define FANLINE_IO_FOLDER_H

#include "base/err.h"

/*
 * Make the folder PATH and those above it that are missing, each made durable in the one
 * that holds it.  A folder that is there already is fine.  Returns 0, or -1 with E filled.
 */
int folder_make(const char *path, struct err *e);

/*
 * Make the entry PATH of a folder, which was made or renamed, durable: fsync of a file says nothing
 * about its name.  Where the file system has no such thing, or we may not read the folder, nothing
 * happens.  Returns 0, or -1 with errno set.
 */
int folder_sync_entry(const char *path);

#endif
