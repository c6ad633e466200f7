#include "result/seen.h"

#include "base/mem.h"

#include <stdlib.h>

enum {
    PIECE_SHIFT = 10, /* numbers in a piece, as a power of two */
    PIECE_WORDS = (1 << PIECE_SHIFT) / 64,
    TABLE_FIRST = 16
};

struct seen_piece {
    uint64_t number; /* of the piece, plus one; 0: the place is free */
    uint64_t bits[PIECE_WORDS];
};

/* The place of piece NUMBER (plus one), or the free one where it belongs. */
static struct seen_piece *find(const struct seen *s, uint64_t number)
{
    size_t at = (size_t)(number * UINT64_C(0x9E3779B97F4A7C15) >> 20) & (s->cap - 1);
    while (s->pieces[at].number != 0 && s->pieces[at].number != number) {
        at = (at + 1) & (s->cap - 1);
    }
    return &s->pieces[at];
}

static void grow(struct seen *s)
{
    struct seen old = *s;
    s->cap = old.cap ? old.cap * 2 : TABLE_FIRST;
    s->pieces = mem_new(s->cap, sizeof *s->pieces);
    for (size_t i = 0; i < old.cap; i++) {
        if (old.pieces[i].number != 0) {
            *find(s, old.pieces[i].number) = old.pieces[i];
        }
    }
    free(old.pieces);
}

bool seen_add(struct seen *s, uint64_t n)
{
    if (s->count * 4 >= s->cap * 3) {
        grow(s);
    }
    uint64_t number = (n >> PIECE_SHIFT) + 1;
    struct seen_piece *piece = find(s, number);
    s->count += piece->number == 0;
    piece->number = number;
    uint64_t *word = &piece->bits[(n >> 6) % PIECE_WORDS];
    uint64_t bit = UINT64_C(1) << (n & 63);
    bool fresh = !(*word & bit);
    *word |= bit;
    return fresh;
}

void seen_release(struct seen *s)
{
    free(s->pieces);
    *s = (struct seen){0};
}
