#include "run/capture.h"

#include "io/fd.h"
#include "io/tempfile.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PIECE = 64 * 1024 }; /* what a pipe holds */

/* Move what is in memory to the file. */
static int spill(struct capture *c, const char *folder, struct err *e)
{
    if (!c->has_file) {
        c->fd = tempfile_open(folder, e);
        if (c->fd < 0) {
            return -1;
        }
        c->has_file = true;
    }
    if (fd_write(c->fd, buf_span(&c->memory)) < 0) {
        return err_system(e, errno, "cannot keep the output in %s", folder);
    }
    buf_reset(&c->memory);
    return 0;
}

enum capture_read capture_read(struct capture *c, int fd, const char *folder, struct err *e)
{
    ssize_t n = read(fd, buf_room(&c->memory, PIECE), PIECE);
    if (n == 0) {
        return CAPTURE_END;
    }
    if (n < 0) {
        return errno == EAGAIN || errno == EINTR ? CAPTURE_WAIT : CAPTURE_END;
    }
    c->memory.len += (size_t)n;
    c->size += (uint64_t)n;
    if (c->memory.len >= CAPTURE_MEMORY && spill(c, folder, e) < 0) {
        return CAPTURE_FAILED;
    }
    return CAPTURE_MORE;
}

int capture_all(struct capture *c, struct span *all, struct err *e)
{
    if (!c->has_file) {
        *all = buf_span(&c->memory);
        return 0;
    }
    if (spill(c, "", e) < 0) {
        return -1;
    }
    c->map = mmap(NULL, c->size, PROT_READ, MAP_PRIVATE, c->fd, 0);
    if (c->map == MAP_FAILED) {
        c->map = NULL;
        return err_system(e, errno, "cannot read the output back");
    }
    *all = span_of(c->map, c->size);
    return 0;
}

void capture_reset(struct capture *c)
{
    if (c->map) {
        munmap(c->map, c->size);
        c->map = NULL;
    }
    if (c->has_file) {
        close(c->fd);
        c->has_file = false;
    }
    c->size = 0;
    buf_reset(&c->memory);
}

void capture_release(struct capture *c)
{
    capture_reset(c);
    buf_release(&c->memory);
}
