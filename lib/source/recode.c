#include "source/recode.h"

#include "base/mem.h"
#include "json/text.h"

#include <stdlib.h>
#include <string.h>

enum { SWELL = 3 }; /* most bytes that come of one */

struct recoded {
    struct reader raw;
    enum recode how;
};

/* TEXT, all of Latin-1, at OUT; returns its end. */
static char *put_latin1(char *out, struct span text)
{
    for (const char *at = text.at, *end = at + text.len; at < end; at++) {
        unsigned char c = (unsigned char)*at;
        if (c < 0x80) {
            *out++ = (char)c;
        } else {
            *out++ = (char)(0xC0 | c >> 6);
            *out++ = (char)(0x80 | (c & 0x3F));
        }
    }
    return out;
}

/*
 * Could TEXT, which is no valid UTF-8, be the beginning of a sequence?  Whether it is does not
 * matter: then it is looked at again with what follows.
 */
static bool may_go_on(struct span text)
{
    unsigned char c = (unsigned char)text.at[0];
    size_t len = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC2 ? 2 : 0;
    return text.len < len;
}

/* TEXT at OUT, its invalid bytes replaced, up to *USED; returns its end. */
static char *put_valid(char *out, struct span text, bool at_end, size_t *used)
{
    size_t at = 0;
    while (at < text.len) {
        size_t good;
        struct span rest = span_of(text.at + at, text.len - at);
        text_is_utf8(rest, &good);
        memcpy(out, rest.at, good);
        out += good;
        at += good;
        rest = span_of(text.at + at, text.len - at);
        if (rest.len == 0 || (!at_end && may_go_on(rest))) {
            break;
        }
        memcpy(out, "\xEF\xBF\xBD", 3);
        out += 3;
        at++;
    }
    *used = at;
    return out;
}

/* Recode what is there, as far as it can be told and CAP bytes hold; returns how many came out. */
static size_t recode_some(struct recoded *c, char *at, size_t cap)
{
    struct span text = reader_bytes(&c->raw);
    size_t most = cap / SWELL;
    bool at_end = c->raw.at_end && text.len <= most;
    text.len = text.len < most ? text.len : most;
    if (text.len == 0) {
        return 0;
    }
    size_t used = text.len;
    char *end = c->how == RECODE_LATIN1 ? put_latin1(at, text) : put_valid(at, text, at_end, &used);
    reader_take(&c->raw, used);
    return (size_t)(end - at);
}

static ssize_t read_recoded(struct reader *r, char *at, size_t cap, struct err *e)
{
    struct recoded *c = r->state;
    for (;;) {
        size_t n = recode_some(c, at, cap);
        if (n > 0) {
            return (ssize_t)n;
        }
        int got = reader_fill(&c->raw, e);
        if (got < 0 || (got == 0 && reader_bytes(&c->raw).len == 0)) {
            return got;
        }
    }
}

static void release(void *state)
{
    struct recoded *c = state;
    reader_release(&c->raw);
    free(c);
}

static const struct reader_source recoded = {.read = read_recoded, .release = release};

void recode_reader(struct reader *r, enum recode how)
{
    struct recoded *c = mem_new(1, sizeof *c);
    *c = (struct recoded){.raw = *r, .how = how};
    reader_init_source(r, &recoded, c, c->raw.name, c->raw.tied);
}
