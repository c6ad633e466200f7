#include "tunnel/base.h"

#include "base/mem.h"
#include "io/unpack.h"
#include "tunnel/base_object.h"
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

int base_is_packed(struct reader *r, struct err *e)
{
    const struct reader_source *plain = r->source;
    return reader_unpack(r, e) < 0 ? -1 : r->source != plain;
}

static int look_at_file(int fd, const char *path, struct base_facts *facts, struct err *e)
{
    struct stat st;
    struct reader r;
    if (fstat(fd, &st) < 0) {
        return err_system(e, errno, "cannot look at %s", path);
    }
    if (!S_ISREG(st.st_mode)) {
        return err_set(e, ERR_USAGE, "%s is no file", path);
    }
    *facts = (struct base_facts){.size = (uint64_t)st.st_size};
    make_mark(facts->mark, &st);
    reader_init(&r, fd, path, NULL);
    int packed = base_is_packed(&r, e);
    reader_release(&r);
    facts->packed = packed > 0;
    return packed < 0 ? -1 : 0;
}

/* The whole name of a file, for clients that run elsewhere, and what is known of it. */
static int look(const char *path, struct object_client *objects, char **whole,
                struct base_facts *facts, struct err *e)
{
    if (object_is_url(path)) {
        if (!objects) {
            return err_set(e, ERR_USAGE, "%s: nobody here reads buckets", path);
        }
        *whole = mem_text(path);
        return base_object_look(objects, path, facts, e);
    }
    *whole = realpath(path, NULL);
    int fd = *whole ? open(*whole, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) {
        return err_system(e, errno, "cannot read %s", path);
    }
    int rc = look_at_file(fd, *whole, facts, e);
    close(fd);
    return rc;
}

int base_cut(const char *path, uint64_t range, struct object_client *objects,
             void (*hear)(void *context, const struct base_part *part), void *context,
             struct err *e)
{
    char *whole = NULL;
    struct base_facts facts;
    int rc = look(path, objects, &whole, &facts, e);
    struct base_part part = {.path = whole, .to = -1, .mark = facts.mark};
    if (rc == 0 && facts.packed) {
        hear(context, &part);
    }
    int64_t size = rc == 0 && !facts.packed ? (int64_t)facts.size : 0;
    for (; part.from < size; part.from = part.to) {
        part.to = (uint64_t)(size - part.from) > range ? part.from + (int64_t)range : size;
        hear(context, &part);
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

/* From which byte PART is read to go on at AT: a line that began before it is passed over. */
static int64_t start_of(const struct base_part *part, int64_t at)
{
    return part->to >= 0 && at == part->from && at > 0 ? at - 1 : at;
}

static int open_file(struct base_reader *b, int64_t start, struct err *e)
{
    const struct base_part *part = &b->part;
    int fd = open(part->path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return err_system(e, errno, "cannot read %s", part->path);
    }
    reader_init(&b->reader, fd, part->path, NULL);
    b->reader.owned = true;
    if (check_mark(fd, part, e) < 0) {
        return -1;
    }
    if (part->to < 0) {
        return reader_unpack(&b->reader, e) < 0 ? -1 : skip_to(b, (uint64_t)start, e);
    }
    if (lseek(fd, start, SEEK_SET) < 0) {
        return err_system(e, errno, "cannot read %s", part->path);
    }
    b->reader.offset = (uint64_t)start;
    return 0;
}

/* Called instead of waiting for the helper. */
static int come_again(void *waiter, struct err *e)
{
    bool *dry = waiter;
    *dry = true;
    return err_set(e, ERR_LATER, "nothing more for now");
}

static int open_object(struct base_reader *b, int64_t start, struct object_client *objects,
                       struct err *e)
{
    if (!objects) {
        return err_set(e, ERR_USAGE, "%s: nobody here reads buckets", b->part.path);
    }
    if (base_object_start(&b->helper, objects, &b->part, start, e) < 0) {
        return -1;
    }
    reader_init(&b->reader, b->helper.out, b->part.path, NULL);
    b->reader.wait = come_again;
    b->reader.waiter = &b->dry;
    b->reader.offset = (uint64_t)start;
    return 0;
}

int base_open(struct base_reader *b, const struct base_part *part, int64_t at,
              struct object_client *objects, struct err *e)
{
    int64_t start = start_of(part, at);
    *b = (struct base_reader){.part = *part, .is_open = true, .mid_line = start < at};
    b->helper = HELPER_NONE;
    b->reader.fd = -1;
    scan_init(&b->scan, SCAN_DEPTH_DEFAULT);
    if (part->to >= 0 && at >= part->to) {
        b->reader.offset = (uint64_t)at;
        return 0; /* nothing is left of it */
    }
    int rc = object_is_url(part->path) ? open_object(b, start, objects, e) : open_file(b, start, e);
    if (rc < 0) {
        base_close(b);
    }
    return rc;
}

int base_fd(const struct base_reader *b)
{
    return b->is_open ? b->helper.out : -1;
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

/* The helper has ended if its pipe has: was that all? */
static int hear_end(struct base_reader *b, struct err *e)
{
    if (b->helper.out < 0 || b->heard || !b->reader.at_end) {
        return 0;
    }
    b->heard = true;
    return helper_result(&b->helper, e);
}

/* The next line. 1; 0 at the end; -1 with E filled. */
static int next_line(struct base_reader *b, struct span *line, struct err *e)
{
    bool is_long = false;
    int got = reader_line(&b->reader, LINES_ITEM_DEFAULT, line, &is_long, e);
    if (got < 0) {
        return -1;
    }
    if (hear_end(b, e) < 0) {
        return -1; /* the line may be cut short */
    }
    return is_long ? err_set(e, ERR_DATA, "%s: a line is longer than 256 MiB", b->part.path) : got;
}

static int add_line(struct base_reader *b, struct parcel *batch, struct span line, struct err *e)
{
    if (is_blank(line)) {
        return 0;
    }
    if (scan_check(&b->scan, line.at, line.len) < 0) {
        return err_set(e, ERR_DATA, "%s: the line that ends before byte %llu is not JSON: %s",
                       b->part.path, (unsigned long long)b->reader.offset, b->scan.fault);
    }
    parcel_add(batch, line, (struct token){b->reader.offset, 0});
    return 0;
}

int base_read(struct base_reader *b, struct parcel *batch, size_t count, size_t bytes,
              struct err *e)
{
    while (batch->count < count && batch->text.len < bytes) {
        struct span line;
        struct err why;
        if (is_past_end(b)) {
            return 0;
        }
        b->dry = false;
        int got = next_line(b, &line, &why);
        if (got < 0 && !b->dry) {
            *e = why;
        }
        if (got <= 0) {
            return b->dry ? 1 : got;
        }
        if (b->mid_line) {
            b->mid_line = false;
        } else if (add_line(b, batch, line, e) < 0) {
            return -1;
        }
    }
    return is_past_end(b) ? 0 : 1;
}

void base_close(struct base_reader *b)
{
    if (b->is_open) {
        reader_release(&b->reader);
        scan_release(&b->scan);
        helper_stop(&b->helper);
    }
    *b = (struct base_reader){0};
}
