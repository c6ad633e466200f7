/* The functions of expressions that code, hash and match. */
#include "expr/node.h"

#include "base/base64.h"
#include "base/buf.h"
#include "digest/digest.h"
#include "pattern/regex.h"
#include "json/text.h"

/* The text of argument I, which must be a string. */
static int want_text(const struct call *c, size_t i, struct span *text)
{
    if (!value_is(c->args[i], SCAN_STRING)) {
        return call_fail(c, "argument %zu must be a string, not %s", i + 1,
                         value_kind_name(c->args[i]));
    }
    *text = value_text(c->arena, c->args[i]);
    return 0;
}

static int to_base64(struct call *c, struct span *result)
{
    struct span text;
    if (want_text(c, 0, &text) < 0) {
        return -1;
    }
    struct buf b = {0};
    base64_encode(&b, text);
    *result = value_string(c->arena, buf_span(&b));
    buf_release(&b);
    return 0;
}

static int from_base64(struct call *c, struct span *result)
{
    struct span text;
    if (want_text(c, 0, &text) < 0) {
        return -1;
    }
    struct buf b = {0};
    size_t bad;
    bool valid = base64_decode(&b, text);
    bool utf8 = valid && text_is_utf8(buf_span(&b), &bad);
    if (utf8) {
        *result = value_string(c->arena, buf_span(&b));
    }
    buf_release(&b);
    return utf8 ? 0 : call_fail(c, valid ? "the bytes are no UTF-8" : "the string is no base64");
}

/* hash(text, algorithm): hexadecimal digits. */
static int hash(struct call *c, struct span *result)
{
    struct span text;
    struct span name;
    if (want_text(c, 0, &text) < 0 || want_text(c, 1, &name) < 0) {
        return -1;
    }
    const struct digest *d = digest_find(name);
    if (!d) {
        return call_fail(c, "'%.*s' is none of %s", (int)(name.len > 40 ? 40 : name.len), name.at,
                         digest_names());
    }
    struct buf b = {0};
    struct err e = {0};
    int rc = digest_hex(d, text, &b, &e);
    *result = value_string(c->arena, buf_span(&b));
    buf_release(&b);
    return rc < 0 ? call_fail(c, "%s", e.text) : 0;
}

/* regexMatchString(pattern, text): does the pattern match any part of the text? */
static int regex_match(struct call *c, struct span *result)
{
    struct span expression;
    struct span text;
    if (want_text(c, 0, &expression) < 0 || want_text(c, 1, &text) < 0) {
        return -1;
    }
    struct regex *p = NULL;
    struct err e = {0};
    int hit = regex_compile(&p, expression, REGEX_PART, &e);
    if (hit == 0) {
        hit = regex_matches(p, text, &e);
    }
    regex_free(p);
    *result = value_bool(hit == 1);
    return hit < 0 ? call_fail(c, "%s", e.text) : 0;
}

static const struct function functions[] = {
    {"fromBase64", 1, 1, from_base64},
    {"hash", 2, 2, hash},
    {"regexMatchString", 2, 2, regex_match},
    {"toBase64", 1, 1, to_base64},
    {"States.Base64Decode", 1, 1, from_base64},
    {"States.Base64Encode", 1, 1, to_base64},
    {"States.Hash", 2, 2, hash},
};

const struct function *function_find_coding(struct span name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (span_equal(span_text(functions[i].name), name)) {
            return &functions[i];
        }
    }
    return NULL;
}
