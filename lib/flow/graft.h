/*
 * graft.h: put a value at a place of a JSON text (ResultPath).
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_GRAFT_H
#define FANLINE_FLOW_GRAFT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"
#include "expr/path.h"

/*
 * Add ROOT, compact JSON, with VALUE where P leads, to OUT.  Objects on the way are made where
 * there are none, all else keeps its bytes.  Returns 0, or -1 with E filled (ERR_DATA): the way
 * leads through something that is no object, or to an element that is not there.
 */
int graft(struct span root, const struct path *p, struct span value, struct buf *out,
          struct err *e);

/*
 * Add the members of the object NEW to those of the object OLD and write both to OUT; one of the
 * same name replaces the old one.
 */
void graft_merge(struct span old, struct span new, struct buf *out);

#endif
