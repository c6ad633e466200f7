/*
 * report_parts.h: the sections of the page.
 *
 * Each function puts what stands in the page in its place.  Inside the room result only.
 *
 * Floor: engines.
 */
#ifndef FANLINE_RESULT_REPORT_PARTS_H
#define FANLINE_RESULT_REPORT_PARTS_H

#include "base/buf.h"
#include "io/writer.h"
#include "result/facts.h"

/* A page on its way. */
struct page {
    struct writer *w;
    const struct facts *f;
    const char *path;  /* of the page itself */
    const char *nonce; /* of its script */
};

/* report_counts.c */
void report_put_verdict(struct page *p);
void report_put_figures(struct page *p);
void report_put_outcome(struct page *p);

/* report_time.c */
void report_put_timeline(struct page *p);
void report_put_running(struct page *p);

/* report_durations.c */
void report_put_durations(struct page *p);

/* report_failures.c */
void report_put_failures(struct page *p);

/* report_files.c */
void report_put_files(struct page *p);

/* Why there is no chart: no record has times. */
void report_put_nothing(struct page *p);

/* Put what figures.h adds. */
void report_put_count(struct page *p, uint64_t n);
void report_put_duration(struct page *p, int64_t ns);
void report_put_number(struct page *p, double n);
void report_put_share(struct page *p, uint64_t part, uint64_t whole);

#endif
