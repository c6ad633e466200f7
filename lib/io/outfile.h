/*
 * outfile.h: a file that appears whole or not at all.
 *
 * A target that is absent or a regular file is written beside itself, made durable
 * and renamed into place by outfile_commit; until then the old file is untouched,
 * and a process that dies, even by SIGKILL, leaves nothing behind where the file
 * system knows unnamed files (O_TMPFILE).  A fifo or a device is written in place, and so is a
 * descriptor named by its number: /dev/fd/N, /dev/stdout, /dev/stderr.
 *
 *     struct outfile f;
 *     outfile_open(&f, path, &e); writer_put(&f.out, …); writer_commit(&f.out);
 *     outfile_commit(&f, &e);          (or outfile_abort)
 *
 * Floor: ground.  Owns its descriptor and a copy of the path.
 */
#ifndef FANLINE_IO_OUTFILE_H
#define FANLINE_IO_OUTFILE_H

#include "io/writer.h"

#include <stdbool.h>

struct outfile {
    struct writer out; /* put the bytes here */
    char *path;        /* NULL: not open */
    char *temp;        /* the name it has until commit; NULL where it has none */
    bool in_place;
    bool placed; /* outfile_place has given it its name */
    bool fresh;  /* set it before the commit to refuse to replace a file */
};

/* The descriptor that PATH names by its number: /dev/fd/N and the like; -1 if it names none. */
int outfile_descriptor(const char *path);

/* Returns 0, or -1 with E filled (at once for a folder, or a link that leads nowhere). */
int outfile_open(struct outfile *f, const char *path, struct err *e);

/*
 * Write the rest, fsync, rename, fsync the folder. On failure the target is as before. Either
 * way F is closed and empty afterwards.  Returns 0; 1 where `fresh` was set and there is something
 * at the path by now; or -1 with E filled.
 */
int outfile_commit(struct outfile *f, struct err *e);

/*
 * For outputs whose bytes must not be lost.  As outfile_commit, but F stays open, so that its bytes
 * can be copied if this failed; outfile_abort closes it, whether it has its name or not.  It may go
 * on to grow under its name; another call then makes that durable.
 */
int outfile_place(struct outfile *f, struct err *e);

/*
 * Copy the bytes that were written, from FROM on, to the descriptor TO.  Nothing is copied of what
 * was written in place.  Returns 0, or -1 with errno set.
 */
int outfile_copy(const struct outfile *f, uint64_t from, int to);

/* After a write that failed: make do with the first SIZE of the bytes that were written. */
void outfile_cut(struct outfile *f, uint64_t size);

/* Forget the new file; the target stays as it was. Legal on an empty F. */
void outfile_abort(struct outfile *f);

static inline bool outfile_is_open(const struct outfile *f)
{
    return f->path != NULL;
}

#endif
