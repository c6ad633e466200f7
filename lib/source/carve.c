#include "source/carve.h"

#include "source/trail.h"
#include "json/walk.h"

#include <string.h>

/* So much is scanned at a time: small enough for the cache, and for the limits to bite in time. */
enum { PIECE = 32 * 1024 };

static const struct path whole = {.root = PATH_INPUT};

void carve_open(struct carve *c, struct emit *emit, const struct path *path,
                struct original *original, const char *name, uint64_t start)
{
    *c = (struct carve){.emit = emit, .path = path ? path : &whole, .name = name, .start = start};
    /* Where the document itself is the items, it leaves nothing for --original. */
    c->original = c->path->count > 0 ? original : NULL;
    scan_init(&c->scan, emit->rules->max_depth);
    c->scan.watch = 0;
    uint64_t around = c->path->count + 1, deepest = emit->rules->max_depth;
    bulk_init(&c->bulk, BULK_ELEMENTS, deepest > around ? deepest - around : 0);
}

void carve_close(struct carve *c)
{
    scan_release(&c->scan);
    buf_release(&c->head);
}

/* ---- positions ---- */

/* The place that scanning has reached. */
static struct place place_here(const struct carve *c)
{
    return (struct place){c->scan.line, c->start + c->scan.line_at};
}

uint64_t carve_offset(const struct carve *c)
{
    return c->start + c->scan.offset;
}

/* Put that place on E; returns -1. */
static int fail_here(const struct carve *c, struct err *e)
{
    struct place p = place_here(c);
    return place_put(&p, c->name, carve_offset(c), c->in_items ? c->emit->taken + 1 : 0, e);
}

/* ---- what is no item ---- */

static struct writer *rest_of(struct carve *c)
{
    return &c->original->file.out;
}

/* What comes next stands before a value of the container at hand. */
static void expect_head(struct carve *c)
{
    buf_reset(&c->head);
    c->sink = CARVE_HEAD;
    c->scan.watch = (int64_t)c->level + 1;
}

/* The container that the first LEVEL steps lead to begins, and is not the last. */
static void enter_container(struct carve *c, size_t level, enum scan_kind kind)
{
    if (level == 0 && c->original) {
        if (kind == SCAN_OBJECT) {
            original_begin(c->original);
        } else {
            c->original = NULL; /* the members of an object are asked for, and this is none */
        }
    } else if (c->original) {
        writer_put_byte(rest_of(c), (char)kind);
        c->original->members = false;
    }
    c->level = level;
    c->index = 0;
    expect_head(c);
}

/* The container at hand has ended; the one around it is at hand again. */
static void leave_container(struct carve *c)
{
    if (c->level == 0) {
        c->sink = CARVE_NOWHERE; /* original_finish closes it */
        return;
    }
    if (c->original) {
        writer_put_byte(rest_of(c), c->head.at[c->head.len - 1]);
        c->original->members = true;
    }
    c->level--;
    expect_head(c);
}

/* A value of the container at hand comes next. MATCHES: the path leads into it. */
static int begin_value(struct carve *c, bool matches, struct err *e)
{
    bool items = matches && c->level + 1 == c->path->count;
    if (matches && c->found) {
        trail_twice(c->path, c->level + 1, e);
        return fail_here(c, e);
    }
    c->matches = matches;
    c->sink = c->original && !items ? CARVE_ORIGINAL : CARVE_NOWHERE;
    if (c->sink == CARVE_ORIGINAL) {
        original_member(c->original);
        writer_put(rest_of(c), c->head.at + 1, c->head.len - 1); /* the name, if it has one */
    }
    return 0;
}

/* ---- items ---- */

/* The item at hand begins at the place that scanning has reached. */
static void note_place(struct carve *c)
{
    c->item_place = place_here(c);
    c->item_at = carve_offset(c);
}

