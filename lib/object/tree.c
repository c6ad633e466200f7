#include "object/tree.h"

#include "base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A name in a folder, and if it leads to another folder. */
struct name {
    char *text;
    bool folder;
};

struct tree_level {
    int fd;
    dev_t device;
    ino_t inode;
    struct name *names;
    size_t count;
    size_t next;
    size_t path_len; /* of the folder, with its slash */
};

static int complain(const struct tree *t, const char *name, struct err *e)
{
    int number = errno;
    struct buf path = {0};
    buf_add_span(&path, buf_span(&t->path));
    buf_add_text(&path, name);
    err_system(e, number, "cannot list %s", path.len > 0 ? buf_text(&path) : ".");
    buf_release(&path);
    return -1;
}

/*
 * The order of keys: that of the bytes of the paths, in which a folder's name goes on with a
 * slash ("a.txt" comes before "a/b").
 */
static int compare(const void *a, const void *b)
{
    const struct name *x = a;
    const struct name *y = b;
    size_t i = 0;
    while (x->text[i] && x->text[i] == y->text[i]) {
        i++;
    }
    unsigned char left = (unsigned char)(x->text[i] || !x->folder ? x->text[i] : '/');
    unsigned char right = (unsigned char)(y->text[i] || !y->folder ? y->text[i] : '/');
    return (left > right) - (left < right);
}

/* ---- a folder ---- */

/* Does NAME, in the folder FD, lead to a folder?  Links count only where they are followed. */
static bool is_folder(const struct tree *t, int fd, const struct dirent *d)
{
    struct stat st;
    if (d->d_type != DT_UNKNOWN && (d->d_type != DT_LNK || !t->follow)) {
        return d->d_type == DT_DIR;
    }
    return fstatat(fd, d->d_name, &st, t->follow ? 0 : AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(st.st_mode);
}

/* All names of the folder L, sorted. */
static int read_names(const struct tree *t, struct tree_level *l)
{
    int fd = fcntl(l->fd, F_DUPFD_CLOEXEC, 0);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        return -1;
    }
    size_t cap = 0;
    struct dirent *d;
    while (errno = 0, (d = readdir(dir))) {
        if (strcmp(d->d_name, ".") != 0 && strcmp(d->d_name, "..") != 0) {
            l->names = mem_grow(l->names, &cap, l->count, sizeof *l->names);
            l->names[l->count++] = (struct name){mem_text(d->d_name), is_folder(t, l->fd, d)};
        }
    }
    int number = errno;
    closedir(dir);
    errno = number;
    if (l->count > 1) {
        qsort(l->names, l->count, sizeof *l->names, compare);
    }
    return number ? -1 : 0;
}

static void close_level(struct tree_level *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->names[i].text);
    }
    free(l->names);
    close(l->fd);
}

/* Does the folder of ST lead back into itself? */
static bool is_loop(const struct tree *t, const struct stat *st)
{
    for (size_t i = 0; i < t->depth; i++) {
        if (t->levels[i].inode == st->st_ino && t->levels[i].device == st->st_dev) {
            return true;
        }
    }
    return false;
}

/* Read the folder that L has open; NAME is for messages. */
static int fill_level(const struct tree *t, struct tree_level *l, const char *name, struct err *e)
{
    struct stat st;
    if (fstat(l->fd, &st) < 0) {
        return complain(t, name, e);
    }
    if (is_loop(t, &st)) {
        errno = ELOOP;
        return complain(t, name, e);
    }
    l->device = st.st_dev;
    l->inode = st.st_ino;
    return read_names(t, l) < 0 ? complain(t, name, e) : 0;
}

/* Has NAME gone from the folder FD since it was listed? */
static bool is_gone(int fd, const char *name)
{
    struct stat st;
    return fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT;
}

/*
 * Go into the folder FILE of FD.  NAME is what that adds to t->path: nothing for the first one.
 * Returns 0, also where it has gone meanwhile, or -1 with E filled.
 */
static int enter(struct tree *t, int fd, const char *file, const char *name, struct err *e)
{
    int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (t->follow || t->depth == 0 ? 0 : O_NOFOLLOW);
    struct tree_level l = {.fd = openat(fd, file, flags)};
    if (l.fd < 0) {
        int number = errno;
        bool gone = t->depth > 0 && is_gone(fd, file);
        errno = number;
        return gone ? 0 : complain(t, name, e);
    }
    if (fill_level(t, &l, name, e) < 0) {
        close_level(&l);
        return -1;
    }
    buf_add_text(&t->path, name);
    if (t->path.len > 0 && t->path.at[t->path.len - 1] != '/') {
        buf_add_byte(&t->path, '/');
    }
    l.path_len = t->path.len;
    t->levels = mem_grow(t->levels, &t->cap, t->depth, sizeof *t->levels);
    t->levels[t->depth++] = l;
    return 0;
}

/* ---- the tree ---- */

const char *tree_name(const char *path)
{
    while (path[0] == '.' && path[1] == '/') {
        const char *rest = path + 2 + strspn(path + 2, "/");
        if (!*rest) {
            return ".";
        }
        path = rest;
    }
    return path;
}

int tree_open(struct tree *t, const char *path, bool follow, struct err *e)
{
    *t = (struct tree){.follow = follow};
    path = tree_name(path);
    if (strcmp(path, ".") != 0) {
        buf_add_text(&t->path, path);
    }
    return enter(t, AT_FDCWD, path, "", e);
}

/*
 * Look at the next name of the innermost folder.  1: it is a file; 0: it was something else, and
 * has been dealt with; -1 with E filled.
 */
static int look(struct tree *t, struct stat *st, int *fd, const char **name, struct err *e)
{
    struct tree_level *l = &t->levels[t->depth - 1];
    const struct name *n = &l->names[l->next++];
    t->path.len = l->path_len;
    if (n->folder) {
        return enter(t, l->fd, n->text, n->text, e);
    }
    if (fstatat(l->fd, n->text, st, t->follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0) {
        int number = errno;
        bool gone = is_gone(l->fd, n->text);
        errno = number;
        return gone ? 0 : complain(t, n->text, e);
    }
    if (!S_ISREG(st->st_mode)) {
        return 0;
    }
    buf_add_text(&t->path, n->text);
    *fd = l->fd;
    *name = n->text;
    return 1;
}

int tree_next(struct tree *t, struct stat *st, int *fd, const char **name, struct err *e)
{
    while (t->depth > 0) {
        struct tree_level *l = &t->levels[t->depth - 1];
        if (l->next == l->count) {
            close_level(l);
            t->depth--;
            continue;
        }
        int rc = look(t, st, fd, name, e);
        if (rc != 0) {
            return rc;
        }
    }
    return 0;
}

void tree_release(struct tree *t)
{
    while (t->depth > 0) {
        close_level(&t->levels[--t->depth]);
    }
    free(t->levels);
    buf_release(&t->path);
    *t = (struct tree){0};
}
