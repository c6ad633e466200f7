#include "result/spill.h"

#include "io/tempfile.h"

#include <errno.h>
#include <unistd.h>

enum { FIND_SLOTS = 512 }; /* of the table, looked at in one read */

/* Where a text lies; length 0: nowhere. */
struct slot {
    uint64_t offset;
    uint64_t length;
};

static int fail(const struct spill *s, struct err *e)
{
    return err_system(e, errno, "cannot use a temporary file in %s", s->folder);
}

static int open_files(struct spill *s, struct err *e)
{
    if (s->is_open) {
        return 0;
    }
    s->texts = tempfile_open(s->folder, e);
    if (s->texts < 0) {
        return -1;
    }
    s->table = tempfile_open(s->folder, e);
    if (s->table < 0) {
        close(s->texts);
        return -1;
    }
    s->is_open = true;
    return 0;
}

/* Write all LEN bytes at OFFSET. Returns 0, or -1 with errno set. */
static int write_at(int fd, const void *from, size_t len, uint64_t offset)
{
    const char *at = from;
    while (len > 0) {
        ssize_t n = pwrite(fd, at, len, (off_t)offset);
        if (n < 0 && errno != EINTR) {
            return -1;
        }
        if (n > 0) {
            at += n;
            len -= (size_t)n;
            offset += (uint64_t)n;
        }
    }
    return 0;
}

/* Read up to LEN bytes at OFFSET, fewer only at the end. Returns how many, or -1 with errno set. */
static ssize_t read_at(int fd, void *to, size_t len, uint64_t offset)
{
    char *at = to;
    size_t got = 0;
    while (got < len) {
        ssize_t n = pread(fd, at + got, len - got, (off_t)(offset + got));
        if (n < 0 && errno != EINTR) {
            return -1;
        }
        if (n == 0) {
            break;
        }
        got += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)got;
}

int spill_put(struct spill *s, uint64_t index, struct span text, struct err *e)
{
    if (open_files(s, e) < 0) {
        return -1;
    }
    struct slot slot = {s->end, text.len};
    if (write_at(s->texts, text.at, text.len, s->end) < 0 ||
        write_at(s->table, &slot, sizeof slot, index * sizeof slot) < 0) {
        return fail(s, e);
    }
    s->end += text.len;
    s->held++;
    return 0;
}

/* Give the room back when nothing waits any more. */
static int clear_if_empty(struct spill *s)
{
    if (s->held > 0) {
        return 0;
    }
    s->end = 0;
    return ftruncate(s->texts, 0) < 0 ? -1 : ftruncate(s->table, 0);
}

int spill_take(struct spill *s, uint64_t index, struct buf *b, struct err *e)
{
    struct slot slot = {0, 0};
    if (s->held == 0) {
        return 0;
    }
    ssize_t got = read_at(s->table, &slot, sizeof slot, index * sizeof slot);
    if (got < 0) {
        return fail(s, e);
    }
    if (slot.length == 0) {
        return 0;
    }
    buf_reset(b);
    got = read_at(s->texts, buf_room(b, slot.length), slot.length, slot.offset);
    if (got != (ssize_t)slot.length) {
        errno = got < 0 ? errno : EIO;
        return fail(s, e);
    }
    b->len = slot.length;
    s->held--;
    return clear_if_empty(s) < 0 ? fail(s, e) : 1;
}

int spill_find(struct spill *s, uint64_t from, uint64_t *index, struct err *e)
{
    struct slot slots[FIND_SLOTS];
    while (s->held > 0) {
        off_t data = lseek(s->table, (off_t)(from * sizeof *slots), SEEK_DATA);
        if (data < 0) {
            return errno == ENXIO ? 0 : fail(s, e);
        }
        if ((uint64_t)data / sizeof *slots > from) {
            from = (uint64_t)data / sizeof *slots;
        }
        ssize_t got = read_at(s->table, slots, sizeof slots, from * sizeof *slots);
        if (got < 0) {
            return fail(s, e);
        }
        size_t count = (size_t)got / sizeof *slots;
        for (size_t i = 0; i < count; i++) {
            if (slots[i].length > 0) {
                *index = from + i;
                return 1;
            }
        }
        from += count;
    }
    return 0;
}

void spill_release(struct spill *s)
{
    if (s->is_open) {
        close(s->texts);
        close(s->table);
    }
    *s = (struct spill){.folder = s->folder};
}
