#include "signal/nifi_trigger.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/mem.h"
#include "signal/count.h"
#include "signal/line.h"

#include <stdlib.h>

enum fate { FATE_SUCCESS, FATE_WAIT, FATE_EXPIRED, FATE_FAILURE };

/* A line that the trigger has taken. */
struct taken {
    struct nifi_line *line;
    enum fate fate;
    bool blank; /* it has no id */
    bool candidate;
    char start[LINE_STAMP_MAX]; /* its start, where the trigger set it; else empty */
};

struct trigger {
    struct nifi_wait *w;
    int64_t now;
    struct taken *taken;
    size_t count, cap;
    struct span id; /* of the lines with a signal; empty: none was found */
    bool found;     /* the entry is there */
    struct store_entry before, after;
    struct nifi_demand demand; /* of the first candidate */
    struct buf counter;
    size_t candidates;
    size_t succeeded;
};

/* ---- penalties ---- */

struct penalty {
    struct id_node node;
    int64_t until;
};

int64_t nifi_penalty(const struct nifi_wait *w, struct span id)
{
    const struct penalty *p = (const struct penalty *)ids_find(&w->penalties, id);
    return p ? p->until : 0;
}

void nifi_penalise(struct nifi_wait *w, struct span id, int64_t until)
{
    struct penalty *p = (struct penalty *)ids_find(&w->penalties, id);
    if (!p) {
        p = mem_new(1, sizeof *p);
        ids_add(&w->penalties, &p->node, id);
    }
    p->until = until;
}

void nifi_wait_penalties(const struct nifi_wait *w,
                         void (*tell)(void *context, struct span id, int64_t until), void *context)
{
    for (size_t i = 0; i < w->penalties.size; i++) {
        for (const struct id_node *n = w->penalties.buckets[i]; n; n = n->next) {
            tell(context, n->id, ((const struct penalty *)n)->until);
        }
    }
}

/* Is ID set aside? A penalty that is over is forgotten. */
static bool set_aside(struct nifi_wait *w, struct span id, int64_t now)
{
    struct penalty *p = (struct penalty *)ids_find(&w->penalties, id);
    if (p && p->until < now) {
        ids_remove(&w->penalties, &p->node);
        free(p);
        p = NULL;
    }
    return p != NULL;
}

/* ---- taking lines ---- */

int nifi_name(struct nifi_wait *w, struct nifi_line *line, struct err *e)
{
    if (line->named) {
        return 0;
    }
    if (!w->rules.id) {
        buf_reset(&line->id);
        buf_add_span(&line->id, w->rules.literal);
    } else if (attr_eval(w->rules.id, buf_span(&line->item), &line->id, NULL, e) < 0) {
        return -1;
    }
    line->named = true;
    return 0;
}

static void take(struct trigger *t, struct nifi_line *line, enum fate fate)
{
    t->taken = mem_grow(t->taken, &t->cap, t->count, sizeof *t->taken);
    t->taken[t->count++] = (struct taken){.line = line, .fate = fate};
}

/* Scan the queue: lines with a blank id, and up to `buffer` lines of one id. */
static int scan(struct trigger *t, struct err *e)
{
    struct nifi_wait *w = t->w;
    size_t buffered = 0;
    for (struct nifi_line *l = w->first; l && buffered < w->rules.buffer; l = l->next) {
        if (l->sweep == w->sweep && !nifi_keeps_place(w)) {
            continue; /* on its way back to the queue */
        }
        if (nifi_name(w, l, e) < 0) {
            return -1;
        }
        struct span id = buf_span(&l->id);
        if (id_is_blank(id)) {
            take(t, l, FATE_FAILURE);
            t->taken[t->count - 1].blank = true;
        } else if (!set_aside(w, id, t->now) && (t->id.len == 0 || span_equal(t->id, id))) {
            t->id = id;
            take(t, l, FATE_WAIT);
            buffered++;
        }
    }
    return 0;
}

/* ---- deciding ---- */

/* The start of waiting, which begins now where there is none. False: it is no number. */
static bool find_start(struct trigger *t, struct taken *x, int64_t *start)
{
    struct buf text = {0};
    struct err ignored;
    bool fine = true;
    *start = t->now;
    if (line_attribute(buf_span(&x->line->item), LINE_START, &text)) {
        fine = count_read(buf_span(&text), "", INT64_MIN, INT64_MAX, start, &ignored) == 0;
    } else {
        line_stamp(t->now, x->start);
    }
    buf_release(&text);
    return fine;
}

static void note_due(struct nifi_wait *w, int64_t at)
{
    if (at < w->next_due) {
        w->next_due = at;
    }
}

/* NANOS in whole milliseconds, rounded as NiFi does it. */
static int64_t millis(int64_t nanos)
{
    return nanos / CLOCK_MILLI + (nanos % CLOCK_MILLI >= CLOCK_MILLI / 2);
}

/* Is its time over? If not, it is noted when that will be. */
static bool is_over(struct trigger *t, int64_t start)
{
    struct nifi_wait *w = t->w;
    if (w->rules.expire < 0) {
        return false;
    }
    int64_t due = (int64_t)((uint64_t)start + (uint64_t)millis(w->rules.expire));
    note_due(w, due);
    return t->now > due;
}

