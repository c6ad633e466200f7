/*
 * template.h: a JSON template into which values are moved.
 *
 * A template is JSON text.  Wherever in it a member's name ends in ".$", its value is an
 * expression in a string; the suffix is dropped and the value of the expression takes
 * its place, with its exact bytes.  Everything else is literal, byte for byte.  This
 * is CloudFlow's ItemConstructor and BatchInput (reference/distributed-map.md 1.4, 1.9).
 *
 * Compile it once, bind the document of $Input once, render it for each item: spans in,
 * spans out, one walk over the item however many members are taken from it.
 *
 * $Context.Item has Index, and Key or Source where the line carries them: {"Key":…,"Value":…}, a
 * member of an object that was split, or {"Index":…,"Source":…,"Value":…}, which may have a Key
 * before the Value, as `mapsplit --context` wraps items.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_TEMPLATE_H
#define FANLINE_EXPR_TEMPLATE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "expr/document.h"
#include "expr/select.h"

#include <stdbool.h>
#include <stdint.h>

struct template;

/*
 * Compile TEXT, which should be a JSON object (any JSON value is taken).  With SORT_KEYS members
 * leave in byte order of their names.  Returns 0 and *OUT, which template_free frees; or -1 with E
 * filled (ERR_USAGE).
 */
int template_compile(struct template **out, struct span text, bool sort_keys, struct err *e);

/* The template that is nothing but the value of the expression TEXT. Returns as template_compile.
 */
int template_compile_expression(struct template **out, struct span text, struct err *e);

#define TEMPLATE_ROOTS 5 /* those of enum path_root that have a name */

/*
 * The same two for scenes: for whoever has a value for each root and gives all of them anew each
 * time.  ROOTS, bits 1 << PATH_INPUT and so on, says which there are; a path from another is
 * refused.  $Context is a document like the others here.
 */
int template_compile_scene(struct template **out, struct span text, unsigned roots, struct err *e);
int template_compile_scene_expression(struct template **out, struct span text, unsigned roots,
                                      struct err *e);

/* What the roots stand for, by enum path_root: JSON values; NULL pointers are null. */
struct template_scene {
    struct span roots[TEMPLATE_ROOTS];
};

/* Add the text for the scene S to OUT; T was compiled for scenes. Returns as template_render. */
int template_play(struct template *t, const struct template_scene *s, struct buf *out,
                  struct err *e);

/* What the template wants of the document of $Input: read it with document_read. */
const struct select *template_input(const struct template *t);

/* Does any expression begin with $Input / $Context / $Item? */
bool template_uses(const struct template *t, enum path_root root);

/* Does any ask for the item at hand: $Item, $Context.Item? */
bool template_uses_item(const struct template *t);

/*
 * The document of $Input, read with template_input(t); borrowed for the life of T.  Returns 0, or
 * -1 with E filled if a path leads nowhere in it.
 */
int template_bind(struct template *t, const struct document *input, struct err *e);

/* An item and what is known of it. */
struct template_item {
    struct span item;        /* the line */
    struct seams_view seams; /* of the line, if known: lines_seams() */
    uint64_t index;      /* $Context.Item.Index, unless the line is wrapped and says it itself */
    struct span context; /* the document of $Context without Item, a JSON object */
};

/* Add the text for ITEM to OUT. 0, or -1 with E filled (ERR_DATA): a path leads nowhere, a type is
 * wrong. */
int template_render(struct template *t, const struct template_item *item, struct buf *out,
                    struct err *e);

/*
 * What template_render did last, for a person: a line for each expression, "  EXPRESSION = VALUE".
 * Adds to OUT; good for the item rendered last, while it is still there.
 */
void template_explain(struct template *t, struct buf *out);

void template_free(struct template *t);

#endif
