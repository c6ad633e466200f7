#include "result/timeline.h"

#include "base/clock.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

#define MINUTE (60 * CLOCK_SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

/* Each is a multiple of the one before. */
static const int64_t widths[] = {
    CLOCK_MILLI,
    2 * CLOCK_MILLI,
    10 * CLOCK_MILLI,
    20 * CLOCK_MILLI,
    100 * CLOCK_MILLI,
    200 * CLOCK_MILLI,
    CLOCK_SECOND,
    2 * CLOCK_SECOND,
    10 * CLOCK_SECOND,
    20 * CLOCK_SECOND,
    MINUTE,
    2 * MINUTE,
    10 * MINUTE,
    20 * MINUTE,
    HOUR,
    2 * HOUR,
    12 * HOUR,
    DAY,
    7 * DAY,
    28 * DAY,
    364 * DAY,
};

/* Round widths of bars; for each of the widths above there are multiples among them. */
static const int64_t bar_widths[] = {
    CLOCK_MILLI,       2 * CLOCK_MILLI,
    5 * CLOCK_MILLI,   10 * CLOCK_MILLI,
    20 * CLOCK_MILLI,  50 * CLOCK_MILLI,
    100 * CLOCK_MILLI, 200 * CLOCK_MILLI,
    500 * CLOCK_MILLI, CLOCK_SECOND,
    2 * CLOCK_SECOND,  5 * CLOCK_SECOND,
    10 * CLOCK_SECOND, 20 * CLOCK_SECOND,
    30 * CLOCK_SECOND, MINUTE,
    2 * MINUTE,        5 * MINUTE,
    10 * MINUTE,       20 * MINUTE,
    30 * MINUTE,       HOUR,
    2 * HOUR,          6 * HOUR,
    12 * HOUR,         DAY,
    7 * DAY,           28 * DAY,
    364 * DAY,         3640 * DAY,
};

int64_t timeline_width(const struct timeline *t)
{
    return widths[t->step];
}

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static void add_bin(struct timeline_bin *to, const struct timeline_bin *from, double shift)
{
    uint64_t ended = from->succeeded + from->failed;
    to->started += from->started;
    to->succeeded += from->succeeded;
    to->failed += from->failed;
    to->started_rest += from->started_rest + (double)from->started * shift;
    to->stopped_rest += from->stopped_rest + (double)ended * shift;
}

/* Bins of the next width, beginning with number FIRST of these. */
static void widen(struct timeline *t, size_t step, int64_t first)
{
    struct timeline_bin *bins = mem_new(TIMELINE_BINS, sizeof *bins);
    int64_t factor = widths[step] / widths[t->step];
    for (int64_t i = 0; i < TIMELINE_BINS; i++) {
        if (t->bins[i].started + t->bins[i].succeeded + t->bins[i].failed > 0) {
            int64_t to = floor_div(t->first + i, factor);
            int64_t after =
                (to + 1) * factor - (t->first + i + 1); /* bins behind it in the new one */
            add_bin(&bins[to - first], &t->bins[i], (double)(after * widths[t->step]));
        }
    }
    free(t->bins);
    t->bins = bins;
    t->step = step;
    t->first = first;
}

/* Make bins of all from t->start to t->stop. */
static void cover(struct timeline *t)
{
    size_t step = t->step;
    while (floor_div(t->stop, widths[step]) - floor_div(t->start, widths[step]) >= TIMELINE_BINS) {
        step++;
    }
    int64_t first = floor_div(t->start, widths[step]);
    if (!t->bins) {
        t->bins = mem_new(TIMELINE_BINS, sizeof *t->bins);
        t->step = step;
        t->first = first;
    } else if (step != t->step || first < t->first ||
               floor_div(t->stop, widths[step]) - t->first >= TIMELINE_BINS) {
        widen(t, step, first);
    }
}

/* The bin of TIME, and what is left of it behind TIME. */
static struct timeline_bin *bin_of(struct timeline *t, int64_t time, double *rest)
{
    int64_t number = floor_div(time, widths[t->step]);
    *rest = (double)((number + 1) * widths[t->step] - time);
    return &t->bins[number - t->first];
}

void timeline_add(struct timeline *t, int64_t start, int64_t stop, bool failed)
{
    bool wider = t->count == 0 || start < t->start || stop > t->stop;
    t->start = t->count == 0 || start < t->start ? start : t->start;
    t->stop = t->count == 0 || stop > t->stop ? stop : t->stop;
    t->count++;
    if (wider) {
        cover(t);
    }
    double rest;
    struct timeline_bin *bin = bin_of(t, start, &rest);
    bin->started++;
    bin->started_rest += rest;
    bin = bin_of(t, stop, &rest);
    bin->succeeded += !failed;
    bin->failed += failed;
    bin->stopped_rest += rest;
}

struct timeline_bars timeline_layout(const struct timeline *t, size_t max)
{
    struct timeline_bars layout = {0};
    for (size_t i = 0; t->count > 0 && i < sizeof bar_widths / sizeof *bar_widths; i++) {
        int64_t width = bar_widths[i];
        int64_t from = floor_div(t->start, width);
        int64_t to = floor_div(t->stop, width);
        if (width % widths[t->step] == 0 && to - from < (int64_t)max) {
            layout.from = from * width;
            layout.width = width;
            layout.count = (size_t)(to - from + 1);
            break;
        }
    }
    return layout;
}

/* How much of bar I lies between the start and the stop, in ns: the first and last do in part. */
static int64_t covered(const struct timeline *t, const struct timeline_bars *layout, size_t i)
{
    int64_t from = layout->from + layout->width * (int64_t)i;
    int64_t to = from + layout->width;
    from = from > t->start ? from : t->start;
    to = to < t->stop ? to : t->stop;
    return to - from;
}

/* From the time that executions ran in bar I to how many ran at once. */
static void average(const struct timeline *t, const struct timeline_bars *layout, size_t i,
                    struct timeline_bar *bars)
{
    int64_t part = covered(t, layout, i);
    if (part > 0) {
        bars[i].running /= (double)part;
    } else if (i > 0) {
        bars[i].running = bars[i - 1].running; /* the run ends where the bar begins */
    }
}

void timeline_fill(const struct timeline *t, const struct timeline_bars *layout,
                   struct timeline_bar *bars)
{
    if (layout->count == 0) {
        return;
    }
    int64_t factor = layout->width / widths[t->step];
    int64_t from = floor_div(layout->from, layout->width);
    uint64_t running = 0; /* where the bin begins */
    double width = (double)widths[t->step];
    memset(bars, 0, layout->count * sizeof *bars);
    for (int64_t i = 0; i < TIMELINE_BINS; i++) {
        const struct timeline_bin *bin = &t->bins[i];
        int64_t bar = floor_div(t->first + i, factor) - from;
        if (bar < 0 || bar >= (int64_t)layout->count) {
            continue;
        }
        struct timeline_bar *b = &bars[bar];
        b->started += bin->started;
        b->succeeded += bin->succeeded;
        b->failed += bin->failed;
        b->running += (double)running * width + bin->started_rest - bin->stopped_rest;
        running += bin->started - bin->succeeded - bin->failed;
    }
    for (size_t i = 0; i < layout->count; i++) {
        average(t, layout, i, bars);
    }
}

void timeline_release(struct timeline *t)
{
    free(t->bins);
    *t = (struct timeline){0};
}
