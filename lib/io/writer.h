/*
 * writer.h: bytes on their way out.
 *
 * A writer collects bytes and writes them in large pieces.  What has been put
 * becomes part of the output only when it is committed: an item is put together
 * piece by piece, then committed as a whole or rolled back, so that no flush can
 * let half an item out.
 *
 *     writer_put(w, …); writer_put(w, …); writer_commit(w);
 *
 * The first error sticks: later calls do nothing and fail the same way, and
 * writer_flush or writer_close reports it.  So the puts need no check; the end of
 * every program does.
 *
 * The bytes need not go to a descriptor: a sink (below) stands for an object in a bucket.
 *
 * Floor: ground.  A writer owns its memory, not its descriptor or its sink.
 */
#ifndef FANLINE_IO_WRITER_H
#define FANLINE_IO_WRITER_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define WRITER_FULL ((size_t)128 << 10) /* committed bytes that are worth a system call */

/* Where bytes go instead of a descriptor. */
struct writer_sink {
    /* Take all N bytes at AT.  Returns 0, or -1: then it keeps in mind why. */
    int (*take)(void *state, const char *at, size_t n);

    /* Why it failed: fill E and return -1. */
    int (*why)(void *state, struct err *e);
};

struct writer {
    int fd;           /* -1: a sink */
    const char *name; /* for messages; borrowed */
    char *at;
    size_t ready; /* committed bytes */
    size_t len;   /* committed and uncommitted bytes */
    size_t cap;
    size_t sent;      /* the first of the committed bytes that are written already */
    uint64_t written; /* bytes given to the kernel so far */
    int number;       /* errno of the first failure, 0 if none */
    bool held; /* puts never write by themselves: for loops that may not wait; see writer_try */
    const struct writer_sink *sink; /* NULL: FD */
    void *state;                    /* the sink's; borrowed */
};

/* Ready to write to FD; asks the kernel for a larger pipe where FD is one. */
void writer_init(struct writer *w, int fd, const char *name);

/* Ready to write to SINK with STATE. */
void writer_init_sink(struct writer *w, const struct writer_sink *sink, void *state,
                      const char *name);

/* Place for N bytes behind what has been put; fill it, then say writer_advance. Never NULL. */
char *writer_room(struct writer *w, size_t n);

static inline void writer_advance(struct writer *w, size_t n)
{
    w->len += n;
}

static inline void writer_put(struct writer *w, const char *at, size_t n)
{
    if (n == 0) {
        return;
    }
    bool easy = n <= w->cap - w->len && w->ready < WRITER_FULL;
    memcpy(easy ? w->at + w->len : writer_room(w, n), at, n);
    w->len += n;
}

/* A text with its NUL. */
static inline void writer_put_text(struct writer *w, const char *text)
{
    writer_put(w, text, strlen(text));
}

static inline void writer_put_span(struct writer *w, struct span s)
{
    writer_put(w, s.at, s.len);
}

void writer_put_byte(struct writer *w, char c);
void writer_put_u64(struct writer *w, uint64_t n);

/* All that has been put may leave. */
static inline void writer_commit(struct writer *w)
{
    w->ready = w->len;
}

/* Forget what was put since the last commit. */
static inline void writer_rollback(struct writer *w)
{
    w->len = w->ready;
}

/* Bytes put since the last commit. */
static inline size_t writer_pending(const struct writer *w)
{
    return w->len - w->ready;
}

/* Committed bytes from the very first on, written or not. */
static inline uint64_t writer_total(const struct writer *w)
{
    return w->written + w->ready - w->sent;
}

/* Committed bytes that are not written yet. */
static inline size_t writer_backlog(const struct writer *w)
{
    return w->ready - w->sent;
}

/*
 * Write what is committed.  Waits for a descriptor that is not ready.  Returns 0, or
 * -1 with E filled: ERR_PIPE when the reader has gone, else ERR_IO.
 */
int writer_flush(struct writer *w, struct err *e);

/*
 * Write what is committed as far as the descriptor takes it without making us wait (a sink takes
 * all).  Returns 0 when nothing is left, 1 when something is, -1 with E filled as writer_flush
 * does.
 */
int writer_try(struct writer *w, struct err *e);

/* Free the memory. What was not flushed is lost; the descriptor stays open. */
void writer_release(struct writer *w);

#endif
