/*
 * key.h: the keys of objects as inventories write them.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_KEY_H
#define FANLINE_SOURCE_KEY_H

#include "base/err.h"
#include "base/span.h"
#include "io/writer.h"

/*
 * Put the key that FIELD, URL-encoded, stands for, as a JSON string: %XX is a byte, '+' a blank
 * (reference/distributed-map.md 5.4; it is the encoding of forms).  0, or -1 with E filled
 * (ERR_DATA, no position) and nothing put: a '%' without two hex digits, or no UTF-8.
 */
int key_put(struct writer *w, struct span field, struct err *e);

#endif
