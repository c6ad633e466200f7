#include "base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(struct buf *out, struct span data)
{
    for (size_t i = 0; i < data.len; i += 3) {
        size_t left = data.len - i;
        unsigned n = (unsigned)(unsigned char)data.at[i] << 16;
        n |= left > 1 ? (unsigned)(unsigned char)data.at[i + 1] << 8 : 0;
        n |= left > 2 ? (unsigned)(unsigned char)data.at[i + 2] : 0;
        char *to = buf_room(out, 4);
        to[0] = alphabet[n >> 18];
        to[1] = alphabet[n >> 12 & 63];
        to[2] = left > 1 ? alphabet[n >> 6 & 63] : '=';
        to[3] = left > 2 ? alphabet[n & 63] : '=';
        out->len += 4;
    }
}

bool base64_decode(struct buf *out, struct span text)
{
    unsigned bits = 0;
    int have = 0;
    size_t end = text.len;
    for (int padding = 0; padding < 2 && end > 0 && text.at[end - 1] == '='; padding++) {
        end--;
    }
    if (end % 4 == 1 || (end < text.len && text.len % 4 != 0)) {
        return false;
    }
    for (size_t i = 0; i < end; i++) {
        const char *hit = text.at[i] ? strchr(alphabet, text.at[i]) : NULL;
        if (!hit) {
            return false;
        }
        bits = bits << 6 | (unsigned)(hit - alphabet);
        have += 6;
        if (have >= 8) {
            have -= 8;
            buf_add_byte(out, (char)(bits >> have & 0xFF));
        }
    }
    return (bits & ((1U << have) - 1)) == 0;
}
