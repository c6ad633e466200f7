#include "pattern/java.h"

#include <stdbool.h>
#include <string.h>

struct state {
    const char *at;
    const char *end;
    struct buf *out;
    size_t groups; /* capturing groups opened so far */
    bool in_class;
    const char *fault; /* what is refused; at: where */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t left(const struct state *s)
{
    return (size_t)(s->end - s->at);
}

static bool next_is(const struct state *s, const char *text)
{
    size_t len = strlen(text);
    return left(s) >= len && memcmp(s->at, text, len) == 0;
}

static void copy(struct state *s, size_t len)
{
    buf_add(s->out, s->at, len);
    s->at += len;
}

static void refuse(struct state *s, const char *what)
{
    s->fault = what;
}

/* The four hexadecimal digits at AT; -1 if they are not there. */
static int hex4(const char *at, const char *end)
{
    int n = 0;
    for (int i = 0; i < 4; i++, at++) {
        if (at == end) {
            return -1;
        }
        char low = (char)(*at | 0x20);
        if (is_digit(*at)) {
            n = n * 16 + (*at - '0');
        } else if (low >= 'a' && low <= 'f') {
            n = n * 16 + (low - 'a' + 10);
        } else {
            return -1;
        }
    }
    return n;
}

/* \uXXXX; the two halves of a surrogate pair are one character. */
static void unicode_escape(struct state *s)
{
    int c = hex4(s->at + 2, s->end);
    if (c < 0) {
        refuse(s, "\\u wants four hexadecimal digits");
        return;
    }
    s->at += 6;
    if (c >= 0xD800 && c <= 0xDBFF && next_is(s, "\\u")) {
        int low = hex4(s->at + 2, s->end);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
            s->at += 6;
        }
    }
    buf_printf(s->out, "\\x{%x}", (unsigned)c);
}

/* \0n, \0nn, \0mnn with m up to 3 */
static void octal_escape(struct state *s)
{
    const char *digits = s->at + 2;
    size_t max = digits < s->end && *digits <= '3' ? 3 : 2;
    size_t n = 0;
    while (n < max && digits + n < s->end && digits[n] >= '0' && digits[n] <= '7') {
        n++;
    }
    if (n == 0) {
        refuse(s, "\\0 wants octal digits");
        return;
    }
    buf_add_text(s->out, "\\o{");
    buf_add(s->out, digits, n);
    buf_add_byte(s->out, '}');
    s->at += 2 + n;
}

/* The number of a group: as many digits as there are groups for. */
static void back_reference(struct state *s)
{
    size_t n = (size_t)(s->at[1] - '0');
    s->at += 2;
    while (s->at < s->end && is_digit(*s->at) && n * 10 + (size_t)(*s->at - '0') <= s->groups) {
        n = n * 10 + (size_t)(*s->at++ - '0');
    }
    buf_printf(s->out, "\\g{%zu}", n);
}

/* \p{Alpha} and the like are POSIX classes over ASCII; "Is" before other names is Java's own. */
static void property(struct state *s)
{
    static const struct {
        const char *java;
        const char *posix;
    } classes[] = {
        {"Lower", "lower"}, {"Upper", "upper"}, {"ASCII", "ascii"}, {"Alpha", "alpha"},
        {"Digit", "digit"}, {"Alnum", "alnum"}, {"Punct", "punct"}, {"Graph", "graph"},
        {"Print", "print"}, {"Blank", "blank"}, {"Cntrl", "cntrl"}, {"XDigit", "xdigit"},
        {"Space", "space"},
    };
    const char *close = left(s) > 2 && s->at[2] == '{' ? memchr(s->at, '}', left(s)) : NULL;
    if (!close) {
        copy(s, 2);
        return;
    }
    bool not = s->at[1] == 'P';
    struct span name = span_of(s->at + 3, (size_t)(close - s->at) - 3);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        if (span_equal(name, span_text(classes[i].java))) {
            buf_printf(s->out, s->in_class ? "[:%s%s:]" : "[[:%s%s:]]", not ? "^" : "",
                       classes[i].posix);
            s->at = close + 1;
            return;
        }
    }
    size_t is = name.len > 2 && memcmp(name.at, "Is", 2) == 0 ? 2 : 0;
    copy(s, 3);
    s->at += is;
    copy(s, (size_t)(close - s->at) + 1);
}

