/*
 * place.h: on which line of an input does a byte lie?
 *
 * A place follows the input as it passes and turns offsets into what people are told.  Lines end in
 * LF, whatever the format; columns are counted in bytes.
 *
 * Floor: ground.
 */
#ifndef FANLINE_BASE_PLACE_H
#define FANLINE_BASE_PLACE_H

#include "base/err.h"
#include "base/span.h"

#include <stdint.h>

struct place {
    uint64_t line;    /* from 1 */
    uint64_t line_at; /* offset in the input of this line's first byte */
};

/* BYTES, which begin at OFFSET of the input, lie behind us. */
void place_pass(struct place *p, struct span bytes, uint64_t offset);

/*
 * Put on E, which must have been set, that the fault is the byte at OFFSET, on the line P, of the
 * input NAME, in its item ITEM (from 1; 0: in none).  Returns -1.
 */
int place_put(const struct place *p, const char *name, uint64_t offset, uint64_t item,
              struct err *e);

#endif
