/*
 * fingerprint.h: texts told apart by 16 bytes.
 *
 * The first half of SHA-256: no two texts that anybody finds have the same one.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_FINGERPRINT_H
#define FANLINE_RESULT_FINGERPRINT_H

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fingerprint {
    uint64_t a;
    uint64_t b;
};

/* The fingerprint of TEXT. Returns 0, or -1 with E filled. */
int fingerprint_of(struct span text, struct fingerprint *f, struct err *e);

static inline bool fingerprint_equal(const struct fingerprint *f, const struct fingerprint *g)
{
    return f->a == g->a && f->b == g->b;
}

/* A set of fingerprints, about 32 bytes for each. Zeroed it is empty. */
struct fingerprint_set {
    struct fingerprint *slots; /* a hash table by linear probing; all zero: the place is free */
    size_t cap;                /* a power of two, or 0 */
    size_t count;
};

/* Put F into the set. Returns true, or false where it was in already. */
bool fingerprint_add(struct fingerprint_set *s, const struct fingerprint *f);

void fingerprint_release(struct fingerprint_set *s);

#endif
