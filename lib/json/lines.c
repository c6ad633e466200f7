#include "json/lines.h"

#include "json/nesting.h"
#include "json/walk.h"

#include <string.h>

#define MARK_START SPAN_LIT("{\"fanline.end\":")

void lines_open(struct lines_in *in, struct reader *reader, const struct lines_rules *rules)
{
    *in = (struct lines_in){.reader = reader, .rules = *rules};
    scan_init(&in->scan, rules->max_depth);
    bulk_init(&in->bulk, BULK_LINES, rules->max_depth);
}

void lines_close(struct lines_in *in)
{
    scan_release(&in->scan);
    buf_release(&in->compact);
    unique_release(&in->unique);
    bulk_release(&in->bulk);
    seams_release(&in->seams);
}

void lines_note(struct lines_in *in)
{
    in->bulk.noting = true;
}

struct seams_view lines_seams(const struct lines_in *in)
{
    if (in->judged) {
        return bulk_seams(&in->bulk, in->raw);
    }
    return in->scan.spaces ? SEAMS_NONE : seams_view(&in->seams, in->raw.at);
}

void lines_position(const struct lines_in *in, uint64_t column, struct err *e)
{
    struct err_pos pos = {.line = in->line,
                          .column = column,
                          .byte = in->raw_at + column - 1,
                          .item = in->items + in->rejected};
    err_pos_source(&pos, in->reader->name);
    err_at(e, &pos);
}

/* Copy the line at hand to the rejects file, with the rest of it if it was too long to collect. */
static int divert(struct lines_in *in, struct err *e)
{
    struct writer *w = in->rules.rejects;
    writer_put_span(w, in->raw);
    while (in->is_long) {
        struct span more = reader_bytes(in->reader);
        const char *lf = more.len ? memchr(more.at, '\n', more.len) : NULL;
        size_t len = lf ? (size_t)(lf - more.at) : more.len;
        writer_put(w, more.at, len);
        writer_commit(w);
        reader_take(in->reader, lf ? len + 1 : len);
        int got = lf ? 0 : reader_fill(in->reader, e);
        if (got < 0) {
            return -1;
        }
        in->is_long = got > 0;
    }
    writer_put_byte(w, '\n');
    writer_commit(w);
    if (writer_flush(w, e) < 0) { /* at once: refused lines are few, and nowhere else */
        return -1;
    }
    if (in->rules.trouble && in->rules.trouble->code != ERR_NONE) {
        *e = *in->rules.trouble;
        return -1;
    }
    return 0;
}

/* Refuse the line at hand for the reason in E, which has its position. 0: go on, and E is empty. */
static int refuse(struct lines_in *in, struct err *e)
{
    in->rejected++;
    if (!in->rules.rejects) {
        return -1;
    }
    if (in->rules.report) {
        in->rules.report(in->rules.context, e);
    }
    if (divert(in, e) < 0) {
        return -1;
    }
    if (e) {
        *e = (struct err){0};
    }
    return 0;
}

int lines_refuse(struct lines_in *in, struct err *e)
{
    lines_position(in, 1, e);
    in->items--;
    return refuse(in, e);
}

static bool is_blank(struct span line)
{
    return walk_trim(line).len == 0;
}

static bool mark_number(struct span mark, const char *name, uint64_t *out)
{
    struct span value;
    if (!walk_member(mark, span_text(name), &value) || value.len == 0 || value.len > 19) {
        return false;
    }
    uint64_t n = 0;
    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] < '0' || value.at[i] > '9') {
            return false;
        }
        n = n * 10 + (uint64_t)(value.at[i] - '0');
    }
    *out = n;
    return true;
}

static void add_mark(struct buf *b, const struct lines_mark *mark)
{
    buf_add_span(b, MARK_START);
    buf_add_text(b, "{\"status\":");
    buf_add_u64(b, (uint64_t)mark->status);
    buf_add_text(b, ",\"items\":");
    buf_add_u64(b, mark->items);
    buf_add_text(b, ",\"rejected\":");
    buf_add_u64(b, mark->rejected);
    buf_add_text(b, "}}");
}

