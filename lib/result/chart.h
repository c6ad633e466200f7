/*
 * chart.h: axes and frames of charts in a page.
 *
 * The plot is SVG that stretches with the page; labels are HTML beside it, so that they keep their
 * size on a phone.  Coordinates inside a plot go from 0 to 1000, from the left and from the top.
 *
 *     chart_begin(w, &c); … shapes …; chart_end(w, &c)
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_CHART_H
#define FANLINE_RESULT_CHART_H

#include "io/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHART_SIZE 1000.0

#define CHART_LABEL_MAX 24

/* A tick at AT, a part of the axis from 0 to 1. */
struct chart_tick {
    double at;
    char label[CHART_LABEL_MAX];
    bool minor; /* left out where there is little room */
};

#define CHART_TICKS_MAX 32
#define CHART_MARKS_MAX 4

struct chart_axis {
    const char *label; /* what is measured */
    const char *unit;  /* NULL: it is a number, or the ticks say it */
    struct chart_tick ticks[CHART_TICKS_MAX];
    size_t count;
};

/* All texts are borrowed, and markup: none of them comes from records. */
struct chart {
    const char *label; /* what the chart shows, for those who do not see it */
    const char *kind;  /* class of the element */
    size_t rows;       /* height for so many rows; 0: the usual one */
    struct chart_axis x;
    struct chart_axis y;                      /* no ticks: the plot has no such axis */
    struct chart_tick marks[CHART_MARKS_MAX]; /* places on the x axis, from left to right */
    size_t mark_count;
};

/* A unit of time that fits RANGE nanoseconds: its length, and a name ("s") in *NAME. */
int64_t chart_unit(int64_t range, const char **name);

/* Ticks of an axis from FROM to TO nanoseconds, counted in UNIT from ORIGIN on. */
void chart_time_axis(struct chart_axis *a, int64_t from, int64_t to, int64_t origin, int64_t unit);

/* One more tick. What has no room is left out. */
void chart_add_tick(struct chart_axis *a, double at, const char *label);

/* Ticks of an axis from 0 to at least MAX; returns where it ends, a round number above 0. */
double chart_number_axis(struct chart_axis *a, double max, bool whole);

void chart_begin(struct writer *w, const struct chart *c);
void chart_end(struct writer *w, const struct chart *c);

/* Begin a rectangle of the class KIND; put its title as text, then say chart_rect_end. */
void chart_rect(struct writer *w, const char *kind, double x, double y, double width,
                double height);
void chart_rect_end(struct writer *w);

#endif
