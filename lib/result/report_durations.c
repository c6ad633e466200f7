/* How long executions took. */
#include "result/report_parts.h"

#include "base/clock.h"
#include "result/chart.h"
#include "result/figures.h"
#include "result/html.h"

#include <math.h>

enum { BARS_MAX = 64, BARS_WANTED = 24 };

struct histogram {
    bool logarithmic;
    size_t count;
    int64_t edges[BARS_MAX + 1];
    uint64_t all[BARS_MAX];
    uint64_t failed[BARS_MAX];
};

static const struct {
    const char *name;
    unsigned per_mille;
} quantiles[] = {{"p50", 500}, {"p90", 900}, {"p99", 990}};

/* ---- bars ---- */

/* The smallest of 1, 2, 5, 10, 20, … that gives fewer than BARS_WANTED parts of RANGE. */
static int64_t step_for(int64_t range)
{
    static const int64_t parts[] = {1, 2, 5};
    int64_t power = 1;
    for (int i = 0;; i++) {
        int64_t step = parts[i % 3] * power;
        if (range / step < BARS_WANTED) {
            return step;
        }
        power *= i % 3 == 2 ? 10 : 1;
    }
}

/*
 * Bars of equal width: from a round number below LOW on, or from 0 where that is not far, or where
 * bars would be narrower than counts are exact (sketch.h).
 */
static void cut_evenly(struct histogram *h, int64_t low, int64_t high)
{
    int64_t from = low * 4 < high || high - low < high / 8 ? 0 : low;
    int64_t step = step_for(high - from);
    h->edges[0] = from - from % step;
    while (h->count < BARS_MAX && h->edges[h->count] <= high) {
        h->edges[h->count + 1] = h->edges[h->count] + step;
        h->count++;
    }
}

/* Bars of equal ratio: ten to a decade, or five where there are many decades. LOW is not tiny. */
static void cut_by_ratio(struct histogram *h, int64_t low, int64_t high)
{
    static const int tenths[] = {100, 125, 160, 200, 250, 315, 400, 500, 630, 800};
    size_t step = high / low > 10000 ? 2 : 1;
    int64_t power = 1000;
    while (power * 10 <= low) {
        power *= 10;
    }
    size_t i = 0;
    while (i + step < 10 && power / 100 * tenths[i + step] <= low) {
        i += step;
    }
    for (;;) {
        int64_t edge = power / 100 * tenths[i];
        h->edges[h->count] = edge;
        if (edge > high || h->count == BARS_MAX) {
            break;
        }
        h->count++;
        i += step;
        if (i >= 10) {
            i = 0;
            power *= 10;
        }
    }
}

static void measure(const struct sketch *s, struct histogram *h)
{
    int64_t low = sketch_quantile(s, 1); /* few are below it: the first bar has them too */
    low = low > 0 ? low : s->max / 1000;
    *h = (struct histogram){0};
    h->logarithmic = s->max > 20 * CLOCK_MILLI && s->max / 12 > low;
    if (h->logarithmic) {
        cut_by_ratio(h, low, s->max);
    } else {
        cut_evenly(h, s->min, s->max);
    }
    sketch_bars(s, h->edges, h->count, h->all, h->failed);
}

/* Where DURATION is on the axis, from 0 to 1. */
static double place_of(const struct histogram *h, int64_t duration)
{
    size_t i = 0;
    while (i + 1 < h->count && duration >= h->edges[i + 1]) {
        i++;
    }
    double low = (double)h->edges[i];
    double high = (double)h->edges[i + 1];
    double d = (double)duration < low ? low : (double)duration > high ? high : (double)duration;
    double part = h->logarithmic ? log(d / low) / log(high / low) : (d - low) / (high - low);
    return ((double)i + part) / (double)h->count;
}

/* ---- the chart ---- */

static void add_label(struct chart_axis *a, double at, int64_t duration)
{
    struct buf b = {0};
    if (duration < CLOCK_SECOND) {
        buf_printf(&b, "%.6g ms", (double)duration / (double)CLOCK_MILLI);
    } else {
        figures_count(&b, (uint64_t)(duration / CLOCK_SECOND));
        buf_add_text(&b, " s");
    }
    chart_add_tick(a, at, buf_text(&b));
    buf_release(&b);
}

/* Of bars by ratio the edges that are 1, 2, 5 of a power of ten, or with many decades just 1. */
static void label_ratios(struct chart_axis *a, const struct histogram *h)
{
    bool decades = h->edges[h->count] / h->edges[0] > 1000;
    for (size_t i = 0; i <= h->count; i++) {
        int64_t first = h->edges[i];
        while (first >= 10 && first % 10 == 0) {
            first /= 10;
        }
        if (first == 1 || (!decades && (first == 2 || first == 5))) {
            add_label(a, (double)i / (double)h->count, h->edges[i]);
        }
    }
}

