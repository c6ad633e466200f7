/*
 * frame.h: what goes from state to state within one scope; and what all frames of an engine share.
 *
 *     ENTER → (work) → WORKED → ENTER … → OVER
 *                 ↘ FAILED → AGAIN (after a delay) ↗ or ENTER (caught) or OVER
 *
 * A frame either stands in the queue of those that can go on, or waits for its work (a command,
 * children, a pipeline) or for the time in `due`.  Whoever ends what it waits for says
 * frame_worked or frame_fail, once.
 *
 * Inside the room flow only.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_FRAME_H
#define FANLINE_FLOW_FRAME_H

#include "base/clock.h"
#include "flow/engine.h"
#include "io/writer.h"
#include "proc/loop.h"
#include "proc/proc.h"
#include "proc/signals.h"
#include "json/scan.h"

#define ENGINE_PLACES   4096 /* commands at a time, those of pipelines too */
#define ENGINE_NO_PLACE SIZE_MAX
#define ENGINE_LOOK     (20 * CLOCK_MILLI) /* for a place that is free again */

enum frame_at { FRAME_ENTER, FRAME_AGAIN, FRAME_WORKED, FRAME_FAILED, FRAME_OVER };

struct frame;

/* What a frame waits for. */
struct work {
    const struct work_kind *kind;
};

struct work_kind {
    void (*stop)(struct work *w);              /* end it: frame_fail or frame_worked comes, later */
    void (*tick)(struct work *w, int64_t now); /* time has passed; may be NULL */
    int64_t (*due)(const struct work *w);      /* when to tick; NULL: never */
    void (*free)(struct work *w);
};

/* An item of an inline Map, and where it stands. */
struct frame_item {
    bool there;
    uint64_t index;
    struct span key; /* JSON string; empty in an array */
    struct span value;
};

struct frame {
    struct engine *engine;
    const struct scope *scope;
    const struct state *state;
    struct frame *parent; /* NULL: the first one */
    size_t slot;          /* among the children of its parent's group */
    struct frame_item item;
    enum frame_at at;
    bool queued;
    bool stopped; /* it is to end, whatever it does */
    struct frame *next_queued;
    struct frame *before, *after; /* among all frames of the engine */

    struct buf raw;    /* the input as it came */
    struct buf input;  /* what select and construct made of it, if has_input */
    struct buf result; /* of the work, unless result_is_input */
    struct buf spare;
    bool has_input;
    bool unmade; /* the input could not be made: there is nothing to try again with */
    bool result_is_input;
    const struct state *going; /* where a Choice leads */

    bool failed;
    struct buf code; /* the text of ErrorCode */
    struct buf cause;
    bool exceeded;
    uint32_t *retries; /* by rule of the state */
    size_t retry_room;
    uint64_t attempts; /* begun */
    int64_t entered;   /* clock_real */
    int64_t due;       /* CLOCK_NEVER: it does not wait for a time */
    struct work *work; /* NULL: none */
};

struct engine {
    const struct machine *machine;
    const struct engine_rules *rules;
    struct frame *first_queued, *last_queued;
    struct frame *frames; /* all of them */
    struct frame *root;
    struct buf globals; /* the object $Global */
    struct buf input;   /* $Context.Execution.Input */
    struct buf context; /* scratch: the object $Context */
    struct arena arena; /* for one evaluation */
    struct scan scan;
    int64_t deadline; /* of the whole machine */
    bool timed_out;

    bool ready; /* the rest is open */
    struct loop loop;
    struct proc proc;
    struct signals signals;
    struct loop_source signal_source;
    struct writer messages;
    int64_t *deadlines; /* of jobs, by place */
    size_t *places;     /* that are free */
    size_t place_count;
    int signal;
    uint64_t map_runs; /* distributed Maps begun: names their journals */
    struct err broken; /* why the engine cannot go on */
};

/* The input that the work of F sees. */
static inline struct span frame_input(const struct frame *f)
{
    return buf_span(f->has_input ? &f->input : &f->raw);
}

/* A new frame at the start of SCOPE, or at START; queued.  Its raw input is the caller's to add. */
struct frame *frame_begin(struct engine *e, const struct scope *scope, const struct state *start,
                          struct frame *parent);
void frame_free(struct frame *f);

/* F can go on. */
void frame_queue(struct frame *f);

/* The work of F has ended well, with f->result; or not. */
void frame_worked(struct frame *f);
void frame_fail(struct frame *f, const char *code, struct span cause);

/* The same without going on yet: other work of F has to end first. */
void frame_note_failure(struct frame *f, struct span code, struct span cause);

/* How the dialect calls what cannot be computed. */
const char *frame_runtime(const struct frame *f);

/* How it calls what takes too long, or was silent for too long. */
const char *frame_late(const struct engine *e, bool by_silence);

/* What cannot be done, for the reason in ERR: as frame_fail, with the name that the dialect has. */
void frame_fail_runtime(struct frame *f, const struct err *err);

/* F is to end, with all below it. */
void frame_stop(struct frame *f);

/* Go on as far as F can. */
void frame_step(struct frame *f);

/* ---- engine.c ---- */

/* Loop, children, signals: opened when something first waits.  0, or -1 with e->broken filled. */
int engine_prepare(struct engine *e);

/* A place for a command, or ENGINE_NO_PLACE: to be given back. */
size_t engine_take_place(struct engine *e);
void engine_give_place(struct engine *e, size_t place);

/* ---- data.c ---- */

/* What the roots of expressions stand for in F; TEMPLATE says whether $Context is needed. */
void data_scene(struct frame *f, bool context, struct template_scene *s);

/* The value of T, which may be NULL, for F in OUT (empty then).  0, or -1 with E filled. */
int data_value(struct frame *f, struct template *t, struct buf *out, struct err *e);

/* The same as a text: of a string what it stands for, of anything else its JSON. */
int data_text(struct frame *f, setting t, struct buf *out, struct err *e);

/*
 * The whole number from 0 to MOST that T says, also in a string (reference/distributed-map.md 2.4);
 * *OUT is 0 where it says nothing.  0, or -1 with E filled, in which NAME names it.
 */
int data_integer(struct frame *f, setting t, const char *name, int64_t most, int64_t *out,
                 struct err *e);

/* The input of the work: select and construct.  0, or -1 with E filled. */
int data_enter(struct frame *f, struct err *e);

/* What F hands on, in f->raw.  0, or -1 with E filled. */
int data_leave(struct frame *f, struct err *e);

/* The same after an error that K catches. */
int data_catch(struct frame *f, const struct catcher *k, struct err *e);

/* ---- work, by type ---- */

/* Each begins the work of F, whose state is of that type.  Failures come as frame_fail does. */
void errand_begin(struct frame *f);
void group_begin(struct frame *f);
void spread_begin(struct frame *f);

/* A frame below the group of PARENT is over. */
void group_hear(struct frame *parent, struct frame *child);

#endif
