/*
 * header.h: names that tell the columns of a table apart.
 *
 * Floor: engines, within lib/source.
 */
#ifndef FANLINE_SOURCE_HEADER_H
#define FANLINE_SOURCE_HEADER_H

#include "base/arena.h"
#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

/* What is done about names that do not tell columns apart; without any of it they are an error. */
struct header_rules {
    bool dedupe; /* a, a_2, ...; a column without a name gets its number, from 1 */
    bool empty;  /* a column may have no name */
};

/*
 * The names for COUNT columns whose header has FIELDS, in OUT; they lie in FIELDS or ARENA.  With
 * dedupe a name that only one column has stays as it is, whatever the others get.  0, or -1 with E
 * filled (ERR_DATA, no position): a name is no UTF-8, or, unless RULES know what to do, is empty or
 * comes twice; says in which columns.
 */
int header_resolve(const struct span *fields, size_t count, const struct header_rules *rules,
                   struct span *out, struct arena *arena, struct err *e);

#endif
