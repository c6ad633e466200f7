/*
 * text.h: between JSON strings and the texts they stand for.
 *
 * Floor: services.
 */
#ifndef FANLINE_JSON_TEXT_H
#define FANLINE_JSON_TEXT_H

#include "base/buf.h"
#include "base/span.h"
#include "io/writer.h"

#include <stdbool.h>

/*
 * Add the text of the JSON string STRING, which is valid and has its quotes, to B in UTF-8.  A lone
 * surrogate escape becomes U+FFFD; \u0000 becomes a NUL byte.
 */
void text_decode(struct buf *b, struct span string);

/*
 * Add TEXT as a JSON string with quotes: '"', '\\' and control characters are escaped,
 * everything else stays.  TEXT must be UTF-8 (text_is_utf8).
 */
void text_encode(struct buf *b, struct span text);

/* As text_encode, into a writer. */
void text_put(struct writer *w, struct span text);

/* Is TEXT valid UTF-8 (RFC 3629)? If not, *BAD is the offset of the first byte that does not fit.
 */
bool text_is_utf8(struct span text, size_t *bad);

/* As text_encode, for any bytes: each that is not part of valid UTF-8 becomes U+FFFD. */
void text_encode_lossy(struct buf *b, struct span text);

#endif
