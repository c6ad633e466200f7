/*
 * scan_state.h: the inside of the scanner, for the scanner's own files only.
 *
 * Floor: services.
 */
#ifndef FANLINE_JSON_SCAN_STATE_H
#define FANLINE_JSON_SCAN_STATE_H

#include "json/scan.h"

#include <stdbool.h>
#include <stdint.h>

enum state {
    /* between tokens: white space may stand here */
    AT_VALUE,      /* a value must come */
    AT_FIRST,      /* behind '[': a value or ']' */
    AT_NAME,       /* behind ',' in an object: a name must come */
    AT_FIRST_NAME, /* behind '{': a name or '}' */
    AT_COLON,
    AT_AFTER, /* behind a value in a container */
    AT_DONE,  /* behind the whole value */
    /* within a token */
    IN_STRING,
    IN_ESCAPE,
    IN_HEX,
    IN_UTF8,
    IN_LITERAL,
    IN_MINUS,
    IN_ZERO,
    IN_INTEGER,
    IN_POINT,
    IN_FRACTION,
    IN_E,
    IN_E_SIGN,
    IN_EXPONENT
};

static inline bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool is_hex(char c)
{
    return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f');
}

/* Behind the digits at AT. */
static inline const char *skip_digits(const char *at, const char *end)
{
    while (at < end && is_digit(*at)) {
        at++;
    }
    return at;
}

/* Is the innermost open container an object? */
static inline bool in_object(const struct scan *s)
{
    return s->depth > 0 && (s->open[(s->depth - 1) >> 3] >> ((s->depth - 1) & 7) & 1);
}

/* Open a container, which its bracket has announced. False: it lies too deep. */
bool scan_push(struct scan *s, bool object);

/* Note the seam at OFFSET if it is one of the outermost container. */
static inline void scan_note(struct scan *s, uint64_t offset)
{
    if (s->depth == 1 && s->seams) {
        seams_add(s->seams, (size_t)offset);
    }
}

/*
 * Take whole tokens from AT on as long as no event is due; BEGIN is where s->offset is.  Returns
 * where it stopped: in front of what the machine has to look at.
 */
const char *scan_lane(struct scan *s, const char *begin, const char *at, const char *end);

#endif
