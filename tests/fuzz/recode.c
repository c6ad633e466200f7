/*
 * A text that is recoded, behind a byte that chooses how it is cut: whatever it was, it becomes
 * UTF-8; what was UTF-8 stays as it is, and Latin-1 can be read back.
 */
#include "source/recode.h"

#include "base/buf.h"
#include "json/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A source that gives a few bytes at a time. */
struct drip {
    struct span left;
    size_t most;
};

static ssize_t drip_read(struct reader *r, char *at, size_t cap, struct err *e)
{
    struct drip *d = r->state;
    (void)e;
    size_t n = d->left.len < d->most ? d->left.len : d->most;
    n = n < cap ? n : cap;
    if (n > 0) {
        memcpy(at, d->left.at, n);
    }
    d->left = span_of(d->left.at + n, d->left.len - n);
    return (ssize_t)n;
}

static void drip_release(void *state)
{
    (void)state;
}

static void recode(struct span text, size_t most, enum recode how, struct buf *out)
{
    static const struct reader_source source = {.read = drip_read, .release = drip_release};
    struct drip d = {text, most};
    struct reader r;
    struct err e = {0};
    reader_init_source(&r, &source, &d, "text", NULL);
    recode_reader(&r, how);
    while (reader_fill(&r, &e) > 0) {
        buf_add_span(out, reader_bytes(&r));
        reader_take(&r, reader_bytes(&r).len);
    }
    assert(e.code == ERR_NONE);
    reader_release(&r);
}

/* LATIN1, in UTF-8, stands for the bytes of TEXT. */
static void check_latin1(struct span text, struct span latin1)
{
    size_t at = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)latin1.at[at++];
        if (c >= 0x80) {
            c = (unsigned char)((c & 3) << 6 | (latin1.at[at++] & 0x3F));
        }
        assert(c == (unsigned char)text.at[i]);
    }
    assert(at == latin1.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf latin1 = {0};
    struct buf valid = {0};
    size_t bad;
    if (size < 1) {
        return 0;
    }
    struct span text = span_of((const char *)data + 1, size - 1);
    recode(text, 1 + data[0] % 9, RECODE_LATIN1, &latin1);
    recode(text, 1 + data[0] % 9, RECODE_INVALID, &valid);
    assert(text_is_utf8(buf_span(&latin1), &bad) && text_is_utf8(buf_span(&valid), &bad));
    assert(!text_is_utf8(text, &bad) || span_equal(text, buf_span(&valid)));
    check_latin1(text, buf_span(&latin1));
    buf_release(&latin1);
    buf_release(&valid);
    return 0;
}
