#include "expr/select.h"

#include "base/mem.h"
#include "json/name.h"
#include "json/walk.h"

#include <stdlib.h>
#include <string.h>

static bool same_step(const struct path_step *a, const struct path_step *b)
{
    return a->kind == b->kind && a->either == b->either &&
           (a->kind == PATH_INDEX ? a->index == b->index : span_equal(a->name, b->name));
}

static size_t add_node(struct select *s, const struct path_step *step)
{
    s->nodes = mem_grow(s->nodes, &s->cap, s->count, sizeof *s->nodes);
    struct select_node *n = &s->nodes[s->count];
    *n = (struct select_node){.child = SELECT_NONE, .sibling = SELECT_NONE, .slot = SELECT_NONE};
    if (step) {
        n->step = *step;
        if (step->kind == PATH_MEMBER) {
            n->step.name.at = mem_copy(step->name.at, step->name.len);
        }
    }
    return s->count++;
}

/* The child of PARENT that STEP leads to; made if there is none. */
static size_t child_for(struct select *s, size_t parent, const struct path_step *step)
{
    size_t last = SELECT_NONE;
    for (size_t c = s->nodes[parent].child; c != SELECT_NONE; c = s->nodes[c].sibling) {
        if (same_step(&s->nodes[c].step, step)) {
            return c;
        }
        last = c;
    }
    size_t made = add_node(s, step);
    s->nodes[parent].lengths |= UINT64_C(1) << (step->name.len & 63);
    if (last == SELECT_NONE) {
        s->nodes[parent].child = made;
    } else {
        s->nodes[last].sibling = made;
    }
    return made;
}

size_t select_add(struct select *s, const struct path *p)
{
    if (s->count == 0) {
        add_node(s, NULL);
    }
    size_t node = 0;
    for (size_t i = 0; i < p->count; i++) {
        node = child_for(s, node, &p->steps[i]);
    }
    if (s->nodes[node].slot == SELECT_NONE) {
        s->nodes[node].slot = s->slots++;
    }
    if (p->count > s->depth) {
        s->depth = p->count;
    }
    return s->nodes[node].slot;
}

/* The child of node N for the member KEY, in which there are escapes. */
__attribute__((noinline)) static size_t find_decoded(const struct select *s,
                                                     const struct select_node *n, struct span key)
{
    for (size_t c = n->child; c != SELECT_NONE; c = s->nodes[c].sibling) {
        if (path_step_is(&s->nodes[c].step, key)) {
            return c;
        }
    }
    return SELECT_NONE;
}

/* In every loop by itself: it is the most frequent question that is asked of a line. */
__attribute__((always_inline)) static inline size_t
find_member(const struct select *s, const struct select_node *n, struct span key)
{
    if (n->lengths >> ((key.len - 2) & 63) & 1) {
        for (size_t c = n->child; c != SELECT_NONE; c = s->nodes[c].sibling) {
            const struct path_step *step = &s->nodes[c].step;
            if (step->kind == PATH_MEMBER && name_is_verbatim(key, step->name)) {
                return c;
            }
        }
    }
    return name_has_escape(key) ? find_decoded(s, n, key) : SELECT_NONE;
}

size_t select_member(const struct select *s, size_t node, struct span key)
{
    return find_member(s, &s->nodes[node], key);
}

size_t select_element(const struct select *s, size_t node, uint64_t index)
{
    for (size_t c = s->nodes[node].child; c != SELECT_NONE; c = s->nodes[c].sibling) {
        if (path_step_at(&s->nodes[c].step, index)) {
            return c;
        }
    }
    return SELECT_NONE;
}

void select_clear(const struct select *s, size_t node, struct span *values)
{
    if (s->nodes[node].slot != SELECT_NONE) {
        values[s->nodes[node].slot] = (struct span){0};
    }
    for (size_t c = s->nodes[node].child; c != SELECT_NONE; c = s->nodes[c].sibling) {
        select_clear(s, c, values); /* as deep as a path is long */
    }
}

/* A run of a selection over a value. */
struct run {
    const struct select *s;
    struct span root;
    struct span *values;
};

static void visit(const struct run *r, size_t node, struct walk *w);

/* Note VALUE, which NODE stands for, and look further in it. Recurses as deep as a path is long. */
static void reach(const struct run *r, size_t node, struct span value)
{
    const struct select_node *n = &r->s->nodes[node];
    if (n->child != SELECT_NONE) {
        select_clear(r->s, node, r->values);
        struct walk w = walk_within(value, r->root);
        visit(r, node, &w);
    }
    if (n->slot != SELECT_NONE) {
        r->values[n->slot] = value;
    }
}

__attribute__((always_inline)) static inline void take_member(const struct run *r, size_t node,
                                                              const struct walk *w)
{
    size_t child = find_member(r->s, &r->s->nodes[node], w->key);
    if (child != SELECT_NONE) {
        reach(r, child, w->value);
    }
}

/* Of the members of an object whose seams are known. */
static void visit_sewn(const struct run *r, size_t node, struct walk w)
{
    while (walk_next_sewn(&w)) {
        take_member(r, node, &w);
    }
}

static void visit_elements(const struct run *r, size_t node, struct walk *w)
{
    for (uint64_t i = 0; walk_next(w); i++) {
        size_t child = select_element(r->s, node, i);
        if (child != SELECT_NONE) {
            reach(r, child, w->value);
        }
    }
}

/* Look in what W is to walk through for what NODE leads to. */
static void visit(const struct run *r, size_t node, struct walk *w)
{
    if (w->at == w->end) {
        return; /* no container */
    }
    if (*w->end == ']') {
        visit_elements(r, node, w);
    } else if (w->seams.text) {
        visit_sewn(r, node, *w);
    } else {
        while (walk_next(w)) {
            take_member(r, node, w);
        }
    }
}

void select_run(const struct select *s, struct span root, struct seams_view seams,
                struct span *values)
{
    for (size_t i = 0; i < s->slots; i++) {
        values[i] = (struct span){0};
    }
    if (s->count == 0) {
        return;
    }
    const struct run r = {s, root, values};
    if (s->nodes[0].slot != SELECT_NONE) {
        values[s->nodes[0].slot] = root;
    }
    if (s->nodes[0].child != SELECT_NONE) {
        struct walk w = walk_within(walk_trim(root), root);
        w.seams = seams;
        visit(&r, 0, &w);
    }
}

void select_release(struct select *s)
{
    for (size_t i = 0; i < s->count; i++) {
        free((char *)(uintptr_t)s->nodes[i].step.name.at);
    }
    free(s->nodes);
    *s = (struct select){0};
}