/* A number that T gives; 1 where there is no T. 1, 0 if it is none, -1 with E filled. */
static int read_number(const struct attr_template *t, struct span item, int64_t min, int64_t max,
                       int64_t *out, struct err *e)
{
    struct buf text = {0};
    struct err ignored;
    *out = 1;
    int rc = t ? attr_eval(t, item, &text, NULL, e) : 0;
    bool fine = !t || (rc == 0 && count_read(buf_span(&text), "", min, max, out, &ignored) == 0);
    buf_release(&text);
    return rc < 0 ? -1 : fine;
}

/* What the first candidate asks decides for all. 1, 0 if it fails, -1 with E filled. */
static int read_demand(struct trigger *t, struct span item, struct err *e)
{
    const struct nifi_wait_rules *r = &t->w->rules;
    buf_reset(&t->counter);
    if (r->counter && attr_eval(r->counter, item, &t->counter, NULL, e) < 0) {
        return -1;
    }
    t->demand.counter = buf_span(&t->counter);
    int got = read_number(r->target, item, INT64_MIN, INT64_MAX, &t->demand.target, e);
    return got <= 0
               ? got
               : read_number(r->releasable, item, INT32_MIN, INT32_MAX, &t->demand.releasable, e);
}

/* The fate of a line with an id, as far as it does not depend on the others. */
static int decide(struct trigger *t, struct taken *x, struct err *e)
{
    int64_t start;
    if (!find_start(t, x, &start)) {
        x->fate = FATE_FAILURE;
        return 0;
    }
    if (is_over(t, start)) {
        x->fate = FATE_EXPIRED;
        return 0;
    }
    if (!t->found) {
        return 0;
    }
    if (t->candidates == 0) {
        int got = read_demand(t, buf_span(&x->line->item), e);
        if (got <= 0) {
            x->fate = FATE_FAILURE;
            return got;
        }
    }
    x->candidate = true;
    t->candidates++;
    return 0;
}

/* Let the first candidates go. */
static int release(struct trigger *t, struct err *e)
{
    int64_t released = 0;
    if (t->candidates > 0 &&
        nifi_release(&t->after, &t->demand, (int64_t)t->candidates, &released, e) < 0) {
        return -1;
    }
    for (size_t i = 0; i < t->count && t->succeeded < (size_t)released; i++) {
        if (t->taken[i].candidate) {
            t->taken[i].fate = FATE_SUCCESS;
            t->succeeded++;
        }
    }
    return 0;
}

/* Change the entry, or remove it. */
static enum nifi_end update(struct trigger *t, struct err *e)
{
    struct store *s = t->w->store;
    if (t->candidates == 0 || t->demand.releasable <= 0) {
        return NIFI_DONE; /* neither expiry nor a gate changes the entry */
    }
    if (nifi_is_complete(&t->after)) {
        return nifi_complete(s, t->id, &t->after, e);
    }
    return t->succeeded ? nifi_write(s, t->id, &t->after, STORE_TTL_KEEP, e) : NIFI_DONE;
}

/* ---- what follows ---- */

/* Edits of one line, each as if made after those before it. */
struct edits {
    struct edit *list;
    size_t count, cap;
};

static void add_edit(struct edits *l, enum edit_kind kind, struct span name, struct span value)
{
    struct edit one = {kind, name, value};
    for (size_t i = 0; i < l->count; i++) {
        if (span_equal(l->list[i].name, name)) {
            bool there = kind == EDIT_ADD && l->list[i].kind == EDIT_SET;
            one.kind = kind == EDIT_ADD ? EDIT_SET : kind; /* as there is no such member now */
            l->list[i] = there ? l->list[i] : one;
            return;
        }
    }
    l->list = mem_grow(l->list, &l->cap, l->count, sizeof *l->list);
    l->list[l->count++] = one;
}

/* What every line that leaves gets from the entry; texts of counters go to TEXTS. */
static void add_signal(const struct trigger *t, struct edits *l, struct arena *texts)
{
    enum edit_kind copy = t->w->rules.replace ? EDIT_SET : EDIT_ADD;
    char stamp[LINE_STAMP_MAX];
    for (size_t i = 0; i < t->before.attribute_count; i++) {
        const struct store_attribute *a = &t->before.attributes[i];
        if (!span_equal(a->name, SPAN_LIT("uuid"))) {
            add_edit(l, copy, a->name, a->value);
        }
    }
    for (size_t i = 0; i < t->before.counter_count; i++) {
        const struct store_counter *c = &t->before.counters[i];
        struct buf name = {0};
        buf_add_text(&name, "wait.counter.");
        buf_add_span(&name, c->name);
        add_edit(l, EDIT_SET, arena_copy(texts, buf_span(&name)),
                 arena_copy(texts, line_stamp(c->value, stamp)));
        buf_release(&name);
    }
    add_edit(l, EDIT_SET, SPAN_LIT("wait.counter.total"),
             arena_copy(texts, line_stamp(nifi_total(&t->before), stamp)));
}

