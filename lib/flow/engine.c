#include "flow/engine.h"

#include "base/mem.h"
#include "flow/frame.h"

#include <signal.h>
#include <stdlib.h>

/* ---- what is needed once something waits ---- */

static void stop_all(struct engine *e)
{
    if (e->root) {
        frame_stop(e->root);
    }
}

static void on_signal(void *owner, uint32_t events)
{
    struct engine *e = owner;
    int number;
    (void)events;
    while ((number = signals_next(&e->signals)) != 0) {
        if (number != SIGTSTP && e->signal == 0) {
            e->signal = number;
            stop_all(e);
        }
    }
}

static int open_all(struct engine *e, struct err *err)
{
    static const int list[] = {SIGTERM, SIGINT, SIGHUP, SIGQUIT};
    if (signals_open(&e->signals, list, sizeof list / sizeof *list, err) < 0) {
        return -1;
    }
    if (loop_open(&e->loop, err) < 0 || proc_open(&e->proc, ENGINE_PLACES, err) < 0) {
        return -1;
    }
    e->signal_source = (struct loop_source){.fd = -1, .ready = on_signal, .owner = e};
    return loop_add(&e->loop, &e->signal_source, e->signals.fd, EPOLLIN, err);
}

int engine_prepare(struct engine *e)
{
    if (e->ready) {
        return 0;
    }
    if (e->broken.code != ERR_NONE || open_all(e, &e->broken) < 0) {
        return -1;
    }
    writer_init(&e->messages, e->rules->errors, "standard error");
    e->deadlines = mem_new(ENGINE_PLACES, sizeof *e->deadlines);
    e->places = mem_new(ENGINE_PLACES, sizeof *e->places);
    while (e->place_count < ENGINE_PLACES) {
        e->places[e->place_count] = ENGINE_PLACES - 1 - e->place_count;
        e->place_count++;
    }
    e->ready = true;
    return 0;
}

size_t engine_take_place(struct engine *e)
{
    return e->place_count > 0 ? e->places[--e->place_count] : ENGINE_NO_PLACE;
}

void engine_give_place(struct engine *e, size_t place)
{
    e->places[e->place_count++] = place;
}

/* ---- life ---- */

int engine_open(struct engine **out, const struct machine *m, const struct engine_rules *r,
                struct err *e)
{
    struct engine *engine = mem_new(1, sizeof *engine);
    (void)e;
    *engine = (struct engine){.machine = m,
                              .rules = r,
                              .deadline = CLOCK_NEVER,
                              .loop = {.fd = -1},
                              .signals = {.fd = -1},
                              .signal_source = {.fd = -1},
                              .proc = {.null = -1}};
    scan_init(&engine->scan, SCAN_DEPTH_DEFAULT);
    *out = engine;
    return 0;
}

void engine_close(struct engine *e)
{
    if (!e) {
        return;
    }
    loop_remove(&e->loop, &e->signal_source);
    proc_close(&e->proc);
    loop_close(&e->loop);
    signals_close(&e->signals);
    if (e->ready) {
        writer_release(&e->messages);
    }
    free(e->deadlines);
    free(e->places);
    buf_release(&e->globals);
    buf_release(&e->input);
    buf_release(&e->context);
    arena_release(&e->arena);
    scan_release(&e->scan);
    free(e);
}

/* ---- running ---- */

static struct frame *take_queued(struct engine *e)
{
    struct frame *f = e->first_queued;
    e->first_queued = f->next_queued;
    if (!e->first_queued) {
        e->last_queued = NULL;
    }
    f->queued = false;
    return f;
}

/* Is the first frame at its end? */
static bool is_over(const struct engine *e)
{
    return e->root->at == FRAME_OVER && !e->root->queued;
}

static void step_all(struct engine *e)
{
    while (e->first_queued && e->broken.code == ERR_NONE) {
        frame_step(take_queued(e));
    }
}

static int64_t sooner(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t next_due(const struct engine *e)
{
    int64_t due = e->timed_out ? CLOCK_NEVER : e->deadline;
    for (const struct frame *f = e->frames; f; f = f->after) {
        due = sooner(due, f->due);
        if (f->work && f->work->kind->due) {
            due = sooner(due, f->work->kind->due(f->work));
        }
    }
    return due;
}

static void tick_all(struct engine *e)
{
    int64_t now = clock_now();
    struct frame *next;
    if (now >= e->deadline && !e->timed_out) {
        e->timed_out = true;
        stop_all(e);
    }
    for (struct frame *f = e->frames; f; f = next) {
        next = f->after;
        if (f->due <= now) {
            frame_queue(f);
        }
        if (f->work && f->work->kind->tick) {
            f->work->kind->tick(f->work, now);
        }
    }
}

/* Nothing can go on by itself: wait. */
static void wait_for_something(struct engine *e)
{
    if (engine_prepare(e) < 0) {
        return;
    }
    if (writer_flush(&e->messages, &e->broken) < 0) {
        return;
    }
    loop_turn(&e->loop, next_due(e));
    tick_all(e);
    (void)proc_sweep(&e->proc, &e->broken);
}

static void begin(struct engine *e, const struct state *start, struct span input)
{
    buf_reset(&e->globals);
    buf_add_text(&e->globals, "{}");
    buf_reset(&e->input);
    buf_add_span(&e->input, input);
    e->timed_out = false;
    e->deadline = CLOCK_NEVER;
    if (start->in == &e->machine->scope) {
        e->deadline = clock_after(clock_now(), e->machine->timeout);
    }
    e->root = frame_begin(e, start->in, start, NULL);
    buf_add_span(&e->root->raw, input);
}

static void set(struct buf *b, struct span text)
{
    buf_reset(b);
    buf_add_span(b, text);
}

/* What has become of the first frame. */
static void take_result(struct engine *e, struct engine_result *d)
{
    struct frame *f = e->root;
    buf_reset(&d->output);
    d->state = f->state;
    d->signal = e->signal;
    d->succeeded = !f->failed && !f->stopped;
    d->exceeded = f->exceeded;
    if (d->succeeded) {
        struct buf was = d->output;
        d->output = f->raw;
        f->raw = was;
    } else if (f->failed && !f->stopped) {
        set(&d->code, buf_span(&f->code));
        set(&d->cause, buf_span(&f->cause));
    } else {
        set(&d->code, e->timed_out ? span_text(frame_late(e, false)) : SPAN_LIT("Aborted"));
        set(&d->cause, e->timed_out ? SPAN_LIT("the whole took longer than its timeout allows")
                                    : SPAN_LIT("the run was ended"));
    }
}

static void free_frames(struct engine *e)
{
    while (e->frames) {
        frame_free(e->frames);
    }
    e->first_queued = e->last_queued = NULL;
    e->root = NULL;
}

int engine_run(struct engine *e, const struct state *start, struct span input,
               struct engine_result *d, struct err *err)
{
    begin(e, start, input);
    step_all(e);
    while (e->broken.code == ERR_NONE && !is_over(e)) {
        wait_for_something(e);
        step_all(e);
    }
    if (e->broken.code == ERR_NONE) {
        take_result(e, d);
    }
    free_frames(e);
    if (e->ready && e->broken.code == ERR_NONE) {
        (void)writer_flush(&e->messages, &e->broken);
    }
    if (e->broken.code != ERR_NONE) {
        *err = e->broken;
        return -1;
    }
    return 0;
}

void engine_result_release(struct engine_result *d)
{
    buf_release(&d->output);
    buf_release(&d->code);
    buf_release(&d->cause);
}
