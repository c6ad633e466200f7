/*
 * unique.h: does an object have two members of one name?
 *
 * JSON allows it (RFC 8259, 4) and readers differ in which member they see, so that some want to
 * refuse such texts.  Names are the same when they mean the same: escapes are decoded.
 *
 * Floor: services.  Owns its memory; a text is looked at once, whatever its depth.
 */
#ifndef FANLINE_JSON_UNIQUE_H
#define FANLINE_JSON_UNIQUE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

struct unique_name;

/* Zero-initialised it is ready. */
struct unique {
    struct unique_name *slots; /* an open hash of the names of all objects of the text */
    size_t size, count;
    struct buf decoded; /* of names with escapes */
    uint64_t *open;     /* the containers that are open: the number of an object, 0 for an array */
    size_t depth, cap;
    uint64_t objects;
    uint64_t seed; /* so that nobody can choose names that meet in one slot */
};

/*
 * Look through TEXT, which is valid JSON.  Returns 0, or -1 with E filled (ERR_DATA, no position)
 * and the offset in TEXT of the second member's name in *AT.
 */
int unique_check(struct unique *u, struct span text, size_t *at, struct err *e);

void unique_release(struct unique *u);

#endif
