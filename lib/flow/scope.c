#include "flow/scope.h"

#include "base/mem.h"

#include <stdlib.h>

void scope_add(struct scope *s, struct span name, const struct node *node)
{
    s->states = mem_grow(s->states, &s->cap, s->count, sizeof *s->states);
    s->states[s->count] = (struct scope_state){.name = name, .node = node, .order = s->count};
    s->count++;
}

static int compare_names(const void *x, const void *y)
{
    const struct scope_state *a = x;
    const struct scope_state *b = y;
    int rc = span_compare(a->name, b->name);
    return rc ? rc : (a->order > b->order) - (a->order < b->order);
}

void scope_sort(struct scope *s)
{
    if (s->count > 1) {
        qsort(s->states, s->count, sizeof *s->states, compare_names);
    }
}

size_t scope_find(const struct scope *s, struct span name)
{
    size_t low = 0;
    size_t high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (span_compare(s->states[middle].name, name) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < s->count && span_equal(s->states[low].name, name) ? low : SCOPE_NONE;
}

void scope_lead(struct scope *s, size_t to)
{
    if (s->current == SCOPE_NONE) {
        s->start = to;
        return;
    }
    s->ways = mem_grow(s->ways, &s->way_cap, s->way_count, sizeof *s->ways);
    s->ways[s->way_count++] = (struct scope_way){s->current, to};
}

void scope_excuse(struct scope *s)
{
    if (s->current != SCOPE_NONE) {
        s->states[s->current].ends = true;
    }
}

void scope_doubt(struct scope *s)
{
    s->doubted = true;
}

/* The ways sorted by where they begin; in reverse, by where they lead, turned round. */
static int compare_ways(const void *x, const void *y)
{
    const struct scope_way *a = x;
    const struct scope_way *b = y;
    return (a->from > b->from) - (a->from < b->from);
}

static size_t first_way(const struct scope *s, size_t from)
{
    size_t low = 0;
    size_t high = s->way_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->ways[middle].from < from) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Mark all that the states in QUEUE, COUNT of them and marked, lead to. */
static void spread(struct scope *s, bool *marked, size_t *queue, size_t count)
{
    while (count > 0) {
        size_t from = queue[--count];
        for (size_t i = first_way(s, from); i < s->way_count && s->ways[i].from == from; i++) {
            if (!marked[s->ways[i].to]) {
                marked[s->ways[i].to] = true;
                queue[count++] = s->ways[i].to;
            }
        }
    }
}

static void sort_ways(struct scope *s)
{
    if (s->way_count > 1) {
        qsort(s->ways, s->way_count, sizeof *s->ways, compare_ways);
    }
}

void scope_walk(struct scope *s)
{
    bool *marked = mem_new(s->count, sizeof *marked);
    size_t *queue = mem_new(s->count, sizeof *queue);
    sort_ways(s);
    if (s->start != SCOPE_NONE) {
        marked[s->start] = true;
        queue[0] = s->start;
        spread(s, marked, queue, 1);
    }
    for (size_t i = 0; i < s->count; i++) {
        s->states[i].is_reached = marked[i];
    }
    for (size_t i = 0; i < s->way_count; i++) {
        s->ways[i] = (struct scope_way){s->ways[i].to, s->ways[i].from};
    }
    sort_ways(s);
    size_t ends = 0;
    for (size_t i = 0; i < s->count; i++) {
        marked[i] = s->states[i].ends;
        if (marked[i]) {
            queue[ends++] = i;
        }
    }
    spread(s, marked, queue, ends);
    for (size_t i = 0; i < s->count; i++) {
        s->states[i].leads_to_end = marked[i];
    }
    free(queue);
    free(marked);
}

void scope_release(struct scope *s)
{
    free(s->states);
    free(s->ways);
    *s = (struct scope){0};
}
