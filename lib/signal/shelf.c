#include "signal/shelf.h"

#include "io/fd.h"
#include "io/tempfile.h"

#include <errno.h>
#include <sys/uio.h>
#include <unistd.h>

#define WASTE_MIN (UINT64_C(64) << 20)

void shelf_init(struct shelf *s, const char *folder, uint64_t limit)
{
    *s = (struct shelf){.folder = folder, .limit = limit, .fd = -1};
}

void shelf_release(struct shelf *s)
{
    fd_close(&s->fd);
}

bool shelf_has_room(struct shelf *s, size_t len)
{
    if (s->limit - s->in_memory < len) {
        return false;
    }
    s->in_memory += len;
    return true;
}

void shelf_left_memory(struct shelf *s, size_t len)
{
    s->in_memory -= len;
}

int shelf_put(struct shelf *s, struct span a, struct span b, uint64_t *offset, struct err *e)
{
    if (s->fd < 0 && (s->fd = tempfile_open(s->folder, e)) < 0) {
        return -1;
    }
    uint64_t at = s->end;
    while (a.len + b.len > 0) {
        struct iovec parts[] = {{(char *)(uintptr_t)a.at, a.len}, {(char *)(uintptr_t)b.at, b.len}};
        ssize_t n = pwritev(s->fd, parts, 2, (off_t)at);
        if (n < 0 && errno != EINTR) {
            return err_system(e, errno, "cannot put held lines aside in %s", s->folder);
        }
        size_t left = n > 0 ? (size_t)n : 0;
        at += left;
        size_t first = left < a.len ? left : a.len;
        a = span_of(a.at + first, a.len - first);
        b = span_of(b.at + (left - first), b.len - (left - first));
    }
    *offset = s->end;
    s->live += at - s->end;
    s->end = at;
    return 0;
}

int shelf_get(const struct shelf *s, uint64_t offset, size_t len, struct buf *out, struct err *e)
{
    buf_reset(out);
    while (out->len < len) {
        char *at = buf_room(out, len - out->len);
        ssize_t n = pread(s->fd, at, len - out->len, (off_t)(offset + out->len));
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return err_system(e, n == 0 ? EIO : errno, "cannot read held lines in %s", s->folder);
        }
        out->len += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

void shelf_drop(struct shelf *s, size_t len)
{
    s->live -= len;
    if (s->live == 0 && s->end > 0 && ftruncate(s->fd, 0) == 0) {
        s->end = 0;
    }
}

bool shelf_is_wasteful(const struct shelf *s)
{
    return s->end > WASTE_MIN && s->live < s->end / 2;
}
