/*
 * A distributed Map at work: its plan, as a pipeline.
 *
 * The input, and $Context where it is asked for, are files without names, which the filters open by
 * our number of them; so nothing is left behind, whatever happens.
 */
#include "flow/pipeline.h"
#include "flow/plan.h"

#include "base/mem.h"
#include "base/uuid.h"
#include "io/tempfile.h"
#include "io/writer.h"
#include "json/scan.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME_MAX_LEN 64

struct spread {
    struct work work; /* first */
    struct frame *frame;
    struct plan plan;
    struct pipeline pipeline;
    int input; /* descriptors of the files */
    int context;
    char input_name[NAME_MAX_LEN];
    char context_name[NAME_MAX_LEN];
    char run[UUID_TEXT_MAX];
    struct buf journal;
};

/* ---- the end ---- */

static const char *const failures[][2] = {
    [PLAN_ITEMS] = {"Runtime", "States.Runtime"},
    [PLAN_SPLIT] = {"ItemReaderFailed", "States.ItemReaderFailed"},
    [PLAN_CONSTRUCT] = {"Runtime", "States.Runtime"},
    [PLAN_BATCH] = {"Runtime", "States.Runtime"},
    [PLAN_RUN] = {"Runtime", "States.Runtime"},
    [PLAN_WRITE] = {"ResultWriterFailed", "States.ResultWriterFailed"},
};

