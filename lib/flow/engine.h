/*
 * engine.h: run a machine.
 *
 * One loop does everything: states that wait for nothing are done as they come, commands, waits and
 * the pipelines of distributed Maps go on side by side.  A frame (frame.h) is what goes from state
 * to state within one scope; those of branches and of items hang below the frame of their Parallel
 * or Map.
 *
 *     engine_open(&e, machine, &rules, &err); engine_run(e, start, input, &result, &err) …
 *
 * The face of this half of the room.  data: how data gets into a state and out; errand: a Task;
 * group: a Parallel, an inline Map; spread: a distributed Map, through plan and pipeline.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_ENGINE_H
#define FANLINE_FLOW_ENGINE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "flow/actions.h"
#include "flow/machine.h"
#include "flow/trace.h"

#include <stdbool.h>
#include <stdint.h>

/* How an engine runs; all is borrowed for its life. */
struct engine_rules {
    const char *const *environment; /* of commands */
    const struct actions *actions;  /* NULL: there are none */
    struct trace *trace;            /* NULL: nobody wants one */
    struct span name;               /* of the execution: UTF-8 */
    int64_t started;                /* clock_real: what $Context says of it */
    const char *folder;             /* where large outputs are kept */
    const char *programs;           /* the folder that the filters lie in */
    bool rooted;                    /* buckets are folders */
    const char *journals;           /* the folder for what Standard mode keeps; NULL: none */
    const char *definition;         /* files as a command line names them, for processors */
    const char *actions_file;       /* NULL */
    const char *trace_file;         /* NULL */
    int errors;                     /* descriptor: where commands complain */
    /* Told when one of the outermost states begins; may be NULL. */
    void (*notice)(void *context, const struct state *s);
    void *context;
};

/* What became of a run. */
struct engine_result {
    bool succeeded;
    struct buf output;         /* compact JSON */
    struct buf code;           /* of a failure: the text of ErrorCode */
    struct buf cause;          /* any bytes; may be empty */
    const struct state *state; /* that failed */
    bool exceeded;             /* more failed than a Map tolerates */
    int signal;                /* that ended it; 0: none */
};

struct engine;

/* Get ready to run M under R, both borrowed.  0 and *OUT, or -1 with E filled. */
int engine_open(struct engine **out, const struct machine *m, const struct engine_rules *r,
                struct err *e);

/*
 * Run from the state START with the raw input INPUT, compact JSON, to the end of its scope; an
 * engine may run again and again.  Returns 0 with what became of it in D, whose buffers are used
 * anew; or -1 with ERR filled where the engine itself cannot go on.  No child is left either way.
 */
int engine_run(struct engine *e, const struct state *start, struct span input,
               struct engine_result *d, struct err *err);

/*
 * The parts of a state, for people who take a flow apart; nothing is run.  Each adds to OUT and
 * returns 0, or -1 with ERR filled.  RAW is the input with which the state S is entered.
 *
 * enter: the input that its work sees.  leave: what it hands on when its work gave RESULT.
 */
int engine_enter(struct engine *e, const struct state *s, struct span raw, struct buf *out,
                 struct err *err);
int engine_leave(struct engine *e, const struct state *s, struct span raw, struct span result,
                 struct buf *out, struct err *err);

/*
 * The pipeline that the Map S amounts to, as a shell takes it.  The file INPUT has RAW in it.
 * Where S makes its own of its input, that goes to a file in the working folder first.
 */
int engine_plan(struct engine *e, const struct state *s, const char *input, struct span raw,
                struct buf *out, struct err *err);

void engine_result_release(struct engine_result *d);

void engine_close(struct engine *e);

#endif
