/*
 * line.h: a line, changed and written.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_LINE_H
#define FANLINE_SIGNAL_LINE_H

#include "base/buf.h"
#include "base/span.h"
#include "io/writer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Members with which waiting is kept in a line that comes back later. */
#define LINE_START     SPAN_LIT("wait.start.timestamp") /* ms since 1970, as NiFi has it */
#define LINE_PENALTY   SPAN_LIT("wait.penalty.until")   /* ms since 1970 */
#define LINE_STAMP_MAX 24

enum edit_kind {
    EDIT_SET, /* in the place of the member, or behind the others */
    EDIT_ADD, /* only if there is no such member */
    EDIT_DROP
};

/* What becomes of one member; no two edits of a line have the same name. */
struct edit {
    enum edit_kind kind;
    struct span name;
    struct span value; /* text; becomes a JSON string */
};

/*
 * Add ITEM, valid compact JSON, to OUT with its members changed.  New members follow the others, in
 * the order of EDITS.  A line that is no object, or to which nothing happens, keeps its bytes.
 * Bytes of a name or value that are not UTF-8 become U+FFFD.
 */
void line_edit(struct buf *out, struct span item, const struct edit *edits, size_t count);

/* Add ITEM to OUT without the members that waiting has put into it. */
void line_unmark(struct buf *out, struct span item);

/* The text of the member NAME as an attribute, added to OUT; false if there is none. */
bool line_attribute(struct span item, struct span name, struct buf *out);

/* Write LINE and an LF, and commit; W may be NULL. */
void line_put(struct writer *w, struct span line);

/* MILLIS as text at OUT. */
struct span line_stamp(int64_t millis, char out[LINE_STAMP_MAX]);

#endif
