/*
 * A text by the scanner and by jansson: they agree whether it is JSON, or one of the rules below
 * says why not.  Each is a limit of jansson or a choice that RFC 8259 leaves; there is no other.
 */
#include "json/scan.h"

#include "base/span.h"

#include <assert.h>
#include <ctype.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* jansson keeps integers in 64 bits and other numbers in a double, and refuses larger ones. */
static bool has_large_number(struct span t)
{
    size_t digits = 0;
    for (size_t i = 0; i < t.len; i++) {
        digits = isdigit((unsigned char)t.at[i]) ? digits + 1 : 0;
        if (digits >= 19 ||
            ((t.at[i] == 'e' || t.at[i] == 'E') && i > 0 && isdigit((unsigned char)t.at[i - 1]))) {
            return true;
        }
    }
    return false;
}

/* jansson has strings in UTF-8, where half a surrogate pair has no place. */
static bool has_surrogate(struct span t)
{
    for (size_t i = 0; i + 6 <= t.len; i++) {
        if (strncasecmp(t.at + i, "\\ud", 3) == 0 && strchr("89abcdefABCDEF", t.at[i + 3])) {
            return true;
        }
    }
    return false;
}

/* jansson has names as C strings. */
static bool has_nul_escape(struct span t)
{
    return t.len > 0 && memmem(t.at, t.len, "\\u0000", 6);
}

/* jansson recurses, at most 2048 containers deep. */
static bool is_deep(struct span t)
{
    size_t depth = 0, deepest = 0;
    for (size_t i = 0; i < t.len; i++) {
        depth += t.at[i] == '[' || t.at[i] == '{';
        depth -= depth > 0 && (t.at[i] == ']' || t.at[i] == '}');
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest >= 2048;
}

/* May jansson refuse the valid TEXT, with the error CODE? */
static bool may_refuse(struct span text, enum json_error_code code)
{
    switch (code) {
    case json_error_numeric_overflow:
        return has_large_number(text);
    case json_error_null_byte_in_key:
        return has_nul_escape(text);
    case json_error_stack_overflow:
        return is_deep(text);
    case json_error_invalid_syntax:
        return has_surrogate(text);
    default:
        return false;
    }
}

/*
 * jansson puts the byte behind a number or a literal back into a buffer in which a NUL means that
 * it is empty; so it overlooks a NUL there.
 */
static bool may_take(struct scan *s, struct span text)
{
    char *copy = malloc(text.len);
    assert(copy);
    for (size_t i = 0; i < text.len; i++) {
        bool lost = i > 0 && text.at[i] == '\0' && isalnum((unsigned char)text.at[i - 1]);
        copy[i] = lost ? ' ' : text.at[i];
    }
    bool valid = scan_check(s, copy, text.len) == 0;
    free(copy);
    return valid;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct scan s;
    json_error_t error;
    char *copy = malloc(size ? size : 1);
    assert(copy);
    memcpy(copy, data ? (const void *)data : "", size);
    struct span text = span_of(copy, size);
    scan_init(&s, SCAN_DEPTH_DEFAULT);
    bool ours = scan_check(&s, text.at, text.len) == 0;
    json_t *value = json_loadb(text.at, text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (ours && !value) {
        assert(may_refuse(text, json_error_code(&error)));
    } else if (!ours && value) {
        assert(may_take(&s, text));
    }
    json_decref(value);
    scan_release(&s);
    free(copy);
    return 0;
}
