/*
 * failon.h: conditions under which waiting has no sense any more: "COUNTER>=N".
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_FAILON_H
#define FANLINE_SIGNAL_FAILON_H

#include "base/err.h"
#include "store/store.h"

struct fail_on {
    struct span counter; /* borrowed; empty: the total */
    int64_t least;       /* from 1 on */
};

/* Parse TEXT, which must outlive OUT. 0, or -1 with E filled (ERR_USAGE). */
int fail_on_parse(struct fail_on *out, const char *text, struct err *e);

/* The first of the COUNT conditions that the counters of G meet, NULL if none does. */
const struct fail_on *fail_on_met(const struct fail_on *list, size_t count,
                                  const struct store_grant *g);

#endif
