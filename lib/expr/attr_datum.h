/*
 * attr_datum.h: what attribute expressions compute with.
 *
 * Attributes are texts; functions make numbers, truth values and dates of them.  How each is
 * read from a text and printed is Java's way, for that is what NiFi's results are made of
 * (reference/wait-notify.md 5.4).
 *
 * For the files attr*.c only.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_ATTR_DATUM_H
#define FANLINE_EXPR_ATTR_DATUM_H

#include "base/arena.h"
#include "base/span.h"

#include <stdbool.h>
#include <stdint.h>

enum datum_kind {
    DATUM_NULL, /* a missing attribute, or the result of a function on one */
    DATUM_TEXT,
    DATUM_WHOLE,   /* 64 bits */
    DATUM_DECIMAL, /* a double */
    DATUM_BOOL,
    DATUM_DATE /* milliseconds since 1970, UTC */
};

struct datum {
    enum datum_kind kind;
    union {
        struct span text; /* borrowed: of the line, of the expression or of an arena; never NULL */
        int64_t whole;    /* of a date too */
        double decimal;
        bool truth;
    };
};

/* Room for any number or date as text. */
#define DATUM_TEXT_MAX 48

struct datum datum_null(void);
struct datum datum_text(struct span text);
struct datum datum_whole(int64_t n);
struct datum datum_decimal(double d);
struct datum datum_bool(bool truth);

/* The text of D, in A unless it is one; a null has a NULL pointer. */
struct span datum_print(const struct datum *d, struct arena *a);

/*
 * D as Java's Double.toString has it: the fewest digits that tell it from its neighbours, "6.0",
 * "1.0E10", "NaN".  OUT has room for DATUM_TEXT_MAX bytes.  Returns the length.
 */
size_t datum_print_decimal(double d, char *out);

enum number_kind {
    NUMBER_NONE, /* no number, or null */
    NUMBER_WHOLE,
    NUMBER_DECIMAL,
    NUMBER_BIG /* a whole number beyond 64 bits; decimal is near it, text is exact */
};

struct number {
    enum number_kind kind;
    int64_t whole;
    double decimal;   /* of every kind but NUMBER_NONE */
    struct span text; /* NUMBER_BIG, if decimal: sign and digits, borrowed from the datum */
};

/*
 * D as a number.  White space around a text (bytes up to U+0020) does not matter.  Digits with an
 * optional sign, and 0x with hexadecimal digits, are whole; with a '.' and digits behind it (and
 * perhaps an exponent), NaN and Infinity are decimal; all else ("5e3", "5.", truth values) is none.
 */
struct number datum_number(const struct datum *d, struct arena *a);

/* -1, 0 or 1 as A is less than, equal to or greater than B; 2 if one of them is NaN. Neither is
 * NONE. */
int number_compare(const struct number *a, const struct number *b);

/* TEXT without bytes up to U+0020 at both ends. */
struct span datum_trim(struct span text);

/* Is D null, or a text of nothing but white space, as Java's String.isBlank has it? */
bool datum_is_blank(const struct datum *d);

/*
 * Are A and B the same by value where their kinds are the same, else by their text, a date's being
 * its milliseconds?  Null never is.
 */
bool datum_equal(const struct datum *a, const struct datum *b, struct arena *arena);

/* The truth of D: 1, 0, or -1 for null.  A text is true if it is "true" in any case. */
int datum_truth(const struct datum *d);

#endif
