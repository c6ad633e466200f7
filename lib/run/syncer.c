#include "run/syncer.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void ring(int fd)
{
    const uint64_t one = 1;
    while (write(fd, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

static bool hear(int fd)
{
    uint64_t count;
    return read(fd, &count, sizeof count) == sizeof count;
}

static void *work(void *argument)
{
    struct syncer *s = argument;
    while (hear(s->wake) && !atomic_load(&s->stop)) {
        if (fdatasync(s->file) < 0) {
            atomic_store(&s->number, errno);
        }
        ring(s->done);
    }
    return NULL;
}

/* Signals are for the main thread. */
static int start_thread(struct syncer *s)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int number = pthread_create(&s->thread, NULL, work, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return number;
}

int syncer_open(struct syncer *s, int file, struct err *e)
{
    s->file = file;
    s->wake = eventfd(0, EFD_CLOEXEC);
    s->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int number = s->wake < 0 || s->done < 0 ? errno : start_thread(s);
    s->started = number == 0;
    return number ? err_system(e, number, "cannot get ready to make the journal durable") : 0;
}

void syncer_begin(struct syncer *s)
{
    s->busy = true;
    ring(s->wake);
}

int syncer_ended(struct syncer *s, struct err *e)
{
    if (!hear(s->done)) {
        return 0;
    }
    s->busy = false;
    int number = atomic_load(&s->number);
    return number ? err_system(e, number, "cannot make the journal durable") : 1;
}

void syncer_close(struct syncer *s)
{
    if (s->started) {
        atomic_store(&s->stop, true);
        ring(s->wake);
        pthread_join(s->thread, NULL);
        close(s->wake);
        close(s->done);
        s->started = false;
    }
}
