/*
 * nifi_view.h: an entry of ours as NiFi sees it, and back.
 *
 * NiFi knows counters, attributes and one number of tickets, and books what the total gave away on
 * a counter "consumed" (reference/wait-notify.md 2.1, 2.4).  We keep that apart: a total of its
 * own, and a mark that it was taken from.  Sums wrap around as NiFi's do.
 *
 * Inside the room store only.
 *
 * Floor: services.
 */
#ifndef FANLINE_STORE_NIFI_VIEW_H
#define FANLINE_STORE_NIFI_VIEW_H

#include "store/store.h"

/*
 * ENTRY has the counters, without what the total gave away: if it was taken from (SPENT), put that
 * in as "consumed".
 */
void nifi_view_show(struct store_entry *entry, int64_t total, bool spent);

/* The total of ENTRY, and whether it was taken from. */
int64_t nifi_view_total(const struct store_entry *entry, bool *spent);

/* Is C what the total gave away, and no counter of ours? */
bool nifi_view_is_mark(const struct store_counter *c);

#endif
