/*
 * unpack_codec.h: what a compressed format provides.
 *
 * Input in such a format is a row of members, each complete in itself.  Inside the room io only.
 *
 * Floor: ground.
 */
#ifndef FANLINE_IO_UNPACK_CODEC_H
#define FANLINE_IO_UNPACK_CODEC_H

#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

enum unpack_state {
    UNPACK_INSIDE, /* a member goes on */
    UNPACK_END,    /* the member is complete, and all of it has come out */
    UNPACK_BAD     /* it is damaged */
};

/* Where unpacked bytes go. */
struct unpack_room {
    char *at;
    size_t len;
};

struct unpack_codec {
    const char *name;
    size_t magic; /* bytes that tell that a member begins */

    /* Can a member begin with HEAD, of which the first `magic` bytes matter if there are as many?
     */
    bool (*begins)(struct span head);

    /* Ready for the first member; NULL where there is no memory. */
    void *(*open)(void);

    /* Ready for a further member. */
    void (*next)(void *codec);

    /*
     * Unpack from the front of IN, shortening it, to the front of OUT, shortening that, until one
     * of them is empty or the member ends.  UNPACK_BAD sets *WHY, valid until the next call.
     */
    enum unpack_state (*step)(void *codec, struct span *in, struct unpack_room *out,
                              const char **why);

    void (*close)(void *codec);
};

extern const struct unpack_codec unpack_gzip;
extern const struct unpack_codec unpack_zstd;

#endif
