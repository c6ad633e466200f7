/*
 * bulk.h: many values in a row, checked at once.
 *
 * Lines of a stream, or elements of an array, are checked 64 bytes at a time, whatever lies in
 * these bytes, on processors that have AVX2 or AVX-512.  Only values that are valid and compact
 * (no white space between tokens), and all of which is there, are found.  Of everything else, be it
 * a fault, white space, or nesting deeper than 62, this says only that it is stuck: the scanner
 * (scan.h) then has to look at the next value, and can tell what is wrong and where.  So the
 * verdicts, and the places of faults, are always the scanner's.  Where that happens value after
 * value, it is stuck for some of them without looking: ever more, up to a hundred.
 *
 *     bulk_init(&b, BULK_LINES, max_depth);
 *     while (… text with at least one more byte …) {
 *         while (bulk_next(&b, text, len, &value)) …         and step behind it and its separator
 *         if (b.stuck) … scan one value …, bulk_restart(&b);  else read more
 *     }
 *
 * Floor: services, beside scan in the room json.  A struct bulk owns its seams.
 */
#ifndef FANLINE_JSON_BULK_H
#define FANLINE_JSON_BULK_H

#include "base/span.h"
#include "json/seams.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What stands behind each value: LF; or a comma, the values being elements of one array. */
enum bulk_form { BULK_LINES, BULK_ELEMENTS };

/* What the processor can do. */
enum bulk_means { BULK_NONE, BULK_AVX2, BULK_AVX512 };

/* What a block of 64 bytes has to know of the bytes before it. */
struct bulk_carry {
    uint64_t in_string; /* all ones: it begins within a string */
    uint64_t escapes;   /* 1: its first byte is escaped */
    uint64_t hex;       /* the bytes that have to be hexadecimal digits */
    uint64_t closed;    /* 1: a string ended just before it */
    uint64_t open_utf8; /* not 0: a character may go on */
};

/* What comes next. */
enum bulk_state {
    BULK_BEGIN,      /* a value that is to be found */
    BULK_BEHIND,     /* the separator behind it */
    BULK_FIRST_NAME, /* what follows '{' */
    BULK_NAME,       /* a member */
    BULK_VALUE,      /* its value */
    BULK_FIRST,      /* what follows '[' */
    BULK_ELEMENT,
    BULK_AFTER /* what follows a bracket that closes */
};

/* Where we stand in the grammar. */
struct bulk_place {
    enum bulk_state state;
    int64_t depth;
    uint64_t objects; /* a bit for each open container, the innermost lowest: 1 is an object */
    size_t next;      /* offset of what is not looked at yet */
};

enum { BULK_WINDOW = 4096 }; /* bytes that are checked at a time */

struct bulk {
    enum bulk_means means; /* tests may lower it */
    enum bulk_form form;
    int64_t max_depth;
    bool noting; /* set by the caller: note seams too */

    /* for the caller to read */
    bool stuck; /* the next value cannot be judged here */

    /* its own */
    size_t base; /* where in the text the window begins */
    uint32_t
        end[BULK_WINDOW / 2 + 1]; /* of each value found: where its separator is, behind base */
    uint32_t noted[BULK_WINDOW / 2 + 1]; /* … and how many seams were noted before that */
    size_t found;
    size_t next;       /* of these to be handed out */
    size_t taken;      /* bytes of the text that have been handed out */
    size_t done;       /* … that have been checked */
    unsigned failures; /* times in a row that it was stuck at once */
    unsigned skip;     /* values that will not be looked for */
    struct bulk_carry carry;
    struct bulk_place place;
    struct seams seams; /* of all that was found */
};

/* Ready for values that nest at most MAX_DEPTH deep. Needs no release unless `noting` is set. */
void bulk_init(struct bulk *b, enum bulk_form form, uint64_t max_depth);

/* The next byte that will be seen begins a value, the scanner having passed what it was stuck at;
 * forget all that was found. */
void bulk_restart(struct bulk *b);

/*
 * The next value in *VALUE, which lies in TEXT.  TEXT begins with the value that comes next (so
 * that the caller has to step over each value that was handed out and its separator) and may have
 * grown or moved since the last call.  False: either b->stuck, or all that there is of TEXT is
 * checked, is fine so far, and has no end yet.
 */
bool bulk_next(struct bulk *b, const char *text, size_t len, struct span *value);

/* The seams of VALUE, which was handed out last; good until the next bulk_next. */
struct seams_view bulk_seams(const struct bulk *b, struct span value);

/*
 * Is TEXT one array or object that is valid and compact and nests at most MAX_DEPTH deep?  True
 * only where that is sure with what the processor has, up to MOST.  Its seams come to SEAMS,
 * which may be NULL.
 */
bool bulk_check(const char *text, size_t len, uint64_t max_depth, enum bulk_means most,
                struct seams *seams);

void bulk_release(struct bulk *b);

#endif
