#include "signal/spool.h"

#include "base/mem.h"
#include "base/units.h"
#include "io/fd.h"
#include "io/folder.h"
#include "io/reader.h"
#include "signal/ids.h"
#include "json/scan.h"
#include "json/text.h"
#include "json/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define PENDING_MAX ((size_t)1 << 20)
#define WASTE_MIN   (UINT64_C(64) << 20)

static int fail(const struct spool *s, struct err *e)
{
    return err_system(e, errno, "spool %s", s->path);
}

static int lock(int fd, const char *path, struct err *e)
{
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        return 0;
    }
    if (errno == EWOULDBLOCK) {
        return err_set(e, ERR_LATER, "spool %s: another process has it", path);
    }
    return err_system(e, errno, "spool %s", path);
}

int spool_open(struct spool *s, const char *path, struct err *e)
{
    *s = (struct spool){.path = mem_text(path), .fd = -1, .tidy_at = WASTE_MIN};
    s->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0600);
    if (s->fd < 0) {
        return fail(s, e);
    }
    off_t size = lseek(s->fd, 0, SEEK_END);
    s->size = size > 0 ? (uint64_t)size : 0;
    if (s->size == 0 && folder_sync_entry(path) < 0) {
        return fail(s, e);
    }
    return lock(s->fd, path, e);
}

void spool_close(struct spool *s)
{
    if (!s->path) {
        return;
    }
    (void)spool_flush(s, true, NULL);
    if (s->fd >= 0) {
        close(s->fd);
    }
    free(s->path);
    buf_release(&s->pending);
    *s = (struct spool){.fd = -1};
}

/* ---- writing ---- */

int spool_flush(struct spool *s, bool sync, struct err *e)
{
    if (s->pending.len > 0) {
        if (fd_write(s->fd, buf_span(&s->pending)) < 0) {
            int rc = fail(s, e);
            (void)!ftruncate(s->fd, (off_t)s->size); /* no torn record in the middle */
            return rc;
        }
        s->size += s->pending.len;
        s->safe = s->last;
        s->unsynced = true;
        buf_reset(&s->pending);
    }
    if (sync && s->unsynced) {
        if (fdatasync(s->fd) < 0) {
            return fail(s, e);
        }
        s->unsynced = false;
    }
    return 0;
}

void spool_discard(struct spool *s)
{
    buf_reset(&s->pending);
}

int spool_clear(struct spool *s, struct err *e)
{
    buf_reset(&s->pending);
    if (s->size > 0 && (ftruncate(s->fd, 0) < 0 || fdatasync(s->fd) < 0)) {
        return fail(s, e);
    }
    s->size = 0;
    s->unsynced = false;
    return 0;
}

void spool_hold(struct spool *s, uint64_t number, int64_t start, struct span line)
{
    s->last = number;
    buf_add_text(&s->pending, "{\"held\":");
    buf_add_u64(&s->pending, number);
    buf_add_text(&s->pending, ",\"start\":");
    buf_add_i64(&s->pending, start);
    buf_add_text(&s->pending, ",\"line\":");
    buf_add_span(&s->pending, line);
    buf_add_text(&s->pending, "}\n");
    if (s->pending.len > PENDING_MAX) {
        (void)spool_flush(s, false, NULL); /* what fails here fails again when it is due */
    }
}

static void put_numbers(struct spool *s, const char *what, const uint64_t *numbers, size_t count)
{
    buf_add_text(&s->pending, "{\"");
    buf_add_text(&s->pending, what);
    buf_add_text(&s->pending, "\":[");
    for (size_t i = 0; i < count; i++) {
        if (i > 0) {
            buf_add_byte(&s->pending, ',');
        }
        buf_add_u64(&s->pending, numbers[i]);
    }
    buf_add_byte(&s->pending, ']');
}

void spool_written(struct spool *s, const uint64_t *numbers, size_t count, struct span id,
                   struct span lease)
{
    put_numbers(s, lease.len ? "written" : "gone", numbers, count);
    if (lease.len == 0) {
        buf_add_text(&s->pending, "}\n");
        return;
    }
    buf_add_text(&s->pending, ",\"id\":");
    text_encode_lossy(&s->pending, id);
    buf_add_text(&s->pending, ",\"lease\":");
    text_encode_lossy(&s->pending, lease);
    buf_add_text(&s->pending, "}\n");
}

void spool_gone(struct spool *s, uint64_t number)
{
    put_numbers(s, "gone", &number, 1);
    buf_add_text(&s->pending, "}\n");
}

void spool_settled(struct spool *s, struct span lease)
{
    buf_add_text(&s->pending, "{\"settled\":");
    text_encode_lossy(&s->pending, lease);
    buf_add_text(&s->pending, "}\n");
}

