#include "store/wake_log.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LOG_MAX = 1 << 20, /* then the file is begun anew */
    ID_MAX = 1 << 30,  /* longer than any id: what claims to be is none */
    CHUNK = 64 * 1024
};

void wake_log_init(struct wake_log *l, const char *path)
{
    struct buf name = {0};
    buf_printf(&name, "%s-wake", path);
    *l = (struct wake_log){.path = mem_text(buf_text(&name)), .mouth = -1, .ears = -1, .bell = -1};
    buf_release(&name);
}

static void close_one(int *fd)
{
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
}

void wake_log_release(struct wake_log *l)
{
    close_one(&l->mouth);
    close_one(&l->ears);
    close_one(&l->bell);
    buf_release(&l->saying);
    buf_release(&l->unfinished);
    free(l->path);
}

/* ---- saying ---- */

void wake_log_say(struct wake_log *l, struct span id)
{
    uint32_t len = (uint32_t)id.len;
    if (id.len < ID_MAX) {
        buf_add(&l->saying, (const char *)&len, sizeof len);
        buf_add_span(&l->saying, id);
    }
}

/* Have the file that has the name now open for appending, a new one if that has grown large. */
static bool open_mouth(struct wake_log *l)
{
    for (int attempt = 0; attempt < 3; attempt++) {
        struct stat st;
        if (l->mouth < 0) {
            l->mouth = open(l->path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
        }
        if (l->mouth < 0 || fstat(l->mouth, &st) < 0) {
            return false;
        }
        if (st.st_nlink > 0 && st.st_size < LOG_MAX) {
            return true;
        }
        if (st.st_nlink > 0) {
            (void)unlink(l->path); /* of two who do this at once both make those who listen look */
        }
        close_one(&l->mouth);
    }
    return false;
}

void wake_log_send(struct wake_log *l)
{
    if (l->saying.len > 0 && open_mouth(l)) {
        ssize_t ignored = write(l->mouth, l->saying.at, l->saying.len); /* in one piece */
        (void)ignored;
    }
    buf_reset(&l->saying);
}

/* ---- hearing ---- */

static bool open_ears(struct wake_log *l)
{
    close_one(&l->ears);
    l->ears = open(l->path, O_RDONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    buf_reset(&l->unfinished);
    if (l->ears < 0 ||
        inotify_add_watch(l->bell, l->path, IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF) < 0) {
        close_one(&l->ears);
        return false;
    }
    off_t end = lseek(l->ears, 0, SEEK_END);
    l->heard = end > 0 ? (uint64_t)end : 0;
    return true;
}

bool wake_log_listen(struct wake_log *l)
{
    if (l->bell < 0) {
        l->bell = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    }
    if (l->bell < 0 || (l->ears < 0 && !open_ears(l))) {
        close_one(&l->bell);
        return false;
    }
    return true;
}

int wake_log_fd(const struct wake_log *l)
{
    return l->ears >= 0 ? l->bell : -1;
}

/* Tell the whole records at the front of what was read. False: it is no log of ours. */
static bool tell_records(struct wake_log *l, void (*tell)(void *context, struct span id),
                         void *context)
{
    struct span rest = buf_span(&l->unfinished);
    uint32_t len;
    while (rest.len >= sizeof len) {
        memcpy(&len, rest.at, sizeof len);
        if (len == 0 || len >= ID_MAX) {
            return false;
        }
        if (rest.len - sizeof len < len) {
            break;
        }
        tell(context, span_of(rest.at + sizeof len, len));
        rest = span_of(rest.at + sizeof len + len, rest.len - sizeof len - len);
    }
    if (rest.len > 0) {
        memmove(l->unfinished.at, rest.at, rest.len);
    }
    l->unfinished.len = rest.len;
    return true;
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
    struct stat st;
    if (p.fd < 0 || poll(&p, 1, 0) <= 0) {
        return 0;
    }
    quiet(l);
    bool fine = read_on(l, tell, context);
    if (!fine) {
        (void)unlink(l->path); /* whatever it is, it is not for us */
    }
    if (!fine || fstat(l->ears, &st) < 0 || st.st_nlink == 0) {
        (void)open_ears(l); /* another one has its name by now */
        return 1;
    }
    return 0;
}
