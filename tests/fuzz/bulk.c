/*
 * Values in a row, behind a byte that chooses the form, the means and the pieces in which they
 * come: each that is handed out is one whole value by itself, valid and compact to a plain
 * recursive reader, and it is not asked for more where a line is there.
 */
#include "json/bulk.h"

#include "../unit/oracle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 60 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(struct span value, struct seams_view got)
{
    struct oracle o;
    assert(oracle_run(&o, value.at, value.len, DEPTH, -1) && o.compact.len == value.len);
    assert(got.count == o.seams.len / sizeof *got.at);
    for (size_t i = 0; i < got.count; i++) {
        size_t want;
        memcpy(&want, o.seams.at + i * sizeof want, sizeof want);
        assert(got.text + got.at[i] == value.at + want);
    }
    oracle_release(&o);
}

/* All values of which the separator is in the LEN bytes at TEXT.  Returns where they end. */
static size_t take_values(struct bulk *b, const char *text, size_t len)
{
    struct span value;
    size_t at = 0;
    while (bulk_next(b, text + at, len - at, &value)) {
        assert(value.at == text + at);
        assert(text[at + value.len] == (b->form == BULK_LINES ? '\n' : ','));
        check_value(value, bulk_seams(b, value));
        at += value.len + 1;
    }
    assert(b->stuck || b->form == BULK_ELEMENTS || at == len || !memchr(text + at, '\n', len - at));
    return at;
}

/* Step over what the scanner would have to look at. */
static size_t pass(const struct bulk *b, struct span text)
{
    char stop = b->form == BULK_LINES ? '\n' : ',';
    const char *end = text.len ? memchr(text.at, stop, text.len) : NULL;
    return end ? (size_t)(end - text.at) + 1 : text.len;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    struct span text = span_of((const char *)data + 2, size - 2);
    size_t piece = data[1] < 128 ? data[1] + 1U : data[1] * 16U;
    struct bulk b;
    bulk_init(&b, data[0] & 1 ? BULK_LINES : BULK_ELEMENTS, DEPTH);
    b.means = data[0] & 2 && b.means > BULK_AVX2 ? BULK_AVX2 : b.means;
    b.noting = true;
    for (size_t at = 0, come = 0; at < text.len;) {
        come = text.len - come < piece ? text.len : come + piece;
        char *copy = malloc(come - at ? come - at : 1); /* so that a step beyond it is seen */
        assert(copy);
        memcpy(copy, text.at + at, come - at);
        at += take_values(&b, copy, come - at);
        free(copy);
        if (b.stuck || come == text.len) {
            at += pass(&b, span_of(text.at + at, text.len - at));
            come = come < at ? at : come;
            bulk_restart(&b);
        }
    }
    bulk_release(&b);
    return 0;
}
