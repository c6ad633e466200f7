/*
 * bound.h: a template as a user gives it, together with the document it asks for.
 *
 * The template is JSON text, or "@FILE"; the document of $Input is a file, of which only the
 * parts that the template asks for are kept.
 *
 * Floor: engines (expr).
 */
#ifndef FANLINE_EXPR_BOUND_H
#define FANLINE_EXPR_BOUND_H

#include "base/err.h"
#include "expr/document.h"
#include "expr/template.h"

#include <stdbool.h>
#include <stdint.h>

struct bound {
    struct template *template;
    struct document input;
};

/*
 * Compile TEXT and bind it to the document in the file INPUT, which must be NULL if and only if the
 * template does without $Input (ERR_USAGE).  Returns 0, or -1 with E filled; release B either way.
 */
int bound_load(struct bound *b, const char *text, const char *input, bool sort_keys,
               uint64_t max_depth, struct err *e);

/* The same for one expression instead of a template. */
int bound_load_expression(struct bound *b, const char *text, const char *input, uint64_t max_depth,
                          struct err *e);

/* A file of $Context that nothing uses is an error (ERR_USAGE). PATH NULL: none. 0, or -1 with E.
 */
int bound_check_context(const struct bound *b, const char *path, struct err *e);

void bound_release(struct bound *b);

/*
 * Add the member that ENTRY states, NAME=VALUE, to the text of a template: behind a name that ends
 * in
 * ".$" an expression, else a JSON value, or text that becomes a string if it is no JSON.  Returns
 * 0, or -1 with E filled.
 */
int bound_add_entry(struct buf *template, const char *entry, struct err *e);

/*
 * Add the document of $Context to OUT: the one in the file PATH, or, with PATH NULL, what is known
 * of this run: {"Execution":{"Name":a UUID,"StartTime":now}}.  0, or -1 with E filled.
 */
int bound_context(const char *path, uint64_t max_depth, struct buf *out, struct err *e);

/* Add TEXT, or the contents of FILE where TEXT is "@FILE", to OUT. 0, or -1 with E filled. */
int bound_read_text(const char *text, struct buf *out, struct err *e);

#endif
