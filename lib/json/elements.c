#include "json/elements.h"

void elements_open(struct elements *s, struct reader *reader, uint64_t max_depth,
                   uint64_t max_bytes)
{
    *s = (struct elements){.reader = reader, .max_bytes = max_bytes};
    scan_init(&s->scan, max_depth < SCAN_DEPTH_ANY ? max_depth + 1 : max_depth);
    s->scan.watch = 1;
}

/* Put the place that has been reached on E, which must have been set. */
static int fail_here(const struct elements *s, struct err *e)
{
    struct err_pos pos = {.line = s->scan.line,
                          .column = s->scan.offset - s->scan.line_at + 1,
                          .byte = s->scan.offset,
                          .item = s->in_array ? s->count + 1 : 0};
    err_pos_source(&pos, s->reader->name);
    err_at(e, &pos);
    return -1;
}

static int cut_short(const struct elements *s, struct err *e)
{
    err_set(e, ERR_DATA, "it was cut short: the array does not end");
    return fail_here(s, e);
}

/* The value at hand begins. Returns 0, or -1 with E filled. */
static int begin(struct elements *s, struct err *e)
{
    if (s->scan.depth == 0 && s->scan.kind != SCAN_ARRAY) {
        err_set(e, ERR_DATA, "it is no JSON array");
        return fail_here(s, e);
    }
    buf_reset(&s->text); /* of the bracket or comma before it */
    s->in_array = s->scan.depth > 0;
    return 0;
}

/* Scan what has been read. Returns 1: the text of an element is whole; 0: read more; -1 with E. */
static int scan_some(struct elements *s, struct err *e)
{
    for (;;) {
        struct span bytes = reader_bytes(s->reader);
        const char *at = bytes.at;
        s->scan.out = buf_room(&s->text, bytes.len);
        enum scan_event event = scan_next(&s->scan, &at, bytes.at + bytes.len);
        s->text.len = (size_t)(s->scan.out - s->text.at);
        reader_take(s->reader, (size_t)(at - bytes.at));
        if (s->in_array && s->text.len > s->max_bytes) {
            err_set(e, ERR_DATA, "an element is longer than %llu bytes",
                    (unsigned long long)s->max_bytes);
            return fail_here(s, e);
        }
        switch (event) {
        case SCAN_MORE:
            return 0;
        case SCAN_BEGIN:
            if (begin(s, e) < 0) {
                return -1;
            }
            break;
        case SCAN_END:
            return 1;
        case SCAN_FAULT:
            err_set(e, ERR_DATA, "%s", s->scan.fault);
            return fail_here(s, e);
        case SCAN_DONE:
            s->is_over = true;
            break;
        case SCAN_KEY:
            break;
        }
    }
}

int elements_next(struct elements *s, struct span *element, struct err *e)
{
    int got;
    while ((got = scan_some(s, e)) == 0) {
        int more = reader_fill(s->reader, e);
        if (more < 0) {
            return -1;
        }
        if (more == 0) {
            return s->is_over ? 0 : cut_short(s, e);
        }
    }
    if (got > 0) {
        *element = buf_span(&s->text);
        s->count++;
    }
    return got;
}

void elements_close(struct elements *s)
{
    scan_release(&s->scan);
    buf_release(&s->text);
    *s = (struct elements){0};
}
