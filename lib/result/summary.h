/*
 * summary.h: a run in numbers.
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_SUMMARY_H
#define FANLINE_RESULT_SUMMARY_H

#include "io/writer.h"
#include "result/facts.h"

/* One line of JSON, for programs (fanline-records(5), "Summary"). */
void summary_put_json(struct writer *w, const struct facts *f);

/* A table of several lines, for people; nothing in it moves a terminal. */
void summary_put_table(struct writer *w, const struct facts *f);

#endif
