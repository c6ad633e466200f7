#include "flow/frame.h"

#include "base/mem.h"
#include "base/stamp.h"
#include "base/uuid.h"
#include "expr/value.h"
#include "flow/rule.h"
#include "json/text.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---- */

struct frame *frame_begin(struct engine *e, const struct scope *scope, const struct state *start,
                          struct frame *parent)
{
    struct frame *f = mem_new(1, sizeof *f);
    *f = (struct frame){.engine = e,
                        .scope = scope,
                        .state = start,
                        .parent = parent,
                        .due = CLOCK_NEVER,
                        .after = e->frames};
    if (e->frames) {
        e->frames->before = f;
    }
    e->frames = f;
    frame_queue(f);
    return f;
}

static void free_work(struct frame *f)
{
    if (f->work) {
        f->work->kind->free(f->work);
        f->work = NULL;
    }
}

/* F must not be queued. */
void frame_free(struct frame *f)
{
    free_work(f);
    if (f->before) {
        f->before->after = f->after;
    } else {
        f->engine->frames = f->after;
    }
    if (f->after) {
        f->after->before = f->before;
    }
    buf_release(&f->raw);
    buf_release(&f->input);
    buf_release(&f->result);
    buf_release(&f->spare);
    buf_release(&f->code);
    buf_release(&f->cause);
    free(f->retries);
    free(f);
}

/* ---- going on ---- */

void frame_queue(struct frame *f)
{
    struct engine *e = f->engine;
    if (f->queued) {
        return;
    }
    f->queued = true;
    f->due = CLOCK_NEVER;
    f->next_queued = NULL;
    if (e->last_queued) {
        e->last_queued->next_queued = f;
    } else {
        e->first_queued = f;
    }
    e->last_queued = f;
}

void frame_worked(struct frame *f)
{
    f->at = FRAME_WORKED;
    frame_queue(f);
}

void frame_note_failure(struct frame *f, struct span code, struct span cause)
{
    buf_reset(&f->code);
    buf_add_span(&f->code, code);
    buf_reset(&f->cause);
    buf_add_span(&f->cause, cause);
    f->failed = true;
}

void frame_fail(struct frame *f, const char *code, struct span cause)
{
    frame_note_failure(f, span_text(code), cause);
    f->at = FRAME_FAILED;
    frame_queue(f);
}

const char *frame_runtime(const struct frame *f)
{
    return f->engine->machine->dialect == DIALECT_STATES ? "States.Runtime" : "Runtime";
}

const char *frame_late(const struct engine *e, bool by_silence)
{
    static const char *const names[][2] = {{"Timeout", "States.Timeout"},
                                           {"HeartbeatTimeout", "States.HeartbeatTimeout"}};
    return names[by_silence][e->machine->dialect == DIALECT_STATES];
}

void frame_fail_runtime(struct frame *f, const struct err *err)
{
    frame_fail(f, frame_runtime(f), span_text(err->text));
}

void frame_stop(struct frame *f)
{
    if (f->stopped) {
        return;
    }
    f->stopped = true;
    if (f->work) {
        f->work->kind->stop(f->work);
    } else {
        frame_queue(f);
    }
}

/* ---- work that waits for nothing, or for time ---- */

static void done_with_input(struct frame *f)
{
    f->result_is_input = true;
    frame_worked(f);
}

static void work_pass(struct frame *f)
{
    f->result_is_input = f->state->result.len == 0;
    buf_reset(&f->result);
    buf_add_span(&f->result, f->state->result);
    frame_worked(f);
}

/* Does the alternative K hold? 1 or 0, or -1 with E filled. */
static int holds(struct frame *f, const struct choice *k, struct err *e)
{
    struct template_scene s;
    if (k->rule) {
        data_scene(f, rule_uses(k->rule, PATH_CONTEXT), &s);
        arena_reset(&f->engine->arena);
        return rule_holds(k->rule, s.roots, &f->engine->arena, e);
    }
    if (data_value(f, k->condition, &f->spare, e) < 0) {
        return -1;
    }
    struct span value = buf_span(&f->spare);
    if (value_is(value, SCAN_TRUE) || value_is(value, SCAN_FALSE)) {
        return value_is(value, SCAN_TRUE);
    }
    return err_set(e, ERR_DATA, "the condition is %s, not true or false", value_kind_name(value));
}

