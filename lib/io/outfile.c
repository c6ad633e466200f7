#include "io/outfile.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/units.h"
#include "base/uuid.h"
#include "io/fd.h"
#include "io/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The folder that holds PATH; the caller frees it. */
static char *folder_of(const char *path)
{
    char *copy = mem_text(path);
    char *folder = mem_text(dirname(copy));
    free(copy);
    return folder;
}

/* A name beside PATH that nobody has, and that is not too long where PATH is not; to be freed. */
static char *name_beside(const char *path)
{
    char id[UUID_TEXT_MAX];
    char *folder = folder_of(path);
    struct buf b = {0};
    buf_printf(&b, "%s/.fanline.%.8s.tmp", folder, uuid_make(id));
    buf_add_byte(&b, '\0');
    free(folder);
    return b.at;
}

int outfile_descriptor(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (strcmp(path, "/dev/stdout") == 0) {
        return STDOUT_FILENO;
    }
    if (strcmp(path, "/dev/stderr") == 0) {
        return STDERR_FILENO;
    }
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t len = strlen(folders[i]);
        int64_t fd;
        if (strncmp(path, folders[i], len) == 0 &&
            units_integer(span_text(path + len), 0, INT_MAX, &fd, NULL) == 0) {
            return (int)fd;
        }
    }
    return -1;
}

/* Open a file that will become PATH: without a name if possible, else under a temporary one. */
static int open_beside(struct outfile *f, const char *path, mode_t mode)
{
    char *folder = folder_of(path);
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
    free(folder);
    if (fd >= 0) {
        return fd;
    }
    f->temp = name_beside(path);
    return open(f->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

/* A descriptor is shared, not opened anew: a file behind it is written on where others left off. */
static int open_in_place(const char *path)
{
    int shared = outfile_descriptor(path);
    return shared >= 0 ? fcntl(shared, F_DUPFD_CLOEXEC, 0) : open(path, O_WRONLY | O_CLOEXEC);
}

int outfile_open(struct outfile *f, const char *path, struct err *e)
{
    *f = (struct outfile){.out.fd = -1};
    struct stat st;
    bool exists = stat(path, &st) == 0;
    int missing = errno;
    if (exists && S_ISDIR(st.st_mode)) {
        return err_set(e, ERR_IO, "cannot write %s: it is a folder", path);
    }
    if (!exists && lstat(path, &st) == 0) {
        return err_system(e, missing, "cannot write %s: it is a link", path);
    }
    f->in_place = (exists && !S_ISREG(st.st_mode)) || outfile_descriptor(path) >= 0;
    /* A link is followed, as open() would: it goes on pointing to the file. */
    char *target = exists && !f->in_place ? realpath(path, NULL) : NULL;
    char *final = target ? target : mem_text(path);
    mode_t mode = exists ? st.st_mode & 0666 : 0666;
    int fd = f->in_place ? open_in_place(path) : open_beside(f, final, mode);
    if (fd < 0) {
        int number = errno;
        free(f->temp);
        free(final);
        f->temp = NULL;
        return err_system(e, number, "cannot write %s", path);
    }
    if (exists && !f->in_place) {
        (void)fchmod(fd, st.st_mode & 07777);
    }
    f->path = final;
    writer_init(&f->out, fd, f->path);
    return 0;
}

/* Rename FROM to TO, where nothing may be: EEXIST. Returns 0, or -1 with errno set. */
static int rename_fresh(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -1;
    }
    return link(from, to) < 0 ? -1 : unlink(from); /* not every file system knows the flag */
}

/* Give the finished file its name. Returns 0, or -1 with errno set. */
static int take_place(struct outfile *f)
{
    if (!f->temp) {
        char self[64];
        snprintf(self, sizeof self, "/proc/self/fd/%d", f->out.fd);
        f->temp = name_beside(f->path);
        if (linkat(AT_FDCWD, self, AT_FDCWD, f->temp, AT_SYMLINK_FOLLOW) < 0) {
            return -1;
        }
    }
    if ((f->fresh ? rename_fresh(f->temp, f->path) : rename(f->temp, f->path)) < 0) {
        return -1;
    }
    free(f->temp);
    f->temp = NULL;
    return 0;
}

static void close_all(struct outfile *f)
{
    if (outfile_is_open(f) && f->out.fd >= 0) {
        close(f->out.fd);
    }
    writer_release(&f->out);
    free(f->temp);
    free(f->path);
    *f = (struct outfile){.out.fd = -1};
}

int outfile_place(struct outfile *f, struct err *e)
{
    int rc = writer_flush(&f->out, e);
    if (rc < 0 || f->in_place) {
        return rc;
    }
    if (fsync(f->out.fd) < 0 ||
        (!f->placed && (take_place(f) < 0 || folder_sync_entry(f->path) < 0))) {
        bool taken = f->fresh && errno == EEXIST;
        return taken ? 1 : err_system(e, errno, "cannot write %s", f->path);
    }
    f->placed = true;
    return 0;
}

int outfile_commit(struct outfile *f, struct err *e)
{
    int rc = outfile_place(f, e);
    if (rc != 0) {
        outfile_abort(f);
    } else {
        close_all(f);
    }
    return rc;
}

int outfile_copy(const struct outfile *f, uint64_t from, int to)
{
    char piece[16 * 1024];
    while (!f->in_place && from < f->out.written) {
        uint64_t left = f->out.written - from;
        ssize_t n = pread(f->out.fd, piece, left < sizeof piece ? left : sizeof piece, (off_t)from);
        if (n == 0) {
            errno = EIO;
        }
        if (n == 0 || (n < 0 && errno != EINTR)) {
            return -1;
        }
        from += n > 0 ? (uint64_t)n : 0;
        if (n > 0 && fd_write(to, span_of(piece, (size_t)n)) < 0) {
            return -1;
        }
    }
    return 0;
}

void outfile_cut(struct outfile *f, uint64_t size)
{
    if (!f->in_place && ftruncate(f->out.fd, (off_t)size) == 0) {
        (void)lseek(f->out.fd, (off_t)size, SEEK_SET);
    }
    f->out.written = size;
    f->out.number = 0;
}

void outfile_abort(struct outfile *f)
{
    if (!f->path) {
        return;
    }
    if (f->temp) {
        unlink(f->temp);
    }
    close_all(f);
}
