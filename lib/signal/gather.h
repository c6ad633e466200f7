/*
 * gather.h: the attributes of a line that notify keeps with its signal.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_GATHER_H
#define FANLINE_SIGNAL_GATHER_H

#include "base/err.h"
#include "base/span.h"
#include "pattern/regex.h"

/*
 * Call ADD for each attribute of ITEM whose name matches NAMES, in the order of its members.  Of
 * several members with one name the last counts, and a null is no attribute, as everywhere
 * (attr.h). Returns 0, or -1 with E filled.
 */
int gather(const struct regex *names, struct span item,
           void (*add)(void *context, struct span name, struct span value), void *context,
           struct err *e);

#endif
