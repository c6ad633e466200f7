#include "tunnel/base.h"

#include "io/unpack.h"
#include "json/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static void make_mark(char out[BASE_MARK_MAX], const struct stat *st)
{
    snprintf(out, BASE_MARK_MAX, "%llx:%llx:%lld:%lld.%09ld", (unsigned long long)st->st_dev,
             (unsigned long long)st->st_ino, (long long)st->st_size, (long long)st->st_mtim.tv_sec,
             (long)st->st_mtim.tv_nsec);
}

/* Is what FD holds compressed?  Looks at the first bytes as the reader does. */
static int is_packed(int fd, const char *path, struct err *e)
{
    struct reader r;
    reader_init(&r, fd, path, NULL);
    int rc = reader_unpack(&r, e);
    bool packed = r.source != NULL;
    reader_release(&r);
    return rc < 0 ? -1 : packed;
}

static int cut_file(int fd, const char *path, uint64_t range,
                    void (*hear)(void *context, const struct base_part *part), void *context,
                    struct err *e)
{
    struct stat st;
    char mark[BASE_MARK_MAX];
    if (fstat(fd, &st) < 0) {
        return err_system(e, errno, "cannot look at %s", path);
    }
    if (!S_ISREG(st.st_mode)) {
        return err_set(e, ERR_USAGE, "%s is no file", path);
    }
    int packed = is_packed(fd, path, e);
    if (packed < 0) {
        return -1;
    }
    make_mark(mark, &st);
    struct base_part part = {.path = path, .to = -1, .mark = mark};
    if (packed) {
        hear(context, &part);
        return 0;
    }
    int64_t size = st.st_size;
    for (part.from = 0; part.from < size; part.from = part.to) {
        part.to = (uint64_t)(size - part.from) > range ? part.from + (int64_t)range : size;
        hear(context, &part);
    }
    return 0;
}

int base_cut(const char *path, uint64_t range,
             void (*hear)(void *context, const struct base_part *part), void *context,
             struct err *e)
{
    char *whole = realpath(path, NULL); /* for clients that run elsewhere */
    int fd = whole ? open(whole, O_RDONLY | O_CLOEXEC) : -1;
    int rc = fd < 0 ? err_system(e, errno, "cannot read %s", path)
                    : cut_file(fd, whole, range, hear, context, e);
    if (fd >= 0) {
        close(fd);
    }
    free(whole);
    return rc;
}

static int check_mark(int fd, const struct base_part *part, struct err *e)
{
    struct stat st;
    char mark[BASE_MARK_MAX];
    if (fstat(fd, &st) < 0) {
        return err_system(e, errno, "cannot look at %s", part->path);
    }
    make_mark(mark, &st);
    if (strcmp(mark, part->mark) != 0) {
        return err_set(e, ERR_DATA,
                       "source changed: %s is not the file that the tunnel was made of",
                       part->path);
    }
    return 0;
}

/* Take lines until byte AT. */
static int skip_to(struct base_reader *b, uint64_t at, struct err *e)
{
    while (b->reader.offset < at) {
        size_t there = reader_bytes(&b->reader).len;
        uint64_t need = at - b->reader.offset;
        reader_take(&b->reader, need < there ? (size_t)need : there);
        int got = b->reader.offset < at ? reader_fill(&b->reader, e) : 1;
        if (got <= 0) {
            return got < 0 ? -1
                           : err_set(e, ERR_DATA, "source changed: %s is shorter", b->part.path);
        }
    }
    return 0;
}

/* To the first line that begins in the part, or where an earlier reading ended. */
static int go_to_start(struct base_reader *b, int64_t at, struct err *e)
{
    const struct base_part *part = &b->part;
    bool packed = part->to < 0;
    int64_t seek = at == part->from && at > 0 && !packed ? at - 1 : at;
    if (packed) {
        return skip_to(b, (uint64_t)at, e);
    }
    if (lseek(b->reader.fd, seek, SEEK_SET) < 0) {
        return err_system(e, errno, "cannot read %s", part->path);
    }
    b->reader.offset = (uint64_t)seek;
    if (seek < at) { /* the line that the byte before belongs to is another part's */
        struct span line;
        bool is_long;
        do {
            if (reader_line(&b->reader, (size_t)1 << 20, &line, &is_long, e) < 0) {
                return -1;
            }
        } while (is_long);
    }
    return 0;
}

int base_open(struct base_reader *b, const struct base_part *part, int64_t at, struct err *e)
{
    int fd = open(part->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return err_system(e, errno, "cannot read %s", part->path);
    }
    *b = (struct base_reader){.part = *part, .is_open = true};
    reader_init(&b->reader, fd, part->path, NULL);
    scan_init(&b->scan, SCAN_DEPTH_DEFAULT);
    b->reader.owned = true;
    if (check_mark(fd, part, e) < 0 || (part->to < 0 && reader_unpack(&b->reader, e) < 0) ||
        go_to_start(b, at, e) < 0) {
        base_close(b);
        return -1;
    }
    return 0;
}

static bool is_blank(struct span line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (!strchr(" \t\r", line.at[i]) || line.at[i] == '\0') {
            return false;
        }
    }
    return true;
}

static bool is_past_end(const struct base_reader *b)
{
    return b->part.to >= 0 && b->reader.offset >= (uint64_t)b->part.to;
}

int base_read(struct base_reader *b, struct parcel *batch, size_t count, size_t bytes,
              struct err *e)
{
    while (batch->count < count && batch->text.len < bytes) {
        struct span line;
        bool is_long = false;
        if (is_past_end(b)) {
            return 0;
        }
        int got = reader_line(&b->reader, LINES_ITEM_DEFAULT, &line, &is_long, e);
        if (got <= 0) {
            return got;
        }
        if (is_long) {
            return err_set(e, ERR_DATA, "%s: a line is longer than 256 MiB", b->part.path);
        }
        if (!is_blank(line)) {
            if (scan_check(&b->scan, line.at, line.len) < 0) {
                return err_set(e, ERR_DATA,
                               "%s: the line that ends before byte %llu is not JSON: %s",
                               b->part.path, (unsigned long long)b->reader.offset, b->scan.fault);
            }
            parcel_add(batch, line, (struct token){b->reader.offset, 0});
        }
    }
    return is_past_end(b) ? 0 : 1;
}

void base_close(struct base_reader *b)
{
    if (b->is_open) {
        reader_release(&b->reader);
        scan_release(&b->scan);
    }
    *b = (struct base_reader){0};
}
