#include "source/whole.h"

#include "base/mem.h"
#include "json/scan.h"
#include "json/text.h"
#include "json/walk.h"

static int read_all(struct buf *b, struct reader *r, struct err *e)
{
    int got;
    do {
        struct span bytes = reader_bytes(r);
        buf_add_span(b, bytes);
        reader_take(r, bytes.len);
        if (b->len > WHOLE_MAX) {
            return err_set(e, ERR_DATA, "%s is too long", r->name);
        }
    } while ((got = reader_fill(r, e)) > 0);
    return got;
}

int whole_read(struct buf *b, struct reader *r, uint64_t max_depth, struct err *e)
{
    struct scan s;
    if (read_all(b, r, e) < 0) {
        return -1;
    }
    int rc = 0;
    scan_init(&s, max_depth);
    if (scan_check(&s, b->at, b->len) < 0) {
        struct err_pos pos = {.line = s.line, .column = s.offset - s.line_at + 1, .byte = s.offset};
        err_pos_source(&pos, r->name);
        rc = err_set(e, ERR_DATA, "%s", s.fault);
        err_at(e, &pos);
    } else if (walk_kind(buf_span(b)) != SCAN_OBJECT) {
        rc = err_set(e, ERR_DATA, "%s is no manifest: it is no object", r->name);
    }
    scan_release(&s);
    return rc;
}

char *whole_text(struct span object, const char *name)
{
    struct span value;
    struct buf b = {0};
    if (!walk_member(object, span_text(name), &value) || walk_kind(value) != SCAN_STRING) {
        return NULL;
    }
    text_decode(&b, value);
    char *text = mem_copy(b.at ? b.at : "", b.len);
    buf_release(&b);
    return text;
}

bool whole_number(struct span object, const char *name, uint64_t *number)
{
    struct span value;
    uint64_t n = 0;
    if (!walk_member(object, span_text(name), &value) || value.len > 19) {
        return false;
    }
    for (size_t i = 0; i < value.len; i++) {
        if (value.at[i] < '0' || value.at[i] > '9') {
            return false;
        }
        n = n * 10 + (uint64_t)(value.at[i] - '0');
    }
    *number = n;
    return true;
}