/* \Q…\E, or to the end of the text */
static void quotation(struct state *s)
{
    const char *stop = memmem(s->at, left(s), "\\E", 2);
    copy(s, stop ? (size_t)(stop - s->at) + 2 : left(s));
}

static void escape(struct state *s)
{
    static const char known[] = "aefnrtxcdDsSwWhHvV";
    static const char known_outside[] = "RbBAGZzkX";
    char c = left(s) > 1 ? s->at[1] : '\\';
    if (c == 'u') {
        unicode_escape(s);
    } else if (c == '0') {
        octal_escape(s);
    } else if (is_digit(c)) {
        if (s->in_class) {
            refuse(s, "there is no group in a class");
        } else {
            back_reference(s);
        }
    } else if (c == 'p' || c == 'P') {
        property(s);
    } else if (c == 'Q') {
        quotation(s);
    } else if (is_letter(c) && !strchr(known, c) && (s->in_class || !strchr(known_outside, c))) {
        refuse(s, "unknown escape");
    } else {
        copy(s, left(s) > 1 ? 2 : 1);
    }
}

/* What stands between "(?" and ')' or ':', where it is flags. 'u' is always on here. */
static void flags(struct state *s)
{
    const char *stop = s->at + 2;
    while (stop < s->end && strchr("imsxu-", *stop) && *stop) {
        stop++;
    }
    if (stop == s->end || (*stop != ')' && *stop != ':')) {
        refuse(s, "unknown kind of group or flag");
        return;
    }
    buf_add_text(s->out, "(?");
    size_t before = s->out->len;
    for (s->at += 2; s->at < stop; s->at++) {
        if (*s->at != 'u') {
            buf_add_byte(s->out, *s->at);
        }
    }
    if (s->out->len == before && *stop == ')') {
        buf_add_byte(s->out, ':'); /* (?u) alone: an empty group */
    }
}

static void open_group(struct state *s)
{
    if (next_is(s, "(*")) {
        refuse(s, "nothing to repeat");
    } else if (!next_is(s, "(?")) {
        s->groups++;
        copy(s, 1);
    } else if (next_is(s, "(?:") || next_is(s, "(?=") || next_is(s, "(?!") || next_is(s, "(?>")) {
        copy(s, 3);
    } else if (next_is(s, "(?<=") || next_is(s, "(?<!")) {
        copy(s, 4);
    } else if (next_is(s, "(?<") && left(s) > 3 && is_letter(s->at[3])) {
        s->groups++;
        copy(s, 3);
    } else {
        flags(s);
    }
}

/* '[', an optional '^', and a ']' that stands first and is then meant literally */
static void open_class(struct state *s)
{
    s->in_class = true;
    copy(s, 1);
    if (next_is(s, "^")) {
        copy(s, 1);
    }
    if (next_is(s, "]")) {
        buf_add_byte(s->out, '\\');
        copy(s, 1);
    }
}

static void class_character(struct state *s)
{
    if (next_is(s, "[")) {
        refuse(s, "classes within classes are not offered");
    } else if (next_is(s, "&&")) {
        refuse(s, "intersections of classes are not offered");
    } else {
        s->in_class = *s->at != ']';
        copy(s, 1);
    }
}

const char *java_translate(struct span text, struct buf *out, size_t *at)
{
    struct state s = {.at = text.at, .end = text.at + text.len, .out = out};
    while (s.at < s.end && !s.fault) {
        if (*s.at == '\\') {
            escape(&s);
        } else if (s.in_class) {
            class_character(&s);
        } else if (*s.at == '[') {
            open_class(&s);
        } else if (*s.at == '(') {
            open_group(&s);
        } else {
            copy(&s, 1);
        }
    }
    *at = (size_t)(s.at - text.at);
    return s.fault;
}
