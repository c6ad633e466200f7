#include "run/outcome.h"

#include "base/clock.h"
#include "base/mem.h"
#include "json/lines.h"
#include "json/text.h"
#include "json/walk.h"

#include <stdlib.h>
#include <string.h>

static const struct span status_names[] = {
    [OUTCOME_SUCCEEDED] = {"Succeeded", 9}, [OUTCOME_FAILED] = {"Failed", 6},
    [OUTCOME_TIMED_OUT] = {"TimedOut", 8},  [OUTCOME_ABORTED] = {"Aborted", 7},
    [OUTCOME_PENDING] = {"Pending", 7},
};

struct span outcome_status_name(enum outcome_status status)
{
    return status_names[status];
}

void outcome_names_make(struct outcome_names *n, const struct run_rules *r)
{
    *n = (struct outcome_names){.stamp = mem_new(1, sizeof *n->stamp)};
    buf_add_text(&n->head, "{\"ExecutionName\":");
    text_encode(&n->head, r->name);
    n->head.len--; /* the index follows within the quotes */
    buf_add_byte(&n->head, ':');
    buf_add_text(&n->flow, "\",\"FlowName\":");
    text_encode(&n->flow, r->flow);
    buf_add_text(&n->flow, ",\"Index\":");
}

void outcome_names_release(struct outcome_names *n)
{
    buf_release(&n->head);
    buf_release(&n->flow);
    free(n->stamp);
}

/* ---- judging ---- */

/* A text without the LF that ends it. */
static struct span without_lf(struct span text)
{
    if (text.len > 0 && text.at[text.len - 1] == '\n') {
        text.len--;
    }
    return text;
}

bool outcome_take_output(struct outcome *o, struct span all, enum run_format format, struct scan *s)
{
    struct span value = walk_trim(all);
    if (format == RUN_NONE) {
        o->kind = OUTPUT_NULL;
        return true;
    }
    if (format != RUN_TEXT && value.len > 0 && scan_check(s, value.at, value.len) == 0) {
        o->kind = s->spaces ? OUTPUT_LOOSE : OUTPUT_JSON;
        o->output = value;
        return true;
    }
    o->kind = OUTPUT_TEXT;
    o->output = without_lf(all);
    return format != RUN_JSON;
}

static bool is_batch(struct span item, struct span *items)
{
    struct walk w = walk_into(item);
    bool found = false;
    if (walk_kind(item) != SCAN_OBJECT) {
        return false;
    }
    while (walk_next(&w)) {
        if (walk_key_is(w.key, SPAN_LIT("Items"))) {
            *items = w.value;
            found = walk_kind(w.value) == SCAN_ARRAY;
        } else if (!walk_key_is(w.key, SPAN_LIT("BatchInput"))) {
            return false;
        }
    }
    return found;
}

bool outcome_count_items(struct span item, enum run_items mode, uint64_t *count)
{
    struct span items = {0};
    *count = 1;
    if (mode == RUN_ITEMS_ONE) {
        return true;
    }
    if (mode == RUN_ITEMS_AUTO
            ? !is_batch(item, &items)
            : !walk_member(item, SPAN_LIT("Items"), &items) || walk_kind(items) != SCAN_ARRAY) {
        return mode == RUN_ITEMS_AUTO;
    }
    *count = 0;
    for (struct walk w = walk_into(items); walk_next(&w);) {
        ++*count;
    }
    return true;
}

/* A number of JSON as an index below LIMIT. */
static bool read_index(struct span number, uint64_t limit, uint64_t *index)
{
    *index = 0;
    if (walk_kind(number) != SCAN_NUMBER || number.len > 19) {
        return false;
    }
    for (size_t i = 0; i < number.len; i++) {
        if (number.at[i] < '0' || number.at[i] > '9') {
            return false;
        }
        *index = *index * 10 + (uint64_t)(number.at[i] - '0');
    }
    return *index < limit;
}

/* Each item fails once, however often it is named. */
static bool count_failures(struct outcome *o, struct span list)
{
    bool *failed = mem_new(o->item_count + 1, sizeof *failed);
    bool good = true;
    for (struct walk w = walk_into(list); good && walk_next(&w);) {
        struct span index;
        uint64_t i = 0;
        good =
            walk_member(w.value, SPAN_LIT("Index"), &index) && read_index(index, o->item_count, &i);
        o->failed_items += good && !failed[i];
        failed[i] = true;
    }
    free(failed);
    return good;
}

bool outcome_is_mark(const struct outcome *o, struct scan *s)
{
    if (o->kind == OUTPUT_JSON) {
        return lines_is_mark(o->output);
    }
    if (o->kind != OUTPUT_LOOSE || walk_kind(o->output) != SCAN_OBJECT) {
        return false;
    }
    size_t len = 0;
    char *compact = mem_new(o->output.len, 1);
    (void)scan_compact(s, o->output.at, o->output.len, compact, &len);
    bool is_mark = lines_is_mark(span_of(compact, len));
    free(compact);
    return is_mark;
}

bool outcome_take_failures(struct outcome *o, enum run_items mode)
{
    struct span list;
    struct span items;
    if (mode == RUN_ITEMS_ONE || (o->kind != OUTPUT_JSON && o->kind != OUTPUT_LOOSE) ||
        !walk_member(o->output, SPAN_LIT("ItemFailures"), &list) || walk_kind(list) != SCAN_ARRAY ||
        (mode == RUN_ITEMS_AUTO && !is_batch(o->input, &items))) {
        return true;
    }
    return count_failures(o, list);
}

