/* When executions ran, and how many at once. */
#include "result/report_parts.h"

#include "base/clock.h"
#include "base/mem.h"
#include "result/chart.h"
#include "result/html.h"

#include <stdlib.h>
#include <string.h>

enum { BARS_MAX = 120 };

static const char *const status_texts[RECORD_STATUSES] = {
    [RECORD_SUCCEEDED] = "succeeded", [RECORD_FAILED] = "failed",
    [RECORD_TIMED_OUT] = "timed out", [RECORD_ABORTED] = "aborted",
    [RECORD_PENDING] = "never ran",
};

/* Add a round width: "20 s". */
static void add_width(struct buf *b, int64_t width)
{
    const char *name;
    int64_t unit = chart_unit(2 * width, &name); /* so that it is no fraction of one */
    buf_printf(b, "%.6g %s", (double)width / (double)unit, name);
}

/* What both charts of bars have in common. */
struct span_of_time {
    struct timeline_bars layout;
    struct timeline_bar bars[BARS_MAX];
    int64_t unit;
    const char *unit_name;
};

static void measure(const struct timeline *t, struct span_of_time *s)
{
    s->layout = timeline_layout(t, BARS_MAX);
    timeline_fill(t, &s->layout, s->bars);
    s->unit = chart_unit(s->layout.width * (int64_t)s->layout.count, &s->unit_name);
}

/* ---- single executions ---- */

struct bar {
    const struct stats_sample *sample;
    size_t lane;
};

static int by_start(const void *a, const void *b)
{
    const struct bar *x = a;
    const struct bar *y = b;
    int order = (x->sample->start > y->sample->start) - (x->sample->start < y->sample->start);
    return order ? order
                 : (x->sample->stop > y->sample->stop) - (x->sample->stop < y->sample->stop);
}

/* Give each bar the first lane that is free; a bar takes LEAST at least. Returns how many lanes. */
static size_t take_lanes(struct bar *bars, size_t count, int64_t least)
{
    size_t lanes = 0;
    int64_t *free_from = mem_new(count, sizeof *free_from);
    for (size_t i = 0; i < count; i++) {
        const struct stats_sample *s = bars[i].sample;
        size_t lane = 0;
        while (lane < lanes && free_from[lane] > s->start) {
            lane++;
        }
        lanes += lane == lanes;
        free_from[lane] = s->stop > s->start + least ? s->stop : s->start + least;
        bars[i].lane = lane;
    }
    free(free_from);
    return lanes;
}

static void put_sample_row(struct page *p, const struct stats_sample *s)
{
    html_put(p->w, "<tr><th scope=\"row\">");
    html_text(p->w, buf_span(&s->name), 0);
    html_format(p->w, "</th><td class=\"text\">%s</td><td>", status_texts[s->status]);
    report_put_duration(p, s->start - p->f->stats->timeline.start);
    html_put(p->w, "</td><td>");
    report_put_duration(p, s->stop - s->start);
    html_put(p->w, "</td></tr>\n");
}

static void put_sample_table(struct page *p, const struct bar *bars, size_t count)
{
    html_put(p->w,
             "<details><summary>Numbers</summary><table><thead><tr><th scope=\"col\">Execution"
             "</th><th scope=\"col\" class=\"text\">Status</th><th scope=\"col\">Began after</th>"
             "<th scope=\"col\">Took</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < count; i++) {
        put_sample_row(p, bars[i].sample);
    }
    html_put(p->w, "</tbody></table></details>\n");
}

static void put_bar(struct page *p, const struct bar *b, int64_t range, size_t lanes)
{
    const struct stats_sample *s = b->sample;
    double scale = CHART_SIZE / (double)range;
    double height = CHART_SIZE / (double)lanes;
    double width = (double)(s->stop - s->start) * scale;
    const char *kind = s->status == RECORD_SUCCEEDED ? "good"
                       : s->status == RECORD_ABORTED ? "off"
                                                     : "bad";
    chart_rect(p->w, kind, (double)(s->start - p->f->stats->timeline.start) * scale,
               (double)b->lane * height + height * 0.1, width > 1.5 ? width : 1.5, height * 0.8);
    html_attribute(p->w, buf_span(&s->name));
    html_format(p->w, ": %s, began after ", status_texts[s->status]);
    report_put_duration(p, s->start - p->f->stats->timeline.start);
    html_put(p->w, ", took ");
    report_put_duration(p, s->stop - s->start);
    chart_rect_end(p->w);
}

