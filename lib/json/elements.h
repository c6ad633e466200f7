/*
 * elements.h: the elements of a JSON array, one after the other.
 *
 * The array is read and checked as it comes; memory is bounded by its largest element.
 *
 * Floor: services.
 */
#ifndef FANLINE_JSON_ELEMENTS_H
#define FANLINE_JSON_ELEMENTS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "io/reader.h"
#include "json/scan.h"

#include <stdbool.h>
#include <stdint.h>

struct elements {
    struct reader *reader; /* borrowed */
    uint64_t max_bytes;    /* of an element */
    uint64_t count;        /* handed out so far */
    struct scan scan;
    struct buf text; /* of the element at hand, compact */
    bool in_array;
    bool is_over;
};

/* READER stands before the array; it is borrowed. Limits as in lines.h, of an element. */
void elements_open(struct elements *s, struct reader *reader, uint64_t max_depth,
                   uint64_t max_bytes);

/*
 * The next element in *ELEMENT, compact, good until the next call.  Returns 1; 0 at the end of an
 * array that was whole; -1 with E filled, which names the place.
 */
int elements_next(struct elements *s, struct span *element, struct err *e);

void elements_close(struct elements *s);

#endif
