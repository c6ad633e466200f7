/*
 * check.h: everything that is wrong with a definition.
 *
 * Read against the tables of schema.h: fields that nobody knows (and which was meant), fields that
 * are missing, of the wrong kind, out of bounds, or that exclude each other; expressions, paths and
 * templates that do not compile; states that are missing, doubled, out of reach, or that lead to no
 * end; fields of the other dialect.  Nothing is run, no file is opened.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_CHECK_H
#define FANLINE_FLOW_CHECK_H

#include "flow/tree.h"

/* Add the faults of the definition ROOT to F: none if it can be run. */
void check_definition(const struct node *root, struct faults *f);

#endif
