#include "result/visible.h"

#include <stdio.h>

/* First and last of characters that are hidden: controls, marks without width, order of writing. */
static const uint32_t hidden_ranges[][2] = {
    {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},     {0x34F, 0x34F},   {0x61C, 0x61C},
    {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F}, {0x200B, 0x200F}, {0x2028, 0x202E},
    {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFEFF, 0xFEFF}, {0xFFA0, 0xFFA0}, {0xFFF0, 0xFFFB},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

static bool is_hidden(uint32_t c)
{
    for (size_t i = 0; i < sizeof hidden_ranges / sizeof *hidden_ranges; i++) {
        if (c >= hidden_ranges[i][0] && c <= hidden_ranges[i][1]) {
            return true;
        }
    }
    return false;
}

/* The character at AT and its length in *LEN; what is no UTF-8 counts as U+FFF9, one byte long. */
static uint32_t character(const unsigned char *at, size_t left, size_t *len)
{
    unsigned char c = at[0];
    *len = c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (c < 0x80) {
        return c;
    }
    if (c < 0xC2 || c > 0xF4 || *len > left) {
        *len = 1;
        return 0xFFF9;
    }
    uint32_t value = c & (0x7Fu >> *len);
    for (size_t i = 1; i < *len; i++) {
        value = value << 6 | (at[i] & 0x3F);
    }
    return value;
}

bool visible_next(struct span *rest, struct span *plain, uint32_t *hidden)
{
    *plain = span_of(rest->at, 0);
    *hidden = VISIBLE_NONE;
    if (rest->len == 0) {
        return false;
    }
    while (rest->len > 0 && *hidden == VISIBLE_NONE) {
        size_t len;
        uint32_t c = character((const unsigned char *)rest->at, rest->len, &len);
        if (is_hidden(c)) {
            *hidden = c;
        } else {
            plain->len += len;
        }
        rest->at += len;
        rest->len -= len;
    }
    return true;
}

const char *visible_escape(uint32_t c, char out[12])
{
    snprintf(out, 12, c > 0xFFFF ? "\\u{%x}" : "\\u%04x", (unsigned)c & 0x1FFFFF);
    return out;
}

struct span visible_head(struct span text, size_t max)
{
    if (text.len > max) {
        while (max > 0 && ((unsigned char)text.at[max] & 0xC0) == 0x80) {
            max--;
        }
        text.len = max;
    }
    return text;
}

void visible_put(struct writer *w, struct span text)
{
    struct span plain;
    uint32_t hidden;
    char escape[12];
    while (visible_next(&text, &plain, &hidden)) {
        writer_put_span(w, plain);
        if (hidden == '\n' || hidden == '\t') {
            writer_put_span(w, hidden == '\n' ? SPAN_LIT("\\n") : SPAN_LIT("\\t"));
        } else if (hidden != VISIBLE_NONE) {
            writer_put_span(w, span_text(visible_escape(hidden, escape)));
        }
    }
}
