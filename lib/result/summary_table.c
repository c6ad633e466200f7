/* The summary for people. */
#include "result/summary.h"

#include "base/clock.h"
#include "result/figures.h"
#include "result/visible.h"

enum { CAUSE_SHOWN = 200 }; /* bytes */

static const char *const status_names[RECORD_STATUSES] = {
    [RECORD_SUCCEEDED] = "succeeded", [RECORD_FAILED] = "failed",
    [RECORD_TIMED_OUT] = "timed out", [RECORD_ABORTED] = "aborted",
    [RECORD_PENDING] = "pending",
};

/* Put the text in B, filled up to WIDTH from the left, and empty B. */
static void put_right(struct writer *w, struct buf *b, size_t width)
{
    for (size_t i = b->len; i < width; i++) {
        writer_put_byte(w, ' ');
    }
    writer_put_span(w, buf_span(b));
    buf_reset(b);
}

static void put_row(struct writer *w, struct buf *b, const char *name, uint64_t executions,
                    uint64_t items)
{
    buf_printf(b, "  %-16s", name);
    put_right(w, b, 0);
    figures_count(b, executions);
    put_right(w, b, 16);
    figures_count(b, items);
    put_right(w, b, 16);
    writer_put_byte(w, '\n');
}

static void put_counts(struct writer *w, struct buf *b, const struct facts *f)
{
    const struct counts *c = f->counts;
    writer_put_span(w, SPAN_LIT("                        executions           items\n"));
    for (int s = 0; s < RECORD_STATUSES; s++) {
        if (s == RECORD_SUCCEEDED || s == RECORD_FAILED || c->executions[s] > 0) {
            put_row(w, b, status_names[s], c->executions[s], c->items[s]);
        }
    }
    put_row(w, b, "total", counts_total(c->executions), counts_total(c->items));
    put_row(w, b, "results written", counts_ended(c->executions), counts_ended(c->items));
}

static void put_times(struct writer *w, struct buf *b, const struct facts *f)
{
    char stamp[CLOCK_STAMP_MAX];
    const struct timeline *t = &f->stats->timeline;
    int64_t wall = t->stop - t->start;
    if (t->count == 0) {
        return;
    }
    buf_add_text(b, "\n  wall time       ");
    figures_duration(b, wall);
    buf_printf(b, ", from %s", clock_stamp(t->start, stamp));
    buf_printf(b, " to %s\n", clock_stamp(t->stop, stamp));
    if (wall > 0) {
        double per_second = (double)CLOCK_SECOND / (double)wall;
        buf_add_text(b, "  throughput      ");
        figures_number(b, (double)counts_ended(f->counts->executions) * per_second);
        buf_add_text(b, " executions/s, ");
        figures_number(b, (double)counts_ended(f->counts->items) * per_second);
        buf_add_text(b, " items/s\n");
    }
    put_right(w, b, 0);
}

static void put_durations(struct writer *w, struct buf *b, const struct sketch *s)
{
    static const struct {
        const char *name;
        unsigned per_mille;
    } quantiles[] = {{"p50", 500}, {", p90", 900}, {", p99", 990}};
    if (s->count == 0) {
        return;
    }
    buf_add_text(b, "  durations       ");
    for (size_t i = 0; i < sizeof quantiles / sizeof *quantiles; i++) {
        buf_printf(b, "%s ", quantiles[i].name);
        figures_duration(b, sketch_quantile(s, quantiles[i].per_mille));
    }
    buf_add_text(b, ", longest ");
    figures_duration(b, s->max);
    buf_add_byte(b, '\n');
    put_right(w, b, 0);
}

static void put_failures(struct writer *w, struct buf *b, const struct failures *f)
{
    if (f->count > 0) {
        writer_put_span(w, SPAN_LIT("\n  failures by ErrorCode\n"));
    }
    for (size_t i = 0; i < f->count; i++) {
        const struct failure *failure = &f->list[i];
        figures_count(b, failure->executions);
        put_right(w, b, 16);
        writer_put_span(w, SPAN_LIT("  "));
        visible_put(w, buf_span(&failure->code));
        if (failure->cause.len > 0) {
            writer_put_span(w, SPAN_LIT(": "));
            visible_put(w, visible_head(buf_span(&failure->cause), CAUSE_SHOWN));
        }
        writer_put_byte(w, '\n');
    }
    if (f->other_executions > 0) {
        figures_count(b, f->other_executions);
        put_right(w, b, 16);
        writer_put_span(w, SPAN_LIT("  of further codes\n"));
    }
}

void summary_put_table(struct writer *w, const struct facts *f)
{
    struct buf b = {0};
    writer_put_span(w, SPAN_LIT("Run "));
    visible_put(w, span_text(f->run));
    if (f->stats->flow.len > 0) {
        writer_put_span(w, SPAN_LIT(", flow "));
        visible_put(w, buf_span(&f->stats->flow));
    }
    writer_put_span(w, f->verdict->code == ERR_NONE ? SPAN_LIT(": succeeded\n\n")
                                                    : SPAN_LIT(": failed\n\n"));
    put_counts(w, &b, f);
    put_times(w, &b, f);
    put_durations(w, &b, &f->stats->durations);
    put_failures(w, &b, &f->stats->failures);
    writer_commit(w);
    buf_release(&b);
}
