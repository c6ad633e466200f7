/* lib/io/unpack: compressed input reads like plain input, and no damage goes unnoticed. */
#include "io/unpack.h"
#include "base/buf.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* What gzip 1.12 and zstd 1.5.4 made of "hello\n", "world\n" and nothing. */
#define GZIP_HELLO "1f8b0800000000000203cb48cdc9c9e7020020303a3606000000"
#define GZIP_NAMED "1f8b080825000e6b0003782e74787400cb48cdc9c9e7020020303a3606000000"
#define GZIP_WORLD "1f8b08000000000002032bcf2fca49e10200a86138dd06000000"
#define GZIP_EMPTY "1f8b080000000000020303000000000000000000"
#define ZSTD_HELLO "28b52ffd045831000068656c6c6f0a5388bd91"
#define ZSTD_WORLD "28b52ffd0058310000776f726c640a"
#define ZSTD_EMPTY "28b52ffd240001000099e9d851"
#define ZSTD_SKIP  "5f2a4d1803000000abcdef"

/* The bytes of hexadecimal digits. */
static void unhex(const char *text, struct buf *out)
{
    buf_reset(out);
    for (; *text; text += 2) {
        unsigned byte;
        cr_assert_eq(sscanf(text, "%2x", &byte), 1);
        buf_add_byte(out, (char)byte);
    }
}

/* A source that hands out one byte at a time. */
struct dribble {
    struct span left;
};

static ssize_t dribble_read(struct reader *r, char *at, size_t cap, struct err *e)
{
    struct dribble *d = r->state;
    (void)cap, (void)e;
    if (d->left.len == 0) {
        return 0;
    }
    *at = *d->left.at++;
    d->left.len--;
    return 1;
}

static void dribble_release(void *state)
{
    (void)state;
}

static const struct reader_source dribbling = {.read = dribble_read, .release = dribble_release};

/* All that R unpacks, into OUT. 0, or -1 with E filled. */
static int unpack_all(struct reader *r, struct buf *out, struct err *e)
{
    int got = reader_unpack(r, e) < 0 ? -1 : 1;
    while (got > 0) {
        struct span bytes = reader_bytes(r);
        buf_add_span(out, bytes);
        reader_take(r, bytes.len);
        got = reader_fill(r, e);
    }
    cr_assert(got < 0 || r->offset == out->len);
    return got;
}

static const struct {
    const char *hex;
    const char *want; /* NULL: that depends on the pieces in which it comes */
    const char *why;  /* NULL: no error */
} rows[] = {
    {"", "", NULL},
    {"68", "h", NULL},
    {"1f", "\x1f", NULL},
    {"1f61",
     "\x1f"
     "a",
     NULL},
    {"28b52f61", "(\xb5/a", NULL},
    {"502a61", "P*a", NULL},
    {"efbbbf", "\xef\xbb\xbf", NULL},

    {GZIP_HELLO, "hello\n", NULL},
    {GZIP_NAMED, "hello\n", NULL},
    {GZIP_HELLO GZIP_WORLD, "hello\nworld\n", NULL},
    {GZIP_EMPTY, "", NULL},
    {GZIP_EMPTY GZIP_HELLO GZIP_EMPTY GZIP_WORLD GZIP_EMPTY, "hello\nworld\n", NULL},
    {"1f8b", "", "test: the gzip data is cut short (byte 2 of the compressed input)"},
    {"1f8b610000000000000300", "", "test: the gzip data is damaged: unknown compression method"},
    {GZIP_HELLO "0a", "hello\n",
     "test: the gzip data is followed by something else (byte 26 of the compressed input)"},
    {GZIP_HELLO "1f", "hello\n", "followed by something else (byte 26 "},
    {GZIP_HELLO "1f8b", "hello\n", "cut short (byte 28 "},
    {GZIP_HELLO "00000000", "hello\n", "followed by something else (byte 26 "},
    {GZIP_HELLO ZSTD_WORLD, "hello\n", "followed by something else (byte 26 "},
    {"1f8b0800000000000203cb48cdc9c9e7020021303a3606000000", "hello\n",
     "damaged: incorrect data check (byte 2"},
    {"1f8b0800000000000203cb48cdc9c9e7020020303a3605000000", "hello\n",
     "damaged: incorrect length check (byte 2"},

    {ZSTD_HELLO, "hello\n", NULL},
    {ZSTD_HELLO ZSTD_WORLD, "hello\nworld\n", NULL},
    {ZSTD_EMPTY, "", NULL},
    {ZSTD_SKIP, "", NULL},
    {ZSTD_SKIP ZSTD_HELLO ZSTD_SKIP ZSTD_EMPTY ZSTD_WORLD ZSTD_SKIP, "hello\nworld\n", NULL},
    {"28b52ffd", "", "test: the zstd data is cut short (byte 4 of the compressed input)"},
    {"5f2a4d1803000000abcd", "", "cut short (byte 10 "},
    {ZSTD_HELLO "0a", "hello\n", "the zstd data is followed by something else (byte 19 "},
    {ZSTD_HELLO "28b52f", "hello\n", "followed by something else (byte 19 "},
    {ZSTD_HELLO GZIP_WORLD, "hello\n", "followed by something else (byte 19 "},
    {"28b52ffd045831000068656c6c6f0a5388bd92", NULL, "damaged: Restored data doesn't match"},
    /* a window of 2 GiB */
    {"28b52ffd00a8", "", "damaged: Frame requires too much memory"},
};

