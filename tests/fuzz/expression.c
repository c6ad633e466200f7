/*
 * A text as an expression, and behind a NUL the value that all its paths start from: it is refused
 * with a text, or gives JSON, compact, and the same when it is asked again.
 */
#include "expr/expr.h"

#include "json/scan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 100 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_json(struct span made)
{
    struct scan s;
    scan_init(&s, SCAN_DEPTH_DEFAULT);
    assert(scan_check(&s, made.at, made.len) == 0 && !s.spaces);
    scan_release(&s);
}

/* Evaluate X twice, its paths all leading into ITEM. */
static void check_eval(const struct expr *x, struct span item, bool same)
{
    size_t count = expr_path_count(x);
    struct span *values = calloc(count + 1, sizeof *values);
    struct arena arenas[2] = {{0}};
    struct span results[2] = {{0}};
    assert(values);
    for (size_t i = 0; i < count; i++) {
        if (!path_find(expr_path(x, i), item, &values[i])) {
            values[i] = (struct span){0};
        }
    }
    int rc[2];
    for (int i = 0; i < 2; i++) {
        struct err e = {0};
        rc[i] = expr_eval(x, values, &arenas[i], &results[i], &e);
        if (rc[i] == 0) {
            assert(e.code == ERR_NONE);
            check_json(results[i]);
        } else {
            assert(e.code == ERR_DATA && e.text[0]);
        }
    }
    assert(rc[0] == rc[1] || !same);
    assert(rc[0] < 0 || !same || span_equal(results[0], results[1]));
    arena_release(&arenas[0]);
    arena_release(&arenas[1]);
    free(values);
}

/* Does the expression give another value each time? */
static bool is_random(struct span text)
{
    return text.len > 0 &&
           (memmem(text.at, text.len, "uuid", 4) || memmem(text.at, text.len, "UUID", 4) ||
            memmem(text.at, text.len, "andom", 5));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
    size_t len = nul ? (size_t)(nul - data) : size;
    struct span rest = nul ? span_of((const char *)nul + 1, size - len - 1) : SPAN_LIT("null");
    struct expr *x = NULL;
    struct err e = {0};
    struct scan s;
    size_t item = 0;
    char *compact = malloc(rest.len + 5);
    char *text = malloc(len ? len : 1);
    assert(compact && text);
    memcpy(text, data ? (const void *)data : "", len);
    scan_init(&s, DEPTH);
    if (scan_compact(&s, rest.at, rest.len, compact, &item) < 0) {
        memcpy(compact, "null", 4);
        item = 4;
    }
    if (expr_compile(&x, span_of(text, len), &e) == 0) {
        assert(e.code == ERR_NONE && strlen(expr_text(x)) == len);
        check_eval(x, span_of(compact, item), !is_random(span_of(text, len)));
        expr_free(x);
    } else {
        assert(e.code == ERR_USAGE && e.text[0]);
    }
    scan_release(&s);
    free(compact);
    free(text);
    return 0;
}
