#include "json/scan.h"

#include "base/mem.h"
#include "json/bulk.h"
#include "json/plain.h"
#include "json/scan_state.h"

#include <stdlib.h>
#include <string.h>

void scan_init(struct scan *s, uint64_t max_depth)
{
    *s = (struct scan){.watch = SCAN_NO_EVENTS,
                       .max_depth = max_depth,
                       .state = AT_VALUE,
                       .line = 1,
                       .means = BULK_AVX512};
}

void scan_restart(struct scan *s)
{
    s->state = AT_VALUE;
    s->depth = 0;
    s->begun = false;
    s->spaces = false;
    s->fault = NULL;
}

void scan_release(struct scan *s)
{
    free(s->open);
    *s = (struct scan){0};
}

/* ---- strings ---- */

const char *scan_plain_scalar(const char *at, const char *end)
{
    return plain_end_scalar(at, end);
}

const char *scan_plain_simd(const char *at, const char *end)
{
    return plain_end(at, end);
}

static const char *stop(struct scan *s, const char *at, const char *fault)
{
    s->fault = fault;
    return at;
}

/* The first byte of a UTF-8 sequence: how many follow, and between which bounds the next one lies.
 */
static bool utf8_lead(struct scan *s, unsigned char c)
{
    s->low = 0x80;
    s->high = 0xBF;
    if (c >= 0xC2 && c <= 0xDF) {
        s->need = 1;
    } else if (c >= 0xE0 && c <= 0xEF) {
        s->need = 2;
        s->low = c == 0xE0 ? 0xA0 : 0x80;
        s->high = c == 0xED ? 0x9F : 0xBF;
    } else if (c >= 0xF0 && c <= 0xF4) {
        s->need = 3;
        s->low = c == 0xF0 ? 0x90 : 0x80;
        s->high = c == 0xF4 ? 0x8F : 0xBF;
    } else {
        return false;
    }
    s->state = IN_UTF8;
    return true;
}

/* One byte of what is special within a string. False: it does not fit. */
static bool string_byte(struct scan *s, unsigned char c)
{
    switch (s->state) {
    case IN_STRING:
        if (c == '"') {
            s->state = s->after;
        } else if (c == '\\') {
            s->state = IN_ESCAPE;
        } else if (c < 0x20) {
            s->fault = "a control character in a string must be escaped";
            return false;
        } else if (!utf8_lead(s, c)) {
            s->fault = "invalid UTF-8";
            return false;
        }
        return true;
    case IN_ESCAPE:
        if (c == 'u') {
            s->state = IN_HEX;
            s->need = 4;
            return true;
        }
        s->state = IN_STRING;
        s->fault = "invalid escape in a string";
        return c != '\0' && strchr("\"\\/bfnrt", c) != NULL;
    case IN_HEX:
        s->state = --s->need > 0 ? IN_HEX : IN_STRING;
        s->fault = "\\u needs four hexadecimal digits";
        return is_hex((char)c);
    default: /* IN_UTF8 */
        if (c < s->low || c > s->high) {
            s->fault = "invalid UTF-8";
            return false;
        }
        s->low = 0x80;
        s->high = 0xBF;
        s->state = --s->need > 0 ? IN_UTF8 : IN_STRING;
        return true;
    }
}

/* Go on within a string. Returns where it ended, the chunk ended, or the fault lies. */
static inline const char *string_run(struct scan *s, const char *at, const char *end)
{
    while (at < end) {
        if (s->state == IN_STRING) {
            at = s->plain ? plain_end_scalar(at, end) : plain_end(at, end);
            if (at == end) {
                break;
            }
            if (*at == '"') {
                s->state = s->after;
                return at + 1;
            }
        }
        if (!string_byte(s, (unsigned char)*at)) {
            return at;
        }
        s->fault = NULL;
        at++;
    }
    return at;
}

/* ---- numbers and literals ---- */

/* The state behind byte C of a number; AT_AFTER if the number ended before C; IN_MINUS: C does not
 * fit. */
static enum state number_step(enum state state, char c)
{
    switch (state) {
    case IN_MINUS:
        return c == '0' ? IN_ZERO : is_digit(c) ? IN_INTEGER : IN_MINUS;
    case IN_ZERO:
        if (is_digit(c)) {
            return IN_MINUS;
        }
        /* fall through */
    case IN_INTEGER:
        return c == '.' ? IN_POINT : (c | 0x20) == 'e' ? IN_E : AT_AFTER;
    case IN_POINT:
        return is_digit(c) ? IN_FRACTION : IN_MINUS;
    case IN_FRACTION:
        return (c | 0x20) == 'e' ? IN_E : AT_AFTER;
    case IN_E:
        return c == '+' || c == '-' ? IN_E_SIGN : is_digit(c) ? IN_EXPONENT : IN_MINUS;
    case IN_E_SIGN:
        return is_digit(c) ? IN_EXPONENT : IN_MINUS;
    default: /* IN_EXPONENT */
        return AT_AFTER;
    }
}

