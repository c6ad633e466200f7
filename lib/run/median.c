#include "run/median.h"

#include <stddef.h>

/* Below 64 each number is a class of its own, from there on the first six bits decide. */
static size_t class_of(int64_t n)
{
    if (n < 64) {
        return (size_t)n;
    }
    int shift = 58 - __builtin_clzll((uint64_t)n);
    return (size_t)shift * 32 + (size_t)(n >> shift);
}

/* The middle of a class. */
static int64_t value_of(size_t class)
{
    if (class < 64) {
        return (int64_t) class;
    }
    size_t shift = class / 32 - 1;
    return ((int64_t)(class - shift * 32) << shift) + (INT64_C(1) << shift) / 2;
}

void median_add(struct median *m, int64_t duration)
{
    m->counts[class_of(duration)]++;
    m->total++;
}

int64_t median_get(const struct median *m)
{
    uint64_t seen = 0;
    for (size_t i = 0; i < MEDIAN_CLASSES; i++) {
        seen += m->counts[i];
        if (seen * 2 >= m->total && m->total > 0) {
            return value_of(i);
        }
    }
    return 0;
}
