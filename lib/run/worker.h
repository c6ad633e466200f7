/*
 * worker.h: a command that stays, and answers one line for each line it is given.
 *
 * A worker is started when it is first needed.  Up to `window` items are with it at a time; its
 * answers come in the order of the items.  An answer is judged like the output of a command; an
 * object with a string ErrorCode is a failure.
 *
 * A worker that ends fails the item whose answer was next; the others that were with it go to
 * its successor as if nothing had happened (they may have been worked on: the manual says so).
 * The same holds for one that is ended because an answer took too long or was too large.  One
 * that speaks without being asked is out of step and is replaced.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_WORKER_H
#define FANLINE_RUN_WORKER_H

#include "base/buf.h"
#include "base/span.h"
#include "proc/loop.h"
#include "proc/proc.h"
#include "run/job.h"
#include "run/outcome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * FREE → QUEUED → SENT → FREE; SENT → WAITING (for its next try) → QUEUED; SENT → CAUGHT (by a
 * fallback) → FREE.
 */
enum task_state { TASK_FREE, TASK_QUEUED, TASK_SENT, TASK_WAITING, TASK_CAUGHT };

/* An item that is with a worker. */
struct task {
    enum task_state state;
    struct outcome outcome;
    struct buf line; /* the item and an LF */
    struct buf code;
    struct buf cause;
    uint32_t *retries; /* by rule of the policy */
    int64_t began;     /* when its answer became the next: clock_now */
    int64_t started;   /* when it was sent: clock_real */
    int64_t retry_at;
};

/* DOWN: not started, or gone.  UP.  ENDING: told to end, or has ended; something is left of it. */
enum worker_state { WORKER_DOWN, WORKER_UP, WORKER_ENDING };

/* Why a worker ends. */
enum worker_end {
    WORKER_BY_ITSELF,
    WORKER_LATE,
    WORKER_SILENT,
    WORKER_GARBAGE,
    WORKER_OUT_OF_STEP,
    WORKER_ABORTED,
    WORKER_DONE
};

struct worker {
    struct job_shared *shared;
    size_t place;
    size_t window;
    enum worker_state state;
    enum worker_end end;
    int status;  /* as waitpid gave it */
    bool broken; /* its command cannot be started */
    struct err why;
    struct task *tasks; /* one more than the window: that of an answer outlives it */
    size_t task_count;
    const struct task *leaving; /* its outcome is being handed on; NULL: none is */
    size_t *sent;               /* a ring: tasks in the order of their answers */
    size_t sent_first;
    size_t sent_count;
    size_t next;          /* the task to try first for a new item */
    size_t used;          /* tasks that are not free */
    size_t caught;        /* of these with a fallback, or waiting for it */
    struct job *rescue;   /* runs the fallbacks; NULL: none was needed yet */
    struct task *rescued; /* whose fallback runs; NULL: none does */
    struct child child;
    struct loop_source exit, in, out, err, beat;
    struct buf outgoing;
    size_t outgoing_done;
    size_t outgoing_count; /* items that are in it, also in part */
    bool full;             /* it takes no more for now */
    struct buf incoming;
    size_t asked; /* lines that may be in it: of items that were sent before it was read */
    struct tail errors;
    bool signalled;
    int64_t kill_at;
    int64_t again_at; /* when to try again to start it, or to see whether it is gone */
    int64_t beat_at;
};

void worker_init(struct worker *w, struct job_shared *s, size_t place, size_t window);

/* Give FRESH (see job_begin) to W, which has a free task. */
void worker_begin(struct worker *w, const struct outcome *fresh);

/* Send what was given, as far as W takes it. */
void worker_flush(struct worker *w);

/* The same, if W has no more to work on than what would be sent: so few writes keep it busy. */
void worker_flush_due(struct worker *w);

/* The deadline of W has come. */
void worker_tick(struct worker *w, int64_t now);

/* As job_drop and job_abort: items that were never sent are Pending. */
void worker_drop(struct worker *w);
void worker_abort(struct worker *w, bool now);

void worker_pause(struct worker *w, bool stop, int64_t lost);

/* Nothing more will come: close its input, and see that it goes. */
void worker_finish(struct worker *w);

/* Is nothing left of W? */
static inline bool worker_is_down(const struct worker *w)
{
    return w->state == WORKER_DOWN;
}

void worker_release(struct worker *w);

#endif
