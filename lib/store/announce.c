#include "store/announce.h"

#include <string.h>

enum { DIGITS_MAX = 9 };

void announce_add(struct buf *out, struct span id)
{
    buf_add_u64(out, id.len);
    buf_add_byte(out, ':');
    buf_add_span(out, id);
    buf_add_byte(out, '\n');
}

/* The length at the front of S, and how many digits it has. False: there is none. */
static bool read_length(struct span s, size_t *len, size_t *digits)
{
    size_t n = 0;
    *len = 0;
    while (n < s.len && s.at[n] >= '0' && s.at[n] <= '9') {
        *len = *len * 10 + (size_t)(s.at[n++] - '0');
        if (n > DIGITS_MAX) {
            return false;
        }
    }
    *digits = n;
    return n == s.len || (n > 0 && *len > 0 && s.at[n] == ':');
}

bool announce_read(struct span text, void (*tell)(void *context, struct span id), void *context,
                   struct span *rest)
{
    for (*rest = text; rest->len > 0;) {
        size_t len, digits;
        if (!read_length(*rest, &len, &digits)) {
            return false;
        }
        if (rest->len < digits + 1 + len + 1) {
            return true;
        }
        const char *id = rest->at + digits + 1;
        if (id[len] != '\n') {
            return false;
        }
        tell(context, span_of(id, len));
        *rest = span_of(id + len + 1, rest->len - digits - len - 2);
    }
    return true;
}