/* The members of an object: the next item, if one comes, begins with its name. */
static void expect_member(struct carve *c)
{
    note_place(c);
    emit_begin_member(c->emit);
    c->mark = writer_pending(c->emit->out); /* the scanner's ',' there becomes ':' */
}

static void enter_items(struct carve *c, enum scan_kind kind)
{
    c->found = c->in_items = true;
    c->begun = false;
    c->mark = 0;
    c->of_object = kind == SCAN_OBJECT;
    c->sink = CARVE_ITEM;
    c->scan.watch = (int64_t)c->path->count + 1;
    if (c->of_object) {
        expect_member(c);
    }
}

static void leave_items(struct carve *c)
{
    writer_rollback(c->emit->out);
    c->in_items = false;
    c->sink = CARVE_NOWHERE;
    if (c->path->count > 0) {
        expect_head(c);
    }
}

/* As many items as wanted have left. 1 unless the rest of the document is needed. */
static int skip_items(struct carve *c)
{
    c->sink = CARVE_NOWHERE;
    c->scan.watch = (int64_t)c->path->count;
    return c->original ? 0 : 1;
}

/* The name of a member that becomes an item has ended. */
static void name_item(struct carve *c)
{
    struct writer *w = c->emit->out;
    w->at[w->ready + c->mark] = ':';
    writer_put_span(w, SPAN_LIT(",\"Value\""));
}

static void begin_item(struct carve *c)
{
    struct writer *w = c->emit->out;
    c->kind = c->scan.kind;
    c->begun = true;
    if (!c->of_object) {
        note_place(c);
        writer_rollback(w); /* the comma or bracket before it */
        emit_begin(c->emit);
        c->mark = writer_pending(w);
    }
}

/* Refuse the item at hand for the reason in E; so much of it as there is goes to the rejects. */
static int refuse_item(struct carve *c, struct err *e)
{
    struct writer *w = c->emit->out;
    struct writer *rejects = c->emit->rules->rejects;
    place_put(&c->item_place, c->name, c->item_at, c->emit->taken + 1, e);
    if (emit_refuse(c->emit, e) < 0) {
        return -1;
    }
    writer_put(rejects, w->at + w->ready, writer_pending(w));
    writer_rollback(w);
    return 0;
}

/* Is what has come of the item at hand too large? The punctuation before it is no item yet. */
static bool is_too_large(const struct carve *c)
{
    size_t len = writer_pending(c->emit->out) - c->mark;
    return c->sink == CARVE_ITEM && len > c->emit->rules->max_item_bytes &&
           (c->begun || (c->of_object && len > 1));
}

/* Refuse the item at hand for its size; what comes of it goes to the rejects. */
static int refuse_size(struct carve *c, struct err *e)
{
    err_set(e, ERR_DATA, "the item is larger than %llu bytes (--max-item-bytes)",
            (unsigned long long)c->emit->rules->max_item_bytes);
    if (refuse_item(c, e) < 0) {
        return -1;
    }
    c->sink = CARVE_REJECT;
    return 0;
}

/* The item at hand is complete and no larger than it may be. */
static int emit_item(struct carve *c, struct err *e)
{
    if (c->of_object) {
        emit_end_member(c->emit);
        c->kind = SCAN_OBJECT;
    }
    if (emit_end(c->emit, c->kind, e) < 0) {
        if (refuse_item(c, e) < 0) {
            return -1;
        }
        c->sink = CARVE_REJECT;
    }
    return 0;
}

static int end_item(struct carve *c, struct err *e)
{
    if (is_too_large(c) && refuse_size(c, e) < 0) {
        return -1;
    }
    if (c->sink == CARVE_ITEM && emit_item(c, e) < 0) {
        return -1;
    }
    if (c->sink == CARVE_REJECT) {
        writer_put_byte(c->emit->rules->rejects, '\n');
        writer_commit(c->emit->rules->rejects);
        c->sink = CARVE_ITEM;
    }
    c->begun = false;
    c->between = !c->of_object;
    c->mark = 0;
    if (emit_full(c->emit)) {
        return skip_items(c);
    }
    if (c->of_object) {
        expect_member(c);
    }
    return 0;
}