/* Change the line as its fate has it. */
static void dress(const struct trigger *t, struct taken *x)
{
    struct edits l = {0};
    struct arena texts = {0};
    struct buf text = {0};
    if (x->fate != FATE_WAIT) {
        add_edit(&l, EDIT_DROP, LINE_START, (struct span){0});
    } else if (x->start[0]) {
        add_edit(&l, EDIT_SET, LINE_START, span_text(x->start));
    }
    if (t->found) { /* last: an attribute of that name, cached from a line that waited, returns */
        add_signal(t, &l, &texts);
    }
    line_edit(&text, buf_span(&x->line->item), l.list, l.count);
    buf_release(&x->line->item);
    x->line->item = text;
    x->line->named = false;
    free(l.list);
    arena_release(&texts);
}

void nifi_line_free(struct nifi_line *line)
{
    buf_release(&line->item);
    buf_release(&line->id);
    free(line);
}

void nifi_line_put(struct nifi_wait *w, struct nifi_line *line, struct writer *out)
{
    struct buf text = {0};
    char stamp[LINE_STAMP_MAX];
    int64_t until = nifi_name(w, line, NULL) == 0 ? nifi_penalty(w, buf_span(&line->id)) : 0;
    struct edit edit = {EDIT_SET, LINE_PENALTY, line_stamp(until, stamp)};
    line_edit(&text, buf_span(&line->item), &edit, until != 0);
    line_put(out, buf_span(&text));
    buf_release(&text);
}

/* Take the lines of the trigger out of the queue, but those that keep their place. */
static void unqueue(struct trigger *t)
{
    struct nifi_wait *w = t->w;
    bool stay = nifi_keeps_place(w);
    struct nifi_line **at = &w->first;
    size_t i = 0;
    while (*at) {
        bool taken = i < t->count && *at == t->taken[i].line; /* they stand in order */
        bool leaves = taken && !(stay && t->taken[i].fate == FATE_WAIT);
        i += taken;
        w->count -= leaves;
        if (leaves) {
            *at = (*at)->next;
        } else {
            at = &(*at)->next;
        }
    }
    w->end = at;
}

/* A line that waits: it stays, goes to the end of the queue, or to where waiting lines go. */
static void keep(struct nifi_wait *w, struct nifi_line *line)
{
    line->sweep = w->sweep;
    if (w->rules.pass) {
        nifi_line_put(w, line, w->rules.waiting);
        w->waiting_lines++;
        nifi_line_free(line);
    } else if (!nifi_keeps_place(w)) {
        line->next = NULL;
        *w->end = line;
        w->end = &line->next;
        w->count++;
    }
}

static void send(struct trigger *t, struct taken *x)
{
    struct nifi_wait *w = t->w;
    dress(t, x);
    struct span item = buf_span(&x->line->item);
    switch (x->fate) {
    case FATE_WAIT:
        keep(w, x->line);
        return;
    case FATE_SUCCESS:
        line_put(w->rules.out, item);
        w->released++;
        break;
    case FATE_EXPIRED:
        line_put(w->rules.expired, item);
        w->expired_lines++;
        break;
    case FATE_FAILURE:
        line_put(w->rules.failure, item);
        w->failed_lines++;
        break;
    }
    nifi_line_free(x->line);
}

/* Lines without an id have failed before the others were looked at. */
static void route(struct trigger *t)
{
    unqueue(t);
    for (int other = 0; other <= 1; other++) {
        for (size_t i = 0; i < t->count; i++) {
            if (t->taken[i].blank == !other) {
                send(t, &t->taken[i]);
            }
        }
    }
}

/* ---- the trigger ---- */

/* Everything up to the change of the store. */
static enum nifi_end prepare(struct trigger *t, struct err *e)
{
    struct nifi_wait *w = t->w;
    if (scan(t, e) < 0) {
        return NIFI_FAILED;
    }
    if (t->id.len == 0) {
        return NIFI_DONE;
    }
    int found = store_fetch(w->store, t->id, &t->before, e);
    t->found = found == 1;
    if (found < 0) {
        return NIFI_FAILED;
    }
    store_entry_copy(&t->after, &t->before);
    for (size_t i = 0; i < t->count; i++) {
        struct taken *x = &t->taken[i];
        if (x->fate == FATE_WAIT && decide(t, x, e) < 0) {
            return NIFI_FAILED;
        }
    }
    if (release(t, e) < 0) {
        return NIFI_FAILED;
    }
    if (w->rules.penalty > 0 && t->succeeded == 0) {
        nifi_penalise(w, t->id, t->now + millis(w->rules.penalty));
    }
    return update(t, e);
}

enum nifi_end nifi_trigger(struct nifi_wait *w, size_t *took, struct err *e)
{
    struct trigger t = {.w = w, .now = clock_real() / CLOCK_MILLI};
    enum nifi_end end = prepare(&t, e);
    *took = t.count;
    if (end == NIFI_DONE) {
        route(&t);
    }
    store_entry_release(&t.before);
    store_entry_release(&t.after);
    buf_release(&t.counter);
    free(t.taken);
    return end;
}
