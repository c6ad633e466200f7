#include "run/state.h"

#include "run/fallback.h"

#include <stdio.h>
#include <sys/signal.h>

/* ---- stopping ---- */

void orders_stop(struct run *r)
{
    if (r->stopped) {
        return;
    }
    r->stopped = true;
    if (r->rules->stop == RUN_STOP_DRAIN && !r->quit) {
        crew_drain(&r->crew);
    } else {
        crew_abort(&r->crew, false);
    }
}

void orders_quit(struct run *r, const struct err *e)
{
    if (!r->quit) {
        r->quit = true;
        r->failure = *e;
        if (r->stopped) {
            crew_abort(&r->crew, false); /* what was left to finish */
        }
        orders_stop(r);
    }
}

bool orders_are_final(const struct run *r)
{
    return r->quit || (r->stopped && r->rules->stop == RUN_STOP_NOW);
}

/* ---- places ---- */

static void say(struct run *r, const char *text)
{
    if (r->rules->notice) {
        r->rules->notice(r->rules->context, text);
    }
}

size_t orders_per_place(const struct run_rules *rules)
{
    return rules->window > 0 && rules->fallbacks && rules->fallbacks->count > 0 ? 2 : 1;
}

void orders_resize(struct run *r, size_t slots)
{
    size_t room = proc_room() / orders_per_place(r->rules);
    room = room > SIZE_MAX - r->crew.made ? room : room + r->crew.made;
    room = room > 0 ? room : 1; /* it has been seen to that one can run */
    if (slots > room) {
        char text[128];
        snprintf(text, sizeof text, "only %zu at a time: the limit of open files allows no more",
                 room);
        slots = room;
        say(r, text);
    }
    crew_limit(&r->crew, slots);
}

/* What has been set is what counts from now on. */
static void apply(struct run *r)
{
    if ((size_t)r->settings.slots != r->crew.limit) {
        orders_resize(r, (size_t)r->settings.slots);
        r->settings.slots = (int64_t)r->crew.limit;
    }
    if (r->rules->throttle) {
        r->rules->throttle->interval = r->settings.interval;
        r->rules->throttle->delay = r->settings.delay;
        r->start_at = 0;
    }
}

void orders_look(struct run *r, bool anyway)
{
    struct err e = {0};
    if (r->rules->control && control_look(r->rules->control, anyway, &r->settings, &e)) {
        apply(r);
    }
    if (e.code != ERR_NONE) {
        err_prefix(&e, "%s", r->rules->control->file);
        say(r, e.text);
    }
}

/* ---- signals ---- */

/* SIGUSR2 with a value sets the places; without one it has the file read, or adds a place. */
static void on_resize(struct run *r, int value)
{
    if (value == 0 && r->rules->control && r->rules->control->file) {
        orders_look(r, true);
        return;
    }
    r->settings.slots = value > 0 ? value : r->settings.slots + 1;
    apply(r);
}

/* Ctrl-Z: commands have groups of their own, so that it does not reach them by itself. */
static void on_stop(struct run *r)
{
    int64_t before = clock_now();
    if (r->rules->speak) {
        r->rules->speak(r->rules->context);
    }
    crew_pause(&r->crew, true, 0);
    signals_stop(SIGTSTP);
    crew_pause(&r->crew, false, clock_now() - before);
}

static void on_end(struct run *r, int number)
{
    struct err e = {0};
    if (r->report->signal != 0) {
        if (clock_now() - r->ended_at > SIGNALS_ECHO) {
            r->hurried = true;
            crew_abort(&r->crew, true);
        }
        return;
    }
    r->ended_at = clock_now();
    err_set(&e, ERR_FAILED, "ended by signal %d", number);
    r->report->signal = number;
    orders_quit(r, &e);
}

void orders_on_signal(void *owner, uint32_t events)
{
    struct run *r = owner;
    int number;
    int value;
    (void)events;
    while ((number = signals_next_value(&r->signals, &value)) != 0) {
        if (number == SIGUSR2) {
            on_resize(r, value);
        } else if (number == SIGTSTP) {
            on_stop(r);
        } else {
            on_end(r, number);
        }
    }
}
