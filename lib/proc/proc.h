/*
 * proc.h: commands as children that are looked after.
 *
 * Every child is the leader of a process group of its own, is known by a pidfd, starts with all
 * signals at their defaults and none blocked, with the limit of open files that we were started
 * with, and with descriptors 0 to 2 and no other (but 3 where it is to give signs of life).  Its
 * group is in the table of a guardian (guard.h) before its program runs.  It is started by clone()
 * with the memory shared until exec (as vfork and posix_spawn do, so that the speed does not depend
 * on our size; posix_spawn itself cannot enter the child in the table before exec nor restore a
 * limit).
 *
 * We are the "subreaper" of what our children leave behind: an orphan becomes our child.  So it is
 * known for certain whether anything of a group is left, and a group is only ever signalled
 * while it has a member that is not yet reaped: its number cannot have passed to strangers.
 *
 *     proc_start(&p, &child, place, &command, &e); … poll child.exit_fd, in, out, err …
 *     if (proc_ended(&child)) …; if (proc_gone(&p, &child)) …
 *
 * Single-threaded.  Descriptors 0 to 2 must be open.  Floor: services.
 */
#ifndef FANLINE_PROC_PROC_H
#define FANLINE_PROC_PROC_H

#include "base/clock.h"
#include "base/err.h"
#include "base/span.h"
#include "proc/guard.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Given lazily by the kernel. The search of exec copies the argument vector there in the worst
 * case. */
#define PROC_STACK_SIZE ((size_t)8 << 20)

/* How long others may keep the system so short that we can start nothing at all. */
#define PROC_PATIENCE (30 * CLOCK_SECOND)

struct proc {
    struct guard guard;
    struct rlimit files;   /* of open descriptors, as it was before we raised it */
    struct sigaction pipe; /* what SIGPIPE did before we ignored it */
    int reset[64];         /* signals that a child would inherit as ignored */
    size_t reset_count;
    int null;            /* /dev/null, for output that nobody wants */
    char *stack;         /* on which a child runs until exec */
    size_t running;      /* children that are not gone */
    int64_t short_since; /* nothing could be started from then on, and nothing runs; 0: not so */
};

struct proc_command {
    const char *const *argv; /* argv[0] is searched for in PATH; NULL-terminated */
    const char *const *envp;
    struct span input; /* for standard input; borrowed until it is fed */
    bool discard;      /* standard output goes to /dev/null */
    const int *reads;  /* a descriptor that becomes standard input, without a pipe to us; NULL */
    const int *writes; /* the same for standard output */
    bool beats;        /* the child has a pipe to us as descriptor 3 */
    bool stays;        /* a worker: its standard input is left to the caller */
};

/* One command that runs. What it owns is closed by proc_close_pipes and proc_gone. */
struct child {
    size_t place; /* in the guardian's table */
    pid_t pid;    /* and its group; 0: there is none */
    bool ended;   /* the command itself has been reaped, and `status` is set */
    int status;   /* as waitpid gives it */
    int exit_fd;  /* readable when the command has ended; -1: closed */
    int in;       /* our ends of its streams, non-blocking; -1: closed */
    int out;
    int err;
    int beat;   /* its descriptor 3 */
    size_t fed; /* bytes of the input given so far */
};

/*
 * Get ready for COUNT children at a time: guardian, subreaper, SIGPIPE ignored and SIGCHLD not, the
 * limit of open files as high as we may set it, descriptors that we inherited marked close-on-exec.
 * Returns 0, or -1 with E filled and P empty: also where that limit has no room for a single child
 * beside a loop, signals and a timer of the caller's.
 */
int proc_open(struct proc *p, size_t count, struct err *e);

/* How many children the limit of open files has room for beside what is open now. */
size_t proc_room(void);

/*
 * Start COMMAND as C in PLACE, which is free.  As much of the input as its pipe takes is written at
 * once; if that is all, C->in is closed already.  Returns 0, or -1 with E filled and nothing
 * started: ERR_LATER when the system is short of descriptors, processes or memory for now;
 * ERR_NO_FILE, ERR_NO_EXEC: there is no such command, or it cannot be run; ERR_DATA: the arguments
 * are too long.
 */
int proc_start(struct proc *p, struct child *c, size_t place, const struct proc_command *command,
               struct err *e);

/*
 * Is it in vain to wait, after proc_start failed with ERR_LATER?  Nothing of ours runs whose end
 * would make room, and nobody else has made any for PROC_PATIENCE, or nobody can: descriptors are
 * our own.
 */
bool proc_is_stuck(const struct proc *p);

/*
 * Go on feeding INPUT to C->in as far as it takes it; closes C->in when all is written or the
 * child reads no more.
 */
void proc_feed(struct child *c, struct span input);

/* Take what C wrote to its descriptor 3: *HEARD if that was anything.  False: it has closed it. */
bool proc_beat(const struct child *c, bool *heard);

/* Has the command ended? Reaps it, once. Never waits. */
bool proc_ended(struct child *c);

/* Has the command ended, without reaping it? */
bool proc_is_over(const struct child *c);

/* Send a signal to all that is left of C's group; what is stopped is woken to hear it. */
void proc_signal(const struct child *c, int number);

/* Stop the group of C (SIGSTOP), or let it go on. */
void proc_pause(const struct child *c, bool stop);

/*
 * Is nothing left of the group of C, whose command has ended?  Reaps what has died.  If true, C is
 * free and its place in the table too.  Never waits.
 */
bool proc_gone(struct proc *p, struct child *c);

/* Close our ends of C's streams. */
void proc_close_pipes(struct child *c);

/*
 * Reap orphans that left their groups, and replace a guardian that somebody ended.  To be called
 * now and then.  Returns 0, or -1 with E filled.
 */
int proc_sweep(struct proc *p, struct err *e);

/* Undo proc_open; whatever still runs is killed. Legal on an empty P. */
void proc_close(struct proc *p);

#endif
