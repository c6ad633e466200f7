/*
 * arena.h: memory that is given back all at once.
 *
 * For the small values that come up while one item is looked at: take what is needed,
 * reset before the next item.  After the first items an arena no longer asks the
 * system for memory.
 *
 * Floor: ground.
 */
#ifndef FANLINE_BASE_ARENA_H
#define FANLINE_BASE_ARENA_H

#include "base/span.h"

#include <stddef.h>

struct arena_block;

struct arena {
    struct arena_block *block; /* the one in use; older ones hang behind it */
};

/* LEN bytes, not cleared, aligned for any type; valid until the arena is reset. Never NULL. */
void *arena_take(struct arena *a, size_t len);

/* A copy of S with a NUL behind it. */
struct span arena_copy(struct arena *a, struct span s);

/* All that was taken is given back; the largest block is kept for next time. */
void arena_reset(struct arena *a);

void arena_release(struct arena *a);

#endif
