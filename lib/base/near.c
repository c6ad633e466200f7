#include "base/near.h"

#include <stdlib.h>

enum {
    LETTERS_MAX = 63,  /* longer names are near to nothing */
    BEGINNING_MIN = 3, /* fewer letters are the beginning of anything */
};

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment distance, in three rows. */
static size_t distance_of(struct span a, struct span b)
{
    size_t rows[3][LETTERS_MAX + 1];
    size_t *before = rows[0];
    size_t *above = rows[1];
    size_t *row = rows[2];
    for (size_t j = 0; j <= b.len; j++) {
        above[j] = j;
    }
    for (size_t i = 1; i <= a.len; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            char x = lower(a.at[i - 1]);
            char y = lower(b.at[j - 1]);
            row[j] = least(above[j - 1] + (x != y), least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && x == lower(b.at[j - 2]) && lower(a.at[i - 2]) == y) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
        size_t *spare = before;
        before = above;
        above = row;
        row = spare;
    }
    return above[b.len];
}

struct near near_to(struct span name)
{
    size_t allowed = name.len < 6 ? 1 : name.len / 3;
    return (struct near){.name = name, .best = {"", 0}, .distance = allowed + 1};
}

struct near near_to_part(struct span name)
{
    struct near n = near_to(name);
    n.part = name.len >= BEGINNING_MIN;
    return n;
}

void near_offer(struct near *n, struct span candidate)
{
    if (n->name.len > LETTERS_MAX || candidate.len > LETTERS_MAX || candidate.len == 0) {
        return;
    }
    size_t distance = distance_of(n->name, candidate);
    if (distance < n->distance && distance < candidate.len) {
        n->distance = distance;
        n->best = candidate;
    } else if (n->part && span_starts(candidate, n->name) &&
               (n->best.len == 0 ||
                (span_starts(n->best, n->name) && candidate.len < n->best.len))) {
        n->best = candidate; /* until something nearer comes */
    }
}