/* Each execution is a bar from its beginning to its end. */
static void put_lanes(struct page *p)
{
    const struct stats *s = p->f->stats;
    struct bar bars[STATS_SAMPLES] = {{0}};
    struct chart c = {.kind = "lanes",
                      .label = "Each execution as a bar from its start to its end",
                      .x.label = "time since the start",
                      .y.label = "executions side by side"};
    int64_t range = s->timeline.stop - s->timeline.start;
    range = range > 0 ? range : CLOCK_MILLI;
    for (size_t i = 0; i < s->sample_count; i++) {
        bars[i].sample = &s->samples[i];
    }
    qsort(bars, s->sample_count, sizeof *bars, by_start);
    c.rows = take_lanes(bars, s->sample_count, range / 250);
    int64_t unit = chart_unit(range, &c.x.unit);
    chart_time_axis(&c.x, 0, range, 0, unit);
    chart_begin(p->w, &c);
    for (size_t i = 0; i < s->sample_count; i++) {
        put_bar(p, &bars[i], range, c.rows);
    }
    chart_end(p->w, &c);
    put_sample_table(p, bars, s->sample_count);
}

/* ---- many executions ---- */

/* NS as "1:05:00", or with days "2 d 01:05". */
static void put_clock(struct page *p, int64_t ns)
{
    long long minutes = ns / (60 * CLOCK_SECOND);
    if (minutes < 24 * 60) {
        html_format(p->w, "%lld:%02lld:%02lld", minutes / 60, minutes % 60,
                    (long long)(ns / CLOCK_SECOND % 60));
    } else {
        html_format(p->w, "%lld d %02lld:%02lld", minutes / 1440, minutes / 60 % 24, minutes % 60);
    }
}

/* The time of bar I since the first bar: "12–14 s", "1:05:00–1:10:00". */
static void put_interval(struct page *p, const struct span_of_time *s, size_t i)
{
    double width = (double)s->layout.width / (double)s->unit;
    if (s->unit <= CLOCK_SECOND) {
        html_format(p->w, "%.6g–%.6g %s", width * (double)i, width * (double)(i + 1), s->unit_name);
    } else {
        put_clock(p, s->layout.width * (int64_t)i);
        html_put(p->w, "–");
        put_clock(p, s->layout.width * (int64_t)(i + 1));
    }
}

static void put_row(struct page *p, const struct span_of_time *s, size_t i, bool running)
{
    const struct timeline_bar *b = &s->bars[i];
    html_put(p->w, "<tr><th scope=\"row\">");
    put_interval(p, s, i);
    html_put(p->w, "</th><td>");
    if (running) {
        report_put_number(p, b->running);
    } else {
        report_put_count(p, b->started);
        html_put(p->w, "</td><td>");
        report_put_count(p, b->succeeded);
        html_put(p->w, "</td><td>");
        report_put_count(p, b->failed);
    }
    html_put(p->w, "</td></tr>\n");
}

static void put_table(struct page *p, const struct span_of_time *s, bool running)
{
    html_put(p->w, "<details><summary>Numbers</summary><table><thead><tr>"
                   "<th scope=\"col\">Time</th>");
    html_put(p->w, running ? "<th scope=\"col\">At once</th>"
                           : "<th scope=\"col\">Started</th><th scope=\"col\">Succeeded</th>"
                             "<th scope=\"col\">Failed</th>");
    html_put(p->w, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < s->layout.count; i++) {
        put_row(p, s, i, running);
    }
    html_put(p->w, "</tbody></table></details>\n");
}

static void put_column(struct page *p, const struct span_of_time *s, size_t i, double top)
{
    const struct timeline_bar *b = &s->bars[i];
    double width = CHART_SIZE / (double)s->layout.count;
    double failed = CHART_SIZE * (double)b->failed / top;
    double succeeded = CHART_SIZE * (double)b->succeeded / top;
    double x = width * ((double)i + 0.08);
    html_put(p->w, "<g>");
    if (b->failed > 0) {
        failed = failed > 6 ? failed : 6; /* what there is can be seen */
        chart_rect(p->w, "bad", x, CHART_SIZE - failed, width * 0.84, failed);
        chart_rect_end(p->w);
    }
    chart_rect(p->w, "good", x, CHART_SIZE - failed - succeeded, width * 0.84, succeeded);
    chart_rect_end(p->w);
    chart_rect(p->w, "hit", width * (double)i, 0, width, CHART_SIZE);
    put_interval(p, s, i);
    html_put(p->w, ": ");
    report_put_count(p, b->succeeded);
    html_put(p->w, " succeeded, ");
    report_put_count(p, b->failed);
    html_put(p->w, " failed");
    chart_rect_end(p->w);
    html_put(p->w, "</g>\n");
}