static void work_choice(struct frame *f)
{
    const struct state *s = f->state;
    f->going = s->otherwise;
    for (size_t i = 0; i < s->choice_count; i++) {
        struct err e = {0};
        int rc = holds(f, &s->choices[i], &e);
        if (rc < 0) {
            frame_fail_runtime(f, &e);
            return;
        }
        if (rc > 0) {
            f->going = s->choices[i].next;
            break;
        }
    }
    if (f->going) {
        done_with_input(f);
    } else {
        bool states = f->engine->machine->dialect == DIALECT_STATES;
        frame_fail(f, states ? "States.NoChoiceMatched" : "NoChoiceMatched",
                   SPAN_LIT("no alternative holds, and there is no Default"));
    }
}

static void work_fail(struct frame *f)
{
    struct err e = {0};
    struct buf code = {0};
    struct buf cause = {0};
    if (data_text(f, f->state->code, &code, &e) < 0 ||
        data_text(f, f->state->cause, &cause, &e) < 0) {
        frame_fail_runtime(f, &e);
    } else {
        frame_fail(f, buf_text(&code), buf_span(&cause));
    }
    buf_release(&code);
    buf_release(&cause);
}

/* When the Wait of F is over, of clock_now. 0, or -1 with E filled. */
static int wait_until(struct frame *f, int64_t *due, struct err *e)
{
    const struct pause *p = &f->state->pause;
    int64_t n = 0;
    if (p->seconds) {
        int rc = data_integer(f, p->seconds, "Seconds", INT64_MAX / CLOCK_SECOND, &n, e);
        *due = clock_after(clock_now(), n * CLOCK_SECOND);
        return rc;
    }
    struct buf text = {0};
    int rc = data_text(f, p->until, &text, e);
    if (rc == 0 && !stamp_read(buf_span(&text), &n)) {
        rc = err_set(e, ERR_DATA, "'%s' is no time like 2024-08-18T17:33:00Z", buf_text(&text));
    }
    int64_t left = n - clock_real();
    *due = clock_after(clock_now(), left > 0 ? left : 0);
    buf_release(&text);
    return rc;
}

static void work_wait(struct frame *f)
{
    struct err e = {0};
    int64_t due = CLOCK_NEVER;
    if (wait_until(f, &due, &e) < 0) {
        frame_fail_runtime(f, &e);
        return;
    }
    f->result_is_input = true;
    f->at = FRAME_WORKED;
    f->due = due;
}

static void work_map(struct frame *f)
{
    (f->state->map.distributed ? spread_begin : group_begin)(f);
}

static void work(struct frame *f)
{
    static void (*const types[])(struct frame * f) = {
        [STATE_PASS] = work_pass,          [STATE_CHOICE] = work_choice,
        [STATE_SUCCEED] = done_with_input, [STATE_FAIL] = work_fail,
        [STATE_TASK] = errand_begin,       [STATE_WAIT] = work_wait,
        [STATE_PARALLEL] = group_begin,    [STATE_MAP] = work_map,
    };
    f->failed = false;
    f->exceeded = false;
    f->result_is_input = false;
    f->attempts++;
    buf_reset(&f->result);
    types[f->state->type](f);
}

/* ---- from state to state ---- */

static void trace(struct frame *f, struct span input, struct span output)
{
    struct engine *e = f->engine;
    struct buf path = {0};
    struct buf code = {0};
    if (!e->rules->trace) {
        return;
    }
    machine_path(e->machine, f->state, &path);
    if (f->failed) {
        text_encode_lossy(&code, buf_span(&f->code));
    }
    const struct frame *around = f;
    while (around && !around->item.there) {
        around = around->parent;
    }
    struct trace_entry entry = {.state = buf_span(&path),
                                .type = span_text(state_type_name(f->state->type)),
                                .execution = e->rules->name,
                                .item = around ? (int64_t)around->item.index : -1,
                                .input = input,
                                .output = output,
                                .code = buf_span(&code),
                                .cause = buf_span(&f->cause),
                                .entered = f->entered,
                                .exited = clock_real(),
                                .attempts = f->attempts};
    trace_put(e->rules->trace, &entry);
    buf_release(&path);
    buf_release(&code);
}