static bool in_digits(enum state state)
{
    return state == IN_INTEGER || state == IN_FRACTION || state == IN_EXPONENT;
}

static inline const char *number_run(struct scan *s, const char *at, const char *end)
{
    while (at < end) {
        if (in_digits(s->state)) {
            at = skip_digits(at, end);
            if (at == end) {
                break;
            }
        }
        enum state next = number_step(s->state, *at);
        if (next == IN_MINUS) {
            return stop(s, at, "invalid number");
        }
        s->state = next;
        if (next == AT_AFTER) {
            break;
        }
        at++;
    }
    return at;
}

static const char *literal_run(struct scan *s, const char *at, const char *end)
{
    while (at < end && *s->rest) {
        if (*at != *s->rest) {
            return stop(s, at, "expected a value: true, false or null is misspelt");
        }
        at++;
        s->rest++;
    }
    if (!*s->rest) {
        s->state = AT_AFTER;
    }
    return at;
}

static const char *token_run(struct scan *s, const char *at, const char *end)
{
    if (s->state <= IN_UTF8) {
        return string_run(s, at, end);
    }
    return s->state == IN_LITERAL ? literal_run(s, at, end) : number_run(s, at, end);
}

/* ---- containers ---- */

bool scan_push(struct scan *s, bool object)
{
    if (s->depth >= s->max_depth) {
        s->fault = "nested deeper than the limit (--max-depth)";
        return false;
    }
    size_t byte = s->depth >> 3;
    if (byte >= s->open_cap) {
        s->open = mem_grow(s->open, &s->open_cap, byte, 1);
    }
    uint8_t bit = (uint8_t)(1U << (s->depth & 7));
    s->open[byte] = object ? s->open[byte] | bit : s->open[byte] & (uint8_t)~bit;
    s->depth++;
    s->state = object ? AT_FIRST_NAME : AT_FIRST;
    return true;
}

/* ---- between tokens ---- */

/* The kind of the value that begins with C; 0 if none does. */
static enum scan_kind kind_of(char c)
{
    if (c == '-' || is_digit(c)) {
        return SCAN_NUMBER;
    }
    switch (c) {
    case '{':
    case '[':
    case '"':
    case 't':
    case 'f':
    case 'n':
        return (enum scan_kind)c;
    default:
        return 0;
    }
}

/* Enter the value that begins with C. False: none does, or it lies too deep. */
static inline bool enter_value(struct scan *s, char c)
{
    s->begun = false;
    switch (c) {
    case '"':
        s->state = IN_STRING;
        s->after = AT_AFTER;
        return true;
    case '{':
        return scan_push(s, true);
    case '[':
        return scan_push(s, false);
    case 't':
        s->rest = "rue";
        s->state = IN_LITERAL;
        return true;
    case 'f':
        s->rest = "alse";
        s->state = IN_LITERAL;
        return true;
    case 'n':
        s->rest = "ull";
        s->state = IN_LITERAL;
        return true;
    case '-':
        s->state = IN_MINUS;
        return true;
    case '0':
        s->state = IN_ZERO;
        return true;
    default:
        s->state = IN_INTEGER;
        s->fault = c ? "expected a value" : "expected a value, not a NUL byte";
        return is_digit(c);
    }
}

/* A byte between tokens that is no white space and begins no value. False: it does not fit. */
static bool structure_byte(struct scan *s, char c)
{
    bool object = in_object(s);
    switch (s->state) {
    case AT_COLON:
        s->fault = "expected ':' behind a member's name";
        s->state = AT_VALUE;
        return c == ':';
    case AT_NAME:
    case AT_FIRST_NAME:
        s->fault = s->state == AT_NAME ? "expected a member's name in double quotes"
                                       : "expected a member's name in double quotes or '}'";
        s->state = IN_STRING;
        s->after = AT_COLON;
        return c == '"';
    case AT_AFTER:
        s->fault = object ? "expected ',' or '}'" : "expected ',' or ']'";
        s->state = object ? AT_NAME : AT_VALUE;
        return c == ',';
    default: /* AT_DONE */
        s->fault = "more text behind the value";
        return false;
    }
}

