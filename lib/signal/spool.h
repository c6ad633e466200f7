/*
 * spool.h: held lines that survive the process.
 *
 * A file of JSON lines: what was held, what was written, which leases that used up.  It is made
 * durable before the program sleeps and before a lease is confirmed; what a killed process leaves
 * in it is held again by the next one, and what it had written but not confirmed is confirmed.  A
 * torn last line is ignored.  One process at a time uses the file.
 *
 *     {"held":7,"start":1700000000000,"line":{…}}     line 7 came at that time
 *     {"written":[7,8],"id":"…","lease":"…"}          these have left under this lease
 *     {"gone":[9]}                                    these have left by another way
 *     {"settled":"…"}                                 the lease is confirmed
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_SPOOL_H
#define FANLINE_SIGNAL_SPOOL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct spool {
    char *path;
    int fd;
    struct buf pending; /* to be written */
    bool unsynced;      /* something is not durable yet */
    uint64_t last;      /* number of the line that was noted last */
    uint64_t safe;      /* the same of those that are in the file */
    uint64_t size;      /* of the file */
    uint64_t tidy_at; /* the size from which on it is worth looking for what is no longer needed */
};

/* What a file told. */
struct spool_story {
    /* A line that is held: START in ms since 1970. Returns 0, or -1 with E filled. */
    int (*held)(void *context, uint64_t number, int64_t start, struct span line, struct err *e);
    /* A lease whose lines have left, but which is not known to be confirmed. */
    void (*leased)(void *context, struct span id, struct span lease);
    void *context;
};

/*
 * Open PATH, making it if need be, and lock it.  0, or -1 with E filled: ERR_LATER where another
 * process has it.
 */
int spool_open(struct spool *s, const char *path, struct err *e);

/* Tell STORY what is in the file, lines in the order in which they came. 0, or -1 with E filled. */
int spool_read(struct spool *s, const struct spool_story *story, struct err *e);

/* Note that a line is held. */
void spool_hold(struct spool *s, uint64_t number, int64_t start, struct span line);

/* Note that COUNT lines have been written, under the lease of that name, or under none (empty). */
void spool_written(struct spool *s, const uint64_t *numbers, size_t count, struct span id,
                   struct span lease);

/* Note that a line has left by another way. */
void spool_gone(struct spool *s, uint64_t number);

/* Is the line of this number in the file? */
static inline bool spool_has(const struct spool *s, uint64_t number)
{
    return number <= s->safe;
}

void spool_settled(struct spool *s, struct span lease);

/*
 * Write what was noted.  With SYNC it is durable then.  Returns 0, or -1 with E filled: the file is
 * as before, and what was noted can be written later.
 */
int spool_flush(struct spool *s, bool sync, struct err *e);

/* Forget what was noted and is not in the file. */
void spool_discard(struct spool *s);

/*
 * Write the file anew, without what is no longer needed, if it has grown large.  If that fails for
 * want of room the file stays as it is.  Returns 0, or -1 with E filled.
 */
int spool_tidy(struct spool *s, struct err *e);

/* Forget everything that is in the file: nothing is held. 0, or -1 with E filled. */
int spool_clear(struct spool *s, struct err *e);

/* Write what was noted, as far as that goes, and close it. Legal on a zeroed S. */
void spool_close(struct spool *s);

#endif
