/*
 * tree.h: a definition as a tree in which every value knows where it stands.
 *
 * Definitions are documents that people write: small, in YAML or JSON, and worth a message with a
 * line and a column.  So they are read whole, once, into nodes.  Scalars keep their exact text: a
 * number has all its digits, a string of a JSON text its escapes.
 *
 * YAML is taken by the core schema of YAML 1.2: null, true, false, integers (also 0x… and 0o…) and
 * floats are what they look like, `yes` and dates are strings, and so is all that stands in quotes.
 * Anchors and aliases work; an alias stands for a copy, and the limit on nodes bounds what copies
 * of copies can do.  Refused, with their place: merge keys (<<), tags of other schemas, keys that
 * are lists or maps, more than one document, numbers that JSON has no form for (.inf, .nan).
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_TREE_H
#define FANLINE_FLOW_TREE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "flow/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TREE_BYTES_MAX ((size_t)16 << 20)
#define TREE_NODES_MAX ((size_t)200000)
#define TREE_DEPTH_MAX 1000 /* containers within each other: what walks a tree may recurse */

enum node_kind { NODE_NULL, NODE_BOOL, NODE_NUMBER, NODE_STRING, NODE_LIST, NODE_MAP };

/* A value.  All of it is owned by its tree. */
struct node {
    enum node_kind kind;
    struct place_at at;   /* of its first byte */
    struct span json;     /* scalars: the exact JSON text, strings with their quotes */
    struct span text;     /* strings: what they stand for, UTF-8; other scalars: as json */
    uint64_t text_column; /* strings whose text stands as it is on line at.line: where it begins;
                             0: it has escapes or breaks, and offsets in it are no columns */
    struct span key;      /* in a map: the member's name, decoded */
    struct span key_json; /* the same as a JSON string */
    struct place_at key_at;
    const struct node *parent; /* NULL: the root */
    size_t index;              /* among its siblings, from 0 */
    struct node *child;        /* the first one, in the order of the document */
    struct node *next;
    size_t count; /* of children */
};

struct flow_tree {
    struct node *root;
    size_t nodes;
    struct arena arena;
};

/*
 * Read TEXT, JSON or YAML, whichever it is.  Returns 0 with the tree in T, which flow_tree_release
 * frees; or -1 with T empty where there is no tree to speak of.  Adds to F what is wrong: after -1
 * at least one fault; after 0 perhaps duplicate keys, of which node_get takes the last.
 */
int flow_tree_read(struct flow_tree *t, struct span text, struct faults *f);

/*
 * Read the whole of FILE, "-" being standard input, into TEXT, which the caller releases.  Returns
 * 0, or -1 with E filled: ERR_IO, or ERR_USAGE where there is more of it than TREE_BYTES_MAX.
 */
int flow_tree_load(struct buf *text, const char *file, struct err *e);

void flow_tree_release(struct flow_tree *t);

/* The member NAME of MAP, the last of several; NULL if there is none, or MAP is NULL or no map. */
const struct node *node_get(const struct node *map, const char *name);

/* Is N, which may be NULL, the string TEXT? */
bool node_is(const struct node *n, const char *text);

/* The value of N if it is true or false, else (also if N is NULL) OTHERWISE. */
bool node_truth(const struct node *n, bool otherwise);

/* "a number", "a list": for messages. */
const char *node_kind_name(enum node_kind kind);

/* Add the exact compact JSON text of N to OUT. */
void node_json(const struct node *n, struct buf *out);

/* Add the JSON Pointer (RFC 6901) of N to OUT; nothing for the root. */
void node_pointer(const struct node *n, struct buf *out);

#endif
