/*
 * split.h: data sets become items; the face of the room source.
 *
 *     split_open(&s, &rules, &out, &e);       (and perhaps split_count, see count.h)
 *     for each operand: split_source(&s, operand, &e);
 *     split_finish(&s, &e);
 *     split_close(&s);
 *
 * All of it streams: memory is bounded by the largest item, and an item is in the writer,
 * committed, as soon as it is complete.
 *
 * Floor: engines.
 */
#ifndef FANLINE_SOURCE_SPLIT_H
#define FANLINE_SOURCE_SPLIT_H

#include "base/buf.h"
#include "base/err.h"
#include "expr/path.h"
#include "io/writer.h"
#include "object/object.h"
#include "source/columns.h"
#include "source/emit.h"
#include "source/format.h"
#include "source/option.h"
#include "source/original.h"
#include "source/recode.h"
#include "source/rows.h"
#include "json/lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The form of a listing's records. */
enum split_listing {
    SPLIT_LISTING_CLOUDFLOW, /* reference/distributed-map.md 1.3 */
    SPLIT_LISTING_AWS        /* 2.2 */
};

/* What the options say. Everything is borrowed. */
struct split_rules {
    const struct format *format; /* NULL: told for each source */
    uint64_t max_items;          /* 0: no limit */

    /* documents */
    const struct path *path; /* NULL: none was given */
    bool require_array;      /* an object gives no items */

    struct rows_rules rows;

    enum recode recode; /* texts, before they are read */

    /* places */
    struct object_client *client;
    const char *version; /* of the object that is read; NULL: the latest */
    bool etag;           /* of the files in a folder too */
    bool follow_links;   /* in folders */
    bool load;           /* sources are folders and beginnings of keys, whose objects are read */
    enum split_listing listing;
    bool raw_keys;     /* of inventories: as they are written */
    unsigned statuses; /* of results: bits of enum results_status; 0: RESULTS_UNDONE */

    /* what is added */
    bool fragment;        /* fragment.identifier and fragment.index to each item */
    const char *run;      /* the identifier; NULL or "": a UUID */
    const char *original; /* file for the rest of the document; NULL: none */
    enum emit_context context;
    bool single; /* there is one source: --original may hold its members */

    struct lines_rules lines;

    /*
     * Told of each reader when it is opened, and whether it brings all that is to be read, and NULL
     * when it is closed; may be NULL.
     */
    void (*follow)(void *watcher, struct reader *r, bool whole);
    void (*counted)(void *watcher, uint64_t items); /* as in struct emit */
    void *watcher;
};

struct split {
    struct split_rules rules;
    struct emit emit;
    struct original original;
    struct columns columns; /* of tables, as given */
    struct buf identifier;  /* a JSON string */
    bool counted;           /* by split_count, before the first source was read */
    uint64_t total;         /* how many there are then */
};

/*
 * Get ready; opens the file of --original.  RULES is copied, what it points to and OUT are
 * borrowed.  Options that have no effect on the format are an error (ERR_USAGE).  0, or -1 with E
 * filled.
 */
int split_open(struct split *s, const struct split_rules *rules, struct writer *out, struct err *e);

/*
 * Read one source to its end, or until enough items have left (emit_full): a place as in
 * object/object.h, or "-" for standard input. 0, or -1 with E filled; the items before the fault
 * have left.
 */
int split_source(struct split *s, const char *operand, struct err *e);

/*
 * All sources were read: write all items, then put the file of --original in its place.  Returns 0,
 * or -1 with E filled: also where there are other items than were counted.
 */
int split_finish(struct split *s, struct err *e);

/* Free everything; the file of --original, if it was not finished, goes away. */
void split_close(struct split *s);

/* ---- for the formats that read places ---- */

/* Split the text at PLACE, one of OF (0: of several). 0, or -1 with E filled. */
int split_place(struct split *s, const char *place, size_t of, struct err *e);

/* All objects that stand at PLACE, in the order of a listing: --load. As split_source. */
int split_load(struct split *s, const char *place, struct err *e);

/* Begin to read PLACE as split_source does. 0 with R, or -1 with E filled and R empty. */
int split_open_text(struct split *s, const char *place, struct reader *r, struct err *e);

/*
 * Whoever watches is to follow R, one of OF readers of this source (0: of several), before it is
 * unpacked; NULL: nothing any more.
 */
void split_follow(const struct split *s, struct reader *r, size_t of);

#endif
