/*
 * format.h: the formats of data sets, and which one a source has.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_FORMAT_H
#define FANLINE_SOURCE_FORMAT_H

#include "base/err.h"
#include "io/reader.h"

#include <stdbool.h>
#include <stdint.h>

enum format {
    FORMAT_AUTO,
    FORMAT_JSON,
    FORMAT_JSONL,
    FORMAT_CSV,
    FORMAT_TSV,
    FORMAT_LINES,
    FORMAT_NUL
};

/* The names of the formats in the order of the enum, NULL-terminated. */
extern const char *const format_names[];

/*
 * By the end of a file's name, in any case: .json; .jsonl and .ndjson; .csv; .tsv and .tab; .txt
 * (lines). FORMAT_AUTO for any other.
 */
enum format format_of_name(const char *name);

/*
 * By what R begins with, without taking it; nothing but white space is JSON.
 *   '['   a JSON document;
 *   '{'   JSON lines if a value ends on the first line, else a JSON document, if the line ends
 *         within FORMAT_PEEK bytes.
 * Anything else tells too little: a delimiter is never guessed.  0, or -1 with E filled (ERR_DATA).
 */
int format_of_content(struct reader *r, uint64_t max_depth, enum format *format, struct err *e);

#define FORMAT_PEEK ((size_t)1 << 20)

/*
 * A delimiter as people write it: tab, comma, semicolon, pipe, space in any case, or one ASCII byte
 * but a quote or a line end.  0, or -1 with E filled (ERR_USAGE).
 */
int format_delimiter(const char *text, char *delimiter, struct err *e);

#endif
