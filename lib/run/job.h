/*
 * job.h: one item on its way through a place.
 *
 *     IDLE → RUNNING → CLOSING → LEAVING → IDLE
 *              ↑ WAITING ←─────────┘
 *
 * WAITING: for the time of its next try, or until the system has room to start one.  RUNNING: the
 * command runs.  CLOSING: it has ended, and somebody who inherited its streams may still write:
 * JOB_LINGER is given for that.  LEAVING: what it left behind in its process group is being
 * ended.  Most items pass the last two in no time.
 *
 * An item that waits for its next try keeps its place: so a service that fails is not
 * asked by ever more items, and memory stays bounded.
 *
 * When all tries have failed, a fallback may be run for the item, in the same way and once.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_JOB_H
#define FANLINE_RUN_JOB_H

#include "base/buf.h"
#include "base/clock.h"
#include "proc/loop.h"
#include "proc/proc.h"
#include "run/argv.h"
#include "run/capture.h"
#include "run/outcome.h"
#include "run/run.h"
#include "run/tail.h"
#include "run/throttle.h"
#include "run/timeout.h"
#include "run/variables.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define JOB_LINGER CLOCK_SECOND

enum job_state { JOB_IDLE, JOB_WAITING, JOB_RUNNING, JOB_CLOSING, JOB_LEAVING };

/* Why we ended a command. */
enum job_end { JOB_BY_ITSELF, JOB_TIMED_OUT, JOB_SILENT, JOB_ABORTED, JOB_OUTPUT_LOST };

struct job;

/* What all jobs of a run share; the run owns it. */
struct job_shared {
    const struct run_rules *rules;
    struct proc *proc;
    struct loop *loop;
    struct writer *messages; /* standard error */
    struct writer *lines;    /* standard output, for RUN_EMIT_LINES */
    struct scan *scan;
    int64_t *deadlines; /* by place: when job_tick is due, of clock_now */
    size_t beside;      /* the place of a worker's fallback is that of the worker, plus this */
    struct variables variables;
    struct argv argv;
    struct timeout timeout;
    struct throttle *throttle; /* when something may be started; NULL: at any time */
    bool no_more;              /* nothing is tried again */
    bool aborting;             /* what runs is being ended */

    /*
     * Told when an item is done: its outcome is good until this returns.  A place in PLACE is free;
     * a worker may be given its next item at once, a job only when this has returned.  BROKEN says
     * why the command could not be started, if that is what happened: ERR_LATER: it is in vain to
     * wait until it can.
     */
    void (*done)(void *owner, const struct outcome *o, const struct err *broken, size_t place);
    void *owner;
};

struct job {
    struct job_shared *shared;
    size_t place;
    size_t slot; /* as users count: the place plus 1, or that of the worker it is beside */
    enum job_state state;
    enum job_end end;
    struct outcome outcome;
    struct err broken; /* why the command could not be started, or its output not be kept */
    struct buf line;   /* the item and an LF */
    struct buf code;   /* ErrorCode of the outcome */
    struct buf cause;
    const struct fallback *fallback; /* NULL: it is the command itself */
    struct buf told;                 /* the input of the fallback */
    struct buf caught;               /* the ErrorCode that it answers for */
    struct buf tag;                  /* before each line, for RUN_EMIT_LINES */
    uint32_t *retries;               /* by rule of the policy */
    bool signalled;                  /* TERM has been sent: the next is KILL */
    bool held_back;                  /* its output is not read for now */
    int64_t began;                   /* this attempt: clock_now */
    int64_t started;                 /* the same: clock_real */
    int64_t beat_at;                 /* its last sign of life */
    int64_t kill_at;
    int64_t linger_until;
    struct child child;
    struct loop_source exit, in, out, err, beat;
    struct capture output;
    struct tail errors, lines;
};

void job_init(struct job *j, struct job_shared *s, size_t place);

/*
 * Begin with FRESH, an outcome of which only index, item_count, key and input are set; the input,
 * valid compact JSON, is copied.  J must be idle; it may be so again on return.
 */
void job_begin(struct job *j, const struct outcome *fresh);

/*
 * Begin with FAILED, an outcome that has failed for good with CODE, a JSON string with its quotes,
 * and CAUSE: run the fallback that there is for it.  All is copied.  J must be idle; it may be so
 * again on return.
 */
void job_take_over(struct job *j, const struct outcome *failed, struct span code,
                   struct span cause);

/* The deadline of J has come. */
void job_tick(struct job *j, int64_t now);

/*
 * End J, if it is not idle, without another try: TERM, and KILL later; KILL at once if NOW.  What
 * is over already stays what it was; what was never started is Pending.
 */
void job_abort(struct job *j, bool now);

/* As job_abort, but only if no command of J runs: it waits for its next try, or for its first. */
void job_drop(struct job *j);

/* Stop what runs, or let it go on; LOST is the time for which nothing ran. */
void job_pause(struct job *j, bool stop, int64_t lost);

/* For streams.c: what J gets to read; something has come; a sign of life; its output is lost. */
struct span job_input(const struct job *j);
void job_hear(struct job *j);
void job_beat(struct job *j);
void job_lose(struct job *j);

void job_release(struct job *j);

#endif
