/* A Task at work: its command as a job of the runner, which judges how it ends. */
#include "flow/frame.h"

#include "base/mem.h"
#include "run/job.h"
#include "json/lines.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdlib.h>

#define ERRAND_KILL_AFTER (5 * CLOCK_SECOND)

struct errand {
    struct work work; /* first */
    struct frame *frame;
    size_t place;
    struct buf input;
    struct argv_template command;
    struct run_rules rules;
    struct job_shared shared;
    struct job job;
    bool begun;
};

/* The output of what ended well, as compact JSON. */
static void take_output(struct frame *f, const struct outcome *o)
{
    struct scan *s = &f->engine->scan;
    buf_reset(&f->result);
    switch (o->kind) {
    case OUTPUT_JSON:
        buf_add_span(&f->result, o->output);
        break;
    case OUTPUT_LOOSE: {
        size_t len = 0;
        (void)scan_compact(s, o->output.at, o->output.len, buf_room(&f->result, o->output.len + 1),
                           &len);
        f->result.len = len;
        break;
    }
    case OUTPUT_TEXT:
        text_encode_lossy(&f->result, o->output);
        break;
    default:
        buf_add_text(&f->result, "null");
        break;
    }
}

/* CODE is the runner's, and so would be the options that its cause names. */
static void fail_late(struct frame *f, const char *code)
{
    bool by_silence = strcmp(code, "Timeout") != 0;
    frame_fail(f, frame_late(f->engine, by_silence),
               by_silence ? SPAN_LIT("it gave no sign of life for longer than it may")
                          : SPAN_LIT("it took longer than its timeout allows"));
}

static void on_done(void *owner, const struct outcome *o, const struct err *broken, size_t place)
{
    struct errand *w = owner;
    struct buf code = {0};
    (void)place;
    (void)broken;
    if (o->status == OUTCOME_SUCCEEDED) {
        take_output(w->frame, o);
        frame_worked(w->frame);
        return;
    }
    if (o->code.len > 0) {
        text_decode(&code, o->code);
    } else {
        buf_add_text(&code, "Aborted");
    }
    if (o->status == OUTCOME_TIMED_OUT) {
        fail_late(w->frame, buf_text(&code));
    } else {
        frame_fail(w->frame, buf_text(&code), o->cause);
    }
    buf_release(&code);
}

/* ---- as work ---- */

static void stop_errand(struct work *w)
{
    job_abort(&((struct errand *)w)->job, false);
}

static void tick_errand(struct work *w, int64_t now)
{
    struct errand *r = (struct errand *)w;
    if (r->frame->engine->deadlines[r->place] <= now) {
        job_tick(&r->job, now);
    }
}

static int64_t errand_due(const struct work *w)
{
    const struct errand *r = (const struct errand *)w;
    return r->frame->engine->deadlines[r->place];
}

static void free_errand(struct work *w)
{
    struct errand *r = (struct errand *)w;
    if (r->begun) {
        job_release(&r->job);
        variables_release(&r->shared.variables);
        argv_free(&r->shared.argv);
    }
    if (r->place != ENGINE_NO_PLACE) {
        engine_give_place(r->frame->engine, r->place);
    }
    argv_release(&r->command);
    buf_release(&r->input);
    free(r);
}

/* ---- beginning ---- */

/* How long, in nanoseconds, the setting T says; -1: it says nothing, or 0. */
static int find_time(struct frame *f, setting t, const char *name, int64_t *out, struct err *e)
{
    int64_t n;
    int rc = data_integer(f, t, name, INT64_MAX / CLOCK_SECOND, &n, e);
    *out = n > 0 ? n * CLOCK_SECOND : -1;
    return rc;
}

static int find_command(struct errand *w, struct err *e)
{
    const struct engine_rules *r = w->frame->engine->rules;
    const struct task_form *t = &w->frame->state->task;
    char *const *argv = t->argv ? t->argv : actions_find(r->actions, t->action);
    size_t count = 0;
    while (argv && argv[count]) {
        count++;
    }
    return argv ? argv_parse(&w->command, argv, count, "{}", e)
                : err_set(e, ERR_USAGE, "--actions names no command for '%.*s'", (int)t->action.len,
                          t->action.at);
}

static int find_input(struct errand *w, struct err *e)
{
    struct frame *f = w->frame;
    if (f->state->task.payload) {
        return data_value(f, f->state->task.payload, &w->input, e);
    }
    buf_add_span(&w->input, frame_input(f));
    return 0;
}

static int make_rules(struct errand *w, struct err *e)
{
    struct frame *f = w->frame;
    const struct engine_rules *r = f->engine->rules;
    w->rules = (struct run_rules){.command = &w->command,
                                  .environment = r->environment,
                                  .folder = r->folder,
                                  .name = r->name,
                                  .slots = 1,
                                  .max_output = LINES_ITEM_DEFAULT,
                                  .max_depth = SCAN_DEPTH_DEFAULT,
                                  .kill_after = ERRAND_KILL_AFTER,
                                  .items = RUN_ITEMS_ONE};
    if (find_time(f, f->state->task.timeout, "Timeout", &w->rules.timeout, e) < 0) {
        return -1;
    }
    return find_time(f, f->state->task.heartbeat, "HeartbeatSeconds", &w->rules.heartbeat, e);
}

static void share(struct errand *w)
{
    struct engine *e = w->frame->engine;
    w->shared = (struct job_shared){.rules = &w->rules,
                                    .proc = &e->proc,
                                    .loop = &e->loop,
                                    .messages = &e->messages,
                                    .scan = &e->scan,
                                    .deadlines = e->deadlines,
                                    .timeout = {.fixed = w->rules.timeout},
                                    .done = on_done,
                                    .owner = w};
    variables_init(&w->shared.variables, w->rules.environment);
}

/* All places are taken: look again soon. */
static void postpone(struct frame *f)
{
    f->attempts--;
    f->at = FRAME_AGAIN;
    f->due = clock_now() + ENGINE_LOOK;
}

void errand_begin(struct frame *f)
{
    static const struct work_kind kind = {stop_errand, tick_errand, errand_due, free_errand};
    struct errand *w = mem_new(1, sizeof *w);
    struct err e = {0};
    *w = (struct errand){.work = {&kind}, .frame = f, .place = ENGINE_NO_PLACE};
    if (engine_prepare(f->engine) < 0) {
        free_errand(&w->work);
        return;
    }
    if (make_rules(w, &e) < 0 || find_command(w, &e) < 0 || find_input(w, &e) < 0) {
        free_errand(&w->work);
        frame_fail_runtime(f, &e);
        return;
    }
    w->place = engine_take_place(f->engine);
    if (w->place == ENGINE_NO_PLACE) {
        free_errand(&w->work);
        postpone(f);
        return;
    }
    f->work = &w->work;
    share(w);
    job_init(&w->job, &w->shared, w->place);
    w->begun = true;
    struct outcome fresh = {
        .index = f->item.there ? f->item.index : 0, .item_count = 1, .input = buf_span(&w->input)};
    job_begin(&w->job, &fresh);
}
