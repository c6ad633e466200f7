/*
 * rescue.h: fallbacks for what workers failed at.
 *
 * Beside each worker there is place for one command: the fallback (fallback.h) of an item for which
 * all tries have failed.  The worker goes on meanwhile; further items that fail wait for their
 * turn. All of them stay with the worker, as items that wait for their next try do, so that there
 * are never more of them than its window.
 *
 * Floor: engines.  Part of worker.c, apart for its size.
 */
#ifndef FANLINE_RUN_RESCUE_H
#define FANLINE_RUN_RESCUE_H

#include "run/worker.h"

#include <stdbool.h>
#include <stdint.h>

/* T, which is with W, has failed for good: is there a fallback for it? Then it is not done yet. */
bool rescue_take(struct worker *w, struct task *t);

/* Is there a fallback that could be begun now? */
bool rescue_is_due(const struct worker *w);

/* Begin the next fallback, if none runs; do what is due for the one that runs. */
void rescue_tick(struct worker *w, int64_t now);

/* Begin no more of them: the next item that waits for its fallback, or NULL; it stays failed. */
struct task *rescue_drop(struct worker *w);

/* The fallback of W has ended, and its outcome has been handed on or is about to be. */
void rescue_done(struct worker *w);

void rescue_release(struct worker *w);

#endif
