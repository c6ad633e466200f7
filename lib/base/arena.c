#include "base/arena.h"

#include "base/mem.h"

#include <stdalign.h>
#include <stdlib.h>

enum { ARENA_BLOCK = 4096 };

struct arena_block {
    struct arena_block *older;
    size_t used;
    size_t size;
    alignas(max_align_t) char bytes[];
};

void *arena_take(struct arena *a, size_t len)
{
    const size_t align = alignof(max_align_t);
    size_t need = (len + align - 1) / align * align;
    struct arena_block *b = a->block;
    if (!b || b->size - b->used < need) {
        size_t size = b ? b->size * 2 : ARENA_BLOCK;
        size = size < need ? need : size;
        struct arena_block *fresh = mem_resize(NULL, sizeof *fresh + size, 1);
        *fresh = (struct arena_block){.older = b, .size = size};
        a->block = b = fresh;
    }
    void *at = b->bytes + b->used;
    b->used += need;
    return at;
}

struct span arena_copy(struct arena *a, struct span s)
{
    char *at = arena_take(a, s.len + 1);
    if (s.len > 0) {
        memcpy(at, s.at, s.len);
    }
    at[s.len] = '\0';
    return span_of(at, s.len);
}

static void free_blocks(struct arena_block *b)
{
    while (b) {
        struct arena_block *older = b->older;
        free(b);
        b = older;
    }
}

void arena_reset(struct arena *a)
{
    if (a->block) {
        free_blocks(a->block->older);
        a->block->older = NULL;
        a->block->used = 0;
    }
}

void arena_release(struct arena *a)
{
    free_blocks(a->block);
    a->block = NULL;
}
