#include "expr/document.h"

#include "base/mem.h"
#include "json/scan.h"

#include <stdlib.h>

/* A container that is open and that a path may lead into. */
struct level {
    size_t node; /* SELECT_NONE: no path leads here */
    bool array;
    uint64_t next; /* index of the next element */
    size_t begin;  /* of the value's bytes, in document.bytes */
};

/* What reading needs to know. Values are noted as offsets until the bytes no longer move. */
struct reading {
    struct document *d;
    const struct select *s;
    struct scan scan;
    struct level
        *levels;    /* one a container, up to the longest path, and one for the value itself */
    size_t *begins; /* a slot: where its value begins and how long it is */
    size_t keeping; /* values being kept whole at the moment, one within the other */
    size_t base;    /* with keeping 0: bytes from here on are no more than a member's name */
    size_t mark;    /* where the bytes since the last event begin */
    size_t child;   /* the node for the member whose name came last */
    bool skipping;  /* no path leads on within the value at hand */
};

/* The node for the value that begins now, DEPTH containers deep. */
static size_t node_here(struct reading *r, size_t depth)
{
    if (depth == 0) {
        return r->s->count > 0 ? 0 : SELECT_NONE;
    }
    struct level *around = &r->levels[depth - 1];
    if (around->node == SELECT_NONE) {
        return SELECT_NONE;
    }
    return around->array ? select_element(r->s, around->node, around->next++) : r->child;
}

static bool is_kept(const struct reading *r, size_t node)
{
    return node != SELECT_NONE && r->s->nodes[node].slot != SELECT_NONE;
}

static void begin_value(struct reading *r)
{
    size_t depth = r->scan.depth;
    size_t node = node_here(r, depth);
    r->levels[depth] =
        (struct level){.node = node, .array = r->scan.kind == SCAN_ARRAY, .begin = r->d->bytes.len};
    if (node != SELECT_NONE) {
        select_clear(r->s, node, r->d->values);
        r->keeping += is_kept(r, node);
    }
    bool container = r->scan.kind == SCAN_OBJECT || r->scan.kind == SCAN_ARRAY;
    if (!container || node == SELECT_NONE || r->s->nodes[node].child == SELECT_NONE) {
        r->scan.watch = (int64_t)depth;
        r->skipping = true;
    }
    r->child = SELECT_NONE;
}

static void end_value(struct reading *r)
{
    struct level *l = &r->levels[r->scan.depth];
    if (is_kept(r, l->node)) {
        size_t slot = r->s->nodes[l->node].slot;
        r->begins[slot] = l->begin;
        r->d->values[slot] = span_of("", r->d->bytes.len - l->begin);
        r->base = r->d->bytes.len;
        r->keeping--;
    }
    r->scan.watch = (int64_t)r->s->depth;
    r->skipping = false;
}

/* A member's name has ended; its bytes are the last that came, behind '{' or ','. */
static void take_key(struct reading *r)
{
    struct span key = span_of(r->d->bytes.at + r->mark + 1, r->d->bytes.len - r->mark - 1);
    struct level *around = &r->levels[r->scan.depth - 1];
    r->child = around->node == SELECT_NONE ? SELECT_NONE : select_member(r->s, around->node, key);
}

/* Forget bytes that nobody asked for. */
static void drop(struct reading *r)
{
    if (r->keeping == 0) {
        r->d->bytes.len = r->base;
    }
}

static void handle(struct reading *r, enum scan_event ev)
{
    switch (ev) {
    case SCAN_KEY:
        take_key(r);
        drop(r);
        break;
    case SCAN_BEGIN:
        drop(r);
        begin_value(r);
        break;
    case SCAN_MORE:
        if (r->skipping) {
            drop(r);
        }
        return; /* a name may go on in the next chunk: the mark stays */
    default:
        end_value(r);
        drop(r);
        break;
    }
    r->mark = r->d->bytes.len;
}

/* Take one chunk. 0, or -1: the scanner found a fault. */
static int take(struct reading *r, struct span chunk)
{
    const char *at = chunk.at;
    const char *end = chunk.at + chunk.len;
    struct buf *bytes = &r->d->bytes;
    enum scan_event ev;
    do {
        r->scan.out = buf_room(bytes, (size_t)(end - at));
        ev = scan_next(&r->scan, &at, end);
        bytes->len = (size_t)(r->scan.out - bytes->at);
        if (ev == SCAN_FAULT) {
            return -1;
        }
        handle(r, ev);
    } while (ev != SCAN_MORE);
    return 0;
}

static int position(const struct reading *r, const struct reader *in, struct err *e)
{
    struct err_pos pos = {.line = r->scan.line,
                          .column = r->scan.offset - r->scan.line_at + 1,
                          .byte = r->scan.offset};
    err_set(e, ERR_DATA, "%s", r->scan.fault);
    err_pos_source(&pos, in->name);
    err_at(e, &pos);
    return -1;
}

static int read_all(struct reading *r, struct reader *in, struct err *e)
{
    int got;
    if (reader_skip_bom(in, e) < 0) {
        return -1;
    }
    do {
        struct span chunk = reader_bytes(in);
        if (take(r, chunk) < 0) {
            return position(r, in, e);
        }
        reader_take(in, chunk.len);
        got = reader_fill(in, e);
    } while (got > 0);
    if (got < 0) {
        return -1;
    }
    switch (scan_finish(&r->scan)) {
    case SCAN_DONE:
        break;
    case SCAN_MORE:
        r->scan.fault = "the document is empty";
        return position(r, in, e);
    default:
        return position(r, in, e);
    }
    if (r->skipping) {
        end_value(r); /* a number that is the whole document ends only here */
    }
    return 0;
}

/* Turn offsets into spans, now that the bytes stay where they are. */
static void settle(struct reading *r)
{
    for (size_t i = 0; i < r->s->slots; i++) {
        if (r->d->values[i].at) {
            r->d->values[i].at = r->d->bytes.at + r->begins[i];
        }
    }
}

int document_read(struct document *d, const struct select *s, struct reader *in, uint64_t max_depth,
                  struct err *e)
{
    *d = (struct document){.values = mem_new(s->slots, sizeof *d->values)};
    struct reading r = {
        .d = d,
        .s = s,
        .levels = mem_new(s->depth + 1, sizeof *r.levels),
        .begins = mem_new(s->slots, sizeof *r.begins),
        .child = SELECT_NONE,
    };
    scan_init(&r.scan, max_depth);
    r.scan.watch = (int64_t)s->depth;
    int rc = read_all(&r, in, e);
    if (rc == 0) {
        settle(&r);
    } else {
        document_release(d);
    }
    scan_release(&r.scan);
    free(r.levels);
    free(r.begins);
    return rc;
}

void document_release(struct document *d)
{
    buf_release(&d->bytes);
    free(d->values);
    *d = (struct document){0};
}
