#include "signal/nifi_notify.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/mem.h"
#include "signal/count.h"
#include "signal/gather.h"
#include "signal/intake.h"
#include "signal/java_order.h"
#include "signal/line.h"
#include "signal/outage.h"

#include <stdlib.h>

/* What the lines of one id amount to. Texts lie in the trigger's arena. */
struct group {
    struct span id;
    struct store_counter *deltas;
    size_t delta_count, delta_cap;
    struct store_attribute *attributes;
    size_t attribute_count, attribute_cap;
};

struct trigger {
    struct nifi_notify *n;
    struct arena texts;
    struct buf value;
    struct group *groups;
    size_t group_count, group_cap;
    size_t *group_of; /* of each line; NOWHERE: it fails */
    size_t *order;    /* of groups */
    struct group *current;
};

static const size_t NOWHERE = SIZE_MAX;

void nifi_notify_init(struct nifi_notify *n, struct store *store,
                      const struct nifi_notify_rules *rules)
{
    *n = (struct nifi_notify){.rules = *rules, .store = store};
    n->queue = mem_new(rules->buffer, sizeof *n->queue);
}

void nifi_notify_release(struct nifi_notify *n)
{
    for (size_t i = 0; n->queue && i < n->rules.buffer; i++) {
        buf_release(&n->queue[i]);
    }
    free(n->queue);
    *n = (struct nifi_notify){0};
}

void nifi_notify_add(struct nifi_notify *n, struct span item)
{
    struct buf *b = &n->queue[n->count++];
    buf_reset(b);
    buf_add_span(b, item);
}

static void report(const struct nifi_notify *n, const struct err *e)
{
    if (n->rules.report) {
        n->rules.report(n->rules.context, e);
    }
}

/* ---- what lines amount to ---- */

static struct group *group_for(struct trigger *t, struct span id)
{
    for (size_t i = 0; i < t->group_count; i++) {
        if (span_equal(t->groups[i].id, id)) {
            return &t->groups[i];
        }
    }
    t->groups = mem_grow(t->groups, &t->group_cap, t->group_count, sizeof *t->groups);
    struct group *g = &t->groups[t->group_count++];
    *g = (struct group){.id = arena_copy(&t->texts, id)};
    return g;
}

/* Sum DELTA: 0 sets the sum to 0, and it wraps around at 32 bits. */
static void add_delta(struct trigger *t, struct group *g, struct span counter, int64_t delta)
{
    for (size_t i = 0; i < g->delta_count; i++) {
        struct store_counter *d = &g->deltas[i];
        if (span_equal(d->name, counter)) {
            d->value = delta ? (int32_t)((uint32_t)d->value + (uint32_t)delta) : 0;
            return;
        }
    }
    g->deltas = mem_grow(g->deltas, &g->delta_cap, g->delta_count, sizeof *g->deltas);
    g->deltas[g->delta_count++] = (struct store_counter){arena_copy(&t->texts, counter), delta};
}

/* A later value takes the place of an earlier one. */
static void add_attribute(void *context, struct span name, struct span value)
{
    struct trigger *t = context;
    struct group *g = t->current;
    if (span_equal(name, SPAN_LIT("uuid"))) {
        return;
    }
    for (size_t i = 0; i < g->attribute_count; i++) {
        if (span_equal(g->attributes[i].name, name)) {
            g->attributes[i].value = arena_copy(&t->texts, value);
            return;
        }
    }
    g->attributes =
        mem_grow(g->attributes, &g->attribute_cap, g->attribute_count, sizeof *g->attributes);
    g->attributes[g->attribute_count++] =
        (struct store_attribute){arena_copy(&t->texts, name), arena_copy(&t->texts, value)};
}

/* Evaluate T on ITEM into t->value; without a T, LITERAL. */
static int evaluate(struct trigger *t, const struct attr_template *template, struct span literal,
                    struct span item, struct err *e)
{
    buf_reset(&t->value);
    if (template) {
        return attr_eval(template, item, &t->value, NULL, e);
    }
    buf_add_span(&t->value, literal);
    return 0;
}