/* ---- events ---- */

/* The value that the first LEVEL steps lead to begins. */
static int enter(struct carve *c, size_t level, struct err *e)
{
    const struct path *p = c->path;
    enum scan_kind kind = c->scan.kind;
    c->deepest = level > c->deepest ? level : c->deepest;
    if (level < p->count) {
        if (trail_enters(p, &p->steps[level], kind)) {
            enter_container(c, level, kind);
        } else if (!p->optional) {
            trail_no_entry(p, level, kind, e);
            return fail_here(c, e);
        } else if (level == 0) {
            c->original = NULL;
        }
        return 0;
    }
    if (kind == SCAN_NULL && p->optional) {
        return 0;
    }
    if (kind != SCAN_ARRAY && (kind != SCAN_OBJECT || c->array_only)) {
        trail_not_items(p, level, kind, c->array_only, e);
        return fail_here(c, e);
    }
    enter_items(c, kind);
    return 0;
}

static int on_begin(struct carve *c, struct err *e)
{
    if (c->in_items) {
        begin_item(c);
        return 0;
    }
    if (c->scan.depth == 0) {
        return enter(c, 0, e);
    }
    const struct path_step *step = &c->path->steps[c->level];
    if (!c->named && begin_value(c, trail_element(c->path, step, c->index++), e) < 0) {
        return -1;
    }
    c->named = false;
    return c->matches ? enter(c, c->level + 1, e) : 0;
}

static int on_key(struct carve *c, struct err *e)
{
    if (c->in_items) {
        name_item(c);
        return 0;
    }
    struct span name = span_of(c->head.at + 1, c->head.len - 1);
    c->named = true;
    return begin_value(c, path_step_is(&c->path->steps[c->level], name), e);
}

static int on_end(struct carve *c, struct err *e)
{
    if (c->in_items && c->scan.depth > c->path->count) {
        return end_item(c, e);
    }
    if (c->in_items) {
        leave_items(c);
    } else if (c->scan.depth == c->level) {
        leave_container(c);
    } else {
        expect_head(c);
    }
    return 0;
}

/* What is written there, for a message: printable, short, and only what is at hand. */
static void add_excerpt(struct err *e, const char *at, const char *end)
{
    char text[25];
    size_t len = 0;
    for (; at < end && len < sizeof text - 1; at++) {
        char shown = '?';
        if (*at >= 0x20 && *at < 0x7F) {
            shown = *at;
        }
        text[len++] = shown;
    }
    text[len] = '\0';
    if (len > 0) {
        struct err bare = *e;
        err_set(e, bare.code, "%s, at '%s'", bare.text, text);
    }
}

static int on_fault(struct carve *c, const char *at, const char *end, struct err *e)
{
    err_set(e, ERR_DATA, "%s", c->scan.fault);
    if (c->scan.depth >= c->scan.max_depth) {
        err_set(e, ERR_DATA, "%s, in %llu open arrays and objects", c->scan.fault,
                (unsigned long long)c->scan.depth);
    }
    if (c->ended) {
        err_set(e, ERR_DATA, "%s (JSON lines? then say -f jsonl)", c->scan.fault);
    }
    add_excerpt(e, at, end);
    return fail_here(c, e);
}

static int handle(struct carve *c, enum scan_event event, struct err *e)
{
    switch (event) {
    case SCAN_BEGIN:
        return on_begin(c, e);
    case SCAN_KEY:
        return on_key(c, e);
    case SCAN_DONE:
        c->ended = true;
        /* fall through */
    case SCAN_END:
        return on_end(c, e);
    default:
        return 0;
    }
}

/* ---- driving ---- */

