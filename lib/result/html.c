#include "result/html.h"

#include "result/visible.h"

#include <stdarg.h>
#include <stdio.h>

void html_put(struct writer *w, const char *markup)
{
    writer_put_span(w, span_text(markup));
}

void html_format(struct writer *w, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    writer_put(w, text, len < (int)sizeof text ? (size_t)len : sizeof text - 1);
}

/* What stands for C in a page; empty where C stands for itself. */
static struct span entity(char c)
{
    switch (c) {
    case '&':
        return SPAN_LIT("&amp;");
    case '<':
        return SPAN_LIT("&lt;");
    case '>':
        return SPAN_LIT("&gt;");
    case '"':
        return SPAN_LIT("&quot;");
    case '\'':
        return SPAN_LIT("&#39;");
    default:
        return SPAN_LIT("");
    }
}

/* Put PLAIN, no more than MAX bytes of the page; returns whether it was all. */
static bool put_plain(struct writer *w, struct span plain, size_t begin, size_t max)
{
    for (size_t i = 0; i < plain.len; i++) {
        bool whole = ((unsigned char)plain.at[i] & 0xC0) != 0x80; /* no character is cut */
        if (max > 0 && whole && writer_pending(w) - begin + 8 > max) {
            return false;
        }
        struct span e = entity(plain.at[i]);
        if (e.len > 0) {
            writer_put_span(w, e);
        } else {
            writer_put_byte(w, plain.at[i]);
        }
    }
    return true;
}

static void put_hidden(struct writer *w, uint32_t c)
{
    char escape[12];
    if (c == '\n' || c == '\t') {
        writer_put_byte(w, (char)c);
        return;
    }
    html_put(w, "<span class=\"escape\">");
    html_put(w, visible_escape(c, escape));
    html_put(w, "</span>");
}

void html_text(struct writer *w, struct span text, size_t max)
{
    struct span plain;
    uint32_t hidden;
    size_t begin = writer_pending(w);
    while (visible_next(&text, &plain, &hidden)) {
        if (!put_plain(w, plain, begin, max) ||
            (hidden != VISIBLE_NONE && max > 0 && writer_pending(w) - begin + 48 > max)) {
            html_put(w, "…");
            return;
        }
        if (hidden != VISIBLE_NONE) {
            put_hidden(w, hidden);
        }
    }
}

void html_attribute(struct writer *w, struct span text)
{
    struct span plain;
    uint32_t hidden;
    char escape[12];
    while (visible_next(&text, &plain, &hidden)) {
        put_plain(w, plain, 0, 0);
        if (hidden != VISIBLE_NONE) {
            html_put(w, visible_escape(hidden, escape));
        }
    }
}

static bool is_safe_in_path(unsigned char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
           c == '-' || c == '_' || c == '.' || c == '~';
}

void html_path(struct writer *w, struct span path)
{
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.at[i];
        if (is_safe_in_path(c)) {
            writer_put_byte(w, (char)c);
        } else {
            html_format(w, "%%%02X", c);
        }
    }
}
