#include "object/stamp.h"

#include <stdio.h>

void stamp_normalise(struct span text, struct buf *out)
{
    const char *dot = text.len > 0 ? memchr(text.at, '.', text.len) : NULL;
    if (!dot || text.at[text.len - 1] != 'Z') {
        buf_add_span(out, text);
        return;
    }
    size_t keep = text.len - 1;
    while (text.at[keep - 1] == '0') {
        keep--;
    }
    keep -= text.at[keep - 1] == '.';
    buf_add(out, text.at, keep);
    buf_add_byte(out, 'Z');
}

void stamp_put(struct timespec t, struct buf *out)
{
    char whole[64];
    char text[96];
    struct tm parts;
    gmtime_r(&t.tv_sec, &parts);
    strftime(whole, sizeof whole, "%Y-%m-%dT%H:%M:%S", &parts);
    int n = snprintf(text, sizeof text, "%s.%09ldZ", whole, t.tv_nsec);
    stamp_normalise(span_of(text, (size_t)n), out);
}
