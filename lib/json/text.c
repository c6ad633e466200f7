#include "json/text.h"

#include "json/scan.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { SHORT_TEXT = 16 * 1024 }; /* bytes */

static unsigned hex4(const char *at)
{
    unsigned n = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        n = n * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return n;
}

static void add_utf8(struct buf *b, unsigned c)
{
    char *out = buf_room(b, 4);
    if (c < 0x80) {
        out[0] = (char)c;
        b->len += 1;
    } else if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        b->len += 2;
    } else if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        b->len += 3;
    } else {
        out[0] = (char)(0xF0 | c >> 18);
        out[1] = (char)(0x80 | (c >> 12 & 0x3F));
        out[2] = (char)(0x80 | (c >> 6 & 0x3F));
        out[3] = (char)(0x80 | (c & 0x3F));
        b->len += 4;
    }
}

/* The \u escape whose digits begin at AT, with a second half where it has one. Returns behind it.
 */
static const char *decode_u(struct buf *b, const char *at, const char *end)
{
    unsigned c = hex4(at);
    at += 4;
    if (c >= 0xD800 && c <= 0xDBFF && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        unsigned low = hex4(at + 2);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            add_utf8(b, 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00));
            return at + 6;
        }
    }
    add_utf8(b, c >= 0xD800 && c <= 0xDFFF ? 0xFFFD : c);
    return at;
}

static char decode_letter(char c)
{
    static const char letters[] = "bfnrt";
    static const char controls[] = "\b\f\n\r\t";
    const char *hit = strchr(letters, c);
    return hit ? controls[hit - letters] : c;
}

void text_decode(struct buf *b, struct span string)
{
    const char *at = string.at + 1;
    const char *end = string.at + string.len - 1;
    while (at < end) {
        const char *hit = memchr(at, '\\', (size_t)(end - at));
        if (!hit || end - hit < 2) {
            buf_add(b, at, (size_t)(end - at));
            return;
        }
        buf_add(b, at, (size_t)(hit - at));
        if (hit[1] != 'u') {
            buf_add_byte(b, decode_letter(hit[1]));
            at = hit + 2;
        } else if (end - hit >= 6) {
            at = decode_u(b, hit + 2, end);
        } else {
            return;
        }
    }
}

/* The escape for C, which needs one; returns its length. */
static size_t escape(unsigned char c, char out[6])
{
    static const char short_form[0x20] = {
        ['\b'] = 'b', ['\f'] = 'f', ['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    static const char hex[] = "0123456789abcdef";
    out[0] = '\\';
    if (c == '"' || c == '\\') {
        out[1] = (char)c;
        return 2;
    }
    if (short_form[c]) {
        out[1] = short_form[c];
        return 2;
    }
    memcpy(out + 1, "u00", 3);
    out[4] = hex[c >> 4];
    out[5] = hex[c & 15];
    return 6;
}

static bool needs_escape(unsigned char c)
{
    return c < 0x20 || c == '"' || c == '\\';
}

#ifdef __SSE2__
/* A bit for each byte of V that needs an escape. */
static unsigned escape_mask(__m128i v)
{
    const __m128i control = _mm_set1_epi8(0x1F);
    __m128i hit =
        _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    hit = _mm_or_si128(hit, _mm_cmpeq_epi8(_mm_min_epu8(v, control), v));
    return (unsigned)_mm_movemask_epi8(hit);
}
#endif

/*
 * Write TEXT escaped, without quotes, at OUT, which has room for it; returns its end.  What is left
 * of TEXT takes at least as many bytes as it has, so 16 bytes may be written while it has 16.
 */
static char *encode(char *out, struct span text)
{
    const char *at = text.at;
    const char *end = text.at + text.len;
#ifdef __SSE2__
    while (end - at >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)at);
        unsigned mask = escape_mask(v);
        int plain = mask ? __builtin_ctz(mask) : 16;
        _mm_storeu_si128((__m128i *)(void *)out, v);
        at += plain;
        out += plain;
        if (mask) {
            out += escape((unsigned char)*at++, out);
        }
    }
#endif
    while (at < end) {
        unsigned char c = (unsigned char)*at++;
        if (needs_escape(c)) {
            out += escape(c, out);
        } else {
            *out++ = (char)c;
        }
    }
    return out;
}

/*
 * Room that TEXT surely fits into, with quotes and escapes.  To look for escapes twice takes time,
 * so for short texts it is the worst case.
 */
static size_t encoded_room(struct span text)
{
    size_t size = text.len + 2;
    char scratch[6];
    if (text.len <= SHORT_TEXT) {
        return text.len * 6 + 2;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (needs_escape((unsigned char)text.at[i])) {
            size += escape((unsigned char)text.at[i], scratch) - 1;
        }
    }
    return size;
}

/* Write TEXT with quotes and escapes at OUT, which has encoded_room; returns its length. */
static size_t encode_string(char *out, struct span text)
{
    char *end = encode(out + 1, text);
    *out = '"';
    *end = '"';
    return (size_t)(end + 1 - out);
}

void text_encode(struct buf *b, struct span text)
{
    char *out = buf_room(b, encoded_room(text));
    b->len += encode_string(out, text);
}

void text_put(struct writer *w, struct span text)
{
    char *out = writer_room(w, encoded_room(text));
    writer_advance(w, encode_string(out, text));
}

/* Length of the valid UTF-8 sequence at AT, 0 if there is none. */
static size_t sequence(const unsigned char *at, size_t left)
{
    unsigned char c = at[0];
    size_t len = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;
    if (len == 0 || len > left) {
        return 0;
    }
    unsigned char low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    unsigned char high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    for (size_t i = 1; i < len; i++) {
        if (at[i] < low || at[i] > high) {
            return 0;
        }
        low = 0x80;
        high = 0xBF;
    }
    return len;
}

/* The first byte at or behind AT that is not part of valid UTF-8; END if there is none. */
static const char *find_invalid(const char *at, const char *end)
{
    while (at < end) {
        size_t len = sequence((const unsigned char *)at, (size_t)(end - at));
        if (len == 0) {
            break;
        }
        at = len == 1 ? scan_plain_simd(at + 1, end) : at + len;
    }
    return at;
}

bool text_is_utf8(struct span text, size_t *bad)
{
    const char *hit = find_invalid(text.at, text.at + text.len);
    *bad = (size_t)(hit - text.at);
    return *bad == text.len;
}

void text_encode_lossy(struct buf *b, struct span text)
{
    const char *at = text.at;
    const char *end = text.at + text.len;
    struct buf clean = {0};
    while (at < end) {
        const char *hit = find_invalid(at, end);
        buf_add(&clean, at, (size_t)(hit - at));
        at = hit;
        if (at < end) {
            buf_add(&clean, "\xEF\xBF\xBD", 3);
            at++;
        }
    }
    text_encode(b, buf_span(&clean));
    buf_release(&clean);
}
