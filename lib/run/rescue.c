#include "run/rescue.h"

#include "base/mem.h"
#include "run/fallback.h"
#include "run/talk.h"

#include <stdlib.h>

bool rescue_take(struct worker *w, struct task *t)
{
    const struct fallbacks *f = w->shared->rules->fallbacks;
    bool failed = t->outcome.status == OUTCOME_FAILED || t->outcome.status == OUTCOME_TIMED_OUT;
    if (!f || !failed || w->broken || w->shared->no_more) {
        return false;
    }
    if (!fallback_find(f, span_of(t->code.at + 1, t->code.len - 2))) {
        return false;
    }
    t->state = TASK_CAUGHT;
    w->caught++;
    return true;
}

bool rescue_is_due(const struct worker *w)
{
    return w->caught > 0 && !w->rescued;
}

/* A task of W that waits for its fallback. */
static struct task *waiting(struct worker *w)
{
    for (size_t i = 0; w->caught > 0 && i < w->task_count; i++) {
        if (w->tasks[i].state == TASK_CAUGHT && &w->tasks[i] != w->rescued) {
            return &w->tasks[i];
        }
    }
    return NULL;
}

static void make_rescue(struct worker *w)
{
    w->rescue = mem_new(1, sizeof *w->rescue);
    job_init(w->rescue, w->shared, w->shared->beside + w->place);
    w->rescue->slot = w->place + 1;
}

void rescue_tick(struct worker *w, int64_t now)
{
    if (w->rescue && w->shared->deadlines[w->rescue->place] <= now) {
        job_tick(w->rescue, now);
    }
    struct task *t = rescue_is_due(w) ? waiting(w) : NULL;
    if (t) {
        if (!w->rescue) {
            make_rescue(w);
        }
        w->rescued = t;
        job_take_over(w->rescue, &t->outcome, buf_span(&t->code), buf_span(&t->cause));
    }
}

struct task *rescue_drop(struct worker *w)
{
    struct task *t = waiting(w);
    w->caught -= t != NULL;
    return t;
}

void rescue_done(struct worker *w)
{
    w->rescued->state = TASK_FREE;
    w->rescued = NULL;
    w->caught--;
    w->used--;
    worker_set_deadline(w);
}

void rescue_release(struct worker *w)
{
    if (w->rescue) {
        job_release(w->rescue);
        free(w->rescue);
    }
}
