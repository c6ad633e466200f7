#include "io/unpack_codec.h"

#include "base/mem.h"

#include <limits.h>
#include <stdlib.h>
#define ZLIB_CONST /* what is read is const */
#include <zlib.h>

enum { GZIP_ONLY = 16 + MAX_WBITS }; /* zlib.h, inflateInit2: only a gzip header, any window */

static bool begins(struct span head)
{
    return (head.len < 1 || head.at[0] == '\x1F') && (head.len < 2 || head.at[1] == '\x8B');
}

static voidpf take_memory(voidpf opaque, uInt count, uInt size)
{
    (void)opaque;
    return mem_new(count, size);
}

static void give_memory(voidpf opaque, voidpf at)
{
    (void)opaque;
    free(at);
}

static void *open_gzip(void)
{
    z_stream *z = mem_new(1, sizeof *z);
    z->zalloc = take_memory;
    z->zfree = give_memory;
    if (inflateInit2(z, GZIP_ONLY) != Z_OK) {
        free(z);
        return NULL;
    }
    return z;
}

static void next_member(void *codec)
{
    inflateReset(codec);
}

static uInt at_most(size_t n)
{
    return n < UINT_MAX ? (uInt)n : UINT_MAX;
}

static enum unpack_state step(void *codec, struct span *in, struct unpack_room *out,
                              const char **why)
{
    z_stream *z = codec;
    z->next_in = (const Bytef *)in->at;
    z->avail_in = at_most(in->len);
    z->next_out = (Bytef *)out->at;
    z->avail_out = at_most(out->len);
    int rc = inflate(z, Z_NO_FLUSH);
    in->len -= (size_t)((const char *)z->next_in - in->at);
    in->at = (const char *)z->next_in;
    out->len -= (size_t)((char *)z->next_out - out->at);
    out->at = (char *)z->next_out;
    if (rc == Z_STREAM_END) {
        return UNPACK_END;
    }
    if (rc == Z_OK || rc == Z_BUF_ERROR) {
        return UNPACK_INSIDE;
    }
    *why = z->msg ? z->msg : zError(rc);
    return UNPACK_BAD;
}

static void close_gzip(void *codec)
{
    inflateEnd(codec);
    free(codec);
}

const struct unpack_codec unpack_gzip = {
    .name = "gzip",
    .magic = 2,
    .begins = begins,
    .open = open_gzip,
    .next = next_member,
    .step = step,
    .close = close_gzip,
};
