#include "io/writer.h"

#include "base/buf.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    WRITER_SIZE = 256 * 1024, /* reference/limits.md 1: larger gains nothing */
    WRITER_FULL = 128 * 1024, /* committed bytes that are worth a system call */
    PIPE_SIZE = 1024 * 1024
};

void writer_init(struct writer *w, int fd, const char *name)
{
    *w = (struct writer){.fd = fd, .name = name};
    (void)fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE); /* only a wish: fd may be no pipe */
}

/* Write N bytes, however many calls that takes; the error sticks. */
static void write_all(struct writer *w, const char *at, size_t n)
{
    while (n > 0 && w->number == 0) {
        ssize_t done = write(w->fd, at, n);
        if (done >= 0) {
            at += done;
            n -= (size_t)done;
            w->written += (uint64_t)done;
        } else if (errno == EAGAIN) {
            struct pollfd p = {.fd = w->fd, .events = POLLOUT};
            (void)poll(&p, 1, -1);
        } else if (errno != EINTR) {
            w->number = errno;
        }
    }
}

/* Write the committed bytes and move the others to the front. */
static void drain(struct writer *w)
{
    write_all(w, w->at, w->ready);
    w->len -= w->ready;
    if (w->len > 0) {
        memmove(w->at, w->at + w->ready, w->len);
    }
    w->ready = 0;
}

char *writer_room(struct writer *w, size_t n)
{
    if (w->cap - w->len < n && w->ready > 0) {
        drain(w);
    }
    if (w->cap - w->len < n) {
        size_t want = w->cap < WRITER_SIZE ? WRITER_SIZE : w->cap * 2;
        if (want - w->len < n) {
            want = w->len + n;
        }
        w->at = mem_resize(w->at, want, 1);
        w->cap = want;
    } else if (w->ready >= WRITER_FULL) {
        drain(w);
    }
    return w->at + w->len;
}

void writer_put(struct writer *w, const char *at, size_t n)
{
    if (n > 0) {
        memcpy(writer_room(w, n), at, n);
        w->len += n;
    }
}

void writer_put_byte(struct writer *w, char c)
{
    *writer_room(w, 1) = c;
    w->len++;
}

void writer_put_u64(struct writer *w, uint64_t n)
{
    w->len += buf_digits(writer_room(w, 20), n);
}

int writer_flush(struct writer *w, struct err *e)
{
    drain(w);
    if (w->number != 0) {
        return err_system(e, w->number, "cannot write %s", w->name);
    }
    return 0;
}

void writer_release(struct writer *w)
{
    free(w->at);
    *w = (struct writer){.fd = -1};
}
