/* Functions that encode, digest and identify. */
#include "expr/attr_functions.h"

#include "base/base64.h"
#include "base/uuid.h"
#include "digest/digest.h"

/* The subject's text, or true for null: *V is null then, as it stays. */
static bool is_null(struct attr_call *c, const struct datum *v, struct span *text)
{
    *text = attr_subject(c, v);
    return !text->at;
}

int attr_fn_hash(struct attr_call *c, struct datum *v)
{
    struct span text;
    struct span name;
    struct err e = {0};
    if (is_null(c, v, &text)) {
        return 0;
    }
    if (attr_arg_text(c, 0, &name) < 0) {
        return -1;
    }
    const struct digest *d = name.at ? digest_find(name) : NULL;
    if (!d) {
        return attr_fail(c, "there is no such digest (%s)", digest_names());
    }
    if (digest_hex(d, text, attr_buf(c), &e) < 0) {
        return attr_fail(c, "%s", e.text);
    }
    return attr_give(c, v);
}

/* ---- application/x-www-form-urlencoded, as Java's URLEncoder has it ---- */

static bool stays(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '*' || c == '_';
}

int attr_fn_url_encode(struct attr_call *c, struct datum *v)
{
    static const char hex[] = "0123456789ABCDEF";
    struct span text;
    if (is_null(c, v, &text)) {
        return 0;
    }
    struct buf *b = attr_buf(c);
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.at[i];
        if (stays(text.at[i])) {
            buf_add_byte(b, text.at[i]);
        } else if (byte == ' ') {
            buf_add_byte(b, '+');
        } else {
            buf_add(b, (char[]){'%', hex[byte >> 4], hex[byte & 15]}, 3);
        }
    }
    return attr_give(c, v);
}

static int hex_digit(char c)
{
    char low = (char)(c | 0x20);
    return c >= '0' && c <= '9' ? c - '0' : low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

int attr_fn_url_decode(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (is_null(c, v, &text)) {
        return 0;
    }
    struct buf *b = attr_buf(c);
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] != '%') {
            buf_add_byte(b, text.at[i] == '+' ? ' ' : text.at[i]);
            continue;
        }
        int high = i + 2 < text.len ? hex_digit(text.at[i + 1]) : -1;
        int low = high >= 0 ? hex_digit(text.at[i + 2]) : -1;
        if (low < 0) {
            return attr_fail(c, "'%%' without two hexadecimal digits");
        }
        buf_add_byte(b, (char)(high << 4 | low));
        i += 2;
    }
    return attr_give_bytes(c, v);
}

int attr_fn_base64_encode(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (is_null(c, v, &text)) {
        return 0;
    }
    base64_encode(attr_buf(c), text);
    return attr_give(c, v);
}

int attr_fn_base64_decode(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (is_null(c, v, &text)) {
        return 0;
    }
    return base64_decode(attr_buf(c), text) ? attr_give_bytes(c, v) : attr_fail(c, "no base64");
}

/* ---- UUIDs ---- */

int attr_fn_uuid(struct attr_call *c, struct datum *v)
{
    char text[UUID_TEXT_MAX];
    uuid_make(text);
    *v = datum_text(arena_copy(c->run->arena, span_text(text)));
    return 0;
}

/* The 16 bytes of the UUID that TEXT is. */
static bool read_uuid(struct span text, char out[16])
{
    static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    size_t digits = 0;
    if (text.len != sizeof form - 1) {
        return false;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (form[i] == '-') {
            if (text.at[i] != '-') {
                return false;
            }
            continue;
        }
        int digit = hex_digit(text.at[i]);
        if (digit < 0) {
            return false;
        }
        size_t at = digits++ / 2;
        out[at] = (char)(digits % 2 == 1 ? digit << 4 : out[at] | digit);
    }
    return true;
}

/* A UUID of VERSION made of the digest of a namespace and a name (RFC 9562, 5.3 and 5.5). */
static int name_based(struct attr_call *c, const char *algorithm, int version, struct datum *v)
{
    struct span name;
    struct span space;
    char bytes[16];
    unsigned char hash[DIGEST_BYTES_MAX];
    size_t len;
    struct err e = {0};
    if (is_null(c, v, &name)) {
        return 0;
    }
    if (attr_arg_text(c, 0, &space) < 0) {
        return -1;
    }
    if (!read_uuid(space, bytes)) {
        return attr_fail(c, "the namespace must be a UUID");
    }
    struct buf *b = attr_buf(c);
    buf_add(b, bytes, sizeof bytes);
    buf_add_span(b, name);
    if (digest_bytes(digest_find(span_text(algorithm)), buf_span(b), hash, &len, &e) < 0) {
        return attr_fail(c, "%s", e.text);
    }
    hash[6] = (unsigned char)((hash[6] & 0x0F) | version << 4);
    hash[8] = (unsigned char)((hash[8] & 0x3F) | 0x80);
    buf_reset(b);
    for (int i = 0; i < 16; i++) {
        buf_printf(b, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", hash[i]);
    }
    return attr_give(c, v);
}

int attr_fn_uuid3(struct attr_call *c, struct datum *v)
{
    return name_based(c, "MD5", 3, v);
}

int attr_fn_uuid5(struct attr_call *c, struct datum *v)
{
    return name_based(c, "SHA-1", 5, v);
}
