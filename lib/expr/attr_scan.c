/* The letters of attribute expressions: where one ends, what a quoted string or a word is. */
#include "expr/attr_node.h"

#include <errno.h>
#include <stdlib.h>

static bool is_special(char c)
{
    return strchr("${}()[],:;/*' \t\r\n", c) != NULL; /* and NUL */
}

size_t attr_word_length(struct span text)
{
    size_t n = 0;
    while (n < text.len && !is_special(text.at[n])) {
        n++;
    }
    return n;
}

/* The offset of the quote that closes the one at FROM; 0 if there is none. */
static size_t end_of_quoted(struct span text, size_t from)
{
    for (size_t i = from + 1; i < text.len; i++) {
        if (text.at[i] == text.at[from]) {
            return i;
        }
        i += text.at[i] == '\\';
    }
    return 0;
}

/* Does a comment begin at I? Within a word '#' is a letter like others. */
static bool is_comment(struct span text, size_t i)
{
    return text.at[i] == '#' && (i == 0 || is_special(text.at[i - 1]) || text.at[i - 1] == '"');
}

size_t attr_find_end(struct span text, bool *open_quote)
{
    size_t open = 0;
    *open_quote = false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.at[i];
        if (c == '"' || c == '\'') {
            i = end_of_quoted(text, i);
            if (i == 0) {
                *open_quote = true;
                return 0;
            }
        } else if (c == '{') {
            open++;
        } else if (c == '}' && --open == 0) {
            return i;
        } else if (is_comment(text, i)) {
            while (i < text.len && text.at[i] != '\n') {
                i++;
            }
        }
    }
    return 0;
}

/* Add what the backslash at AT and the character behind it stand for. */
static void add_escape(char c, bool nifi, struct buf *out)
{
    switch (c) {
    case 'n':
        buf_add_byte(out, '\n');
        break;
    case 'r':
        buf_add_byte(out, '\r');
        break;
    case 't':
        buf_add_byte(out, '\t');
        break;
    case '\'':
    case '"':
        buf_add_byte(out, c);
        break;
    case '\\':
        buf_add_text(out, "\\\\");
        break;
    default: /* it stays, for it may belong to a regular expression */
        buf_add_text(out, nifi ? "\\" : "\\\\");
        buf_add_byte(out, c);
    }
}

size_t attr_unquote(struct span text, bool nifi, struct buf *out)
{
    size_t end = end_of_quoted(text, 0);
    for (size_t i = 1; i < end; i++) {
        if (text.at[i] == '\\') {
            add_escape(text.at[++i], nifi, out);
        } else {
            buf_add_byte(out, text.at[i]);
        }
    }
    return end > 0 ? end + 1 : 0;
}

size_t attr_single(char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        bool backslash = text[i] == '\\';
        if (!backslash || i + 1 < len) {
            text[n++] = text[i];
        }
        i += backslash && i + 1 < len && text[i + 1] == '\\';
    }
    return n;
}

/* Does TEXT consist of digits, points, signs and an exponent as a decimal number does? */
static bool is_decimal(const char *at)
{
    at += *at == '+' || *at == '-';
    size_t before = strspn(at, "0123456789");
    at += before;
    bool point = *at == '.';
    at += point;
    size_t after = point ? strspn(at, "0123456789") : 0;
    at += after;
    bool exponent = *at == 'e' || *at == 'E';
    if (exponent) {
        at++;
        at += *at == '+' || *at == '-';
        size_t digits = strspn(at, "0123456789");
        at += digits;
        exponent = digits > 0;
    }
    return *at == '\0' && before + after > 0 && (point || exponent);
}

static bool is_whole(const char *at)
{
    at += *at == '+' || *at == '-';
    if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
        return at[2] && at[2 + strspn(at + 2, "0123456789abcdefABCDEF")] == '\0';
    }
    return *at && at[strspn(at, "0123456789")] == '\0';
}

int attr_word_number(struct span word, struct datum *out)
{
    char text[64];
    bool digit_first = word.len > 0 && *word.at >= '0' && *word.at <= '9';
    if (word.len >= sizeof text || memchr(word.at, '\0', word.len)) {
        return digit_first ? -1 : 0;
    }
    memcpy(text, word.at, word.len);
    text[word.len] = '\0';
    errno = 0;
    if (is_whole(text)) {
        const char *digits = text + strspn(text, "+-");
        int base = digits[0] == '0' && (digits[1] | 0x20) == 'x' ? 16 : 10;
        *out = datum_whole(strtoll(text, NULL, base));
        return errno ? -1 : 1;
    }
    if (is_decimal(text)) {
        *out = datum_decimal(strtod(text, NULL));
        return 1;
    }
    return digit_first ? -1 : 0;
}