static void label_times(struct chart_axis *a, const struct histogram *h)
{
    int64_t to = h->edges[h->count];
    int64_t unit = chart_unit(to, &a->unit);
    chart_time_axis(a, h->edges[0], to, 0, unit);
}

static void put_range(struct page *p, const struct histogram *h, size_t i)
{
    bool all_below = i == 0 && p->f->stats->durations.min < h->edges[0];
    if (all_below) {
        html_put(p->w, "up to ");
    } else {
        report_put_duration(p, h->edges[i]);
        html_put(p->w, " – ");
    }
    report_put_duration(p, h->edges[i + 1]);
}

static void put_column(struct page *p, const struct histogram *h, size_t i, double top)
{
    double width = CHART_SIZE / (double)h->count;
    double failed = CHART_SIZE * (double)h->failed[i] / top;
    double others = CHART_SIZE * (double)(h->all[i] - h->failed[i]) / top;
    double x = width * ((double)i + 0.06);
    html_put(p->w, "<g>");
    if (h->failed[i] > 0) {
        failed = failed > 6 ? failed : 6; /* what there is can be seen */
        chart_rect(p->w, "bad", x, CHART_SIZE - failed, width * 0.88, failed);
        chart_rect_end(p->w);
    }
    if (h->all[i] > h->failed[i]) {
        others = others > 6 ? others : 6;
        chart_rect(p->w, "good", x, CHART_SIZE - failed - others, width * 0.88, others);
        chart_rect_end(p->w);
    }
    chart_rect(p->w, "hit", width * (double)i, 0, width, CHART_SIZE);
    put_range(p, h, i);
    html_put(p->w, ": ");
    report_put_count(p, h->all[i] - h->failed[i]);
    html_put(p->w, " succeeded, ");
    report_put_count(p, h->failed[i]);
    html_put(p->w, " failed");
    chart_rect_end(p->w);
    html_put(p->w, "</g>\n");
}

static void put_histogram(struct page *p, const struct histogram *h)
{
    struct chart c = {.kind = "columns",
                      .label = "Executions by how long they took",
                      .x.label = "duration",
                      .y.label = "executions"};
    const struct sketch *s = &p->f->stats->durations;
    uint64_t most = 0;
    for (size_t i = 0; i < h->count; i++) {
        most = h->all[i] > most ? h->all[i] : most;
    }
    double top = chart_number_axis(&c.y, (double)most, true);
    if (h->logarithmic) {
        label_ratios(&c.x, h);
    } else {
        label_times(&c.x, h);
    }
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        struct chart_tick *mark = &c.marks[c.mark_count++];
        mark->at = place_of(h, sketch_quantile(s, quantiles[i].per_mille));
        memcpy(mark->label, quantiles[i].name, 4);
    }
    chart_begin(p->w, &c);
    for (size_t i = 0; i < h->count; i++) {
        put_column(p, h, i, top);
    }
    chart_end(p->w, &c);
}

static void put_table(struct page *p, const struct histogram *h)
{
    html_put(p->w, "<details><summary>Numbers</summary><table><thead><tr><th scope=\"col\">Duration"
                   "</th><th scope=\"col\">Succeeded</th><th scope=\"col\">Failed</th></tr></thead>"
                   "<tbody>\n");
    for (size_t i = 0; i < h->count; i++) {
        html_put(p->w, "<tr><th scope=\"row\">");
        put_range(p, h, i);
        html_put(p->w, "</th><td>");
        report_put_count(p, h->all[i] - h->failed[i]);
        html_put(p->w, "</td><td>");
        report_put_count(p, h->failed[i]);
        html_put(p->w, "</td></tr>\n");
    }
    html_put(p->w, "</tbody></table></details>\n");
}

static void put_figure(struct page *p, const char *name, int64_t duration)
{
    html_format(p->w, "<div><dt>%s</dt><dd>", name);
    report_put_duration(p, duration);
    html_put(p->w, "</dd></div>");
}

static void put_quantiles(struct page *p, const struct sketch *s)
{
    html_put(p->w, "<dl class=\"row\">");
    put_figure(p, "shortest", s->min);
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        put_figure(p, quantiles[i].name, sketch_quantile(s, quantiles[i].per_mille));
    }
    put_figure(p, "longest", s->max);
    html_put(p->w, "</dl>\n");
}

void report_put_durations(struct page *p)
{
    struct histogram h;
    const struct sketch *s = &p->f->stats->durations;
    if (s->count == 0) {
        report_put_nothing(p);
        return;
    }
    put_quantiles(p, s);
    if (s->max == 0) {
        html_put(p->w, "<p class=\"none\">As far as the times tell, none took any time.</p>\n");
        return;
    }
    measure(s, &h);
    put_histogram(p, &h);
    put_table(p, &h);
    if (!sketch_is_exact(s)) {
        html_put(p->w,
                 "<p class=\"hint\">p50, p90, p99 and the edges of bars: at most 0.8 % off.</p>\n");
    }
}
