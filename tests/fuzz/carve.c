/*
 * A text as a document to carve, behind a byte that chooses how: whole or in chunks, in bulk or by
 * the scanner alone, the items, what is left of the document, the verdict and the place of a fault
 * are the same; every item is JSON, compact, one line.
 */
#include "source/carve.h"

#include "json/lines.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
    struct writer out;
    struct original original;
    struct err e;
    int rc;
};

static const char *const paths[] = {NULL, "$", "$.a", "$.a[1]", "/a/0/b", "$.a.b?"};

/* How a choice byte splits: path, fragment, context, limit. */
static void carve(uint8_t how, struct span text, size_t chunk, bool bulk, struct outcome *o)
{
    struct lines_rules rules = {.max_depth = 50, .max_item_bytes = 100};
    struct emit m = {.out = &o->out, .rules = &rules, .context = how & 8};
    struct carve c;
    struct path path = {0};
    const char *given = paths[how % 8 % 6];
    *o = (struct outcome){0};
    writer_init(&o->out, -1, "out");
    writer_init(&o->original.file.out, -1, "original");
    emit_source(&m, "s");
    if (how & 16) {
        buf_add_text(&m.fragment, "\"fragment.index\":");
    }
    m.max_items = how & 32 ? 2 : 0;
    if (given) {
        bool pointer = *given == '/';
        assert((pointer ? path_parse_pointer : path_parse)(&path, span_text(given), &o->e) == 0);
    }
    carve_open(&c, &m, given ? &path : NULL, how & 64 ? &o->original : NULL, "s", 0);
    c.bulk.means = bulk ? c.bulk.means : BULK_NONE;
    for (size_t at = 0; at < text.len && o->rc == 0; at += chunk) {
        size_t n = text.len - at < chunk ? text.len - at : chunk;
        char *copy = malloc(n); /* its own block, so that a step beyond it is seen */
        assert(copy);
        memcpy(copy, text.at + at, n);
        o->rc = carve_feed(&c, span_of(copy, n), &o->e);
        free(copy);
    }
    o->rc = o->rc == 0 ? carve_finish(&c, &o->e) : o->rc;
    writer_rollback(&o->out);
    writer_commit(&o->original.file.out);
    carve_close(&c);
    emit_release(&m);
    path_release(&path);
}

static void release(struct outcome *o)
{
    writer_release(&o->out);
    writer_release(&o->original.file.out);
}

static struct span written(const struct writer *w)
{
    return span_of(w->at, w->ready);
}

static void check_items(struct span items)
{
    struct scan s;
    scan_init(&s, 100);
    const char *end = items.at ? items.at + items.len : NULL;
    for (const char *at = items.at; at < end; at++) {
        const char *lf = memchr(at, '\n', (size_t)(end - at));
        assert(lf && scan_check(&s, at, (size_t)(lf - at)) == 0 && !s.spaces);
        at = lf;
    }
    scan_release(&s);
}

static void expect_same(const struct outcome *a, const struct outcome *b)
{
    assert(a->rc == b->rc && a->e.code == b->e.code);
    assert(a->e.pos.byte == b->e.pos.byte && a->e.pos.item == b->e.pos.item);
    assert(span_equal(written(&a->out), written(&b->out)));
    assert(a->rc != 0 ||
           span_equal(written(&a->original.file.out), written(&b->original.file.out)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct outcome whole;
    struct outcome cut;
    struct outcome scanned;
    if (size < 2) {
        return 0;
    }
    struct span text = span_of((const char *)data + 2, size - 2);
    carve(data[0], text, text.len + 1, true, &whole);
    carve(data[0], text, 1 + data[1] % 7, true, &cut);
    carve(data[0], text, text.len + 1, false, &scanned);
    assert(whole.rc >= 0 || (whole.e.code == ERR_DATA && whole.e.text[0]));
    expect_same(&whole, &cut);
    expect_same(&whole, &scanned);
    check_items(written(&whole.out));
    release(&whole);
    release(&cut);
    release(&scanned);
    return 0;
}