/* Is ITEM an end mark, and what does it say?  Only the bytes that lines_put_mark writes are one. */
static bool read_mark(struct span item, struct lines_mark *mark)
{
    struct span body;
    uint64_t status;
    struct lines_mark m = {.seen = true};
    if (!span_starts(item, MARK_START) || !walk_member(item, SPAN_LIT("fanline.end"), &body) ||
        !mark_number(body, "status", &status) || status > 255 ||
        !mark_number(body, "items", &m.items) || !mark_number(body, "rejected", &m.rejected)) {
        return false;
    }
    m.status = (int)status;
    struct buf exact = {0};
    add_mark(&exact, &m);
    bool same = span_equal(buf_span(&exact), item);
    buf_release(&exact);
    *mark = same ? m : *mark;
    return same;
}

int lines_begins_mark(struct span text, bool ended)
{
    enum { LONGEST = 100 }; /* bytes of an end mark, and some more */
    size_t known = text.len < MARK_START.len ? text.len : MARK_START.len;
    const char *lf = text.len > 0 ? memchr(text.at, '\n', text.len) : NULL;
    struct lines_mark unused;
    if (known > 0 && memcmp(text.at, MARK_START.at, known) != 0) {
        return 0;
    }
    if (!lf && !ended && text.len < LONGEST) {
        return LINES_NONE;
    }
    return read_mark(span_of(text.at, lf ? (size_t)(lf - text.at) : text.len), &unused);
}

bool lines_is_mark(struct span item)
{
    struct lines_mark unused;
    return read_mark(item, &unused);
}

int lines_check_room(struct span item, uint64_t levels, uint64_t max_depth, struct err *e)
{
    if (levels <= max_depth && !nesting_exceeds(item, max_depth - levels)) {
        return 0;
    }
    return err_set(e, ERR_DATA,
                   "what is made of it would be nested deeper than the limit"
                   " (--max-depth)");
}

int lines_check_made(struct span item, uint64_t max_depth, struct err *e)
{
    if (lines_is_mark(item)) {
        return err_set(e, ERR_DATA, "the item would have the form of an end mark");
    }
    return lines_check_room(item, 0, max_depth, e);
}

/* The input has ended: was it whole? */
static int check_end(struct lines_in *in, struct err *e)
{
    uint64_t lines = in->items + in->rejected;
    if (!in->mark.seen) {
        return in->rules.end_mark
                   ? err_set(e, ERR_DATA, "%s was cut short: it has no end mark (after %llu lines)",
                             in->reader->name, (unsigned long long)lines)
                   : 0;
    }
    if (in->mark.items != lines) {
        return err_set(e, ERR_DATA, "%s was cut short: its end mark counts %llu lines, %llu came",
                       in->reader->name, (unsigned long long)in->mark.items,
                       (unsigned long long)lines);
    }
    if (in->mark.status != 0 && in->mark.status != 4) {
        return err_set(e, ERR_DATA, "%s was cut short: its writer ended with status %d",
                       in->reader->name, in->mark.status);
    }
    return 0;
}

/* Scan the line at hand; its compact form is in *ITEM then. 0, or -1: it is not JSON. */
static int scan_line(struct lines_in *in, struct span *item)
{
    struct scan *s = &in->scan;
    s->seams = in->bulk.noting ? &in->seams : NULL;
    if (!s->spaces && scan_check(s, in->raw.at, in->raw.len) < 0) {
        return -1;
    }
    if (!s->spaces) {
        *item = in->raw;
        return 0;
    }
    /* this line has white space, or the one before had: then this one will have some too */
    size_t len;
    buf_reset(&in->compact);
    if (scan_compact(s, in->raw.at, in->raw.len, buf_room(&in->compact, in->raw.len), &len) < 0) {
        return -1;
    }
    *item = s->spaces ? span_of(in->compact.at, len) : in->raw;
    return 0;
}

/* Has an object of the line at hand two members of one name? 0, or -1 with E filled. */
static int check_names(struct lines_in *in, struct err *e)
{
    size_t at;
    if (!in->rules.strict || unique_check(&in->unique, in->raw, &at, e) == 0) {
        return 0;
    }
    lines_position(in, at + 1, e);
    return -1;
}

