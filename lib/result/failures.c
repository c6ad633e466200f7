#include "result/failures.h"

#include "base/mem.h"
#include "result/visible.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdlib.h>

/* Cut B to MAX bytes, at the end of a character, with "…" as its end. */
static void cut(struct buf *b, size_t max)
{
    if (b->len > max) {
        b->len = visible_head(buf_span(b), max - 3).len;
        buf_add_text(b, "…");
    }
}

/* Add VALUE as it is, no more of it than MAX bytes: it may be large. */
static void add_json(struct buf *b, struct span value, size_t max)
{
    buf_add(b, value.at, value.len > max ? max + 1 : value.len);
    cut(b, max);
}

/* Add VALUE as text: a string without its quotes and escapes, anything else as it is. */
static void add_text(struct buf *b, struct span value, size_t max)
{
    if (walk_kind(value) == SCAN_STRING) {
        text_decode(b, value);
        cut(b, max);
    } else {
        add_json(b, value, max);
    }
}

/* The member NAME of R's Output where OWN, the one of R, is empty; empty if there is neither. */
static struct span own_or_output(struct span own, const struct record *r, struct span name)
{
    struct span value = own;
    if (own.len == 0 && !walk_member(r->output, name, &value)) {
        value.len = 0;
    }
    return value;
}

static struct failure *find(struct failures *f, struct span code)
{
    for (size_t i = 0; i < f->count; i++) {
        if (span_equal(buf_span(&f->list[i].code), code)) {
            return &f->list[i];
        }
    }
    if (f->count == FAILURES_MAX) {
        return NULL;
    }
    f->list = mem_grow(f->list, &f->cap, f->count, sizeof *f->list);
    struct failure *failure = &f->list[f->count++];
    *failure = (struct failure){0};
    buf_add_span(&failure->code, code);
    return failure;
}

static void add_sample(struct failure *failure, const struct record *r)
{
    struct failure_sample *sample = &failure->samples[failure->sample_count++];
    add_text(&sample->name, r->name, FAILURES_CODE);
    add_json(&sample->input, r->input, FAILURES_INPUT);
}

void failures_add(struct failures *f, const struct record *r)
{
    struct buf code = {0};
    struct span value = own_or_output(r->error, r, SPAN_LIT("ErrorCode"));
    add_text(&code, value.len > 0 ? value : r->status, FAILURES_CODE);
    struct failure *failure = find(f, buf_span(&code));
    buf_release(&code);
    if (!failure) {
        f->other_executions++;
        f->other_items += r->item_count;
        return;
    }
    failure->executions++;
    failure->items += r->item_count;
    if (failure->cause.len == 0) {
        value = own_or_output(r->cause, r, SPAN_LIT("Cause"));
        if (value.len > 0) {
            add_text(&failure->cause, value, FAILURES_CAUSE);
        }
    }
    if (failure->sample_count < FAILURES_SAMPLES) {
        add_sample(failure, r);
    }
}

/* A stable sort: lists are short. */
void failures_sort(struct failures *f)
{
    for (size_t i = 1; i < f->count; i++) {
        struct failure failure = f->list[i];
        size_t at = i;
        for (; at > 0 && f->list[at - 1].executions < failure.executions; at--) {
            f->list[at] = f->list[at - 1];
        }
        f->list[at] = failure;
    }
}

static void release_one(struct failure *failure)
{
    for (size_t i = 0; i < failure->sample_count; i++) {
        buf_release(&failure->samples[i].name);
        buf_release(&failure->samples[i].input);
    }
    buf_release(&failure->code);
    buf_release(&failure->cause);
}

void failures_release(struct failures *f)
{
    for (size_t i = 0; i < f->count; i++) {
        release_one(&f->list[i]);
    }
    free(f->list);
    *f = (struct failures){0};
}
