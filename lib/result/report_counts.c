/* How the run ended, in numbers. */
#include "result/report_parts.h"

#include "base/clock.h"
#include "result/figures.h"
#include "result/html.h"

struct status {
    const char *name;
    const char *kind; /* class */
};

static const struct status statuses[RECORD_STATUSES] = {
    [RECORD_SUCCEEDED] = {"Succeeded", "good"}, [RECORD_FAILED] = {"Failed", "bad"},
    [RECORD_TIMED_OUT] = {"Timed out", "bad"},  [RECORD_ABORTED] = {"Aborted", "off"},
    [RECORD_PENDING] = {"Never ran", "none"},
};

/* "2 of 5 executions failed, more than is tolerated" */
static void put_reason(struct page *p)
{
    const uint64_t *n = p->f->counts->executions;
    report_put_count(p, p->f->exceeded ? counts_failed(n) : n[RECORD_PENDING]);
    html_put(p->w, " of ");
    report_put_count(p, counts_total(n));
    html_put(p->w, p->f->exceeded ? " executions failed, more than is tolerated"
                                  : " executions never ran");
}

void report_put_verdict(struct page *p)
{
    uint64_t failed = counts_failed(p->f->counts->executions);
    if (p->f->verdict->code != ERR_NONE) {
        html_put(p->w, "<p class=\"verdict bad\"><span aria-hidden=\"true\">✕</span> Failed: ");
        put_reason(p);
        html_put(p->w, "</p>");
        return;
    }
    html_put(p->w, "<p class=\"verdict good\"><span aria-hidden=\"true\">✓</span> Succeeded");
    if (failed > 0) {
        html_put(p->w, ", with ");
        report_put_count(p, failed);
        html_put(p->w, failed == 1 ? " tolerated failure" : " tolerated failures");
    }
    html_put(p->w, "</p>");
}

static void begin_figure(struct page *p, const char *kind, const char *name)
{
    html_format(p->w, "<div class=\"%s\"><dt>%s</dt><dd>", kind, name);
}

static void end_figure(struct page *p, const char *note)
{
    html_format(p->w, "</dd><dd class=\"note\">%s</dd></div>\n", note);
}

static void put_executions(struct page *p, const char *kind, const char *name, uint64_t n)
{
    struct buf note = {0};
    uint64_t total = counts_total(p->f->counts->executions);
    if (total > 1) {
        figures_share(&note, n, total);
        buf_add_text(&note, " of executions");
    } else {
        buf_add_text(&note, total == 1 ? "of 1 execution" : "of no execution");
    }
    begin_figure(p, kind, name);
    report_put_count(p, n);
    end_figure(p, buf_text(&note));
    buf_release(&note);
}

/* A rate in the unit of time in which it is no small fraction. */
static const char *rate_of(uint64_t n, int64_t wall, double *rate)
{
    *rate = (double)n * (double)CLOCK_SECOND / (double)wall;
    if (*rate >= 0.1 || n == 0) {
        return "/s";
    }
    *rate *= 60;
    if (*rate >= 0.1) {
        return "/min";
    }
    *rate *= 60;
    return "/h";
}

static void put_throughput(struct page *p, int64_t wall)
{
    double rate;
    struct buf note = {0};
    const char *unit = rate_of(counts_ended(p->f->counts->executions), wall, &rate);
    begin_figure(p, "", "Throughput");
    report_put_number(p, rate);
    html_format(p->w, "<small>%s</small>", unit);
    unit = rate_of(counts_ended(p->f->counts->items), wall, &rate);
    figures_number(&note, rate);
    buf_printf(&note, " items%s", unit);
    end_figure(p, buf_text(&note));
    buf_release(&note);
}

static void put_times(struct page *p)
{
    struct buf note = {0};
    const struct timeline *t = &p->f->stats->timeline;
    int64_t wall = t->stop - t->start;
    begin_figure(p, "", "Wall time");
    report_put_duration(p, wall);
    end_figure(p, "first start to last end");
    if (wall > 0) {
        put_throughput(p, wall);
    }
    begin_figure(p, "", "Median duration");
    report_put_duration(p, sketch_quantile(&p->f->stats->durations, 500));
    buf_add_text(&note, "p99 ");
    figures_duration(&note, sketch_quantile(&p->f->stats->durations, 990));
    end_figure(p, buf_text(&note));
    buf_release(&note);
}

void report_put_figures(struct page *p)
{
    const uint64_t *n = p->f->counts->executions;
    html_put(p->w, "<dl class=\"figures\">\n");
    put_executions(p, n[RECORD_SUCCEEDED] > 0 ? "good" : "", "Succeeded", n[RECORD_SUCCEEDED]);
    put_executions(p, counts_failed(n) > 0 ? "bad" : "", "Failed", counts_failed(n));
    if (n[RECORD_PENDING] > 0) {
        put_executions(p, "", "Never ran", n[RECORD_PENDING]);
    }
    if (p->f->stats->timeline.count > 0) {
        put_times(p);
    }
    html_put(p->w, "</dl>\n");
}

/* One bar, divided as the executions are; what there is can be seen, however little it is. */
static void put_bar(struct page *p)
{
    const uint64_t *n = p->f->counts->executions;
    uint64_t total = counts_total(n);
    html_put(p->w, "<div class=\"share\" aria-hidden=\"true\">");
    for (int s = 0; s < RECORD_STATUSES; s++) {
        if (n[s] > 0) {
            html_format(p->w, "<span class=\"%s\" style=\"flex-grow:%.6f\"></span>",
                        statuses[s].kind, (double)n[s] / (double)total);
        }
    }
    html_put(p->w, "</div>\n");
}

static void put_row(struct page *p, const char *kind, const char *name, uint64_t executions,
                    uint64_t items)
{
    html_format(p->w, "<tr%s><th scope=\"row\">", *kind ? "" : " class=\"total\"");
    if (*kind) {
        html_format(p->w, "<i class=\"key %s\"></i>", kind);
    }
    html_format(p->w, "%s</th><td>", name);
    report_put_count(p, executions);
    html_put(p->w, "</td><td>");
    report_put_share(p, executions, counts_total(p->f->counts->executions));
    html_put(p->w, "</td><td>");
    report_put_count(p, items);
    html_put(p->w, "</td></tr>\n");
}

void report_put_outcome(struct page *p)
{
    const struct counts *c = p->f->counts;
    if (counts_total(c->executions) > 0) {
        put_bar(p);
    }
    html_put(p->w,
             "<table class=\"counts\"><thead><tr><td></td><th scope=\"col\">Executions</th>"
             "<th scope=\"col\">Share</th><th scope=\"col\">Items</th></tr></thead><tbody>\n");
    for (int s = 0; s < RECORD_STATUSES; s++) {
        if (s == RECORD_SUCCEEDED || s == RECORD_FAILED || c->executions[s] > 0) {
            put_row(p, statuses[s].kind, statuses[s].name, c->executions[s], c->items[s]);
        }
    }
    put_row(p, "", "Total", counts_total(c->executions), counts_total(c->items));
    html_put(p->w, "</tbody></table>\n");
}