static struct writer *sink_writer(struct carve *c)
{
    return c->sink == CARVE_ITEM       ? c->emit->out
           : c->sink == CARVE_ORIGINAL ? rest_of(c)
           : c->sink == CARVE_REJECT   ? c->emit->rules->rejects
                                       : NULL;
}

/* Scan up to the next event, with the text going where it should. */
static enum scan_event scan_on(struct carve *c, const char **at, const char *end)
{
    size_t most = (size_t)(end - *at);
    struct writer *w = sink_writer(c);
    char *room = w ? writer_room(w, most) : c->sink == CARVE_HEAD ? buf_room(&c->head, most) : NULL;
    c->scan.out = room;
    enum scan_event event = scan_next(&c->scan, at, end);
    size_t len = room ? (size_t)(c->scan.out - room) : 0;
    if (w) {
        writer_advance(w, len);
    } else if (room) {
        c->head.len += len;
    }
    return event;
}

/* Do we stand, at AT, before a comma behind an element that was an item? */
static inline bool is_between(const struct carve *c, const char *at, const char *end)
{
    return c->between && c->sink == CARVE_ITEM && at < end && *at == ',';
}

/* The element ITEM, which was checked in bulk and stands behind a comma. */
static int take_element(struct carve *c, struct span item, struct err *e)
{
    c->scan.offset++;
    c->kind = walk_kind(item);
    c->begun = true;
    note_place(c);
    emit_begin(c->emit);
    c->mark = writer_pending(c->emit->out);
    writer_put_span(c->emit->out, item);
    c->scan.offset += item.len;
    return end_item(c, e);
}

/* Take as many elements as can be found in bulk from the comma at *AT on; moves it. */
static int take_bulk(struct carve *c, const char **at, const char *end, struct err *e)
{
    struct span item;
    int rc = 0;
    bulk_restart(&c->bulk);
    while (rc == 0 && is_between(c, *at, end) &&
           bulk_next(&c->bulk, *at + 1, (size_t)(end - *at) - 1, &item) &&
           item.len <= c->emit->rules->max_item_bytes) {
        rc = take_element(c, item, e);
        *at += item.len + 1;
    }
    return rc;
}

/* Scan from *AT, which moves, up to END, or to between two elements. */
static int feed_piece(struct carve *c, const char **at, const char *end, struct err *e)
{
    enum scan_event event;
    do {
        c->between = false;
        event = scan_on(c, at, end);
        if (event == SCAN_FAULT) {
            bool ends = is_too_large(c) && refuse_size(c, e) < 0;
            return ends ? -1 : on_fault(c, *at, end, e);
        }
        int rc = handle(c, event, e);
        if (rc != 0) {
            return rc;
        }
    } while (event != SCAN_MORE && !is_between(c, *at, end));
    if (c->sink == CARVE_ORIGINAL || c->sink == CARVE_REJECT) {
        writer_commit(sink_writer(c));
    }
    return is_too_large(c) ? refuse_size(c, e) : 0;
}

int carve_feed(struct carve *c, struct span chunk, struct err *e)
{
    const char *end = chunk.at + chunk.len;
    for (const char *at = chunk.at; at < end;) {
        const char *stop = end - at > PIECE ? at + PIECE : end;
        int rc = is_between(c, at, end) ? take_bulk(c, &at, end, e) : 0;
        if (rc == 0 && at < stop) {
            rc = feed_piece(c, &at, stop, e);
        }
        if (rc != 0) {
            return rc;
        }
    }
    return 0;
}

int carve_finish(struct carve *c, struct err *e)
{
    enum scan_event event = c->ended ? SCAN_DONE : scan_finish(&c->scan);
    if (event == SCAN_FAULT) {
        err_set(e, ERR_DATA, "%s", c->scan.fault);
        return fail_here(c, e);
    }
    bool nothing = event == SCAN_MORE;
    if (nothing || c->found || c->path->optional) {
        return 0;
    }
    trail_missing(c->path, c->deepest, e);
    err_prefix(e, "%s", c->name);
    return -1;
}
