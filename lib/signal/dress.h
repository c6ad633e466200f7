/*
 * dress.h: a signal's attributes as members of a line.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SIGNAL_DRESS_H
#define FANLINE_SIGNAL_DRESS_H

#include "io/writer.h"
#include "store/store.h"

#include <stdbool.h>

/*
 * Put ITEM, valid compact JSON, into W with the attributes as members of its object, all of them
 * strings. A member that the line has stays as it is; with REPLACE the attribute takes its place.
 * New members follow the others.  A line that is no object, or gets nothing new, leaves with its
 * own bytes.  Bytes of an attribute that are not UTF-8 become U+FFFD.
 */
void dress_line(struct writer *w, struct span item, const struct store_attribute *attributes,
                size_t count, bool replace);

#endif
