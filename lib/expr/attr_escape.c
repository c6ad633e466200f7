/* Functions for JSON, XML and CSV in texts. */
#include "expr/attr_functions.h"

#include "expr/attr_utf16.h"
#include "expr/path.h"
#include "json/scan.h"
#include "json/text.h"
#include "json/walk.h"

/* The subject's text, or true for null, of which the result is empty. */
static bool is_null(struct attr_call *c, struct datum *v, struct span *text)
{
    *text = attr_subject(c, v);
    if (!text->at) {
        *v = datum_text(SPAN_LIT(""));
    }
    return !text->at;
}

/* ---- JSON ---- */

/* One UTF-16 unit; hexadecimal digits are capital. */
static void add_unit(struct buf *b, uint32_t unit)
{
    buf_printf(b, "\\u%04X", unit);
}

/* All but printable ASCII is escaped, and '/' too. */
static void escape_character(struct buf *b, uint32_t ch)
{
    static const char plain[] = "\"\\/\b\n\t\f\r";
    static const char letters[] = "\"\\/bntfr";
    const char *hit = ch > 0 && ch < 0x80 ? strchr(plain, (int)ch) : NULL;
    if (hit) {
        buf_add(b, (char[]){'\\', letters[hit - plain]}, 2);
    } else if (ch >= 0x20 && ch <= 0x7F) {
        buf_add_byte(b, (char)ch);
    } else if (ch <= 0xFFFF) {
        add_unit(b, ch);
    } else {
        add_unit(b, 0xD800 + ((ch - 0x10000) >> 10));
        add_unit(b, 0xDC00 + ((ch - 0x10000) & 0x3FF));
    }
}

int attr_fn_escape_json(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (is_null(c, v, &text)) {
        return 0;
    }
    struct buf *b = attr_buf(c);
    const char *end = text.at + text.len;
    size_t len;
    for (const char *at = text.at; at < end; at += len) {
        escape_character(b, utf8_read(at, end, &len));
    }
    return attr_give(c, v);
}

/* The value of COUNT hexadecimal digits at AT; -1 if they are not there. */
static int32_t read_hex(const char *at, const char *end, int count)
{
    int32_t n = 0;
    for (; count > 0; count--, at++) {
        char low = (char)(at < end ? *at | 0x20 : 0);
        bool letter = low >= 'a' && low <= 'f';
        if (at >= end || !(letter || (*at >= '0' && *at <= '9'))) {
            return -1;
        }
        n = n * 16 + (letter ? low - 'a' + 10 : *at - '0');
    }
    return n;
}

/* The \u escape at *AT; a pair of surrogates is one character, a lone one U+FFFD. */
static bool unescape_unit(struct buf *b, const char **at, const char *end)
{
    int32_t unit = read_hex(*at + 2, end, 4);
    if (unit < 0) {
        return false;
    }
    *at += 6;
    if (unit < 0xD800 || unit > 0xDFFF) {
        utf8_add(b, (uint32_t)unit);
        return true;
    }
    int32_t low = end - *at >= 6 && memcmp(*at, "\\u", 2) == 0 ? read_hex(*at + 2, end, 4) : -1;
    if (unit <= 0xDBFF && low >= 0xDC00 && low <= 0xDFFF) {
        utf8_add(b, 0x10000 + ((uint32_t)(unit - 0xD800) << 10) + (uint32_t)(low - 0xDC00));
        *at += 6;
    } else {
        utf8_add(b, 0xFFFD);
    }
    return true;
}

