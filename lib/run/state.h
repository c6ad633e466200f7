/*
 * state.h: a run while it goes on; the files that know it are run.c, which takes items and
 * accounts for them, turn.c, which lets happen what happens, and orders.c, what is asked of it from
 * outside.
 *
 * Floor: engines. Only the room run includes it.
 */
#ifndef FANLINE_RUN_STATE_H
#define FANLINE_RUN_STATE_H

#include "proc/loop.h"
#include "proc/proc.h"
#include "proc/signals.h"
#include "run/control.h"
#include "run/crew.h"
#include "run/inorder.h"
#include "run/journal.h"
#include "run/outcome.h"
#include "run/pace.h"
#include "run/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct run {
    const struct run_rules *rules;
    struct lines_in *in;
    struct writer *out;
    struct writer *records; /* where records are put: OUT, or what waits for the journal */
    struct run_report *report;
    struct writer messages;
    struct loop loop;
    struct proc proc;
    struct signals signals;
    struct loop_source input, output, signal, watch, synced;
    struct crew crew;
    struct settings settings; /* as they are now */
    struct inorder inorder;
    struct outcome_names names;
    struct outcome next; /* an item that was read and has not been given to the crew */
    bool has_next;
    unsigned unlooked; /* items given since we looked what else happens */
    struct scan scan;
    bool input_ready;
    bool waits_for_output;
    bool input_ended;   /* the number of items is known */
    bool stopped;       /* start nothing more, but account for every item */
    bool quit;          /* not even that */
    int64_t ended_at;   /* when the signal came that ends the run */
    bool hurried;       /* nor write what is left */
    struct err failure; /* why, if it was not too many failures */
    struct pace pace;   /* of workers */
    int64_t held_until; /* records of fast workers may wait for company so long */
    int64_t sweep_at;
    int64_t look_at;
    int64_t control_at;
    int64_t start_at; /* nothing may be started before */
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

/* Too many failures: start nothing more, and do with the rest what --stop says. */
void orders_stop(struct run *r);

/* Something that no more items can come after: E says what. Ends what runs. */
void orders_quit(struct run *r, const struct err *e);

/* Will nothing more be read? */
bool orders_are_final(const struct run *r);

/* A signal has come. */
void orders_on_signal(void *run, uint32_t events);

/* Read the control file, if there is one and it has changed, or in any case if ANYWAY. */
void orders_look(struct run *r, bool anyway);

/* How many commands there may be at one place: a worker, and a fallback beside it. */
size_t orders_per_place(const struct run_rules *rules);

/* Use so many places from now on, or as many as the limit of open files has room for. */
void orders_resize(struct run *r, size_t slots);

#endif
