/*
 * lane.h: records in which quotes do nothing special, fast.
 *
 * Most records of most tables are what stands between delimiters, perhaps with quotes around it,
 * and can be split where they lie, many bytes at a time.  All others (a quote written twice, a line
 * end within quotes, an escape), and a record that has not come whole yet, are left to the dialect;
 * a test proves both equal.
 *
 * Floor: services, within lib/csv.
 */
#ifndef FANLINE_CSV_LANE_H
#define FANLINE_CSV_LANE_H

#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

struct lane {
    char delimiter;
    char stop;   /* a second character that only the dialect understands, or '"' */
    bool at_end; /* nothing comes behind the text */

    /* the fields of the record, filled; the array grows */
    struct span *fields;
    size_t cap;
    size_t count;
    bool plain; /* all of them are ASCII, from 0x20 on, without '\\' */
};

/*
 * Split the record that TEXT, which is not empty, begins with.  Returns its length with its line
 * end, or 0: it is not as simple as that, or does not end within TEXT, or within LANE_FAR bytes.
 */
size_t lane_split(struct lane *l, struct span text);

#define LANE_FAR ((size_t)64 << 10) /* so that a long record is not split again and again */

#endif
