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
    WRITER_SURE = 4096,       /* PIPE_BUF: what a descriptor that is ready takes without a wait */
    PIPE_SIZE = 1024 * 1024
};

void writer_init(struct writer *w, int fd, const char *name)
{
    *w = (struct writer){.fd = fd, .name = name};
    (void)fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE); /* only a wish: fd may be no pipe */
}

void writer_init_sink(struct writer *w, const struct writer_sink *sink, void *state,
                      const char *name)
{
    *w = (struct writer){.fd = -1, .name = name, .sink = sink, .state = state};
}

static void give_sink(struct writer *w, const char *at, size_t n)
{
    if (n > 0 && w->number == 0) {
        if (w->sink->take(w->state, at, n) < 0) {
            w->number = EIO; /* the sink knows more */
        } else {
            w->written += n;
        }
    }
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

/* Move what is not written yet to the front. */
static void move_up(struct writer *w)
{
    w->len -= w->sent;
    w->ready -= w->sent;
    if (w->len > 0) {
        memmove(w->at, w->at + w->sent, w->len);
    }
    w->sent = 0;
}

/* Write the committed bytes and move the others to the front. */
static void drain(struct writer *w)
{
    (w->sink ? give_sink : write_all)(w, w->at + w->sent, writer_backlog(w));
    w->sent = w->ready;
    move_up(w);
}

char *writer_room(struct writer *w, size_t n)
{
    if (w->cap - w->len < n && w->ready > 0 && !w->held) {
        drain(w);
    }
    if (w->cap - w->len < n) {
        size_t want = w->cap < WRITER_SIZE ? WRITER_SIZE : w->cap * 2;
        if (want - w->len < n) {
            want = w->len + n;
        }
        w->at = mem_resize(w->at, want, 1);
        w->cap = want;
    } else if (w->ready >= WRITER_FULL && !w->held) {
        drain(w);
    }
    return w->at + w->len;
}

void writer_put_byte(struct writer *w, char c)
{
    writer_put(w, &c, 1);
}

void writer_put_u64(struct writer *w, uint64_t n)
{
    w->len += buf_digits(writer_room(w, 20), n);
}

static int report(const struct writer *w, struct err *e)
{
    if (w->number && w->sink) {
        return w->sink->why(w->state, e);
    }
    return w->number ? err_system(e, w->number, "cannot write %s", w->name) : 0;
}

int writer_flush(struct writer *w, struct err *e)
{
    drain(w);
    return report(w, e);
}

static bool takes_more(const struct writer *w)
{
    struct pollfd p = {.fd = w->fd, .events = POLLOUT};
    return poll(&p, 1, 0) > 0;
}

int writer_try(struct writer *w, struct err *e)
{
    if (w->sink) {
        return writer_flush(w, e);
    }
    while (writer_backlog(w) > 0 && w->number == 0 && takes_more(w)) {
        size_t n = writer_backlog(w);
        n = n < WRITER_SURE ? n : WRITER_SURE;
        write_all(w, w->at + w->sent, n);
        w->sent += n;
    }
    bool left = writer_backlog(w) > 0;
    if (!left || w->sent > w->len / 2) {
        move_up(w);
    }
    return report(w, e) < 0 ? -1 : left;
}

void writer_release(struct writer *w)
{
    free(w->at);
    *w = (struct writer){.fd = -1};
}
