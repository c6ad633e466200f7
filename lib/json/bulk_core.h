/*
 * bulk_core.h: the inside of bulk.h, for its own files only.
 *
 * Floor: services.
 */
#ifndef FANLINE_JSON_BULK_CORE_H
#define FANLINE_JSON_BULK_CORE_H

#include "json/bulk.h"

#include <string.h>

enum { BULK_BLOCK = 64 };

/* A look at a text. */
struct bulk_look {
    const char *text;
    size_t len;
    size_t at; /* of the next block */
    bool lines;
};

/*
 * Check BLOCKS blocks at BYTES, at most BULK_WINDOW bytes, which stand at look->at; of the bytes in
 * each those of VALID count.  Moves look->at, keeps what ends.  False: there is a fault.
 */
typedef bool bulk_blocks(struct bulk *b, struct bulk_look *look, const char *bytes, size_t blocks,
                         uint64_t valid);
bulk_blocks bulk_blocks_avx2, bulk_blocks_avx512;

/* Is that true, false or null? */
static inline bool bulk_literal(const char *at, size_t len)
{
    return len == 4 ? memcmp(at, "true", 4) == 0 || memcmp(at, "null", 4) == 0
                    : len == 5 && memcmp(at, "false", 5) == 0;
}

/* Is that a number? */
bool bulk_number(const char *at, const char *end);

/* Place for all seams that there can be in a window, and one more. */
size_t *bulk_room(struct seams *s);

/* The separator at AT ends the value at hand. */
void bulk_end(struct bulk *b, size_t at);

#endif
