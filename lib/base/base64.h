/*
 * base64.h: RFC 4648, section 4: the alphabet with '+' and '/', padded.
 *
 * Floor: ground.
 */
#ifndef FANLINE_BASE_BASE64_H
#define FANLINE_BASE_BASE64_H

#include "base/buf.h"
#include "base/span.h"

#include <stdbool.h>

/* Add DATA in base64 to OUT. */
void base64_encode(struct buf *out, struct span data);

/* Add the bytes that TEXT stands for to OUT; padding may be left out. False: TEXT is no base64. */
bool base64_decode(struct buf *out, struct span text);

#endif
