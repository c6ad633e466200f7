#include "proc/loop.h"

#include "base/clock.h"
#include "io/fd.h"

#include <errno.h>

enum { EVENTS_MAX = 64 };

int loop_open(struct loop *l, struct err *e)
{
    l->fd = epoll_create1(EPOLL_CLOEXEC);
    return l->fd < 0 ? err_system(e, errno, "cannot wait for events") : 0;
}

int loop_add(struct loop *l, struct loop_source *s, int fd, uint32_t events, struct err *e)
{
    struct epoll_event event = {.events = events, .data.ptr = s};
    s->steady = false;
    if (epoll_ctl(l->fd, EPOLL_CTL_ADD, fd, &event) < 0) {
        if (errno == ENOSPC || errno == ENOMEM) {
            return err_set(e, ERR_LATER, "no room to wait for one more descriptor");
        }
        if (errno != EPERM) {
            return err_system(e, errno, "cannot wait for descriptor %d", fd);
        }
        s->steady = true;
    }
    s->fd = fd;
    return 0;
}

void loop_change(struct loop *l, struct loop_source *s, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = s};
    if (s->fd >= 0 && !s->steady) {
        (void)epoll_ctl(l->fd, EPOLL_CTL_MOD, s->fd, &event);
    }
}

void loop_remove(struct loop *l, struct loop_source *s)
{
    if (s->fd >= 0 && !s->steady) {
        (void)epoll_ctl(l->fd, EPOLL_CTL_DEL, s->fd, NULL);
    }
    s->fd = -1;
}

void loop_drop(struct loop *l, struct loop_source *s, int *fd)
{
    loop_remove(l, s);
    fd_close(fd);
}

int loop_turn(struct loop *l, int64_t deadline)
{
    return loop_turn_for(l, clock_poll(deadline));
}

int loop_turn_for(struct loop *l, int millis)
{
    struct epoll_event events[EVENTS_MAX];
    int n = epoll_wait(l->fd, events, EVENTS_MAX, millis);
    for (int i = 0; i < n; i++) {
        struct loop_source *s = events[i].data.ptr;
        if (s->fd >= 0) {
            s->ready(s->owner, events[i].events);
        }
    }
    return n > 0 ? n : 0;
}

void loop_close(struct loop *l)
{
    fd_close(&l->fd);
}
