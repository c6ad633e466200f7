/*
 * A text as JSON, behind two bytes that choose the chunks and the watch: whole or in chunks, with
 * the fast lane, in blocks or byte by byte, the scanner finds what a plain recursive reader finds.
 * What is left without white space is JSON again, and compact; its members are found in two ways
 * alike.
 */
#include "json/scan.h"
#include "json/bulk.h"

#include "../unit/oracle.h"
#include "json/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH = 60 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct found {
    bool valid;
    bool done;
    size_t count;
    struct buf events;
    struct buf compact;
};

static void note(struct found *f, const struct scan *s, enum scan_event ev)
{
    char what = ev == SCAN_BEGIN ? 'B' : ev == SCAN_KEY ? 'K' : ev == SCAN_END ? 'E' : 'D';
    oracle_word(&f->events, what, ev == SCAN_BEGIN ? (char)s->kind : '-', s->depth, s->offset);
    f->count++;
    f->done = f->done || ev == SCAN_DONE;
}

/* One chunk, in its own block, so that a step beyond it is seen. False: a fault. */
static bool feed(struct scan *s, struct found *f, const char *text, size_t len, int way)
{
    char *copy = malloc(len);
    assert(copy);
    memcpy(copy, text, len);
    const char *at = copy;
    enum scan_event ev;
    do {
        s->watch = oracle_watch(way, f->count);
        s->out = buf_room(&f->compact, (size_t)(copy + len - at) + 1);
        ev = scan_next(s, &at, copy + len);
        f->compact.len = (size_t)(s->out - f->compact.at);
        if (ev != SCAN_MORE && ev != SCAN_FAULT) {
            note(f, s, ev);
        }
    } while (ev != SCAN_MORE && ev != SCAN_FAULT);
    free(copy);
    return ev == SCAN_MORE;
}

static void check_scan(const struct oracle *o, bool valid, struct span text, size_t chunk,
                       bool plain, int way)
{
    struct scan s;
    struct found f = {0};
    bool more = true;
    scan_init(&s, DEPTH);
    s.plain = plain;
    for (size_t at = 0; at < text.len && more; at += chunk) {
        more = feed(&s, &f, text.at + at, text.len - at < chunk ? text.len - at : chunk, way);
    }
    enum scan_event ev = more ? scan_finish(&s) : SCAN_FAULT;
    if (ev == SCAN_DONE && !f.done) {
        note(&f, &s, ev);
    }
    assert((ev == SCAN_DONE) == valid);
    assert(s.offset == o->at);
    assert(ev != SCAN_FAULT || s.fault);
    assert(span_equal(buf_span(&f.events), buf_span(&o->events)));
    assert(span_equal(buf_span(&f.compact), buf_span(&o->compact)));
    buf_release(&f.events);
    buf_release(&f.compact);
    scan_release(&s);
}

/* A whole text, in its own block, with what a processor may have. */
static void check_whole(const struct oracle *o, bool valid, struct span text, int means)
{
    struct scan s;
    struct seams seams = {0};
    char *copy = malloc(text.len ? text.len : 1);
    assert(copy);
    memcpy(copy, text.at, text.len);
    scan_init(&s, DEPTH);
    s.means = (uint8_t)means;
    s.seams = &seams;
    assert((scan_check(&s, copy, text.len) == 0) == valid && s.offset == o->at);
    if (valid) {
        assert(seams.count == o->seams.len / sizeof *seams.at);
        assert(seams.count == 0 || memcmp(seams.at, o->seams.at, o->seams.len) == 0);
        assert(s.spaces == (o->compact.len < text.len));
    }
    seams_release(&seams);
    scan_release(&s);
    free(copy);
}

/* TEXT is valid and compact. */
static void check_compact(struct span text)
{
    struct scan s;
    struct seams seams = {0};
    scan_init(&s, DEPTH);
    s.seams = &seams;
    assert(scan_check(&s, text.at, text.len) == 0 && !s.spaces);
    struct walk plain = walk_into(text);
    struct walk along = walk_along(text, seams_view(&seams, text.at));
    while (walk_next(&plain)) {
        assert(walk_next(&along));
        assert(along.key.at == plain.key.at && along.key.len == plain.key.len);
        assert(along.value.at == plain.value.at && along.value.len == plain.value.len);
    }
    assert(!walk_next(&along));
    seams_release(&seams);
    scan_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2) {
        return 0;
    }
    struct span text = span_of((const char *)data + 2, size - 2);
    size_t chunk = data[0] % 40 + 1U;
    int way = data[1] % (ORACLE_WATCHES + 1) - 1;
    struct oracle o;
    bool valid = oracle_run(&o, text.at, text.len, DEPTH, way);
    for (int means = BULK_NONE; means <= BULK_AVX512; means++) {
        check_whole(&o, valid, text, means);
    }
    for (int plain = 0; plain < 2; plain++) {
        check_scan(&o, valid, text, text.len + 1, plain, way);
        check_scan(&o, valid, text, chunk, plain, way);
    }
    if (valid) {
        check_compact(buf_span(&o.compact));
    }
    oracle_release(&o);
    return 0;
}