static void check_row(size_t i, const char *how, struct reader *r)
{
    struct buf out = {0};
    struct err e = {0};
    int rc = unpack_all(r, &out, &e);
    cr_expect_eq(rc, rows[i].why ? -1 : 0, "row %zu, %s", i, how);
    cr_expect(!rows[i].want || strcmp(buf_text(&out), rows[i].want) == 0, "row %zu, %s", i, how);
    cr_expect(!rows[i].why || strstr(e.text, rows[i].why), "row %zu, %s: %s", i, how, e.text);
    cr_expect(!rows[i].why || e.code == ERR_DATA, "row %zu, %s", i, how);
    cr_expect_eq(reader_fill(r, &e), rows[i].why ? -1 : 0, "row %zu, %s: it stays so", i, how);
    reader_release(r);
    buf_release(&out);
}

Test(unpack, members_frames_and_faults)
{
    struct buf in = {0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct reader r;
        int ends[2];
        unhex(rows[i].hex, &in);

        reader_init_text(&r, buf_span(&in), "test");
        check_row(i, "of a text", &r);

        cr_assert_eq(pipe(ends), 0);
        cr_assert_eq(write(ends[1], in.at, in.len), (ssize_t)in.len);
        close(ends[1]);
        reader_init(&r, ends[0], "test", NULL);
        r.owned = true;
        check_row(i, "of a pipe", &r);

        struct dribble d = {buf_span(&in)};
        reader_init_source(&r, &dribbling, &d, "test", NULL);
        check_row(i, "byte by byte", &r);
    }
    buf_release(&in);
}

/* What the first byte rules out needs no second one. */
Test(unpack, waits_for_no_more_than_it_needs)
{
    int ends[2];
    struct reader r;
    struct err e = {0};
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], "{", 1), 1);
    reader_init(&r, ends[0], "test", NULL);
    cr_expect_eq(reader_unpack(&r, &e), 0);
    cr_expect_eq(reader_bytes(&r).len, 1);
    reader_release(&r);
    close(ends[0]);
    close(ends[1]);
}

static void add_gzip(struct buf *out, struct span data)
{
    z_stream z = {0};
    cr_assert_eq(deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY), Z_OK);
    size_t room = deflateBound(&z, data.len);
    z.next_in = (Bytef *)(uintptr_t)data.at;
    z.avail_in = (uInt)data.len;
    z.next_out = (Bytef *)buf_room(out, room);
    z.avail_out = (uInt)room;
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    out->len += z.total_out;
    deflateEnd(&z);
}

static void add_zstd(struct buf *out, struct span data)
{
    size_t room = ZSTD_compressBound(data.len);
    ZSTD_CCtx *c = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    size_t n = ZSTD_compress2(c, buf_room(out, room), room, data.at, data.len);
    cr_assert(!ZSTD_isError(n));
    out->len += n;
    ZSTD_freeCCtx(c);
}

static const struct {
    const char *name;
    void (*add)(struct buf *out, struct span data);
    size_t header; /* bytes in front, of which some may differ without harm */
} formats[] = {{"gzip", add_gzip, 10}, {"zstd", add_zstd, 0}};

/* Text that compresses a little. */
static void fill(struct buf *out, size_t len)
{
    uint32_t x = 1;
    while (out->len < len) {
        x = x * 1664525 + 1013904223;
        buf_printf(out, "%u,\"%s\"\n", x >> 20, x >> 31 ? "yes" : "no");
    }
    out->len = len;
}

