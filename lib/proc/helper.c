#include "proc/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- in the helper ---- */

/* Keep standard error and two pipes, which become descriptors 0 and 1. */
static void let_go(int out, int said)
{
    int high_out = fcntl(out, F_DUPFD_CLOEXEC, 3), high_said = fcntl(said, F_DUPFD_CLOEXEC, 3);
    if (high_out < 0 || high_said < 0 || dup2(high_out, 0) < 0 || dup2(high_said, 1) < 0) {
        _exit(1);
    }
    close_range(3, ~0U, 0);
}

static _Noreturn void help(pid_t parent, int out, int said,
                           int (*work)(void *context, int out, struct err *e), void *context)
{
    struct err e = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    prctl(PR_SET_NAME, "fanline-helper");
    let_go(out, said);
    if (work(context, 0, &e) == 0) {
        e = (struct err){0};
    }
    ssize_t told = write(1, &e, sizeof e); /* less than a pipe holds: in one piece */
    _exit(told == (ssize_t)sizeof e ? 0 : 1);
}

/* ---- beside it ---- */

static int no_helper(int number, struct err *e)
{
    return number == EAGAIN || number == ENOMEM || number == EMFILE || number == ENFILE
               ? err_set(e, ERR_LATER, "cannot start a helper: %s", strerror(number))
               : err_system(e, number, "cannot start a helper");
}

static void close_all(const int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

int helper_start(struct helper *h, int (*work)(void *context, int out, struct err *e),
                 void *context, struct err *e)
{
    int ends[4] = {-1, -1, -1, -1}; /* out, then said: to read, to write */
    pid_t parent = getpid(), pid = -1;
    *h = HELPER_NONE;
    if (pipe2(ends, O_CLOEXEC) == 0 && pipe2(ends + 2, O_CLOEXEC) == 0) {
        pid = fork();
    }
    if (pid == 0) {
        help(parent, ends[1], ends[3], work, context);
    }
    int number = errno;
    int pidfd = pid < 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    if (pid > 0 && pidfd < 0) {
        number = errno;
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    if (pidfd < 0) {
        close_all(ends, 4);
        return no_helper(number, e);
    }
    close(ends[1]);
    close(ends[3]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    *h = (struct helper){pidfd, ends[0], ends[2]};
    return 0;
}

int helper_result(struct helper *h, struct err *e)
{
    struct err told;
    ssize_t n;
    do {
        n = read(h->said, &told, sizeof told);
    } while (n < 0 && errno == EINTR);
    if (n != (ssize_t)sizeof told) {
        return err_set(e, ERR_IO, "a helper was killed");
    }
    if (told.code == ERR_NONE) {
        return 0;
    }
    *e = told;
    return -1;
}

void helper_stop(struct helper *h)
{
    if (h->pidfd >= 0) {
        siginfo_t ignored;
        (void)syscall(SYS_pidfd_send_signal, h->pidfd, SIGKILL, NULL, 0);
        while (waitid(P_PIDFD, (id_t)h->pidfd, &ignored, WEXITED) < 0 && errno == EINTR) {
        }
        const int ends[] = {h->pidfd, h->out, h->said};
        close_all(ends, 3);
    }
    *h = HELPER_NONE;
}
