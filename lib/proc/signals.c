#include "proc/signals.h"

#include <errno.h>
#include <sys/signalfd.h>
#include <unistd.h>

static bool is_ignored(int number)
{
    struct sigaction action;
    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

int signals_open(struct signals *s, const int *list, size_t count, struct err *e)
{
    sigset_t caught;
    sigemptyset(&caught);
    for (size_t i = 0; i < count; i++) {
        if (!is_ignored(list[i])) {
            sigaddset(&caught, list[i]);
        }
    }
    s->fd = signalfd(-1, &caught, SFD_CLOEXEC | SFD_NONBLOCK);
    if (s->fd < 0) {
        return err_system(e, errno, "cannot receive signals");
    }
    sigprocmask(SIG_BLOCK, &caught, &s->before);
    return 0;
}

int signals_next_value(const struct signals *s, int *value)
{
    struct signalfd_siginfo info;
    if (read(s->fd, &info, sizeof info) != sizeof info) {
        return 0;
    }
    *value = info.ssi_code == SI_QUEUE ? info.ssi_int : 0;
    return (int)info.ssi_signo;
}

int signals_next(const struct signals *s)
{
    int value;
    return signals_next_value(s, &value);
}

void signals_stop(int number)
{
    sigset_t set;
    sigset_t before;
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, &before); /* here it stops, and goes on */
    sigprocmask(SIG_SETMASK, &before, NULL);
}

void signals_close(struct signals *s)
{
    if (s->fd >= 0) {
        close(s->fd);
        sigprocmask(SIG_SETMASK, &s->before, NULL);
        s->fd = -1;
    }
}

void signals_close_deaf(struct signals *s)
{
    if (s->fd >= 0) {
        close(s->fd);
        s->fd = -1; /* they stay blocked */
    }
}

void signals_die(int number)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    signal(number, SIG_DFL);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}
