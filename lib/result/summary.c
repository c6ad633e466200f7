#include "result/summary.h"

#include "base/clock.h"
#include "result/figures.h"
#include "json/text.h"

#include <stdio.h>
#include <string.h>

static const char *const status_keys[RECORD_STATUSES] = {
    [RECORD_SUCCEEDED] = "succeeded", [RECORD_FAILED] = "failed",   [RECORD_TIMED_OUT] = "timedOut",
    [RECORD_ABORTED] = "aborted",     [RECORD_PENDING] = "pending",
};

/* ,"NAME": or {"NAME": */
static void put_key(struct writer *w, char before, const char *name)
{
    writer_put_byte(w, before);
    text_put(w, span_text(name));
    writer_put_byte(w, ':');
}

static void put_number(struct writer *w, char before, const char *name, uint64_t n)
{
    put_key(w, before, name);
    writer_put_u64(w, n);
}

static void put_text(struct writer *w, char before, const char *name, struct span text)
{
    put_key(w, before, name);
    text_put(w, text);
}

/* Nanoseconds as seconds, all digits that count. */
static void put_seconds(struct writer *w, char before, const char *name, int64_t ns)
{
    char text[32];
    int len = snprintf(text, sizeof text, "%lld.%09lld", (long long)(ns / CLOCK_SECOND),
                       (long long)(ns % CLOCK_SECOND));
    while (text[len - 1] == '0') {
        len--;
    }
    put_key(w, before, name);
    writer_put(w, text, (size_t)(text[len - 1] == '.' ? len - 1 : len));
}

static void put_rate(struct writer *w, char before, const char *name, uint64_t n, int64_t wall)
{
    char text[64];
    put_key(w, before, name);
    snprintf(text, sizeof text, "%.3f", (double)n * (double)CLOCK_SECOND / (double)wall);
    writer_put_span(w, span_text(text));
}

static void put_counts(struct writer *w, const char *name, const uint64_t n[RECORD_STATUSES])
{
    put_key(w, ',', name);
    for (int s = 0; s < RECORD_STATUSES; s++) {
        put_number(w, s == 0 ? '{' : ',', status_keys[s], n[s]);
    }
    put_number(w, ',', "total", counts_total(n));
    put_number(w, ',', "resultsWritten", counts_ended(n));
    writer_put_byte(w, '}');
}

static void put_null(struct writer *w, const char *name)
{
    put_key(w, ',', name);
    writer_put_span(w, SPAN_LIT("null"));
}

/* When it ran; null where no record has times. */
static void put_times(struct writer *w, const struct facts *f)
{
    char stamp[CLOCK_STAMP_MAX];
    const struct timeline *t = &f->stats->timeline;
    int64_t wall = t->stop - t->start;
    if (t->count == 0) {
        put_null(w, "startDate");
        put_null(w, "stopDate");
        put_null(w, "wallTimeSeconds");
    } else {
        put_text(w, ',', "startDate", span_text(clock_stamp(t->start, stamp)));
        put_text(w, ',', "stopDate", span_text(clock_stamp(t->stop, stamp)));
        put_seconds(w, ',', "wallTimeSeconds", wall);
    }
    if (wall <= 0) {
        put_null(w, "throughput");
        return;
    }
    put_key(w, ',', "throughput");
    put_rate(w, '{', "executionsPerSecond", counts_ended(f->counts->executions), wall);
    put_rate(w, ',', "itemsPerSecond", counts_ended(f->counts->items), wall);
    writer_put_byte(w, '}');
}

static void put_durations(struct writer *w, const struct sketch *s)
{
    if (s->count == 0) {
        put_null(w, "durationSeconds");
        return;
    }
    put_key(w, ',', "durationSeconds");
    put_seconds(w, '{', "min", s->min);
    put_seconds(w, ',', "p50", sketch_quantile(s, 500));
    put_seconds(w, ',', "p90", sketch_quantile(s, 900));
    put_seconds(w, ',', "p99", sketch_quantile(s, 990));
    put_seconds(w, ',', "max", s->max);
    put_key(w, ',', "exact");
    writer_put_span(w, sketch_is_exact(s) ? SPAN_LIT("true}") : SPAN_LIT("false}"));
}

static void put_failures(struct writer *w, const struct failures *f)
{
    put_key(w, ',', "failures");
    writer_put_byte(w, '[');
    for (size_t i = 0; i < f->count; i++) {
        const struct failure *failure = &f->list[i];
        if (i > 0) {
            writer_put_byte(w, ',');
        }
        put_text(w, '{', "errorCode", buf_span(&failure->code));
        put_number(w, ',', "executions", failure->executions);
        put_number(w, ',', "items", failure->items);
        if (failure->cause.len > 0) {
            put_text(w, ',', "cause", buf_span(&failure->cause));
        }
        writer_put_byte(w, '}');
    }
    writer_put_byte(w, ']');
    if (f->other_executions > 0) {
        put_number(w, ',', "otherFailures", f->other_executions);
    }
}

void summary_put_json(struct writer *w, const struct facts *f)
{
    put_text(w, '{', "mapRunName", span_text(f->run));
    put_text(w, ',', "flowName", buf_span(&f->stats->flow));
    put_text(w, ',', "status",
             f->verdict->code == ERR_NONE ? SPAN_LIT("SUCCEEDED") : SPAN_LIT("FAILED"));
    put_counts(w, "executionCounts", f->counts->executions);
    put_counts(w, "itemCounts", f->counts->items);
    if (f->stats->unstated > 0) {
        put_null(w, "attempts");
    } else {
        put_number(w, ',', "attempts", f->stats->attempts);
    }
    put_number(w, ',', "redriveCount", f->files ? f->files->catalog.redrives : 0);
    put_number(w, ',', "rejected", f->rejected);
    put_times(w, f);
    put_durations(w, &f->stats->durations);
    put_failures(w, &f->stats->failures);
    writer_put_span(w, SPAN_LIT("}\n"));
    writer_commit(w);
}
