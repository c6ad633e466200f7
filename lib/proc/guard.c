#include "proc/guard.h"

#include "io/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Kill every group in the table. */
static void kill_all(const struct guard *g)
{
    for (size_t i = 0; i < g->count; i++) {
        pid_t group = g->places[i].group;
        if (group > 0) {
            kill(-group, SIGKILL);
        }
    }
}

/* Keep nothing of what we inherited but the pipe, which becomes descriptor 0. */
static void let_go(int pipe)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    setsid();
    if (chdir("/") < 0) {
        /* then we stay where we are, and only pin that folder */
    }
    dup2(pipe, 0);
    close_range(1, ~0U, 0);
    prctl(PR_SET_NAME, "fanline-guard");
}

static _Noreturn void watch(const struct guard *g, int pipe)
{
    char byte;
    let_go(pipe);
    while (read(0, &byte, 1) < 0 && errno == EINTR) {
    }
    kill_all(g);
    _exit(0);
}

static int no_guardian(int number, struct err *e)
{
    return number == EAGAIN || number == ENOMEM
               ? err_set(e, ERR_LATER, "cannot start the guardian: %s", strerror(number))
               : err_system(e, number, "cannot start the guardian");
}

/* Fork the guardian of a table that is there. */
static int fork_guardian(struct guard *g, struct err *e)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) {
        return no_guardian(errno, e);
    }
    pid_t pid = fork();
    if (pid < 0) {
        int number = errno;
        close(ends[0]);
        close(ends[1]);
        return no_guardian(number, e);
    }
    if (pid == 0) {
        watch(g, ends[0]);
    }
    close(ends[0]);
    fd_close(&g->alive);
    g->alive = ends[1];
    g->pid = pid;
    return 0;
}

int guard_start(struct guard *g, size_t count, struct err *e)
{
    *g = (struct guard){.count = count, .alive = -1};
    void *places = mmap(NULL, count * sizeof *g->places, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (places == MAP_FAILED) {
        return no_guardian(errno, e);
    }
    g->places = places;
    if (fork_guardian(g, e) < 0) {
        munmap(places, count * sizeof *g->places);
        *g = (struct guard){.alive = -1};
        return -1;
    }
    return 0;
}

int guard_replace(struct guard *g, struct err *e)
{
    return fork_guardian(g, e);
}

void guard_stop(struct guard *g)
{
    if (!g->places) {
        return;
    }
    kill_all(g);
    if (g->pid > 0) {
        kill(g->pid, SIGKILL);
        while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    close(g->alive);
    munmap(g->places, g->count * sizeof *g->places);
    *g = (struct guard){.alive = -1};
}