/* Check the line at hand and leave its compact form in *ITEM. 0, or -1 with E filled. */
static int check_line(struct lines_in *in, struct span *item, struct err *e)
{
    if (in->judged) {
        *item = in->raw;
        return check_names(in, e);
    }
    if (in->is_long) {
        err_set(e, ERR_DATA, "the line is longer than %llu bytes (--max-item-bytes)",
                (unsigned long long)in->rules.max_item_bytes);
        lines_position(in, 1, e);
        return -1;
    }
    if (scan_line(in, item) < 0) {
        err_set(e, ERR_DATA, "%s", in->scan.fault);
        lines_position(in, in->scan.offset + 1, e);
        return -1;
    }
    return check_names(in, e);
}

/* Look for the next line in bulk. 1: it is in in->raw and judged; 0: look for it singly; -1 with E.
 */
static int fetch_judged(struct lines_in *in, struct err *e)
{
    struct reader *r = in->reader;
    for (;;) {
        struct span there = reader_bytes(r);
        if (there.len > 0 && bulk_next(&in->bulk, there.at, there.len, &in->raw)) {
            if (in->raw.len > in->rules.max_item_bytes) {
                return 0;
            }
            reader_take(r, in->raw.len + 1);
            return 1;
        }
        if (in->bulk.stuck || there.len > in->rules.max_item_bytes) {
            return 0;
        }
        int got = reader_fill(r, e);
        if (got <= 0) {
            return got;
        }
    }
}

/* Fetch the next line into in->raw. 1, LINES_NONE if it is blank, 0 at the end, -1 with E filled.
 */
static int fetch(struct lines_in *in, struct err *e)
{
    if (!in->started && reader_skip_bom(in->reader, e) < 0) {
        return -1;
    }
    in->started = true;
    in->raw_at = in->reader->offset;
    int got = in->is_long ? 0 : fetch_judged(in, e);
    in->judged = got > 0;
    if (got == 0) {
        bulk_restart(&in->bulk);
        got = reader_line(in->reader, in->rules.max_item_bytes, &in->raw, &in->is_long, e);
    }
    if (got <= 0) {
        return got;
    }
    in->line++;
    return in->judged || in->is_long || !is_blank(in->raw) ? 1 : LINES_NONE;
}

int lines_step(struct lines_in *in, struct span *item, struct err *e)
{
    int got = fetch(in, e);
    if (got != 1) {
        return got == 0 ? check_end(in, e) : got;
    }
    in->items++;
    if (in->mark.seen) {
        err_set(e, ERR_DATA, "more lines behind the end mark");
        lines_position(in, 1, e);
        return -1;
    }
    int rc = check_line(in, item, e);
    if (rc == 0 && !read_mark(*item, &in->mark)) {
        return 1;
    }
    rc = rc < 0 ? refuse(in, e) : 0; /* its message counts the refused line as an item */
    in->items--;
    return rc < 0 ? -1 : LINES_NONE;
}

int lines_next(struct lines_in *in, struct span *item, struct err *e)
{
    int got;
    do {
        got = lines_step(in, item, e);
    } while (got == LINES_NONE);
    return got;
}

int lines_status(const struct lines_in *in, struct err *e)
{
    if (in->rejected > 0) {
        err_set(e, ERR_DATA, "%llu of %llu lines were rejected", (unsigned long long)in->rejected,
                (unsigned long long)(in->items + in->rejected));
        return 1;
    }
    if (in->mark.rejected > 0) {
        err_set(e, ERR_DATA, "%llu lines were rejected by the filters before this one",
                (unsigned long long)in->mark.rejected);
        return 1;
    }
    return in->mark.seen ? in->mark.status : 0;
}

void lines_put_mark(struct writer *w, const struct lines_mark *mark)
{
    struct buf b = {0};
    add_mark(&b, mark);
    writer_put_span(w, buf_span(&b));
    writer_put_byte(w, '\n');
    writer_commit(w);
    buf_release(&b);
}