int attr_fn_unescape_json(struct attr_call *c, struct datum *v)
{
    static const char letters[] = "bntfr";
    static const char plain[] = "\b\n\t\f\r";
    struct span text;
    if (is_null(c, v, &text)) {
        return 0;
    }
    struct buf *b = attr_buf(c);
    const char *end = text.at + text.len;
    for (const char *at = text.at; at < end;) {
        if (*at != '\\' || at + 1 == end) {
            buf_add_byte(b, *at++);
        } else if (at[1] == 'u') {
            if (!unescape_unit(b, &at, end)) {
                return attr_fail(c, "\\u without four hexadecimal digits");
            }
        } else {
            const char *hit = at[1] ? strchr(letters, at[1]) : NULL;
            buf_add_byte(b, hit ? plain[hit - letters] : at[1]);
            at += 2;
        }
    }
    return attr_give(c, v);
}

static bool is_json(struct span text)
{
    struct scan s;
    scan_init(&s, SCAN_DEPTH_DEFAULT);
    bool good = scan_check(&s, text.at, text.len) == 0;
    scan_release(&s);
    return good;
}

/* Is it the JSON text of an object or an array?  NiFi does not look for anything else. */
int attr_fn_is_json(struct attr_call *c, struct datum *v)
{
    struct span text = datum_trim(attr_subject(c, v));
    *v = datum_bool(text.len > 0 && (*text.at == '{' || *text.at == '[') && is_json(text));
    return 0;
}

/* The only element of an array of one, and so on: NiFi leaves such arrays out. */
static struct span only_element(struct span value)
{
    while (walk_kind(value) == SCAN_ARRAY) {
        struct walk w = walk_into(value);
        struct span first;
        if (!walk_next(&w)) {
            break;
        }
        first = w.value;
        if (walk_next(&w)) {
            break;
        }
        value = first;
    }
    return value;
}

/* A path without wildcards or filters: strings as their text, the rest as compact JSON. */
int attr_fn_json_path(struct attr_call *c, struct datum *v)
{
    struct span text = attr_subject(c, v);
    struct span path_text;
    struct span found;
    struct path path = {0};
    struct err e = {0};
    if (attr_arg_text(c, 0, &path_text) < 0) {
        return -1;
    }
    if (!text.at && !attr_is_nifi(c)) {
        *v = datum_null();
        return 0; /* as string functions do: reference/wait-notify.md 5.3 */
    }
    if (!is_json(text)) {
        return attr_fail(c, "the text is no JSON");
    }
    if (!path_text.at || path_parse(&path, path_text, &e) < 0) {
        return attr_fail(c, "%s", path_text.at ? e.text : "a path expected");
    }
    bool hit = path.root == PATH_INPUT && path_find(&path, text, &found);
    bool foreign = path.root != PATH_INPUT;
    path_release(&path);
    if (foreign) {
        return attr_fail(c, "a path that begins with '$' expected");
    }
    if (hit && attr_is_nifi(c)) {
        found = only_element(found);
    }
    struct buf *b = attr_buf(c);
    if (hit && walk_kind(found) == SCAN_STRING) {
        text_decode(b, found);
    } else if (hit && walk_kind(found) != SCAN_NULL) {
        struct scan s;
        size_t len = 0;
        scan_init(&s, SCAN_DEPTH_DEFAULT);
        scan_compact(&s, found.at, found.len, buf_room(b, found.len), &len);
        b->len += len;
        scan_release(&s);
    }
    return attr_give(c, v);
}

/* ---- XML ---- */

static const struct {
    char plain;
    struct span entity;
} entities[] = {
    {'"', {"&quot;", 6}}, {'&', {"&amp;", 5}},   {'<', {"&lt;", 4}},
    {'>', {"&gt;", 4}},   {'\'', {"&apos;", 6}},
};

#define ENTITIES (sizeof entities / sizeof *entities)

/* May CH not stand in XML at all? */
static bool is_no_xml(uint32_t ch)
{
    return (ch < 0x20 && ch != '\t' && ch != '\n' && ch != '\r') || ch == 0xFFFE || ch == 0xFFFF;
}

/* Should CH stand there as a number only? */
static bool is_poor_xml(uint32_t ch)
{
    return ch >= 0x7F && ch <= 0x9F && ch != 0x85;
}

