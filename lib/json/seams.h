/*
 * seams.h: where the members of a text's outermost container are sewn together.
 *
 * For each member of an object that is its colon, and the comma or bracket behind it; for each
 * element of an array the latter only.  With them the members can be found without looking into any
 * of them again (walk_along).
 *
 * Floor: services, the bottom of the room json.
 */
#ifndef FANLINE_JSON_SEAMS_H
#define FANLINE_JSON_SEAMS_H

#include "base/mem.h"

#include <stddef.h>
#include <stdlib.h>

/* As they are noted: offsets in the text, in order.  Owned. */
struct seams {
    size_t *at;
    size_t count;
    size_t cap;
};

/* As they are used; borrowed.  With TEXT NULL they are not known. */
struct seams_view {
    const size_t *at;
    size_t count;
    const char *text; /* which they count from */
};

#define SEAMS_NONE ((struct seams_view){0})

static inline void seams_add(struct seams *m, size_t offset)
{
    if (m->count == m->cap) {
        m->at = (size_t *)mem_grow(m->at, &m->cap, m->count, sizeof *m->at);
    }
    m->at[m->count++] = offset;
}

/* All of M, which are those of TEXT. */
static inline struct seams_view seams_view(const struct seams *m, const char *text)
{
    return (struct seams_view){m->at, m->count, text};
}

static inline void seams_release(struct seams *m)
{
    free(m->at);
    *m = (struct seams){0};
}

#endif
