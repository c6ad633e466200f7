/*
 * tree.h: the files of a folder and of all folders in it, in one fixed order.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_TREE_H
#define FANLINE_OBJECT_TREE_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

struct tree_level;

/* Owns its memory and a descriptor for each folder on the way; zero-initialised it is legal to
 * release. */
struct tree {
    struct buf path; /* of the file at hand, from the folder that was opened on */
    struct tree_level *levels;
    size_t depth;
    size_t cap;
    bool follow;
};

/* What the paths of a tree at PATH begin with: PATH without "./" before it, or "." for none. */
const char *tree_name(const char *path);

/* Begin with the folder PATH.  Returns 0, or -1 with E filled. */
int tree_open(struct tree *t, const char *path, bool follow, struct err *e);

/*
 * The next regular file: its path in t->path, which begins with the PATH of tree_open unless that
 * is
 * ".", and its facts in ST.  The order is that of the bytes of the paths.  Returns 1, with *FD the
 * folder that it is in and *NAME its name there, valid until the next call; 0 at the end; -1 with E
 * filled.
 */
int tree_next(struct tree *t, struct stat *st, int *fd, const char **name, struct err *e);

void tree_release(struct tree *t);

#endif
