#include "run/crew.h"

#include "base/mem.h"
#include "run/rescue.h"
#include "run/streams.h"

#include <stdlib.h>

static void on_done(void *owner, const struct outcome *o, const struct err *broken, size_t place)
{
    struct crew *c = owner;
    if (place >= c->most) { /* it was a fallback for what a worker failed at */
        place -= c->shared.beside;
        rescue_done(c->workers[place]);
    }
    c->load[place]--;
    c->busy--;
    c->done(c->owner, o, broken);
}

static size_t capacity(const struct crew *c)
{
    return c->window > 0 ? c->window : 1;
}

size_t crew_places(size_t most, size_t window)
{
    return window > 0 ? 2 * most : most;
}

void crew_open(struct crew *c, size_t most, const char *const *environment)
{
    c->most = most;
    c->shared.done = on_done;
    c->shared.owner = c;
    c->shared.beside = most;
    c->shared.deadlines = mem_new(crew_places(most, c->window), sizeof *c->shared.deadlines);
    c->load = mem_new(most, sizeof *c->load);
    if (c->window > 0) {
        c->workers = mem_new(most, sizeof *c->workers);
    } else {
        c->jobs = mem_new(most, sizeof *c->jobs);
    }
    variables_init(&c->shared.variables, environment);
}

void crew_limit(struct crew *c, size_t limit)
{
    c->limit = limit < 1 ? 1 : limit > c->most ? c->most : limit;
}

/* The place below the limit with the least to do. */
static size_t choose(const struct crew *c)
{
    size_t best = 0;
    for (size_t i = 0; i < c->limit && c->load[best] > 0; i++) {
        best = c->load[i] < c->load[best] ? i : best;
    }
    return best;
}

bool crew_has_room(const struct crew *c)
{
    return c->busy < c->limit * capacity(c) && c->load[choose(c)] < capacity(c);
}

static void make_place(struct crew *c)
{
    size_t place = c->made++;
    if (c->window > 0) {
        c->workers[place] = mem_new(1, sizeof **c->workers);
        c->shared.deadlines[c->shared.beside + place] = CLOCK_NEVER;
        worker_init(c->workers[place], &c->shared, place, c->window);
    } else {
        c->jobs[place] = mem_new(1, sizeof **c->jobs);
        job_init(c->jobs[place], &c->shared, place);
    }
}

void crew_begin(struct crew *c, const struct outcome *fresh)
{
    size_t place = choose(c);
    while (c->made <= place) {
        make_place(c);
    }
    c->load[place]++;
    c->busy++;
    if (c->window > 0) {
        worker_begin(c->workers[place], fresh);
    } else {
        job_begin(c->jobs[place], fresh);
    }
}

/* When something is due at place I. */
static int64_t deadline_of(const struct crew *c, size_t i)
{
    const int64_t *at = c->shared.deadlines;
    bool beside = c->window > 0 && at[c->shared.beside + i] < at[i];
    return beside ? at[c->shared.beside + i] : at[i];
}

void crew_tick(struct crew *c, int64_t now)
{
    for (size_t i = 0; i < c->made; i++) {
        if (deadline_of(c, i) > now) {
            continue;
        }
        if (c->window > 0) {
            worker_tick(c->workers[i], now);
        } else {
            job_tick(c->jobs[i], now);
        }
    }
}

int64_t crew_deadline(const struct crew *c)
{
    int64_t next = CLOCK_NEVER;
    for (size_t i = 0; i < c->made; i++) {
        int64_t at = deadline_of(c, i);
        next = at < next ? at : next;
    }
    return next;
}

void crew_flush(struct crew *c)
{
    for (size_t i = 0; c->window > 1 && i < c->made; i++) {
        if (c->workers[i]->outgoing.len > 0 && !c->workers[i]->full) {
            worker_flush(c->workers[i]);
        }
    }
}

void crew_flush_due(struct crew *c)
{
    for (size_t i = 0; c->window > 1 && i < c->made; i++) {
        worker_flush_due(c->workers[i]);
    }
}

void crew_resume(struct crew *c)
{
    for (size_t i = 0; c->window == 0 && i < c->made; i++) {
        if (c->jobs[i]->held_back) {
            streams_resume(c->jobs[i]);
        }
    }
}

void crew_drain(struct crew *c)
{
    c->shared.no_more = true;
    for (size_t i = 0; i < c->made; i++) {
        if (c->window > 0) {
            worker_drop(c->workers[i]);
        } else {
            job_drop(c->jobs[i]);
        }
    }
}

void crew_abort(struct crew *c, bool now)
{
    c->shared.no_more = c->shared.aborting = true;
    for (size_t i = 0; i < c->made; i++) {
        if (c->window > 0) {
            worker_abort(c->workers[i], now);
        } else {
            job_abort(c->jobs[i], now);
        }
    }
}

void crew_pause(struct crew *c, bool stop, int64_t lost)
{
    for (size_t i = 0; i < c->made; i++) {
        if (c->window > 0) {
            worker_pause(c->workers[i], stop, lost);
        } else {
            job_pause(c->jobs[i], stop, lost);
        }
    }
}

bool crew_finish(struct crew *c)
{
    bool down = true;
    for (size_t i = 0; c->window > 0 && i < c->made; i++) {
        worker_finish(c->workers[i]);
        down = down && worker_is_down(c->workers[i]);
    }
    return down;
}

void crew_close(struct crew *c)
{
    for (size_t i = 0; i < c->made; i++) {
        if (c->window > 0) {
            worker_release(c->workers[i]);
            free(c->workers[i]);
        } else {
            job_release(c->jobs[i]);
            free(c->jobs[i]);
        }
    }
    free(c->jobs);
    free(c->workers);
    free(c->load);
    free(c->shared.deadlines);
    variables_release(&c->shared.variables);
    argv_free(&c->shared.argv);
    *c = (struct crew){0};
}
