#include "signal/notify.h"

#include "base/clock.h"
#include "base/mem.h"
#include "signal/count.h"
#include "signal/gather.h"
#include "signal/intake.h"
#include "signal/line.h"
#include "signal/outage.h"

#include <stdlib.h>
#include <string.h>

#define REPEAT_LONGEST (3600 * CLOCK_SECOND) /* of a batch, where patience has no end */

/* Lengths of an attribute's name and value, which lie one after the other in the texts. */
struct pair {
    size_t name_len;
    size_t value_len;
};

/*
 * A line of the batch.  The texts lie in one buffer: id, counter, key, item, the line as it came
 * where that differs, attributes.
 */
struct notify_line {
    struct buf texts;
    size_t id_len, counter_len, once_len, item_len, raw_len;
    struct pair *pairs;
    size_t pair_count;
    size_t pair_cap;
    int64_t delta;
    int64_t target;
};

static void remember(struct notify *n, struct span id)
{
    if (n->rules.remember_ids && !ids_find(&n->seen, id)) {
        struct id_node *node = mem_new(1, sizeof *node);
        ids_add(&n->seen, node, id);
    }
}

void notify_init(struct notify *n, struct store *store, const struct notify_rules *rules)
{
    *n = (struct notify){.rules = *rules, .store = store};
    n->lines = mem_new(rules->buffer, sizeof *n->lines);
    if (rules->id && attr_is_constant(rules->id) &&
        attr_eval(rules->id, SPAN_LIT("null"), &n->value, NULL, NULL) == 0) {
        remember(n, buf_span(&n->value)); /* also when no line comes */
    }
}

void notify_release(struct notify *n)
{
    for (size_t i = 0; i < n->made; i++) {
        buf_release(&n->lines[i].texts);
        free(n->lines[i].pairs);
    }
    free(n->lines);
    struct id_node *node;
    while ((node = ids_any(&n->seen)) != NULL) {
        ids_remove(&n->seen, node);
        free(node);
    }
    ids_release(&n->seen);
    buf_release(&n->value);
    *n = (struct notify){0};
}

static void report(const struct notify *n, const struct err *e)
{
    if (n->rules.report) {
        n->rules.report(n->rules.context, e);
    }
}

/* ---- evaluation ---- */

/* Evaluate T on ITEM and put the text behind the others; its length goes to *LEN. */
static int add_text(struct notify *n, struct notify_line *l, const struct attr_template *t,
                    struct span item, size_t *len, struct err *e)
{
    if (attr_eval(t, item, &n->value, NULL, e) < 0) {
        return -1;
    }
    buf_add_span(&l->texts, buf_span(&n->value));
    *len = n->value.len;
    return 0;
}

static int add_id(struct notify *n, struct notify_line *l, struct span item, struct err *e)
{
    if (!n->rules.id) {
        buf_add_span(&l->texts, n->rules.literal);
        l->id_len = n->rules.literal.len;
    } else if (add_text(n, l, n->rules.id, item, &l->id_len, e) < 0) {
        return -1;
    }
    if (id_is_blank(span_of(l->texts.at, l->id_len))) {
        return err_set(e, ERR_DATA, "the id of the signal is blank");
    }
    return 0;
}

static int add_counter(struct notify *n, struct notify_line *l, struct span item, struct err *e)
{
    if (add_text(n, l, n->rules.counter, item, &l->counter_len, e) < 0) {
        return -1;
    }
    if (l->counter_len == 0) {
        buf_add_text(&l->texts, "default");
        l->counter_len = strlen("default");
    }
    return 0;
}

/* The number that T gives for ITEM; OTHERWISE where there is no T. */
static int eval_number(struct notify *n, const struct attr_template *t, struct span item,
                       const char *what, int64_t min, int64_t otherwise, int64_t *out,
                       struct err *e)
{
    *out = otherwise;
    if (!t) {
        return 0;
    }
    if (attr_eval(t, item, &n->value, NULL, e) < 0) {
        return -1;
    }
    return count_read(buf_span(&n->value), what, min, STORE_COUNT_MAX, out, e);
}

static void add_pair(void *context, struct span name, struct span value)
{
    struct notify_line *l = context;
    l->pairs = mem_grow(l->pairs, &l->pair_cap, l->pair_count, sizeof *l->pairs);
    l->pairs[l->pair_count++] = (struct pair){name.len, value.len};
    buf_add_span(&l->texts, name);
    buf_add_span(&l->texts, value);
}

