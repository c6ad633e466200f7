#include "signal/plain.h"

#include <stdbool.h>
#include <stdint.h>

#define NO_CHARACTER UINT32_MAX

struct range {
    uint32_t first, last;
};

static bool is_in(uint32_t c, const struct range *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (c >= list[i].first && c <= list[i].last) {
            return true;
        }
    }
    return false;
}

/* The character at the front of S, and its bytes; NO_CHARACTER and 1 if it is not UTF-8. */
static uint32_t first_of(struct span s, size_t *len)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char lead = (unsigned char)s.at[0];
    size_t n = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    *len = 1;
    if (n <= 1) {
        return n == 1 ? lead : NO_CHARACTER;
    }
    uint32_t c = lead & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (i >= s.len || ((unsigned char)s.at[i] & 0xC0) != 0x80) {
            return NO_CHARACTER;
        }
        c = c << 6 | ((unsigned char)s.at[i] & 0x3F);
    }
    if (lead > 0xF4 || c < smallest[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) {
        return NO_CHARACTER;
    }
    *len = n;
    return c;
}

/* Is C a control character, or one that is not seen itself? */
static bool is_odd(uint32_t c)
{
    static const struct range list[] = {{0, 0x1F},        {0x7F, 0x9F},      {0xAD, 0xAD},
                                        {0x61C, 0x61C},   {0x180E, 0x180E},  {0x200B, 0x200F},
                                        {0x2028, 0x202E}, {0x2060, 0x206F},  {0xFEFF, 0xFEFF},
                                        {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    return is_in(c, list, sizeof list / sizeof *list);
}

static void spell_out(struct buf *b, uint32_t c)
{
    static const char *const short_forms[] = {['\t'] = "\\t", ['\n'] = "\\n", ['\r'] = "\\r"};
    if (c <= '\r' && short_forms[c]) {
        buf_add_text(b, short_forms[c]);
    } else {
        buf_printf(b, c < 0x80 ? "\\x%02x" : "\\u%04x", c);
    }
}

void plain_add(struct buf *b, struct span text)
{
    while (text.len > 0) {
        size_t len;
        uint32_t c = first_of(text, &len);
        if (c == NO_CHARACTER) {
            buf_printf(b, "\\x%02x", (unsigned char)text.at[0]);
        } else if (is_odd(c)) {
            spell_out(b, c);
        } else {
            buf_add(b, text.at, len);
        }
        text = span_of(text.at + len, text.len - len);
    }
}

size_t plain_width(struct span text)
{
    static const struct range wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},
                                        {0xA960, 0xA97F},   {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
                                        {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                                        {0x1F300, 0x1F64F}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    static const struct range none[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},
                                        {0x64B, 0x65F},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
                                        {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
    size_t columns = 0;
    while (text.len > 0) {
        size_t len;
        uint32_t c = first_of(text, &len);
        columns += is_in(c, wide, sizeof wide / sizeof *wide)   ? 2
                   : is_in(c, none, sizeof none / sizeof *none) ? 0
                                                                : 1;
        text = span_of(text.at + len, text.len - len);
    }
    return columns;
}
