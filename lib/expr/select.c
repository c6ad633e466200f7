#include "expr/select.h"

#include "base/mem.h"
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

/* Is KEY, without its quotes, NAME as it stands, with no escape to be decoded? */
static inline bool is_verbatim(struct span key, struct span name)
{
    return key.len == name.len + 2 && memcmp(key.at + 1, name.at, name.len) == 0;
}

/* Is there a backslash in KEY?  Most names are too short for memchr to be worth its call. */
static inline bool has_backslash(struct span key)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    size_t i = 0;
    for (; i < 32 && i + 8 <= key.len; i += 8) {
        uint64_t eight;
        memcpy(&eight, key.at + i, 8);
        eight ^= ones * '\\';
        if ((eight - ones) & ~eight & tops) {
            return true;
        }
    }
    return i < key.len && memchr(key.at + i, '\\', key.len - i);
}

size_t select_member(const struct select *s, size_t node, struct span key)
{
    for (size_t c = s->nodes[node].child; c != SELECT_NONE; c = s->nodes[c].sibling) {
        const struct path_step *step = &s->nodes[c].step;
        if (step->kind == PATH_MEMBER && is_verbatim(key, step->name)) {
            return c;
        }
    }
    if (!has_backslash(key)) {
        return SELECT_NONE; /* the usual case, decided without decoding */
    }
    for (size_t c = s->nodes[node].child; c != SELECT_NONE; c = s->nodes[c].sibling) {
        if (path_step_is(&s->nodes[c].step, key)) {
            return c;
        }
    }
    return SELECT_NONE;
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

/* Note VALUE, found at NODE, and look further within it. Recurses as deep as a path is long. */
static void visit(const struct select *s, size_t node, struct span value, struct seams_view seams,
                  struct span *values)
{
    const struct select_node *n = &s->nodes[node];
    if (n->slot != SELECT_NONE) {
        values[n->slot] = value;
    }
    if (n->child == SELECT_NONE) {
        return;
    }
    bool object = walk_kind(value) == SCAN_OBJECT;
    struct walk w = walk_along(value, seams);
    for (uint64_t i = 0; walk_next(&w); i++) {
        size_t c = object ? select_member(s, node, w.key) : select_element(s, node, i);
        if (c != SELECT_NONE) {
            if (s->nodes[c].child != SELECT_NONE) {
                select_clear(s, c, values);
            }
            visit(s, c, w.value, SEAMS_NONE, values);
        }
    }
}

void select_run(const struct select *s, struct span root, struct seams_view seams,
                struct span *values)
{
    for (size_t i = 0; i < s->slots; i++) {
        values[i] = (struct span){0};
    }
    if (s->count > 0) {
        visit(s, 0, root, seams, values);
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
