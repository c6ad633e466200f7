/*
 * A template, an item and a document of $Input, a NUL between them: whatever they are, it is
 * refused with a text, or what is rendered is JSON, compact, and the same when it is rendered
 * again.
 */
#include "expr/template.h"

#include "io/reader.h"
#include "json/scan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The bytes up to the next NUL; *REST goes on behind it. */
static struct span next_part(struct span *rest)
{
    const char *nul = rest->len ? memchr(rest->at, 0, rest->len) : NULL;
    struct span part = span_of(rest->at, nul ? (size_t)(nul - rest->at) : rest->len);
    *rest = nul ? span_of(nul + 1, rest->len - part.len - 1) : (struct span){0};
    return part;
}

/* Does the template give another value each time? */
static bool is_random(struct span text)
{
    return memmem(text.at, text.len, "uuid", 4) || memmem(text.at, text.len, "UUID", 4) ||
           memmem(text.at, text.len, "andom", 5) || memmem(text.at, text.len, "\\u", 2);
}

static void check_json(struct span made)
{
    struct scan s;
    scan_init(&s, SCAN_DEPTH_DEFAULT);
    assert(scan_check(&s, made.at, made.len) == 0 && !s.spaces);
    scan_release(&s);
}

static void render(struct template *t, struct span item, bool same)
{
    struct template_item facts = {
        .item = item, .index = 7, .context = SPAN_LIT("{\"Execution\":{\"Name\":\"n\"}}")};
    struct buf out[2] = {{0}};
    for (int i = 0; i < 2; i++) {
        struct err e = {0};
        if (template_render(t, &facts, &out[i], &e) == 0) {
            assert(e.code == ERR_NONE);
            check_json(buf_span(&out[i]));
        } else {
            assert(e.code == ERR_DATA && e.text[0]);
            buf_reset(&out[i]);
        }
    }
    assert(!same || span_equal(buf_span(&out[0]), buf_span(&out[1])));
    buf_release(&out[0]);
    buf_release(&out[1]);
}

static void check_template(struct template *t, struct span item, struct span input, bool same)
{
    struct reader r;
    struct document d;
    struct err e = {0};
    reader_init_text(&r, input.len ? input : SPAN_LIT("{\"a\":[1,{\"b\":null}]}"), "input");
    if (document_read(&d, template_input(t), &r, DEPTH, &e) == 0) {
        if (template_bind(t, &d, &e) == 0) {
            render(t, item, same);
        } else {
            assert(e.code == ERR_DATA && e.text[0]);
        }
        document_release(&d);
    }
    reader_release(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span rest = span_of((const char *)data, size);
    struct span text = next_part(&rest);
    struct span item = next_part(&rest);
    struct template *t;
    struct err e = {0};
    struct scan s;
    size_t len = 0;
    char *compact = malloc(item.len + 1);
    assert(compact);
    scan_init(&s, DEPTH);
    if (scan_compact(&s, item.at, item.len, compact, &len) < 0) {
        memcpy(compact, "0", 1);
        len = 1;
    }
    if (template_compile(&t, text, size % 2, &e) == 0) {
        assert(e.code == ERR_NONE);
        check_template(t, span_of(compact, len), rest, !is_random(text));
        template_free(t);
    } else {
        assert(e.code == ERR_USAGE && e.text[0]);
    }
    scan_release(&s);
    free(compact);
    return 0;
}
