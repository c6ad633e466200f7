/*
 * pipeline.h: commands, the output of each the input of the next.
 *
 * Started by the engine, beside all else that goes on in its loop.  What the last one writes is
 * kept; what they complain about is passed on, and its end kept.  End marks go along the pipe
 * (FANLINE_END_MARK), so that a stage which comes to an end too early is none that was done.
 *
 * Inside the room flow only.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_PIPELINE_H
#define FANLINE_FLOW_PIPELINE_H

#include "flow/frame.h"
#include "run/capture.h"
#include "run/tail.h"

#define PIPELINE_MAX 8

struct pipeline;

/* A command at work. */
struct pipeline_stage {
    struct pipeline *pipeline;
    size_t place;
    struct child child;
    struct loop_source exit, err;
    struct tail errors;
    bool started;
    bool ended; /* the command; its status is in `status` */
    bool gone;  /* and all that it left */
    int status; /* as waitpid gives it */
};

struct pipeline {
    struct engine *engine;
    struct pipeline_stage stages[PIPELINE_MAX];
    size_t count;
    struct loop_source out;
    struct capture output;
    struct err broken; /* a command cannot be started, or the output not be kept */
    bool signalled;
    bool over;
    int64_t due;
    const char **environment;
    /* Told once, when all are gone. */
    void (*done)(void *owner);
    void *owner;
};

/*
 * Start COUNT commands, each a NULL-terminated list whose program lies in the folder of the
 * engine's rules.  P is zeroed, but for `done` and `owner`, and must not move.  Returns 0; 1 if
 * there is no place for them now, and nothing was started; or -1 with p->broken filled, and `done`
 * comes once what was started is gone.
 */
int pipeline_begin(struct pipeline *p, struct engine *e, char **const *commands, size_t count);

/* End all of it: TERM, later KILL. */
void pipeline_stop(struct pipeline *p);

void pipeline_tick(struct pipeline *p, int64_t now);

/*
 * The output of the last command, without its end mark: good until P is released.  Returns 0, or -1
 * with E filled.
 */
int pipeline_output(struct pipeline *p, struct span *out, struct err *e);

/* Legal on a zeroed P, and on one that is over. */
void pipeline_release(struct pipeline *p);

#endif
