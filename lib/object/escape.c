#include "object/escape.h"

#include <stdlib.h>

static bool is_unreserved(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

void escape_put(struct buf *out, struct span s, bool slashes)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.at[i];
        if (is_unreserved(s.at[i]) || (slashes && c == '/')) {
            buf_add_byte(out, s.at[i]);
        } else {
            char *to = buf_room(out, 3);
            to[0] = '%';
            to[1] = digits[c >> 4];
            to[2] = digits[c & 15];
            out->len += 3;
        }
    }
}

/* The value of a hexadecimal digit, -1 if C is none. */
static int digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

bool escape_undo(struct buf *out, struct span s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.at[i];
        if (c == '%') {
            int high = s.len - i > 2 ? digit(s.at[i + 1]) : -1;
            int low = s.len - i > 2 ? digit(s.at[i + 2]) : -1;
            if (high < 0 || low < 0) {
                return false;
            }
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+') {
            c = ' ';
        }
        buf_add_byte(out, c);
    }
    return true;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct escape_pair *)a)->name, ((const struct escape_pair *)b)->name);
}

void escape_query(struct buf *out, struct escape_pair *pairs, size_t count, bool bare)
{
    if (count > 1) {
        qsort(pairs, count, sizeof *pairs, by_name);
    }
    for (size_t i = 0; i < count; i++) {
        buf_add_text(out, i > 0 ? "&" : "");
        buf_add_text(out, pairs[i].name);
        if (pairs[i].value.len > 0 || !bare) {
            buf_add_byte(out, '=');
            escape_put(out, pairs[i].value, false);
        }
    }
}
