/*
 * spill.h: texts that wait for their turn, on disk.
 *
 * Two temporary files without names: the texts one behind the other, and a
 * sparse table of where the text of each number lies.  So what waits takes no memory,
 * and its order costs no sort.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_SPILL_H
#define FANLINE_RESULT_SPILL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stdint.h>

struct spill {
    const char *folder; /* for the files; borrowed; set it before use */
    uint64_t held;      /* texts inside */
    uint64_t end;       /* of the texts in their file */
    int texts;          /* descriptors; valid once `is_open` */
    int table;
    bool is_open;
};

/*
 * Put TEXT, which is not empty, in under INDEX.  No index may be put twice, and none below one that
 * was taken.  Returns 0, or -1 with E filled.
 */
int spill_put(struct spill *s, uint64_t index, struct span text, struct err *e);

/* Take the text of INDEX out into B, replacing what it holds. 1; 0 if there is none; -1 with E. */
int spill_take(struct spill *s, uint64_t index, struct buf *b, struct err *e);

/* The first index from FROM on that is inside, in *INDEX. 1; 0 if there is none; -1 with E. */
int spill_find(struct spill *s, uint64_t from, uint64_t *index, struct err *e);

/* Close the files; S is empty and usable again. */
void spill_release(struct spill *s);

#endif
