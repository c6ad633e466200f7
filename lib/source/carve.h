/*
 * carve.h: the items of one JSON document, as it passes.
 *
 * The document is scanned once, in pieces as they come.  It is, or a path in it leads to, an array,
 * whose elements are the items, or an object, of which each member becomes an item
 * {"Key":…,"Value":…} (reference/distributed-map.md 2.2), unless only an array will do (1.3).
 * An item is copied once, from the chunk that it came in to the writer, compact, and leaves when it
 * is complete.  What lies before and behind is checked too, and goes to --original if there is one.
 *
 *     carve_open(&c, &emit, path, original, name, offset);
 *     while (… && (rc = carve_feed(&c, chunk, &e)) == 0) …
 *     if (rc == 0) rc = carve_finish(&c, &e);
 *
 * Floor: engines, within lib/source.  Memory: the largest item, and the largest name of a member
 * beside the path.
 */
#ifndef FANLINE_SOURCE_CARVE_H
#define FANLINE_SOURCE_CARVE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/place.h"
#include "base/span.h"
#include "expr/path.h"
#include "source/emit.h"
#include "source/original.h"
#include "json/bulk.h"
#include "json/scan.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where the scanned text goes. */
enum carve_sink {
    CARVE_NOWHERE,
    CARVE_HEAD,     /* what stands before a value of the container at hand: comma and name */
    CARVE_ORIGINAL, /* what is no item */
    CARVE_ITEM,
    CARVE_REJECT /* the rest of an item that is too large */
};

struct carve {
    struct emit *emit;         /* borrowed, as the four below */
    const struct path *path;   /* NULL: the document itself is the array or object */
    struct original *original; /* NULL: none is wanted, or not the document's members */
    const char *name;
    uint64_t start;  /* offset in the input of the document's first byte */
    bool array_only; /* set by the caller behind carve_open: an object is refused */
    struct scan scan;
    enum carve_sink sink;
    struct buf head;
    size_t level;   /* steps of the path that lead to the container at hand */
    size_t deepest; /* most steps that ever led somewhere */
    uint64_t index; /* of the next element, where the container at hand is an array */
    bool named;     /* the name of a member came, its value did not */
    bool matches;   /* that name is the path's */
    bool found;     /* the path has led to the items */
    bool in_items;
    bool of_object;          /* the items are an object's members */
    bool begun;              /* the value of an item has begun */
    bool between;            /* an element that was an item has just ended */
    bool ended;              /* the document's value is complete */
    size_t mark;             /* pending bytes that do not come from the item itself */
    enum scan_kind kind;     /* of the item at hand */
    struct place item_place; /* where it begins, or the punctuation before it */
    uint64_t item_at;        /* offset of that in the input */
    struct bulk bulk;        /* looks for many elements of an array at once */
};

void carve_open(struct carve *c, struct emit *emit, const struct path *path,
                struct original *original, const char *name, uint64_t start);

/*
 * The next bytes of the document. Returns 0 to go on; 1 when as many items as wanted have left and
 * nothing else is asked of the document; -1 with E filled: with `ended` the fault is what stands
 * behind the document, at the offset carve_offset.
 */
int carve_feed(struct carve *c, struct span chunk, struct err *e);

/* How far the input has been scanned. */
uint64_t carve_offset(const struct carve *c);

/* The input has ended. 0 if the document was whole or there was none, -1 with E filled. */
int carve_finish(struct carve *c, struct err *e);

void carve_close(struct carve *c);

#endif
