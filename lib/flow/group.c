/*
 * Several frames below one: the branches of a Parallel, the items of an inline Map.
 *
 * All are begun, as many at a time as are allowed; the first that fails stops the others, and the
 * state fails as it did once all of them are gone.
 */
#include "flow/frame.h"

#include "base/mem.h"
#include "json/walk.h"

#include <stdlib.h>

enum { GROUP_INLINE_MAX = 40 }; /* items of an inline Map at a time where nothing is said */

struct group {
    struct work work; /* first */
    struct frame *owner;
    struct buf items; /* Map: the array; the walk goes along it */
    struct walk walk;
    struct buf *outputs; /* by slot */
    size_t count;        /* begun */
    size_t cap;
    size_t running;
    size_t limit;
    bool more; /* there may be something to begin */
};

static void stop_children(const struct group *g)
{
    struct frame *next;
    for (struct frame *f = g->owner->engine->frames; f; f = next) {
        next = f->after;
        if (f->parent == g->owner) {
            frame_stop(f);
        }
    }
}

static struct buf *add_output(struct group *g)
{
    g->outputs = mem_grow(g->outputs, &g->cap, g->count, sizeof *g->outputs);
    g->outputs[g->count] = (struct buf){0};
    return &g->outputs[g->count++];
}

static struct frame *begin_child(struct group *g, const struct scope *scope)
{
    struct frame *child = frame_begin(g->owner->engine, scope, scope->start, g->owner);
    child->slot = g->count;
    g->running++;
    add_output(g);
    return child;
}

/* ---- branches ---- */

static void begin_branches(struct group *g)
{
    const struct state *s = g->owner->state;
    for (size_t i = 0; i < s->scope_count; i++) {
        buf_add_span(&begin_child(g, &s->scopes[i])->raw, frame_input(g->owner));
    }
    g->more = false;
}

/* ---- items ---- */

/* Begin with the next item, made by the constructor. 0, or -1 with E filled. */
static int begin_item(struct group *g, struct err *e)
{
    struct frame *f = g->owner;
    struct template *construct = f->state->map.construct;
    struct frame_item item = {
        .there = true, .index = g->count, .key = g->walk.key, .value = g->walk.value};
    struct buf made = {0};
    if (construct) {
        struct template_scene s;
        struct frame_item was = f->item;
        f->item = item;
        data_scene(f, template_uses(construct, PATH_CONTEXT), &s);
        f->item = was;
        s.roots[PATH_ITEM] = item.value;
        if (template_play(construct, &s, &made, e) < 0) {
            err_prefix(e, "item %llu", (unsigned long long)item.index + 1);
            buf_release(&made);
            return -1;
        }
    } else {
        buf_add_span(&made, item.value);
    }
    struct frame *child = begin_child(g, f->state->scopes);
    child->item = item;
    child->raw = made;
    return 0;
}

static void begin_items(struct group *g)
{
    struct err e = {0};
    while (g->more && g->running < g->limit) {
        g->more = walk_next(&g->walk);
        if (g->more && begin_item(g, &e) < 0) {
            frame_note_failure(g->owner, span_text(frame_runtime(g->owner)), span_text(e.text));
            g->more = false;
            stop_children(g);
        }
    }
}

/* ---- the end ---- */

/* CloudFlow: {"Branch0":…}, {"Items":[…]}; States Language: an array. */
static void put_outputs(struct group *g)
{
    struct frame *f = g->owner;
    bool ours = f->engine->machine->dialect == DIALECT_CLOUDFLOW;
    bool named = ours && f->state->type == STATE_PARALLEL;
    struct buf *b = &f->result;
    buf_reset(b);
    buf_add_text(b, named ? "{" : ours ? "{\"Items\":[" : "[");
    for (size_t i = 0; i < g->count; i++) {
        if (i > 0) {
            buf_add_byte(b, ',');
        }
        if (named) {
            buf_add_text(b, "\"Branch");
            buf_add_u64(b, i);
            buf_add_text(b, "\":");
        }
        buf_add_span(b, buf_span(&g->outputs[i]));
    }
    buf_add_text(b, named ? "}" : ours ? "]}" : "]");
}

static void go_on(struct group *g)
{
    struct frame *f = g->owner;
    if (f->failed || f->stopped) {
        g->more = false;
    } else if (g->more) {
        begin_items(g);
    }
    if (g->running > 0) {
        return;
    }
    if (f->failed) {
        f->at = FRAME_FAILED;
        frame_queue(f);
    } else {
        put_outputs(g);
        frame_worked(f);
    }
}

void group_hear(struct frame *parent, struct frame *child)
{
    struct group *g = (struct group *)parent->work;
    g->running--;
    if (child->failed && !child->stopped && !parent->failed) {
        parent->exceeded = child->exceeded;
        frame_note_failure(parent, buf_span(&child->code), buf_span(&child->cause));
        frame_free(child);
        stop_children(g);
    } else {
        struct buf *out = &g->outputs[child->slot];
        struct buf was = *out;
        *out = child->raw;
        child->raw = was;
        frame_free(child);
    }
    go_on(g);
}

static void stop_group(struct work *w)
{
    struct group *g = (struct group *)w;
    g->more = false;
    stop_children(g);
    if (g->running == 0) {
        frame_queue(g->owner);
    }
}

static void free_group(struct work *w)
{
    struct group *g = (struct group *)w;
    for (size_t i = 0; i < g->count; i++) {
        buf_release(&g->outputs[i]);
    }
    free(g->outputs);
    buf_release(&g->items);
    free(g);
}

/* ---- the beginning ---- */

/* The items of the Map, an array, into g->items. 0, or -1 with E filled. */
static int find_items(struct group *g, struct err *e)
{
    struct frame *f = g->owner;
    const struct map *m = &f->state->map;
    if (m->items) {
        if (data_value(f, m->items, &g->items, e) < 0) {
            return -1;
        }
    } else {
        buf_add_span(&g->items, frame_input(f));
    }
    if (walk_kind(buf_span(&g->items)) != SCAN_ARRAY) {
        return err_set(e, ERR_DATA, "the items of the Map are no array");
    }
    g->walk = walk_into(buf_span(&g->items));
    g->more = true;
    return 0;
}

/* MaxConcurrency; 0 is none at all. */
static int find_limit(struct group *g, struct err *e)
{
    int64_t n;
    setting limit = g->owner->state->map.concurrency;
    int rc = data_integer(g->owner, limit, "MaxConcurrency", INT32_MAX, &n, e);
    g->limit = n > 0 ? (size_t)n : GROUP_INLINE_MAX;
    return rc;
}

void group_begin(struct frame *f)
{
    static const struct work_kind kind = {.stop = stop_group, .free = free_group};
    struct group *g = mem_new(1, sizeof *g);
    struct err e = {0};
    bool map = f->state->type == STATE_MAP;
    *g = (struct group){.work = {&kind}, .owner = f};
    f->work = &g->work;
    if (map && (find_items(g, &e) < 0 || find_limit(g, &e) < 0)) {
        frame_fail_runtime(f, &e);
        return;
    }
    if (!map) {
        begin_branches(g);
    }
    go_on(g);
}
