/*
 * format.h: the formats of data sets, and which one a source has.
 *
 * A format is a file that defines a `struct format`, and a word in the list in format.c.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_FORMAT_H
#define FANLINE_SOURCE_FORMAT_H

#include "base/err.h"
#include "io/reader.h"

#include <stdbool.h>
#include <stdint.h>

struct split;

struct format {
    const char *name;    /* for --format */
    const char *endings; /* of the names of its files, ".tsv .tab"; NULL: none */
    unsigned options;    /* those of option.h that have an effect */

    /*
     * Exactly one of the two.  Read a source to its end, or until enough items have left
     * (emit_full).  0, or -1 with E filled; the items before the fault have left.
     */
    /* A text: R is unpacked and stands behind a byte order mark. */
    int (*split_text)(struct split *s, struct reader *r, struct err *e);
    /* A place: a folder, or what says where further files are. */
    int (*split_place)(struct split *s, const char *place, struct err *e);
};

/* "auto" and the names of all formats, NULL-terminated, and the formats in the same order. */
extern const char *const format_names[];
extern const struct format *const format_table[]; /* [0], auto, is NULL */

extern const struct format format_json;
extern const struct format format_jsonl;
extern const struct format format_csv;
extern const struct format format_objects;
extern const struct format format_inventory;

/* A folder, a bucket, and keys that end in '/', are listings. NULL for any other place. */
const struct format *format_of_place(const char *place);

/*
 * By the end of a file's name, in any case, which may have .gz or .zst behind it: .json; .jsonl and
 * .ndjson; .csv; .tsv and .tab; .txt (lines).  NULL for any other.
 */
const struct format *format_of_name(const char *name);

/*
 * By what R begins with, without taking it; nothing but white space is JSON.
 *   '['   a JSON document;
 *   '{'   JSON lines if a value ends on the first line, which must end within FORMAT_PEEK bytes; a
 *         document of several lines may be meant in two ways, so that is asked for.
 * Anything else tells too little: a delimiter is never guessed.  NULL with E filled (ERR_DATA).
 */
const struct format *format_of_content(struct reader *r, uint64_t max_depth, struct err *e);

#define FORMAT_PEEK ((size_t)1 << 20)

/*
 * A delimiter as people write it: tab, comma, semicolon, pipe, space in any case, or one ASCII byte
 * but a quote or a line end.  0, or -1 with E filled (ERR_USAGE).
 */
int format_delimiter(const char *text, char *delimiter, struct err *e);

#endif