Test(unpack, cut_anywhere_it_is_an_error)
{
    for (size_t f = 0; f < COUNT(formats); f++) {
        struct buf plain = {0}, packed = {0};
        fill(&plain, 700);
        formats[f].add(&packed, span_of(plain.at, 300));
        size_t border = packed.len;
        formats[f].add(&packed, span_of(plain.at + 300, 400));
        for (size_t cut = 4; cut < packed.len; cut++) {
            struct reader r;
            struct buf out = {0};
            struct err e = {0};
            reader_init_text(&r, span_of(packed.at, cut), "test");
            int rc = unpack_all(&r, &out, &e);
            cr_expect_eq(rc, cut == border ? 0 : -1, "%s at %zu", formats[f].name, cut);
            cr_expect(out.len <= plain.len);
            cr_expect(out.len == 0 || memcmp(out.at, plain.at, out.len) == 0);
            cr_expect(cut < border || out.len >= 300, "%s at %zu", formats[f].name, cut);
            reader_release(&r);
            buf_release(&out);
        }
        buf_release(&plain);
        buf_release(&packed);
    }
}

Test(unpack, a_flipped_bit_never_passes)
{
    for (size_t f = 0; f < COUNT(formats); f++) {
        struct buf plain = {0}, packed = {0};
        fill(&plain, 500);
        formats[f].add(&packed, buf_span(&plain));
        size_t magic = 4;
        for (size_t bit = formats[f].header * 8; bit < packed.len * 8; bit++) {
            struct reader r;
            struct buf out = {0};
            struct err e = {0};
            packed.at[bit / 8] ^= (char)(1 << bit % 8);
            reader_init_text(&r, buf_span(&packed), "test");
            int rc = unpack_all(&r, &out, &e);
            bool same = span_equal(buf_span(&out), buf_span(&plain));
            bool told = rc < 0 || bit < magic * 8; /* without its magic it is plain */
            cr_expect(told || same, "%s, bit %zu", formats[f].name, bit);
            packed.at[bit / 8] ^= (char)(1 << bit % 8);
            reader_release(&r);
            buf_release(&out);
        }
        buf_release(&plain);
        buf_release(&packed);
    }
}

/* Many members whose borders fall everywhere in the buffers; memory stays the reader's. */
Test(unpack, large_input_in_constant_memory)
{
    enum { MEMBERS = 40, STEP = 40009 };
    for (size_t f = 0; f < COUNT(formats); f++) {
        struct buf plain = {0}, packed = {0}, zeros = {0};
        fill(&plain, (size_t)MEMBERS * STEP);
        for (size_t i = 0; i < MEMBERS; i++) {
            formats[f].add(&packed, span_of(plain.at + i * STEP, STEP));
        }
        memset(buf_room(&zeros, 32 << 20), 0, 32 << 20);
        zeros.len = 32 << 20;
        formats[f].add(&packed, buf_span(&zeros));

        struct reader r;
        struct err e = {0};
        uint64_t seen = 0;
        reader_init_text(&r, buf_span(&packed), "test");
        cr_assert_eq(reader_unpack(&r, &e), 0);
        while (reader_fill(&r, &e) > 0) {
            struct span s = reader_bytes(&r);
            for (size_t i = 0; i < s.len; i++, seen++) {
                char want = seen < plain.len ? plain.at[seen] : 0;
                cr_assert_eq(s.at[i], want, "%s: byte %llu", formats[f].name,
                             (unsigned long long)seen);
            }
            reader_take(&r, s.len);
            cr_assert_leq(r.cap, 512 * 1024);
        }
        cr_expect_eq(seen, plain.len + zeros.len, "%s: %s", formats[f].name, e.text);
        reader_release(&r);
        buf_release(&plain);
        buf_release(&packed);
        buf_release(&zeros);
    }
}

static void count_bytes(void *tapper, struct span bytes)
{
    *(uint64_t *)tapper += bytes.len;
}

Test(unpack, a_tap_sees_the_compressed_bytes)
{
    struct buf in = {0}, out = {0};
    struct reader r;
    struct err e = {0};
    uint64_t seen = 0;
    unhex(GZIP_HELLO GZIP_WORLD, &in);
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    cr_assert_eq(write(ends[1], in.at, in.len), (ssize_t)in.len);
    close(ends[1]);
    reader_init(&r, ends[0], "test", NULL);
    r.owned = true;
    r.tap = count_bytes;
    r.tapper = &seen;
    cr_expect_eq(unpack_all(&r, &out, &e), 0);
    cr_expect_eq(seen, in.len);
    reader_release(&r);
    buf_release(&in);
    buf_release(&out);
}
