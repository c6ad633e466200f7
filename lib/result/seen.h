/*
 * seen.h: which numbers have been there.
 *
 * A set of whole numbers for records that come nearly in order: about two bits for each, in pieces,
 * so that a high number costs no more than a low one.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_SEEN_H
#define FANLINE_RESULT_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seen_piece;

struct seen {
    struct seen_piece *pieces; /* a hash table by linear probing */
    size_t cap;                /* a power of two, or 0 */
    size_t count;
};

/* Put N into the set. Returns true, or false where it was in already. */
bool seen_add(struct seen *s, uint64_t n);

/* Free the memory; the set is empty and usable again. */
void seen_release(struct seen *s);

#endif
