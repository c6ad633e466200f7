/*
 * A text with attributes, and behind a NUL a line: by both sets of rules it is refused with a
 * text, or gives a text for any line; one without "${" gives itself.
 */
#include "expr/attr.h"

#include "json/scan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *outside(void *context, const char *name)
{
    (void)context;
    return strcmp(name, "HOME") == 0 ? "/home" : NULL;
}

static void check_eval(const struct attr_template *t, struct span text, struct span line)
{
    struct buf out = {0};
    struct buf other = {0};
    struct err e = {0};
    bool missing = false;
    if (attr_eval(t, line, &out, &missing, &e) < 0) {
        assert(e.code == ERR_DATA && e.text[0]);
    } else {
        assert(e.code == ERR_NONE);
        if (!memmem(text.at, text.len, "${", 2)) {
            assert(span_equal(buf_span(&out), text) && !missing && attr_is_constant(t));
        }
        if (attr_is_constant(t)) {
            assert(attr_eval(t, SPAN_LIT("{\"a\":\"b\"}"), &other, NULL, &e) == 0);
            assert(span_equal(buf_span(&out), buf_span(&other)));
        }
    }
    buf_release(&out);
    buf_release(&other);
}

static void check_text(struct span text, struct span line)
{
    for (int nifi = 0; nifi < 2; nifi++) {
        struct attr_rules rules = {.nifi = nifi};
        struct attr_template *t = NULL;
        struct err e = {0};
        if (attr_compile_with(&t, text, &rules, &e) < 0) {
            assert(e.code == ERR_USAGE && e.text[0] && !t);
            continue;
        }
        assert(e.code == ERR_NONE);
        attr_outside(t, outside, NULL);
        check_eval(t, text, line);
        attr_free(t);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t len = nul ? (size_t)(nul - data) : size;
    struct span rest = nul ? span_of((const char *)nul + 1, size - len - 1) : (struct span){0};
    struct scan s;
    size_t compact_len = 0;
    char *compact = malloc(rest.len + 3);
    char *text = malloc(len ? len : 1);
    assert(compact && text);
    memcpy(text, data ? (const void *)data : "", len);
    scan_init(&s, 100);
    if (scan_compact(&s, rest.at, rest.len, compact, &compact_len) < 0) {
        memcpy(compact, "{}", 2);
        compact_len = 2;
    }
    check_text(span_of(text, len), span_of(compact, compact_len));
    scan_release(&s);
    free(compact);
    free(text);
    return 0;
}
