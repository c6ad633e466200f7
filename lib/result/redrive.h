/*
 * redrive.h: what failed before, and what became of it now.
 *
 * A second run goes over the Inputs of the executions that did not succeed.  Its records take the
 * place of those: the same Input, byte for byte; of several with the same Input one after the
 * other, in the order in which they stand in the files, but one with the same Index first.
 *
 *     redrive_expect for each that did not succeed, in order; redrive_ready
 *     redrive_take for each record of the second run
 *     redrive_result for each that did not succeed, in the same order
 *
 * Memory: about 100 bytes for each execution that did not succeed; the new records wait on disk.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_REDRIVE_H
#define FANLINE_RESULT_REDRIVE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "result/record.h"
#include "result/spill.h"

#include <stddef.h>
#include <stdint.h>

struct redrive_entry;

struct redrive {
    struct redrive_entry *entries; /* of the executions that did not succeed, in order */
    size_t count;
    size_t cap;
    size_t *by_input; /* first entry with an Input that is not taken, plus 1; 0: free */
    size_t *by_place; /* entry with an Input and an Index, likewise */
    size_t table_cap;
    uint64_t merged; /* new records that took a place */
    size_t at;       /* the next entry of redrive_result */
    struct spill spill;
    struct buf taken;
};

/* New records wait in temporary files in FOLDER, which is borrowed. */
void redrive_init(struct redrive *d, const char *folder);

/* R did not succeed. Returns 0, or -1 with E filled. */
int redrive_expect(struct redrive *d, const struct record *r, struct err *e);

/* These are all. */
void redrive_ready(struct redrive *d);

/*
 * R, which was read from LINE, came now.  Returns 1; 0 if nothing that did not succeed has its
 * Input, or all that had it have been taken; -1 with E filled.
 */
int redrive_take(struct redrive *d, const struct record *r, struct span line, struct err *e);

/*
 * The line that takes the place of OLD in LINE: what came now, with the ExecutionName and Index of
 * OLD, and RedriveCount one more than OLD has.  Returns 1; 0 where OLD stays, for nothing came, or
 * it did not run this time either; -1 with E filled.
 */
int redrive_result(struct redrive *d, const struct record *old, struct buf *line, struct err *e);

void redrive_release(struct redrive *d);

#endif