static inline bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Skip white space at AT; OFFSET is that of AT. */
static const char *skip_space(struct scan *s, const char *at, const char *end, uint64_t offset)
{
    const char *from = at;
    for (; at < end && is_space(*at); at++) {
        if (*at == '\n') {
            s->line++;
            s->line_at = offset + (uint64_t)(at - from) + 1;
        }
    }
    s->spaces = true;
    return at;
}

/* Does C, between tokens, close the container we are in? */
static inline bool closes(const struct scan *s, char c)
{
    if (c == ']') {
        return s->state == AT_FIRST || (s->state == AT_AFTER && !in_object(s));
    }
    return c == '}' && (s->state == AT_FIRST_NAME || (s->state == AT_AFTER && in_object(s)));
}

/* Where the machine stands in the chunk. */
struct reach {
    const char *begin; /* of the chunk: s->offset is that of this byte */
    const char *at;
    const char *end;
    const char *from; /* of what was consumed and is not copied yet */
};

static void copy_out(struct scan *s, struct reach *r)
{
    if (s->out && r->at > r->from) {
        memcpy(s->out, r->from, (size_t)(r->at - r->from));
        s->out += r->at - r->from;
    }
    r->from = r->at;
}

static uint64_t offset_at(const struct scan *s, const struct reach *r)
{
    return s->offset + (uint64_t)(r->at - r->begin);
}

/* Is what happens at this depth reported? */
static bool is_watched(const struct scan *s)
{
    return (int64_t)s->depth <= s->watch;
}

/* A value has just ended. */
static enum scan_event end_value(struct scan *s)
{
    if (s->depth == 0) {
        s->state = AT_DONE;
        return SCAN_DONE;
    }
    return is_watched(s) ? SCAN_END : SCAN_MORE;
}

/* Go on within a token. */
static enum scan_event take_token(struct scan *s, struct reach *r)
{
    r->at = token_run(s, r->at, r->end);
    if (s->fault) {
        return SCAN_FAULT;
    }
    if (s->state == AT_COLON && is_watched(s)) {
        return SCAN_KEY;
    }
    return s->state == AT_AFTER ? end_value(s) : SCAN_MORE;
}

/* A byte where a value may begin: reported first if it is watched, then entered. */
static enum scan_event begin_value(struct scan *s, struct reach *r)
{
    enum scan_kind kind = is_watched(s) && !s->begun ? kind_of(*r->at) : 0;
    if (kind) {
        s->kind = kind;
        s->begun = true;
        return SCAN_BEGIN;
    }
    if (!enter_value(s, *r->at)) {
        return SCAN_FAULT;
    }
    s->fault = NULL;
    r->at++;
    return SCAN_MORE;
}

/* A byte between tokens. */
static enum scan_event take_between(struct scan *s, struct reach *r)
{
    if (is_space(*r->at)) {
        copy_out(s, r);
        r->at = skip_space(s, r->at, r->end, offset_at(s, r));
        r->from = r->at;
        return SCAN_MORE;
    }
    if (closes(s, *r->at)) {
        if (s->state == AT_AFTER) {
            scan_note(s, offset_at(s, r)); /* not in an empty one */
        }
        s->depth--;
        r->at++;
        s->state = AT_AFTER;
        return end_value(s);
    }
    if (s->state <= AT_FIRST) {
        return begin_value(s, r);
    }
    if (!structure_byte(s, *r->at)) {
        return SCAN_FAULT;
    }
    if (*r->at != '"') {
        scan_note(s, offset_at(s, r));
    }
    s->fault = NULL;
    r->at++;
    return SCAN_MORE;
}

/* Runs until an event is due.  What is consumed is copied piece by piece, between white space. */
enum scan_event scan_next(struct scan *s, const char **at, const char *end)
{
    struct reach r = {.begin = *at, .at = *at, .end = end, .from = *at};
    enum scan_event event = SCAN_MORE;
    while (event == SCAN_MORE && r.at < end) {
        if (!s->plain && s->state <= AT_AFTER && s->depth > 0 && !is_watched(s)) {
            r.at = scan_lane(s, r.begin, r.at, end);
            if (r.at == end) {
                break;
            }
        }
        event = s->state >= IN_STRING ? take_token(s, &r) : take_between(s, &r);
    }
    copy_out(s, &r);
    s->offset = offset_at(s, &r);
    *at = r.at;
    return event;
}

enum scan_event scan_finish(struct scan *s)
{
    bool number_ends = s->depth == 0 && (s->state == IN_ZERO || in_digits(s->state));
    if (s->state == AT_DONE || number_ends) {
        s->state = AT_DONE;
        return SCAN_DONE;
    }
    if (s->state == AT_VALUE && s->depth == 0) {
        return SCAN_MORE;
    }
    s->fault = "the text ends in the middle of a value";
    return SCAN_FAULT;
}
