/*
 * A definition: whatever it is, it is refused with a place in the text, or read as a tree whose
 * JSON is compact, and read again gives the same JSON and the same verdict.  What
 * the check lets pass can be compiled.
 */
#include "flow/check.h"
#include "flow/machine.h"
#include "flow/tree.h"
#include "json/scan.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each line begins behind an LF; a place lies on a line, or just behind its end. */
static void check_place(struct span text, struct place_at at)
{
    const char *line = text.at;
    const char *end = text.at + text.len;
    assert(at.line >= 1 && at.column >= 1);
    for (uint64_t i = 1; i < at.line; i++) {
        const char *lf = memchr(line, '\n', (size_t)(end - line));
        assert(lf);
        line = lf + 1;
    }
    const char *lf = memchr(line, '\n', (size_t)(end - line));
    assert(at.column <= (uint64_t)((lf ? lf : end) - line) + 1);
}

static void check_faults(struct span text, struct faults *f)
{
    bool marked = span_starts(text, SPAN_LIT("\xef\xbb\xbf"));
    faults_sort(f);
    for (size_t i = 0; i < f->count; i++) {
        assert(f->at[i].text[0]);
        check_place(marked ? span_of(text.at + 3, text.len - 3) : text, f->at[i].at);
    }
}

static void compile(const struct flow_tree *t)
{
    struct machine *m = NULL;
    struct err e = {0};
    int rc = machine_compile(&m, t, "definition", &e);
    if (rc < 0) {
        fprintf(stderr, "%s\n", e.text);
    }
    assert(rc == 0);
    machine_free(m);
}

/* Read TEXT; adds its JSON to OUT. Returns the number of faults, or -1 if there is no tree. */
static int read(struct span text, struct buf *out)
{
    struct flow_tree t;
    struct faults f = {0};
    int rc = flow_tree_read(&t, text, &f);
    assert((rc < 0) == (t.root == NULL));
    assert(rc == 0 || f.count > 0);
    if (rc == 0) {
        node_json(t.root, out);
        check_definition(t.root, &f);
    }
    check_faults(text, &f);
    int count = (int)f.count;
    if (rc == 0 && count == 0) {
        compile(&t);
    }
    faults_release(&f);
    flow_tree_release(&t);
    return rc < 0 ? -1 : count;
}

static void check_json(struct span made)
{
    struct scan s;
    scan_init(&s, SCAN_DEPTH_DEFAULT);
    assert(scan_check(&s, made.at, made.len) == 0 && !s.spaces);
    scan_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buf json = {0};
    struct buf again = {0};
    int faults = read(span_of(size ? (const char *)data : "", size), &json);
    if (faults >= 0 && json.len <= TREE_BYTES_MAX) {
        check_json(buf_span(&json));
        int more = read(buf_span(&json), &again);
        assert(span_equal(buf_span(&json), buf_span(&again)));
        assert((faults == 0) == (more == 0));
    }
    buf_release(&json);
    buf_release(&again);
    return 0;
}
