/*
 * manifest.h: what the manifest of an inventory says.
 *
 * Both services write the same members, with small differences (reference/distributed-map.md 5.4):
 * the bucket may be an ARN or a name, the digest in capitals or not.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_MANIFEST_H
#define FANLINE_SOURCE_MANIFEST_H

#include "base/err.h"
#include "base/span.h"
#include "io/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MANIFEST_MD5_DIGITS 32

/* A file with records. */
struct manifest_part {
    char *key;
    uint64_t size;
    bool sized;                        /* the manifest states its size */
    char md5[MANIFEST_MD5_DIGITS + 1]; /* hexadecimal, in lower case; "" where it is not stated */
};

/* Owns its memory; zero-initialised it is legal to release. */
struct manifest {
    char *bucket; /* where the parts are; "": not stated */
    char *schema; /* the names of the columns, one behind the other */
    struct span *columns;
    size_t columns_count;
    size_t columns_cap;
    struct manifest_part *parts;
    size_t parts_count;
    size_t parts_cap;
};

/*
 * Read R to its end.  Returns 0, or -1 with E filled (ERR_DATA: also for an inventory whose parts
 * are no CSV) and M to be released.
 */
int manifest_read(struct manifest *m, struct reader *r, uint64_t max_depth, struct err *e);

void manifest_release(struct manifest *m);

#endif
