/*
 * state.h: a run while it goes on; the two files that know it are run.c, which takes items
 * and accounts for them, and turn.c, which lets happen what happens.
 *
 * Floor: engines. Only the room run includes it.
 */
#ifndef FANLINE_RUN_STATE_H
#define FANLINE_RUN_STATE_H

#include "proc/loop.h"
#include "proc/proc.h"
#include "proc/signals.h"
#include "run/inorder.h"
#include "run/job.h"
#include "run/outcome.h"
#include "run/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run {
    const struct run_rules *rules;
    struct lines_in *in;
    struct writer *out;
    struct run_report *report;
    struct writer messages;
    struct loop loop;
    struct proc proc;
    struct signals signals;
    struct loop_source input, output, signal, watch;
    struct job_shared shared;
    struct job *jobs;
    size_t *free_places; /* a stack */
    size_t free_count;
    size_t slots;
    struct inorder inorder;
    struct outcome_names names;
    struct scan scan;
    bool input_ready;
    bool waits_for_output;
    bool input_ended;   /* the number of items is known */
    bool stopped;       /* start nothing more, but account for every item */
    bool quit;          /* not even that */
    bool hurried;       /* nor write what is left */
    struct err failure; /* why, if it was not too many failures */
    int64_t sweep_at;
    int64_t look_at;
};

/* Get ready to turn: events of input, output, signals. Returns 0, or -1 with E filled. */
int turn_open(struct run *r, struct err *e);

/* Let happen what happens; wait for it if MAY_WAIT, and then write what is there first. */
void turn(struct run *r, bool may_wait);

/* Is there so much to write that nothing new should be started? */
bool turn_is_clogged(const struct run *r);

/* The hook of the reader (io/reader.h): go on with everything else until there is input. */
int turn_until_input(void *run, struct err *e);

/* Write what is left; once a signal has come, only as long as somebody takes it. */
void turn_until_written(struct run *r);

/* Start nothing more and end what runs; items are still taken, as Pending. */
void turn_stop(struct run *r);

#endif
