#include "base/place.h"

#include <string.h>

void place_pass(struct place *p, struct span bytes, uint64_t offset)
{
    const char *end = bytes.at + bytes.len;
    for (const char *at = bytes.at; at < end; at++) {
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at) {
            break;
        }
        p->line++;
        p->line_at = offset + (uint64_t)(at - bytes.at) + 1;
    }
}

int place_put(const struct place *p, const char *name, uint64_t offset, uint64_t item,
              struct err *e)
{
    struct err_pos pos = {
        .line = p->line, .column = offset - p->line_at + 1, .byte = offset, .item = item};
    err_pos_source(&pos, name);
    err_at(e, &pos);
    return -1;
}
