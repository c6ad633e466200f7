/*
 * select.h: many paths at once.
 *
 * A selection is a set of paths with one common root.  It follows all of them in a single walk
 * over a value, whatever their number, or in a single pass over a document that comes
 * in chunks (document.h).  Paths that are equal share a slot.
 *
 *     size_t slot = select_add(&s, &path);  …  select_run(&s, item, values);  values[slot]
 *
 * Floor: engines (expr). A selection owns copies of what it needs of the paths.
 */
#ifndef FANLINE_EXPR_SELECT_H
#define FANLINE_EXPR_SELECT_H

#include "base/span.h"
#include "expr/path.h"
#include "json/scan.h"

#include <stdbool.h>
#include <stddef.h>

#define SELECT_NONE ((size_t)-1)

/* A place that a path leads through or to. Node 0 is the root. */
struct select_node {
    struct path_step step; /* how its parent leads here */
    size_t child;          /* first one, or SELECT_NONE */
    size_t sibling;        /* next one, or SELECT_NONE */
    size_t slot;           /* of the paths that end here, or SELECT_NONE */
    uint64_t lengths;      /* bit N % 64: the name of a child has N bytes */
};

struct select {
    struct select_node *nodes;
    size_t count;
    size_t cap;
    size_t slots; /* in use */
    size_t depth; /* steps of the longest path */
};

/* Add the steps of P, whatever its root; returns its slot. The mark '?' plays no part here. */
size_t select_add(struct select *s, const struct path *p);

/*
 * Follow all paths from the valid JSON value ROOT.  VALUES has s->slots elements; one whose path
 * leads nowhere gets a NULL pointer.  SEAMS are those of ROOT, or none (walk_along).
 */
void select_run(const struct select *s, struct span root, struct seams_view seams,
                struct span *values);

/* The child of NODE for the member named by the JSON string KEY, or for element INDEX; or
 * SELECT_NONE. */
size_t select_member(const struct select *s, size_t node, struct span key);
size_t select_element(const struct select *s, size_t node, uint64_t index);

/* Set the slots at and below NODE to nothing: a later member of the same name replaces them. */
void select_clear(const struct select *s, size_t node, struct span *values);

void select_release(struct select *s);

#endif