/* Take line I into its group. Returns 0, or -1 with E filled: the trigger is undone. */
static int take_line(struct trigger *t, size_t i, struct err *e)
{
    const struct nifi_notify_rules *r = &t->n->rules;
    struct span item = buf_span(&t->n->queue[i]);
    struct err why = {0};
    int64_t delta;
    t->group_of[i] = NOWHERE;
    if (evaluate(t, r->id, r->literal, item, e) < 0) {
        return -1;
    }
    struct span id = arena_copy(&t->texts, buf_span(&t->value));
    if (id_is_blank(id)) {
        err_set(&why, ERR_DATA, "the id of the signal is blank");
        report(t->n, &why);
        return 0;
    }
    if (evaluate(t, r->counter, SPAN_LIT("default"), item, e) < 0) {
        return -1;
    }
    struct span counter =
        arena_copy(&t->texts, t->value.len ? buf_span(&t->value) : SPAN_LIT("default"));
    if (evaluate(t, r->delta, SPAN_LIT("1"), item, e) < 0) {
        return -1;
    }
    if (count_read(buf_span(&t->value), "delta", INT32_MIN, INT32_MAX, &delta, &why) < 0) {
        report(t->n, &why);
        return 0;
    }
    t->current = group_for(t, id);
    t->group_of[i] = (size_t)(t->current - t->groups);
    add_delta(t, t->current, counter, delta);
    return r->cached ? gather(r->cached, item, add_attribute, t, e) : 0;
}

/* ---- the trigger ---- */

/* Change the entries, one after the other. */
static enum nifi_end change_entries(struct trigger *t, struct err *e)
{
    const struct nifi_notify_rules *r = &t->n->rules;
    struct span *ids = mem_new(t->group_count, sizeof *ids);
    enum nifi_end end = NIFI_DONE;
    for (size_t i = 0; i < t->group_count; i++) {
        ids[i] = t->groups[i].id;
    }
    t->order = mem_new(t->group_count, sizeof *t->order);
    java_order(ids, t->group_count, t->order);
    free(ids);
    for (size_t i = 0; i < t->group_count && end == NIFI_DONE; i++) {
        t->current = &t->groups[t->order[i]];
        for (size_t k = 0; k < r->set_count; k++) {
            add_attribute(t, r->set[k].name, r->set[k].value);
        }
        const struct group *g = t->current;
        struct nifi_notice notice = {g->id,         g->deltas,          g->delta_count,
                                     g->attributes, g->attribute_count, r->ttl};
        end = nifi_notify_entry(t->n->store, &notice, e);
    }
    return end;
}

/* Write line I with its mark. */
static void put_line(struct trigger *t, size_t i, bool notified)
{
    struct nifi_notify *n = t->n;
    struct edit mark = {EDIT_SET, SPAN_LIT("notified"),
                        notified ? SPAN_LIT("true") : SPAN_LIT("false")};
    buf_reset(&t->value);
    line_edit(&t->value, buf_span(&n->queue[i]), &mark, 1);
    line_put(notified ? n->rules.out : n->rules.failure, buf_span(&t->value));
    n->passed_lines += notified;
    n->failed_lines += !notified;
}

/* Let the lines out, those of one id together, as NiFi does. */
static void put_lines(struct trigger *t)
{
    struct nifi_notify *n = t->n;
    for (size_t k = 0; k < t->group_count; k++) {
        for (size_t i = 0; i < n->count; i++) {
            if (t->group_of[i] == t->order[k]) {
                put_line(t, i, true);
            }
        }
    }
    for (size_t i = 0; i < n->count; i++) {
        if (t->group_of[i] == NOWHERE) {
            put_line(t, i, false);
        }
    }
    n->count = 0;
    if (n->rules.passed) {
        n->rules.passed(n->rules.context, n->passed_lines);
    }
}

static void release_trigger(struct trigger *t)
{
    for (size_t i = 0; i < t->group_count; i++) {
        free(t->groups[i].deltas);
        free(t->groups[i].attributes);
    }
    free(t->groups);
    free(t->group_of);
    free(t->order);
    buf_release(&t->value);
    arena_release(&t->texts);
}

