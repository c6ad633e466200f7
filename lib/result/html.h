/*
 * html.h: text in a page.
 *
 * Whatever comes out of records goes through here: markup in it is only text, and what cannot be
 * seen or would move other text about is shown as an escape (visible.h).
 *
 * Floor: engines, room result.
 */
#ifndef FANLINE_RESULT_HTML_H
#define FANLINE_RESULT_HTML_H

#include "base/span.h"
#include "io/writer.h"

#include <stddef.h>

/* Put constant markup. */
void html_put(struct writer *w, const char *markup);

/* Put constant markup with numbers in it: FORMAT takes no texts that are not constants. */
void html_format(struct writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Put TEXT, which is UTF-8, as content of an element.  Line breaks and tabs stay.  Stops with "…"
 * before it would take more than MAX bytes of the page; 0: no limit.
 */
void html_text(struct writer *w, struct span text, size_t max);

/* Put TEXT as the value of an attribute, without the quotes; escapes are plain text there. */
void html_attribute(struct writer *w, struct span text);

/* Put PATH as a relative reference: everything but letters, digits and / - _ . ~ percent-encoded.
 */
void html_path(struct writer *w, struct span path);

#endif
