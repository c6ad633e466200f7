/*
 * shelf.h: the bytes of held lines: in memory up to a limit, beyond it in a file without a name.
 *
 * Floor: engines.  Owns its file.
 */
#ifndef FANLINE_SIGNAL_SHELF_H
#define FANLINE_SIGNAL_SHELF_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shelf {
    const char *folder; /* for the file; borrowed */
    uint64_t limit;     /* bytes in memory */
    uint64_t in_memory;
    int fd;        /* -1: no file yet */
    uint64_t end;  /* of what was written to it */
    uint64_t live; /* bytes of it that are still wanted */
};

void shelf_init(struct shelf *s, const char *folder, uint64_t limit);

/* Is there room for LEN bytes in memory? Then they are counted as put there. */
bool shelf_has_room(struct shelf *s, size_t len);

/* LEN bytes in memory are no longer needed. */
void shelf_left_memory(struct shelf *s, size_t len);

/* Put the bytes of A, and those of B behind them, into the file. 0, or -1 with E filled. */
int shelf_put(struct shelf *s, struct span a, struct span b, uint64_t *offset, struct err *e);

/* Read LEN bytes into OUT, replacing what it held. 0, or -1 with E filled. */
int shelf_get(const struct shelf *s, uint64_t offset, size_t len, struct buf *out, struct err *e);

/* LEN bytes of the file are no longer needed; with the last of them it becomes empty. */
void shelf_drop(struct shelf *s, size_t len);

/* Is so much of the file unwanted that it is worth writing it anew? */
bool shelf_is_wasteful(const struct shelf *s);

void shelf_release(struct shelf *s);

#endif
