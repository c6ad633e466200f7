/*
 * xml.h: XML documents as they come from object stores.
 *
 * A document is read at once, and each element reported when it ends; expat reads it and is
 * known only to xml.c.  White space in front is passed over.  A document type declaration, and so
 * every entity of its own, is refused.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_XML_H
#define FANLINE_OBJECT_XML_H

#include "base/err.h"
#include "base/span.h"

struct xml_reader {
    /* The element at PATH begins: names from the root on, "ListBucketResult/Contents". May be NULL.
     */
    void (*begin)(void *context, const char *path);

    /* It ends; TEXT is what it holds behind its last child, valid during the call. */
    void (*end)(void *context, const char *path, struct span text);
};

/*
 * Read DOCUMENT.  Prefixes of names are dropped.  Returns 0, or -1 with E filled (ERR_DATA): it is
 * no well-formed XML; elements before the fault were reported.
 */
int xml_read(struct span document, const struct xml_reader *reader, void *context, struct err *e);

#endif
