/*
 * output.h: the output of a Map state, in item order.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_OUTPUT_H
#define FANLINE_RESULT_OUTPUT_H

#include "base/err.h"
#include "base/span.h"
#include "io/writer.h"
#include "result/order.h"
#include "result/roster.h"

#include <stddef.h>
#include <stdint.h>

enum output_wrap {
    OUTPUT_OBJECT, /* {"Items":[…]}: reference/distributed-map.md 1.2 */
    OUTPUT_ARRAY,  /* […] */
    OUTPUT_LINES   /* one element a line */
};

struct output {
    struct writer *out; /* borrowed */
    enum output_wrap wrap;
    const char *folder;   /* for what has to wait; borrowed */
    uint64_t count;       /* places written; of OUTPUT_LINES lines */
    struct order *orders; /* one for each run */
    size_t order_count;
    size_t order_cap;
};

void output_init(struct output *o, struct writer *out, enum output_wrap wrap, const char *folder);

/*
 * TEXT is what stands in this place: elements with commas between them, or lines (form.h); it may
 * be empty.  The first run leaves as its items have their turn, the others behind it.  O must not
 * move any more.  Returns 0, or -1 with E filled: also where a line of it would have the form of an
 * end mark (json/lines.h).
 */
int output_put(struct output *o, const struct roster_place *place, struct span text, struct err *e);

/* There will be no more: write what waits, and close the document. 0, or -1 with E filled. */
int output_finish(struct output *o, struct err *e);

/* The run has failed: end the line, but leave the document open, so that nobody takes it for whole.
 */
void output_break(struct output *o);

/* Lines written, once it is finished. */
uint64_t output_lines(const struct output *o);

void output_release(struct output *o);

#endif
