/*
 * A text as a path and as a JSON Pointer, and behind a NUL a document to follow it in: alone, in a
 * selection, and through a document that comes in chunks it leads to the same value.
 */
#include "expr/path.h"

#include "expr/document.h"
#include "expr/select.h"
#include "json/scan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_document(const struct select *s, struct span text, struct span want)
{
    struct reader r;
    struct document d;
    struct err e = {0};
    reader_init_text(&r, text, "text");
    assert(document_read(&d, s, &r, DEPTH, &e) == 0);
    assert((d.values[0].at != NULL) == (want.at != NULL));
    assert(!want.at || span_equal(d.values[0], want));
    document_release(&d);
    reader_release(&r);
}

/* DOCUMENT is valid and compact, in its own block. */
static void check_path(const struct path *p, struct span document)
{
    struct select s = {0};
    struct span found = {0};
    struct span selected;
    assert(p->count <= PATH_STEPS_MAX && p->text);
    bool leads = path_find(p, document, &found);
    assert(leads || (!p->optional && !found.at));
    bool inside = found.at >= document.at && found.at < document.at + document.len;
    assert(!leads || inside || (p->optional && span_equal(found, SPAN_LIT("null"))));
    found = inside ? found : (struct span){0};
    assert(select_add(&s, p) == 0 && select_add(&s, p) == 0);
    select_run(&s, document, SEAMS_NONE, &selected);
    assert(selected.at == found.at && selected.len == found.len);
    check_document(&s, document, found);
    select_release(&s);
}

static void check_text(struct span text, struct span document)
{
    struct path p;
    struct err e = {0};
    if (path_parse(&p, text, &e) == 0) {
        assert(e.code == ERR_NONE);
        check_path(&p, document);
        path_release(&p);
    } else {
        assert(e.code == ERR_USAGE && e.text[0] && !p.text && !p.steps);
    }
    e = (struct err){0};
    if (path_parse_pointer(&p, text, &e) == 0) {
        check_path(&p, document);
        path_release(&p);
    } else {
        assert(e.code == ERR_USAGE && e.text[0]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char fixed[] =
        "{\"a\":[0,{\"b\":[[]],\"\":1}],\"0\":{\"1\":2},\"a\":[{\"b\":{}},3]}";
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t len = nul ? (size_t)(nul - data) : size;
    struct span rest = nul ? span_of((const char *)nul + 1, size - len - 1) : SPAN_LIT(fixed);
    struct scan s;
    size_t compact_len = 0;
    char *compact = malloc(rest.len + 1);
    char *text = malloc(len + 1);
    assert(compact && text);
    memcpy(text, data ? (const void *)data : "", len);
    scan_init(&s, DEPTH);
    if (scan_compact(&s, rest.at, rest.len, compact, &compact_len) == 0) {
        char *block = realloc(compact, compact_len);
        assert(block);
        compact = block;
        check_text(span_of(text, len), span_of(compact, compact_len));
    }
    scan_release(&s);
    free(compact);
    free(text);
    return 0;
}
