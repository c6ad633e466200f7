/*
 * A line as a record: whatever it is, reading it ends in a record whose spans lie in the line, or
 * in an error with a text; and what goes into a result file as JSON text in a string comes out
 * unchanged.
 */
#include "result/record.h"
#include "base/buf.h"
#include "json/scan.h"
#include "json/text.h"

#include <assert.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_inside(struct span part, struct span line)
{
    assert(part.len > 0 && part.at >= line.at && part.at + part.len <= line.at + line.len);
}

static void check_round_trip(struct scan *s, struct span value)
{
    struct buf string = {0};
    struct buf back = {0};
    text_encode(&string, value);
    assert(scan_check(s, string.at, string.len) == 0);
    text_decode(&back, buf_span(&string));
    assert(span_equal(buf_span(&back), value));
    buf_release(&back);
    buf_release(&string);
}

static void check_record(struct scan *s, struct span line)
{
    struct record r;
    struct err e = {0};
    if (record_read(&r, line, SEAMS_NONE, &e) < 0) {
        assert(e.code == ERR_DATA && e.text[0]);
        return;
    }
    assert(e.code == ERR_NONE && r.index <= RECORD_INDEX_MAX);
    check_inside(r.input, line);
    check_inside(r.status, line);
    if (r.run.len > 0) {
        check_inside(r.run, r.name);
    }
    check_round_trip(s, r.input);
    check_round_trip(s, r.output);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scan s;
    scan_init(&s, SCAN_DEPTH_DEFAULT);
    char *compact = malloc(size + 1); /* its own block, so that a step beyond it is seen */
    size_t len = 0;
    assert(compact);
    if (scan_compact(&s, (const char *)data, size, compact, &len) == 0) {
        char *line = realloc(compact, len);
        assert(line);
        check_record(&s, span_of(line, len));
        compact = line;
    }
    free(compact);
    scan_release(&s);
    return 0;
}