/* ---- reading ---- */

/* A record of the file that still matters: of a held line, or of an open lease. */
struct record {
    struct id_node node; /* its number or the lease's name */
    uint64_t order;      /* in the file */
    uint64_t offset, len;
};

struct reading {
    struct ids held, leases;
    uint64_t records;
};

static void forget(struct ids *t, struct span id)
{
    struct id_node *n = ids_find(t, id);
    if (n) {
        ids_remove(t, n);
        free(n);
    }
}

static void remember(struct reading *r, struct ids *t, struct span id, uint64_t offset,
                     uint64_t len)
{
    forget(t, id);
    struct record *one = mem_new(1, sizeof *one);
    one->order = r->records++;
    one->offset = offset;
    one->len = len;
    ids_add(t, &one->node, id);
}

static void forget_numbers(struct reading *r, struct span list)
{
    struct walk numbers = walk_into(list);
    while (walk_next(&numbers)) {
        forget(&r->held, numbers.value);
    }
}

/* Take a record in. False: it is none of ours. */
static bool take_record(struct reading *r, struct span line, uint64_t offset)
{
    struct span value, lease;
    if (walk_member(line, SPAN_LIT("held"), &value)) {
        remember(r, &r->held, value, offset, line.len);
    } else if (walk_member(line, SPAN_LIT("written"), &value) &&
               walk_member(line, SPAN_LIT("lease"), &lease)) {
        forget_numbers(r, value);
        remember(r, &r->leases, lease, offset, line.len);
    } else if (walk_member(line, SPAN_LIT("gone"), &value)) {
        forget_numbers(r, value);
    } else if (walk_member(line, SPAN_LIT("settled"), &value)) {
        forget(&r->leases, value);
    } else {
        return false;
    }
    return true;
}

/* Find the records of the file that matter. */
static int read_records(const struct spool *s, struct reading *r, struct err *e)
{
    struct reader in;
    struct scan scan;
    struct span line;
    bool is_long;
    int got;
    scan_init(&scan, SCAN_DEPTH_ANY);
    reader_init(&in, s->fd, s->path, NULL);
    (void)lseek(s->fd, 0, SEEK_SET);
    for (;;) {
        uint64_t at = in.offset;
        got = reader_line(&in, SIZE_MAX / 2, &line, &is_long, e);
        if (got <= 0) {
            break;
        }
        bool torn = in.offset == at + line.len; /* there was no LF */
        bool valid = scan_check(&scan, line.at, line.len) == 0;
        if (!(valid && take_record(r, line, at)) && !torn) {
            got = err_set(e, ERR_USAGE, "spool %s: at byte %llu: this is no spool of fanline's",
                          s->path, (unsigned long long)at);
            break;
        }
    }
    scan_release(&scan);
    reader_release(&in);
    return got < 0 ? -1 : 0;
}

static int by_order(const void *a, const void *b)
{
    const struct record *const *x = a;
    const struct record *const *y = b;
    return (*x)->order < (*y)->order ? -1 : (*x)->order > (*y)->order;
}

/* All records that matter, as they stand in the file; the caller frees the list. */
static struct record **list_records(const struct reading *r, size_t *count)
{
    const struct ids *const tables[] = {&r->held, &r->leases};
    struct record **list = mem_new(r->held.count + r->leases.count, sizeof(struct record *));
    *count = 0;
    for (size_t t = 0; t < 2; t++) {
        for (size_t i = 0; i < tables[t]->size; i++) {
            for (struct id_node *n = tables[t]->buckets[i]; n; n = n->next) {
                list[(*count)++] = (struct record *)n;
            }
        }
    }
    if (*count > 1) {
        qsort(list, *count, sizeof(struct record *), by_order);
    }
    return list;
}

static void release_reading(struct reading *r)
{
    struct ids *const tables[] = {&r->held, &r->leases};
    for (size_t t = 0; t < 2; t++) {
        struct id_node *n;
        while ((n = ids_any(tables[t])) != NULL) {
            ids_remove(tables[t], n);
            free(n);
        }
        ids_release(tables[t]);
    }
}

/* The bytes of record R into OUT. 0, or -1 with E filled. */
static int fetch(const struct spool *s, const struct record *r, struct buf *out, struct err *e)
{
    buf_reset(out);
    while (out->len < r->len) {
        ssize_t n = pread(s->fd, buf_room(out, r->len - out->len), r->len - out->len,
                          (off_t)(r->offset + out->len));
        if (n == 0 || (n < 0 && errno != EINTR)) {
            errno = n == 0 ? EIO : errno;
            return fail(s, e);
        }
        out->len += n > 0 ? (size_t)n : 0;
    }
    return 0;
}

