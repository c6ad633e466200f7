#include "signal/count.h"

#include "base/units.h"

int count_read(struct span text, const char *what, int64_t min, int64_t max, int64_t *out,
               struct err *e)
{
    if (units_integer(text, min, max, out, e) < 0) {
        if (e) {
            e->code = ERR_DATA;
        }
        err_prefix(e, "%s", what);
        return -1;
    }
    return 0;
}

/* The character of three bytes at the front of S, 0 if there is none. */
static uint32_t three_bytes(struct span s)
{
    const unsigned char *at = (const unsigned char *)s.at;
    if (s.len < 3 || (at[0] & 0xF0) != 0xE0 || (at[1] & 0xC0) != 0x80 || (at[2] & 0xC0) != 0x80) {
        return 0;
    }
    return (uint32_t)(at[0] & 0xF) << 12 | (uint32_t)(at[1] & 0x3F) << 6 | (at[2] & 0x3F);
}

/* The length of the white space at the front of S, 0 if that is something else. */
static size_t white_len(struct span s)
{
    if ((s.at[0] >= '\t' && s.at[0] <= '\r') || (s.at[0] >= 0x1C && s.at[0] <= ' ')) {
        return 1;
    }
    uint32_t c = three_bytes(s);
    bool white = c == 0x1680 || (c >= 0x2000 && c <= 0x200A && c != 0x2007) || c == 0x2028 ||
                 c == 0x2029 || c == 0x205F || c == 0x3000;
    return white ? 3 : 0;
}

bool id_is_blank(struct span id)
{
    while (id.len > 0) {
        size_t len = white_len(id);
        if (len == 0) {
            return false;
        }
        id = span_of(id.at + len, id.len - len);
    }
    return true;
}

int id_shown(struct span id)
{
    return id.len > 80 ? 80 : (int)id.len;
}
