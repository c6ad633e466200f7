/*
 * definition.h: a definition from a file, ready to be run.
 *
 * Floor: flows.
 */
#ifndef FANLINE_FLOW_DEFINITION_H
#define FANLINE_FLOW_DEFINITION_H

#include "base/buf.h"
#include "base/err.h"
#include "flow/machine.h"
#include "flow/tree.h"

#include <stdint.h>

/* Zero-initialised it is legal to release. */
struct definition {
    struct buf text;
    struct flow_tree tree;
    struct machine *machine;
    struct buf shared; /* the name that definition_share has made */
    int fd;            /* of that file; 0: there is none */
};

/*
 * Read, check and compile FILE, "-" being standard input.  Returns 0; or -1: what is wrong with the
 * definition is added to F, and where that is nothing (the file cannot be read), E says why.
 */
int definition_load(struct definition *d, const char *file, struct faults *f, struct err *e);

/*
 * What other processes can read the definition by, which came from FILE: that name if it is that
 * of a regular file; else, as a pipe is read only once, the name of a file without one, in FOLDER,
 * that has its text.  Good until D is released; NULL with E filled if it cannot be made.
 */
const char *definition_share(struct definition *d, const char *file, const char *folder,
                             struct err *e);

void definition_release(struct definition *d);

/* Read the JSON document in FILE, "-" being standard input, and add it, compact, to OUT.  Returns
 * 0, or -1 with E filled. */
int definition_input(const char *file, uint64_t max_depth, struct buf *out, struct err *e);

#endif
