/*
 * reader.h: bytes on their way in.
 *
 * A reader fills one buffer from a descriptor and hands out spans of it.  Before it
 * has to wait for input it flushes the writer that is tied to it, so that a filter
 * is both fast and prompt: output leaves in large pieces while input flows and at
 * once when it pauses.
 *
 * Two ways to take the bytes:
 *   reader_fill + reader_take   all that is there, in pieces as they come;
 *   reader_line, reader_until   a line or record at a time, contiguous, however long.
 *
 * The bytes need not come from a descriptor: a source (below) stands for an object in a bucket, or
 * for a format that is unpacked (unpack.h).
 *
 * Floor: ground.  A reader owns its memory and its source, not its descriptor unless `owned`.
 */
#ifndef FANLINE_IO_READER_H
#define FANLINE_IO_READER_H

#include "base/err.h"
#include "base/span.h"
#include "io/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct reader;

/* Where bytes come from instead of a descriptor. */
struct reader_source {
    /*
     * Put at most CAP bytes, CAP being at least 1, at AT.  Before it waits it says reader_pause(R).
     * Returns how many there are; 0 at the end; -1 with E filled, but not while it has bytes.
     * After 0 it is not asked again.
     */
    ssize_t (*read)(struct reader *r, char *at, size_t cap, struct err *e);

    void (*release)(void *state);
};

struct reader {
    int fd;              /* -1: a source, or bytes that are there already */
    const char *name;    /* for messages; borrowed */
    struct writer *tied; /* flushed before waiting; NULL for none; borrowed */
    char *at;
    size_t start; /* of the bytes not yet taken */
    size_t end;
    size_t cap;
    uint64_t offset; /* in the input, of the byte at `start` */
    bool at_end;     /* the descriptor has said so */
    bool regular;    /* a file: reading it never waits */
    bool owned;      /* reader_release closes FD */

    const struct reader_source *source; /* NULL: FD */
    void *state;                        /* the source's; owned */

    /* Called with each piece of input as it is read, before it is unpacked. NULL: nobody looks. */
    void (*tap)(void *tapper, struct span bytes);
    void *tapper;

    /*
     * Called, with `waiter`, instead of waiting for input: returns 0 when FD can be read, -1 with E
     * filled to give up.  So a loop goes on while a filter asks for its next item. NULL: just wait.
     * Not called where the bytes come from a source.
     */
    int (*wait)(void *waiter, struct err *e);
    void *waiter;
};

/* Ready to read FD; asks the kernel for a larger pipe where FD is one. */
void reader_init(struct reader *r, int fd, const char *name, struct writer *tied);

/* Ready to read the bytes of TEXT, which are copied; there is no descriptor, and no wait. */
void reader_init_text(struct reader *r, struct span text, const char *name);

/*
 * Ready to read from SOURCE with STATE, which R owns from now on; NAME and TIED as in reader_init.
 */
void reader_init_source(struct reader *r, const struct reader_source *source, void *state,
                        const char *name, struct writer *tied);

/* The input pauses: flush the writer that is tied to R. For sources. 0, or -1 with E filled. */
int reader_pause(struct reader *r, struct err *e);

/*
 * Read more behind what has not been taken.  Moves the bytes: spans handed out
 * before are void.  Returns 1 if there is more, 0 at the end, -1 with E filled: reading failed, or
 * the tied writer has, for which no more input is needed.
 */
int reader_fill(struct reader *r, struct err *e);

/* What has been read and not taken; valid until the next fill. */
static inline struct span reader_bytes(const struct reader *r)
{
    return r->at ? span_of(r->at + r->start, r->end - r->start) : span_of(NULL, 0);
}

/* N of these bytes are taken. */
static inline void reader_take(struct reader *r, size_t n)
{
    r->start += n;
    r->offset += n;
}

/*
 * The next line without its LF in *LINE, taken, valid until the next call.  The last line
 * counts with or without its LF.  A line longer than MAX bytes is not collected:
 * its first bytes come back with *LONG true, and the rest of it is skipped by the
 * next call.  Returns 1, 0 at the end, -1 with E filled.
 */
int reader_line(struct reader *r, size_t max, struct span *line, bool *is_long, struct err *e);

/* As reader_line, for records that end in the byte STOP. */
int reader_until(struct reader *r, char stop, size_t max, struct span *record, bool *is_long,
                 struct err *e);

/*
 * Skip a UTF-8 byte order mark, if the input begins with one; that of UTF-16 is an error.  Returns
 * 0, or -1 with E filled.
 */
int reader_skip_bom(struct reader *r, struct err *e);

/* Free the memory and the source; the descriptor stays open unless R owns it. */
void reader_release(struct reader *r);

#endif
