/*
 * table.h: records of a CSV text.
 *
 * libcsv defines the dialect, in its strict mode and with its surprises taken out
 * (reference/limits.md 3): RFC 4180, nothing trimmed, records end in LF, CRLF or a lone CR, blank
 * lines are no records, text behind a closing quote and a quote that is never closed are errors.
 * One thing is taken more kindly than libcsv's strict mode does: a quote inside an unquoted field
 * (2,a"b) stands for itself.  Simple records need no libcsv: lane.h reads them faster and gives the
 * same.
 *
 * With `backslash` the escapes are those of AWS (reference/distributed-map.md 2.2): see
 * backslash.c.
 *
 *     struct table t; struct table_record r; table_open(&t, &reader, &rules);
 *     while ((got = table_next(&t, &r, &e)) > 0) …
 *
 * Bytes are not looked at beyond that: whether they are UTF-8 is the caller's business.
 *
 * Floor: services.  Memory is bounded by the largest record.
 */
#ifndef FANLINE_CSV_TABLE_H
#define FANLINE_CSV_TABLE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/place.h"
#include "base/span.h"
#include "csv/lane.h"
#include "io/reader.h"
#include "io/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_rules {
    char delimiter; /* any ASCII byte but '"', CR, LF and, with `backslash`, that */
    bool backslash;
    bool thorough;             /* never take the fast lane: the reference for tests */
    uint64_t max_record_bytes; /* a larger one is refused */
};

/* Everything in it is good until the next call of table_next or table_pass_by. */
struct table_record {
    const struct span *fields; /* without quotes, doubled quotes made single */
    size_t count;
    struct span raw; /* as it came, with its line end */
    bool plain;      /* all fields are known to be ASCII, from 0x20 on, without '"' and '\\' */
};

struct dialect;

struct table {
    struct reader *reader; /* borrowed */
    struct table_rules rules;
    struct place place; /* where the record at hand begins */
    struct place next;  /* behind what was parsed of it */
    size_t parsed;      /* bytes of the record that were parsed and are not yet taken */
    bool row_done;
    bool broken; /* the parser stopped within a record */
    const struct dialect *dialect;
    void *state;     /* the dialect's */
    struct buf text; /* the fields that the dialect told, one behind the other */
    size_t *ends;    /* of each in `text` */
    size_t ends_cap;
    size_t count;
    struct lane lane; /* and the fields of the record handed out */
};

/* Begin at the reader's next byte, which is taken for the first of line 1 (skip a BOM before). */
void table_open(struct table *t, struct reader *reader, const struct table_rules *rules);

/*
 * The next record.  Returns 1; 0 at the end; -1 with E filled: ERR_DATA with its position where the
 * record is no good (line, column and byte of the fault; of the opening quote where it is not
 * closed), ERR_IO where reading failed.  After ERR_DATA table_pass_by leads to the next record.
 */
int table_next(struct table *t, struct table_record *record, struct err *e);

/*
 * The record at hand is refused, by table_next or by the caller: copy it byte for byte to COPY,
 * unless that is NULL, and pass it by.  A record that was broken off ends with the line in which
 * its fault lies.  Ends in LF at COPY in any case and is committed there.  0, or -1 with E filled.
 */
int table_pass_by(struct table *t, struct writer *copy, struct err *e);

/* Put on E the position of byte OFFSET, from 0, of the record at hand. */
void table_position(const struct table *t, size_t offset, struct err *e);

void table_close(struct table *t);

#endif
