#include "expr/attr_utf16.h"

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */

/* How many bytes the first one promises; 0 if it cannot be first. */
static size_t promised(unsigned char c)
{
    return c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
}

uint32_t utf8_read(const char *at, const char *end, size_t *len)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = (unsigned char)*at;
    size_t n = promised(first);
    *len = 1;
    if (n < 2 || (size_t)(end - at) < n) {
        return first;
    }
    uint32_t c = first & (0x7FU >> n);
    for (size_t i = 1; i < n; i++) {
        unsigned char next = (unsigned char)at[i];
        if ((next & 0xC0) != 0x80) {
            return first;
        }
        c = c << 6 | (next & 0x3F);
    }
    if (c < least[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) {
        return first;
    }
    *len = n;
    return c;
}

void utf8_add(struct buf *out, uint32_t c)
{
    char *to = buf_room(out, 4);
    if (c < 0x80) {
        to[0] = (char)c;
        out->len += 1;
        return;
    }
    size_t more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
    static const unsigned char marks[] = {0, 0xC0, 0xE0, 0xF0};
    to[0] = (char)(marks[more] | c >> (6 * more));
    for (size_t i = 1; i <= more; i++) {
        to[i] = (char)(0x80 | (c >> (6 * (more - i)) & 0x3F));
    }
    out->len += more + 1;
}

int64_t utf16_length(struct span text)
{
    const char *end = text.at + text.len;
    int64_t units = 0;
    size_t len;
    for (const char *at = text.at; at < end; at += len) {
        units += utf8_read(at, end, &len) > 0xFFFF ? 2 : 1;
    }
    return units;
}

void utf16_cut(struct span text, int64_t from, int64_t to, struct buf *out)
{
    const char *end = text.at + text.len;
    int64_t unit = 0;
    size_t len;
    for (const char *at = text.at; at < end && unit < to; at += len) {
        int64_t size = utf8_read(at, end, &len) > 0xFFFF ? 2 : 1;
        if (unit >= from && unit + size <= to) {
            buf_add(out, at, len);
        } else if (unit + size > from) {
            buf_add_text(out, replacement);
        }
        unit += size;
    }
}
