/*
 * java_order.h: the order in which Java's HashMap hands out its keys.
 *
 * NiFi's Notify goes through the ids of a trigger in this order (reference/wait-notify.md 2.2).
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_JAVA_ORDER_H
#define FANLINE_SIGNAL_JAVA_ORDER_H

#include "base/span.h"

#include <stddef.h>

/*
 * ORDER gets the indexes of the COUNT different KEYS, given in the order of their insertion, in the
 * order in which a HashMap<String, …> has them.
 */
void java_order(const struct span *keys, size_t count, size_t *order);

#endif
