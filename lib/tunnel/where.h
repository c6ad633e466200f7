/*
 * where.h: a place in a stream, as people name it and as the service takes it.
 *
 * Floor: engines.
 */
#ifndef FANLINE_TUNNEL_WHERE_H
#define FANLINE_TUNNEL_WHERE_H

#include "base/err.h"

#define WHERE_MAX 32 /* room for a place with its NUL */

/*
 * The place TEXT into OUT: one of WORDS, which end in a NULL, as it is; a time of RFC 3339, which
 * becomes milliseconds since 1970; or such milliseconds, from 1 on.  Returns 0, or -1 with E filled
 * (ERR_USAGE).
 */
int where_read(const char *text, const char *const *words, char out[WHERE_MAX], struct err *e);

#endif
