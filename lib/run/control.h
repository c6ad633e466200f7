/*
 * control.h: settings of a run that may change while it goes on.
 *
 * They are read from a file, again whenever it has changed: each line is NAME=VALUE with the name
 * and the value of an option (max-concurrency, rate, delay, tolerated-failure-count,
 * tolerated-failure-percentage), or a number alone, which is the concurrency.  What is not there
 * stays as it is; what cannot be understood is told and left out.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_CONTROL_H
#define FANLINE_RUN_CONTROL_H

#include "base/clock.h"
#include "base/err.h"
#include "base/span.h"
#include "base/tolerance.h"

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CONTROL_LOOK    (250 * CLOCK_MILLI)
#define CONCURRENCY_MAX 10000

struct control {
    const char *file; /* NULL: there is none; borrowed */
    int64_t processors;
    struct timespec changed; /* of the file, when it was read last */
    int64_t size;
    uint64_t inode;
};

/* What can be set. */
struct settings {
    int64_t slots;
    int64_t interval; /* --rate: nanoseconds from start to start */
    int64_t delay;
    struct tolerance tolerance;
};

/*
 * "8"; "+2" and "-1", so many more or fewer than there are PROCESSORS; "150%" of them.  At least 1,
 * at most CONCURRENCY_MAX.  Returns 0, or -1 with E filled (ERR_USAGE).
 */
int control_concurrency(struct span text, int64_t processors, int64_t *slots, struct err *e);

/* Set what the line TEXT says. Returns 0, or -1 with E filled and nothing changed. */
int control_set(struct settings *s, struct span text, int64_t processors, struct err *e);

/*
 * Read the file, if it has changed, or in any case if ANYWAY.  Returns true if it was read; E then
 * has what could not be understood last, or no code.
 */
bool control_look(struct control *c, bool anyway, struct settings *s, struct err *e);

#endif
