/*
 * ini.h: files of sections and keys, as the tools of AWS and OSS write them.
 *
 *     [default]
 *     region = eu-west-1
 *     s3 =
 *         addressing_style = path
 *
 * An indented line below a key without a value is a key within it: "s3.addressing_style".  Lines
 * that begin with # or ; are comments.
 *
 * Floor: services, within lib/object.
 */
#ifndef FANLINE_OBJECT_INI_H
#define FANLINE_OBJECT_INI_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>

/*
 * Read the file PATH, NULL or "" for none, into OUT.  One that is not there is empty.  Returns 0,
 * or -1 with E filled (ERR_USAGE).
 */
int ini_load(const char *path, struct buf *out, struct err *e);

/* Is there a section NAME in TEXT? */
bool ini_has(struct span text, const char *name);

/*
 * The value of KEY in the section NAME, without blanks around it; empty if there is none.  Borrows
 * TEXT. Of a key that comes twice the last counts.
 */
struct span ini_get(struct span text, const char *name, const char *key);

#endif
