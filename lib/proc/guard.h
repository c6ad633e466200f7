/*
 * guard.h: what makes sure that no child outlives us.
 *
 * A program that is killed with -9 cannot end its children.  So a small process, the
 * guardian, is forked at the start.  It waits for the end of a pipe of which only we (and, for
 * the moment between fork and exec, a child of ours) hold the writing end.  When the pipe
 * ends it kills every process group in a table that it shares with us, and goes.
 *
 * The table makes it cheap and free of races.  It is memory shared by both, with a place for each
 * child that can run at a time.  A child enters its own process group there itself, before exec;
 * nothing is sent to anybody.  Since the child holds the pipe until exec closes it, the guardian
 * cannot see the end of the pipe before the child is in the table.  What leaves its group (setsid,
 * setpgid) leaves the guardian's care.
 *
 * The guardian is a session of its own, blocks what can be blocked, holds no descriptor but the
 * pipe, and costs nothing while it waits.
 *
 * Floor: services.
 */
#ifndef FANLINE_PROC_GUARD_H
#define FANLINE_PROC_GUARD_H

#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

/* A place for one child; written by the child itself until exec, then by us. */
struct guard_place {
    volatile pid_t group; /* process group of the child; 0: the place is free */
    volatile int error;   /* errno of an exec that failed */
};

struct guard {
    struct guard_place *places;
    size_t count;
    int alive; /* our end of the pipe */
    pid_t pid; /* of the guardian, a child of ours; 0: it was ended by somebody */
};

/*
 * Start a guardian for COUNT children.  Returns 0, or -1 with E filled and G empty: ERR_LATER when
 * the system is short of processes or memory for now.
 */
int guard_start(struct guard *g, size_t count, struct err *e);

/* The guardian was ended by somebody and has been reaped: fork another. As guard_start. */
int guard_replace(struct guard *g, struct err *e);

/* End the guardian. What is still in the table is killed first. Legal on an empty G. */
void guard_stop(struct guard *g);

#endif
