/*
 * parcel.h: records on their way from a channel to where they are delivered.
 *
 * Floor: engines.
 */
#ifndef FANLINE_TUNNEL_PARCEL_H
#define FANLINE_TUNNEL_PARCEL_H

#include "base/buf.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in a channel: an entry of a stream (two numbers), or a byte of a file (the first). */
struct token {
    uint64_t at;
    uint64_t minor;
};

struct parcel_record {
    size_t end;         /* of its line, with LF, in the text */
    struct token token; /* where reading goes on behind it */
};

/* Owns its memory; zero-initialised it is empty. */
struct parcel {
    struct buf text; /* lines */
    struct parcel_record *records;
    size_t count, cap;
    size_t done;  /* records that have been delivered */
    size_t given; /* records behind these that are being delivered */
};

/* Add LINE, which has no LF; reading goes on at NEXT. */
void parcel_add(struct parcel *b, struct span line, struct token next);

/* The lines of the COUNT records from FIRST on. */
struct span parcel_lines(const struct parcel *b, size_t first, size_t count);

/* Empty it, keeping the memory. */
void parcel_reset(struct parcel *b);
void parcel_release(struct parcel *b);

/* The token in TEXT: "N" or "N-M". False if it is none. */
bool token_parse(struct span text, struct token *out);

/* TOKEN as text at the end of OUT: of a stream "N-M", of a file "N". */
void token_put(struct buf *out, struct token token, bool is_stream);

#endif