/* Evaluate everything that a notice for ITEM needs. -1 with E filled: the line fails. */
static int evaluate(struct notify *n, struct notify_line *l, struct span item, struct span raw,
                    struct err *e)
{
    const struct notify_rules *r = &n->rules;
    buf_reset(&l->texts);
    l->once_len = l->pair_count = 0;
    if (add_id(n, l, item, e) < 0 || add_counter(n, l, item, e) < 0 ||
        (r->once && add_text(n, l, r->once, item, &l->once_len, e) < 0) ||
        eval_number(n, r->delta, item, "delta", -STORE_COUNT_MAX, 1, &l->delta, e) < 0 ||
        eval_number(n, r->target, item, "target", 0, STORE_NO_TARGET, &l->target, e) < 0) {
        return -1;
    }
    if (r->no_signal) {
        l->delta = 0;
    }
    buf_add_span(&l->texts, item);
    l->item_len = item.len;
    l->raw_len = raw.at == item.at ? 0 : raw.len;
    buf_add(&l->texts, raw.at, l->raw_len);
    if (r->cached && gather(r->cached, item, add_pair, l, e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < r->set_count; i++) {
        add_pair(l, r->set[i].name, r->set[i].value);
    }
    return 0;
}

/* ---- lines on their way out ---- */

static void fail_line(struct notify *n, struct span raw, const struct err *why)
{
    report(n, why);
    line_put(n->rules.failure, raw);
    n->failed++;
}

int notify_add(struct notify *n, struct span item, struct span raw, struct err *e)
{
    struct notify_line *l = &n->lines[n->pending];
    struct err why = {0};
    if (n->made <= n->pending) {
        n->made = n->pending + 1;
    }
    if (evaluate(n, l, item, raw, &why) < 0) {
        if (n->in) {
            lines_position(n->in, 1, &why);
        }
        fail_line(n, raw, &why);
        return 0;
    }
    remember(n, span_of(l->texts.at, l->id_len));
    n->pending++;
    return n->pending == n->rules.buffer ? notify_send(n, e) : 0;
}

/* ---- the store ---- */

/* Say that the store is tried again, and for how long. */
static void tell_outage(const struct notify *n, const struct err *why)
{
    struct err told = *why;
    if (n->rules.patience < 0) {
        err_prefix(&told, "trying again");
    } else {
        err_prefix(&told, "trying again for %lld s", (long long)(n->rules.patience / CLOCK_SECOND));
    }
    report(n, &told);
}

/* Have the store do the batch; while it is not reachable try again, as long as patience lasts. */
static int deliver(struct notify *n, const struct store_batch *batch, enum store_verdict *verdicts,
                   struct err *e)
{
    int64_t deadline = clock_after(clock_now(), n->rules.patience);
    struct outage outage = {0};
    struct err why = {0};
    while (store_notify(n->store, batch, verdicts, &why) < 0) {
        bool news = outage_note(&outage, false);
        if (why.code != ERR_LATER || outage.retry_at > deadline) {
            *e = why;
            return -1;
        }
        if (news) {
            tell_outage(n, &why);
        }
        if (n->rules.out && writer_flush(n->rules.out, e) < 0) { /* what has been signalled */
            return -1;
        }
        clock_sleep(outage.retry_at);
    }
    if (outage_end(&outage, &why)) {
        report(n, &why);
    }
    return 0;
}

static struct store_batch next_batch(struct notify *n, const struct store_notice *notices,
                                     size_t count)
{
    return (struct store_batch){.notices = notices,
                                .count = count,
                                .ttl = n->rules.ttl,
                                .number = ++n->batches,
                                .repeat = n->rules.patience < 0 ? REPEAT_LONGEST : 0};
}

/* The next LEN bytes of L's texts. */
static struct span cut(const struct notify_line *l, size_t *at, size_t len)
{
    struct span s = span_of(l->texts.at + *at, len);
    *at += len;
    return s;
}

/* L as a notice; its attributes are put at ATTRIBUTES. *ITEM and *RAW are its line. */
static struct store_notice notice_of(const struct notify *n, const struct notify_line *l,
                                     struct store_attribute *attributes, struct span *item,
                                     struct span *raw)
{
    size_t at = 0;
    struct store_notice notice = {
        .id = cut(l, &at, l->id_len),
        .counter = cut(l, &at, l->counter_len),
        .once = cut(l, &at, l->once_len),
        .delta = l->delta,
        .clear = n->rules.clear,
        .target = l->target,
        .attributes = attributes,
        .attribute_count = l->pair_count,
    };
    *item = cut(l, &at, l->item_len);
    *raw = l->raw_len ? cut(l, &at, l->raw_len) : *item;
    for (size_t i = 0; i < l->pair_count; i++) {
        attributes[i].name = cut(l, &at, l->pairs[i].name_len);
        attributes[i].value = cut(l, &at, l->pairs[i].value_len);
    }
    return notice;
}

/* What a batch needs while it is being sent. */
struct sending {
    struct store_notice *notices;
    struct store_attribute *attributes;
    struct span *items;
    struct span *raws;
    enum store_verdict *verdicts;
};

static void sending_init(struct sending *s, const struct notify *n)
{
    size_t pairs = 0;
    for (size_t i = 0; i < n->pending; i++) {
        pairs += n->lines[i].pair_count;
    }
    s->notices = mem_new(n->pending, sizeof *s->notices);
    s->attributes = mem_new(pairs, sizeof *s->attributes);
    s->items = mem_new(n->pending, sizeof *s->items);
    s->raws = mem_new(n->pending, sizeof *s->raws);
    s->verdicts = mem_new(n->pending, sizeof *s->verdicts);
    pairs = 0;
    for (size_t i = 0; i < n->pending; i++) {
        s->notices[i] =
            notice_of(n, &n->lines[i], s->attributes + pairs, &s->items[i], &s->raws[i]);
        pairs += n->lines[i].pair_count;
    }
}

static void sending_release(struct sending *s)
{
    free(s->notices);
    free(s->attributes);
    free(s->items);
    free(s->raws);
    free(s->verdicts);
}

/* The store does not answer, and the lines do not wait for it. */
static void fail_all(struct notify *n, const struct sending *s, const struct err *why)
{
    report(n, why);
    for (size_t i = 0; i < n->pending; i++) {
        line_put(n->rules.failure, s->raws[i]);
    }
    n->failed += n->pending;
    n->pending = 0;
}

int notify_send(struct notify *n, struct err *e)
{
    if (n->pending == 0) {
        return 0;
    }
    struct sending s;
    struct err why = {0};
    sending_init(&s, n);
    struct store_batch batch = next_batch(n, s.notices, n->pending);
    int rc = deliver(n, &batch, s.verdicts, &why);
    if (rc < 0 && why.code == ERR_LATER && n->rules.fail_in_outage) {
        fail_all(n, &s, &why);
        rc = 0;
    } else if (rc < 0) {
        *e = why;
    }
    for (size_t i = 0; i < n->pending && rc == 0; i++) {
        if (s.verdicts[i] == STORE_OVERFLOW) {
            err_set(&why, ERR_DATA,
                    "signal '%.*s': counter '%.*s' or the total would leave 64 bits",
                    id_shown(s.notices[i].id), s.notices[i].id.at, id_shown(s.notices[i].counter),
                    s.notices[i].counter.at);
            fail_line(n, s.raws[i], &why);
        } else {
            line_put(n->rules.out, s.items[i]);
            n->passed++;
        }
    }
    sending_release(&s);
    n->pending = 0;
    if (n->rules.passed) {
        n->rules.passed(n->rules.context, n->passed);
    }
    if (rc == 0 && n->rules.out && n->rules.out->number != 0) {
        return writer_flush(n->rules.out, e); /* nobody gets the lines: signal no more */
    }
    return rc;
}

int notify_finish(struct notify *n, uint64_t rejected, bool broken, struct err *e)
{
    struct id_node *node;
    int rc = 0;
    while (rc == 0 && (node = ids_any(&n->seen)) != NULL) {
        struct store_notice notices[2];
        enum store_verdict verdicts[2];
        struct store_batch batch = next_batch(n, notices, 0);
        struct store_notice notice = {.id = node->id, .target = STORE_NO_TARGET};
        if (rejected > 0) {
            notice.counter = SPAN_LIT("rejected");
            notice.delta = rejected > INT64_MAX ? INT64_MAX : (int64_t)rejected;
            notices[batch.count++] = notice;
        }
        if (broken) {
            notice.counter = SPAN_LIT("broken");
            notice.delta = 1;
            notices[batch.count++] = notice;
        }
        rc = batch.count ? deliver(n, &batch, verdicts, e) : 0;
        ids_remove(&n->seen, node);
        free(node);
    }
    return rc;
}

/* ---- a stream ---- */

/* Let out what there is, then wait for more input. */
static int pause_for_input(struct notify *n, struct reader *r, struct err *e)
{
    if (notify_send(n, e) < 0 || (n->rules.out && writer_flush(n->rules.out, e) < 0) ||
        (n->rules.failure && writer_flush(n->rules.failure, e) < 0)) {
        return -1;
    }
    return reader_fill(r, e) < 0 ? -1 : 0;
}

int notify_run(struct notify *n, struct lines_in *in, struct err *e)
{
    struct intake intake = {.in = in};
    struct err bad = {0};
    enum intake_got got;
    n->in = in;
    do {
        struct span item;
        got = intake_next(&intake, &item, &bad);
        if ((got == INTAKE_LINE && notify_add(n, item, in->raw, e) < 0) ||
            (got == INTAKE_NONE && pause_for_input(n, in->reader, e) < 0)) {
            return -1;
        }
    } while (got != INTAKE_END && got != INTAKE_FAILED);
    int rc = notify_send(n, e);
    if (rc == 0 && n->rules.remember_ids) {
        rc = notify_finish(n, in->mark.rejected + in->rejected, got == INTAKE_FAILED, e);
    }
    if (got == INTAKE_FAILED) {
        *e = rc < 0 && e->code == ERR_PIPE ? *e : bad;
        return -1;
    }
    return rc;
}
