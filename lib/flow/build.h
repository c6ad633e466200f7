/*
 * build.h: how the readers of YAML and JSON put a tree together.
 *
 * Inside the room flow only.  A reader says what comes, in the order of the document:
 *
 *     build_open (map) … build_key … build_scalar … build_close
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_BUILD_H
#define FANLINE_FLOW_BUILD_H

#include "flow/tree.h"

struct build_level {
    struct node *node;
    struct node *last; /* its last child so far */
};

struct build {
    struct flow_tree *tree; /* borrowed */
    struct faults *faults;  /* borrowed */
    struct build_level *open;
    size_t depth;
    size_t cap;
    struct node key; /* of the next member: key, key_json, key_at */
    bool has_key;
    struct place_at copying; /* where the alias stands whose value is being copied; line 0: none */
};

/* Where BYTE of TEXT stands. */
struct place_at build_place(struct span text, size_t byte);

/* Add the fault that ends the reading. Returns -1. */
int build_fail(struct build *b, struct place_at at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Does a key come next? */
bool build_wants_key(const struct build *b);

/* The name of the next member: its text and its JSON form, both of which live as long as the tree.
 */
void build_key(struct build *b, struct span text, struct span json, struct place_at at);

/* A new value where the next one goes; NULL if there are too many (build_fail was called). */
struct node *build_value(struct build *b, enum node_kind kind, struct place_at at);

/* A new list or map, and into it; NULL as before, also if it is too deep. */
struct node *build_open(struct build *b, enum node_kind kind, struct place_at at);

/* Out of the innermost one; names that stand twice in a map become faults. */
void build_close(struct build *b);

/* A copy of FROM and all in it where the next value goes, for the alias at AT; NULL as before. */
struct node *build_copy(struct build *b, const struct node *from, struct place_at at);

/* Free what building needed; the tree stays. */
void build_release(struct build *b);

/* The readers. TEXT is UTF-8 without a mark; returns as flow_tree_read, and leaves T as it is. */
int yaml_read(struct flow_tree *t, struct span text, struct faults *f);
int json_read(struct flow_tree *t, struct span text, struct faults *f);

/* Is TEXT one JSON text?  If not, and F is not NULL, the reason is added to F. */
bool json_is(struct span text, struct faults *f);

/*
 * The JSON form of the plain YAML scalar TEXT (core schema of YAML 1.2): its kind in *KIND and its
 * JSON text, which lies in TEXT or in A, in *JSON; strings get none.  Returns 0, or -1 with *WHY
 * set where it is a number that has no such form.
 */
int plain_resolve(struct span text, struct arena *a, enum node_kind *kind, struct span *json,
                  const char **why);

#endif
