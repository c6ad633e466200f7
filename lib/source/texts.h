/*
 * texts.h: formats that are made of lines, or of records before NUL bytes.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_TEXTS_H
#define FANLINE_SOURCE_TEXTS_H

#include "base/err.h"
#include "base/span.h"
#include "io/reader.h"

struct split;

/*
 * Put the item that TEXT stands for, UTF-8 and without its end, CR included: emit_begin to
 * emit_end; or nothing.  0, or -1 with E filled (ERR_DATA, no position): it is refused.
 */
typedef int texts_put(struct split *s, struct span text, struct err *e);

/* Split R into what stands before each STOP, an LF or a NUL. 0, or -1 with E filled. */
int texts_split(struct split *s, struct reader *r, char stop, texts_put *put, struct err *e);

#endif