int attr_fn_escape_xml(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (is_null(c, v, &text)) {
        return 0;
    }
    struct buf *b = attr_buf(c);
    const char *end = text.at + text.len;
    size_t len;
    for (const char *at = text.at; at < end; at += len) {
        uint32_t ch = utf8_read(at, end, &len);
        size_t hit = 0;
        while (hit < ENTITIES && entities[hit].plain != *at) {
            hit++;
        }
        if (hit < ENTITIES) {
            buf_add_span(b, entities[hit].entity);
        } else if (is_poor_xml(ch)) {
            buf_printf(b, "&#%u;", (unsigned)ch);
        } else if (!is_no_xml(ch)) {
            buf_add(b, at, len);
        }
    }
    return attr_give(c, v);
}

/* &#N; or &#xN; at AT: its length, or 0 if it is none. */
static size_t numeric_entity(struct buf *b, struct span at)
{
    bool hex = at.len > 2 && (at.at[2] | 0x20) == 'x';
    uint32_t n = 0;
    size_t from = hex ? 3 : 2;
    size_t i = from;
    for (; i < at.len && n <= 0x10FFFF; i++) {
        int32_t digit = read_hex(at.at + i, at.at + at.len, 1);
        if (digit < 0 || (!hex && digit > 9)) {
            break;
        }
        n = n * (hex ? 16 : 10) + (uint32_t)digit;
    }
    bool surrogate = n >= 0xD800 && n <= 0xDFFF;
    if (i == from || i == at.len || at.at[i] != ';' || n > 0x10FFFF || surrogate) {
        return 0;
    }
    utf8_add(b, n);
    return i + 1;
}

/* The entity that AT begins with: its length, or 0 if it is none. */
static size_t entity(struct buf *b, struct span at)
{
    if (at.len > 1 && at.at[1] == '#') {
        return numeric_entity(b, at);
    }
    for (size_t i = 0; i < ENTITIES; i++) {
        if (span_starts(at, entities[i].entity)) {
            buf_add_byte(b, entities[i].plain);
            return entities[i].entity.len;
        }
    }
    return 0;
}

int attr_fn_unescape_xml(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (is_null(c, v, &text)) {
        return 0;
    }
    struct buf *b = attr_buf(c);
    for (size_t i = 0; i < text.len;) {
        size_t len = text.at[i] == '&' ? entity(b, span_of(text.at + i, text.len - i)) : 0;
        if (len == 0) {
            buf_add_byte(b, text.at[i]);
            len = 1;
        }
        i += len;
    }
    return attr_give(c, v);
}

/* ---- CSV ---- */

/* Does TEXT hold one of the characters for which a CSV field needs quotes? */
static bool needs_quotes(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] && strchr(",\"\r\n", text.at[i])) {
            return true;
        }
    }
    return false;
}

int attr_fn_escape_csv(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (is_null(c, v, &text) || !needs_quotes(text)) {
        return attr_fn_to_string(c, v);
    }
    struct buf *b = attr_buf(c);
    buf_add_byte(b, '"');
    for (size_t i = 0; i < text.len; i++) {
        if (text.at[i] == '"') {
            buf_add_byte(b, '"');
        }
        buf_add_byte(b, text.at[i]);
    }
    buf_add_byte(b, '"');
    return attr_give(c, v);
}

int attr_fn_unescape_csv(struct attr_call *c, struct datum *v)
{
    struct span text;
    if (is_null(c, v, &text) || text.len < 2 || text.at[0] != '"' || text.at[text.len - 1] != '"' ||
        !needs_quotes(span_of(text.at + 1, text.len - 2))) {
        return attr_fn_to_string(c, v);
    }
    struct buf *b = attr_buf(c);
    for (size_t i = 1; i + 1 < text.len; i++) {
        buf_add_byte(b, text.at[i]);
        i += text.at[i] == '"' && i + 2 < text.len && text.at[i + 1] == '"';
    }
    return attr_give(c, v);
}