static void go_to(struct frame *f, const struct state *next)
{
    f->at = next ? FRAME_ENTER : FRAME_OVER;
    if (next) {
        f->state = next;
    }
}

static void enter(struct frame *f)
{
    struct err e = {0};
    size_t rules = f->state->retry.count;
    const struct engine_rules *r = f->engine->rules;
    if (rules > f->retry_room) {
        f->retries = mem_resize(f->retries, rules, sizeof *f->retries);
        f->retry_room = rules;
    }
    if (rules > 0) {
        memset(f->retries, 0, rules * sizeof *f->retries);
    }
    f->attempts = 0;
    f->failed = false;
    f->going = f->state->next;
    f->entered = clock_real();
    if (r->notice && !f->parent) {
        r->notice(r->context, f->state);
    }
    f->unmade = data_enter(f, &e) < 0;
    if (f->unmade) {
        f->has_input = false;
        frame_fail_runtime(f, &e);
        return;
    }
    work(f);
}

static void leave(struct frame *f)
{
    struct err e = {0};
    struct buf was = {0};
    free_work(f);
    if (f->engine->rules->trace) {
        buf_add_span(&was, buf_span(&f->raw));
    }
    if (data_leave(f, &e) < 0) {
        frame_fail_runtime(f, &e);
    } else {
        trace(f, buf_span(&was), buf_span(&f->raw));
        bool ends = f->state->type == STATE_SUCCEED;
        go_to(f, ends ? NULL : f->going);
    }
    buf_release(&was);
}

/* Nanoseconds until the failed state of F is tried again; -1: it is not. */
static int64_t next_try(struct frame *f)
{
    uint64_t chance;
    struct buf code = {0};
    if (f->state->retry.count == 0 || f->unmade) {
        return -1;
    }
    uuid_random(&chance, sizeof chance);
    text_encode_lossy(&code, buf_span(&f->code));
    int64_t delay = retry_again(&f->state->retry, buf_span(&code), f->retries, chance);
    buf_release(&code);
    return delay;
}

static const struct catcher *find_catcher(const struct frame *f)
{
    for (size_t i = 0; i < f->state->catcher_count; i++) {
        if (retry_names(f->state->catchers[i].errors, buf_span(&f->code))) {
            return &f->state->catchers[i];
        }
    }
    return NULL;
}

static void fail(struct frame *f)
{
    struct err e = {0};
    free_work(f);
    int64_t delay = next_try(f);
    if (delay >= 0) {
        f->at = FRAME_AGAIN;
        f->due = clock_after(clock_now(), delay);
        return;
    }
    trace(f, buf_span(&f->raw), (struct span){0});
    const struct catcher *k = find_catcher(f);
    if (!k) {
        f->at = FRAME_OVER;
        return;
    }
    if (data_catch(f, k, &e) < 0) {
        frame_fail_runtime(f, &e);
        f->at = FRAME_OVER;
        return;
    }
    f->failed = false;
    go_to(f, k->next);
}

/* F has come to its end, or is stopped: whoever is above goes on. */
static void finish(struct frame *f)
{
    free_work(f);
    f->at = FRAME_OVER;
    if (f->parent) {
        group_hear(f->parent, f);
    }
}

void frame_step(struct frame *f)
{
    do {
        f->queued = false;
        if (f->stopped || f->at == FRAME_OVER) {
            finish(f);
            return;
        }
        switch (f->at) {
        case FRAME_ENTER:
            enter(f);
            break;
        case FRAME_AGAIN:
            work(f);
            break;
        case FRAME_WORKED:
            leave(f);
            break;
        default:
            fail(f);
            break;
        }
    } while (f->engine->broken.code == ERR_NONE && !f->queued && !f->work && f->due == CLOCK_NEVER);
}
