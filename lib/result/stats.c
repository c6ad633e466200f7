#include "result/stats.h"

#include "base/mem.h"
#include "base/stamp.h"
#include "json/text.h"

#include <stdlib.h>

static void add_sample(struct stats *s, const struct record *r, int64_t start, int64_t stop)
{
    if (s->sample_count == STATS_SAMPLES) {
        return;
    }
    if (!s->samples) {
        s->samples = mem_new(STATS_SAMPLES, sizeof *s->samples);
    }
    struct stats_sample *sample = &s->samples[s->sample_count++];
    *sample = (struct stats_sample){.start = start, .stop = stop, .status = r->kind};
    if (r->name.len <= FAILURES_CODE) {
        text_decode(&sample->name, r->name);
    }
}

static void add_times(struct stats *s, const struct record *r)
{
    int64_t start;
    int64_t stop;
    if (!stamp_read(record_inner(r->started), &start) ||
        !stamp_read(record_inner(r->stopped), &stop) || stop < start) {
        s->untimed++;
        return;
    }
    bool failed = r->kind != RECORD_SUCCEEDED;
    sketch_add(&s->durations, stop - start, failed);
    timeline_add(&s->timeline, start, stop, failed);
    add_sample(s, r, start, stop);
}

void stats_add(struct stats *s, const struct record *r)
{
    if (s->flow.len == 0 && r->flow.len > 2 && r->flow.len <= FAILURES_CODE) {
        text_decode(&s->flow, r->flow);
    }
    if (r->kind == RECORD_PENDING) {
        return;
    }
    s->ended++;
    s->attempts += r->attempts;
    s->unstated += r->attempts == 0;
    add_times(s, r);
    if (r->kind != RECORD_SUCCEEDED) {
        failures_add(&s->failures, r);
    }
}

void stats_release(struct stats *s)
{
    for (size_t i = 0; i < s->sample_count; i++) {
        buf_release(&s->samples[i].name);
    }
    free(s->samples);
    buf_release(&s->flow);
    sketch_release(&s->durations);
    timeline_release(&s->timeline);
    failures_release(&s->failures);
    *s = (struct stats){0};
}