static enum nifi_end run_trigger(struct nifi_notify *n, struct err *e)
{
    struct trigger t = {.n = n, .group_of = mem_new(n->count, sizeof *t.group_of)};
    enum nifi_end end = NIFI_DONE;
    for (size_t i = 0; i < n->count && end == NIFI_DONE; i++) {
        end = take_line(&t, i, e) < 0 ? NIFI_FAILED : NIFI_DONE;
    }
    if (end == NIFI_DONE) {
        end = change_entries(&t, e);
    }
    if (end == NIFI_DONE) {
        put_lines(&t);
    }
    release_trigger(&t);
    return end;
}

/* ---- a stream ---- */

static bool is_last(const struct nifi_notify *n)
{
    return n->rules.triggers > 0 && n->triggers >= n->rules.triggers;
}

int nifi_notify_send(struct nifi_notify *n, struct err *e)
{
    int64_t deadline = clock_after(clock_now(), n->rules.patience);
    struct outage outage = {0};
    struct err told;
    while (n->count > 0 && !is_last(n)) {
        struct err why = {0};
        enum nifi_end end = run_trigger(n, &why);
        n->triggers++;
        n->failed = end == NIFI_DONE ? (struct err){0} : why; /* attempts before leave traces */
        if (end == NIFI_DONE || is_last(n)) {
            break;
        }
        if (why.code != ERR_LATER || clock_now() >= deadline) {
            *e = why;
            return -1;
        }
        if (outage_note(&outage, false)) {
            err_prefix(&why, "trying again");
            report(n, &why);
        }
        clock_sleep(outage.retry_at);
    }
    if (n->failed.code != ERR_NONE) {
        *e = n->failed;
        return -1;
    }
    if (outage_end(&outage, &told)) {
        report(n, &told);
    }
    return n->rules.out && n->rules.out->number != 0 ? writer_flush(n->rules.out, e) : 0;
}

/* Lines that were added but not sent. */
static void put_left(struct nifi_notify *n)
{
    for (size_t i = 0; i < n->count; i++) {
        line_put(n->rules.left, buf_span(&n->queue[i]));
    }
    n->count = 0;
}

/* Let out what there is, then wait for more input. */
static int pause_for_input(struct nifi_notify *n, struct reader *r, struct err *e)
{
    struct writer *const list[] = {n->rules.out, n->rules.failure};
    if (nifi_notify_send(n, e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        if (list[i] && writer_flush(list[i], e) < 0) {
            return -1;
        }
    }
    return reader_fill(r, e) < 0 ? -1 : 0;
}

/* Take in one line, or let out what there is. */
static int step(struct nifi_notify *n, struct lines_in *in, enum intake_got got, struct span item,
                struct err *e)
{
    if (got == INTAKE_NONE) { /* counted triggers take as much as they may */
        return n->rules.triggers ? (reader_fill(in->reader, e) < 0 ? -1 : 0)
                                 : pause_for_input(n, in->reader, e);
    }
    if (is_last(n)) {
        line_put(n->rules.left, item);
        return 0;
    }
    nifi_notify_add(n, item);
    if (n->count < n->rules.buffer) {
        return 0;
    }
    struct err why = {0};
    if (nifi_notify_send(n, &why) < 0) {
        put_left(n);
        if (!is_last(n)) {
            *e = why;
            return -1;
        }
    }
    return 0;
}

int nifi_notify_run(struct nifi_notify *n, struct lines_in *in, struct err *e)
{
    struct intake intake = {.in = in};
    struct err bad = {0};
    enum intake_got got;
    int rc = 0;
    do {
        struct span item = {0};
        got = intake_next(&intake, &item, &bad);
        rc = got == INTAKE_LINE || got == INTAKE_NONE ? step(n, in, got, item, e) : 0;
    } while (rc == 0 && got != INTAKE_END && got != INTAKE_FAILED);
    if (rc == 0 && n->count > 0) {
        rc = nifi_notify_send(n, e);
    }
    put_left(n);
    if (rc == 0 && n->failed.code != ERR_NONE) {
        *e = n->failed;
        rc = -1;
    }
    if (got == INTAKE_FAILED) {
        *e = rc < 0 && e->code == ERR_PIPE ? *e : bad;
        return -1;
    }
    return rc;
}
