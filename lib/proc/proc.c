#include "proc/proc.h"

#include "io/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FILES_PER_CHILD = 6, /* four streams, a pidfd, a file for large output */
    FILES_RESERVED = 8,  /* the child's ends of the streams, while it starts; files of ours */
    FILES_LEAST = 7,     /* of a child while it starts: three streams with both ends, a pidfd */
    FILES_AT_FIRST = 5   /* the guardian's pipe, /dev/null; our caller's loop, signals, timer */
};

/* ---- getting ready ---- */

static void raise_limit(struct proc *p)
{
    if (getrlimit(RLIMIT_NOFILE, &p->files) == 0) {
        struct rlimit most = {p->files.rlim_max, p->files.rlim_max};
        (void)setrlimit(RLIMIT_NOFILE, &most);
    }
}

/* Only what is ignored stays so through exec; handlers go by themselves. */
static void find_ignored(struct proc *p)
{
    struct sigaction action;
    for (int number = 1; number <= 64; number++) {
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN) {
            p->reset[p->reset_count++] = number;
        }
    }
}

static size_t count_open(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) {
        return 16;
    }
    while (readdir(folder)) {
        count++;
    }
    closedir(folder);
    return count > 3 ? count - 3 : 0; /* ".", ".." and the folder itself */
}

/* How many descriptors may still be opened. */
static size_t files_left(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_cur == RLIM_INFINITY) {
        return SIZE_MAX;
    }
    size_t used = count_open();
    return limit.rlim_cur > used ? (size_t)limit.rlim_cur - used : 0;
}

size_t proc_room(void)
{
    size_t left = files_left();
    if (left < FILES_RESERVED + FILES_PER_CHILD) {
        return left < FILES_LEAST ? 0 : 1;
    }
    return left == SIZE_MAX ? left : (left - FILES_RESERVED) / FILES_PER_CHILD;
}

/* Better now than when the first command is to be started. */
static int check_room(struct err *e)
{
    size_t left = files_left();
    struct rlimit limit = {0};
    if (left >= FILES_LEAST + FILES_AT_FIRST) {
        return 0;
    }
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    return err_set(e, ERR_IO,
                   "the limit of open files is %llu, too low to run a command: it takes %llu",
                   (unsigned long long)limit.rlim_cur,
                   (unsigned long long)(limit.rlim_cur - left + FILES_LEAST + FILES_AT_FIRST));
}

static void free_rest(struct proc *p)
{
    fd_close(&p->null);
    if (p->stack) {
        munmap(p->stack, PROC_STACK_SIZE);
    }
    *p = (struct proc){.null = -1};
}

int proc_open(struct proc *p, size_t count, struct err *e)
{
    *p = (struct proc){.null = -1};
    raise_limit(p);
    if (check_room(e) < 0 || guard_start(&p->guard, count, e) < 0) {
        (void)setrlimit(RLIMIT_NOFILE, &p->files);
        return -1;
    }
    void *stack = mmap(NULL, PROC_STACK_SIZE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    p->stack = stack == MAP_FAILED ? NULL : stack;
    p->null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (!p->stack || p->null < 0) {
        err_system(e, errno, "cannot get ready to start commands");
        guard_stop(&p->guard);
        (void)setrlimit(RLIMIT_NOFILE, &p->files);
        free_rest(p);
        return -1;
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigaction(SIGPIPE, &ignore, &p->pipe);
    sigaction(SIGCHLD, &standard, NULL); /* were it ignored, children would vanish unseen */
    find_ignored(p);
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    (void)close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    return 0;
}

void proc_close(struct proc *p)
{
    if (!p->guard.places) {
        return;
    }
    guard_stop(&p->guard);
    sigaction(SIGPIPE, &p->pipe, NULL);
    (void)setrlimit(RLIMIT_NOFILE, &p->files);
    free_rest(p);
}

/* ---- while it runs ---- */

void proc_close_pipes(struct child *c)
{
    fd_close(&c->in);
    fd_close(&c->out);
    fd_close(&c->err);
    fd_close(&c->beat);
}

void proc_feed(struct child *c, struct span input)
{
    while (c->in >= 0 && c->fed < input.len) {
        ssize_t n = write(c->in, input.at + c->fed, input.len - c->fed);
        if (n >= 0) {
            c->fed += (size_t)n;
        } else if (errno == EAGAIN) {
            return;
        } else if (errno != EINTR) {
            break; /* it reads no more, which is its own business */
        }
    }
    fd_close(&c->in);
}

bool proc_beat(const struct child *c, bool *heard)
{
    char bytes[256];
    ssize_t n = read(c->beat, bytes, sizeof bytes);
    *heard = n > 0;
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
}

bool proc_ended(struct child *c)
{
    if (!c->ended && c->pid > 0 && waitpid(c->pid, &c->status, WNOHANG) == c->pid) {
        c->ended = true;
        fd_close(&c->exit_fd);
    }
    return c->ended;
}

bool proc_is_over(const struct child *c)
{
    siginfo_t info = {0};
    return c->ended || (waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                        info.si_pid == c->pid);
}

/* Is there a member of C's group that nobody has reaped, so that the number is still its? */
static bool has_members(const struct child *c)
{
    siginfo_t info;
    return c->pid > 0 && waitid(P_PGID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void proc_signal(const struct child *c, int number)
{
    if (has_members(c)) {
        kill(-c->pid, number);
        kill(-c->pid, SIGCONT);
    }
}

void proc_pause(const struct child *c, bool stop)
{
    if (has_members(c)) {
        kill(-c->pid, stop ? SIGSTOP : SIGCONT);
    }
}

bool proc_gone(struct proc *p, struct child *c)
{
    siginfo_t info;
    do {
        info.si_pid = 0;
        if (waitid(P_PGID, (id_t)c->pid, &info, WEXITED | WNOHANG) < 0 && errno == ECHILD) {
            p->guard.places[c->place].group = 0;
            p->running--;
            *c = (struct child){.exit_fd = -1, .in = -1, .out = -1, .err = -1, .beat = -1};
            return true;
        }
    } while (info.si_pid != 0);
    return false;
}

static bool is_ours(const struct proc *p, pid_t pid)
{
    for (size_t i = 0; i < p->guard.count; i++) {
        if (p->guard.places[i].group == pid) {
            return true;
        }
    }
    return false;
}

/* A guardian that was ended is missed until another one can be forked. */
static int replace_guardian(struct proc *p, struct err *e)
{
    struct err why = {0};
    if (guard_replace(&p->guard, &why) == 0 || why.code == ERR_LATER) {
        return 0;
    }
    *e = why;
    return -1;
}

int proc_sweep(struct proc *p, struct err *e)
{
    siginfo_t info = {0};
    while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid > 0 &&
           !is_ours(p, info.si_pid)) {
        waitpid(info.si_pid, NULL, WNOHANG);
        p->guard.pid = info.si_pid == p->guard.pid ? 0 : p->guard.pid;
        info.si_pid = 0;
    }
    return p->guard.pid == 0 ? replace_guardian(p, e) : 0;
}
