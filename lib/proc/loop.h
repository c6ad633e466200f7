/*
 * loop.h: wait for many descriptors at once.
 *
 * A source is a descriptor and what is to be called when it is ready; it is part
 * of something larger that its `owner` points to.  A source may be called once although
 * nothing is ready any more, so what it reads must not block.
 *
 *     while (…) loop_turn(&loop, deadline);
 *
 * Floor: services.  A loop owns no source and no descriptor but its own.
 */
#ifndef FANLINE_PROC_LOOP_H
#define FANLINE_PROC_LOOP_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

struct loop_source {
    int fd; /* -1: not in a loop */
    void (*ready)(void *owner, uint32_t events);
    void *owner;
    bool steady; /* FD is always ready (a regular file) and not watched */
};

struct loop {
    int fd;
};

int loop_open(struct loop *l, struct err *e);

/*
 * Watch FD for EVENTS (EPOLLIN, …); EPOLLERR and EPOLLHUP always come.  A descriptor that cannot be
 * watched because it is always ready makes S steady.  Returns 0, or -1 with E filled: ERR_LATER
 * when the kernel is short of room for now.
 */
int loop_add(struct loop *l, struct loop_source *s, int fd, uint32_t events, struct err *e);

/* Watch S, which is in the loop, for other events. */
void loop_change(struct loop *l, struct loop_source *s, uint32_t events);

/* Watch S no longer; do this before its descriptor is closed. Legal when it is not in the loop. */
void loop_remove(struct loop *l, struct loop_source *s);

/* Watch S no longer and close its descriptor, which is *FD: -1 afterwards. */
void loop_drop(struct loop *l, struct loop_source *s, int *fd);

/*
 * Wait until a source is ready or DEADLINE (of clock_now) has come, and call what is ready.  A
 * deadline in the past means not to wait.  Returns how many were called.
 */
int loop_turn(struct loop *l, int64_t deadline);

/* The same for at most so many milliseconds, without a look at the clock; negative: no limit. */
int loop_turn_for(struct loop *l, int millis);

void loop_close(struct loop *l);

#endif
