#include "io/reader.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    READER_SIZE = 256 * 1024, /* reference/limits.md 1: as good as mmap, and works on pipes */
    READER_LOW = 64 * 1024,   /* with less room than this the buffer grows */
    PIPE_SIZE = 1024 * 1024
};

void reader_init(struct reader *r, int fd, const char *name, struct writer *tied)
{
    struct stat st;
    *r = (struct reader){.fd = fd, .name = name, .tied = tied};
    r->regular = fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (!r->regular) {
        (void)fcntl(fd, F_SETPIPE_SZ, PIPE_SIZE);
    }
}

void reader_init_text(struct reader *r, struct span text, const char *name)
{
    *r = (struct reader){.fd = -1, .name = name, .at_end = true, .regular = true};
    r->at = mem_copy(text.at, text.len);
    r->end = r->cap = text.len;
}

void reader_init_source(struct reader *r, const struct reader_source *source, void *state,
                        const char *name, struct writer *tied)
{
    *r = (struct reader){.fd = -1, .name = name, .tied = tied, .source = source, .state = state};
}

/* Make room for a worthwhile read: move what is left to the front, or grow. */
static void make_room(struct reader *r)
{
    size_t left = r->end - r->start;
    if (r->start > 0) {
        if (left > 0) {
            memmove(r->at, r->at + r->start, left);
        }
        r->start = 0;
        r->end = left;
    }
    if (r->cap - r->end < READER_LOW) {
        r->cap = r->cap < READER_SIZE ? READER_SIZE : r->cap * 2;
        r->at = mem_resize(r->at, r->cap, 1);
    }
}

static bool would_wait(const struct reader *r)
{
    struct pollfd p = {.fd = r->fd, .events = POLLIN};
    return !r->regular && poll(&p, 1, 0) == 0;
}

int reader_pause(struct reader *r, struct err *e)
{
    return r->tied && r->tied->ready > 0 ? writer_flush(r->tied, e) : 0;
}

/* read() from the descriptor, once what is to be done before a wait has been done. */
static ssize_t read_descriptor(struct reader *r, char *at, size_t cap, struct err *e)
{
    for (;;) {
        if (r->tied && r->tied->ready > 0 && would_wait(r) && reader_pause(r, e) < 0) {
            return -1;
        }
        if (r->wait && would_wait(r) && r->wait(r->waiter, e) < 0) {
            return -1;
        }
        ssize_t n = read(r->fd, at, cap);
        if (n >= 0) {
            return n;
        }
        if (errno == EAGAIN && !r->wait) {
            struct pollfd p = {.fd = r->fd, .events = POLLIN};
            (void)poll(&p, 1, -1);
        } else if (errno != EINTR && errno != EAGAIN) {
            return err_system(e, errno, "cannot read %s", r->name);
        }
    }
}

int reader_fill(struct reader *r, struct err *e)
{
    if (r->at_end) {
        return 0;
    }
    if (r->tied && r->tied->number != 0) {
        return writer_flush(r->tied, e); /* nobody takes what we would make of more input */
    }
    make_room(r);
    char *at = r->at + r->end;
    size_t cap = r->cap - r->end;
    ssize_t n = r->source ? r->source->read(r, at, cap, e) : read_descriptor(r, at, cap, e);
    if (n < 0) {
        return -1;
    }
    if (r->tap && n > 0) {
        r->tap(r->tapper, span_of(at, (size_t)n));
    }
    r->end += (size_t)n;
    r->at_end = n == 0;
    return n > 0;
}

/* Take the rest of a record of which the beginning was handed out as too long. */
static int skip_record(struct reader *r, char stop, struct err *e)
{
    for (;;) {
        struct span all = reader_bytes(r);
        const char *hit = all.len ? memchr(all.at, stop, all.len) : NULL;
        reader_take(r, hit ? (size_t)(hit - all.at) + 1 : all.len);
        if (hit) {
            return 0;
        }
        int got = reader_fill(r, e);
        if (got <= 0) {
            return got;
        }
    }
}

int reader_until(struct reader *r, char stop, size_t max, struct span *record, bool *is_long,
                 struct err *e)
{
    if (*is_long && skip_record(r, stop, e) < 0) {
        return -1;
    }
    *is_long = false;
    size_t seen = 0;
    for (;;) {
        struct span all = reader_bytes(r);
        const char *hit = all.len > seen ? memchr(all.at + seen, stop, all.len - seen) : NULL;
        size_t len = hit ? (size_t)(hit - all.at) : all.len;
        if (len > max) {
            *record = span_of(all.at, max);
            *is_long = true;
            reader_take(r, max);
            return 1;
        }
        if (hit) {
            *record = span_of(all.at, len);
            reader_take(r, len + 1);
            return 1;
        }
        seen = all.len;
        int got = reader_fill(r, e);
        if (got < 0) {
            return -1;
        }
        if (got == 0) {
            *record = reader_bytes(r);
            reader_take(r, record->len);
            return record->len > 0;
        }
    }
}

int reader_line(struct reader *r, size_t max, struct span *line, bool *is_long, struct err *e)
{
    return reader_until(r, '\n', max, line, is_long, e);
}

/* Read on until N bytes are there or the input ends. */
static int want(struct reader *r, size_t n, struct err *e)
{
    while (r->end - r->start < n) {
        int got = reader_fill(r, e);
        if (got <= 0) {
            return got;
        }
    }
    return 1;
}

int reader_skip_bom(struct reader *r, struct err *e)
{
    if (want(r, 1, e) <= 0) {
        return r->at_end ? 0 : -1;
    }
    unsigned char first = (unsigned char)r->at[r->start];
    if (first != 0xEF && first != 0xFE && first != 0xFF) {
        return 0; /* the usual case: no second byte has to be waited for */
    }
    if (want(r, 3, e) < 0) {
        return -1;
    }
    struct span head = reader_bytes(r);
    if (span_starts(head, SPAN_LIT("\xEF\xBB\xBF"))) {
        reader_take(r, 3);
    } else if (span_starts(head, SPAN_LIT("\xFF\xFE")) || span_starts(head, SPAN_LIT("\xFE\xFF"))) {
        return err_set(e, ERR_DATA, "%s is UTF-16, not UTF-8 (it begins with its byte order mark)",
                       r->name);
    }
    return 0;
}

void reader_release(struct reader *r)
{
    if (r->source) {
        r->source->release(r->state);
    }
    if (r->owned) {
        close(r->fd);
    }
    free(r->at);
    *r = (struct reader){.fd = -1};
}
