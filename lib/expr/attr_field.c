/* getDelimitedField: one field of a text with separators, quotes and escapes. */
#include "expr/attr_functions.h"

#include "expr/attr_utf16.h"

/* Characters with a meaning; each is a code point. */
struct dialect {
    uint32_t delimiter;
    uint32_t quote;
    uint32_t escape;
    bool strip; /* leave quotes and escapes out */
};

/* Argument I, if it is there, must be one character. */
static int character(struct attr_call *c, size_t i, uint32_t *out)
{
    struct span text;
    size_t len = 0;
    if (!attr_has_arg(c, i)) {
        return 0;
    }
    if (attr_arg_text(c, i, &text) < 0) {
        return -1;
    }
    if (text.len > 0) {
        *out = utf8_read(text.at, text.at + text.len, &len);
    }
    return text.len > 0 && len == text.len
               ? 0
               : attr_fail(c, "argument %zu must be one character", i + 1);
}

static int read_dialect(struct attr_call *c, struct dialect *d)
{
    struct datum strip;
    if (character(c, 1, &d->delimiter) < 0 || character(c, 2, &d->quote) < 0 ||
        character(c, 3, &d->escape) < 0 || attr_arg(c, 4, &strip) < 0) {
        return -1;
    }
    d->strip = datum_truth(&strip) == 1;
    if (d->delimiter == d->quote || d->quote == d->escape || d->escape == d->delimiter) {
        return attr_fail(c, "delimiter, quote and escape must be three characters");
    }
    return 0;
}

/* Add field INDEX, from 1, of TEXT to OUT. */
static void find_field(const struct dialect *d, struct span text, int64_t index, struct buf *out)
{
    const char *end = text.at + text.len;
    bool quoted = false;
    bool escaped = false;
    size_t len;
    for (const char *at = text.at; at < end && index >= 1; at += len) {
        uint32_t ch = utf8_read(at, end, &len);
        bool special = false;
        if (escaped) {
            escaped = false;
        } else if (ch == d->escape) {
            escaped = special = true;
        } else if (ch == d->quote) {
            quoted = !quoted;
            special = true;
        } else if (ch == d->delimiter && !quoted) {
            index--;
            continue;
        }
        if (index == 1 && !(special && d->strip)) {
            buf_add(out, at, len);
        }
    }
}

int attr_fn_delimited_field(struct attr_call *c, struct datum *v)
{
    struct span text = attr_subject(c, v);
    struct dialect d = {.delimiter = ',', .quote = '"', .escape = '\\'};
    int64_t index = 0;
    if (text.len == 0) {
        *v = datum_text(SPAN_LIT(""));
        return 0;
    }
    int is_number = attr_arg_whole(c, 0, &index);
    if (is_number < 0 || read_dialect(c, &d) < 0) {
        return -1;
    }
    if (is_number == 0) {
        return attr_fail(c, "the number of the field is no number");
    }
    find_field(&d, text, index, attr_buf(c));
    return attr_give(c, v);
}
