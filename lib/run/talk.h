/*
 * talk.h: lines to a worker and from it, and which answer belongs to which item.
 *
 * Floor: engines.  Part of worker.c, apart for its size.
 */
#ifndef FANLINE_RUN_TALK_H
#define FANLINE_RUN_TALK_H

#include "base/err.h"
#include "base/span.h"
#include "run/worker.h"

#include <stddef.h>

#define TALK_PIECE ((size_t)64 << 10) /* bytes that are worth sending at once */

void talk_init(struct worker *w);

/* The worker has been started: watch its streams. Returns 0, or -1 with E filled. */
int talk_open(struct worker *w, struct err *e);

/* Send the task I, or all that are queued, the oldest first; worker_flush lets them go. */
void talk_put(struct worker *w, size_t i);
void talk_put_queued(struct worker *w);

/* The task whose answer is next; NULL: there is none. */
struct task *talk_next(const struct worker *w);

/* It has come, or will not: that task, which is no longer with the worker. */
struct task *talk_take(struct worker *w);

void talk_close_input(struct worker *w);

/* The worker has ended: read what its pipes still hold, and close them. */
void talk_finish(struct worker *w);

/* For talk.c: the worker wrote LINE; it is to end, for the reason WHY; deadlines have changed. */
void worker_hear(struct worker *w, struct span line);
void worker_end(struct worker *w, enum worker_end why);
void worker_set_deadline(struct worker *w);

#endif
