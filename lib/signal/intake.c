#include "signal/intake.h"

#include <poll.h>
#include <string.h>

/* Is a whole line in the reader's buffer, or one too long to be kept, or the end? */
static bool has_line(struct intake *t)
{
    const struct reader *r = t->in->reader;
    struct span bytes = reader_bytes(r);
    if (r->at_end || bytes.len > t->in->rules.max_item_bytes) {
        return true;
    }
    size_t known = t->scanned > r->offset ? (size_t)(t->scanned - r->offset) : 0;
    if (bytes.len > known && memchr(bytes.at + known, '\n', bytes.len - known)) {
        return true;
    }
    t->scanned = r->offset + bytes.len;
    return false;
}

static bool is_readable(const struct reader *r)
{
    struct pollfd p = {.fd = r->fd, .events = POLLIN};
    return r->fd < 0 || poll(&p, 1, 0) != 0;
}

enum intake_got intake_next(struct intake *t, struct span *item, struct err *e)
{
    for (;;) {
        if (has_line(t)) {
            int got = lines_step(t->in, item, e);
            return got == LINES_NONE ? INTAKE_SKIP : (enum intake_got)got;
        }
        if (!is_readable(t->in->reader)) {
            return INTAKE_NONE;
        }
        if (reader_fill(t->in->reader, e) < 0) {
            return INTAKE_FAILED;
        }
    }
}
