#include "source/key.h"

#include "json/text.h"

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Add to B what FIELD stands for. False: a '%' has no two hex digits. */
static bool decode(struct buf *b, struct span field)
{
    for (size_t i = 0; i < field.len; i++) {
        if (field.at[i] != '%') {
            buf_add_byte(b, field.at[i] == '+' ? ' ' : field.at[i]);
            continue;
        }
        int high = field.len - i > 2 ? hex_digit(field.at[i + 1]) : -1;
        int low = field.len - i > 2 ? hex_digit(field.at[i + 2]) : -1;
        if (high < 0 || low < 0) {
            return false;
        }
        buf_add_byte(b, (char)(high * 16 + low));
        i += 2;
    }
    return true;
}

/* Is FIELD already what it stands for? */
static bool is_clean(struct span field)
{
    return field.len == 0 ||
           (!memchr(field.at, '%', field.len) && !memchr(field.at, '+', field.len));
}

int key_put(struct writer *w, struct span field, struct err *e)
{
    size_t bad;
    struct buf b = {0};
    int rc = 0;
    if (is_clean(field)) {
        text_put(w, field);
        return 0;
    }
    if (!decode(&b, field)) {
        rc = err_set(e, ERR_DATA,
                     "the key is not URL-encoded, a %% has no two hex digits behind it"
                     " (--raw-keys keeps it as it is)");
    } else if (!text_is_utf8(buf_span(&b), &bad)) {
        rc = err_set(e, ERR_DATA,
                     "the key is not UTF-8 once it is decoded (--raw-keys keeps it as it is)");
    } else {
        text_put(w, buf_span(&b));
    }
    buf_release(&b);
    return rc;
}
