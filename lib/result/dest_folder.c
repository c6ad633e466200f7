/* Results in a folder of the file system. */
#include "result/dest.h"

#include "base/mem.h"
#include "io/folder.h"
#include "io/outfile.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct folder {
    int fd;       /* holds a lock on it */
    bool is_ours; /* it was made here */
};

static int check(const char *url, struct err *e)
{
    size_t scheme = strspn(url, "abcdefghijklmnopqrstuvwxyz0123456789+.-");
    if (!*url) {
        return err_set(e, ERR_USAGE, "the folder for the results has an empty name");
    }
    if (scheme > 0 && strncmp(url + scheme, "://", 3) == 0) {
        return err_set(e, ERR_USAGE, "cannot write to %s: only to a folder, s3:// or oss://", url);
    }
    return 0;
}

/* The folder takes the place of the bucket; it is shown as given, without slashes at its end. */
static void place(struct dest_place *p, const char *url, const char *run)
{
    size_t len = strlen(url);
    while (len > 1 && url[len - 1] == '/') {
        len--;
    }
    p->bucket = mem_copy(url, len);
    p->folder = mem_text(run);
    p->url = dest_join(p->bucket, run);
}

static int take_folder(const struct dest *d, struct folder *f, struct err *e)
{
    f->fd = open(d->url, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->fd < 0) {
        return err_system(e, errno, "cannot use the folder %s", d->url);
    }
    if (flock(f->fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK) {
        return err_set(e, ERR_LATER, "another process is writing to %s", d->url);
    }
    return 0;
}

static int open_folder(struct dest *d, struct err *e)
{
    struct stat st;
    struct folder *f = mem_new(1, sizeof *f);
    d->state = f;
    f->fd = -1;
    bool absent = lstat(d->url, &st) < 0;
    if (folder_make(d->url, e) < 0 || take_folder(d, f, e) < 0) {
        return -1;
    }
    f->is_ours = absent;
    return 0;
}

static int holds(const struct dest *d, const char *name, struct err *e)
{
    struct stat st;
    const struct folder *f = d->state;
    if (fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
        return 1;
    }
    return errno == ENOENT ? 0 : err_system(e, errno, "cannot look into %s", d->url);
}

/* FRESH needs no care: the folder is ours alone. */
static int create(struct dest *d, const char *name, bool fresh, struct dest_file *f, struct err *e)
{
    (void)fresh;
    struct outfile *file = mem_new(1, sizeof *file);
    char *path = dest_join(d->url, name);
    int rc = outfile_open(file, path, e);
    free(path);
    if (rc < 0) {
        free(file);
        return rc;
    }
    f->state = file;
    f->out = &file->out;
    return 0;
}

static void hurry(struct dest_file *f)
{
    const struct outfile *file = f->state;
    (void)sync_file_range(file->out.fd, 0, 0, SYNC_FILE_RANGE_WRITE); /* only a wish */
}

static int commit(struct dest_file *f, struct err *e)
{
    int rc = outfile_commit(f->state, e);
    free(f->state);
    return rc;
}

static void forget(struct dest_file *f, struct err *e)
{
    (void)e;
    outfile_abort(f->state);
    free(f->state);
}

static int list(struct dest *d, int (*take)(void *context, const char *name, struct err *e),
                void *context, struct err *e)
{
    DIR *folder = opendir(d->url);
    if (!folder) {
        return err_system(e, errno, "cannot read the folder %s", d->url);
    }
    int rc = 0;
    errno = 0;
    for (const struct dirent *entry; rc == 0 && (entry = readdir(folder)); errno = 0) {
        rc = take(context, entry->d_name, e);
    }
    if (rc == 0 && errno) {
        rc = err_system(e, errno, "cannot read the folder %s", d->url);
    }
    closedir(folder);
    return rc;
}

static int take_away(struct dest *d, const char *name, struct err *e)
{
    const struct folder *f = d->state;
    return unlinkat(f->fd, name, 0) < 0 && errno != ENOENT
               ? err_system(e, errno, "cannot remove the old %s/%s", d->url, name)
               : 0;
}

static bool same(const struct dest *d, const char *url)
{
    const struct folder *f = d->state;
    struct stat ours;
    struct stat other;
    return fstat(f->fd, &ours) == 0 && stat(url, &other) == 0 && ours.st_dev == other.st_dev &&
           ours.st_ino == other.st_ino;
}

static void close_folder(struct dest *d)
{
    struct folder *f = d->state;
    if (f->is_ours && !d->keep) {
        (void)rmdir(d->url); /* stays if it holds anything */
    }
    if (f->fd >= 0) {
        close(f->fd);
    }
    free(f);
}

const struct dest_kind dest_folder = {
    .check = check,
    .place = place,
    .open = open_folder,
    .holds = holds,
    .create = create,
    .hurry = hurry,
    .commit = commit,
    .forget = forget,
    .list = list,
    .remove = take_away,
    .same = same,
    .close = close_folder,
};
