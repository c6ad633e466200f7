/*
 * intake.h: lines as they come, for those who also wait for other things.
 *
 * lines_next waits for its line.  notify must signal what it has before it waits, and wait has
 * deadlines and signals to look after; so they ask here, and are told when there is no line yet.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_INTAKE_H
#define FANLINE_SIGNAL_INTAKE_H

#include "json/lines.h"

#include <stdint.h>

enum intake_got {
    INTAKE_FAILED = -1, /* E is filled */
    INTAKE_END = 0,
    INTAKE_LINE = 1,
    INTAKE_NONE = 2, /* not yet: poll the descriptor of the reader */
    INTAKE_SKIP = 3  /* a line that is no item (blank, refused): there may be more at once */
};

struct intake {
    struct lines_in *in; /* borrowed */
    uint64_t scanned;    /* offset in the input up to which there is no end of a line */
};

/* The next item in *ITEM, as lines_step gives it. Never waits before a whole line is there. */
enum intake_got intake_next(struct intake *t, struct span *item, struct err *e);

#endif
