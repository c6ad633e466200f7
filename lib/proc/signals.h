/*
 * signals.h: signals as events.
 *
 * What ends a program from outside arrives in its loop, through a descriptor, not
 * as code in a handler.  A signal that was ignored when we were started (nohup, a
 * background job of a plain shell) stays ignored.
 *
 * Floor: services.
 */
#ifndef FANLINE_PROC_SIGNALS_H
#define FANLINE_PROC_SIGNALS_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A signal that comes again within this time, in nanoseconds, says nothing new: timeout(1) sends
 * each to the process and then to its group.  Where a second one means more than the first, it must
 * come later.
 */
#define SIGNALS_ECHO INT64_C(500000000)

struct signals {
    int fd;          /* readable when a signal has come */
    sigset_t before; /* the mask to go back to */
};

/* Receive the COUNT signals of LIST by a descriptor. Returns 0, or -1 with E filled. */
int signals_open(struct signals *s, const int *list, size_t count, struct err *e);

/* The number of the next signal that has come, 0 if none has. Never waits. */
int signals_next(const struct signals *s);

/* As signals_next; the value that sigqueue sent with it is in *VALUE, else 0. */
int signals_next_value(const struct signals *s, int *value);

/*
 * Let the signal NUMBER, which was received, do to us what it does by default, and go on when that
 * is over: for SIGTSTP.
 */
void signals_stop(int number);

/* Close the descriptor and go back to the mask there was. Legal on an empty S whose fd is -1. */
void signals_close(struct signals *s);

/*
 * Close the descriptor, and let the signals have no effect from here on: for a program that was
 * asked to end, and is to end with a status of its own instead of dying of an echo.
 */
void signals_close_deaf(struct signals *s);

/*
 * Die of the signal NUMBER, as if it had never been caught, so that whoever waits for us sees
 * it.  Returns only where that has no effect: for process 1.
 */
void signals_die(int number);

#endif
