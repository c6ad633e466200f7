#include "run/pace.h"

#include <errno.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <unistd.h>

static void on_ring(void *owner, uint32_t events)
{
    struct pace *p = owner;
    uint64_t rings;
    (void)events;
    if (read(p->timer.fd, &rings, sizeof rings) == sizeof rings) {
        p->running = false;
        p->rang = true;
    }
}

int pace_open(struct pace *p, struct loop *l, struct err *e)
{
    *p = (struct pace){.timer = {.fd = -1, .ready = on_ring, .owner = p}};
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (fd < 0) {
        return err_system(e, errno, "cannot make a timer");
    }
    if (loop_add(l, &p->timer, fd, EPOLLIN, e) < 0) {
        close(fd);
        return -1;
    }
    return 0;
}

int64_t pace_now(const struct pace *p)
{
    return p->running ? p->now : clock_now();
}

static void start(struct pace *p)
{
    const struct itimerspec once = {.it_value.tv_nsec = PACE};
    p->now = clock_now();
    p->events_then = p->events;
    p->running = timerfd_settime(p->timer.fd, 0, &once, NULL) == 0;
}

bool pace_turn(struct pace *p, struct loop *l, int64_t deadline)
{
    if (!p->running) {
        start(p);
    }
    p->rang = false;
    bool far = p->running && deadline > p->now + 2 * PACE;
    int called = far ? loop_turn_for(l, -1) : loop_turn(l, deadline);
    uint64_t others = called > 0 ? (uint64_t)called - p->rang : 0;
    p->events += others;
    return others == 0 && (!p->rang || p->events == p->events_then);
}

void pace_close(struct pace *p, struct loop *l)
{
    int fd = p->timer.fd;
    if (p->timer.ready && fd >= 0) {
        loop_remove(l, &p->timer);
        close(fd);
    }
}
