#include "io/unpack_codec.h"

#include <zstd.h>

/* RFC 8878, 3.1.1 and 3.1.2: a frame, and a skippable one, whose first byte is 0x50 to 0x5F. */
static bool begins(struct span head)
{
    static const unsigned char frame[] = {0x28, 0xB5, 0x2F, 0xFD};
    static const unsigned char skippable[] = {0x50, 0x2A, 0x4D, 0x18};
    bool is_frame = true;
    bool is_skippable = true;
    for (size_t i = 0; i < head.len && i < sizeof frame; i++) {
        unsigned char c = (unsigned char)head.at[i];
        is_frame = is_frame && c == frame[i];
        is_skippable = is_skippable && (i == 0 ? c & 0xF0 : c) == skippable[i];
    }
    return is_frame || is_skippable;
}

static void *open_zstd(void)
{
    return ZSTD_createDStream();
}

static void next_member(void *codec)
{
    (void)codec; /* behind a frame it is ready for the next one */
}

static enum unpack_state step(void *codec, struct span *in, struct unpack_room *out,
                              const char **why)
{
    ZSTD_inBuffer from = {.src = in->at, .size = in->len};
    ZSTD_outBuffer to = {.dst = out->at, .size = out->len};
    size_t rc = ZSTD_decompressStream(codec, &to, &from);
    in->at += from.pos;
    in->len -= from.pos;
    out->at += to.pos;
    out->len -= to.pos;
    if (ZSTD_isError(rc)) {
        *why = ZSTD_getErrorName(rc);
        return UNPACK_BAD;
    }
    return rc == 0 ? UNPACK_END : UNPACK_INSIDE;
}

static void close_zstd(void *codec)
{
    ZSTD_freeDStream(codec);
}

const struct unpack_codec unpack_zstd = {
    .name = "zstd",
    .magic = 4,
    .begins = begins,
    .open = open_zstd,
    .next = next_member,
    .step = step,
    .close = close_zstd,
};