/* ---- writing it anew ---- */

/* Copy the records of LIST to FD and note where they are there. 0, or -1 with E filled. */
static int copy_records(const struct spool *s, int fd, struct record **list, size_t count,
                        uint64_t *size, struct err *e)
{
    struct buf bytes = {0}, one = {0};
    int rc = 0;
    *size = 0;
    for (size_t i = 0; i <= count && rc == 0; i++) {
        if (i < count && (rc = fetch(s, list[i], &one, e)) == 0) {
            buf_add_span(&bytes, buf_span(&one));
            buf_add_byte(&bytes, '\n');
            list[i]->offset = *size;
            *size += list[i]->len + 1;
        }
        if (rc == 0 && (i == count || bytes.len > PENDING_MAX)) {
            rc = fd_write(fd, buf_span(&bytes)) < 0 ? fail(s, e) : 0;
            buf_reset(&bytes);
        }
    }
    buf_release(&bytes);
    buf_release(&one);
    return rc;
}

/* Put a file that has only the records of LIST in the place of S's. 0, or -1 with E filled. */
static int rewrite(struct spool *s, struct record **list, size_t count, struct err *e)
{
    struct buf name = {0};
    buf_printf(&name, "%s.XXXXXX", s->path);
    buf_add_byte(&name, '\0');
    int fd = mkostemp(name.at, O_CLOEXEC | O_APPEND);
    uint64_t size = 0;
    int rc = fd < 0 ? fail(s, e) : copy_records(s, fd, list, count, &size, e);
    if (rc == 0) {
        rc = lock(fd, s->path, e);
    }
    if (rc == 0 && (fsync(fd) < 0 || rename(name.at, s->path) < 0)) {
        rc = fail(s, e);
    }
    if (rc == 0) {
        close(s->fd);
        s->fd = fd;
        s->size = size;
        (void)folder_sync_entry(s->path);
    } else if (fd >= 0) {
        close(fd);
        unlink(name.at);
    }
    buf_release(&name);
    return rc;
}

/* ---- telling ---- */

static int tell_record(struct spool *s, const struct spool_story *story, struct span line,
                       struct err *e)
{
    struct span number, start, item, id, lease;
    int64_t n = 0, at = 0;
    if (walk_member(line, SPAN_LIT("held"), &number)) {
        bool fine = units_integer(number, 1, INT64_MAX, &n, e) == 0 &&
                    walk_member(line, SPAN_LIT("start"), &start) &&
                    units_integer(start, INT64_MIN, INT64_MAX, &at, e) == 0 &&
                    walk_member(line, SPAN_LIT("line"), &item);
        s->last = s->safe = (uint64_t)n;
        return fine ? story->held(story->context, (uint64_t)n, at, item, e)
                    : err_set(e, ERR_USAGE, "the spool has a record that is none");
    }
    if (walk_member(line, SPAN_LIT("id"), &id) && walk_member(line, SPAN_LIT("lease"), &lease)) {
        struct buf a = {0}, b = {0};
        text_decode(&a, id);
        text_decode(&b, lease);
        story->leased(story->context, buf_span(&a), buf_span(&b));
        buf_release(&a);
        buf_release(&b);
    }
    return 0;
}

int spool_read(struct spool *s, const struct spool_story *story, struct err *e)
{
    struct reading r = {0};
    struct buf line = {0};
    size_t count = 0;
    struct record **list = NULL;
    int rc = read_records(s, &r, e);
    if (rc == 0) {
        list = list_records(&r, &count);
        rc = s->size > 0 ? rewrite(s, list, count, e) : 0;
    }
    for (size_t i = 0; i < count && rc == 0; i++) {
        rc = fetch(s, list[i], &line, e);
        rc = rc < 0 ? rc : tell_record(s, story, buf_span(&line), e);
    }
    free(list);
    buf_release(&line);
    release_reading(&r);
    return rc;
}

int spool_tidy(struct spool *s, struct err *e)
{
    struct reading r = {0};
    size_t count = 0;
    if (s->size < s->tidy_at) {
        return 0;
    }
    if (spool_flush(s, false, e) < 0 || read_records(s, &r, e) < 0) {
        release_reading(&r);
        return -1;
    }
    struct record **list = list_records(&r, &count);
    (void)rewrite(s, list, count, NULL); /* if it fails there is no room: later */
    s->tidy_at = s->size * 2 > WASTE_MIN ? s->size * 2 : WASTE_MIN;
    free(list);
    release_reading(&r);
    return 0;
}