static bool ended_well(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool exceeded(const struct spread *w, size_t i)
{
    int status = w->pipeline.stages[i].status;
    return w->plan.stages[i].part >= PLAN_RUN && WIFEXITED(status) && WEXITSTATUS(status) == 4;
}

/* The stage that failed by itself: not because another did, nor because more than tolerated did. */
static size_t find_culprit(const struct spread *w)
{
    for (size_t i = 0; i < w->plan.count; i++) {
        int status = w->pipeline.stages[i].status;
        bool by_pipe = WIFSIGNALED(status) && WTERMSIG(status) == SIGPIPE;
        if (!ended_well(status) && !by_pipe && !exceeded(w, i)) {
            return i;
        }
    }
    return w->plan.count;
}

/* What a stage complained about, without its name in front of it. */
static struct span complaint_of(const struct spread *w, size_t i)
{
    return tail_kept(&w->pipeline.stages[i].errors);
}

static void fail_with(struct spread *w, size_t i)
{
    struct frame *f = w->frame;
    bool states = f->engine->machine->dialect == DIALECT_STATES;
    enum plan_part part = w->plan.stages[i].part;
    bool own = part == PLAN_SPLIT && !f->state->map.reader;
    frame_fail(f, own ? frame_runtime(f) : failures[part][states], complaint_of(w, i));
}

static void fail_by_excess(struct spread *w)
{
    struct frame *f = w->frame;
    bool states = f->engine->machine->dialect == DIALECT_STATES;
    size_t i = 0;
    while (w->plan.stages[i].part != PLAN_RUN) {
        i++;
    }
    frame_fail(
        f, states ? "States.ExceedToleratedFailureThreshold" : "ExceedToleratedFailureThreshold",
        complaint_of(w, i));
    f->exceeded = true;
}

static void take_output(struct spread *w)
{
    struct frame *f = w->frame;
    struct err e = {0};
    struct span out;
    size_t len = 0;
    if (pipeline_output(&w->pipeline, &out, &e) < 0 ||
        scan_compact(&f->engine->scan, out.at, out.len, buf_room(&f->result, out.len + 1), &len) <
            0) {
        frame_fail(f, frame_runtime(f),
                   e.code ? span_text(e.text) : SPAN_LIT("resultwrite wrote no result"));
        return;
    }
    f->result.len = len;
    frame_worked(f);
}

/* All commands are gone. */
static void on_done(void *owner)
{
    struct spread *w = owner;
    struct frame *f = w->frame;
    size_t last = w->plan.count - 1;
    if (w->pipeline.broken.code != ERR_NONE) {
        frame_fail_runtime(f, &w->pipeline.broken);
        return;
    }
    size_t culprit = find_culprit(w);
    if (culprit < w->plan.count) {
        fail_with(w, culprit);
    } else if (exceeded(w, last) || (last > 0 && exceeded(w, last - 1))) {
        fail_by_excess(w);
    } else {
        take_output(w);
    }
}

/* ---- as work ---- */

static void stop_spread(struct work *w)
{
    pipeline_stop(&((struct spread *)w)->pipeline);
}

static void tick_spread(struct work *w, int64_t now)
{
    pipeline_tick(&((struct spread *)w)->pipeline, now);
}

static int64_t spread_due(const struct work *w)
{
    return ((const struct spread *)w)->pipeline.due;
}

static void close_one(int fd)
{
    if (fd >= 0) {
        close(fd);
    }
}

static void free_spread(struct work *w)
{
    struct spread *s = (struct spread *)w;
    pipeline_release(&s->pipeline);
    plan_release(&s->plan);
    close_one(s->input);
    close_one(s->context);
    buf_release(&s->journal);
    free(s);
}

/* ---- the beginning ---- */

/* A file with TEXT in it; what others call it goes to NAME. */
static int make_file(struct spread *w, struct span text, int *fd, char name[NAME_MAX_LEN],
                     struct err *e)
{
    struct writer out;
    *fd = tempfile_open(w->frame->engine->rules->folder, e);
    if (*fd < 0) {
        return -1;
    }
    writer_init(&out, *fd, "a temporary file");
    writer_put_span(&out, text);
    writer_put_byte(&out, '\n');
    writer_commit(&out);
    int rc = writer_flush(&out, e);
    writer_release(&out);
    snprintf(name, NAME_MAX_LEN, "/proc/%ld/fd/%d", (long)getpid(), *fd);
    return rc;
}

/* The journal of this run of the Map: of the how manieth in this execution. */
static void name_journal(struct spread *w)
{
    struct engine *e = w->frame->engine;
    struct buf path = {0};
    if (!w->frame->state->map.standard || !e->rules->journals) {
        return;
    }
    machine_path(e->machine, w->frame->state, &path);
    for (size_t i = 0; i < path.len; i++) {
        path.at[i] = path.at[i] == '/' ? '.' : path.at[i];
    }
    buf_printf(&w->journal, "%s/%s.%llu.journal", e->rules->journals, buf_text(&path),
               (unsigned long long)++e->map_runs);
    buf_release(&path);
}

static int make_plan(struct spread *w, struct err *e)
{
    struct frame *f = w->frame;
    struct template_scene s;
    if (make_file(w, frame_input(f), &w->input, w->input_name, e) < 0) {
        return -1;
    }
    bool context = plan_wants_context(&f->state->map);
    if (context) {
        data_scene(f, true, &s);
        if (make_file(w, s.roots[PATH_CONTEXT], &w->context, w->context_name, e) < 0) {
            return -1;
        }
    }
    name_journal(w);
    struct plan_names names = {.input = w->input_name,
                               .context = context ? w->context_name : NULL,
                               .run = w->journal.len > 0 ? NULL : uuid_make(w->run),
                               .journal = w->journal.len > 0 ? buf_text(&w->journal) : NULL,
                               .folder = f->engine->rules->programs};
    return plan_make(&w->plan, f, &names, e);
}

static int begin(struct spread *w)
{
    char **commands[PLAN_STAGES];
    for (size_t i = 0; i < w->plan.count; i++) {
        commands[i] = w->plan.stages[i].words;
    }
    w->pipeline.done = on_done;
    w->pipeline.owner = w;
    return pipeline_begin(&w->pipeline, w->frame->engine, commands, w->plan.count);
}

void spread_begin(struct frame *f)
{
    static const struct work_kind kind = {stop_spread, tick_spread, spread_due, free_spread};
    struct spread *w = mem_new(1, sizeof *w);
    struct err e = {0};
    *w = (struct spread){.work = {&kind}, .frame = f, .input = -1, .context = -1};
    if (engine_prepare(f->engine) < 0) {
        free_spread(&w->work);
        return;
    }
    if (make_plan(w, &e) < 0) {
        free_spread(&w->work);
        frame_fail_runtime(f, &e);
        return;
    }
    f->work = &w->work;
    if (begin(w) > 0) {
        f->work = NULL;
        free_spread(&w->work);
        f->attempts--;
        f->at = FRAME_AGAIN;
        f->due = clock_now() + ENGINE_LOOK;
    }
}
