#include "run/inorder.h"

#include "base/mem.h"

#include <stdlib.h>

static struct buf *place_of(const struct inorder *o, uint64_t number)
{
    return &o->lines[number & (o->cap - 1)];
}

/* Make the ring large enough for NUMBER. */
static void grow(struct inorder *o, uint64_t number)
{
    size_t cap = o->cap ? o->cap : 16;
    while (number - o->next >= cap) {
        cap *= 2;
    }
    struct buf *lines = mem_new(cap, sizeof *lines);
    for (size_t i = 0; i < o->cap; i++) {
        uint64_t n = o->next + i;
        lines[n & (cap - 1)] = *place_of(o, n);
    }
    free(o->lines);
    o->lines = lines;
    o->cap = cap;
}

static void keep(struct inorder *o, uint64_t number, struct writer *w)
{
    if (number - o->next >= o->cap) {
        grow(o, number);
    }
    size_t len = writer_pending(w);
    buf_add(place_of(o, number), w->at + w->ready, len);
    writer_rollback(w);
    o->kept += len;
}

/* Let go of what was only waiting for the line before it. */
static void follow(struct inorder *o, struct writer *w)
{
    while (o->kept > 0 && place_of(o, o->next)->len > 0) {
        struct buf *line = place_of(o, o->next);
        writer_put_span(w, buf_span(line));
        writer_commit(w);
        o->kept -= line->len;
        buf_release(line);
        o->next++;
    }
}

void inorder_add(struct inorder *o, uint64_t number, struct writer *w)
{
    if (number != o->next) {
        keep(o, number, w);
        return;
    }
    writer_commit(w);
    o->next++;
    follow(o, w);
}

void inorder_release(struct inorder *o)
{
    for (size_t i = 0; i < o->cap; i++) {
        buf_release(&o->lines[i]);
    }
    free(o->lines);
    *o = (struct inorder){0};
}
