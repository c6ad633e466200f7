/*
 * Bytes that may be gzip or zstd, behind a byte that chooses the pieces in which they come.  Whole
 * or in pieces they unpack to the same, unless they are damaged; an error names a byte of the
 * input; plain bytes come out as they are.
 */
#include "io/unpack.h"
#include "base/buf.h"

#include <assert.h>
#include <string.h>

enum { OUTPUT_MAX = 1 << 20 }; /* little input may swell to much output */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct pieces {
    struct span left;
    size_t step;
};

static ssize_t read_piece(struct reader *r, char *at, size_t cap, struct err *e)
{
    struct pieces *p = r->state;
    size_t n = p->left.len < p->step ? p->left.len : p->step;
    (void)e;
    n = n < cap ? n : cap;
    if (n > 0) {
        memcpy(at, p->left.at, n);
    }
    p->left = span_of(p->left.at + n, p->left.len - n);
    return (ssize_t)n;
}

static void release(void *state)
{
    (void)state;
}

/* All of TEXT, unpacked, to OUT.  1 when it was too much, 0, or -1 for an error. */
static int unpack(struct span text, size_t step, struct buf *out)
{
    static const struct reader_source source = {read_piece, release};
    struct pieces p = {text, step};
    struct reader r;
    struct err e = {0};
    reader_init_source(&r, &source, &p, "fuzz", NULL);
    int got = reader_unpack(&r, &e) < 0 ? -1 : 1;
    while (got > 0 && out->len < OUTPUT_MAX) {
        struct span bytes = reader_bytes(&r);
        buf_add_span(out, bytes);
        reader_take(&r, bytes.len);
        got = reader_fill(&r, &e);
    }
    assert(got >= 0 || (e.code == ERR_DATA && strstr(e.text, "of the compressed input)")));
    reader_release(&r);
    return got;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    struct span text = span_of((const char *)data + 1, size - 1);
    struct buf whole = {0};
    struct buf pieces = {0};
    int first = unpack(text, SIZE_MAX, &whole);
    int second = unpack(text, 1 + data[0] % 16, &pieces);
    if (first <= 0 && second <= 0) {
        assert(first == second);
        assert(first < 0 || span_equal(buf_span(&whole), buf_span(&pieces)));
    }
    bool packed = text.len > 0 && strchr("\x1F\x28\x50\x51\x52\x53\x54\x55\x56\x57\x58\x59\x5A\x5B"
                                         "\x5C\x5D\x5E\x5F",
                                         text.at[0]);
    if (!packed && text.len < OUTPUT_MAX) {
        assert(first == 0 && span_equal(buf_span(&whole), text));
    }
    buf_release(&whole);
    buf_release(&pieces);
    return 0;
}
