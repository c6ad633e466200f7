#include "run/inorder.h"

#include "base/mem.h"
#include "io/tempfile.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define KEPT_MAX ((size_t)64 << 20) /* bytes in memory when there is no file */

static struct inorder_line *place_of(const struct inorder *o, uint64_t number)
{
    return &o->lines[number & (o->cap - 1)];
}

/* Make the ring large enough for NUMBER. */
static void grow(struct inorder *o, uint64_t number)
{
    size_t cap = o->cap ? o->cap : 16;
    while (number - o->next >= cap) {
        cap *= 2;
    }
    struct inorder_line *lines = mem_new(cap, sizeof *lines);
    for (size_t i = 0; i < o->cap; i++) {
        uint64_t n = o->next + i;
        lines[n & (cap - 1)] = *place_of(o, n);
    }
    free(o->lines);
    o->lines = lines;
    o->cap = cap;
}

/* Append to the file. False: there is none, or it takes no more. */
static bool append(struct inorder *o, const char *at, size_t len)
{
    if (!o->folder || o->disk_full) {
        return false;
    }
    if (!o->has_file) {
        o->fd = tempfile_open(o->folder, NULL);
        o->has_file = o->fd >= 0;
    }
    size_t done = 0;
    while (o->has_file && done < len) {
        ssize_t n = pwrite(o->fd, at + done, len - done, o->end + (off_t)done);
        if (n <= 0 && errno != EINTR) {
            break;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    o->disk_full = done < len;
    return done == len;
}

static void keep(struct inorder *o, uint64_t number, struct writer *w)
{
    if (number - o->next >= o->cap) {
        grow(o, number);
    }
    size_t len = writer_pending(w);
    const char *at = w->at + w->ready;
    struct inorder_line *line = place_of(o, number);
    *line = (struct inorder_line){.offset = o->end, .len = len};
    if (o->kept + len > INORDER_MEMORY && append(o, at, len)) {
        o->end += (off_t)len;
        o->in_file++;
    } else {
        line->at = mem_copy(at, len);
        o->kept += len;
    }
    o->ahead++;
    writer_rollback(w);
}

static int read_back(const struct inorder *o, const struct inorder_line *line, struct writer *w,
                     struct err *e)
{
    size_t done = 0;
    char *to = writer_room(w, line->len);
    while (done < line->len) {
        ssize_t n = pread(o->fd, to + done, line->len - done, line->offset + (off_t)done);
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return err_system(e, n == 0 ? EIO : errno, "cannot read back what was kept in %s",
                              o->folder);
        }
        done += n > 0 ? (size_t)n : 0;
    }
    writer_advance(w, line->len);
    return 0;
}

/* Let go of LINE, whose turn has come. */
static int let_go(struct inorder *o, struct inorder_line *line, struct writer *w, struct err *e)
{
    if (line->at) {
        writer_put(w, line->at, line->len);
        o->kept -= line->len;
        free(line->at);
    } else if (read_back(o, line, w, e) < 0) {
        return -1;
    } else if (--o->in_file == 0 && ftruncate(o->fd, 0) == 0) {
        o->end = 0;
    }
    writer_commit(w);
    *line = (struct inorder_line){0};
    o->ahead--;
    o->next++;
    return 0;
}

int inorder_add(struct inorder *o, uint64_t number, struct writer *w, struct err *e)
{
    if (number != o->next) {
        keep(o, number, w);
        return 0;
    }
    writer_commit(w);
    o->next++;
    while (o->ahead > 0 && place_of(o, o->next)->len > 0) {
        if (let_go(o, place_of(o, o->next), w, e) < 0) {
            return -1;
        }
    }
    return 0;
}

bool inorder_is_full(const struct inorder *o)
{
    return o->kept > KEPT_MAX || o->ahead >= INORDER_AHEAD;
}

void inorder_release(struct inorder *o)
{
    for (size_t i = 0; i < o->cap; i++) {
        free(o->lines[i].at);
    }
    if (o->has_file) {
        close(o->fd);
    }
    free(o->lines);
    *o = (struct inorder){0};
}
