#include "proc/proc.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child needs to know until exec. */
struct birth {
    const struct proc *proc;
    const struct proc_command *command;
    struct guard_place *place;
    int in, out, err, beat; /* its ends of the streams; beat is -1 where there is none */
};

static void default_signals(const struct proc *p)
{
    struct sigaction standard = {.sa_handler = SIG_DFL};
    sigset_t none;
    for (size_t i = 0; i < p->reset_count; i++) {
        sigaction(p->reset[i], &standard, NULL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Descriptor 3 of a child that gives signs of life; the others have none. */
static int give_beat(int fd)
{
    return fd < 0 ? 0 : fd == 3 ? fcntl(3, F_SETFD, 0) : dup2(fd, 3);
}

/*
 * The child, in our memory, until exec.  It enters its group in the table before anything else, for
 * from now on the guardian answers for it.
 */
static int be_born(void *argument)
{
    const struct birth *b = argument;
    b->place->group = getpid();
    setpgid(0, 0);
    default_signals(b->proc);
    (void)setrlimit(RLIMIT_NOFILE, &b->proc->files);
    if (dup2(b->in, STDIN_FILENO) >= 0 && dup2(b->out, STDOUT_FILENO) >= 0 &&
        dup2(b->err, STDERR_FILENO) >= 0 && give_beat(b->beat) >= 0) {
        const struct proc_command *c = b->command;
        execvpe(c->argv[0], (char **)(uintptr_t)c->argv, (char **)(uintptr_t)c->envp);
    }
    b->place->error = errno;
    _exit(127);
}

/* The system is short of something. As long as a child of ours runs, its end may make room. */
static void note_shortage(struct proc *p, int number)
{
    if (p->running > 0) {
        p->short_since = 0;
    } else if (number == EMFILE) {
        p->short_since = clock_now() - PROC_PATIENCE;
    } else if (p->short_since == 0) {
        p->short_since = clock_now();
    }
}

bool proc_is_stuck(const struct proc *p)
{
    return p->running == 0 && p->short_since != 0 && clock_now() - p->short_since >= PROC_PATIENCE;
}

static int start_error(struct proc *p, int number, const char *name, struct err *e)
{
    switch (number) {
    case EAGAIN:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
        note_shortage(p, number);
        return err_set(e, ERR_LATER, "cannot start %s: %s", name, strerror(number));
    case ENOENT:
    case ENOTDIR:
        return err_set(e, ERR_NO_FILE, "%s: command not found", name);
    case E2BIG:
        return err_set(e, ERR_DATA, "the arguments of %s are too long for the system", name);
    default:
        return err_set(e, ERR_NO_EXEC, "%s: cannot be run: %s", name, strerror(number));
    }
}

/* A pipe of which end OURS (0 reads, 1 writes) does not block. Returns 0, or -1 with errno. */
static int open_pipe(int ours, int *our_end, int *their_end)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0) {
        return -1;
    }
    *our_end = ends[ours];
    *their_end = ends[1 - ours];
    return fcntl(*our_end, F_SETFL, O_NONBLOCK);
}

static int open_pipes(struct child *c, struct birth *b)
{
    const struct proc_command *command = b->command;
    if (command->reads) {
        b->in = *command->reads;
    } else if (open_pipe(1, &c->in, &b->in) < 0) {
        return -1;
    }
    if (open_pipe(0, &c->err, &b->err) < 0 ||
        (command->beats && open_pipe(0, &c->beat, &b->beat) < 0)) {
        return -1;
    }
    if (command->discard || command->writes) {
        b->out = command->discard ? b->proc->null : *command->writes;
        return 0;
    }
    return open_pipe(0, &c->out, &b->out);
}

static void close_their_ends(const struct birth *b)
{
    const struct proc_command *command = b->command;
    const int ends[] = {command->reads ? -1 : b->in, b->err, b->beat,
                        command->discard || command->writes ? -1 : b->out};
    for (int i = 0; i < 4; i++) {
        if (ends[i] >= 0) {
            close(ends[i]);
        }
    }
}

/* Have the child born. Returns its pid with C->exit_fd set, or -1 with errno. */
static pid_t clone_child(const struct proc *p, struct child *c, struct birth *b)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before); /* no handler of ours may run in the child */
    b->place->error = 0;
    pid_t pid = clone(be_born, p->stack + PROC_STACK_SIZE,
                      CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, b, &c->exit_fd);
    int number = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (pid > 0 && b->place->error) {
        number = b->place->error;
        waitpid(pid, NULL, 0);
        close(c->exit_fd);
        c->exit_fd = -1;
        pid = -1;
    }
    if (pid < 0) {
        b->place->group = 0;
        errno = number;
    }
    return pid;
}

int proc_start(struct proc *p, struct child *c, size_t place, const struct proc_command *command,
               struct err *e)
{
    struct birth b = {.proc = p, .command = command, .in = -1, .out = -1, .err = -1, .beat = -1};
    *c = (struct child){.place = place, .exit_fd = -1, .in = -1, .out = -1, .err = -1, .beat = -1};
    b.place = &p->guard.places[place];
    int rc = open_pipes(c, &b);
    if (rc == 0) {
        if (!command->stays && !command->reads) {
            proc_feed(c, command->input);
        }
        c->pid = clone_child(p, c, &b);
        rc = c->pid < 0 ? -1 : 0;
    }
    int number = errno;
    close_their_ends(&b);
    if (rc < 0) {
        c->pid = 0;
        proc_close_pipes(c);
        return start_error(p, number, command->argv[0], e);
    }
    p->running++;
    p->short_since = 0;
    return 0;
}
