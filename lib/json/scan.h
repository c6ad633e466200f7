/*
 * scan.h: is this JSON, and where do its values begin and end?
 *
 * The scanner walks JSON text (RFC 8259) once.  It checks everything on the way:
 * grammar, UTF-8, escapes, nesting depth.  It can stop at any byte and go on with
 * the next chunk, it does not recurse, and it keeps no tree: only a bit for each
 * open container.  What it decides where the RFC leaves a choice: lone surrogate
 * escapes and numbers of any size are valid (they are moved, not computed with), a
 * byte order mark is not (readers skip it).
 *
 * It reports events for values that lie at most `watch` containers deep and runs
 * through everything deeper without stopping:
 *
 *     scan_init(&s, SCAN_DEPTH_DEFAULT); s.watch = 1;       the elements of an array
 *     while ((ev = scan_next(&s, &at, end)) != SCAN_MORE) …
 *
 * Where `out` is set, every byte consumed that is not white space between tokens is
 * also copied there, and `out` moves on: the compact form of the text, without a
 * second pass.
 *
 * Floor: services, the bottom of the room json: it includes only ground.
 */
#ifndef FANLINE_JSON_SCAN_H
#define FANLINE_JSON_SCAN_H

#include "base/err.h"
#include "json/seams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCAN_DEPTH_DEFAULT 10000
#define SCAN_DEPTH_ANY     UINT64_MAX /* for what fanline has written itself */
#define SCAN_NO_EVENTS     (-1)

enum scan_event {
    SCAN_MORE,  /* the chunk is used up */
    SCAN_BEGIN, /* a value begins at *at, which is not yet consumed; s->kind says of what kind */
    SCAN_KEY,   /* a member's name has ended just before *at */
    SCAN_END,   /* a value inside a container has ended just before *at */
    SCAN_DONE,  /* the whole value has ended, watched or not; only white space may follow */
    SCAN_FAULT  /* not JSON: s->fault says why, and *at is the first byte that does not fit */
};

enum scan_kind {
    SCAN_OBJECT = '{',
    SCAN_ARRAY = '[',
    SCAN_STRING = '"',
    SCAN_NUMBER = '0',
    SCAN_TRUE = 't',
    SCAN_FALSE = 'f',
    SCAN_NULL = 'n'
};

struct scan {
    /* set by the caller, at any time between calls */
    int64_t watch; /* report values in at most this many containers; SCAN_NO_EVENTS: none */
    char *out; /* compact copy; needs room for as many bytes as the chunk has left; NULL: none */
    struct seams *seams; /* where to note them during scan_check; NULL: nowhere; borrowed */

    /* for the caller to read */
    uint64_t depth; /* containers open now; at SCAN_BEGIN those around the value */
    enum scan_kind kind;
    const char *fault; /* at SCAN_FAULT: what is wrong */
    bool spaces;       /* white space between tokens was seen since scan_init or scan_restart */
    uint64_t line;     /* of the next byte; LF counts; starts at 1 */
    uint64_t offset;   /* of the next byte in the whole text */
    uint64_t line_at;  /* offset of the first byte of this line */

    /* its own */
    uint8_t state;
    uint8_t after;     /* the state after the string we are in: was it a name? */
    uint8_t need;      /* bytes or hex digits still missing */
    uint8_t low, high; /* bounds of the next UTF-8 byte */
    bool begun;        /* the value at *at has been reported */
    bool plain;        /* do without SIMD: the reference for tests */
    uint8_t means;     /* the most of enum bulk_means to be used: tests lower it */
    const char *rest;  /* of a literal */
    uint64_t max_depth;
    uint8_t *open; /* a bit a container: 1 is an object */
    size_t open_cap;
};

/* Start; MAX_DEPTH is the deepest nesting taken (SCAN_DEPTH_DEFAULT). */
void scan_init(struct scan *s, uint64_t max_depth);

/* Ready for another text; keeps memory, settings and position counters. */
void scan_restart(struct scan *s);

/* Go on at *AT; moves it. See enum scan_event. After SCAN_FAULT only scan_restart is legal. */
enum scan_event scan_next(struct scan *s, const char **at, const char *end);

/*
 * The text has ended.  Returns SCAN_DONE if it was whole (a number that is the whole value ends
 * only here), SCAN_MORE if there was nothing but white space, SCAN_FAULT if it was cut short.
 */
enum scan_event scan_finish(struct scan *s);

/*
 * Check that TEXT is one JSON value with nothing but white space around it.  S must have been
 * initialised; its counters are set to begin at 0.  Returns 0, or -1 with s->fault and s->offset
 * set; s->spaces tells whether the text has white space between tokens.
 */
int scan_check(struct scan *s, const char *text, size_t len);

/* As scan_check; writes the compact text at OUT (room for LEN bytes) and its length in *OUT_LEN. */
int scan_compact(struct scan *s, const char *text, size_t len, char *out, size_t *out_len);

void scan_release(struct scan *s);

/* The first byte in [at, end) that does not simply belong to a string: '"', '\\', below 0x20, above
 * 0x7F; END if there is none. The two differ in speed only. */
const char *scan_plain_simd(const char *at, const char *end);
const char *scan_plain_scalar(const char *at, const char *end);

#endif
