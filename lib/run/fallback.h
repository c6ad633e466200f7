/*
 * fallback.h: what is run instead for an item that failed for good (Catch).
 *
 * The first fallback that names the error is run, by a shell, once.  Its standard input is one
 * line, {"Error":CODE,"Cause":TEXT,"Input":ITEM}, whose first two members are what a Catch of the
 * States Language hands on (reference/distributed-map.md 2.10).
 *
 * Floor: engines.
 */
#ifndef FANLINE_RUN_FALLBACK_H
#define FANLINE_RUN_FALLBACK_H

#include "base/buf.h"
#include "base/err.h"
#include "base/span.h"

#include <stddef.h>

struct fallback {
    struct span errors;  /* as in retry.h; borrowed */
    const char *command; /* for sh -c; borrowed */
};

struct fallbacks {
    struct fallback *at;
    size_t count;
    size_t cap;
};

/* Add "ERROR[,ERROR…]=COMMAND", which is borrowed. Returns 0, or -1 with E filled (ERR_USAGE). */
int fallback_add(struct fallbacks *f, const char *text, struct err *e);

/* The fallback for the error CODE; NULL if there is none, or F is NULL. */
const struct fallback *fallback_find(const struct fallbacks *f, struct span code);

/*
 * What a fallback is told, with an LF, in LINE: CODE is a JSON string with its quotes, CAUSE any
 * bytes, ITEM JSON.
 */
void fallback_tell(struct buf *line, struct span code, struct span cause, struct span item);

void fallback_release(struct fallbacks *f);

#endif