static void put_legend(struct page *p)
{
    html_put(p->w, "<p class=\"legend\"><span><i class=\"key good\"></i>succeeded</span>"
                   "<span><i class=\"key bad\"></i>failed, timed out or aborted</span></p>\n");
}

static void put_columns(struct page *p)
{
    struct span_of_time s;
    struct buf label = {0};
    struct chart c = {.kind = "columns",
                      .label = "Executions that ended in each interval of time",
                      .x.label = "time since the start"};
    uint64_t most = 0;
    measure(&p->f->stats->timeline, &s);
    for (size_t i = 0; i < s.layout.count; i++) {
        uint64_t ended = s.bars[i].succeeded + s.bars[i].failed;
        most = ended > most ? ended : most;
    }
    buf_add_text(&label, "executions ended per ");
    add_width(&label, s.layout.width);
    c.y.label = buf_text(&label);
    c.x.unit = s.unit_name;
    double top = chart_number_axis(&c.y, (double)most, true);
    chart_time_axis(&c.x, 0, s.layout.width * (int64_t)s.layout.count, 0, s.unit);
    put_legend(p);
    chart_begin(p->w, &c);
    for (size_t i = 0; i < s.layout.count; i++) {
        put_column(p, &s, i, top);
    }
    chart_end(p->w, &c);
    put_table(p, &s, false);
    buf_release(&label);
}

void report_put_timeline(struct page *p)
{
    const struct stats *s = p->f->stats;
    if (s->timeline.count == 0) {
        report_put_nothing(p);
    } else if (s->timeline.count == s->sample_count) {
        put_legend(p);
        put_lanes(p);
    } else {
        put_columns(p);
    }
}

/* ---- how many at once ---- */

static void put_steps(struct page *p, const struct span_of_time *s, double top)
{
    double width = CHART_SIZE / (double)s->layout.count;
    for (int line = 0; line < 2; line++) {
        html_put(p->w, line ? "<path class=\"line\" d=\"" : "<path class=\"area\" d=\"M0 1000");
        for (size_t i = 0; i < s->layout.count; i++) {
            double y = CHART_SIZE * (1 - s->bars[i].running / top);
            html_format(p->w, "%s%.1fH%.1f", line && i == 0 ? "M0 " : "V", y,
                        width * (double)(i + 1));
        }
        html_put(p->w, line ? "\"/>" : "V1000Z\"/>");
    }
    for (size_t i = 0; i < s->layout.count; i++) {
        chart_rect(p->w, "hit", width * (double)i, 0, width, CHART_SIZE);
        put_interval(p, s, i);
        html_put(p->w, ": ");
        report_put_number(p, s->bars[i].running);
        html_put(p->w, " at once");
        chart_rect_end(p->w);
    }
}

void report_put_running(struct page *p)
{
    struct span_of_time s;
    struct buf label = {0};
    struct chart c = {.kind = "steps",
                      .label = "Executions running at once, over time",
                      .x.label = "time since the start"};
    if (p->f->stats->timeline.count == 0) {
        report_put_nothing(p);
        return;
    }
    double most = 0;
    measure(&p->f->stats->timeline, &s);
    for (size_t i = 0; i < s.layout.count; i++) {
        most = s.bars[i].running > most ? s.bars[i].running : most;
    }
    buf_add_text(&label, "running at once, average over ");
    add_width(&label, s.layout.width);
    c.y.label = buf_text(&label);
    c.x.unit = s.unit_name;
    double top = chart_number_axis(&c.y, most, false);
    chart_time_axis(&c.x, 0, s.layout.width * (int64_t)s.layout.count, 0, s.unit);
    chart_begin(p->w, &c);
    put_steps(p, &s, top);
    chart_end(p->w, &c);
    put_table(p, &s, true);
    buf_release(&label);
}
