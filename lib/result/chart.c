#include "result/chart.h"

#include "base/buf.h"
#include "base/clock.h"
#include "result/figures.h"
#include "result/html.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MINUTE (60 * CLOCK_SECOND)
#define HOUR   (60 * MINUTE)
#define DAY    (24 * HOUR)

enum { TICKS_WANTED = 8 };

/* A unit, the ranges it is fit for, and steps that divide the next unit. */
static const struct unit {
    int64_t length;
    int64_t below;
    const char *name;
    double steps[8];
} units[] = {
    {CLOCK_MILLI, 2 * CLOCK_SECOND, "ms", {0}},
    {CLOCK_SECOND, 6 * MINUTE, "s", {1, 2, 5, 10, 15, 30, 60}},
    {MINUTE, 6 * HOUR, "min", {1, 2, 5, 10, 15, 30, 60}},
    {HOUR, 4 * DAY, "h", {1, 2, 3, 6, 12, 24}},
    {DAY, INT64_MAX, "d", {0}},
};

int64_t chart_unit(int64_t range, const char **name)
{
    const struct unit *u = units;
    while (range >= u->below && u->below != INT64_MAX) {
        u++;
    }
    *name = u->name;
    return u->length;
}

/* The smallest of 1, 2, 5, 10, 20, … times a power of ten that is at least MIN, above 0. */
static double round_step(double min)
{
    double power = pow(10, floor(log10(min)));
    double part = min / power;
    return power * (part <= 1.0000001 ? 1 : part <= 2.0000001 ? 2 : part <= 5.0000001 ? 5 : 10);
}

/* A step for RANGE, both in units of LENGTH. */
static double time_step(double range, int64_t length)
{
    double min = range / TICKS_WANTED;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        for (size_t k = 0; units[i].length == length && units[i].steps[k] > 0; k++) {
            if (units[i].steps[k] >= min && range >= 2) {
                return units[i].steps[k];
            }
        }
    }
    return round_step(min);
}

void chart_add_tick(struct chart_axis *a, double at, const char *label)
{
    if (a->count < CHART_TICKS_MAX) {
        struct chart_tick *t = &a->ticks[a->count];
        *t = (struct chart_tick){.at = at, .minor = a->count % 2 == 1};
        snprintf(t->label, sizeof t->label, "%s", label);
        a->count++;
    }
}

/* A tick that is labelled with a number: "1,500", "0.25". */
static void add_value(struct chart_axis *a, double at, double value)
{
    struct buf b = {0};
    double rounded = floor(value + 0.5);
    if (value >= 1000 && fabs(value - rounded) < 0.0001) {
        figures_count(&b, (uint64_t)rounded);
    } else {
        buf_printf(&b, "%.6g", value);
    }
    chart_add_tick(a, at, buf_text(&b));
    buf_release(&b);
}

void chart_time_axis(struct chart_axis *a, int64_t from, int64_t to, int64_t origin, int64_t unit)
{
    double low = (double)(from - origin) / (double)unit;
    double high = (double)(to - origin) / (double)unit;
    if (high <= low) {
        return;
    }
    double step = time_step(high - low, unit);
    for (int64_t k = (int64_t)ceil(low / step - 0.0001);; k++) {
        double value = (double)k * step;
        if (value > high + step * 0.0001) {
            break;
        }
        add_value(a, (value - low) / (high - low), value);
    }
}

double chart_number_axis(struct chart_axis *a, double max, bool whole)
{
    double step = round_step((max > 0 ? max : 1) / 4);
    if (whole && step < 1) {
        step = 1;
    }
    double top = ceil(max / step - 0.0001) * step;
    top = top > 0 ? top : step;
    for (double k = 0; k * step <= top + step * 0.0001; k++) {
        add_value(a, k * step / top, k * step);
    }
    return top;
}

static void put_ticks(struct writer *w, const struct chart_axis *a, const char *side)
{
    for (size_t i = 0; i < a->count; i++) {
        const struct chart_tick *t = &a->ticks[i];
        html_format(w, "<span%s style=\"%s:%.2f%%\">%s</span>", t->minor ? " class=\"minor\"" : "",
                    side, 100 * t->at, t->label);
    }
}

static size_t longest_label(const struct chart_axis *a)
{
    size_t longest = 0;
    for (size_t i = 0; i < a->count; i++) {
        size_t len = strlen(a->ticks[i].label);
        longest = len > longest ? len : longest;
    }
    return longest;
}

static void put_grid(struct writer *w, const struct chart_axis *a)
{
    for (size_t i = 0; i < a->count; i++) {
        double y = CHART_SIZE * (1 - a->ticks[i].at);
        html_format(w, "<path class=\"%s\" d=\"M0 %.1fH1000\"/>", i == 0 ? "base" : "grid", y);
    }
}

static void put_axis_label(struct writer *w, const char *kind, const struct chart_axis *a)
{
    html_format(w, "<p class=\"%s\">%s%s%s</p>", kind, a->label, a->unit ? ", in " : "",
                a->unit ? a->unit : "");
}

/* Labels above the plot; one that is close behind another goes below it. */
static void put_marks(struct writer *w, const struct chart *c)
{
    double tops[CHART_MARKS_MAX] = {0};
    double most = 0;
    for (size_t i = 1; i < c->mark_count; i++) {
        tops[i] = c->marks[i].at - c->marks[i - 1].at < 0.1 ? tops[i - 1] + 1.3 : 0;
        most = tops[i] > most ? tops[i] : most;
    }
    html_format(w, "<div class=\"marks\" aria-hidden=\"true\" style=\"height:%.1fem\">",
                most + 1.5);
    for (size_t i = 0; i < c->mark_count; i++) {
        html_format(w, "<span style=\"left:%.2f%%;top:%.1fem\">%s</span>", 100 * c->marks[i].at,
                    tops[i], c->marks[i].label);
    }
    html_put(w, "</div>");
}

void chart_begin(struct writer *w, const struct chart *c)
{
    html_format(w, "<div class=\"chart %s\"", c->kind);
    if (c->rows > 0) {
        html_format(w, " style=\"--rows:%zu\"", c->rows);
    }
    html_put(w, ">");
    put_axis_label(w, "ylabel", &c->y);
    if (c->mark_count > 0) {
        put_marks(w, c);
    }
    html_format(w, "<div class=\"yticks\" aria-hidden=\"true\" style=\"width:%zuch\">",
                longest_label(&c->y) + 2);
    put_ticks(w, &c->y, "bottom");
    html_format(w,
                "</div><div class=\"plot\"><svg viewBox=\"0 0 1000 1000\" "
                "preserveAspectRatio=\"none\" role=\"img\" aria-label=\"%s\">",
                c->label);
    put_grid(w, &c->y);
}

void chart_end(struct writer *w, const struct chart *c)
{
    for (size_t i = 0; i < c->mark_count; i++) {
        html_format(w, "<path class=\"mark\" d=\"M%.1f 0V1000\"/>", CHART_SIZE * c->marks[i].at);
    }
    html_put(w, "</svg></div><div class=\"xticks\" aria-hidden=\"true\">");
    put_ticks(w, &c->x, "left");
    html_put(w, "</div>");
    put_axis_label(w, "xlabel", &c->x);
    html_put(w, "</div>\n");
}

void chart_rect(struct writer *w, const char *kind, double x, double y, double width, double height)
{
    html_format(w,
                "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>",
                kind, x, y, width, height);
}

void chart_rect_end(struct writer *w)
{
    html_put(w, "</title></rect>");
}