/* ---- writing ---- */

static void put_stamp(struct writer *w, const char *name, int64_t time, struct clock_text *stamp)
{
    writer_put_text(w, name);
    if (time > 0) {
        writer_put_text(w, clock_restamp(stamp, time));
    }
    writer_put_byte(w, '"');
}

static void put_loose(struct writer *w, struct span text, struct scan *s)
{
    size_t len = 0;
    char *out = writer_room(w, text.len);
    (void)scan_compact(s, text.at, text.len, out, &len);
    writer_advance(w, len);
}

/* Any bytes as a JSON string. */
static void put_bytes(struct writer *w, struct span text)
{
    size_t bad;
    if (text_is_utf8(text, &bad)) {
        text_put(w, text);
        return;
    }
    struct buf b = {0};
    text_encode_lossy(&b, text);
    writer_put_span(w, buf_span(&b));
    buf_release(&b);
}

static void put_output(struct writer *w, const struct outcome *o, struct scan *s)
{
    switch (o->kind) {
    case OUTPUT_NULL:
        writer_put_text(w, "null");
        break;
    case OUTPUT_JSON:
        writer_put_span(w, o->output);
        break;
    case OUTPUT_LOOSE:
        put_loose(w, o->output, s);
        break;
    case OUTPUT_TEXT:
        put_bytes(w, o->output);
        break;
    case OUTPUT_ERROR:
        writer_put_text(w, "{\"ErrorCode\":");
        writer_put_span(w, o->code);
        writer_put_byte(w, '}');
        break;
    }
}

/* What a failure has besides. */
static void put_failure(struct writer *w, const struct outcome *o)
{
    writer_put_text(w, ",\"ErrorCode\":");
    writer_put_span(w, o->code);
    writer_put_text(w, ",\"Cause\":");
    put_bytes(w, o->cause);
    if (o->exit_code >= 0) {
        writer_put_text(w, ",\"ExitCode\":");
        writer_put_u64(w, (uint64_t)o->exit_code);
    }
    if (o->signal > 0) {
        const char *name = sigabbrev_np(o->signal);
        writer_put_text(w, ",\"Signal\":\"");
        writer_put_text(w, name ? name : "RT");
        writer_put_byte(w, '"');
    }
}

static void put_record(struct writer *w, const struct outcome *o, const struct outcome_names *n,
                       struct scan *s)
{
    writer_put_span(w, buf_span(&n->head));
    writer_put_u64(w, o->index);
    writer_put_span(w, buf_span(&n->flow));
    writer_put_u64(w, o->index);
    writer_put_text(w, ",\"Input\":");
    writer_put_span(w, o->input);
    writer_put_text(w, ",\"Output\":");
    put_output(w, o, s);
    writer_put_text(w, ",\"Status\":\"");
    writer_put_span(w, status_names[o->status]);
    put_stamp(w, "\",\"StartedTime\":\"", o->started, n->stamp);
    put_stamp(w, ",\"StoppedTime\":\"", o->stopped, n->stamp);
    writer_put_text(w, ",\"Attempts\":");
    writer_put_u64(w, o->attempts);
    writer_put_text(w, ",\"ItemCount\":");
    writer_put_u64(w, o->item_count);
    if (o->failed_items > 0) {
        writer_put_text(w, ",\"FailedItems\":");
        writer_put_u64(w, o->failed_items);
    }
    if (o->caught.len > 0) {
        writer_put_text(w, ",\"Caught\":");
        writer_put_span(w, o->caught);
    }
    if (o->code.len > 0) {
        put_failure(w, o);
    }
    writer_put_byte(w, '}');
}

void outcome_put(struct writer *w, const struct outcome *o, const struct outcome_names *n,
                 enum run_emit emit, struct scan *s)
{
    if (emit == RUN_EMIT_RECORD) {
        put_record(w, o, n, s);
    } else {
        put_output(w, o, s);
    }
    writer_put_byte(w, '\n');
}

void outcome_replay(struct writer *w, uint64_t index, struct span record,
                    const struct outcome_names *n, enum run_emit emit)
{
    struct walk walk = walk_into(record);
    bool found = false;
    while (walk_next(&walk)) {
        bool is_output = walk_key_is(walk.key, SPAN_LIT("Output"));
        if (emit == RUN_EMIT_OUTPUT && is_output) {
            writer_put_span(w, walk.value);
            break;
        }
        if (emit == RUN_EMIT_RECORD && (found || walk_key_is(walk.key, SPAN_LIT("Input")))) {
            if (!found) {
                writer_put_span(w, buf_span(&n->head));
                writer_put_u64(w, index);
                writer_put_span(w, buf_span(&n->flow));
                writer_put_u64(w, index);
            }
            found = true;
            writer_put_byte(w, ',');
            writer_put_span(w, walk.key);
            writer_put_byte(w, ':');
            writer_put_span(w, walk.value);
        }
    }
    if (emit == RUN_EMIT_RECORD) {
        writer_put_byte(w, '}');
    }
    writer_put_byte(w, '\n');
}
