#include "base/err.h"

#include "base/mem.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_control(char c)
{
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Is byte AT of TEXT within a character that begins before it? */
static bool within_character(const char *text, size_t at)
{
    return ((unsigned char)text[at] & 0xC0) == 0x80;
}

/* Where the character begins that byte AT of TEXT belongs to. */
static size_t character_start(const char *text, size_t at)
{
    while (at > 0 && within_character(text, at)) {
        at--;
    }
    return at;
}

static const char dots[] = "...";
enum { DOTS = sizeof dots - 1 };

/*
 * Make LEN bytes at TEXT at most MAX by putting "..." in place of what stands in the middle, so
 * that nobody takes them for whole: the end, where the reason is, says more.  Returns their number.
 */
static size_t shorten(char *text, size_t len, size_t max)
{
    if (len <= max) {
        return len;
    }
    size_t head = character_start(text, max * 2 / 3);
    size_t tail = len - (max - DOTS - head);
    while (tail < len && within_character(text, tail)) {
        tail++;
    }
    memcpy(text + head, dots, DOTS);
    memmove(text + head + DOTS, text + tail, len - tail);
    return head + DOTS + (len - tail);
}

/* Shorten each long word of the C string TEXT of LEN bytes. Returns its new length. */
static size_t shorten_words(char *text, size_t len)
{
    size_t kept = 0;
    for (size_t at = 0; at < len;) {
        const char *blank = memchr(text + at, ' ', len - at);
        size_t word = blank ? (size_t)(blank - text) - at : len - at;
        size_t shown = shorten(text + at, word, ERR_WORD_MAX);
        memmove(text + kept, text + at, shown);
        kept += shown;
        at += word;
        if (at < len) {
            text[kept++] = text[at++];
        }
    }
    text[kept] = '\0';
    return kept;
}

/* Write the text at OUT, shortened where it is too long. */
static void put_text(char *out, size_t size, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(out, size, format, args);
    size_t len = n > 0 ? (size_t)n : 0;
    if (len >= size) {
        char *whole = mem_new(len + 1, 1);
        vsnprintf(whole, len + 1, format, again);
        len = shorten(whole, shorten_words(whole, len), size - 1);
        memcpy(out, whole, len);
        out[len] = '\0';
        free(whole);
    } else if (len > ERR_WORD_MAX) {
        shorten_words(out, len);
    }
    va_end(again);
}

int err_set_list(struct err *e, enum err_code code, const char *format, va_list args)
{
    if (!e) {
        return -1;
    }
    char text[ERR_TEXT_MAX]; /* the arguments may point into E itself */
    put_text(text, sizeof text, format, args);
    memset(&e->pos, 0, sizeof e->pos);
    e->quote[0] = '\0';
    e->code = code;
    memcpy(e->text, text, sizeof text);
    return -1;
}

int err_set(struct err *e, enum err_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    err_set_list(e, code, format, args);
    va_end(args);
    return -1;
}

int err_system(struct err *e, int number, const char *format, ...)
{
    if (!e) {
        return -1;
    }
    char text[ERR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    put_text(text, sizeof text, format, args);
    va_end(args);
    return err_set(e, number == EPIPE ? ERR_PIPE : ERR_IO, "%s: %s", text, strerror(number));
}

void err_at(struct err *e, const struct err_pos *pos)
{
    if (e) {
        e->pos = *pos;
    }
}

size_t err_character(const char *text, size_t at)
{
    size_t n = 1;
    for (size_t i = 0; i < at; i++) {
        n += !within_character(text, i);
    }
    return n;
}

struct err_shown err_show(const char *text, size_t len, size_t at)
{
    struct err_shown shown = {0};
    size_t from = 0, to = len;
    at = at < len ? at : len;
    if (len > ERR_SHOWN_MAX) { /* a third of it behind the fault, more if there is less before */
        size_t ahead = ERR_SHOWN_MAX * 2 / 3;
        to = at > ahead ? at - ahead + ERR_SHOWN_MAX : ERR_SHOWN_MAX;
        to = to < len ? character_start(text, to) : len;
        from = at > ahead ? character_start(text, to - ERR_SHOWN_MAX + 3) : 0;
    }
    size_t before = from > 0 ? DOTS : 0;
    memcpy(shown.text, dots, before);
    memcpy(shown.text + before, text + from, to - from);
    memcpy(shown.text + before + (to - from), dots, to < len ? DOTS : 0);
    shown.at = before + (at > from ? at - from : 0);
    return shown;
}

void err_quote(struct err *e, const char *text, size_t len, size_t at)
{
    if (!e || memchr(text, '\n', len)) {
        return;
    }
    struct err_shown shown = err_show(text, len, at);
    size_t i = 0;
    for (; shown.text[i]; i++) {
        e->quote[i] = is_control(shown.text[i]) ? '?' : shown.text[i];
    }
    e->quote[i] = '\0';
    e->quote_at = shown.at < i ? shown.at : i;
}

void err_prefix(struct err *e, const char *format, ...)
{
    if (!e) {
        return;
    }
    char prefix[ERR_TEXT_MAX];
    va_list args;
    va_start(args, format);
    put_text(prefix, sizeof prefix, format, args);
    va_end(args);
    struct err before = *e;
    err_set(e, e->code, "%s: %s", prefix, before.text);
    e->pos = before.pos;
    memcpy(e->quote, before.quote, sizeof e->quote);
}

void err_pos_source(struct err_pos *pos, const char *name)
{
    size_t len = strlen(name);
    if (len < sizeof pos->source) {
        memcpy(pos->source, name, len + 1);
        return;
    }
    size_t keep = sizeof pos->source - 4;
    memcpy(pos->source, "...", 3);
    memcpy(pos->source + 3, name + len - keep, keep + 1);
}

char *err_message(const struct err *e, char *out, size_t size)
{
    const struct err_pos *p = &e->pos;
    if (p->line == 0) {
        snprintf(out, size, "%s", e->text);
    } else if (p->item == 0) {
        snprintf(out, size, "%s:%llu:%llu (byte %llu): %s", p->source, (unsigned long long)p->line,
                 (unsigned long long)p->column, (unsigned long long)p->byte, e->text);
    } else {
        snprintf(out, size, "%s:%llu:%llu (byte %llu, item %llu): %s", p->source,
                 (unsigned long long)p->line, (unsigned long long)p->column,
                 (unsigned long long)p->byte, (unsigned long long)p->item, e->text);
    }
    for (char *c = out; *c; c++) {
        bool c1 = (unsigned char)c[0] == 0xC2 && (unsigned char)c[1] >= 0x80 &&
                  (unsigned char)c[1] < 0xA0;
        if (c1) { /* U+0080 to U+009F control terminals as well */
            *c++ = '?';
        }
        if (c1 || is_control(*c)) {
            *c = '?';
        }
    }
    return out;
}
