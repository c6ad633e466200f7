#include "store/wake_log.h"

#include "base/mem.h"
#include "io/fd.h"
#include "store/announce.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum {
    CHUNK = 64 * 1024,
    OPEN_ALWAYS = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, /* the name may be that of a fifo */
    EVENTS = IN_MODIFY | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF
};

void wake_log_init(struct wake_log *l, const char *path)
{
    struct buf name = {0};
    buf_printf(&name, "%s-wake", path);
    *l = (struct wake_log){.store = mem_text(path),
                           .path = mem_text(buf_text(&name)),
                           .mouth = -1,
                           .ears = -1,
                           .bell = -1};
    buf_release(&name);
}

void wake_log_release(struct wake_log *l)
{
    fd_close(&l->mouth);
    fd_close(&l->ears);
    fd_close(&l->bell);
    buf_release(&l->saying);
    buf_release(&l->unfinished);
    free(l->path);
    free(l->store);
}

/* Is FD the file that has the name now? Then *SIZE is its length. */
static bool is_current(const struct wake_log *l, int fd, uint64_t *size)
{
    struct stat ours, named;
    if (fstat(fd, &ours) < 0 || lstat(l->path, &named) < 0 || !S_ISREG(named.st_mode)) {
        return false;
    }
    *size = (uint64_t)ours.st_size;
    return ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

/* ---- saying ---- */

void wake_log_say(struct wake_log *l, struct span id)
{
    announce_add(&l->saying, id);
}

/* Have the file that has the name now open for appending. */
static bool open_mouth(struct wake_log *l, uint64_t *size)
{
    if (l->mouth >= 0 && is_current(l, l->mouth, size)) {
        return true;
    }
    fd_close(&l->mouth);
    l->mouth = open(l->path, O_WRONLY | O_APPEND | OPEN_ALWAYS);
    return l->mouth >= 0 && is_current(l, l->mouth, size);
}

/*
 * Who listens notices.  If another process has done the same at this moment it is the new file that
 * is unlinked: then they notice once more.
 */
static void begin_anew(struct wake_log *l)
{
    (void)unlink(l->path);
    fd_close(&l->mouth);
}

void wake_log_send(struct wake_log *l)
{
    uint64_t size;
    if (l->saying.len > 0 && open_mouth(l, &size)) {
        bool fits = size + l->saying.len <= WAKE_LOG_MAX;
        /* in one piece, unless the disk is full or we are killed */
        if (!fits || write(l->mouth, l->saying.at, l->saying.len) != (ssize_t)l->saying.len) {
            begin_anew(l);
        }
    }
    buf_reset(&l->saying);
}

/* ---- hearing ---- */

bool wake_log_is_told(uint32_t type)
{
    static const uint32_t shared[] = {
        NFS_SUPER_MAGIC,  SMB_SUPER_MAGIC,  CIFS_SUPER_MAGIC, SMB2_SUPER_MAGIC,
        V9FS_MAGIC,       AFS_SUPER_MAGIC,  AFS_FS_MAGIC,     CODA_SUPER_MAGIC,
        CEPH_SUPER_MAGIC, FUSE_SUPER_MAGIC, 0x0BD00BD0, /* Lustre */
        0x7461636F,                                     /* OCFS2 */
        0x01161970,                                     /* GFS2 */
        0x47504653,                                     /* GPFS */
        0x786F4256,                                     /* vboxsf */
        0xBACBACBC                                      /* vmhgfs */
    };
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        if (type == shared[i]) {
            return false;
        }
    }
    return true;
}

/* Whoever may use the store may use its log: as far as we can give it to them. */
static void share(const struct wake_log *l, int fd)
{
    struct stat store;
    if (stat(l->store, &store) == 0) {
        int ignored = fchown(fd, geteuid() == 0 ? store.st_uid : (uid_t)-1, store.st_gid);
        ignored = fchmod(fd, store.st_mode & 0666);
        (void)ignored;
    }
}

/* Open the log for reading, or make it. -1: neither is possible. */
static int open_or_make(const struct wake_log *l)
{
    int fd = open(l->path, O_RDONLY | OPEN_ALWAYS);
    if (fd < 0 && errno == ENOENT) {
        fd = open(l->path, O_RDONLY | O_CREAT | O_EXCL | OPEN_ALWAYS, 0600);
        if (fd >= 0) {
            share(l, fd);
        } else if (errno == EEXIST) { /* another process was faster */
            fd = open(l->path, O_RDONLY | OPEN_ALWAYS);
        }
    }
    return fd;
}

/* Listen from the end of the file on that has the name now. */
static bool open_ears(struct wake_log *l)
{
    struct statfs system;
    uint64_t size;
    fd_close(&l->ears);
    buf_reset(&l->unfinished);
    l->ears = open_or_make(l);
    if (l->ears < 0 || fstatfs(l->ears, &system) < 0 ||
        !wake_log_is_told((uint32_t)system.f_type) ||
        inotify_add_watch(l->bell, l->path, EVENTS | IN_DONT_FOLLOW) < 0 ||
        !is_current(l, l->ears, &size)) { /* what is said to it from here on rings */
        fd_close(&l->ears);
        return false;
    }
    l->heard = size;
    return true;
}

/* The same, although others may unlink it at this very moment. */
static bool listen_anew(struct wake_log *l)
{
    for (int attempt = 0; attempt < 3; attempt++) {
        if (open_ears(l)) {
            return true;
        }
    }
    return false;
}

bool wake_log_listen(struct wake_log *l)
{
    if (l->bell < 0) {
        l->bell = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    }
    if (l->bell < 0 || (l->ears < 0 && !listen_anew(l))) {
        fd_close(&l->bell);
        return false;
    }
    return true;
}

int wake_log_fd(const struct wake_log *l)
{
    return l->ears >= 0 ? l->bell : -1;
}

/* Tell the whole records of what was read. False: it is no log of ours. */
static bool tell_records(struct wake_log *l, void (*tell)(void *context, struct span id),
                         void *context)
{
    struct span rest;
    bool fine = announce_read(buf_span(&l->unfinished), tell, context, &rest);
    if (rest.len > 0) {
        memmove(l->unfinished.at, rest.at, rest.len);
    }
    l->unfinished.len = rest.len;
    return fine && rest.len <= WAKE_LOG_MAX;
}

/* Read to the end of the file. False: it is no log of ours. */
static bool read_on(struct wake_log *l, void (*tell)(void *context, struct span id), void *context)
{
    for (;;) {
        ssize_t n = pread(l->ears, buf_room(&l->unfinished, CHUNK), CHUNK, (off_t)l->heard);
        if (n <= 0) {
            return n == 0 || errno == EINTR;
        }
        l->unfinished.len += (size_t)n;
        l->heard += (uint64_t)n;
        if (!tell_records(l, tell, context)) {
            return false;
        }
    }
}

/* Empty the bell. */
static void quiet(const struct wake_log *l)
{
    char events[4096];
    while (read(l->bell, events, sizeof events) > 0) {
    }
}

int wake_log_hear(struct wake_log *l, void (*tell)(void *context, struct span id), void *context)
{
    struct pollfd p = {.fd = wake_log_fd(l), .events = POLLIN};
    uint64_t size;
    if (p.fd < 0 || poll(&p, 1, 0) <= 0) {
        return 0;
    }
    quiet(l);
    bool fine = read_on(l, tell, context);
    if (fine && is_current(l, l->ears, &size) && size >= l->heard) {
        return 0;
    }
    (void)listen_anew(l);
    return 1;
}
